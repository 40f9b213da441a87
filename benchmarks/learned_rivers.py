"""Learned values where a turn ends: errors against solved rivers, time of a call, and responses by look-aheads.

    .venv/bin/python benchmarks/learned_rivers.py [FILE.cpn]

Each turn is solved exactly beside it. Errors are in per cent of the pot: of the claims of both players, and of hands,
weighted by reach; beside them those of showdowns without bets.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import counterplay as cp
from common import table
from counterplay.poker.public_tree.public_tree import public_tree
from counterplay.poker.spots.spot import Spot
from counterplay.poker.subtrees.street_limit import StreetEnd, truncate
from counterplay.value_functions.leaf_value import Evaluate
from counterplay.value_functions.solved_value import SolvedValue

EXAMPLE = Path(__file__).parent.parent / "examples" / "rivers.cpn"
TURNS = (
    Spot("Qs Jh 2h 8d", "QQ,JJ,AQs,KQs,T9s,98s,A5s,KTs", "22,88,AQo,KJs,QJs,T9s,J9s", 100, 200, bets="100%, a"),
    Spot("Ah 7c 7d 3s", "AA,33,AKs,AJs,87s,KQs,65s", "AQo,A7s,88,99,TT,KJs,54s", 100, 500, bets="100%, a"),
)
EXACT, PAIRS = "dcfr:300", 4


@dataclass
class Errors:
    """Of one value function at the end of one turn."""

    claim: float = 0.0
    hand: float = 0.0
    seconds: float = 0.0


def main() -> None:
    """Print both tables."""
    value = f"net:{sys.argv[1] if len(sys.argv) > 1 else EXAMPLE}"
    rows = [[str(k + 1), *row] for k, spot in enumerate(TURNS) for row in _errors(spot, value)]
    table("Values where the turn ends", ["turn", "value", "claims (%)", "hands (%)", "ms a call"], rows)
    rows = [[str(k + 1), *row] for k, spot in enumerate(TURNS) for row in _responses(spot, value)]
    table("Responses to uniform play", ["turn", "value", "p", "gain (%)", "exploitability (%)", "CPU s"], rows)


def _errors(spot: Spot, value: str) -> list[list[str]]:
    end = truncate(public_tree(spot.betting, spot.cards), 0)
    weights, rng = spot.cards.weights, np.random.default_rng(0)
    exact, learned = SolvedValue.from_text(EXACT).at(end), cp.NetworkValue(value.removeprefix("net:")).at(end)
    shown = _showdowns(spot)
    found = {"network": Errors(), "showdowns": Errors(), EXACT: Errors()}
    for _ in range(PAIRS):
        ranges = [np.tile(one, len(end.deals)) * rng.random(end.sizes[0]) for one in weights]
        truth = _timed(exact, ranges, found[EXACT])
        for name, evaluate in (("network", learned), ("showdowns", shown)):
            _add(found[name], end, ranges, _timed(evaluate, ranges, found[name]), truth)
    return [
        [name, f"{one.claim / PAIRS:.2f}", f"{one.hand / PAIRS:.2f}", f"{1000 * one.seconds / PAIRS:.0f}"]
        for name, one in found.items()
    ]


def _showdowns(spot: Spot) -> Evaluate:
    """The exact values of the same turn where nobody bets on the river."""
    quiet = Spot(spot.board, spot.oop, spot.ip, spot.pot, spot.stack, bets="100%, a; river: none")
    end = truncate(public_tree(quiet.betting, quiet.cards), 0)
    return SolvedValue.from_text("cfr+:2").at(end)


def _timed(evaluate: Evaluate, ranges: list[Any], into: Errors) -> tuple[Any, Any]:
    begin = time.process_time()
    found = evaluate(ranges[0], ranges[1])
    into.seconds += time.process_time() - begin
    return found


def _add(into: Errors, end: StreetEnd, ranges: list[Any], found: tuple[Any, Any], truth: tuple[Any, Any]) -> None:
    """Errors at the deals, in per cent of their pots, weighted by the pairs of hands that meet there."""
    deals, total = len(end.deals), 0.0
    claims = hands = 0.0
    for k, pot in enumerate(end.pots.tolist()):
        here = [np.split(ranges[i], deals)[k] for i in (0, 1)]
        wrong = [np.split(found[i] - truth[i], deals)[k] for i in (0, 1)]
        total += float(here[0].sum() * here[1].sum()) * end.unit
        claims += sum(abs(float(one @ other)) for one, other in zip(here, wrong, strict=True)) / (2.0 * pot)
        hands += sum(float(one @ np.abs(other)) for one, other in zip(here, wrong, strict=True)) / (2.0 * pot)
    into.claim += 100.0 * claims / total
    into.hand += 100.0 * hands / total


def _responses(spot: Spot, value: str) -> list[list[str]]:
    rows = []
    for name, text in (("exact", None), ("network", value), ("showdowns", "equity")):
        for p in (0.0, 0.5):
            begin = time.process_time()
            model = cp.opponent(spot, "uniform", 1)
            answer = cp.respond(spot, model, "cdrnr", p=p, depth="round", leaf=text)
            took = time.process_time() - begin
            share = 100.0 / spot.pot
            rows.append(
                [name, f"{p:g}", f"{share * answer.gain:.2f}", f"{share * answer.exploitability:.2f}", f"{took:.1f}"]
            )
    return rows


if __name__ == "__main__":
    main()
