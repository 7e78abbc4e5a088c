"""Where a rubric's code runs: untrusted, confined, one process a leaf."""
