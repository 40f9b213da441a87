"""The compact engine: large spots solved depth first, with whole-tree memory for regrets and averages only.

Door: `compact_solve.solve_compact`, `compact_run.CompactRun`.
"""
