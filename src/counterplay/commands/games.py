"""The command that lists the games of the catalogue. Registered in `registry.py`."""

from __future__ import annotations

from typing import Annotated

from counterplay.commands.options.option_records import Without, takes_records
from counterplay.commands.options.shared_options import ShownFlags
from counterplay.commands.printing.output import show_json, show_rows


@takes_records
def games(*, shown: Annotated[ShownFlags, Without("seed")]) -> None:
    """List the games that come with the library."""
    from counterplay.games import GAMES

    if shown.as_json:
        show_json([{"game": name, "example": entry.example, "about": entry.about} for name, entry in GAMES.items()])
        return
    width = 2 + max(len(entry.example) for entry in GAMES.values())
    show_rows((f"<{width}", "<1"), [(entry.example, entry.about) for entry in GAMES.values()])
    print("\nAlso: openspiel:NAME, path.efg (Gambit), module:Class (your own), spot.toml (a spot of hold'em);")
    print("and holdem:flop (Flop Hold'em), holdem:stack=200bb,bets=fcpa ..., which blueprint solves.")
