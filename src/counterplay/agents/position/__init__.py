"""An agent's position: in a compiled game, in a lazily expanded one, or as a belief."""
