"""Long work of the page, as calls that travel to a worker process. Results are files of the page's folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import counterplay as cp
from counterplay.about import version
from counterplay.blueprints.gadget_drawing import draw_gadget
from counterplay.display import shell_word
from counterplay.errors import InputError, quoted
from counterplay.files import write_whole
from counterplay.measure.frontier import LeakCorner, LeakFrontier, leak_frontier
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.locking.leak_match import check_leaks
from counterplay.poker.locking.leak_text import Leaks
from counterplay.poker.locking.node_lock import NodeLock, lock_nodes
from counterplay.poker.locking.strategy_diff import diff_strategies
from counterplay.poker.spots.solution import SolvedSpot, load_spot

Report = Callable[[Mapping[str, Any]], None]
"""Called now and then with plain facts: iterations, exploitability in chips, corners."""
ANSWER = "answer.json"
EQUILIBRIUM, VILLAIN = "equilibrium.spot", "villain.spot"
_MEMORY = 2.0
"""GiB of a game that is loaded for the page."""
_SHOWN = 400
"""Points of a curve that are kept."""


@dataclass(frozen=True)
class Task:
    """Work of a worker: a function of a module, called with a `Report` and these arguments. It returns plain facts; an
    `InputError` is a sentence for the user."""

    function: Callable[..., dict[str, Any]]
    arguments: tuple[Any, ...]

    def run(self, report: Report) -> dict[str, Any]:
        return self.function(report, *self.arguments)


@dataclass(frozen=True)
class LeakLines:
    """Leaks, line by line, as `spot --lock` takes them."""

    text: str

    reads_files = False

    @property
    def key(self) -> tuple[Any, ...]:
        return (str(Leaks.from_text(self.text)),)

    def check(self, spot: cp.Spot) -> None:
        check_leaks(Leaks.from_text(self.text), spot)

    def lock(self, solved: SolvedSpot) -> tuple[NodeLock, Mapping[str, Any]]:
        return lock_nodes(solved, Leaks.from_text(self.text)), {"leaks": self.text, "villain": None}


@dataclass(frozen=True)
class PlayerOfHands:
    """A player as their hands support. file: of hands, named by its content; seat: in the spot, 0 (oop) or 1 (ip)."""

    file: Path
    player: str
    seat: int
    reads_files = True

    @property
    def key(self) -> tuple[Any, ...]:
        return "hands", self.file.name, self.player, self.seat

    @property
    def options(self) -> str:
        """The same player as options of `spot`."""
        return f"--villain {shell_word(str(self._model))} --opponent {PLAYERS[self.seat]}"

    def check(self, spot: cp.Spot) -> None:
        self._model.check_spot(spot, self.seat)

    def lock(self, solved: SolvedSpot) -> tuple[NodeLock, Mapping[str, Any]]:
        tilt = self._model.tilt(solved, self.seat)
        if not tilt.lock.nodes:
            seen = f"what was seen of {quoted(self.player)} agrees with the equilibrium"
            raise InputError(f"{seen}: there is no leak to answer")
        return tilt.lock, {"leaks": "", "villain": {"file": self.file.name, "options": self.options, **tilt.facts}}

    @property
    def _model(self) -> cp.HandsModel:
        return cp.HandsModel(str(self.file), player=self.player)


SpotOpponent = LeakLines | PlayerOfHands
"""A player of a spot who plays otherwise than in equilibrium.

