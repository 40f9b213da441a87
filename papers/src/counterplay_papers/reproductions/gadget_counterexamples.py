"""Milec et al. 2024, figures 3, 4 and 9: gadgets that misjudge the cost of leaving the equilibrium.

Figure 3's game and numbers are the paper's. The games of figures 4 and 9 are ours (`games.counterexamples`), for the paper
prints its own only as a picture. In all of them player 0 has one decision, which is solved again from a safe blueprint.
"""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from counterplay import FullGadget, GameTree, LookAhead, MaxMargin, Resolving, Strategy
from counterplay.arrays import F64
from counterplay.gadgets import gadget_of
from counterplay.games import counterexamples
from counterplay.gametree.compile.load import load
from counterplay.lookahead.decisions import DecisionGroup, decisions
from counterplay.lookahead.search import Search
from counterplay.lookahead.state import SearchState
from counterplay.lookahead.step import decide_group
from counterplay.responses.matchup.matchup import Matchup
from counterplay.solvers.best_response import best_response
from counterplay.subgames.cut import cut
from counterplay.subgames.plan_store import ArrayPlans
from counterplay.subgames.subtree import Root
from counterplay.treeplex.sweeps import reach
from counterplay_papers.experiment import Average, Cell, Experiment, printed
from counterplay_papers.panels import LinePanel, Panel, TradePanel
from counterplay_papers.paper_sources import CDRNR

_GAMES = {"cdrnr_fig8_margin": counterexamples.MARGIN_MODEL, "cdrnr_fig8_resolving": counterexamples.RESOLVING_MODEL}
_ENTRIES = _FULL, _RESOLVING, _MARGIN = FullGadget.name, Resolving.name, MaxMargin.name
_WRONG: dict[str, str] = {"cdrnr_fig8_margin": _MARGIN, "cdrnr_fig8_resolving": _RESOLVING}
_TRUST = tuple(step / 20 for step in range(1, 20))
_FEW = _TRUST[1::4]
_PRINTED = {
    "best deviation (full gadget)": (_FULL, -3.0),
    "resolving gadget": (_RESOLVING, -3.5),
    "resolving gadget, normalised": (_RESOLVING, -1.75),
    "max-margin gadget": (_MARGIN, -2.0),
}


def experiment() -> Experiment:
    """Figure 3's numbers; then for each game a row of panels, the curves of figure 4 and the values of figure 9."""
    cells: list[Cell | Average] = [
        Cell(
            "figure 3: worth of playing P",
            column,
            printed(paper),
            False,
            partial(_figure_3, name, "normalised" in column),
        )
        for column, (name, paper) in _PRINTED.items()
    ]
    panels: list[list[Panel]] = []
    for spec, wrong in _WRONG.items():
        rows = {f"{spec}, p={p:g}": p for p in _TRUST}
        for row, p in rows.items():
            cells += _row(spec, row, p)
        curves = {name: (f"{name} gain", f"{name} risk") for name in _ENTRIES}
        panels.append([TradePanel(f"{spec}, p from 0.05 to 0.95", tuple(rows), curves)])
        for name in (wrong, _FULL):
            series = {f"{name} action {a}": f"action {a}" for a in counterexamples.ACTIONS}
            ticks = {row: f"{p:g}" for row, p in rows.items()}
            panels[-1].append(LinePanel(f"{spec}, {name} gadget", "value (chips)", ticks, series, "", "p"))
    title = "what gadgets say of leaving the equilibrium; cdrnr_fig8_... stand for the games of figure 8"
    return Experiment("gadget-counterexamples", title, f"{CDRNR}, figures 3, 4 and 9", 4, cells, panels)


def _row(spec: str, row: str, p: float) -> list[Cell]:
    slow = p not in _FEW
    made = []
    for name in _ENTRIES:
        made.append(Cell(row, f"{name} gain", None, slow, partial(_answer, spec, name, p, 0)))
        made.append(Cell(row, f"{name} risk", None, slow, partial(_answer, spec, name, p, 1)))
    for name in dict.fromkeys((_WRONG[spec], _FULL)):
        for action, label in enumerate(counterexamples.ACTIONS):
            made.append(Cell(row, f"{name} action {label}", None, slow, partial(_value, spec, name, p, action)))
    return made


@cache
def _match(spec: str) -> Matchup:
    game = load(spec)
    return Matchup(game, Strategy.from_table(game.trees[1], _GAMES[spec]))


@cache
def _safe(spec: str) -> Strategy:
    """The first action, which is worth the game's value whatever the opponent does."""
    return Strategy(load(spec).trees[0], _pure(_match(spec).game, 0))


def _pure(game: GameTree, action: int) -> F64:
    """(size,) player 0 takes this action at its only decision."""
    tree = game.trees[0]
    behaviour = np.zeros(tree.size)
    behaviour[0] = 1.0
    where = tree.sequences_of(int(tree.visit_order[0]))
    behaviour[where] = np.arange(len(behaviour[where])) == action
    return behaviour


def _answer(spec: str, gadget: str, p: float, which: int) -> float:
    """Gain (0) or exploitability (1) of the CDRNR step behind a gadget."""
    match = _match(spec)
    (one,) = decisions(match.game, 0).values()
    if gadget == _FULL:  # the opponent is free from the root: with one own decision that is RNR
        plan = match.restricted_nash(p).plan
    else:
        chain = SearchState(match.game, 0, Search(LookAhead(1, gadget=gadget), p), match.model)
        chain.behaviour = _safe(spec).behaviour.copy()
        decide_group(
            chain, DecisionGroup((one,), frozenset([one.state]), one.level + 1, None, {one.state: one.history})
        )
        plan = chain.plan
    return match.value_against_model(plan) - match.game_value if which == 0 else max(0.0, match.exploitability(plan))


def _value(spec: str, gadget: str, p: float, action: int) -> float:
    """p times what an action wins from the model, plus 1 - p times what it is worth behind a gadget."""
    match = _match(spec)
    behaviour = _pure(match.game, action)
    won = match.value_against_model(reach(match.game.trees[0], behaviour))
    return p * won + (1.0 - p) * _worth(match.game, _safe_of(match.game), gadget, behaviour)[0]


def _safe_of(game: GameTree) -> Strategy:
    return Strategy(game.trees[0], _pure(game, 0))


def _worth(game: GameTree, blueprint: Strategy, gadget: str, behaviour: F64) -> tuple[float, float]:
    """Value of a behaviour of player 0 after a gadget at its decision, and the total weight of the roots."""
    (one,) = decisions(game, 0).values()
    piece = cut(game, [one.state], 0)
    entry = gadget_of(gadget).entry(Root(piece, ArrayPlans.of(game.subgame, blueprint)))
    problem = piece.gadget_game(entry, blueprint.plan)
    tree = problem.subgame.trees[0]
    plan = problem.subgame.restrictions[0].played(tree, problem.taken(0, behaviour))
    return -best_response(problem.subgame, 1, plan).value, float(piece.top.chance.sum())


def _figure_3(gadget: str, normalised: bool) -> float:
    """Playing P in figure 3, solved again from the equilibrium Q."""
    game = load("cdrnr_fig3")
    names = game.trees[0].labels.actions[0]
    quit_, play = (Strategy(game.trees[0], _pure(game, names.index(name))) for name in "QP")
    worth, weight = _worth(game, quit_, gadget, play.behaviour)
    return worth / weight if normalised else worth
