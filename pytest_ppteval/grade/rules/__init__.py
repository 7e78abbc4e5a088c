"""The checks that a case file's rules make; each takes a rule and the evidence, and returns a Finding or a Lacking."""
