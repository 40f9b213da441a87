"""Compilation of histories: treeplexes, payoff, levels, public states.

Door: `load.load` (text or rules to a compiled game), `compile.GameTree`, `levels.Depth`, `load.expand_game`.
"""
