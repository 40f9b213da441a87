"""Strategies and methods of whole hold'em games measured on drawn flops, all on the same ones; tables of what they win
there that can be kept.

Door: `flop_frontier.frontier_on_flops`, `flop_study.FlopStudy`, `flop_table.table_of`.
"""
