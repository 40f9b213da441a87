"""The command `review`: what each decision in a log of hands cost. Registered in `registry.py`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.commands.options.inputs import check_agents, playable
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import RunFlags, Spec
from counterplay.commands.playing.match import AGENT_HELP
from counterplay.commands.printing.output import number, say, show_json
from counterplay.commands.printing.reviews import result_lines, review_lines
from counterplay.errors import InputError, escaped
from counterplay.files import check_readable
from counterplay.progress_line import progress_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from counterplay.measure.review.reviewed_log import ReviewedHand, ReviewedLog

_BELIEFS = 10
"""Hands of a range that JSON has."""


@dataclass(frozen=True)
class ReviewFlags:
    """Whose decisions, and against what they are priced."""

    against: Annotated[
        str, typer.Option("--against", metavar="AGENT", help=f"That decisions are priced against. {AGENT_HELP}")
    ]
    player: Annotated[
        str | None, typer.Option("--player", metavar="NAME", help="Whose decisions; by default who is not --against.")
    ] = None
    worst: Annotated[int | None, typer.Option("--worst", min=1, help="Only this many hands, those that cost most.")] = (
        None
    )
    aivat: Annotated[bool, typer.Option("--aivat", help="Also the result with the luck taken out (AIVAT).")] = False


@takes_records
def review(
    *,
    game: Spec,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A log of `match --log` or `play --log` (.jsonl).")],
    of: ReviewFlags,
    run: RunFlags,
) -> None:
    """What each decision of a player in a log of hands cost, and the result so far. Ctrl-C keeps the hands so far."""
    from counterplay.measure.review.reviewed_log import ReviewedLog, reviewed_player
    from counterplay.opponents.histories.read_hands import read_hands

    check_agents(game, of.against)
    check_readable(str(file))
    found = read_hands([file], form="match")
    player = reviewed_player(list(found.players()), of.player, of.against)
    log = ReviewedLog(playable(game, run.memory), of.against, run.seed, of.aivat)
    log.left_out.extend(found.left_out)
    done: list[ReviewedHand] = []
    hands = found.of(player)
    stopped = False
    try:
        with progress_line("reviewing", run.as_json) as line:
            for hand in log.review(hands, player):
                done.append(hand)
                if line:
                    line(f"{len(done):,} of {len(hands):,} hands reviewed", len(done), len(hands))
    except KeyboardInterrupt:
        stopped = True
    if not done and not stopped:
        raise InputError(f"{file}: no hand can be reviewed: {log.left_out[0]}")
    shown = done if of.worst is None else sorted(done, key=lambda one: -(one.review.cost or 0.0))[: of.worst]
    if run.as_json:
        show_json({
            "game": game, "player": player, "against": of.against, "priced_against": _against(log),
            "result": log.result.facts(), "hands": [one.facts(_BELIEFS) for one in shown],
            "left_out": [str(one) for one in log.left_out], "interrupted": stopped, "seed": run.seed,
        })  # fmt: skip
    else:
        say(escaped(text) for text in _lines(log, shown, player))
    if stopped:
        print(f"interrupted: {len(done):,} of {len(hands):,} hands", file=sys.stderr)


def _against(log: ReviewedLog) -> str:
    return next((match.against for match in log.matches if match.against), "")


_YOU = "you"
"""The name of who plays at the terminal, in logs."""


def _lines(log: ReviewedLog, shown: list[ReviewedHand], player: str) -> Iterator[str]:
    whose = "your" if player == _YOU else f"{player}'s"
    for one in shown:
        wins = "win" if player == _YOU else "wins"
        won = f"{player} {wins} {number(one.review.won, '+.6g')} chips, {number(one.won, '+.6g')} so far"
        yield f"line {one.place.line}, seat {one.review.seat}: {won}"
        yield from review_lines(one.review, log.against, whose)
    yield ""
    yield f"{len(log.result.won):,} hands, {number(sum(log.result.won), '+.6g')} chips in all"
    if log.matches:
        yield from result_lines(log.matches[0], whose)
    if log.left_out:
        yield f"left out: {len(log.left_out):,}, the first: {log.left_out[0]}"
