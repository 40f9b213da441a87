"""Game trees: `table` holds histories, `build` generates them, `compile` turns them into a compiled game.

Door: `compile.load.load` (from text or rules), `compile.compile.GameTree`.
"""
