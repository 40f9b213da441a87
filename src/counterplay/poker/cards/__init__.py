"""Cards, decks and hand ranks.

Door: `deck.Deck`, `hand_rank.HandRanking`, `hand_rank.hand_ranks`.
"""
