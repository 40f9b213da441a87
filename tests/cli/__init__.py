"""Commands, documentation, messages, and what a user may do wrong."""
