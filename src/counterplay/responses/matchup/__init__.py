"""A responder against a model in one game, and what the methods compute there: plans, look-aheads, risk.

Door: `matchup.Matchup`.
"""
