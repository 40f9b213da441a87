"""Public trees of cards and betting as problems for the solvers.

Door: `public_tree.PublicTree`, `boards.Boards`, `payoff.ShowdownPayoff`, `solve.solve_tree`, `size_estimate.size_of`.
"""
