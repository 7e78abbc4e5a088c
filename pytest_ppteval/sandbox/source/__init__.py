"""A leaf's source text, looked at without running it: what it needs, what it names, whether it leaves a trace."""
