"""The command `play`: a person at the terminal against an agent. Registered in `registry.py`."""

from __future__ import annotations

import io
import re
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.commands.options.inputs import check_agents, playable
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import Memory, Spec
from counterplay.commands.playing.match import AGENT_HELP
from counterplay.commands.printing.output import number
from counterplay.commands.printing.reviews import result_lines, review_lines
from counterplay.commands.value_output import describe_result
from counterplay.errors import InputError
from counterplay.files import check_writable
from counterplay.games.game import CHANCE
from counterplay.poker.betting.stakes import Stakes, stakes_of

if TYPE_CHECKING:
    from counterplay.agents.factory.playable_game import PlayableGame
    from counterplay.agents.human import HumanAgent
    from counterplay.measure.match_recorder import MatchRecorder
    from counterplay.measure.play_hand import Hand
    from counterplay.measure.review.running_result import PlayedMatch

_HUNDRED = 100
"""Hands from which their mean is a rate in bb/100."""


@dataclass(frozen=True)
class TableFlags:
    """A person's opponent, seat and number of hands."""

    against: Annotated[str, typer.Option("--against", metavar="AGENT", help=AGENT_HELP)]
    seat: Annotated[int, typer.Option("--seat", min=0, max=1, help="Your seat; the agent has the other.")] = 0
    hands: Annotated[int | None, typer.Option("--hands", help="Stop after this many hands.")] = None
    review: Annotated[
        bool, typer.Option("--review/--no-review", help="After each hand: what decisions cost, and your range.")
    ] = True
    log: Annotated[Path | None, typer.Option("--log", help="Keep each hand here (.jsonl), for `review`.")] = None
    memory: Memory = None
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of deals and agent.")] = 0

    def check(self) -> None:
        """Reject a number of hands below 1, and a log that cannot be written."""
        check_writable(self.log, ".jsonl")
        if self.hands is not None and self.hands < 1:
            raise InputError(f"--hands must be at least 1, not {self.hands}")


@takes_records
def play(*, game: Spec, table: TableFlags) -> None:
    """Play against an agent yourself, at the terminal. Type h for help, q to quit."""
    from counterplay.agents.factory.make_agent import agent
    from counterplay.agents.human import HumanAgent
    from counterplay.measure.match_recorder import MatchRecorder
    from counterplay.measure.review.running_result import PlayedMatch

    table.check()
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # what is no text is a wrong answer like any other
    check_agents(game, table.against)
    ground, seat = playable(game, table.memory), table.seat
    other = agent(ground, table.against, 1 - seat, table.seed)
    person = HumanAgent(ground.rules, seat, other, partial(input, "> "), print)
    print(f"{ground.rules.name}: you have seat {seat}, {table.against} has seat {1 - seat}; h for help, q to quit")
    match = PlayedMatch(ground, other, table.seed) if table.review else None
    with ExitStack() as stack:
        recorder = None
        if table.log is not None:
            names = ("you", table.against)
            recorder = stack.enter_context(MatchRecorder(table.log, game, ground.rules, names, table.seed))
        won = _hands(ground, person, table, match, recorder)
    if match is not None:
        for line in result_lines(match):
            print(line)
    print(", ".join([f"{len(won)} hand{'' if len(won) == 1 else 's'}", *_summary(won, stakes_of(ground.rules))]))


def _summary(won: list[float], stakes: Stakes) -> list[str]:
    """The chips of some hands, and the mean in the units of the game; bb/100 from as many hands on."""
    told = [f"{_chips(sum(won))} in all"]
    if won:
        mean = sum(won) / len(won)
        told += [f"{worth} a hand" for worth in stakes.others(mean, "bb")]
        if stakes.big_blind is not None and len(won) >= _HUNDRED:
            told.append(f"{100.0 * mean / stakes.big_blind:.4g} bb/100")
    return told


def _hands(
    ground: PlayableGame, person: HumanAgent, table: TableFlags, match: PlayedMatch | None, log: MatchRecorder | None
) -> list[float]:
    """Play until the player quits, Ctrl-C or the last hand; returns the player's result of each finished hand."""
    from counterplay.agents.human import QuitError
    from counterplay.measure.match import deal
    from counterplay.measure.observed_results import observer_of
    from counterplay.measure.play_hand import play_hand

    agents = (person, person.other) if person.seat == 0 else (person.other, person)
    won: list[float] = []
    told = observer_of(agents)
    stakes = stakes_of(ground.rules)
    in_all = "in all" if stakes.pot is None else "net in all"
    try:
        while table.hands is None or len(won) < table.hands:
            print(f"\nhand {len(won) + 1}")
            hand = play_hand(ground.rules, agents, deal(table.seed, len(won)), told)
            won.append(hand.won(person.seat))
            if log is not None:
                log.keep(len(won) - 1, person.seat, hand)
            print(_told(hand, person.seat))
            print(f"you win {describe_result(won[-1], stakes)}; {_chips(sum(won))} {in_all}")
            if match is not None:
                for line in review_lines(match.finish(hand)):
                    print(line)
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
