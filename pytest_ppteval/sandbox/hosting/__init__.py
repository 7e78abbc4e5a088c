"""The host's side, in pytest's process: tasks and leaves as it sees them, and how it judges what comes back."""
