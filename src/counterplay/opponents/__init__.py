"""Where a model of the opponent comes from."""
