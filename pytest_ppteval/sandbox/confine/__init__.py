"""What confines a process, a module a means, and how far this machine goes. No rubric is known here."""
