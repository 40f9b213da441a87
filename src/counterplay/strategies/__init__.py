"""Strategies of one player by kind of game: made, changed and listed row by row, in memory or in a store.

Door: `strategy_makers.strategies_of`, which makes uniform play, equilibria, best responses and changes of another strategy.

Registry: `strategy_makers.STRATEGIES`.
"""
