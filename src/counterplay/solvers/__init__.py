"""Solution methods: regret minimisers, the sequence-form linear program, best responses.

Door: `equilibrium.solve`, `equilibrium.equilibrium`, `best_response.best_response`, `cfr.Stop`, `lp.SequenceFormLP`.

Registry: `minimiser.MINIMISERS`, name to `minimiser.Minimiser`.
"""
