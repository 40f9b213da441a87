"""The one interface between the solvers' kernels and the payoffs at the end of a problem.

A *kind* of leaves is a NamedTuple of arrays, one player's side of the payoff. Its module registers a kernel for it, and
every solver then takes it: `multiply` (once an iteration and side), of the leaf with pointers (once a call of the loop).
Numba dispatches by type at compile time, so that a kind costs the others nothing. A kind whose problems decompose into
boards may also supply its own iteration (`advance_by`)."""

# ruff: noqa: ARG001 (a stub, whose body Numba chooses)

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numba.extending import overload

from counterplay.arrays import F64
from counterplay.jit import kernel
from counterplay.treeplex.simd import pointer, with_pointers


class Leaves(Protocol):
    """The payoff of a problem: plans in, CFVs out, each in the player's own chips."""

    @property
    def leaves(self) -> tuple[Any, Any]:
        """Both players' sides, each of a registered kind."""

    @property
    def entries(self) -> int:
        """Number of entries of the payoff, written out as a matrix."""

    @property
    def largest(self) -> float:
        """The largest payoff: the unit of tolerances."""

    @property
    def rows(self) -> Any:
        """The payoff of player 0 as a sparse matrix (`matrix.Rows`), for linear programs; an InputError if it is too
        large."""

    @property
    def columns(self) -> Any:
        """The transpose of `rows`."""

    def product(self, player: int, plan: F64) -> F64:
        """(size,) CFVs of `player`'s sequences against the other player's plan."""

    def value(self, plan0: F64, plan1: F64) -> float:
        """Chips of player 0 under plans (size of tree 0,) and (size of tree 1,)."""

    def paid(self, plan0: F64, plan1: F64) -> float:
        """Chips that both players together lose to the house, under plans as in `value`; 0 in a zero-sum problem."""


_MULTIPLY: dict[type, Callable[..., Any]] = {}


def register(kind: type, multiply: Callable[..., Any]) -> None:
    """Register a kind of leaves, and its kernel for the function below."""
    _MULTIPLY[kind] = multiply


Advance = Callable[[Any, Any, Any, int, int], bool]
"""As `solvers.kernels.advance`; whether it did."""
_ADVANCE: dict[type, Advance] = {}


def advance_by(kind: type, advance: Advance) -> None:
    """Register the iteration of problems with leaves of a kind."""
    _ADVANCE[kind] = advance


def advance_of(kind: type) -> Advance | None:
    """The iteration registered by `advance_by`, or None."""
    return _ADVANCE.get(kind)


def multiply(leaf: Any, base: Any, shift: bool, plan: Any, out: Any) -> None:
    """out = CFVs of a leaf `with_pointers` against `plan`, plus `base` if `shift`; all others are pointers, and `out` has 8
    spare elements at its end, whose values are undefined."""
    raise NotImplementedError("for kernels only")


NO_BASE = np.zeros(0)
"""For `product`: nothing is added."""


Product = Callable[[Any, Any, Any, Any], None]
"""As `product`."""
_PRODUCT: dict[type, Product] = {}


def product_by(kind: type, product: Product) -> None:
    """Register the product of a kind of leaves around others: theirs and a little more, which spares its compilation."""
    _PRODUCT[kind] = product


def product(leaf: Any, base: Any, plan: Any, out: Any) -> None:
    """out = CFVs of the leaf against `plan`, plus `base` unless its length is 0; on arrays of one dtype, `out` with
    spare elements as in `multiply`."""
    _PRODUCT.get(type(leaf), _product)(leaf, base, plan, out)


@kernel
def _product(leaf: Any, base: Any, plan: Any, out: Any) -> None:
    multiply(with_pointers(leaf), pointer(base), len(base) > 0, pointer(plan), pointer(out))


@overload(multiply, {"no_cfunc_wrapper": True, "_nrt": False}, strict=False)  # type: ignore[untyped-decorator]
def _choose_multiply(leaf: Any, base: Any, shift: Any, plan: Any, out: Any) -> Any:
    function = _MULTIPLY[leaf.instance_class]
    return lambda leaf, base, shift, plan, out: function(leaf, base, shift, plan, out)
