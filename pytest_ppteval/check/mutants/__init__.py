"""Decks that an approved one becomes by one small fault, and such as are only written otherwise."""
