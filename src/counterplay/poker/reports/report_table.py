"""Reports over flops as tables: a row for each flop, and the averages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, isfinite
from typing import Any, NamedTuple

from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.reports.flop_report import FlopReport
from counterplay.tables import aligned, csv_of

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
