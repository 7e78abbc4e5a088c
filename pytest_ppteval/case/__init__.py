"""What is asked: task registries and rubric files become cases. Pure but for reading files."""
