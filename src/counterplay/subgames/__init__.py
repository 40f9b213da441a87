"""Subtrees to re-solve: cut out, entered by a gadget, continued by portfolios.

Door: `plan_store.Subtree`, `plan_store.PlanStore`, `entry.Entry`, `cut.cut`, `cut.subgames_at`.
"""
