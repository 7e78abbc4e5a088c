"""A vocabulary for judging decks: addresses say where, checks say what, guards say what must not get broken.

Trusted code on two looks (see look/): no python-pptx, no rubric code. `judge.py` is the door.
"""
