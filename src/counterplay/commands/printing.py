"""Results as the command line prints them: JSON, facts line by line with their units, rows in columns, notes, tables; and
the end of every command that computes a strategy: it is saved, and its facts are shown.

Door: `report`, `show_json`, `show_rows`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Any

import typer

import counterplay as cp
from counterplay.commands.options.option_records import running_command
from counterplay.commands.options.shared_options import ResultFlags, ShownFlags, save_strategies
from counterplay.display import aligned
from counterplay.errors import escaped
from counterplay.poker.betting.stakes import Stakes, stakes_of
from counterplay.result import json_document

if TYPE_CHECKING:
    from counterplay.blueprints.gadget_drawing import GadgetDrawing
    from counterplay.measure.hand_review import HandReview
    from counterplay.measure.model_quality import RowCoverage
    from counterplay.measure.running_result import PlayedMatch
    from counterplay.opponents.histories.read_hands import Hands
    from counterplay.opponents.tilting.spot_tilt import FrequencyRow, SpotTilt
    from counterplay.opponents.villain.villain_card import MappedSize

EQUILIBRIUM = "equilibrium"
_SIZES, _ROOTS, _HANDS = 6, 40, 5
"""The most sizes of a bet, roots of a gadget and hands of a range that are printed."""
_FREE = 5e-4
"""Chips below which a decision cost nothing."""
_WORTHLESS = 1e-9
_ROUNDING, _MOST_ROUNDING = 1e-10, 1e-3
_ROUNDED = (
    "value", "nash_conv", "exploitability", "gain", "game_value", "value_against_model", "worst_case", "before", "after",
    "model_exploitability", "mean",
)  # fmt: skip
"""Facts in chips whose rounding errors are printed as 0."""
_RATES = (
    "gain", "edge", "edge_against_blueprint", "risk", "rake", "exploitability", "model_exploitability", "nash_conv",
    "before", "after",
)  # fmt: skip
_BEGINNINGS = ("exploitability_", "gain_", "value_before", "value_after", "value_mixing", "equilibria ")
_CHIPS = (
    "continuation", "gap", "safety delta", "safety eta", "safety exploitability", "safety reward", "safety measured",
)  # fmt: skip
_VALUES = {
    "value": "EV oop", "game_value": "EV", "blueprint_value": "EV", "value_against_model": "EV", "worst_case": "EV",
}  # fmt: skip
_LEFT_OUT = ("percent", "bb_per_100", "ev", "ev_against_model", "pot", "big_blind", "note", "value_gap")
"""Ends of names that stand in another line already, or below the lines."""


def show_json(facts: Mapping[str, Any]) -> None:
    """Print facts as a document of JSON, whose kind is the name of the command."""
    print(json.dumps(json_document(running_command(), facts), indent=1, allow_nan=False))


def rounding(span: float) -> float:
    """Chips up to which a number is rounding, and is printed as 0: a share of the span of payoffs, but no more where some
    payoffs are huge, since they may never be paid."""
    return min(_ROUNDING * span, _MOST_ROUNDING)


def number(value: float, form: str = ".6g", span: float = 0.0) -> str:
    """A printed number: rounding errors at this span of payoffs become 0, and 0 has no sign."""
    shown = f"{0.0 if abs(value) <= rounding(span) else value:{form}}"
    return shown.replace("-", "", 1) if shown.startswith("-") and not float(shown) else shown


def interval(ends: Iterable[float], form: str = ".4g") -> str:
    return " to ".join(number(end, form) for end in ends)


def percent(share: float | None, form: str = ".0f") -> str:
    """A share as a cell of a table; blank where it is unknown."""
    return "" if share is None else f"{100.0 * share:{form}} %"


def say(lines: str | Iterable[str]) -> None:
    """Print lines; on a terminal they are wrapped at words, with aligned continuation lines."""
    wide = get_terminal_size().columns if sys.stdout and sys.stdout.isatty() else 0
    for line in [lines] if isinstance(lines, str) else lines:
        if wide and len(line) > wide:
            indent = " " * (len(line) - len(line.lstrip()) + 2)
            line = fill(line, wide, subsequent_indent=indent, break_on_hyphens=False)
        print(line)


def show_facts(facts: dict[str, Any], names: list[str], span: float = 0.0) -> None:
    """Print one line per fact, in the order of `names`, without None. span: that of the game's payoffs, in chips."""
    width = max(len(name) for name in names)
    for name in names:
        value = facts.get(name)
        if value is not None:
            shown = number(value, span=span if name in _ROUNDED else 0.0) if isinstance(value, float) else value
            say(f"{name.replace('_', ' '):{width}}  {shown}")


