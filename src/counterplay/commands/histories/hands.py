"""The command that lists what is in hand histories. Registered in `registry.py`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.cache_folder import FOLDER
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import Json
from counterplay.commands.printing.output import say, show_json
from counterplay.errors import InputError, escaped
from counterplay.files import check_writable

if TYPE_CHECKING:
    from counterplay.opponents.histories.hand_summary import HandSummary
    from counterplay.poker.betting.rules import BettingRules

_FILES = typer.Argument(metavar="FILES...", help="Hand histories of any format (--format), and folders of them.")
Files = Annotated[list[Path], _FILES]
Format = Annotated[
    str | None, typer.Option("--format", help="phh, match, acpc, slumbot, openspiel or site; else recognised.")
]
Stakes = Annotated[
    str | None, typer.Option("--game", metavar="GAME", help="Stacks and blinds of logs without them: holdem:stack=...")
]
_MOST = 8


@takes_records
def hands(
    *,
    files: Annotated[list[Path] | None, _FILES] = None,
    form: Format = None,
    game: Stakes = None,
    empty: Annotated[
        bool, typer.Option("--empty-store", help="Remove all hands that the cache folder keeps, and read none.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the hands of hold'em (.phhs or .jsonl).")
    ] = None,
    as_json: Json = False,
) -> None:
    """List what is in hand histories: players, stacks, streets, showdowns, and what is left out and why."""
    from counterplay.opponents.histories.hand_summary import summarise
    from counterplay.opponents.histories.read_hands import read_hands, write_hands

    if empty:
        if files or output is not None:
            raise InputError("--empty-store stands alone: no file is read or written")
        _empty_store(as_json)
        return
    if not files:
        raise InputError("name files of hands, or folders of them; --empty-store removes what the cache folder keeps")
    check_writable(output, ".phhs", ".jsonl")
    if output is not None and output.exists() and any(_is_read(output, path, form) for path in files):
        raise InputError(f"cannot write {output}: it is one of the files that are read")
    found = read_hands(files, stakes_of_game(game), form)
    if output is not None:
        if not found.holdem:
            raise InputError(f"cannot write {output}: the files have no hands of hold'em")
        write_hands(output, found.holdem)
        if found.others:
            typer.echo(f"not written: {len(found.others):,} hands of other games than hold'em", err=True)
    summary = summarise(found)
    if as_json:
        show_json(summary.facts())
    else:
        _show(summary)


def _is_read(output: Path, path: Path, form: str | None) -> bool:
    """Return whether a path names a file."""
    from counterplay.opponents.histories.read_hands import endings_of, files_in

    files = files_in(path, endings_of(form)) if path.is_dir() else [path]
    return any(file.exists() and output.samefile(file) for file in files)


def _empty_store(as_json: bool) -> None:
    """Remove what the store of hands keeps, and say what it was."""
    from counterplay.opponents.histories.hand_store import empty_store

    found = empty_store()
    if as_json:
        show_json({} if found is None else {"store": str(found.place), "files": found.files, "bytes": found.size})
    elif found is None:
        print(f"no hands are kept: {FOLDER} is empty")
    else:
        print(f"removed the hands of {found.files:,} files, {found.size:,} bytes, from {escaped(str(found.place))}")


def stakes_of_game(game: str | None) -> BettingRules | None:
    """Stacks and blinds of the game that a text names; None without a text.

    Raises:
        InputError: another game than whole hold'em.
    """
    if game is None:
        return None
    from counterplay.poker.whole_game.game_text import is_whole_game, read_holdem

    if not is_whole_game(game):
        raise InputError(f"--game must be a whole game of hold'em, such as holdem:stack=200bb, not {game!r}")
    return read_holdem(game).limits


def _show(summary: HandSummary) -> None:
    players = [f"{escaped(name)} {count:,}" for name, count in summary.players.items()]
    rest = len(players) - _MOST
    rows = [
        ("hands", f"{summary.hands:,}"),
        ("players", ", ".join(players[:_MOST]) + (f" and {rest:,} more" if rest > 0 else "")),
        ("games", ", ".join(f"{escaped(name)} {count:,}" for name, count in summary.games.items())),
    ]
    if summary.stacks is not None:
        least, middle, most = summary.stacks
        known, dealt = summary.shown
        rows += [
            ("effective stacks", f"{least:.4g} to {most:.4g} big blinds, median {middle:.4g}"),
            ("ended", ", ".join(f"{street} {count:,}" for street, count in summary.streets.items())),
            ("showdowns", f"{summary.showdowns:,}"),
            ("cards known", f"{known:,} of {dealt:,} hands dealt"),
        ]
    if summary.tables:
        seats = ", ".join(f"{count:,} of {number} seats" for number, count in summary.tables.items())
        rows.append(("larger tables", f"{seats}: not used by heads-up models"))
    if summary.left_out:
        rows.append(("left out", ", ".join(f"{count:,} {reason}" for reason, count in summary.left_out.items())))
    width = max(len(name) for name, _ in rows)
    say(f"{name:{width}}  {text}" for name, text in rows)
    if summary.reports:
        say(["", *(escaped(report) for report in summary.reports)])
        if (more := sum(summary.left_out.values()) - len(summary.reports)) > 0:
            say(f"and {more:,} more")
    if summary.skipped:
        say(["", *(f"skipped: {escaped(line)}" for line in summary.skipped)])
