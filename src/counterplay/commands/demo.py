"""The command that shows every method at work. Registered in `registry.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.commands.options.shared_options import Json, Seed


def demo(
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the frontier (.png, .svg, .pdf).")] = None,
    as_json: Json = False,
    seed: Seed = 7,
) -> None:
    """Respond to a flawed Leduc opponent with every method, and draw gain against exploitability."""
    from counterplay.measure.demo import run_demo
    from counterplay.measure.figures import check_picture

    check_picture(plot)
    run_demo(seed, plot, as_json)
