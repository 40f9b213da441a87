"""Memoised overload resolution: Numba tries all implementations of an operator anew at every use, which is most of the time
of a kernel's type inference.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from numba.core import types
from numba.core.errors import NumbaError
from numba.core.extending import _Intrinsic
from numba.core.types import unliteral  # type: ignore[attr-defined]

_known: dict[Any, Any] = {}


def _found(usual: Any, kind: Any, function: Any, args: Any) -> Any:
    """The signature of a call, as Numba's `usual` way finds it the first time."""
    key = id(kind), args
    found = _known.get(key)
    if found is not None:
        return found[1]
    signature = usual(function, args, {})
    if signature is not None:
        _known[key] = kind, signature  # the kind is kept: its id stays its own
    return signature


def _is_arithmetic(function: Any) -> bool:
    """Whether the type of a result depends on no number: operators, and what this package adds to them."""
    return isinstance(function, _Intrinsic) or getattr(function, "__module__", "") == "_operator"


@contextmanager
def remembering(context: Any) -> Iterator[None]:
    """Memoise in a typing context inside the block; the caller holds the compiler's lock. All kernels ask for the same
    arithmetic, so that an implementation for one is valid for all.
    """
    usual = context.resolve_function_type

    def resolve(function: Any, args: Any, kws: Any) -> Any:
        kind = function if isinstance(function, types.Type) else context._lookup_global(function)
        if type(kind) is not types.Function or kws:
            return usual(function, args, kws)
        asked = tuple(unliteral(one) if isinstance(one, types.IntegerLiteral) else one for one in args)
        if asked != tuple(args) and _is_arithmetic(kind.typing_key):
            with suppress(NumbaError):  # parts of records are asked for by number
                return _found(usual, kind, function, asked)
        return _found(usual, kind, function, tuple(args))

    context.resolve_function_type = resolve
    try:
        yield
    finally:
        del context.resolve_function_type
