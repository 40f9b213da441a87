"""The commands that play: matches between agents, and a person at the terminal. Registered in `cli.py`."""

from __future__ import annotations

import io
import re
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.commands.options.inputs import check_agents, check_memory
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import Memory, RunFlags, Spec
from counterplay.commands.printing.matches import show_match
from counterplay.commands.printing.output import number
from counterplay.commands.value_output import describe_result, report
from counterplay.errors import InputError
from counterplay.files import check_writable
from counterplay.games.game import CHANCE
from counterplay.poker.betting.stakes import stakes_of
from counterplay.progress_line import Update, progress_line

if TYPE_CHECKING:
    from counterplay.agents.agent import Agent
    from counterplay.agents.factory.playable_game import PlayableGame
    from counterplay.agents.human import HumanAgent
    from counterplay.measure.match_recorder import MatchRecorder
    from counterplay.measure.play_hand import Hand

_AGENT = "Any opponent's text, or one that searches: cdrnr:p=0.5,depth=1,to=uniform, resolve:depth=2, ..."


@takes_records
def match(
    *,
    game: Spec,
    a: Annotated[str, typer.Argument(metavar="AGENT_A", help=_AGENT)],
    b: Annotated[str, typer.Argument(metavar="AGENT_B", help=_AGENT)],
    hands: Annotated[int, typer.Option("--hands", help="How many hands; seats alternate, with mirrored deals.")] = 1000,
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

    check_agents(game, a, b)
    check_writable(log, ".jsonl")
    sides = _Sides(
        tuple(_ground(text, run.memory) for text in (game, game_b or game)), (a, b), run.seed, game_b is not None
    )
    with ExitStack() as stack:
        line = stack.enter_context(progress_line("playing", run.as_json))
        watch = partial(_tell, line, hands) if line else None
        keep = None if log is None else stack.enter_context(sides.recorder(log, game)).keep
        correct = partial(_correction, sides.grounds[0], run.seed, line) if aivat else None
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
        made: agents so far: side, seat and agent.
    """

    grounds: tuple[PlayableGame, ...]
    texts: tuple[str, str]
    seed: int
    translated: bool
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
        """The agent of a side for a seat."""
        from counterplay.agents.factory.make_agent import agent
        from counterplay.measure.translated_table import TreePlayer

        text, ground = self.texts[side], self.grounds[side]
        if "max_exploitability" in text and "gain=" not in text:
            print(f"looking for the p of {text} in seat {seat}; this takes many solves", file=sys.stderr)
        one = agent(ground, text, seat, self.seed, side)
        self.made.append(("AB"[side], seat, one))
        return TreePlayer(self._rules(side), one) if self.translated else one

    def _rules(self, side: int) -> Any:
        return self.grounds[side].rules


def _correction(ground: PlayableGame, seed: int, line: Update | None, a: Any, b: Any) -> Any:
    """AIVAT of the agents of both sides."""
    from counterplay.measure.aivat.make_aivat import aivat_of

    def watch(done: int, parts: int) -> None:
        if line:
            line(f"values of hands for AIVAT: {done:,} of {parts:,} boards", done, parts)

    return aivat_of(ground, a, b, seed=seed, watch=watch)


def _tell(line: Update, hands: int, done: int, mean: float) -> None:
    """The number of hands so far, and their mean."""
    line(f"{done:,} hands, {mean:+.3g} chips per hand of A", done, hands)


def _remarks(agent: Agent) -> list[str]:
    """An agent's remarks after a match: its trust in the model, and its log."""
    log = list(getattr(agent, "log", ()))
    noted = [line for line in log if line.startswith("hand ")]
    return [line for line in log if line.startswith("p = ")] + (
        [f"{len(noted)} remarks on the way, the first: {noted[0]}"] if noted else []
    )


@dataclass(frozen=True)
class TableFlags:
    """A person's opponent, seat and number of hands."""

    against: Annotated[str, typer.Option("--against", metavar="AGENT", help=_AGENT)]
    seat: Annotated[int, typer.Option("--seat", min=0, max=1, help="Your seat; the agent has the other.")] = 0
    hands: Annotated[int | None, typer.Option("--hands", help="Stop after this many hands.")] = None
    memory: Memory = None
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of deals and agent.")] = 0

    def check(self) -> None:
        """Reject a number of hands below 1."""
        if self.hands is not None and self.hands < 1:
            raise InputError(f"--hands must be at least 1, not {self.hands}")


@takes_records
def play(*, game: Spec, table: TableFlags) -> None:
    """Play against an agent yourself, at the terminal. Type h for help, q to quit."""
    from counterplay.agents.factory.make_agent import agent
    from counterplay.agents.human import HumanAgent

    table.check()
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # what is no text is a wrong answer like any other
    check_agents(game, table.against)
    ground, seat = _ground(game, table.memory), table.seat
    other = agent(ground, table.against, 1 - seat, table.seed)
    person = HumanAgent(ground.rules, seat, other, _line, print)
    print(f"{ground.rules.name}: you have seat {seat}, {table.against} has seat {1 - seat}; h for help, q to quit")
    won = _hands(ground, person, table)
    worth = ", ".join(stakes_of(ground.rules).others(sum(won) / len(won))) if won else ""
    print(
        f"{len(won)} hand{'' if len(won) == 1 else 's'}, {_chips(sum(won))} in all{f', {worth} a hand' if worth else ''}"
    )


def _line() -> str:
    """The next line of input."""
    if sys.stdin is None:  # closed, as `<&-` does
        raise EOFError
    return input("> ")


def _ground(game: str, memory: float | None) -> PlayableGame:
    from counterplay.agents.factory.playable_game import PlayableGame

    check_memory(memory)
    return PlayableGame(game, memory)


def _hands(ground: PlayableGame, person: HumanAgent, table: TableFlags) -> list[float]:
    """Play until the player quits, Ctrl-C or the last hand; returns the player's result of each finished hand."""
    from counterplay.agents.human import QuitError
    from counterplay.measure.match import deal
    from counterplay.measure.play_hand import play_hand
    from counterplay.measure.told_moves import told_by

    agents = (person, person.other) if person.seat == 0 else (person.other, person)
    won: list[float] = []
    told = told_by(agents)
    stakes = stakes_of(ground.rules)
    in_all = "in all" if stakes.pot is None else "net in all"
    try:
        while table.hands is None or len(won) < table.hands:
            print(f"\nhand {len(won) + 1}")
            hand = play_hand(ground.rules, agents, deal(table.seed, len(won)), told)
            won.append(hand.won(person.seat))
            print(_told(hand, person.seat))
            print(f"you win {describe_result(won[-1], stakes)}; {_chips(sum(won))} {in_all}")
            if not hand.decisions[person.seat] and len(won) != table.hands:
                person.pause()
    except (QuitError, KeyboardInterrupt):
        print()
    return won


def _told(hand: Hand, seat: int) -> str:
    """All events of a hand, including hidden ones."""
    names = {seat: "you", 1 - seat: "agent", CHANCE: "dealt" if all(map(_is_cards, _by_chance(hand))) else "chance"}
    return "; ".join(f"{names[who]} {action}" for who, action in hand.moves)


def _by_chance(hand: Hand) -> list[str]:
    return [action for who, action in hand.moves if who == CHANCE]


def _is_cards(text: str) -> bool:
    """Whether chance has dealt cards: "Kh", "QsQh"."""
    return re.fullmatch(r"([2-9TJQKA][cdhs])+", text) is not None


def _chips(amount: float) -> str:
    return f"{number(amount, '+.6g')} chips"
