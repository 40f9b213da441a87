"""Where everything of a large spot is: segments of its betting, lanes of its hands, boards and terminals as arrays.

Door: `compact_layout.CompactLayout`.
"""
