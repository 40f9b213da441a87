"""Rules to arrays: `table` holds histories, `build` generates them, `compile` makes the compiled game of them.

Door: `compile.load.load` (from text or rules), `compile.compile.GameTree`.
"""
