"""Several methods in several games against several opponents: `compare` carries out what `contests` checked."""
