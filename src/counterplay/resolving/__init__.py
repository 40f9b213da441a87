"""Solving a game a few levels at a time: value functions, look-aheads, and the chain of them that a player goes through."""
