"""What the made-up trials are made of: a world that answers tools, sessions, and the forms they are written in."""
