"""Cards, decks and hand ranks."""
