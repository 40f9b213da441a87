"""The command that writes a game, and a profile of strategies, for other programs. Registered in `registry.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from counterplay.commands.options.inputs import check_opponents, load_game, opponent_of
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import RunFlags, Spec
from counterplay.commands.printing.output import say, show_json
from counterplay.errors import InputError
from counterplay.files import check_writable
from counterplay.progress_line import progress_line
from counterplay.texts.grammar import parts

GAME, PROFILE = ".efg", ".ne"


@takes_records
def export(
    *,
    game: Spec,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The game, for Gambit (.efg).")],
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile", metavar="A[;B]", help="Strategies of both players, or one text for both; beside it (.ne)."
        ),
    ] = None,
    run: RunFlags,
) -> None:
    """Write a game in memory as a Gambit file, and a profile beside it as Gambit writes equilibria."""
    from counterplay.games.formats.efg import write_efg, write_profile

    check_writable(output, GAME)
    beside = output.with_suffix(PROFILE)
    texts = [] if profile is None else parts(profile, ";")
    if not all(texts) or len(texts) > 2:
        raise InputError("--profile is one strategy for both players, or two: 'nash;cfr+:10'")
    if texts:
        check_writable(beside, PROFILE)
        check_opponents(game, *texts)
    tree: Any = load_game(game, run.memory)
    if not getattr(tree, "lists_histories", False):
        raise InputError(f"{tree.name} has no list of histories to write: {GAME} files are of games in memory")
    sides = [opponent_of(tree, text, player, run.seed) for player, text in enumerate(texts * (3 - len(texts)))]
    with progress_line("writing", run.as_json):
        tables = [side.table() for side in sides]
        write_efg(tree.rules, output)
        if sides:
            write_profile(tree.rules, tables, beside)
    if run.as_json:
        told = {"game": tree.name, "histories": len(tree.histories.player), "profile": texts or None, "seed": run.seed}
        show_json(told | {"files": [str(output), *([str(beside)] if sides else [])]})
        return
    say([f"{output}  {tree.name}: {len(tree.histories.player):,} histories"])
    if sides:
        say([f"{beside}  {' against '.join(dict.fromkeys(texts))}: NE and the probabilities of all actions"])
