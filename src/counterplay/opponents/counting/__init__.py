"""Models from observed hands of games in memory: what was seen, what it says about hidden cards, and how sure it is.

Door: `opponents.counts.Counts`, which takes hands and gives a strategy with the effective counts of each infoset.
"""
