"""Re-solving whole hold'em games: boards of any street alone, or a street behind the full gadget."""
