"""Runs against each other: what came out better or worse, and whether that can be told from chance. Pure."""
