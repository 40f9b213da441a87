"""Strategies and methods of whole hold'em games measured on drawn flops, all on the same ones.

Door: `flop_frontier.frontier_on_flops`.
"""
