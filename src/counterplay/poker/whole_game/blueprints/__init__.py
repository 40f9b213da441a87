"""Blueprints of whole games: regrets, solvers, size, file."""
