"""The trimmed full gadget (Milec et al. 2025, section 5.1): each way off the path ends at its first public state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.gadgets.full import FullGadget


@dataclass(frozen=True)
class TrimmedGadget(FullGadget):
    """The full gadget of a game in memory, where the value function stands at the first public state off the path and not
    at the limits of the earlier look-aheads. With the exact value function, and where a blueprint is solved again, nothing
    stands there, and it is the full gadget.
    """

    name: ClassVar[str] = "trimmed"
    trims_path: ClassVar[bool] = True
