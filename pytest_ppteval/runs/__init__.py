"""What is kept of sessions: run directories with their journal, and what is made of them. Pure files, no pytest."""
