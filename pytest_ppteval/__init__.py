"""Rubrics as test cases: judge PowerPoint agents and agent skills with pytest, leaf by leaf."""

__version__ = "0.1.0"
