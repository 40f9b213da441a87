"""Compiled kernels: equal to plain NumPy, and kept on disk."""
