"""Leaf in, score out: one module a kind of leaf, one signature."""
