"""A deck as a viewer sees it: what is inherited, themed, grouped or computed is worked out. Data, from parts alone."""
