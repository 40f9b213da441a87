"""Values of pairs of continuations after the flop, and the problem before it."""
