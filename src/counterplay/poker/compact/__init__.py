"""The compact engine: large spots solved depth first, with whole-tree memory for regrets and averages only.

Door: `compact_run.CompactRun`, `compact_size.compact_size`.
"""
