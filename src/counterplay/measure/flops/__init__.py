"""Several methods on the same flops, and tables of what they win there that can be kept.

Door: `flop_study.FlopStudy`, `flop_table.table_of`.
"""
