"""The confined side: the processes that open decks and run leaves, each forked from the one before it."""
