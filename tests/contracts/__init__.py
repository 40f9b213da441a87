"""What games, opponents, agents, responses and files promise, and what they refuse."""
