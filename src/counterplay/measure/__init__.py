"""Evaluation of strategies, the frontier of gain against exploitability, and matches.

Door: `evaluate.evaluate`, `frontier.frontier`, `match.match`, `openspiel_bots.openspiel_bot`.
"""
