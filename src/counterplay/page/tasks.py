"""Long work of the page, as records that travel to a worker process. Results are files of the page's folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from counterplay.about import version
from counterplay.files import write_whole
from counterplay.measure.leak_frontier import LeakCorner, LeakFrontier, leak_frontier
from counterplay.page.spot_opponents import SpotOpponent
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.locking.strategy_diff import diff_strategies
from counterplay.poker.plan_stores.spot_plans import SpotPlans
from counterplay.poker.spots.solution import SolvedSpot, load_spot
from counterplay.poker.spots.solve_spot import solve_spot
from counterplay.poker.spots.spot import Spot

Report = Callable[[Mapping[str, Any]], None]
"""Called now and then with plain facts: iterations, exploitability in chips, corners."""
ANSWER = "answer.json"
EQUILIBRIUM, VILLAIN = "equilibrium.spot", "villain.spot"


class Task(Protocol):
    """Work of a worker."""

    def run(self, report: Report) -> dict[str, Any]:
        """Do it, and return plain facts.

        Raises:
            InputError: a sentence for the user.
        """


@dataclass(frozen=True)
class SolveSpot:
    """Solve a spot and keep it as a file.

    Attributes:
        table: the spot (see `Spot.from_table`).
        exploitability: where the solve stops, per cent of the pot.
        path: the file.
    """

    table: Mapping[str, Any]
    exploitability: float
    path: Path

    def run(self, report: Report) -> dict[str, Any]:
        spot = Spot.from_table(self.table)

        def tell(iterations: int, exploitability: float) -> None:
            report({"iterations": iterations, "exploitability": exploitability})

        solved = solve_spot(spot, exploitability=self.exploitability, progress=tell)
        solved.save(self.path)
        return {name: solved.facts[name] for name in ("iterations", "exploitability", "seconds", "interrupted")}


@dataclass(frozen=True)
class AnswerOpponent:
    """Find the frontier of answers to an opponent, and keep its corners as files.

    Attributes:
        name: of the solved spot.
        spot: its file.
        opponent: with leaks.
        corners: the most of them.
        folder: of the answer.
    """

    name: str
    spot: Path
    opponent: SpotOpponent
    corners: int
    folder: Path

    def run(self, report: Report) -> dict[str, Any]:
        solved = load_spot(self.spot)
        lock, told = self.opponent.lock(solved)
        found: list[LeakCorner] = []
        state: dict[str, Any] = {}

        def tell(iterations: int, exploitability: float) -> None:
            report({**state, "iterations": iterations, "exploitability": exploitability})

        def keep(corner: LeakCorner) -> None:
            found.append(corner)
            state["corners"] = len(found)
            report(state)

        curve = leak_frontier(lock, corners=self.corners, progress=tell, found=keep)
        self.folder.mkdir(parents=True, exist_ok=True)
        curve.solved.save(self.folder / EQUILIBRIUM)
        replace(_answered(curve, curve.corners[-1]), plans=_facing_leak(curve)).save(self.folder / VILLAIN)
        for number, corner in enumerate(curve.corners):
            _answered(curve, corner).save(self.folder / corner_file(number))
        facts = {"spot": self.name, **told, **_facts(curve)}
        write_whole(self.folder / ANSWER, json.dumps(facts, indent=1).encode())
        return {"corners": len(curve.corners), "interrupted": curve.interrupted}


def corner_file(number: int) -> str:
    """The name of a corner's file."""
    return f"corner{number}.spot"


def is_answer(facts: Mapping[str, Any]) -> bool:
    """Whether facts of a file are those of an answer, as `AnswerOpponent` writes them."""
    corners = facts.get("corners")
    return (
        isinstance(facts.get("spot"), str)
        and _is_number(facts.get("value"))
        and (facts.get("value_gap") is None or _is_number(facts["value_gap"]))
        and type(facts.get("opponent")) is int
        and facts["opponent"] in (0, 1)
        and isinstance(facts.get("interrupted"), bool)
        and all(isinstance(facts.get(name), list) for name in ("notes", "locked"))
        and isinstance(corners, list)
        and len(corners) > 0
        and all(_is_corner(one) for one in corners)
    )


def _is_corner(found: Any) -> bool:
    return isinstance(found, dict) and all(_is_number(found.get(name)) for name in ("p", "gain", "exploitability"))


def _is_number(found: Any) -> bool:
    return isinstance(found, int | float) and not isinstance(found, bool)


def _answered(curve: LeakFrontier, corner: LeakCorner) -> SolvedSpot:
    """A corner as a solved spot: the answer in the responder's seat, the worst opponent with the leak in the other."""
    facts = {
        "opponent": PLAYERS[curve.lock.opponent],
        "p": corner.p,
        "gain": corner.gain,
        "value_gap": curve.value_gap,
        "exploitability": corner.exploitability,
        "exploitability_percent": 100.0 * corner.exploitability / curve.solved.spot.pot,
        "version": version(),
    }
    plans = corner.plans.facing(curve.lock.opponent, curve.worst_opponent or curve.lock.plans)
    return replace(curve.solved, plans=plans, facts=facts)


def _facing_leak(curve: LeakFrontier) -> SpotPlans:
    """The last answer, against the player with the leaks who elsewhere plays the equilibrium: an opponent at a table."""
    return curve.corners[-1].plans.facing(curve.lock.opponent, curve.lock.plans)


def _facts(curve: LeakFrontier) -> dict[str, Any]:
    """All of an answer but its strategies and who it is to."""
    lock = curve.lock
    locked = {lock.solved.tree.betting.path(node) for node in lock.nodes}
    last = replace(curve.solved, plans=curve.corners[-1].plans.facing(lock.opponent, lock.beside(curve.worst_opponent)))
    changes = [one for one in diff_strategies(curve.solved, last, lock.opponent) if one.path in locked]
    return {
        "opponent": lock.opponent,
        "value": curve.value,
        "value_gap": curve.value_gap,
        "interrupted": curve.interrupted,
        "corners": [{"p": one.p, "gain": one.gain, "exploitability": one.exploitability} for one in curve.corners],
        "notes": list(lock.lowered),
        "locked": [_locked(one.facts()) for one in changes],
    }


def _locked(facts: Mapping[str, Any]) -> dict[str, Any]:
    """A locked node: its path, actions, and frequencies before and with the leak."""
    kept = {name: facts[name] for name in ("path", "actions", "before", "after")}
    return {**kept, **{name: [x if x == x else None for x in kept[name]] for name in ("before", "after")}}
