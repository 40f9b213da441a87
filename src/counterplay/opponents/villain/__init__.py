"""The villain card: what hands say about a player in the statistics of poker, beside a strategy's own figures.

Door: `villain_card.villain_card`.

Registry: `seen_decisions.STATISTICS`, name to what it counts.
"""
