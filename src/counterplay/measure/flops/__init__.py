"""Tables of what strategies and methods win on drawn flops that can be kept.

Door: `flop_study.FlopStudy`, `flop_table.table_of`.
"""
