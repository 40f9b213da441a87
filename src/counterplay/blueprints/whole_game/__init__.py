"""Re-solving the flops of a whole hold'em game."""
