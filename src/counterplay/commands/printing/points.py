"""Points of frontiers as the command line prints them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from counterplay.commands.printing.output import number, rounding, say, show_rows

if TYPE_CHECKING:
    from counterplay.measure.flop_frontier import FlopPoint
    from counterplay.poker.betting.stakes import Stakes


def show_points(points: list[Any], span: float = 0.0, stakes: Stakes | None = None) -> None:
    """A table of the points of a frontier; the unit, and what a chip is worth, stand below."""
    names = [name for name, _ in points[0].axes] if points else ["gain", "exploitability"]
    rows = [("method", "dial", *names, "seconds")]
    for point in points:
        gain, risk = (number(chips, ".6f", span) for _, chips in point.axes)
        rows.append((point.method, point.dial_text, gain, risk, f"{point.seconds:.3f}"))
    show_rows(("<8", ">14", ">12", ">16", ">9"), rows)
    worth = ", ".join(stakes.others(1.0)) if stakes is not None else ""
    say(f"{names[0].capitalize()} and {names[1]} are chips a hand{f'; a chip is {worth}' if worth else ''}.")


def known_value(value: float, gap: float, span: float) -> str:
    """A value of a game that is an upper bound, and how far below it the value may be."""
    known = "" if gap <= rounding(span) else f", known to {number(gap, '.2g')} chips"
    return f"{number(value, span=span)} chips{known}"


def show_flop_points(points: Sequence[FlopPoint]) -> None:
    """A table of points in milli-big-blinds a hand, each with half of its 95 % interval."""
    rows: list[tuple[str, ...]] = [("method", "dial", "value", "edge", "risk", "fitted elsewhere", "seconds")]
    for point in points:
        pairs = [
            f"{1000.0 * value / point.big_blind:.4g} ± {1000.0 * error / point.big_blind:.2g}"
            for value, error in (
                (point.value, point.value_error),
                (point.edge, point.edge_error),
                (point.risk, point.risk_error),
                (point.fitted, point.fitted_error),
            )
        ]
        dial = "" if point.dial is None else f"{point.dial:.4g}"
        rows.append((point.method, dial, *pairs, f"{point.seconds:.1f}"))
    show_rows(("<8", ">10", ">16", ">16", ">16", ">18", ">9"), rows)
    if points:
        first = points[0]
        before = 1000.0 * first.blueprint_value / first.big_blind
        say(f"Milli-big-blinds a hand; the blueprint wins {before:.4g} from the model.")
        where = "all boards" if first.boards == "all" else f"{first.boards} boards, risk on {first.flops} flops"
        say(f"Value and edge on {where}.")
