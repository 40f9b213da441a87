"""The demonstration: every method against one flawed Leduc opponent, as a table and a picture in the terminal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from counterplay.measure.frontier import Point, frontier, write_plot
from counterplay.opponents.opponent import opponent
from counterplay.responses.respond import METHODS, respond
from counterplay.subgames.load import load

GAME, HANDS = "leduc", 2000
_WIDTH, _HEIGHT = 64, 16


def run_demo(seed: int, plot: Path | None, as_json: bool) -> None:
    """Respond to a model made from observed hands of a weak player, print what each method wins and risks."""
    game = load(GAME)
    flawed = f"observed:{HANDS},{seed}:cfr+:5"
    model = opponent(game, flawed, player=1)
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
    points = frontier(game, model, ("safe", "rnr", "mix", "dbr"), points=9)
    if plot:
        write_plot(points, plot, f"{GAME}: seat 0 against {flawed}")
    if as_json:
        rows = [answer.facts() for answer in answers]
        print(json.dumps({"opponent": flawed, "answers": rows, "frontier": [vars(p) for p in points]}, indent=1))
        return
    print(f"Leduc poker, seat 0. The opponent model: {HANDS:,} observed hands of a weak player ({flawed}).")
    print(f"The game is worth {answers[0].game_value:+.4f} chips a hand; everything below is in chips a hand.\n")
    _print_table([(*_row(call, answer), METHODS[answer.method]) for call, answer in zip(calls, answers, strict=True)])
    print("\ngain (up) against exploitability (right)")
    print(text_plot(points))
    if plot:
        print(f"\nThe same as a picture: {plot}")


def _row(call: dict[str, Any], answer: Any) -> tuple[str, str, str, str]:
    dial = f" p={call['p']}" if "p" in call else ""
    dial = f" e={call['max_exploitability']}" if "max_exploitability" in call else dial
    return answer.method + dial, f"{answer.gain:.4f}", f"{answer.exploitability:.4f}", f"{answer.seconds:.3f}"


def _print_table(rows: list[tuple[str, str, str, str, str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("method", no_wrap=True)
    for title in ("gain", "exploitability", "seconds"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("what it is")
    for row in rows:
        table.add_row(*row)
    Console().print(table)


def text_plot(points: Sequence[Point], width: int = _WIDTH, height: int = _HEIGHT) -> str:
    """Points as letters on a grid, the first letter of each method; where two meet, the first method stays."""
    right = max(point.exploitability for point in points) or 1.0
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
