"""Command-line options for a blueprint of a whole game: its computation, and the nodes to show."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.commands.options.inputs import exploitability_of
from counterplay.commands.options.shared_options import Record, ResultFlags, Workers
from counterplay.endings import TRAINING
from counterplay.errors import InputError, quoted
from counterplay.files import check_writable
from counterplay.poker.betting.stakes import MILLI, Stakes

if TYPE_CHECKING:
    from counterplay.poker.whole_game.blueprints.blueprint import BlueprintOptions
    from counterplay.poker.whole_game.blueprints.board_split import BoardSplit

_METHODS = ("public", "cfr-br", "cfr", "cfr+", "dcfr")
_ITERATIONS = 4000
_MINUTE = 60.0


@dataclass(frozen=True)
class BlueprintFlags:
    """The method of a blueprint, and its stopping rule."""

    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            help="public sampling; cfr-br, public sampling against best responses on the last street; over all "
            "boards cfr, cfr+, dcfr (public).",
        ),
    ] = None
    iterations: Annotated[
        int | None, typer.Option("--iterations", help="Stop after this many (4000, if nothing else stops it).")
    ] = None
    seconds: Annotated[float | None, typer.Option("--seconds", help="Stop after this many seconds.")] = None
    minutes: Annotated[float | None, typer.Option("--minutes", help="Stop after this many minutes.")] = None
    exploitability: Annotated[
        str | None,
        typer.Option(
            "--exploitability", metavar="MBB", help="Stop at this many milli-big-blinds per hand, or at 0.01chips."
        ),
    ] = None
    threads: Annotated[
        int | None,
        typer.Option("--threads", help="At once (all cores for public sampling on several streets, else 1)."),
    ] = None
    training: Annotated[
        Path | None,
        typer.Option(
            "--training", help="Keep the regrets in this file now and then (.train), and go on from it if it is there."
        ),
    ] = None

    split: Annotated[
        int | None,
        typer.Option(
            "--split",
            metavar="SHARES",
            help="Sweep so many shares of the boards side by side, and add up their regrets (as many as --workers).",
        ),
    ] = None
    sum_every: Annotated[
        int | None,
        typer.Option("--sum-every", metavar="BOARDS", help="Most boards of a share between two sums (256)."),
    ] = None

    @property
    def name(self) -> str:
        """The method.

        Raises:
            InputError: unknown method.
        """
        if self.method is not None and self.method not in _METHODS:
            raise InputError(f"--method must be {', '.join(_METHODS)}, not {quoted(self.method)}")
        return self.method or _METHODS[0]

    def check(self) -> None:
        """Reject an invalid exploitability, two limits of time, a split that is none, and a training file that cannot be
        written."""
        if self.seconds is not None and self.minutes is not None:
            raise InputError("--seconds and --minutes say the same")
        exploitability_of(self.exploitability, MILLI)
        check_writable(self.training, TRAINING)
        self.board_split(self.split or 1)

    def board_split(self, shares: int) -> BoardSplit | None:
        """The split of the boards into so many shares; None for one.

        Raises:
            InputError: a number outside its range.
        """
        from counterplay.poker.whole_game.blueprints.board_split import USUAL_BOARDS, BoardSplit

        found = BoardSplit(
            shares if self.split is None else self.split, USUAL_BOARDS if self.sum_every is None else self.sum_every
        )
        return None if found.shares == 1 else found

    def options(self, stakes: Stakes) -> BlueprintOptions:
        """Limits and threads as `blueprint` takes them.

        Raises:
            InputError: numbers outside their range.
        """
        from counterplay.jit.threads import check_threads
        from counterplay.poker.whole_game.blueprints.blueprint import BlueprintOptions, check_limits

        limits = BlueprintOptions(training=self.training)
        if self.threads is not None:
            check_threads(self.threads, "--threads")
            limits["threads"] = self.threads
        amount = exploitability_of(self.exploitability, MILLI)
        seconds = self.seconds if self.minutes is None else _MINUTE * self.minutes
        if self.iterations is not None or (seconds is None and amount is None):
            limits["iterations"] = _ITERATIONS if self.iterations is None else self.iterations
        if seconds is not None:
            limits["seconds"] = seconds
        if amount is not None:
            chips = amount.chips(stakes, "--exploitability")
            limits["exploitability"] = (
                amount.number if amount.unit == MILLI else 1000.0 * chips / (stakes.big_blind or 1.0)
            )
        check_limits(limits.get("iterations"), limits.get("seconds", float("inf")), limits.get("exploitability", 0.0))
        return limits


@dataclass(frozen=True)
class NodeFlags:
    """The existing blueprint to show, and its nodes."""

    file: Annotated[Path | None, typer.Option("--file", help="Show an existing blueprint (.cpb, .fhp).")] = None
    node: Annotated[
        list[str] | None, typer.Option("--node", metavar="PATH", help="Show this node: 'raise 4, call', 'c x x'.")
    ] = None
    board: Annotated[
        str | None, typer.Option("--board", help="The cards of nodes after the flop is dealt: 'Qs Jh 2h'.")
    ] = None


@dataclass(frozen=True)
class MeasuredFlags(ResultFlags):
    """The output file of a blueprint, and its measurement."""

    output: Annotated[Path | None, typer.Option("-o", "--output", help="Save the blueprint (.cpb).")] = None
    workers: Workers = 1
    record: Record = None
