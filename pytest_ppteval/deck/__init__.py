"""A PowerPoint file as data: guarded, read, compared. Pure: bytes or paths in, frozen dataclasses out."""
