"""Flop Hold'em: hold'em that ends with the betting on the flop, solved whole by vectors of hands."""
