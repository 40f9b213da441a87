"""The commands that play hands and look back at them: `match`, `play` and `review`."""

from __future__ import annotations

import io
import re
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import counterplay as cp
from counterplay.commands.options import shared_options as shared
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.printing import (
    describe_result,
    number,
    report,
    result_lines,
    review_lines,
    say,
    show_json,
    show_match,
)
from counterplay.errors import InputError, escaped
from counterplay.files import check_readable, check_writable
from counterplay.option import Option
from counterplay.poker.betting.stakes import stakes_of
from counterplay.progress_line import progress_line

if TYPE_CHECKING:
    from counterplay.agents.factory.agent_factory import PlayableGame
    from counterplay.agents.human import HumanAgent
    from counterplay.measure.play_hand import MatchRecorder
    from counterplay.measure.running_result import PlayedMatch, ReviewedHand

_AGENT = "Any opponent's text, or one that searches: cdrnr:p=0.5,depth=1,to=uniform, resolve:depth=2, ..."
_HUNDRED = 100
"""Hands from which their mean is a rate in bb/100."""
_YOU = "you"
"""The name of who plays at the terminal, in logs."""
_CARDS = re.compile(r"([2-9TJQKA][cdhs])+")
_BELIEFS = 10
"""Hands of a range that JSON has."""


@takes_records("match leduc nash cfr+:10 --hands 10000")
def match(
    *,
    game: shared.Spec,
    a: Annotated[str, Option(_AGENT, metavar="AGENT_A", positional=True)],
    b: Annotated[str, Option(_AGENT, metavar="AGENT_B", positional=True)],
    hands: Annotated[
        int, "How many hands, in pairs of mirrored deals; an odd last one has no pair and counts in the speeds only."
    ] = 1000,
    seat: Annotated[shared.Seat | None, "A plays this seat only, as against a player with leaks in the other."] = None,
    game_b: Annotated[str | None, Option("B's game, if it has other sizes of bets.", metavar="GAME")] = None,
    reveal: Annotated[str, "What agents that learn see after a hand: all, showdown or none."] = "showdown",
    anytime: Annotated[bool, "Intervals that hold however often one looks, and wherever one stops."] = False,
    blocks: Annotated[bool, "Also the means of ten parts of the match."] = False,
    aivat: Annotated[bool, "Also the result with the luck taken out (AIVAT)."] = False,
    log: Annotated[Path | None, "Keep each hand here (.jsonl), for `hands`."] = None,
    run: shared.RunFlags,
) -> None:
    """Play hands of one agent against another: chips per hand and speed. Ctrl-C keeps the finished hands."""
    from counterplay.agents.factory.make_agent import check_text
    from counterplay.measure.make_aivat import aivat_of, boards_for
    from counterplay.measure.match import AfterHand
    from counterplay.measure.play_hand import MatchRecorder, TranslatedTable, TreePlayer

    check_writable(log, ".jsonl")
    shared.check_agents(game, a, b)
    if seat is not None and aivat:
        raise InputError("--aivat takes both seats in turn: leave out --seat")
    texts, grounds = (a, b), [shared.playable(text, run.memory) for text in (game, game_b or game)]
    for ground, text in zip(grounds, texts, strict=True):
        check_text(ground, text)
    rules: list[Any] = [ground.rules for ground in grounds]
    translated, made = game_b is not None, list[tuple[str, int, cp.Agent]]()  # whether the sizes of bets differ

    def sit(side: int, at: int) -> Any:
        """The agent of a side for a seat; None where it does not play there."""
        if seat is not None and at != int(seat) ^ side:
            return None
        text = texts[side]
        if "max_exploitability" in text and "gain=" not in text and not text.startswith("safe:"):
            print(f"looking for the p of {text} in seat {at}; this takes many solves", file=sys.stderr)
        player = cp.agent(grounds[side], text, at, run.seed, side)
        made.append(("AB"[side], at, player))
        return TreePlayer(rules[side], player) if translated else player

    with ExitStack() as stack:
        line = stack.enter_context(progress_line("playing", run.as_json))

        def watch(done: int, mean: float) -> None:
            if line:
                line(f"{done:,} of {hands:,} hands, {mean:+.3g} chips per hand of A", done, hands)

        def correct(one: Any, other: Any) -> Any:
            count = shared.counter(line, "values of hands for AIVAT: {:,} of {:,} boards")
            return aivat_of(grounds[0], one, other, boards=boards_for(hands), seed=run.seed, watch=count)

        recorder = None if log is None else MatchRecorder(log, game, rules[0], texts, run.seed)
        after = AfterHand(reveal, None if recorder is None else stack.enter_context(recorder).keep)
        table, sides = TranslatedTable(*rules) if translated else rules[0], (partial(sit, 0), partial(sit, 1))
        luck = correct if aivat else None
        played = cp.match(table, *sides, hands, run.seed, watch if line else None, luck, after)
    remarks = [f"{side}, seat {at}: {remark}" for side, at, player in made for remark in _remarks(player)]
    games = {"game": game} if game_b is None else {"game": game, "game_b": game_b}
    facts = {**played.facts, **games, "agents": [a, b], "remarks": remarks}
    below = [partial(show_match, played, (a, b), anytime=anytime, blocks=blocks)]
    below += [partial(print, "\n" + "\n".join(remarks))] if remarks else []
    report(None, facts, [], run, below=below)


