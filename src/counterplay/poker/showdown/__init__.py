"""Folds and showdowns of two ranges on one board."""
