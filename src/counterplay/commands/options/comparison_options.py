"""Command-line options of `frontier`: who meets whom, by which methods, and where the points go."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.commands.options.inputs import RespondSeat
from counterplay.commands.options.option_records import given_options
from counterplay.commands.options.shared_options import (
    Blueprint,
    LookFlags,
    Record,
    ResultFlags,
    Seat,
    Solver,
    Workers,
)
from counterplay.endings import TABLE
from counterplay.files import check_writable
from counterplay.texts.grammar import parts

if TYPE_CHECKING:
    from counterplay.measure.comparison import ContestSettings


@dataclass(frozen=True)
class ContestFlags:
    """Games, opponents and methods: fields of `measure.comparison.ContestSettings`."""

    game: Annotated[list[str], typer.Argument(metavar="GAME...", help="One game, or several to compare methods in.")]
    to: Annotated[
        list[str],
        typer.Option("--to", metavar="OPPONENT", help="As elsewhere; several times, or A;B. leduc=s1 is for one game."),
    ]
    methods: Annotated[str, typer.Option("--methods", help="Methods, separated by commas.")] = "rnr,safe,mix,bne,br"
    seat: RespondSeat = Seat.FIRST
    points: Annotated[int, typer.Option("--points", help="Points of each method; of rnr corners at most.")] = 11
    within: Annotated[
        str | None,
        typer.Option("--within", metavar="S,S", help="Table of the gain within these shares of the payoffs' span."),
    ] = None

    @property
    def is_single(self) -> bool:
        """Whether one game and one opponent are asked for, and no table."""
        opponents = [word for text in self.to for word in parts(text, ";") if word]
        return len(set(self.game)) == len(opponents) == 1 and self.within is None

    def shares(self) -> tuple[float, ...]:
        """The limits of the table, as shares of the payoffs' span.

        Raises:
            InputError: they are no numbers.
        """
        from counterplay.measure.comparison import ContestSettings, shares

        if self.is_single:
            return ()
        return tuple(ContestSettings.within) if self.within is None else shares(self.within)


@dataclass(frozen=True)
class DrawFlags:
    """Flops on which a frontier is measured."""

    flops: Annotated[
        str | None,
        typer.Option("--flops", help="In whole games of hold'em: measure on so many drawn flops, or all."),
    ] = None
    blueprint: Blueprint = None


@dataclass(frozen=True)
class ValueFlags:
    """Value functions and solver of a comparison."""

    value: Annotated[
        list[str] | None,
        typer.Option("--value", help="As elsewhere; several times: abd=portfolio:A;B is for one method or game."),
    ] = None
    solver: Solver = "auto"


@dataclass(frozen=True)
class PointsFlags(ResultFlags):
    """Output of the points of a frontier, and their computation."""

    workers: Workers = 1
    record: Record = None
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the points (.csv).")] = None
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw a picture (.png, .svg, .pdf).")] = None

    def check(self) -> None:
        """Check, before any computation, that the output can be written and drawn."""
        from counterplay.measure.figures import check_picture

        check_writable(self.output, TABLE)
        check_picture(self.plot)


def settings_of(who: ContestFlags, look: LookFlags, by: ValueFlags, seed: int) -> ContestSettings:
    """The comparison that is asked for.

    Raises:
        InputError: shares that are no numbers.
    """
    from counterplay.measure.comparison import ContestSettings

    methods = list(dict.fromkeys(word for word in parts(who.methods, ",") if word))
    return ContestSettings(
        who.game, who.to, methods, within=who.shares(), points=who.points, seat=int(who.seat), seed=seed,
        far=given_options(look), values=by.value or [], solver=by.solver,
    )  # fmt: skip
