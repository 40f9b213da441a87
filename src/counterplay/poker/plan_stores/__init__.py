"""Stores of both players' strategies in a public tree: arrays of the whole tree, or averages of the compact engine.

Door: `spot_plans.SpotPlans`, `compact_plans.CompactPlans`.
"""