def show_rows(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows in columns, each `<` or `>` and a width; without one a column is two wider than its longest cell."""
    table = list(rows)
    widths = [2 + max(len(str(row[k])) for row in table) if form in "<>" else "" for k, form in enumerate(columns)]
    for line in aligned([f"{form}{width}" for form, width in zip(columns, widths, strict=True)], table):
        print(line)


def show_note(facts: dict[str, Any]) -> None:
    if facts.get("note"):
        say(["", facts["note"]])


def note_interrupt(facts: dict[str, Any]) -> None:
    """Note on stderr that a result was interrupted."""
    if facts.get("interrupted"):
        print("interrupted: this is the best so far", file=sys.stderr)


def with_units(facts: dict[str, Any], names: list[str], game: Any) -> tuple[dict[str, Any], list[str]]:
    """The facts of `show_facts` with units, and the names of those that are lines; in a spot values are both net and EV."""
    stakes = stakes_of(game)
    least = rounding(stakes.pot or stakes.span or 0.0)
    shown = dict(facts)
    for name in names:
        value = facts.get(name)
        if isinstance(value, float):
            value = 0.0 if abs(value) <= least else value
            if name in _RATES or name.startswith(_BEGINNINGS):
                shown[name] = stakes.rate(value)
            elif name in _CHIPS or (name in _VALUES and stakes.pot is None):
                shown[name] = f"{number(value)} chips"
            elif name in _VALUES:
                ev = stakes.amount(0.5 * (stakes.pot or 0.0) + value)
                shown[name] = f"{number(value)} chips net of half of the pot: {_VALUES[name]} {ev}"
            if name == "game_value" and (gap := facts.get("game_value_gap") or 0.0) > least:
                shown[name] = f"{shown[name]}, known to {number(gap, '.2g')} chips"
    return shown, [name for name in names if not name.endswith(_LEFT_OUT)]


def describe_result(chips: float, stakes: Stakes) -> str:
    """The result of a hand: in a spot from its beginning on, and net of half of the pot."""
    if stakes.pot is None:
        return f"{number(chips, '+.6g')} chips"
    return (
        f"{number(chips + 0.5 * stakes.pot, '+.6g')} chips from here on, {number(chips, '+.6g')} net of half of the pot"
    )


def report(
    game: Any, facts: dict[str, Any], names: Sequence[str], result: ShownFlags, *, lines: dict[str, Any] | None = None,
    below: Iterable[Callable[[], None]] = (), strategies: Sequence[cp.Strategy] = (), model: cp.Strategy | None = None,
) -> None:  # fmt: skip
    """Save the strategies of a result, and show its facts: all as JSON, or those of some names as lines.

    Args:
        game: gives the units; None where the lines have them already.
        facts: all of it, for JSON.
        names: of the facts that are lines, in their order.
        result: where it goes.
        lines: facts that read otherwise as lines.
        below: print what stands below the lines.
        strategies: what is saved.
        model: strategy of the other player, for files that hold both.
    """
    if strategies and isinstance(result, ResultFlags) and result.output:
        save_strategies(game, strategies, result.output, model)
    if result.as_json:
        show_json(facts)
        return
    if names:
        show_facts(*with_units({**facts, **(lines or {})}, list(names), game), getattr(game, "span", 0.0))
    for show in below:
        show()
    show_note(facts)
    note_interrupt(facts)


def verdict(facts: dict[str, Any]) -> list[Callable[[], None]]:
    """The sentence about the blueprint below the lines of an answer in a whole game, if there is one."""
    why = facts.get("why_blueprint")
    return [] if why is None else [partial(say, ["", why])]


def iterations_text(iterations: int | None, cut: str | None) -> str:
    """Number of iterations of a sampled solve, and the limit that cut it."""
    return f"{iterations or 0:,}" + ("" if cut is None else f", cut by {cut}")


def show_points(points: list[Any], span: float = 0.0, stakes: Stakes | None = None) -> None:
    """Print the points of a frontier; the unit, and what a chip is worth, stand below."""
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


def show_flop_points(points: Sequence[cp.FlopPoint]) -> None:
    """Print points in milli-big-blinds a hand, each with half of its 95 % interval."""
    rows: list[tuple[str, ...]] = [("method", "dial", "value", "edge", "risk", "fitted elsewhere", "seconds")]
    for point in points:
        pairs = [
            f"{1000.0 * getattr(point, name) / point.big_blind:.4g} ± "
            f"{1000.0 * getattr(point, f'{name}_error') / point.big_blind:.2g}"
            for name in ("value", "edge", "risk", "fitted")
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


def show_match(result: cp.MatchResult, names: tuple[str, str], *, anytime: bool = False, blocks: bool = False) -> None:
    """Print mean and interval of a match (anytime: one that holds at any time), and both sides' speed. names: of the agents,
    as the user wrote them; blocks: show the means of parts of the match."""
    called, aivat = "95 % at any time" if anytime else "95 % interval", result.aivat
    if anytime:
        result = replace(result, interval=result.anytime, aivat=aivat and replace(aivat, interval=aivat.anytime))
        aivat = result.aivat

    def chips(mean: float) -> str:
        worth = ", ".join(result.stakes.others(mean))
        return f"{number(mean, '.4g')}{f' ({worth})' if worth else ''}"

    print(f"{result.game}: {names[0]} (A) against {names[1]} (B)\n")
    unknown = "unknown: it takes two pairs of hands"
    rows = [
        ("hands", str(result.hands) + ("" if result.seat is None else f", A in seat {result.seat}")),
        ("chips per hand of A", chips(result.mean)),
        (called, unknown if result.interval is None else interval(result.interval)),
    ]
    if aivat is not None:
        rows.append((f"AIVAT, {aivat.known} known", chips(aivat.mean)))
        rows += [] if aivat.interval is None else [(called, interval(aivat.interval))]
        rows += [] if aivat.variance is None else [("variance left", percent(aivat.variance, ".3g"))]
    if blocks:
        rows.append(("chips by part", "  ".join(number(mean, ".3g") for mean in result.blocks)))
    if result.rake:
        rows.append(("chips per hand of B", number(-result.mean - result.rake, ".4g")))
        rows.append(("rake per hand", number(result.rake, ".4g")))
    show_rows(("<26", "<1"), [*rows, ("seconds", f"{result.seconds:.3g}"), ()])
    speeds = [f"{speed:.0f}" if speed >= 100 else f"{speed:.3g}" for speed in result.decisions_per_second]
    slowest = [f"{milliseconds:.3g}" for milliseconds in result.slowest_ms]
    sides = [
        ("", "A", "B"), ("decisions", *result.decisions), ("decisions per second", *speeds),
        ("slowest decision, in ms", *slowest),
    ]  # fmt: skip
    show_rows(("<26", ">10", ">10"), sides)


def review_lines(review: HandReview, other: str = "the agent", whose: str = "your") -> Iterator[str]:
    """The cost of each decision of a hand, and the range after the last one."""
    from counterplay.measure.hand_review import by_classes

    for decision in review.decisions:
        price = "no price"
        if decision.worth is not None and decision.cost is not None:
            values = ", ".join(
                f"{name} {number(chips if abs(chips) >= _WORTHLESS else 0.0, '+.4g')}"
                for name, chips in decision.worth.values.items()
            )
            error = f" ± {number(decision.error, '.2g')}" if decision.error else ""
            cost = "cost nothing" if decision.cost < _FREE else f"cost {number(decision.cost, '.4g')}{error} chips"
            price = f"{cost} ({values})"
        yield f"  {decision.action} at '{decision.infoset}': {price}"
    last = by_classes(review.decisions[-1].belief or ()) if review.decisions else ()
    if last:
        shown = ", ".join(f"{text} {100.0 * share:.3g} %" for text, share in last[:_HANDS])
        more = len(last) - _HANDS
        yield f"  {whose} range for {other} ({review.assumed}): {shown}{f', and {more} more' if more > 0 else ''}"


def result_lines(match: PlayedMatch, whose: str = "your") -> Iterator[str]:
    """The intervals of the result, and what all decisions cost."""
    facts = match.result.facts
    for name, how in (("", ""), ("corrected", f" without luck ({match.corrected_by})")):
        ends = facts[f"{name}_interval" if name else "interval"]
        if ends is not None:
            mean = number(facts[name or "mean"], "+.4g")
            yield f"{mean} chips a hand{how}, 95 % interval {interval(ends, '+.4g')}"
    if facts["cost"] is not None:
        hands = facts["priced"]
        cost = "nothing" if facts["cost"] < _FREE else f"{number(facts['cost'], '.4g')} chips"
        yield f"{whose} decisions cost {cost} in {hands} hand{'' if hands == 1 else 's'}, against {match.against}"


def show_frequencies(tilt: SpotTilt) -> None:
    """Print what a player of a spot is known to do, and the lock that this supports."""
    from counterplay.poker.betting.rules import PLAYERS

    print()
    if (hands := tilt.hands) is not None:
        who = f"{escaped(hands.player)} as {PLAYERS[hands.seat]}"
        left = "; ".join(f"{count:,} {reason}" for reason, count in hands.left_out.items())
        say([f"{who}: {hands.decisions:,} decisions in {hands.hands:,} hands"])
        say([f"not counted: {left}" if left else "every hand counts"])
        if hands.sizes:
            show_sizes(hands.sizes)
        print()
    show_frequency_rows(tilt.rows)


def show_frequency_rows(rows: Sequence[FrequencyRow], known: str = EQUILIBRIUM) -> None:
    """Print frequencies of classes of decisions: those of hands with k of n and interval, those of figures alone without.
    known: who has the frequencies without the tilt."""
    counted = any(row.counted is not None for row in rows)
    heads = ["k / n", "share", "  95 %"] if counted else []
    table = [["", *heads, known, "lock" if known == EQUILIBRIUM else "asked", "reached"]]
    for row in rows:
        seen = [] if not counted else ["", "", ""]
        if counted and row.counted is not None:
            shown = f"  {100.0 * row.low:.0f} to {100.0 * row.high:.0f}"
            seen = [f"{row.counted.k} / {row.counted.n}", percent(row.counted.share, ".1f"), shown]
        before = "not there" if row.known is None else percent(row.known, ".1f")
        reached = percent(None if row.target is None else row.achieved, ".1f")
        table.append([row.name, *seen, before, percent(row.target, ".1f"), reached])
    show_rows(["<", *((">", ">", "<") if counted else ()), ">", ">", ">"], table)


def show_sizes(sizes: Sequence[MappedSize]) -> None:
    """Print the bets and raises of hands, and the sizes of the tree that they become."""
    say(["", "Bets and raises of both players, and the sizes of the tree that they become:", ""])
    rows = [["", "to", "n", "mapped", "  from"]]
    for one in sizes:
        seen = ", ".join(f"{count} × {size}" for size, count in one.sizes[:_SIZES])
        more = f" and {len(one.sizes) - _SIZES} more" if len(one.sizes) > _SIZES else ""
        rows.append([f"{one.facts['street']} {one.kind}", one.to, f"{one.n:,}", f"{one.mapped:,}", f"  {seen}{more}"])
    show_rows(("<14", ">8", ">6", ">8", "<1"), rows)


def show_coverage(covered: cp.Coverage) -> None:
    print(
        f"\nOf the opponent's decisions {percent(covered.seen)} lie where enough was seen, {percent(covered.little)} "
        f"where little was, {percent(covered.unseen)} where nothing was."
    )
    if covered.blanks:
        rows = [(one.infoset, percent(one.share, ".2f"), number(one.count, ".3g")) for one in covered.blanks]
        show_rows(("<", ">10", ">10"), [("infoset", "decisions", "seen"), *rows])


def show_row_coverage(covered: Sequence[RowCoverage]) -> None:
    """Print shares of decisions by street and by what was seen of their rows."""
    print("\nOf the player's decisions in drawn hands, by what was seen of the same decision with such a hand:")
    rows = [(one.street, f"{one.decisions:,}", *map(percent, (one.seen, one.little, one.unseen))) for one in covered]
    show_rows(("<9", ">10", ">8", ">8", ">9"), [("street", "decisions", "enough", "little", "nothing"), *rows])


def show_gadget(drawn: GadgetDrawing) -> None:
    from counterplay.blueprints.gadget_drawing import KINDS

    say([f"{drawn.gadget} gadget of {drawn.game} at {drawn.at}, subgame {drawn.number} of {drawn.subgames}"])
    choice = "one decision of the opponent over all roots" if drawn.one_choice else "at every root"
    kinds = list(dict.fromkeys(branch.kind for root in drawn.roots for branch in root.branches))
    say(["", f"{choice}:", *(f"  {kind:8}{KINDS[kind]}" for kind in kinds), ""])
    rows = [["root", "reach", "before", "after", "  branches: odds, chips paid"]]
    for root in drawn.roots[:_ROOTS]:
        values = ["never" if value is None else f"{value:.4f}" for value in (root.before, root.after)]
        branches = [
            f"{branch.kind} {percent(branch.odds)}" + ("" if branch.pays is None else f", {branch.pays + 0.0:.4f}")
            for branch in root.branches
        ]
        rows.append([root.name, percent(root.share, ".1f"), *values, "  " + "; ".join(branches)])
    show_rows(("<", ">7", ">10", ">10", "<1"), rows)
    if len(drawn.roots) > _ROOTS:
        say([f"and {len(drawn.roots) - _ROOTS} more roots"])
    say(["", "before, after: the opponent's best value there against blueprint and solution, given that it is reached"])


def tell_left_out(hands: Hands) -> None:
    """Print one line on stderr about hands that readers skipped: how many, why, and the first by file and line."""
    from counterplay.opponents.histories.read_hands import skipped_line

    if line := skipped_line(hands):
        typer.echo(line, err=True)
