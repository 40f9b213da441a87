"""One spot on many flops: frequencies, EV, and what a leak is worth there, as work flop by flop, and as tables.

The ranges, chips and bets stay, the flop changes. A flop counts as often as it comes, times the weight of the pairs of hands
that both players can hold on it. Results are a few kilobytes a flop, and stream into a record of work.

Flops are all 1,755 up to isomorphism, a subset that stands for them, or a list. The plain mean over a subset stands for all
flops by how often they come: each flop counts 22,100 / n. Subsets were chosen by benchmarks/flop_subsets.py; the error that
remains is stated in docs/study.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum, isfinite
from typing import Any, NamedTuple

import numpy as np

from counterplay.display import aligned, csv_of
from counterplay.errors import InputError, quoted
from counterplay.memory_limit import default_memory
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import FULL, Deck, cards_text
from counterplay.poker.locking.exploit_leak import FREE, check_dials, chips, exploit_leak, needed_accuracy
from counterplay.poker.locking.leak_match import LeakLineError, check_leaks, nodes_of, opponent_of
from counterplay.poker.locking.leak_text import Leaks
from counterplay.poker.locking.node_lock import lock_nodes
from counterplay.poker.public_tree.hand_treeplex import place_of
from counterplay.poker.public_tree.size_estimate import Leaky, SpotSize, size_of
from counterplay.poker.ranges.grid import SIDE, mean_rows, to_grid
from counterplay.poker.spots.solution import Node, SolvedSpot
from counterplay.poker.spots.solve_spot import EXPLOITABILITY, METHOD, method_of, precision_of, solve_spot
from counterplay.poker.spots.spot import Spot
from counterplay.poker.whole_game.boards.board import Board, flops_of
from counterplay.work.run_work import WorkRecipe

FLOPS = 22_100
"""All flops of a full deck."""
_TEXTS = {
    23: (
        "2c3d6h; 2c7d8d; 2c8cKc; 2c8dKc; 2cJdAd; 3c4d9d; 3c5dQc; 3c6cJd; 3c7dKh; 4c5d7h; 4c6dTh; 4c9cJd; 4cKdKh; "
        "5c9dAc; 5cJdKh; 5cQdAd; 6c9dTc; 6cTdAh; 7c8d8h; 7cQdQh; 8cTcQd; 9cQdAd; TcTdJc"
    ),
    49: (
        "2c3c5d; 2c3dTd; 2c4cAd; 2c4d7c; 2c4d9d; 2c6cQd; 2c6dQd; 2c8d8h; 2c9dQd; 2cTdAd; 2cJdKh; 3c3dQh; 3c4dJh; "
        "3c5d7h; 3c5dAh; 3c6c9d; 3c7cAd; 3c7dJh; 3cQdKh; 4c5c6c; 4c6d8d; 4c8cTd; 4c8d9h; 4c9dAc; 4cJdQh; 4cKdAc; "
        "5c5d8c; 5c6dTh; 5c7dKh; 5c8cQc; 5c9cKd; 5cTdKh; 5cAdAh; 6c6d8c; 6c7dJd; 6c8dAd; 6cTdJd; 6cTdQd; 7c7d9h; "
        "7c9cKd; 7c9dTh; 7cQdKh; 8cTdJh; 8cJcAd; 8cQcKd; 9cJdJh; 9cJdQh; TcTdAc; JcKdAc"
    ),
    95: (
        "2c2d4c; 2c3d7h; 2c3d9d; 2c3dJd; 2c4cQc; 2c4d7c; 2c5d6h; 2c5dTh; 2c5dAh; 2c6d8h; 2c6dAh; 2c7cKc; 2c7dTh; "
        "2c8dJc; 2c8dQh; 2c9cJd; 2c9dKh; 2cTdAh; 2cJcKd; 2cJdQd; 2cKdKh; 3c3d5c; 3c3dTh; 3c4d8c; 3c4d8d; 3c4dAc; "
        "3c5d9h; 3c6c7c; 3c6cKd; 3c6cAd; 3c6d8h; 3c8cJd; 3c9cTd; 3cTcAd; 3cTdQc; 3cTdQh; 3cQcAd; 3cAcAd; 4c4d7h; "
        "4c5c6d; 4c5dTd; 4c5dJc; 4c5dQd; 4c7d8h; 4c7dQc; 4c7dQh; 4c8d9c; 4c8dTd; 4c9cAd; 4c9dAh; 4cJdJh; 4cQdKh; "
        "4cKcKd; 5c5dKh; 5c6dJc; 5c6dQh; 5c7cTd; 5c7cAd; 5c7d9d; 5c8cAd; 5c8dKd; 5c9cKd; 5cTdJh; 5cJcAd; 5cQdKh; "
        "6c6d9h; 6c6dQc; 6c7dTh; 6c7dAd; 6c8d9c; 6c8dKd; 6c9cTd; 6c9dJh; 6cTcJc; 6cJdQh; 7c7dJh; 7c8d9h; 7c8dAh; "
        "7cTdKc; 7cTdAh; 7cJcKd; 7cKcAd; 8c9c9d; 8c9dKh; 8cTdJd; 8cJdQh; 8cQcKc; 9cTdQd; 9cQdQh; 9cQdAd; TcJdQd; "
        "TcKcAd; TcKdAh; JcJdKh; QcQdKc"
    ),
}

SUBSETS = {
    count: {" ".join((flop[:2], flop[2:4], flop[4:])): FLOPS / count for flop in text.split("; ")}
    for count, text in _TEXTS.items()
}
"""By number of flops: text of each flop, and how many it stands for."""
ALL = "all"
_FLOP = 3


@dataclass(frozen=True)
class FlopChoice:
    """Flops and how often each counts. flops: texts such as "Qs Jh 2h". weights: as many; of all flops how many each
    stands for."""

    flops: tuple[str, ...]
    weights: tuple[float, ...]


def choose_flops(text: str, deck: Deck = FULL) -> FlopChoice:
    """The flops that a text names: `all`, the size of a subset (23, 49 or 95), or flops with commas between them, which
    count as often as they come up to isomorphism."""
    if text.strip() == ALL:
        boards = flops_of(deck)
        cards, counts = boards.choices(boards.root)
        return FlopChoice(tuple(map(cards_text, cards.tolist())), tuple(map(float, counts.tolist())))
    if text.strip().isdecimal():
        subset = SUBSETS.get(int(text)) if len(text) < _FLOP + 1 else None
        if subset is None:
            raise InputError(
                f"the subsets have {', '.join(map(str, SUBSETS))} flops, not {quoted(text)}; or name flops, or all"
            )
        if deck != FULL:
            raise InputError("the subsets are of the full deck: take all, or name flops")
        return FlopChoice(tuple(subset), tuple(subset.values()))
    boards, flops, shown = flops_of(deck), list[Board](), list[str]()
    for part in map(str.strip, text.split(",")):
        try:
            held = deck.held(part)
            if len(held) != _FLOP:
                raise InputError(f"a flop has {_FLOP} cards, not {len(held)}")
            flops.append(boards.find_board(held)[0])
        except InputError as error:
            raise InputError(f"{quoted(part)} in a report: {error}") from None
        if flops[-1] in flops[:-1]:
            raise InputError(f"{quoted(part)} is there twice, up to the names of suits")
        shown.append(cards_text(held))
    return FlopChoice(tuple(shown), tuple(float(flop.count) for flop in flops))


@dataclass(frozen=True)
class LeakQuestion:
    """What is asked of a leak on every flop; the dials are those of `exploit_leak`. text: the leaks. p,
    max_exploitability, elsewhere: the dials."""

    text: str
    p: float | None = None
    max_exploitability: str | None = None
    elsewhere: str = FREE

    @cached_property
    def leaks(self) -> Leaks:
        return Leaks.from_text(self.text)


@dataclass(frozen=True)
class FlopReport(WorkRecipe):
    """A spot on many flops; the keys of its pieces are flops.

    Attributes:
        spot: ranges, chips and bets; its board is only an example.
        choice: the flops, and how often each counts.
        nodes: betting paths on the flop whose frequencies are kept; "" is the root.
        leak: the leak whose gain is computed; None for none.
        exploitability: accuracy of the solves in per cent of the pot; None for 0.5, or what the leak needs.
        precision: as of `solve_spot`; None for its default.
        memory: bytes that one solve may take; None for half of the machine's.
    """

    spot: Spot
    choice: FlopChoice
    nodes: tuple[str, ...] = ("",)
    leak: LeakQuestion | None = None
    exploitability: float | None = None
    precision: str | None = None
    memory: float | None = None

    def check(self) -> None:
        """Reject, before anything is solved, what fits no flop."""
        if self.spot.street != "flop":
            raise InputError(f"a report is about flops, and the spot begins on the {self.spot.street}")
        if not self.keys():
            raise InputError("no flop of the report leaves both players a hand")
        example = self.on(self.keys()[0])
        for path in self.nodes:
            node, board = place_of(example.betting, example.deck.cards, example.board, path)
            if len(board) > len(example.board) or int(example.betting.kind[node]) > Kind.PLAYER1:
                raise InputError(f"a report shows decisions on the flop, and '{path}' is none")
        self._check_memory(example)
        if self.leak is None:
            return None
        check_dials(self.leak.p, self.leak.max_exploitability, self.leak.elsewhere)
        if self.leak.max_exploitability is not None:
            chips(self.leak.max_exploitability, self.spot.stakes)
        problem = None
        for key in self.keys():
            try:
                return check_leaks(self.leak.leaks, self.on(key))
            except LeakLineError as error:
                problem = error
        raise problem or InputError("the leaks fit no flop")

    def identity(self) -> dict[str, Any]:
        """All settings but the choice of flops, so that a larger report goes on from a smaller one."""
        asked = None if self.leak is None else {**vars(self.leak), "text": str(self.leak.leaks), "leaks": None}
        spot = {name: value for name, value in self.spot.table().items() if name != "board"}
        return {
            "what": "flop report", "spot": spot, "nodes": list(self.nodes), "leak": asked,
            "exploitability": self.accuracy, "precision": self.precision,
        }  # fmt: skip

    def keys(self) -> list[str]:
        """The flops on which both players can hold a hand."""
        return [flop for flop in self.choice.flops if self._pairs[flop] > 0.0]

    def weight(self, flop: str) -> float:
        """How often a flop counts: as often as the choice says, times the pairs of hands that can be dealt on it."""
        return self._often[flop] * self._pairs[flop]

    def on(self, flop: str) -> Spot:
        """The spot on a flop."""
        return replace(self.spot, board=self.spot.deck.held(flop))

    @property
    def accuracy(self) -> float:
        """Accuracy of the solves, in per cent of the pot."""
        if self.exploitability is not None:
            return self.exploitability
        if self.leak is None:
            return EXPLOITABILITY
        return needed_accuracy(self.spot, self.leak.max_exploitability)  # so that nothing is solved twice

    def worker_memory(self) -> float:
        """Of the first flop: others take as much, or less where suits are alike."""
        return self._size(self.on(self.keys()[0])).memory

    def compute(self, key: str) -> dict[str, Any]:
        """The numbers of a flop, as plain data."""
        spot = self.on(key)
        self._check_memory(spot)
        solved = solve_spot(spot, percent_of_pot=self.accuracy, precision=self.precision, memory=self._memory)
        if solved.facts["interrupted"]:
            raise KeyboardInterrupt
        root = solved.node("")
        told = {
            "ev": list(root.means), "equity": list(root.shares), "exploitability": solved.facts["exploitability"],
            "iterations": solved.facts["iterations"], "seconds": solved.facts["seconds"],
            "nodes": {path: _node_facts(solved.node(path)) for path in self.nodes},
        }  # fmt: skip
        return told if self.leak is None else {**told, "leak": self._gain(solved)}

    @property
    def _memory(self) -> float:
        return default_memory() if self.memory is None else self.memory

    def _check_memory(self, spot: Spot) -> None:
        """Refuse a flop that does not fit."""
        self._size(spot).check(self._memory)

    def _size(self, spot: Spot) -> SpotSize:
        """The size of a flop, with the solves against the leak."""
        precision = precision_of(spot, method_of(METHOD), self.precision, self._memory)
        leaky = None
        if self.leak is not None:
            leaks, bounded = self.leak.leaks, self.leak.max_exploitability is not None
            twice = bounded or self.leak.p is not None
            leaky = Leaky(opponent_of(leaks, spot.betting), twice, bounded, nodes_of(leaks, spot.betting))
        return size_of(spot.betting, spot.cards, alike=True, precision=precision, shown=True, leaky=leaky)

    def _gain(self, solved: SolvedSpot) -> dict[str, Any] | None:
        """What the leak is worth; None on a flop that leaves none of its hands."""
        assert self.leak is not None
        try:
            lock = lock_nodes(solved, self.leak.leaks)
        except LeakLineError:
            return None
        asked = self.leak
        found = exploit_leak(
            lock,
            p=asked.p,
            max_exploitability=asked.max_exploitability,
            elsewhere=asked.elsewhere,
            accuracy=self.accuracy,
        )
        if found.interrupted:
            raise KeyboardInterrupt
        names = ("gain", "most", "equilibrium_gain", "exploitability", "seconds")
        shares = {path: _shares(found.answered.node(path)) for path in self.nodes}
        return {name: getattr(found, name) for name in names} | {"shares": shares}

    @cached_property
    def _often(self) -> Mapping[str, float]:
        return dict(zip(self.choice.flops, self.choice.weights, strict=True))

    @cached_property
    def _pairs(self) -> Mapping[str, float]:
        """By flop the weight of all pairs of hands."""
        pairs = dict.fromkeys(self.choice.flops, 0.0)
        for flop in self.choice.flops:
            with suppress(InputError):
                pairs[flop] = float(self.on(flop).cards.pairs)
        return pairs


def _node_facts(node: Node) -> dict[str, Any]:
    """The frequencies of a node, and by class of the player to act weight, EV and frequencies, (169, 2 + actions)."""
    assert node.player is not None
    held = node.ranges[node.player]
    columns = np.column_stack([held, node.values[node.player], node.probabilities])
    by_class = to_grid(np.nan_to_num(columns), held).reshape(SIDE**2, -1)
    return {
        "player": node.player, "actions": list(node.actions), "shares": _shares(node),
        "ev": [mean if isfinite(mean) else None for mean in node.means],
        "classes": np.nan_to_num(by_class).astype(np.float32),
    }  # fmt: skip


def _shares(node: Node) -> list[float] | None:
    """The frequencies over the range of the player to act; None if the range never comes there."""
    assert node.player is not None
    held = node.ranges[node.player]
    return mean_rows(node.probabilities, held).tolist() if held.any() else None


Results = Mapping[str, Mapping[str, Any]]
"""By flop, what `FlopReport.compute` gives."""
_SHOWN = 10


class NodeAverage(NamedTuple):
    """Frequencies of a node over all flops, of the equilibrium and, with a leak, of the answer; weighted by flops."""

    path: str
    player: str
    actions: tuple[str, ...]
    shares: tuple[float, ...]
    answer: tuple[float, ...] | None


class ReportAverages(NamedTuple):
    """Means over the flops that are done. Chips. flops: how many are done. weight: their share of all flops of the
    report. ev: EVs of oop and ip. equity: their equities. exploitability: of the solves. gain: what the answer wins at
    least from the leak; None without one. most: what any such answer could, where it is known. risk: what a best
    responder wins back. nodes: frequencies."""

    flops: int
    weight: float
    ev: tuple[float, float]
    equity: tuple[float, float]
    exploitability: float
    gain: float | None
    most: float | None
    risk: float | None
    nodes: tuple[NodeAverage, ...]


def average(report: FlopReport, results: Results) -> ReportAverages:
    """The means over the flops that are done; there must be one."""

    def mean(numbers: Mapping[str, float | None]) -> float:
        held = {flop: number for flop, number in numbers.items() if number is not None}
        total = fsum(report.weight(flop) for flop in held)
        return fsum(report.weight(flop) * number for flop, number in held.items()) / total if held else float("nan")

    def of(name: str, k: int) -> float:
        return mean({flop: one[name][k] for flop, one in results.items()})

    def from_leak(name: str) -> float | None:
        return None if report.leak is None else mean({f: (one["leak"] or {}).get(name) for f, one in results.items()})

    whole = fsum(report.weight(flop) for flop in report.keys())  # noqa: SIM118 - work has keys, and is no dict
    return ReportAverages(
        len(results), fsum(report.weight(flop) for flop in results) / whole,
        (of("ev", 0), of("ev", 1)), (of("equity", 0), of("equity", 1)),
        mean({flop: one["exploitability"] for flop, one in results.items()}),
        from_leak("gain"),
        from_leak("most"), from_leak("exploitability"),
        tuple(_node(report, results, path, mean) for path in report.nodes),
    )  # fmt: skip


def _node(report: FlopReport, results: Results, path: str, mean: Any) -> NodeAverage:
    some = next(iter(results.values()))["nodes"][path]
    actions = some["actions"]

    def shares(of: Any) -> tuple[float, ...]:
        return tuple(
            mean({flop: None if of(one) is None else of(one)[a] for flop, one in results.items()}) for a in places
        )

    places = range(len(actions))
    answer = (
        None if report.leak is None else shares(lambda one: (one["leak"] or {"shares": {path: None}})["shares"][path])
    )
    return NodeAverage(
        path, PLAYERS[some["player"]], tuple(actions), shares(lambda one: one["nodes"][path]["shares"]), answer
    )


def write_csv(report: FlopReport, results: Results) -> bytes:
    """A row for each flop: weight, EVs, equities, frequencies of each node, gain and risk, accuracy and seconds."""
    some = next(iter(results.values()))
    names = [f"{action} at {path or 'root'}" for path in report.nodes for action in some["nodes"][path]["actions"]]
    leak = ["gain", "gain at most", "risk", *(f"answer: {name}" for name in names)] if report.leak else []
    head = [
        "flop", "weight", "EV oop", "EV ip", "equity oop", "equity ip", *names, *leak, "exploitability", "iterations",
    ]  # fmt: skip
    total = fsum(report.weight(flop) for flop in report.keys())  # noqa: SIM118 - work has keys, and is no dict
    return csv_of(head, [_row(report, flop, one, report.weight(flop) / total) for flop, one in results.items()])


def _row(report: FlopReport, flop: str, one: Mapping[str, Any], weight: float) -> list[Any]:
    counts = [len(one["nodes"][path]["actions"]) for path in report.nodes]
    shares = [
        x for path, n in zip(report.nodes, counts, strict=True) for x in one["nodes"][path]["shares"] or [None] * n
    ]
    leak: list[Any] = []
    if report.leak is not None:
        told = one["leak"]
        leak = [None] * (3 + sum(counts)) if told is None else [told["gain"], told["most"], told["exploitability"]]
        if told is not None:
            leak += [
                x for path, n in zip(report.nodes, counts, strict=True) for x in told["shares"][path] or [None] * n
            ]
    return [flop, weight, *one["ev"], *one["equity"], *shares, *leak, one["exploitability"], one["iterations"]]


def report_lines(report: FlopReport, results: Results) -> list[str]:
    """The averages, and the flops that come or gain most."""
    found, pot = average(report, results), report.spot.pot
    share = "" if found.flops == len(report.keys()) else f", {100.0 * found.weight:.3g} % of all by weight"
    lines = [f"{found.flops} of {len(report.keys())} flops{share}; averages:", ""]
    for player, name in enumerate(PLAYERS):
        lines.append(
            f"{name:3}  EV {report.spot.stakes.amount(found.ev[player])}  equity {100.0 * found.equity[player]:.4g} %"
        )
    lines.append(f"solved to {100.0 * found.exploitability / pot:.3g} % of the pot")
    if found.gain is not None and found.risk is not None:
        lines.append(f"from the leak the answer wins at least {report.spot.stakes.rate(found.gain)}")
        if found.most is not None and isfinite(found.most):
            lines.append(f"no strategy with so little risk wins more than {report.spot.stakes.rate(found.most)}")
        lines.append(f"a perfect opponent wins back {report.spot.stakes.rate(found.risk)}")
    nodes = [f"{one.player} at {one.path or 'the root'}: {_frequencies(one)}" for one in found.nodes]
    return [*lines, *nodes, "", *_rows(report, results)]


def _frequencies(one: NodeAverage) -> str:
    both = one.answer or one.shares
    return ", ".join(
        f"{action} {100.0 * x:.1f} %" + ("" if one.answer is None else f" -> {100.0 * y:.1f} %")
        for action, x, y in zip(one.actions, one.shares, both, strict=True)
    )


def _rows(report: FlopReport, results: Results) -> list[str]:
    """The flops with the largest gain; without a leak, those that count most."""

    def rank(flop: str) -> float:
        told = results[flop].get("leak")
        return report.weight(flop) if report.leak is None else told["gain"] if told else float("-inf")

    first = report.nodes[0] if report.nodes else None
    actions: Sequence[str] = () if first is None else next(iter(results.values()))["nodes"][first]["actions"]
    heads = ["flop", "EV oop", "EV ip", *(["gain"] if report.leak else []), *actions]
    table = [heads]
    for flop in sorted(results, key=rank, reverse=True)[:_SHOWN]:
        one = results[flop]
        told = one.get("leak")
        gain = [] if report.leak is None else ["-" if told is None else f"{told['gain']:.4g}"]
        shares = (one["nodes"][first]["shares"] if first is not None else None) or []
        table.append([flop, *(f"{x:.4g}" for x in one["ev"]), *gain, *(f"{100.0 * x:.1f} %" for x in shares)])
    widths = [max(len(row[k]) for row in table if k < len(row)) for k in range(len(heads))]
    left = len(results) - min(_SHOWN, len(results))
    more = [f"... and {left} more (-o writes them all)"] if left else []
    return [*aligned([f"<{widths[0]}", *(f">{width + 2}" for width in widths[1:])], table), *more]