`key` tells two of them apart, wherever their files are; `check` rejects one that does not fit a spot, before a solve; `lock`
gives the player in a solved spot, and plain facts.
"""


def write_solution(report: Report, table: Mapping[str, Any], exploitability: float, path: Path) -> dict[str, Any]:
    """Solve a spot to an exploitability in per cent of the pot, and keep it as a file."""

    def tell(iterations: int, exploitability: float) -> None:
        report({"iterations": iterations, "exploitability": exploitability})

    solved = cp.solve_spot(cp.Spot.from_table(table), percent_of_pot=exploitability, progress=tell)
    solved.save(path)
    return {name: solved.facts[name] for name in ("iterations", "exploitability", "seconds", "interrupted")}


def write_answer(
    report: Report, name: str, spot: Path, opponent: SpotOpponent, corners: int, folder: Path
) -> dict[str, Any]:
    """Find the frontier of answers to an opponent in a solved spot, of so many corners at most, and keep these as files."""
    lock, about = opponent.lock(load_spot(spot))
    state: dict[str, Any] = {}

    def tell(iterations: int, exploitability: float) -> None:
        report({**state, "iterations": iterations, "exploitability": exploitability})

    def count(_: LeakCorner) -> None:
        state["corners"] = state.get("corners", 0) + 1
        report(state)

    curve = leak_frontier(lock, corners=corners, progress=tell, found=count)
    last = curve.corners[-1]
    folder.mkdir(parents=True, exist_ok=True)
    curve.solved.save(folder / EQUILIBRIUM)
    # An opponent at a table: the player with the leaks, who elsewhere plays the equilibrium.
    facing_leak = last.plans.facing(curve.lock.opponent, curve.lock.plans)
    replace(_answered(curve, last), plans=facing_leak).save(folder / VILLAIN)
    for number, corner in enumerate(curve.corners):
        _answered(curve, corner).save(folder / corner_file(number))
    # Of a locked node the frequencies before and with the leak.
    nodes = {curve.solved.tree.betting.path(node) for node in curve.lock.nodes}
    facing = last.plans.facing(curve.lock.opponent, curve.lock.beside(curve.worst_opponent))
    locked = []
    for change in diff_strategies(curve.solved, replace(curve.solved, plans=facing), curve.lock.opponent):
        if change.path in nodes:
            shown = change.facts
            shares = {part: [x if x == x else None for x in shown[part]] for part in ("before", "after")}
            locked.append({"path": shown["path"], "actions": shown["actions"], **shares})
    facts = {
        "spot": name, **about, "opponent": curve.lock.opponent, "value": curve.value, "value_gap": curve.value_gap,
        "interrupted": curve.interrupted,
        "corners": [{"p": one.p, "gain": one.gain, "exploitability": one.exploitability} for one in curve.corners],
        "notes": list(curve.lock.lowered), "locked": locked,
    }  # fmt: skip
    write_whole(folder / ANSWER, json.dumps(facts, indent=1).encode())
    return {"corners": len(curve.corners), "interrupted": curve.interrupted}


def corner_file(number: int) -> str:
    return f"corner{number}.spot"


def is_answer(facts: Mapping[str, Any]) -> bool:
    """Return whether facts of a file are those of an answer, as `write_answer` writes them."""

    def is_number(value: Any) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool)

    def is_corner(value: Any) -> bool:
        return isinstance(value, dict) and all(is_number(value.get(name)) for name in ("p", "gain", "exploitability"))

    corners = facts.get("corners")
    return (
        isinstance(facts.get("spot"), str)
        and is_number(facts.get("value"))
        and (facts.get("value_gap") is None or is_number(facts["value_gap"]))
        and type(facts.get("opponent")) is int
        and facts["opponent"] in (0, 1)
        and isinstance(facts.get("interrupted"), bool)
        and all(isinstance(facts.get(name), list) for name in ("notes", "locked"))
        and isinstance(corners, list)
        and len(corners) > 0
        and all(is_corner(one) for one in corners)
    )


def _answered(curve: LeakFrontier, corner: LeakCorner) -> SolvedSpot:
    """A corner as a solved spot: the answer in the responder's seat, the worst opponent with the leak in the other."""
    facts = {
        "opponent": PLAYERS[curve.lock.opponent], "p": corner.p, "gain": corner.gain, "value_gap": curve.value_gap,
        "exploitability": corner.exploitability,
        "exploitability_percent": 100.0 * corner.exploitability / curve.solved.spot.pot, "version": version(),
    }  # fmt: skip
    plans = corner.plans.facing(curve.lock.opponent, curve.worst_opponent or curve.lock.plans)
    return replace(curve.solved, plans=plans, facts=facts)


def write_result(
    report: Report, path: Path, compute: Callable[..., dict[str, Any]], game: str, arguments: tuple[Any, ...]
) -> dict[str, Any]:
    """Compute something in a game, and keep it as a file. compute: called with `report`, the game, its text, and these
    arguments."""
    facts = compute(report, cp.load(game, memory=_MEMORY), game, *arguments)
    write_whole(path, json.dumps(facts).encode())
    return facts


def frontier_facts(
    report: Report, game: Any, name: str, model: str, methods: tuple[str, ...], points: int, seat: int
) -> dict[str, Any]:
    """Responses to a model over the dials of several methods; seat: of the responder."""
    shown: list[dict[str, Any]] = []

    def keep(point: cp.Point) -> None:
        shown.append(point.facts)
        report({"points": list(shown)})

    traced = cp.frontier(game, cp.opponent(game, model, player=1 - seat), methods, points=points, done=keep)
    return {
        "game": name, "model": model, "points": shown, "interrupted": traced.interrupted,
        "game_value": traced.game_value, "game_value_gap": traced.game_value_gap,
    }  # fmt: skip


def curve_facts(report: Report, game: Any, name: str, methods: tuple[str, ...], iterations: int) -> dict[str, Any]:
    """Exploitability over the iterations of several regret minimisers. iterations: of each."""
    curves: dict[str, list[tuple[int, float]]] = {}
    interrupted = False
    for method in methods:
        curve = curves.setdefault(method, [])

        def tell(done: int, exploitability: float, curve: list[tuple[int, float]] = curve) -> None:
            if len(curve) < _SHOWN:
                curve.append((done, exploitability))
            report({"curves": curves, "iterations": done})

        solved = cp.solve(game, solver=method, stop=cp.Stop(iterations=iterations), progress=tell)
        last = (solved.facts["iterations"], solved.facts["exploitability"])
        if curve and curve[-1][0] == last[0]:
            curve.pop()  # it was told as progress, too
        curve.append(last)
        interrupted = solved.solution.interrupted
        if interrupted:
            break
    return {"game": name, "curves": curves, "interrupted": interrupted}


def gadget_facts(
    report: Report, game: Any, _: str, blueprint: str, at: str, number: int, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """The gadget of a subgame, solved. number: from 1; settings: as of `draw_gadget`, with `only` instead of a number."""
    only = settings["only"]
    report({"piece": f"subgame {number}" if only is None else f"subgame after {only}"})
    return draw_gadget(game, blueprint, at, number if only is None else 1, **settings).facts
