"""A responder against a model in one game, and the computations of the methods: plans, look-aheads, risk.

Door: `matchup.Matchup`.
"""
