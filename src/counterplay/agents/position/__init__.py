"""Where an agent finds itself: in a compiled game, in one expanded on the way, by belief."""
