"""Leaves: payoffs that turn two plans into counterfactual values.

Door: `protocol.Leaves`, the protocol of all kinds, and `protocol.register`, which registers a kind with the compiled
loops.

Kinds: `matrix.Matrix`, `constants.WithConstants`, `opponent_copies.OpponentCopies`, `plan_mixture.PlanMixture`, and for
poker `poker.public_tree.payoff.ShowdownPayoff`.
"""
