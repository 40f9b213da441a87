"""What is said of hands that readers left out, where a command goes on with the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from counterplay.opponents.histories.read_hands import Hands


def tell_left_out(found: Hands) -> None:
    """One line on stderr: how many, why, and the first by file and line; nothing if all were used."""
    from counterplay.opponents.histories.skipped_hands import skipped_line

    if line := skipped_line(found):
        typer.echo(line, err=True)
