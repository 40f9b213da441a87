"""Values of games that need not be in memory, learned by the rules' numbers of public states.

Door: `learn_public_value.learn_public_value`.
"""
