"""Public trees of cards and betting as problems for the solvers."""
