"""What the vocabulary offers at the command line: how authors find the words for a rubric."""
