"""Generation of histories: from compiled rules, from Python classes, incrementally, and at random.

Door: `histories.Histories` (the table), `generate.generate` (compiled rules), `enumerate_game.enumerate_histories` (Python
classes), `partial_tree.grow`, `rollouts.rollouts`, `size_estimate.estimate_size`.
"""
