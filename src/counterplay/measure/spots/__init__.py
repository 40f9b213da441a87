"""Measures of solved spots: two solutions compared."""
