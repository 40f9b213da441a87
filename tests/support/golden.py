"""Golden strategies: values and 32 random projections of solves and responses in every world.

`python -m tests.support.golden FILE` writes them; `--compare` computes them again and lists the differences from FILE.
A projection weights every probability by a number that depends on the texts of infoset and action alone: another layout
of one strategy has the same projections.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import counterplay as cp
from tests.support.stored_spots import SPOTS, large_from
from tests.support.whole_games import decisions

PROJECTIONS = 32
EXACT, ITERATED = 1e-12, 0.02
"""Largest relative difference of linear programs and single sweeps, and of iterated solves."""
_EXACT_SOLVERS = ("lp", "sweep")

GAMES = ("kuhn", "leduc", "goofspiel:4", "liars_dice:1,4", "rps:3")
MODELS = ("cfr+:5", "noise:0.3:nash", "random:7")
METHODS = (
    "br", "rnr:p=0.1", "rnr:p=0.5", "rnr:p=0.9", "mix:p=0.5", "safe:max_exploitability=0.05", "bne", "dbr:p=0.5", "cdbr",
    "cdrnr:p=0.5", "cdrnr:p=0.5,gadget=resolving", "cdbr-ne:p=0.5", "resolve", "ses:alpha=0.3",
    "abd:p=0.5,leaf=portfolio:uniform;nash",
)  # fmt: skip
POKER_METHODS = ("lbr",)
ITERATED_METHODS = ("rnr:p=0.5", "safe:max_exploitability=0.2")
MINIMISERS = ("cfr", "cfr+", "dcfr", "pcfr+", "pdcfr+")
SPOT_METHODS = ("br", "rnr:p=0.5", "safe:max_exploitability=5", "dbr:p=0.5", "mix:p=0.3", "cdrnr:p=0.5")
WHOLE = "holdem:deck=20,stack=4bb,bets=a,last=turn,buckets=4"
WHOLE_METHODS = ("br", "rnr:p=0.5", "mix:p=0.5", "dbr:p=0.5", "lbr")


@dataclass(frozen=True)
class Case:
    """A solve or a response. name: its words. compute: its `Answer` or `Equilibrium`. rows: the infosets of which it is
    asked; None for all."""

    name: str
    compute: Callable[[], Any]
    rows: Callable[[int], Iterable[str]] | None = None


def cases() -> Iterator[Case]:
    """Every case of every world."""
    for text in GAMES:
        yield from _of_listed_game(text)
    for street, spot in SPOTS.items():
        yield from _of_spot(street, spot)
    yield from _of_whole_game()


def _of_listed_game(text: str) -> Iterator[Case]:
    game = cp.load(text)
    for solver in ("lp", *MINIMISERS):
        stop = None if solver == "lp" else cp.Stop(iterations=200)
        yield Case(f"{text} | {solver}", lambda s=solver, t=stop: cp.solve(game, solver=s, stop=t))
    methods = METHODS + (POKER_METHODS if text == "leduc" else ())
    for name, seat in product(MODELS, (0, 1)):
        model = cp.opponent(game, name, player=1 - seat)
        for method in methods:
            yield Case(f"{text} | {method} | {name} | seat {seat}", lambda y=model, m=method: cp.respond(game, y, m))
        for method, solver in product(ITERATED_METHODS, ("cfr+", "dcfr")):
            yield Case(
                f"{text} | {method} by {solver} | {name} | seat {seat}",
                lambda y=model, m=method, s=solver: cp.respond(game, y, m, solver=s, stop=cp.Stop(iterations=100)),
            )


def _of_spot(street: str, spot: Any) -> Iterator[Case]:
    """A spot in arrays (the river) and in a store."""
    stop, kinds = cp.Stop(iterations=64), ("arrays", "store") if street == "river" else ("store",)
    for kind, name, seat in product(kinds, ("noise:0.5:nash", "uniform"), (0, 1)):
        for method in SPOT_METHODS:

            def compute(kind: str = kind, name: str = name, seat: int = seat, method: str = method) -> Any:
                with large_from(1 << 40 if kind == "arrays" else 1):
                    game = cp.load(spot)
                    model = cp.opponent(game, name, player=1 - seat)
                    return cp.respond(game, model, method, solver="dcfr", stop=stop)

            yield Case(f"{street} in {kind} | {method} | {name} | seat {seat}", compute)


def _of_whole_game() -> Iterator[Case]:
    game = cp.load(WHOLE, say=lambda _: None)
    for name, seat in product(("noise:0.3:nash", "uniform"), (0, 1)):
        model = cp.opponent(game, name, player=1 - seat)
        for method in WHOLE_METHODS:
            yield Case(
                f"{WHOLE} | {method} | {name} | seat {seat}",
                lambda y=model, m=method: cp.respond(game, y, m, stop=cp.Stop(iterations=200)),
                lambda player: dict.fromkeys(decisions(game, player, seed=3, hands=200)),
            )


def measured(case: Case) -> dict[str, Any]:
    """The values of a case and its projections, or the sentence that refuses it."""
    try:
        found = case.compute()
    except cp.InputError as error:
        return {"refused": str(error)}
    kept = {}
    for name in ("value", "game_value", "value_against_model", "exploitability", "edge", "risk"):
        number = getattr(found, name, None)
        if isinstance(number, float) and number == number:  # no NaN
            kept[name] = number
    solver = getattr(found, "solver", None) or found.solution.method
    strategies = getattr(found, "strategies", None) or (found.strategy,)
    return kept | {"solver": solver, "projections": projections(strategies, case.rows)}


def projections(strategies: Iterable[Any], rows: Callable[[int], Iterable[str]] | None = None) -> list[float]:
    """(32,) sums of all probabilities, each weighted by a number in [-1, 1] that its texts determine."""
    total = np.zeros(PROJECTIONS)
    for strategy in strategies:
        for infoset, row in _table(strategy, rows):
            for action, probability in row.items():
                total += probability * _weights(f"{strategy.player}|{infoset}|{action}")
    return [float(number) for number in total]


def _table(strategy: Any, rows: Callable[[int], Iterable[str]] | None) -> Iterator[tuple[str, Mapping[str, float]]]:
    if rows is not None:
        return ((infoset, strategy.probabilities(infoset)) for infoset in rows(strategy.player))
    return iter(getattr(strategy, "whole", strategy).table().items())


def _weights(text: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """(32,) numbers in [-1, 1] that belong to a text."""
    digest = blake2b(text.encode(), digest_size=64).digest()
    return np.frombuffer(digest, np.uint16).astype(float) / 32767.5 - 1.0


def differences(now: Mapping[str, Any], then: Mapping[str, Any]) -> list[str]:
    """What two measurements of one case do not share, one sentence each."""
    if "refused" in now or "refused" in then:
        return [] if now == then else [f"{then.get('refused', 'computed')} -> {now.get('refused', 'computed')}"]
    slack = EXACT * 1e3 if then["solver"] in _EXACT_SOLVERS else ITERATED
    found = []
    for name in then:
        one, two = np.atleast_1d(now[name]), np.atleast_1d(then[name])
        if name != "solver" and np.abs(one - two).max() > slack * max(1.0, float(np.abs(two).max())):
            found.append(f"{name}: {two[0]:.12g} -> {one[0]:.12g}, at most {np.abs(one - two).max():.3g} apart")
    return found


def main(path: Path, compare: bool) -> None:
    """Write the golden file, or compare with it."""
    then = json.loads(path.read_text()) if compare else {}
    now = {}
    for number, case in enumerate(cases(), 1):
        if compare and case.name not in then:
            print(f"new: {case.name}")
            continue
        now[case.name] = measured(case)
        print(f"\r{number} cases", end="", file=sys.stderr, flush=True)
        for line in differences(now[case.name], then[case.name]) if compare else ():
            print(f"{case.name}: {line}", flush=True)
    if compare:
        print(f"\n{len(now)} of {len(then)} cases computed again", file=sys.stderr)
    else:
        path.write_text(json.dumps(now, indent=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--compare" in sys.argv[2:])
