"""pytest's door: hooks and options."""
