"""The commands that play hands and look back at them: `match`, `play` and `review`."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import Memory, RunFlags, Seat, Spec, check_agents, playable
from counterplay.commands.printing.output import describe_result, number, report, say, show_json
from counterplay.commands.printing.tables import result_lines, review_lines, show_match
from counterplay.errors import InputError, escaped
from counterplay.files import check_readable, check_writable
from counterplay.games.game import CHANCE
from counterplay.option import Option
from counterplay.poker.betting.stakes import Stakes, stakes_of
from counterplay.progress_line import Update, progress_line

if TYPE_CHECKING:
    from counterplay.agents.agent import Agent
    from counterplay.agents.factory.playable_game import PlayableGame
    from counterplay.agents.human import HumanAgent
    from counterplay.measure.match_recorder import MatchRecorder
    from counterplay.measure.play_hand import Hand
    from counterplay.measure.review.reviewed_log import ReviewedHand, ReviewedLog
    from counterplay.measure.review.running_result import PlayedMatch

_AGENT = "Any opponent's text, or one that searches: cdrnr:p=0.5,depth=1,to=uniform, resolve:depth=2, ..."
_HUNDRED = 100
"""Hands from which their mean is a rate in bb/100."""
_YOU = "you"
"""The name of who plays at the terminal, in logs."""
_BELIEFS = 10
"""Hands of a range that JSON has."""


@takes_records
def match(
    *,
    game: Spec,
    a: Annotated[str, Option(_AGENT, metavar="AGENT_A", positional=True)],
    b: Annotated[str, Option(_AGENT, metavar="AGENT_B", positional=True)],
    hands: Annotated[
        int, "How many hands, in pairs of mirrored deals; an odd last one has no pair and counts in the speeds only."
    ] = 1000,
    seat: Annotated[Seat | None, "A plays this seat only, as against a player with leaks in the other."] = None,
    game_b: Annotated[str | None, Option("B's game, if it has other sizes of bets.", metavar="GAME")] = None,
    reveal: Annotated[str, "What agents that learn see after a hand: all, showdown or none."] = "showdown",
    anytime: Annotated[bool, "Intervals that hold however often one looks, and wherever one stops."] = False,
    blocks: Annotated[bool, "Also the means of ten parts of the match."] = False,
    aivat: Annotated[bool, "Also the result with the luck taken out (AIVAT)."] = False,
    log: Annotated[Path | None, "Keep each hand here (.jsonl), for `hands`."] = None,
    run: RunFlags,
) -> None:
    """Play hands of one agent against another: chips per hand and speed. Ctrl-C keeps the finished hands."""
    from counterplay.measure.match import AfterHand
    from counterplay.measure.match import match as play_match

    check_writable(log, ".jsonl")
    check_agents(game, a, b)
    if seat is not None and aivat:
        raise InputError("--aivat takes both seats in turn: leave out --seat")
    grounds = tuple(playable(text, run.memory) for text in (game, game_b or game))
    sides = _Sides(grounds, (a, b), run.seed, game_b is not None, None if seat is None else int(seat))

    with ExitStack() as stack:
        line = stack.enter_context(progress_line("playing", run.as_json))

        def watch(done: int, mean: float) -> None:
            if line:
                line(f"{done:,} of {hands:,} hands, {mean:+.3g} chips per hand of A", done, hands)

        keep = None if log is None else stack.enter_context(sides.recorder(log, game)).keep
        correct = partial(_correction, grounds[0], hands, run.seed, line) if aivat else None
        seats, after = (partial(sides.sit, 0), partial(sides.sit, 1)), AfterHand(reveal, keep)
        played = play_match(sides.table, *seats, hands, run.seed, watch if line else None, correct, after)
    remarks = [f"{side}, seat {seat}: {remark}" for side, seat, one in sides.made for remark in _remarks(one)]
    games = {"game": game} if game_b is None else {"game": game, "game_b": game_b}
    facts = {**played.facts(), **games, "agents": [a, b], "remarks": remarks}
    below = [partial(show_match, played, (a, b), anytime=anytime, blocks=blocks)]
    below += [partial(print, "\n" + "\n".join(remarks))] if remarks else []
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

        rules: list[Any] = [ground.rules for ground in self.grounds]
        return TranslatedTable(*rules) if self.translated else rules[0]

    def recorder(self, path: Path, game: str) -> MatchRecorder:
        """What keeps the hands in a file."""
        from counterplay.measure.match_recorder import MatchRecorder

        return MatchRecorder(path, game, self.grounds[0].rules, self.texts, self.seed)

    def sit(self, side: int, seat: int) -> Any:
        """The agent of a side for a seat; None where it does not play there."""
        if self.only is not None and seat != self.only ^ side:
            return None
        from counterplay.agents.factory.make_agent import agent
        from counterplay.measure.translated_table import TreePlayer

        text, ground = self.texts[side], self.grounds[side]
        rules: Any = ground.rules
        if "max_exploitability" in text and "gain=" not in text and not text.startswith("safe:"):
            print(f"looking for the p of {text} in seat {seat}; this takes many solves", file=sys.stderr)
        one = agent(ground, text, seat, self.seed, side)
        self.made.append(("AB"[side], seat, one))
        return TreePlayer(rules, one) if self.translated else one


def _correction(ground: PlayableGame, hands: int, seed: int, line: Update | None, a: Any, b: Any) -> Any:
    """AIVAT of the agents of both sides."""
    from counterplay.measure.aivat.make_aivat import aivat_of, boards_for

    def watch(done: int, parts: int) -> None:
        if line:
            line(f"values of hands for AIVAT: {done:,} of {parts:,} boards", done, parts)

    return aivat_of(ground, a, b, boards=boards_for(hands), seed=seed, watch=watch)


def _remarks(agent: Agent) -> list[str]:
    """An agent's remarks after a match: its trust in the model, and its log."""
    log = list(getattr(agent, "log", ()))
    of_hands = [line for line in log if line.startswith("hand ")]
    first = [f"{len(of_hands)} remarks on the way, the first: {of_hands[0]}"] if of_hands else []
    return [*(line for line in log if line.startswith("p = ")), *first]


