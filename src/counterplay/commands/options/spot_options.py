"""Command-line options for a spot and its accuracy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.commands.options.inputs import exploitability_of, stop_of
from counterplay.commands.options.option_records import given_options
from counterplay.commands.options.shared_options import ResultFlags
from counterplay.errors import InputError, quoted, unknown
from counterplay.poker.betting.stakes import PERCENT

if TYPE_CHECKING:
    from counterplay.poker.spots.spot import Spot

_LONG = 9
"""Digits of a number that is no cap."""


@dataclass(frozen=True)
class SpotFlags:
    """A spot, or the fields missing from its file: fields of `poker.spots.spot.Spot`."""

    board: Annotated[str | None, typer.Option("--board", help="3, 4 or 5 cards: 'Qs Jh 2h 8d 3c'.")] = None
    oop: Annotated[str | None, typer.Option("--oop", metavar="RANGE", help="Out of position: 'QQ+,AKs:0.5'.")] = None
    ip: Annotated[str | None, typer.Option("--ip", metavar="RANGE", help="In position.")] = None
    pot: Annotated[float | None, typer.Option("--pot", help="Chips in the middle.")] = None
    stack: Annotated[str | None, typer.Option("--stack", metavar="CHIPS", help="Left in front of both, or OOP,IP.")] = (
        None
    )
    bets: Annotated[
        str | None,
        typer.Option("--bets", metavar="SIZES", help="'50%, a; river: 33%, 75%; raise: 2.5x', or fit (50%, 100%, a)."),
    ] = None
    raises: Annotated[
        str | None,
        typer.Option("--raises", metavar="CAP", help="Most bets and raises a street, or by street: 3,2,1."),
    ] = None
    rake: Annotated[float | None, typer.Option("--rake", help="Share of the final pot for the house, 0 to 1.")] = None
    rake_cap: Annotated[float | None, typer.Option("--rake-cap", help="Most chips of rake.")] = None
    big_blind: Annotated[
        float | None, typer.Option("--bb", metavar="CHIPS", help="The big blind, to show results in bb and bb/100 too.")
    ] = None

    def table(self) -> dict[str, object]:
        """The given fields, as in a TOML file."""
        stack = {} if not self.stack else {"stack": stack_of(self.stack)}
        raises = {} if self.raises is None else {"raises": caps_of(self.raises)}
        return {**given_options(self), **stack, **raises}

    def over(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """A table of the fields of a spot, overridden by the options; one that takes the rake away takes its cap too.

        Raises:
            InputError: a cap without a rake.
        """
        table = {**given, **self.table()}
        if not table.get("rake") and self.rake_cap is not None:
            raise InputError("--rake-cap goes with --rake")
        if self.rake == 0.0:
            table.pop("rake_cap", None)
        return table


@dataclass(frozen=True)
class SpotLimits:
    """The solver of a spot, and its stopping rule."""

    method: Annotated[str | None, typer.Option("--method", help="cfr, cfr+, dcfr, pcfr+ or pdcfr+.")] = None
    exploitability: Annotated[
        str | None,
        typer.Option(
            "--exploitability", metavar="PERCENT", help="Stop at so many % of the pot (0.5), or at 0.3chips, 5mbb."
        ),
    ] = None
    iterations: Annotated[int | None, typer.Option("--iterations", help="Stop after this many iterations.")] = None
    seconds: Annotated[
        float | None, typer.Option("--seconds", help="Stop the solve of the spot after so many seconds.")
    ] = None
    precision: Annotated[
        str | None,
        typer.Option("--precision", help="double, single or half: less memory, faster (double; flops: single)."),
    ] = None

    def check(self) -> None:
        """Reject an invalid exploitability."""
        exploitability_of(self.exploitability, PERCENT)

    def check_solve(self) -> None:
        """Reject, before anything is read or built, invalid limits and names."""
        from counterplay.jit.threads import threads

        fine = exploitability_of(self.exploitability, PERCENT)
        if fine is not None and fine.number == 0.0 and self.iterations is None and self.seconds is None:
            raise InputError("at an exploitability of 0 a solve never ends: give --iterations or --seconds as well")
        threads()  # which refuses an absurd number in the environment
        stop_of(None, self.iterations, self.seconds)
        if self.method is not None:
            from counterplay.poker.spots.solve_spot import method_of

            method_of(self.method)

    def accuracy(self, spot: Spot) -> float | None:
        """The requested exploitability, in per cent of the pot; None if not given."""
        fine = exploitability_of(self.exploitability, PERCENT)
        if fine is None or fine.unit == PERCENT:
            return None if fine is None else fine.number
        return 100.0 * fine.chips(spot.stakes, "--exploitability") / spot.pot


@dataclass(frozen=True)
class SpotNodeFlags:
    """The nodes to show, and how."""

    node: Annotated[
        list[str] | None, typer.Option("--node", metavar="PATH", help="Show this node: 'x b100 c Ah'; several times.")
    ] = None
    values: Annotated[bool, typer.Option("--values", help="Show the EV of each action at the nodes too.")] = False
    ranges: Annotated[
        str | None,
        typer.Option("--ranges", metavar="NOTATION", help="Write the range of each action: plain, percent, gto+, pio."),
    ] = None
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write the nodes hand by hand as a table (.csv).")
    ] = None

    def check(self, as_json: bool) -> None:
        """Reject a notation of ranges that does not exist, and ranges as text where all weights are printed."""
        from counterplay.poker.ranges.notation import NOTATIONS

        if self.ranges is None:
            return
        if self.ranges not in NOTATIONS:
            raise unknown("notation", self.ranges, NOTATIONS, lacks="--ranges")
        if as_json:
            raise InputError("--ranges is for what is shown; with --json each hand has its weight and probabilities")


@dataclass(frozen=True)
class SolutionFlags(ResultFlags):
    """Output of a solution."""

    output: Annotated[Path | None, typer.Option("-o", "--output", help="Save the solution (.spot).")] = None


def stack_of(text: str) -> float | list[float]:
    """Chips left in front of both, or of each."""
    try:
        numbers = [float(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2):
        raise InputError(f"--stack takes one number of chips or two, OOP,IP, not {quoted(text)}")
    return numbers[0] if len(numbers) == 1 else numbers


def caps_of(text: str) -> int | list[int]:
    """Most bets and raises of every street, or of each."""
    words = [word.strip() for word in text.split(",")]
    if not all(word.isdecimal() and len(word) < _LONG for word in words):
        raise InputError(f"--raises takes a whole number, or one for each street as in 3,2,1, not {quoted(text)}")
    return int(words[0]) if len(words) == 1 else [int(word) for word in words]
