"""Approved runs: kept for review under baselines/, compared with, and changed by `ppteval approve` and `sync` alone."""
