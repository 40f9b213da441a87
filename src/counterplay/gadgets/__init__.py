"""Gadgets: the opponent's entry into a re-solved subtree.

Door: `gadget.Gadget`, the protocol. Registry: `GADGETS`, below.
"""

from __future__ import annotations

from typing import Any

from counterplay.errors import InputError, unknown
from counterplay.gadgets.gadget import (
    FullGadget,
    Gadget,
    MaxMargin,
    PathGadget,
    ReachMaxMargin,
    Resolving,
    TrimmedGadget,
    Unsafe,
)

__all__ = [
    "GADGETS", "FullGadget", "Gadget", "MaxMargin", "PathGadget", "ReachMaxMargin", "Resolving", "TrimmedGadget",
    "Unsafe", "gadget_of",
]  # fmt: skip

GADGETS: dict[str, type[Gadget]] = {
    "unsafe": Unsafe,
    "resolving": Resolving,
    "max-margin": MaxMargin,
    "reach-max-margin": ReachMaxMargin,
    "full": FullGadget,
    "trimmed": TrimmedGadget,
    "path": PathGadget,
}
"""The gadgets by name, as in the catalogue."""


def gadget_of(source: Any) -> Gadget:
    """A gadget from its name; a user's object is returned unchanged.

    Raises:
        InputError: unknown gadget, or an object without `entry`.
    """
    if isinstance(source, str):
        if source not in GADGETS:
            raise unknown("gadget", source, GADGETS)
        return GADGETS[source]()
    if isinstance(source, type) or not callable(getattr(source, "entry", None)):
        raise InputError(f"a gadget must be a text or an object with an entry, not {type(source).__name__}")
    return source  # type: ignore[no-any-return]
