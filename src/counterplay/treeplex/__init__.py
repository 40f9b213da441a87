"""The algebra of one player's decisions: layout, sweeps, strategies, restriction. Knows no game and no algorithm."""
