"""The demonstration: every method against a flawed Leduc player, as a table and a picture in the terminal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from counterplay.catalogue import METHODS
from counterplay.gametree.compile.load import load
from counterplay.measure.evaluate import evaluate
from counterplay.measure.frontier import frontier
from counterplay.measure.frontier_point import Point, write_plot
from counterplay.opponents.opponent import opponent
from counterplay.responses.respond import respond
from counterplay.result import json_document

GAME, PLAYER, HANDS = "leduc", "cfr+:5", 2000
_WIDTH, _HEIGHT = 64, 16
_TABLE_WIDTH = 110  # where the output is no terminal


def run_demo(seed: int, plot: Path | None, as_json: bool) -> None:
    """Respond to a model made from observed hands of a weak player; print each method's gain against the model and the
    player, and its risk.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    game = load(GAME)
    text = f"observed:{HANDS},{seed}:{PLAYER}"
    player, model = opponent(game, PLAYER, player=1), opponent(game, text, player=1)
    calls: list[dict[str, Any]] = [
        {"method": "br"},
        {"method": "mix", "p": 0.5},
        {"method": "dbr", "p": 0.9},
        {"method": "rnr", "p": 0.5},
        {"max_exploitability": 0.2},
        {"max_exploitability": 0.05},
        {"method": "bne"},
    ]
    answers = [respond(game, model, seed=seed, **call) for call in calls]
    truth = [evaluate(game, answer.strategy, player).gain or 0.0 for answer in answers]
    points = frontier(game, model, ("safe", "rnr", "mix", "dbr"), points=17)
    if plot:
        write_plot(points, plot, f"{GAME}: seat 0 against {text}")
    if as_json:
        rows = [{**answer.facts, "true_gain": gain} for answer, gain in zip(answers, truth, strict=True)]
        facts = {"opponent": text, "answers": rows, "frontier": [point.facts for point in points]}
        print(json.dumps(json_document("demo", facts), indent=1))
        return
    print(f"Leduc poker, seat 0, against a weak player ({PLAYER}) modelled from {HANDS:,} observed hands.")
    print(f"The game is worth {answers[0].game_value:+.4f} chips a hand; everything below is in chips a hand.\n")
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("method", no_wrap=True)
    for title in ("gain", "true gain", "exploitability", "seconds"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("what it is")
    for call, answer, true_gain in zip(calls, answers, truth, strict=True):
        dial = f" p={call['p']}" if "p" in call else "".join(f" {x}" for x in call.values() if isinstance(x, float))
        numbers = (answer.gain, true_gain, answer.exploitability, answer.seconds)
        table.add_row(answer.method + dial, *(f"{number:.3f}" for number in numbers), METHODS[answer.method])
    console = Console()
    console = console if console.is_terminal else Console(width=_TABLE_WIDTH)
    console.print(table)
    print("gain: against the model; true gain: against the player behind it.")
    print("Gain against the model (up) and exploitability (right):\n")
    print(text_plot(points))
    if plot:
        print(f"\nThe same as a picture: {plot}")


def text_plot(points: Sequence[Point]) -> str:
    """Points as letters on a grid, the first letter of each method; where two meet, the first method stays."""
    width, height, right = _WIDTH, _HEIGHT, max(point.exploitability for point in points) or 1.0
    top = max(point.gain for point in points) or 1.0
    grid = [[" "] * (width + 1) for _ in range(height + 1)]
    for point in points:
        column = round(width * max(0.0, point.exploitability) / right)
        row = height - round(height * max(0.0, point.gain) / top)
        if grid[row][column] == " ":
            grid[row][column] = point.method[0]
    margin = len(f"{top:.2f}")
    lines = []
    for i, row_text in enumerate(grid):
        label = f"{top:.2f}" if i == 0 else ("0" if i == height else "")
        lines.append(f"{label:>{margin}} |{''.join(row_text).rstrip()}")
    lines.append(" " * margin + " +" + "-" * (width + 1))
    lines.append(" " * margin + f" 0{f'{right:.2f}':>{width}}")
    names = ", ".join(f"{method[0]} = {method}" for method in dict.fromkeys(point.method for point in points))
    return "\n".join([*lines, " " * margin + f"  {names}"])
