"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.catalogue import GADGETS, SOLVERS

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of whatever is random; noted in the result.")]
Memory = Annotated[float | None, typer.Option("--memory", help="Refuse games above this many GiB (default: half).")]
Workers = Annotated[
    int, typer.Option("--workers", help="Processes that compute at the same time; their number changes no result.")
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
Solver = Annotated[str, typer.Option("--solver", help=f"{', '.join(SOLVERS)}.")]
STRATEGIES, PICTURES = (".json", ".cps"), (".png", ".svg", ".pdf")
"""Endings of the files that commands write."""
Depth = Annotated[
    str | None,
    typer.Option(
        "--depth", metavar="N|round|game", help="How far to look ahead (cdbr, cdrnr, abd, cdbr-ne, resolve, ses)."
    ),
]
Gadget = Annotated[
    str | None,
    typer.Option("--gadget", help=f"{', '.join(GADGETS)} (cdrnr, abd, resolve, ses)."),
]
Value = Annotated[
    str | None,
    typer.Option(
        "--value", help="Behind the limit: exact, lp, cfr:N, rollout:N[,SEED], portfolio:A;B or module:function."
    ),
]
Solve = Annotated[
    str | None, typer.Option("--solve", help="joint: all states of a level at once; per-state: each alone, as in play.")
]


Alpha = Annotated[float | None, typer.Option("--alpha", help="Exploitation level of ses, 0 to 1.")]
Prior = Annotated[
    str | None,
    typer.Option(
        "--prior", help="Refines a gadget's equilibrium: none, uniform, blueprint or a .json file of weights."
    ),
]
Epsilon = Annotated[
    float | None, typer.Option("--epsilon", help="Tremble toward the prior (0.001; lp takes its limit 0).")
]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", help="Save it (.json or .cps; of a spot of hold'em also .spot).")
]
