"""What Numba knows of functions and types, without SciPy: Numba only asks whether there is a BLAS, and loads all of
`scipy.linalg` to find out, which takes longer than the rest. A kernel that multiplies matrices still finds it."""

from __future__ import annotations

from functools import cache


@cache
def load_declarations() -> None:
    """To be called before Numba compiles for the first time; without effect where it has compiled already."""
    from numba.np import linalg

    usual = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        from numba.np import arraymath
    finally:
        linalg.ensure_blas = usual
    arraymath.ensure_blas = usual
