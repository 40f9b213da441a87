"""The result of a match as the command line prints it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from counterplay.commands.printing.output import number, show_rows

if TYPE_CHECKING:
    from counterplay.measure.match_result import CorrectedMean, MatchResult


def _aivat(result: MatchResult, found: CorrectedMean, called: str) -> list[tuple[str, str]]:
    """Mean and interval, with its name, with the luck taken out, and how much of the variance is left."""
    worth = ", ".join(result.stakes.others(found.mean))
    rows = [(f"AIVAT, {found.known} known", f"{number(found.mean, '.4g')}{f' ({worth})' if worth else ''}")]
    if found.interval is not None:
        rows.append((called, " to ".join(number(end, ".4g") for end in found.interval)))
    if found.variance is not None:
        rows.append(("variance left", f"{100 * found.variance:.3g} %"))
    return rows


def show_match(result: MatchResult, names: tuple[str, str], *, anytime: bool = False, blocks: bool = False) -> None:
    """Mean and interval of a match, and both sides' speed; `names` as the user wrote them.

    Args:
        result: of the match.
        names: of the agents.
        anytime: show the intervals that hold at any time.
        blocks: show the means of parts of the match.
    """
    mean, interval = number(result.mean, ".4g"), "unknown: it takes two pairs of hands"
    called = "95 % at any time" if anytime else "95 % interval"
    if anytime:
        result = replace(
            result, interval=result.anytime, aivat=result.aivat and replace(result.aivat, interval=result.aivat.anytime)
        )
    if result.interval is not None:
        interval = " to ".join(number(end, ".4g") for end in result.interval)
    worth = ", ".join(result.stakes.others(result.mean))
    print(f"{result.game}: {names[0]} (A) against {names[1]} (B)\n")
    rows = [
        ("hands", str(result.hands) + ("" if result.seat is None else f", A in seat {result.seat}")),
        ("chips per hand of A", f"{mean}{f' ({worth})' if worth else ''}"),
    ]
    rows += [
        (called, interval),
        *([] if result.aivat is None else _aivat(result, result.aivat, called)),
    ]
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
