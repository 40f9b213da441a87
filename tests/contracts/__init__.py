"""Contracts of games, opponents, agents, responses and files, and their errors."""