@dataclass(frozen=True)
class TableFlags:
    """A person's opponent, seat and number of hands."""

    against: Annotated[str, Option(_AGENT, metavar="AGENT")]
    seat: Annotated[int, Option("Your seat; the agent has the other.", least=0, most=1)] = 0
    hands: Annotated[int | None, "Stop after this many hands."] = None
    review: Annotated[bool, Option("After each hand: what decisions cost, and your range.", "--review/--no-review")] = (
        True
    )
    log: Annotated[Path | None, "Keep each hand here (.jsonl), for `review`."] = None
    memory: Memory = None
    seed: Annotated[int, Option("Seed of deals and agent.", least=0)] = 0


@takes_records
def play(*, game: Spec, table: TableFlags) -> None:
    """Play against an agent yourself, at the terminal. Type h for help, q to quit."""
    from counterplay.agents.factory.make_agent import agent
    from counterplay.agents.human import HumanAgent
    from counterplay.measure.match_recorder import MatchRecorder
    from counterplay.measure.review.running_result import PlayedMatch

    check_writable(table.log, ".jsonl")
    if table.hands is not None and table.hands < 1:
        raise InputError(f"--hands must be at least 1, not {table.hands}")
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
            names = (_YOU, table.against)
            recorder = stack.enter_context(MatchRecorder(table.log, game, ground.rules, names, table.seed))
        won = _hands(ground, person, table, match, recorder)
    if match is not None:
        for line in result_lines(match):
            print(line)
    print(", ".join([f"{len(won)} hand{'' if len(won) == 1 else 's'}", *_summary(won, stakes_of(ground.rules))]))


def _summary(won: list[float], stakes: Stakes) -> list[str]:
    """The chips of some hands, and the mean in the units of the game; bb/100 from as many hands on."""
    words = [f"{_chips(sum(won))} in all"]
    if won:
        mean = sum(won) / len(won)
        words += [f"{worth} a hand" for worth in stakes.others(mean, "bb")]
        if stakes.big_blind is not None and len(won) >= _HUNDRED:
            words.append(f"{100.0 * mean / stakes.big_blind:.4g} bb/100")
    return words