def _remarks(agent: cp.Agent) -> list[str]:
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
    memory: shared.Memory = None
    seed: Annotated[int, Option("Seed of deals and agent.", least=0)] = 0


@takes_records("play leduc --against nash")
def play(*, game: shared.Spec, table: TableFlags) -> None:
    """Play against an agent yourself, at the terminal. Type h for help, q to quit."""
    from counterplay.agents.human import HumanAgent
    from counterplay.measure.play_hand import MatchRecorder
    from counterplay.measure.running_result import PlayedMatch

    check_writable(table.log, ".jsonl")
    if table.hands is not None and table.hands < 1:
        raise InputError(f"--hands must be at least 1, not {table.hands}")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # what is no text is a wrong answer like any other
    shared.check_agents(game, table.against)
    ground, seat = shared.playable(game, table.memory), table.seat
    other = cp.agent(ground, table.against, 1 - seat, table.seed)
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
    stakes, words = stakes_of(ground.rules), [f"{len(won)} hand{'' if len(won) == 1 else 's'}"]
    words.append(f"{_chips(sum(won))} in all")
    if won:
        mean = sum(won) / len(won)
        words += [f"{worth} a hand" for worth in stakes.others(mean, "bb")]
        if stakes.big_blind is not None and len(won) >= _HUNDRED:
            words.append(f"{100.0 * mean / stakes.big_blind:.4g} bb/100")
    print(", ".join(words))


def _hands(
    ground: PlayableGame, person: HumanAgent, table: TableFlags, match: PlayedMatch | None, log: MatchRecorder | None
) -> list[float]:
    """Play until the player quits, Ctrl-C or the last hand; returns the player's result of each finished hand."""
    from counterplay.agents.human import QuitError
    from counterplay.measure.match import deal
    from counterplay.measure.play_hand import observer_of, play_hand

    agents = (person, person.other) if person.seat == 0 else (person.other, person)
    won: list[float] = []
    tellers = observer_of(agents)
    stakes = stakes_of(ground.rules)
    in_all = "in all" if stakes.pot is None else "net in all"
    try:
        while table.hands is None or len(won) < table.hands:
            print(f"\nhand {len(won) + 1}")
            hand = play_hand(ground.rules, agents, deal(table.seed, len(won)), tellers)
            won.append(hand.won(person.seat))
            if log is not None:
                log.keep(len(won) - 1, person.seat, hand)
            is_card_game = all(_CARDS.fullmatch(action) for who, action in hand.moves if who == cp.CHANCE)
            names = {person.seat: "you", 1 - person.seat: "agent", cp.CHANCE: "dealt" if is_card_game else "chance"}
            print("; ".join(f"{names[who]} {action}" for who, action in hand.moves))
            print(f"you win {describe_result(won[-1], stakes)}; {_chips(sum(won))} {in_all}")
            if match is not None:
                for line in review_lines(match.finish(hand)):
                    print(line)
            if not hand.decisions[person.seat] and len(won) != table.hands:
                person.pause()
    except (QuitError, KeyboardInterrupt):
        print()
    return won


