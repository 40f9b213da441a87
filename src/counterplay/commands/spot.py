"""The commands that solve and show spots of hold'em, answer leaks, and report a spot over many flops."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import counterplay as cp
from counterplay.commands.options.option_records import AnyOf, Help, Without, given_options, takes_records
from counterplay.commands.options.shared_options import ResultFlags, WorkFlags, check_memory, check_work, work_tools
from counterplay.commands.options.spot_options import (
    FREE,
    LockFlags,
    LockRequest,
    SpotLimits,
    SpotNodeFlags,
    read_lock,
    table_with,
)
from counterplay.commands.printing import number, report, rounding, say, show_frequencies, show_json
from counterplay.errors import InputError
from counterplay.files import SPOT, TABLE, check_writable, write_together, write_whole
from counterplay.option import Option
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.spots.spot_fields import SpotFields

if TYPE_CHECKING:
    from counterplay.poker.locking.exploit_leak import SideBySide
    from counterplay.poker.public_tree.size_estimate import SpotSize
    from counterplay.poker.reports.flop_report import FlopReport, Results
    from counterplay.poker.spots.solution import Node

SOLUTION_LINES = ("method", "iterations", "gain", "exploitability", "rake", "seconds")
_WHOSE = {
    "equilibrium": "the equilibrium", "answer": "your answer", "model": "the model of the opponent",
    "leak": "as an opponent with the leak",
}  # fmt: skip
_EXAMPLES = ("7s 5h 2d", "As Kh Qd", "Js Th 9d", "6s 4h 3d")
"""Flops without a common rank: ranges that meet on none of them meet nowhere."""


@takes_records("spot --board 'Qs Jh 2h 8d 3c' --oop 'QQ+,AK' --ip 'JJ+,KQ' --pot 200 --stack 900")
def spot(
    *,
    fields: Annotated[dict[str, Any], AnyOf(SpotFields)],
    file: Annotated[Path | None, "A TOML file with these, or a solved .spot file to look at."] = None,
    look: SpotNodeFlags,
    limits: SpotLimits,
    locked: LockFlags,
    grid: Annotated[bool, "With --lock: show changes as 13x13 grids."] = False,
    side_by_side: Annotated[bool, "With --lock: equilibrium, safe and full exploitation beside each other."] = False,
    result: Annotated[ResultFlags, Help(output="Save the solution (.spot).")],
) -> None:
    """Solve a river, turn or flop spot of hold'em, and show its strategy, or what to do against a player with leaks or one
    known from hands. Ctrl-C keeps the best so far; with --lock, in the first solve, that is the strategy without them."""
    from counterplay.poker.locking.report import report_leak

    check_writable(result.output, SPOT)
    check_writable(look.csv, TABLE)
    check_memory(result.memory)
    limits.check()
    look.check(result.as_json)
    leaks = read_lock(locked, grid, side_by_side)
    request = _Request(fields, file, limits, result.memory, look.node or [], result.as_json)
    solved = request.solution(leaks)
    answer: Any = None
    if leaks and not request.cut_short(solved):
        answer = leaks.answer(solved, limits.accuracy(solved.spot), result.as_json, side_by_side)
        if side_by_side:
            _show_columns(answer, leaks, look, result)
            return
    shown = answer.answered if answer else solved
    nodes = [shown.node(path) for path in look.node or ([] if answer else [""])]
    _write(shown, nodes, look, result)
    below: list[Callable[[], None]] = [partial(show_node, shown, one, look.values, look.ranges) for one in nodes]
    facts: dict[str, object] = dict(solved.facts)
    if answer:
        below.insert(0, lambda: say(["", *report_leak(answer, grid=grid)]))
        facts = {"interrupted": answer.interrupted or bool(answer.solved.facts.get("interrupted"))}
    if result.as_json:
        facts = {**shown.facts, "spot": shown.spot.table(), "nodes": [_node_facts(shown, one) for one in nodes]}
        if answer:
            facts["changes"] = [one.facts for one in answer.changes()]
        facts["seed"] = result.seed
    if answer and leaks and leaks.tilts:
        facts["villain"] = leaks.tilts[-1].facts
        below.insert(0, partial(show_frequencies, leaks.tilts[-1]))
    lines, gain, gap = dict[str, str](), shown.facts.get("gain"), shown.facts.get("value_gap")
    if isinstance(gain, float | int):
        known = "from a value whose error this older file does not tell"
        if shown.spot.rake:
            known = "from the equilibrium found"
        elif isinstance(gap, float | int):
            known = f"from a value known to {number(gap, '.2g')} chips"
        lines["gain"] = f"{shown.spot.stakes.rate(gain)}, {known}"
    report(shown.spot, facts, [] if answer else SOLUTION_LINES, result, lines=lines, below=below)
    if leaks and not answer and not result.as_json:
        print("the leaks are not answered: this is the strategy without them", file=sys.stderr)


@dataclass(frozen=True)
class _Request:
    """A spot to solve or to show: fields from options, the rest in a TOML file, or a solved spot. memory: GiB; nodes: paths
    that must be there; quiet: print no size and no progress."""

    fields: Mapping[str, Any]
    file: Path | None
    limits: SpotLimits
    memory: float | None
    nodes: list[str]
    quiet: bool

    def solution(self, leaks: LockRequest | None) -> cp.SolvedSpot:
        """Read or solve the spot; accurately enough for leaks, if requested."""
        from counterplay.poker.spots.solve_spot import FIT, fit_sizes

        if self._is_solved:
            return self._read(leaks)
        self.limits.check_solve()
        fits = str(self.fields.get("bets", "")).strip().lower() == FIT
        options = {**self.fields, "bets": "a"} if fits else self.fields
        spot = cp.Spot.from_table(
            table_with(options, {} if self.file is None else cp.Spot.from_file(self.file).table())
        )
        if fits:  # the sizes of bets are chosen
            spot, _ = fit_sizes(spot, memory=self.memory, measure=lambda tried: self._size(tried, leaks))
            if not self.quiet:
                print(f"bets: {spot.bets}", flush=True)
        if leaks:
            leaks.check(spot)
        return self._solved(spot, leaks)

    @property
    def _is_solved(self) -> bool:
        return self.file is not None and self.file.suffix == SPOT

    def cut_short(self, solved: cp.SolvedSpot) -> bool:
        """Return whether Ctrl-C ended the solve."""
        return bool(solved.facts.get("interrupted")) and not self._is_solved

    def _read(self, leaks: LockRequest | None) -> cp.SolvedSpot:
        from counterplay.poker.spots.solution import load_spot

        assert self.file is not None
        if self.fields.keys() - {"big_blind"} or given_options(self.limits):  # a big blind changes no number
            raise InputError(f"{self.file} is solved already: it takes --node, and no other spot or limit")
        solved = load_spot(self.file)
        if self.fields:
            solved = replace(solved, spot=replace(solved.spot, **self.fields))
        if leaks and not solved.is_equilibrium:
            raise InputError(f"{self.file} is already an answer to a model, not an equilibrium")
        if leaks:
            leaks.check(solved.spot)
        return solved

    @property
    def _bytes(self) -> float | None:
        return None if self.memory is None else self.memory * 2**30

    def _precision(self, spot: cp.Spot) -> str:
        from counterplay.poker.spots.solve_spot import METHOD, method_of, precision_of

        return precision_of(spot, method_of(self.limits.solver or METHOD), self.limits.precision, self._bytes)

    def _size(self, spot: cp.Spot, leaks: LockRequest | None) -> SpotSize:
        from counterplay.poker.public_tree.size_estimate import size_of

        if leaks:
            return leaks.size(spot, alike=True, precision=self._precision(spot), shown=bool(self.nodes))
        return size_of(spot.betting, spot.cards, alike=True, precision=self._precision(spot), shown=True)

    def _solved(self, spot: cp.Spot, leaks: LockRequest | None) -> cp.SolvedSpot:
        """Announce the size, check the request, and solve."""
        from counterplay.measure.progress import Bar
        from counterplay.poker.locking.exploit_leak import needed_accuracy
        from counterplay.poker.public_tree.hand_treeplex import place_of
        from counterplay.poker.spots.solve_spot import (
            EXPLOITABILITY,
            METHOD,
            cached_solution,
            keep_solution,
            solve_spot,
        )
        from counterplay.poker.spots.solve_spot import stop_of as stop_for

        limits, fine = self.limits, self.limits.accuracy(spot)
        if fine is None:  # as the answer needs it, so that the spot is not solved twice
            fine = needed_accuracy(spot, leaks.how.max_exploitability) if leaks else EXPLOITABILITY
        for path in self.nodes:  # that there is such a node is known before the work
            place_of(spot.betting, spot.deck.cards, spot.board, path)
        precision, size = self._precision(spot), self._size(spot, leaks)
        if not self.quiet:
            print(size, flush=True)
        size.check(self._bytes)
        plain = not given_options(replace(limits, exploitability=None))
        if leaks and plain and (known := cached_solution(spot, fine, precisions=(precision,))) is not None:
            if not self.quiet:
                print(f"solved before, to {known.facts['exploitability_percent']:.3g} % of the pot", file=sys.stderr)
            return known
        stop = stop_for(spot, fine, limits.iterations, limits.seconds)
        with Bar(stop, self.quiet, spot.stakes) as progress:
            solved = solve_spot(
                spot, solver=limits.solver or METHOD, percent_of_pot=fine, iterations=limits.iterations,
                seconds=limits.seconds, memory=self._bytes, precision=precision, progress=progress,
            )  # fmt: skip
        keep_solution(solved)
        return solved


def _write(solved: cp.SolvedSpot, nodes: Sequence[Node], look: SpotNodeFlags, result: ResultFlags) -> None:
    """Save a solution, and write nodes hand by hand as CSV."""
    from counterplay.poker.spots.solution import write_csv

    with write_together():
        if result.output:
            solved.save(result.output)
        if look.csv:
            write_whole(look.csv, write_csv(nodes, solved.spot.deck))


def _show_columns(columns: SideBySide, leaks: LockRequest, look: SpotNodeFlags, result: ResultFlags) -> None:
    """Equilibrium, safe and full exploitation beside each other, at the named nodes or the two that change most; the safe
    one is saved and written as a table."""
    from counterplay.poker.locking.exploit_leak import report_side_by_side

    if leaks.tilts and not result.as_json:
        show_frequencies(leaks.tilts[-1])
    paths = look.node or columns.most_changed(2)
    safe = columns.answered(1)
    frequencies = [columns.frequencies(path) for path in paths]
    _write(safe, [safe.node(path) for path in paths] if look.csv else [], look, result)
    if result.as_json:
        nodes = [{"path": one.path, "actions": list(one.actions), "shares": one.shares.tolist()} for one in frequencies]
        more = {"villain": leaks.tilts[-1].facts} if leaks.tilts else {}
        show_json({**columns.facts, "nodes": nodes, "seed": result.seed, **more})
        return
    say(["", *report_side_by_side(columns, paths)])


def _node_facts(solved: cp.SolvedSpot, node: Node) -> dict[str, Any]:
    """A node as plain numbers: of every hand in either range its weights, values, equities and probabilities."""
    from counterplay.poker.cards.deck import hand_text

    hands = {}
    for k, cards in enumerate(solved.spot.deck.hands.tolist()):
        if node.ranges[0][k] > 0.0 or node.ranges[1][k] > 0.0:
            hands[hand_text(cards)] = {
                "ranges": [one[k] for one in node.ranges],
                "values": [one[k] for one in node.values],
                "equities": [one[k] for one in node.equities],
                "probabilities": node.probabilities[k].tolist(),
                "action_values": node.action_values[k].tolist(),
            }
    return {
        "path": node.path, "player": node.player, "whose": None if node.player is None else solved.whose(node.player),
        "actions": list(node.actions), "pot": node.pot,
        "values": list(node.means), "equities": list(node.shares), "hands": hands,
    }  # fmt: skip


def show_node(solved: cp.SolvedSpot, node: Node, values: bool = False, ranges: str | None = None) -> None:
    """Print EV and equity of both players at a node, and the strategy of the player who acts. values: show the EV of each
    action too, class by class; ranges: write the range of each action in this notation (see `notation`)."""
    from counterplay.poker.cards.deck import cards_text
    from counterplay.poker.ranges.grid import number_lines, show_strategy
    from counterplay.poker.spots.solution import action_ranges

    deck, pot, acting = solved.spot.deck, node.pot, node.player
    print(f"\n{node.path or 'root'}: board {cards_text(node.board)}, pot {pot:g}")
    if not all(isfinite(mean) for mean in node.means):
        print("no two hands of the ranges can reach this node")
        return
    for player, name in enumerate(PLAYERS):
        acts = " to act" if acting == player else ""
        value = 0.0 if abs(node.means[player]) <= rounding(pot) else node.means[player]
        worth = Stakes(pot, solved.spot.big_blind).amount(value)
        if not node.path:  # at the root also net, as elsewhere
            worth = f"{worth} ({number(value - 0.5 * pot)} net of half of the pot)"
        print(f"{name:3}  EV {worth}  equity {100.0 * node.shares[player]:.4g} %{acts}")
    if acting is None:
        return
    print(f"{PLAYERS[acting]} plays {_WHOSE[solved.whose(acting)]}\n")
    sys.stdout.flush()
    show_strategy(node.probabilities, node.actions, node.ranges[acting], board=node.board, deck=deck)
    for place, action in enumerate(node.actions if values else ()):
        lines = number_lines(node.action_values[:, place], node.ranges[acting], deck=deck)
        say(["", f"EV of {action}, in chips out of the pot of {pot:g}:", "", *lines])
    if ranges is not None:
        for action, text in action_ranges(node, deck, ranges).items():
            say(["", f"{PLAYERS[acting]}'s range for {action}:", text])


@takes_records("report --file flop.toml --flops 23 --record flops.work -o flops.csv")
def report_flops(
    *,
    fields: Annotated[dict[str, Any], AnyOf(SpotFields), Without("board")],
    file: Annotated[Path | None, "A TOML file with these; a board in it counts for nothing."] = None,
    flops: Annotated[str, "23, 49 or 95 that stand for all; all; or 'Qs Jh 2h, 8d 5c 3c'."] = "23",
    node: Annotated[
        list[str] | None, Option("Frequencies at this node; several times (the root).", metavar="PATH")
    ] = None,
    limits: Annotated[SpotLimits, Without("solver", "iterations", "seconds")],
    locked: Annotated[LockFlags, Without("villain", "opponent")],
    result: Annotated[WorkFlags, Help(output="Write a row for each flop (.csv).")],
) -> None:
    """Solve one spot on many flops: average frequencies and EVs, and with --lock what a leak is worth there. Ctrl-C shows
    the averages so far; --record keeps every flop, and a larger report goes on from it."""
    from counterplay.memory_limit import default_memory
    from counterplay.poker.locking.leak_match import LeakLineError
    from counterplay.poker.reports.flop_report import FlopReport, LeakQuestion, choose_flops
    from counterplay.work.processes import processes_here
    from counterplay.work.run_work import run_work

    check_writable(result.output, TABLE)
    check_memory(result.memory)
    check_work(result)
    limits.check_solve()
    spot, leaks, leak = _spot_on_a_flop(fields, file), read_lock(locked), None
    if leaks is not None:
        leak = LeakQuestion(str(leaks.leaks), locked.p, locked.max_exploitability, locked.elsewhere or FREE)
    memory = default_memory() if result.memory is None else result.memory * 2**30
    work = FlopReport(
        spot, choose_flops(flops, spot.deck), tuple(node or [""]), leak, limits.accuracy(spot), limits.precision,
        memory / processes_here(result.workers),
    )  # fmt: skip
    try:
        work.check()
    except LeakLineError as error:
        raise InputError(f"{locked.lock}: {error}") from None
    with work_tools(work, result, result.as_json, what="solved", named=True) as tools:
        reported = run_work(work, **tools)
    if not reported.results:
        raise KeyboardInterrupt
    _show_report(work, reported.results, reported.interrupted, result)


def _spot_on_a_flop(fields: Mapping[str, Any], file: Path | None) -> cp.Spot:
    """The spot, on some flop that leaves both players a hand."""
    from counterplay.poker.spots.spot import read_table

    table = table_with(fields, {} if file is None else read_table(file))
    problem: InputError | None = None
    for flop in _EXAMPLES:
        try:
            return cp.Spot.from_table({**table, "board": flop})
        except InputError as error:
            problem = problem or error
    assert problem
    raise problem if file is None or fields else InputError(f"{file}: {problem}")


def _show_report(work: FlopReport, results: Results, interrupted: bool, result: WorkFlags) -> None:
    """The averages as lines or JSON, and the table of all flops as a file."""
    from counterplay.poker.reports.flop_report import average, report_lines, write_csv

    if result.output:
        write_whole(result.output, write_csv(work, results))
    if result.as_json:
        averages = average(work, results)
        flops = {}
        for flop, row in results.items():
            plain = {
                path: {key: x for key, x in node.items() if key != "classes"} for path, node in row["nodes"].items()
            }
            flops[flop] = {**row, "nodes": plain, "weight": work.weight(flop)}
        facts = averages._asdict() | {"nodes": [node._asdict() for node in averages.nodes], "results": flops}
        show_json({**facts, "interrupted": interrupted, "seed": result.seed})
        return
    say(report_lines(work, results))
    if interrupted:
        say(["", "Ctrl-C ended the work early."])
