"""Words and numbers as people mean them: notations that differ without meaning anything else are made one."""
