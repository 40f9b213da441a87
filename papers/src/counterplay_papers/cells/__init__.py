"""Cells that several experiments share: responses to models, families of opponents, re-solved places.

Door: `model_cells.cells_of`, `opponent_families.lines`, `tradeoffs.tradeoffs`, `ggse_cells.cells`.
"""
