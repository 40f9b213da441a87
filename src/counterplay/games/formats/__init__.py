"""Games in the formats of others: Gambit's .efg files and OpenSpiel.

Door: `efg.read_efg`, `efg.write_efg` and `write_profile`, `openspiel.from_openspiel`.
"""
