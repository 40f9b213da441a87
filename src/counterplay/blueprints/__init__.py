"""Re-solving a blueprint: its subgames behind gadgets, measured before and after.

Door: `whole_game.resolve.resolve`, `report.Resolution`, `resolve.refinement_gaps`.
"""
