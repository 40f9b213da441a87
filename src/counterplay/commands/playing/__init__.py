"""The commands that play hands and look back at them: `match`, `play` and `review`."""
