"""Memoised overload resolution: Numba tries all implementations of an operator anew at every use, which is most of the time
of a kernel's type inference.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import types

_known: dict[Any, Any] = {}


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
        key = id(kind), tuple(args)
        found = _known.get(key)
        if found is None:
            signature = usual(function, args, kws)
            if signature is not None:
                _known[key] = kind, signature  # the kind is kept: its id stays its own
            return signature
        return found[1]

    context.resolve_function_type = resolve
    try:
        yield
    finally:
        del context.resolve_function_type
