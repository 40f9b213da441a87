"""Exploitability against the error of learned values, for five sizes of training, beside the bound of Milec et al. 2024
(theorem E.4) at p = 0. It needs torch (`counterplay[learn]`), and some five minutes of one core; the picture goes to
the path on the command line:

    .venv/bin/python benchmarks/learned_values.py docs/learned-values.png

The bound is the number of infosets at the border, those of both players, times the largest error of a CFV over ten pairs of
random strategies; its terms for the regret of the solver are left out, so that the whole bound is larger.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import counterplay as cp
from common import table
from counterplay.figures import plotter, save_figure
from counterplay.gametree.compile.levels import Depth
from counterplay.learning.learn_value import LearnedValue, draw_played, learn_value, measure_network
from counterplay.learning.settings import ValueSettings
from counterplay.networks.border_states import borders_of
from counterplay.networks.value_network import ValueNetwork, load_value_network
from counterplay.value_functions.solved_value import SolvedValue

GAME, DEPTH = "leduc", "round"
EXAMPLE = Path(__file__).parent.parent / "examples" / "leduc.cpn"
SIZES = ((6_000, 4), (12_000, 8), (24_000, 16), (48_000, 24))
"""Drawn samples and passes over them; a quarter as many are asked for. The fifth is the network of the examples."""


def main() -> None:
    """Train, respond, print and draw."""
    game = cp.load(GAME)
    rows = [_measured(game, _trained(samples, epochs, game)) for samples, epochs in SIZES]
    rows.append(_measured(game, load_value_network(EXAMPLE)))
    slope, offset = np.polyfit([row["mean"] for row in rows], [row["exploitability"] for row in rows], 1)
    table(f"Learned values of {GAME}, depth {DEPTH}", list(rows[0]), [list(row.values()) for row in rows])
    print(f"exploitability = {offset:.4f} + {slope:.3f} mean error")
    if len(sys.argv) > 1:
        _draw(rows, (float(slope), float(offset)), Path(sys.argv[1]))


def _trained(samples: int, epochs: int, game: cp.GameTree) -> ValueNetwork:
    settings = ValueSettings(GAME, DEPTH, samples=samples, asked=samples // 4, epochs=epochs)
    return measure_network(learn_value(settings), game)


def _measured(game: cp.GameTree, net: ValueNetwork) -> dict[str, float]:
    """Errors in chips, exploitability of the response at p = 0, and the bound."""
    value: Any = LearnedValue(net)
    answer = cp.respond(game, cp.opponent(game, "uniform"), "cdrnr", p=0.0, depth=DEPTH, leaf=value)
    border = borders_of(game, Depth.of(DEPTH))[0]
    learned, exact, rng = value.at(border), SolvedValue().at(border), np.random.default_rng(1)
    largest = 0.0
    for _ in range(10):
        ranges = draw_played(border, rng)
        pairs = zip(learned(*ranges), exact(*ranges), strict=True)
        largest = max(largest, *(float(np.abs(one - other).max()) for one, other in pairs))
    errors = net.about["errors"]
    return {
        "samples": net.about["samples"], "mean": errors["mean"], "worst": errors["worst"],
        "exploitability": answer.exploitability, "gain": answer.gain, "bound": sum(border.sizes) * largest,
    }  # fmt: skip


def _draw(rows: list[dict[str, float]], line: tuple[float, float], path: Path) -> None:
    pyplot = plotter()
    figure, axes = pyplot.subplots(figsize=(7.0, 4.5), layout="constrained")
    error = [row["mean"] for row in rows]
    ends = np.array([min(error), max(error)])
    axes.loglog(error, [row["exploitability"] for row in rows], "o", label="measured, p = 0")
    axes.loglog(ends, line[1] + line[0] * ends, "--", label=f"{line[1]:.3f} + {line[0]:.2f} error")
    axes.loglog(error, [row["bound"] for row in rows], "s:", label="bound of Milec et al. 2024, theorem E.4")
    axes.set_xlabel("mean error of the claims (chips)")
    axes.set_ylabel("exploitability (chips a hand)")
    axes.set_title(f"{GAME}: learned values after the first round")
    axes.grid(alpha=0.3, which="both")
    axes.legend()
    save_figure(figure, path, pyplot)


if __name__ == "__main__":
    main()
