"""Frequencies of a player beside those of the solution, what was asked for, and what was reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterplay.commands.printing.mapped_sizes import show_sizes
from counterplay.commands.printing.output import say, show_rows
from counterplay.errors import escaped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from counterplay.opponents.tilting.frequency_tilt import FrequencyRow
    from counterplay.opponents.tilting.spot_situations import SpotHands
    from counterplay.opponents.tilting.spot_tilt import SpotTilt


EQUILIBRIUM = "equilibrium"


def show_frequencies(tilt: SpotTilt) -> None:
    """What a player of a spot is known to do, and the lock that this supports."""
    print()
    if tilt.hands is not None:
        _show_hands(tilt.hands)
        print()
    show_frequency_rows(tilt.rows)


def show_frequency_rows(rows: Sequence[FrequencyRow], known: str = EQUILIBRIUM) -> None:
    """Frequencies as a table: those of hands with k of n and interval, those of figures alone without.

    Args:
        rows: classes of decisions, with frequencies from 0 to 1.
        known: who has the frequencies without the tilt.
    """
    counted = any(row.counted is not None for row in rows)
    head = [
        "",
        *(["k / n", "share", "  95 %"] if counted else []),
        known,
        "lock" if known == EQUILIBRIUM else "asked",
        "reached",
    ]
    table = [head, *(_cells(row, counted) for row in rows)]
    widths = [2 + max(map(len, column)) for column in zip(*table, strict=True)]
    sides = ["<", *([">", ">", "<"] if counted else []), ">", ">", ">"]
    show_rows([f"{side}{width}" for side, width in zip(sides, widths, strict=True)], table)


def _show_hands(found: SpotHands) -> None:
    from counterplay.poker.betting.rules import PLAYERS

    told = f"{escaped(found.player)} as {PLAYERS[found.seat]}: {found.decisions:,} decisions in {found.hands:,} hands"
    left = "".join(f"; {count:,} {reason}" for reason, count in found.left_out.items())
    say([told, f"not counted: {left[2:]}" if left else "every hand counts"])
    if found.sizes:
        show_sizes(found.sizes)


def _cells(row: FrequencyRow, counted: bool) -> list[str]:
    out = [row.name]
    if counted:
        seen = row.counted
        share = None if seen is None else seen.share
        out += ["" if seen is None else f"{seen.k} / {seen.n}", _percent(share)]
        out.append("" if seen is None else f"  {100.0 * row.low:.0f} to {100.0 * row.high:.0f}")
    known = "not there" if row.known is None else _percent(row.known)
    return [*out, known, _percent(row.target), _percent(None if row.target is None else row.achieved)]


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100.0 * share:.1f} %"
