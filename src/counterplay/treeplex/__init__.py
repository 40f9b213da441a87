"""The algebra of one player's decisions: layout, sweeps, strategies, restriction. Knows no game and no algorithm.

Door: `treeplex.Treeplex` (the layout), `build.build` (makes one), `sweeps.reach` and `sweeps.values` (up and down the tree),
`strategy.Strategy`, `restriction.Restriction`.
"""
