"""What is said of hands that readers left out, where a command goes on with the others."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import typer

from counterplay.errors import escaped

if TYPE_CHECKING:
    from counterplay.opponents.histories.read_hands import Hands


def tell_left_out(found: Hands) -> None:
    """One line on stderr: how many, why, and the first by file and line; nothing if all were used."""
    from counterplay.opponents.histories.hand_record import REASONS

    if not found.left_out:
        return
    reasons = Counter(REASONS[one.reason] for one in found.left_out).most_common()
    told = ", ".join(f"{count:,} {reason}" for reason, count in reasons)
    typer.echo(f"left out: {told}; the first: {escaped(str(found.left_out[0]))}", err=True)
