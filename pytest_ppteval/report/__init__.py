"""What is shown: the terminal, JUnit XML, JSON results."""
