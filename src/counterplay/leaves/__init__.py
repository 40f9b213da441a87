"""What stands behind the decisions: everything that turns two plans into counterfactual values.

Door: `protocol.Leaves`, which all kinds have, and `protocol.register`, which makes a kind known to the compiled loops.

Kinds: `matrix.Matrix`, `constants.WithConstants`, `opponent_copies.OpponentCopies`, `plan_mixture.PlanMixture`, and of poker
`poker.public_tree.payoff.ShowdownPayoff`.
"""