def _hands(
    ground: PlayableGame, person: HumanAgent, table: TableFlags, match: PlayedMatch | None, log: MatchRecorder | None
) -> list[float]:
    """Play until the player quits, Ctrl-C or the last hand; returns the player's result of each finished hand."""
    from counterplay.agents.human import QuitError
    from counterplay.measure.match import deal
    from counterplay.measure.play_hand import play_hand
    from counterplay.measure.told_hands import told_by

    agents = (person, person.other) if person.seat == 0 else (person.other, person)
    won: list[float] = []
    tellers = told_by(agents)
    stakes = stakes_of(ground.rules)
    in_all = "in all" if stakes.pot is None else "net in all"
    try:
        while table.hands is None or len(won) < table.hands:
            print(f"\nhand {len(won) + 1}")
            hand = play_hand(ground.rules, agents, deal(table.seed, len(won)), tellers)
            won.append(hand.won(person.seat))
            if log is not None:
                log.keep(len(won) - 1, person.seat, hand)
            print(_events(hand, person.seat))
            print(f"you win {describe_result(won[-1], stakes)}; {_chips(sum(won))} {in_all}")
            if match is not None:
                for line in review_lines(match.finish(hand)):
                    print(line)
            if not hand.decisions[person.seat] and len(won) != table.hands:
                person.pause()
    except (QuitError, KeyboardInterrupt):
        print()
    return won


def _events(hand: Hand, seat: int) -> str:
    """All events of a hand, including hidden ones; chance deals cards such as "Kh" or "QsQh"."""
    dealt = all(re.fullmatch(r"([2-9TJQKA][cdhs])+", action) for who, action in hand.moves if who == CHANCE)
    names = {seat: "you", 1 - seat: "agent", CHANCE: "dealt" if dealt else "chance"}
    return "; ".join(f"{names[who]} {action}" for who, action in hand.moves)


def _chips(amount: float) -> str:
    return f"{number(amount, '+.6g')} chips"


@dataclass(frozen=True)
class ReviewFlags:
    """Whose decisions, and against what they are priced."""

    against: Annotated[str, Option(f"That decisions are priced against. {_AGENT}", metavar="AGENT")]
    player: Annotated[str | None, Option("Whose decisions; by default who is not --against.", metavar="NAME")] = None
    worst: Annotated[int | None, Option("Only this many hands, those that cost most.", least=1)] = None
    aivat: Annotated[bool, "Also the result with the luck taken out (AIVAT)."] = False


@takes_records
def review(
    *,
    game: Spec,
    file: Annotated[Path, Option("A log of `match --log` or `play --log` (.jsonl).", metavar="FILE", positional=True)],
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
    done, hands, stopped = list["ReviewedHand"](), found.of(player), False
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
        priced_against = next((match.against for match in log.matches if match.against), "")
        show_json({
            "game": game, "player": player, "against": of.against, "priced_against": priced_against,
            "result": log.result.facts(), "hands": [one.facts(_BELIEFS) for one in shown],
            "left_out": [str(one) for one in log.left_out], "interrupted": stopped, "seed": run.seed,
        })  # fmt: skip
    else:
        say(escaped(text) for text in _reviewed(log, shown, player))
    if stopped:
        print(f"interrupted: {len(done):,} of {len(hands):,} hands", file=sys.stderr)


def _reviewed(log: ReviewedLog, shown: list[ReviewedHand], player: str) -> Iterator[str]:
    whose, wins = ("your", "win") if player == _YOU else (f"{player}'s", "wins")
    for one in shown:
        won = f"{player} {wins} {number(one.review.won, '+.6g')} chips, {number(one.won, '+.6g')} so far"
        yield f"line {one.place.line}, seat {one.review.seat}: {won}"
        yield from review_lines(one.review, log.against, whose)
    yield ""
    yield f"{len(log.result.won):,} hands, {number(sum(log.result.won), '+.6g')} chips in all"
    if log.matches:
        yield from result_lines(log.matches[0], whose)
    if log.left_out:
        yield f"left out: {len(log.left_out):,}, the first: {log.left_out[0]}"
