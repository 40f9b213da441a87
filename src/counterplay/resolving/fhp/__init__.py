"""The flops of Flop Hold'em solved again: behind gadgets, tilted to a model, while a hand is played."""
