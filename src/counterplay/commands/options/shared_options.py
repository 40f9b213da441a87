"""Arguments and options that several commands share, and records of those that go together.

The records of a method have the fields of `responses` and `lookahead`; a test holds them to that, so that the command line
need not load those to show its help.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from counterplay.catalogue import GADGETS, SOLVERS
from counterplay.endings import RECORD, STRATEGY, TEXT_STRATEGY
from counterplay.errors import InputError, quoted
from counterplay.work.processes import WorkerCount, read_workers

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of all randomness; recorded in the result.")]
Memory = Annotated[float | None, typer.Option("--memory", help="Refuse games above this many GiB (default: half).")]


def _workers_of(given: WorkerCount) -> WorkerCount:
    """Workers as an option reads them."""
    try:
        return read_workers(given)
    except InputError as error:
        raise typer.BadParameter(str(error)) from None


Workers = Annotated[
    Any,
    typer.Option(
        "--workers",
        "--cluster",
        metavar="N|ADDRESS",
        parser=_workers_of,
        help="Number of processes, or a dask cluster (tcp://...); neither changes the result.",
    ),
]
Record = Annotated[
    Path | None,
    typer.Option("--record", help="Keep every finished part here (.work), and resume from it."),
]
Spec = Annotated[str, typer.Argument(metavar="GAME", help="leduc, openspiel:leduc_poker, game.efg, river.toml, ...")]
To = Annotated[
    str,
    typer.Option(
        "--to",
        metavar="OPPONENT",
        help="A model: uniform, cfr+:10, s1, file.json, module:policy, and the others below.",
    ),
]
Precision = Annotated[
    str, typer.Option("--precision", help="double, or single: half of the memory, by a minimiser in float32.")
]
Solver = Annotated[str, typer.Option("--solver", help=f"{', '.join(SOLVERS)}.")]
RECORDS = (RECORD,)
STRATEGIES = (TEXT_STRATEGY, STRATEGY)
"""Endings of the files that commands write."""
Value = Annotated[
    str | None,
    typer.Option(
        "--value", help="At the limit: exact, lp, cfr:N, rollout:N[,SEED], portfolio:A;B, net:FILE or module:function."
    ),
]
Gadget = Annotated[str | None, typer.Option("--gadget", help=f"{', '.join(GADGETS)} (cdrnr, abd, resolve, ses).")]
Epsilon = Annotated[
    float | None, typer.Option("--epsilon", help="Tremble toward the prior (0.001; lp takes its limit 0).")
]
Normalised = Annotated[
    bool | None, typer.Option("--normalised/--unnormalised", help="Give all infosets equal weight, as SES does.")
]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", help="Save it (.json or .cps; of a spot of hold'em also .spot).")
]


class Seat(StrEnum):
    """A seat, as text of the command line."""

    FIRST = "0"
    SECOND = "1"


@dataclass(frozen=True)
class DialFlags:
    """The method and its trust in the model."""

    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            help="One of those below, or its text as in rnr:p=0.5; by default safe, rnr or br: as "
            "--max-exploitability, --p or neither is given.",
        ),
    ] = None
    p: Annotated[float | None, typer.Option("--p", help="Trust in the model, 0 to 1; weight in mix and cdbr-ne.")] = (
        None
    )
    max_exploitability: Annotated[
        str | None,
        typer.Option(
            "--max-exploitability",
            metavar="CHIPS",
            help="For safe, or instead of --p: chips a hand, or 1% of a spot's pot (of the span).",
        ),
    ] = None
    alpha: Annotated[float | None, typer.Option("--alpha", help="Exploitation level of ses, 0 to 1.")] = None


@dataclass(frozen=True)
class LookFlags:
    """The look-ahead of a method, without its value function."""

    depth: Annotated[
        str | None,
        typer.Option(
            "--depth",
            metavar="N|round|game",
            help="How far cdbr, cdrnr, abd, cdbr-ne, resolve, ses look (1; in hold'em round).",
        ),
    ] = None
    gadget: Gadget = None
    solve: Annotated[
        str | None,
        typer.Option("--solve", help="joint: all states of a level at once; per-state: each alone, as in play."),
    ] = None
    prior: Annotated[
        str | None,
        typer.Option(
            "--prior", help="Refines a gadget's equilibrium: none, uniform, blueprint or a .json file of weights."
        ),
    ] = None
    epsilon: Epsilon = None
    normalised: Normalised = None


@dataclass(frozen=True)
class ShownFlags:
    """Output format and seed of a command; one that draws nothing leaves the seed out."""

    as_json: Json = False
    seed: Seed = 0


@dataclass(frozen=True)
class RunFlags(ShownFlags):
    """Memory limit, output format and seed of a command."""

    memory: Memory = None


@dataclass(frozen=True)
class ResultFlags(RunFlags):
    """`RunFlags` and the output file."""

    output: Output = None


@dataclass(frozen=True)
class BoardFlags:
    """In whole games of hold'em: what is won on drawn boards, and who computes that."""

    boards: Annotated[
        int | None,
        typer.Option("--boards", help="In whole games of hold'em: by so many drawn boards, both strategies as ranges."),
    ] = None
    workers: Workers = 1
    record: Record = None


Blueprint = Annotated[
    str | None,
    typer.Option(
        "--blueprint",
        metavar="FILE",
        help="With --flops: what edge and risk are counted from; by default made at once by 4,000 iterations.",
    ),
]


@dataclass(frozen=True)
class FlopFlags:
    """In whole games of hold'em: what is won on drawn flops, and who computes that."""

    flops: Annotated[
        str | None,
        typer.Option("--flops", help="In whole games of hold'em: what is won, by so many drawn flops, or all."),
    ] = None
    blueprint: Blueprint = None
    workers: Workers = 1
    record: Record = None

    @property
    def count(self) -> int | str:
        """A number of flops, or all.

        Raises:
            InputError: it is neither.
        """
        text = self.flops or ""
        if text != "all" and not (text.isdecimal() and len(text) < 8):
            raise InputError(f"--flops is a number or all, not {quoted(text)}")
        return text if text == "all" else int(text)


def check_no_work(flags: BoardFlags | FlopFlags, goes_with: str) -> None:
    """Refuse workers and a record where there is no work for them.

    Raises:
        InputError: the message names the option that they go with.
    """
    if flags.workers != 1 or flags.record is not None:
        raise InputError(f"--workers and --record go with {goes_with}")
