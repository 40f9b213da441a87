"""Public trees of cards and betting as problems for the solvers.

Door: `public_tree.PublicTree`, `boards.Boards`, `payoff.ShowdownPayoff`, `public_tree.solve_tree`, `size_estimate.size_of`.
"""
