"""The algebra of one player's decisions: layout, sweeps, strategies, restriction. Independent of games and algorithms.

Door: `treeplex.Treeplex` (the layout), `treeplex.build` (constructs it), `sweeps.reach` and `sweeps.values` (down and up
the tree), `strategy.Strategy`, `restriction.Restriction`.
"""
