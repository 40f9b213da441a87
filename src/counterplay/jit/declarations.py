"""Numba's registries of functions and types, loaded without SciPy: Numba loads all of `scipy.linalg` only to find out
whether there is a BLAS, which takes longer than the rest. A kernel that multiplies matrices still finds it.
"""

from __future__ import annotations

from functools import cache


@cache
def load_declarations() -> None:
    """Load the registries before Numba first compiles; has no effect afterwards."""
    from numba.np import linalg

    usual = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        from numba.np import arraymath
    finally:
        linalg.ensure_blas = usual
    arraymath.ensure_blas = usual
