"""Reproductions of published numbers: what is computed, beside what was printed."""
