"""Games in the formats of others: Gambit's .efg files and OpenSpiel."""
