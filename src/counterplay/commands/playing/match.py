"""The command `match`: many hands of one agent against another. Registered in `registry.py`."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.commands.options.inputs import check_agents, playable
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import RunFlags, Seat, Spec
from counterplay.commands.printing.matches import show_match
from counterplay.commands.value_output import report
from counterplay.errors import InputError
from counterplay.files import check_writable
from counterplay.progress_line import Update, progress_line

if TYPE_CHECKING:
    from counterplay.agents.agent import Agent
    from counterplay.agents.factory.playable_game import PlayableGame
    from counterplay.measure.match_recorder import MatchRecorder

AGENT_HELP = "Any opponent's text, or one that searches: cdrnr:p=0.5,depth=1,to=uniform, resolve:depth=2, ..."


@takes_records
def match(
    *,
    game: Spec,
    a: Annotated[str, typer.Argument(metavar="AGENT_A", help=AGENT_HELP)],
    b: Annotated[str, typer.Argument(metavar="AGENT_B", help=AGENT_HELP)],
    hands: Annotated[
        int,
        typer.Option(
            "--hands",
            help="How many hands, in pairs of mirrored deals; an odd last one has no pair and counts in the speeds only.",
        ),
    ] = 1000,
    seat: Annotated[
        Seat | None, typer.Option("--seat", help="A plays this seat only, as against a player with leaks in the other.")
    ] = None,
    game_b: Annotated[
        str | None, typer.Option("--game-b", metavar="GAME", help="B's game, if it has other sizes of bets.")
    ] = None,
    reveal: Annotated[
        str, typer.Option("--reveal", help="What agents that learn see after a hand: all, showdown or none.")
    ] = "showdown",
    anytime: Annotated[
        bool, typer.Option("--anytime", help="Intervals that hold however often one looks, and wherever one stops.")
    ] = False,
    blocks: Annotated[bool, typer.Option("--blocks", help="Also the means of ten parts of the match.")] = False,
    aivat: Annotated[bool, typer.Option("--aivat", help="Also the result with the luck taken out (AIVAT).")] = False,
    log: Annotated[Path | None, typer.Option("--log", help="Keep each hand here (.jsonl), for `hands`.")] = None,
    run: RunFlags,
) -> None:
    """Play hands of one agent against another: chips per hand and speed. Ctrl-C keeps the finished hands."""
    from counterplay.measure.match import AfterHand
    from counterplay.measure.match import match as play_match

    check_writable(log, ".jsonl")
    check_agents(game, a, b)
    if seat is not None and aivat:
        raise InputError("--aivat takes both seats in turn: leave out --seat")
    only = None if seat is None else int(seat)
    sides = _Sides(
        tuple(playable(text, run.memory) for text in (game, game_b or game)), (a, b), run.seed, game_b is not None, only
    )
    with ExitStack() as stack:
        line = stack.enter_context(progress_line("playing", run.as_json))
        watch = partial(_tell, line, hands) if line else None
        keep = None if log is None else stack.enter_context(sides.recorder(log, game)).keep
        correct = partial(_correction, sides.grounds[0], hands, run.seed, line) if aivat else None
        seats, after = (partial(sides.sit, 0), partial(sides.sit, 1)), AfterHand(reveal, keep)
        found = play_match(sides.table, *seats, hands, run.seed, watch, correct, after)
    said = [f"{side}, seat {seat}: {remark}" for side, seat, one in sides.made for remark in _remarks(one)]
    games = {"game": game} if game_b is None else {"game": game, "game_b": game_b}
    facts = {**found.facts(), **games, "agents": [a, b], "remarks": said}
    below = [
        partial(show_match, found, (a, b), anytime=anytime, blocks=blocks),
        *([partial(print, "\n" + "\n".join(said))] if said else []),
    ]
    report(None, facts, [], run, below=below)


@dataclass
class _Sides:
    """A and B of a match.

    Attributes:
        grounds: the game of each.
        texts: of their agents.
        seed: of the match.
        translated: whether their games differ in the sizes of bets.
        only: the seat of A, if it plays no other.
        made: agents so far: side, seat and agent.
    """

    grounds: tuple[PlayableGame, ...]
    texts: tuple[str, str]
    seed: int
    translated: bool
    only: int | None = None
    made: list[tuple[str, int, Agent]] = field(default_factory=list)

    def __post_init__(self) -> None:
        from counterplay.agents.factory.make_agent import check_text

        for ground, text in zip(self.grounds, self.texts, strict=True):
            check_text(ground, text)

    @cached_property
    def table(self) -> Any:
        """The game that is played: the text's, or the real game of both agents."""
        from counterplay.measure.translated_table import TranslatedTable

        one, two = (self._rules(side) for side in (0, 1))
        return TranslatedTable(one, two) if self.translated else one

    def recorder(self, path: Path, game: str) -> MatchRecorder:
        """What keeps the hands in a file."""
        from counterplay.measure.match_recorder import MatchRecorder

        return MatchRecorder(path, game, self._rules(0), self.texts, self.seed)

    def sit(self, side: int, seat: int) -> Any:
        """The agent of a side for a seat; None where it does not play there."""
        if self.only is not None and seat != self.only ^ side:
            return None
        from counterplay.agents.factory.make_agent import agent
        from counterplay.measure.translated_table import TreePlayer

        text, ground = self.texts[side], self.grounds[side]
        if "max_exploitability" in text and "gain=" not in text and not text.startswith("safe:"):
            print(f"looking for the p of {text} in seat {seat}; this takes many solves", file=sys.stderr)
        one = agent(ground, text, seat, self.seed, side)
        self.made.append(("AB"[side], seat, one))
        return TreePlayer(self._rules(side), one) if self.translated else one

    def _rules(self, side: int) -> Any:
        return self.grounds[side].rules


def _correction(ground: PlayableGame, hands: int, seed: int, line: Update | None, a: Any, b: Any) -> Any:
    """AIVAT of the agents of both sides."""
    from counterplay.measure.aivat.make_aivat import aivat_of, boards_for

    def watch(done: int, parts: int) -> None:
        if line:
            line(f"values of hands for AIVAT: {done:,} of {parts:,} boards", done, parts)

    return aivat_of(ground, a, b, boards=boards_for(hands), seed=seed, watch=watch)


def _tell(line: Update, hands: int, done: int, mean: float) -> None:
    """The number of hands so far, and their mean."""
    line(f"{done:,} of {hands:,} hands, {mean:+.3g} chips per hand of A", done, hands)


def _remarks(agent: Agent) -> list[str]:
    """An agent's remarks after a match: its trust in the model, and its log."""
    log = list(getattr(agent, "log", ()))
    noted = [line for line in log if line.startswith("hand ")]
    return [line for line in log if line.startswith("p = ")] + (
        [f"{len(noted)} remarks on the way, the first: {noted[0]}"] if noted else []
    )