def _chips(amount: float) -> str:
    return f"{number(amount, '+.6g')} chips"


@takes_records("review leduc session.jsonl --against nash --player you --worst 5")
def review(
    *,
    game: shared.Spec,
    file: Annotated[Path, Option("A log of `match --log` or `play --log` (.jsonl).", metavar="FILE", positional=True)],
    against: Annotated[str, Option(f"That decisions are priced against. {_AGENT}", metavar="AGENT")],
    player: Annotated[str | None, Option("Whose decisions; by default who is not --against.", metavar="NAME")] = None,
    worst: Annotated[int | None, Option("Only this many hands, those that cost most.", least=1)] = None,
    aivat: Annotated[bool, "Also the result with the luck taken out (AIVAT)."] = False,
    run: shared.RunFlags,
) -> None:
    """Show the cost of each decision of a player in a log of hands, and the result. Ctrl-C keeps the hands so far."""
    from counterplay.measure.running_result import ReviewedLog, reviewed_player
    from counterplay.opponents.histories.read_hands import read_hands

    shared.check_agents(game, against)
    check_readable(str(file))
    logged = read_hands([file], form="match")
    player = reviewed_player(list(logged.players()), player, against)
    log = ReviewedLog(shared.playable(game, run.memory), against, run.seed, aivat)
    log.left_out.extend(logged.left_out)
    done, hands, stopped = list["ReviewedHand"](), logged.of(player), False
    try:
        with progress_line("reviewing", run.as_json) as tell:
            for hand in log.review(hands, player):
                done.append(hand)
                if tell:
                    tell(f"{len(done):,} of {len(hands):,} hands reviewed", len(done), len(hands))
    except KeyboardInterrupt:
        stopped = True
    if not done and not stopped:
        raise InputError(f"{file}: no hand can be reviewed: {log.left_out[0]}")
    shown = done if worst is None else sorted(done, key=lambda hand: -(hand.review.cost or 0.0))[:worst]
    if run.as_json:
        priced_against = next((match.against for match in log.matches if match.against), "")
        show_json({
            "game": game, "player": player, "against": against, "priced_against": priced_against,
            "result": log.result.facts, "hands": [one.facts(_BELIEFS) for one in shown],
            "left_out": [str(one) for one in log.left_out], "interrupted": stopped, "seed": run.seed,
        })  # fmt: skip
    else:
        lines, (whose, wins) = list[str](), ("your", "win") if player == _YOU else (f"{player}'s", "wins")
        for hand in shown:
            won = f"{player} {wins} {number(hand.review.won, '+.6g')} chips, {number(hand.won, '+.6g')} so far"
            lines.append(f"line {hand.place.line}, seat {hand.review.seat}: {won}")
            lines += review_lines(hand.review, log.against, whose)
        result = log.result.won
        lines += ["", f"{len(result):,} hands, {number(sum(result), '+.6g')} chips in all"]
        if log.matches:
            lines += result_lines(log.matches[0], whose)
        if log.left_out:
            lines.append(f"left out: {len(log.left_out):,}, the first: {log.left_out[0]}")
        say(escaped(line) for line in lines)
    if stopped:
        print(f"interrupted: {len(done):,} of {len(hands):,} hands", file=sys.stderr)
