"""Asking a model: the client, recordings of its answers, votes, what it costs and may cost."""
