"""What pairs of continuations are worth after the flop, and the problem before it."""
