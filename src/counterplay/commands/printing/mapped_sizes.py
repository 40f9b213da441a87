"""Mapped bet sizes as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterplay.commands.printing.output import say, show_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from counterplay.opponents.villain.mapped_sizes import MappedSize

_MOST = 6


def show_sizes(sizes: Sequence[MappedSize]) -> None:
    """The bets and raises of hands, and the sizes of the tree that they become."""
    say(["", "Bets and raises of both players, and the sizes of the tree that they become:", ""])
    rows = [
        [f"{one.facts()['street']} {one.kind}", one.to, f"{one.n:,}", f"{one.mapped:,}", f"  {_told(one.sizes)}"]
        for one in sizes
    ]
    show_rows(("<14", ">8", ">6", ">8", "<1"), [["", "to", "n", "mapped", "  from"], *rows])


def _told(sizes: Sequence[tuple[str, int]]) -> str:
    """The most frequent sizes."""
    told = ", ".join(f"{count} × {size}" for size, count in sizes[:_MOST])
    return f"{told} and {len(sizes) - _MOST} more" if len(sizes) > _MOST else told
