"""pytest's side: what a session does with cases. Files become items, leaves become subtests, runs are had and kept."""
