"""What came out of a run: its decks, their diff and pictures; its trace, response and workspace; its metrics."""
