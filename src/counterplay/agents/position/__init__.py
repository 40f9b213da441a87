"""An agent's position: in a compiled game, in one expanded on the way, or as a belief."""
