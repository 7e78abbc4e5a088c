"""The built-in agent: Claude with tools for decks, as a process (`python -m pytest_ppteval.agent.builtin`).

A small one, so that a key is enough to try the product. docs/agent-builtin.md tells what it does.
"""
