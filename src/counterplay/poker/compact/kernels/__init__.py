"""Sweeps of a large spot, depth first: storage, decisions, leaves, streets, and the parts that threads take.

Door: `compact_kernels.do_part`.
"""
