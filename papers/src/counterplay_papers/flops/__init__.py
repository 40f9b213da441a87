"""Studies of several methods on the same flops, and tables of their values that can be kept.

Door: `flop_study.FlopStudy`, `flop_table.table_of`.
"""
