"""The tree: nodes and leaves, their scores, and the verdict. Pure: no pytest, no files, no processes."""
