"""Betting rules, bet sizes and betting trees.

Door: `rules.BettingRules`, `bet_sizes.read_sizes`, `tree.build`, `stakes.Stakes`, `tree.node_at`.
"""
