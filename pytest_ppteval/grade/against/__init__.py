"""A run against the approved ones: one aspect a module."""
