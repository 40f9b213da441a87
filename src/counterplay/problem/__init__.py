"""The saddle-point problem that all solvers take: trees, leaves, entry, restriction.

Door: `subgame.Subgame`, `solvable_game.SolvableGame` (the methods' view of a game), `subgame.two_opponents`.
"""
