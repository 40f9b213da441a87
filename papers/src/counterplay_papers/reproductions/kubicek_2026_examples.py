"""Kubíček et al. 2026, figures 1 and 5 to 13: what gadget games make of the blueprints of its four small examples.

The blueprints of figures 5 and 11 are (0, 1/2) and (0, 1/4): P1's probabilities of heads in state 1, and in states 2 and 3.
Only they fit the values that the paper prints; its text gives others (`docs/errata.md`). The paper prints values,
exploitabilities and probabilities of some strategies. The others follow from these strategies, such as 1/4 for (0, 3/4, 1/4)
in figure 1, and 1/18 for the best of figure 11 that plays 1/2 in states 2 and 3; those for terminating in figure 8 are read
off the drawing of its gadget game, figure 9.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

from counterplay import GameTree, LookAhead, MaxMargin, Resolving, Strategy
from counterplay.blueprints.report import Equilibria, equilibria, optimal_continuation
from counterplay.blueprints.resolve import pieces_at
from counterplay.blueprints.resolve_subtrees import resolve_subtrees
from counterplay.blueprints.resolved_blueprint import BlueprintInputs, ResolveSettings, exploitability
from counterplay.gadgets import gadget_of
from counterplay.lookahead.tremble import NONE, UNIFORM, Prior
from counterplay.solvers.equilibrium import equilibrium
from counterplay.subgames.cut import Cut, Place, subgames_at
from counterplay.subgames.plan_store import ArrayPlans
from counterplay_papers.experiment import FIGURE, KUBICEK_2026, Cell, Experiment, Reference, follows, printed
from counterplay_papers.panels import RangePanel
from counterplay_papers.responses import game

_GADGETS = RESOLVING, MAX_MARGIN = Resolving.name, MaxMargin.name
_LEFT = {"hide, H": 0.9, "hide, T": 0.1}
"""In figure 1: P2 more likely errs into the left branch."""
_EXACT = ("LP", "GGSE LP", "best", "worst")


@dataclass(frozen=True)
class _Example:
    """game: its name. moves: made before the subgame. table: the blueprint. expected: the references by column; those for
    terminating, and of the probabilities that an equilibrium plays, as (gadget, infoset, action)."""

    game: str
    moves: int
    table: Mapping[str, Mapping[str, float]]
    expected: Mapping[str, Reference]
    terminating: Sequence[Reference]
    plays: Mapping[tuple[str, str, str], Reference]


_EXAMPLES = {
    "figure 1": _Example(
        "ggse_fig1",
        1,
        {"guess": {"F": 0.5, "H": 0.5, "T": 0.0}},
        {"blueprint": follows(1.0), "resolving worst": follows(1.0)}
        | {f"max-margin {end}": follows(1 / 4) for end in _EXACT},
        (printed(0.0), printed(-1 / 2)),
        {(MAX_MARGIN, "guess", action): printed(odds) for action, odds in (("F", 0.0), ("H", 3 / 4), ("T", 1 / 4))},
    ),
    "figure 5": _Example(
        "ggse_fig5",
        0,
        {"state 1": {"H": 0.0, "T": 1.0}, "state 2 or 3": {"H": 0.5, "T": 0.5}},
        {"value": printed(7 / 9), "blueprint": printed(4 / 9)}
        | {f"{gadget} {end}": follows(risk) for gadget in _GADGETS for end, risk in (("best", 0.0), ("worst", 4 / 9))},
        (printed(1 / 4), printed(1 / 2)),
        {(gadget, "state 2 or 3", "H"): printed(1 / 2) for gadget in _GADGETS}
        | {(RESOLVING, "state 1", "H"): follows(2 / 3)},
    ),
    "figure 8": _Example(
        "ggse_fig8",
        1,
        {"reply": {"R": 1.0, "P": 0.0, "S": 0.0}},
        {"value": follows(0.0), "blueprint": follows(1.0)}
        | {f"{gadget} {end}": follows(1.0) for gadget in _GADGETS for end in _EXACT},
        (Reference(0.0, FIGURE), Reference(-1.0, FIGURE), Reference(1.0, FIGURE)),
        {(gadget, "reply", "R"): printed(1.0) for gadget in _GADGETS},
    ),
    "figure 11": _Example(
        "ggse_fig11",
        0,
        {"state 1": {"H": 0.0, "T": 1.0}, "state 2 or 3": {"H": 0.25, "T": 0.75}},
        {"resolving best": follows(0.0), "max-margin best": follows(1 / 18)},
        (printed(1 / 8), printed(1 / 4)),
        {(MAX_MARGIN, "state 2 or 3", "H"): printed(1 / 2)},
    ),
}
_WAYS: Mapping[str, tuple[Prior, str]] = {
    "CFR+": (NONE, "cfr+"),
    "LP": (NONE, "lp"),
    "GGSE CFR+": (UNIFORM, "cfr+"),
    "GGSE LP": (UNIFORM, "lp"),
}
"""Prior and solver of each way behind a gadget."""
_INFORMED: Mapping[str, tuple[Prior, str]] = {"GGSE left CFR+": (_LEFT, "cfr+"), "GGSE left LP": (_LEFT, "lp")}


def ggse_examples() -> Experiment:
    """A row for each example; a panel for each gadget, with the interval over all of its equilibria."""
    cells = [cell for row, example in _EXAMPLES.items() for cell in _row(row, example)]
    panels = [
        RangePanel(
            f"{gadget}: from best to worst equilibrium", {row: row for row in _EXAMPLES},
            {"blueprint": "blueprint", "continuation": "optimal continuation"}
            | {f"{gadget} {way}": way for way in (*_WAYS, *_INFORMED)},
            (f"{gadget} best", f"{gadget} worst"), measure="exploitability (chips)",
        )
        for gadget in _GADGETS
    ]  # fmt: skip
    title = "exploitability after solving the only subgame again; GGSE with uniform prior, left: with 0.9 on the left"
    return Experiment("ggse-examples", title, f"{KUBICEK_2026}, figures 1 and 5 to 13", 4, cells, [panels])


def _row(row: str, example: _Example) -> list[Cell]:
    """The exploitabilities; in rows of their own the values of terminating, and the probabilities of refined equilibria."""
    informed = _INFORMED if row == "figure 1" else {}
    numbers: dict[str, Callable[[], float]] = {
        "value": lambda: equilibrium(_given(row)[0].subgame).value,
        "blueprint": lambda: exploitability(*_given(row)[:2]),
    }
    for gadget in _GADGETS:
        for name, (prior, solver) in {**_WAYS, **informed}.items():
            numbers[f"{gadget} {name}"] = partial(_after, row, gadget, prior, solver)
        for end in ("best", "worst"):
            numbers[f"{gadget} {end}"] = partial(_end, row, gadget, end)
    numbers["continuation"] = partial(_continuation, row)
    cells = [Cell(row, column, example.expected.get(column), False, compute) for column, compute in numbers.items()]
    for number, reference in enumerate(example.terminating):
        worth = partial(_terminating, row, number)
        cells.append(Cell(f"{row}: terminating", f"infoset {number + 1}", reference, False, worth))
    for gadget in _GADGETS:
        for infoset, actions in example.table.items():
            for action in tuple(actions)[: 1 if len(actions) == 2 else None]:
                odds = example.plays.get((gadget, infoset, action))
                compute = partial(_plays, row, gadget, infoset, action)
                cells.append(Cell(f"{row}: {gadget} plays", f"{action} at {infoset}", odds, False, compute))
    return cells


@cache
def _given(row: str) -> tuple[GameTree, Strategy, Place]:
    example = _EXAMPLES[row]
    tree = game(example.game)
    return tree, Strategy.from_table(tree.trees[0], example.table), Place("moves", example.moves)


def _pieces(row: str) -> list[Cut]:
    tree, _, place = _given(row)
    return subgames_at(tree, place, 0)


def _again(row: str, gadget: str, prior: Prior, solver: str) -> Strategy:
    tree, blueprint, place = _given(row)
    way = ResolveSettings(LookAhead(gadget=gadget_of(gadget), prior=prior), solver=solver)
    cuts = [piece.cut for piece in pieces_at(tree, [place], 0)]
    return resolve_subtrees(cuts, BlueprintInputs.of(tree.subgame, blueprint), way, nested=True).strategy


def _after(row: str, gadget: str, prior: Prior, solver: str) -> float:
    return max(0.0, exploitability(_given(row)[0], _again(row, gadget, prior, solver)))


def _plays(row: str, gadget: str, infoset: str, action: str) -> float:
    """A probability of the refined equilibrium, by linear program."""
    return float(_again(row, gadget, UNIFORM, "lp").table()[infoset][action])


@cache
def _interval(row: str, gadget: str) -> Equilibria:
    tree, blueprint, _ = _given(row)
    way = ResolveSettings(LookAhead(gadget=gadget_of(gadget)))
    return equilibria(tree, BlueprintInputs.of(tree.subgame, blueprint), _pieces(row), way)


def _end(row: str, gadget: str, end: str) -> float:
    found = _interval(row, gadget)
    return max(0.0, found.best if end == "best" else found.worst)


def _continuation(row: str) -> float:
    tree, blueprint, _ = _given(row)
    best = optimal_continuation(tree, ArrayPlans.of(tree.subgame, blueprint), 0, _pieces(row))
    return max(0.0, exploitability(tree, best.strategy(0)))


def _terminating(row: str, number: int) -> float:
    """P1's value where P2 terminates, divided by the weight of chance and blueprint, as the figures show it."""
    _, blueprint, _ = _given(row)
    (piece,) = _pieces(row)
    plans = ArrayPlans.of(piece.game.subgame, blueprint)
    weight = piece.top.chance[piece.top.known[piece.opponent] == number].sum()
    return float(-piece.alternative_values(plans)[number] / weight) + 0.0
