"""The one seam between the solvers' kernels and what stands at the end of a problem.

A *kind* of leaves is a NamedTuple of arrays, one player's side of the payoff. Its module registers two kernels for it, and
every solver then takes it: `opened` (once a call of the compiled loop) and `multiply` (once an iteration and side). Numba
chooses by type when it compiles, so that a kind costs the others nothing. A kind whose problems fall apart into boards may
also say how it would rather be iterated (`advance_by`).
"""

# ruff: noqa: ARG001 (stubs, whose bodies Numba chooses)

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from counterplay.jit import kernel
from counterplay.treeplex.simd import pointer

Floats = NDArray[np.float64]


class Leaves(Protocol):
    """The payoff of a problem: plans in, CFVs out, each in the player's own chips."""

    @property
    def leaves(self) -> tuple[Any, Any]:
        """Both players' sides, each of a registered kind."""

    @property
    def entries(self) -> int:
        """How many entries the payoff has, written out as a matrix."""

    @property
    def largest(self) -> float:
        """The largest payoff: the unit of tolerances."""

    @property
    def rows(self) -> Any:
        """The payoff of player 0 as a sparse matrix (`matrix.Rows`), for linear programs; where that is too large, an
        InputError."""

    @property
    def columns(self) -> Any:
        """Its transpose."""

    def product(self, player: int, plan: Floats) -> Floats:
        """(size,) CFVs of `player`'s sequences against the other player's plan."""

    def value(self, plan0: Floats, plan1: Floats) -> float:
        """Chips of player 0 under two plans."""

    def paid(self, plan0: Floats, plan1: Floats) -> float:
        """Chips that both together lose to the house; 0 in a zero-sum problem."""


_OPENED: dict[type, Callable[..., Any]] = {}
_MULTIPLY: dict[type, Callable[..., Any]] = {}


def register(kind: type, opened: Callable[..., Any], as_opened: type, multiply: Callable[..., Any]) -> None:
    """Make a kind of leaves known, and the type that `opened` makes of it, by the kernels that do for it what the functions
    below say."""
    _OPENED[kind], _MULTIPLY[as_opened] = opened, multiply


Advance = Callable[[Any, Any, Any, int, int], bool]
"""As `solvers.kernels.advance`; whether it did."""
_ADVANCE: dict[type, Advance] = {}


def advance_by(kind: type, advance: Advance) -> None:
    """Make known that problems with leaves of a kind have iterations of their own."""
    _ADVANCE[kind] = advance


def advance_of(kind: type) -> Advance | None:
    """What `advance_by` has made known."""
    return _ADVANCE.get(kind)


def open_leaf(leaf: Any) -> Any:
    """The leaf as `multiply` takes it, a NamedTuple of pointers and numbers: arrays are counted whenever they are passed
    on, and one among a hundred pointers makes the compiler give up on all of them."""
    raise NotImplementedError("for kernels only")


def multiply(leaf: Any, base: Any, shift: bool, plan: Any, out: Any) -> None:
    """out = CFVs of the leaf against `plan`, plus `base` if `shift`; all but the leaf are pointers, and `out` has room for
    8 more at its end, which come out as anything."""
    raise NotImplementedError("for kernels only")


NO_BASE = np.zeros(0)
"""For `product`: nothing is added."""


@kernel
def product(leaf: Any, base: Any, plan: Any, out: Any) -> None:
    """out = CFVs of the leaf against `plan`, plus `base` unless its length is 0; on arrays of one dtype, `out` with room as
    in `multiply`."""
    multiply(open_leaf(leaf), pointer(base), len(base) > 0, pointer(plan), pointer(out))


_WITHIN = {"no_cfunc_wrapper": True}


@overload(open_leaf, _WITHIN, strict=False)  # type: ignore[untyped-decorator]
def _choose_opened(leaf: Any) -> Any:
    function = _OPENED[leaf.instance_class]
    return lambda leaf: function(leaf)


@overload(multiply, _WITHIN, strict=False)  # type: ignore[untyped-decorator]
def _choose_multiply(leaf: Any, base: Any, shift: Any, plan: Any, out: Any) -> Any:
    function = _MULTIPLY[leaf.instance_class]
    return lambda leaf, base, shift, plan, out: function(leaf, base, shift, plan, out)
