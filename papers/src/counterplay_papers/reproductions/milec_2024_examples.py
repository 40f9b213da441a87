"""Milec et al. 2024, figures 2 to 4, 9 and 10 and appendix H: worked examples, and gadgets that misjudge the cost of leaving
the equilibrium."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np

from counterplay import (
    BR,
    CDBR,
    CDRNR,
    SES,
    FullGadget,
    GameTree,
    LookAhead,
    MaxMargin,
    Method,
    Resolving,
    Strategy,
    evaluate,
    respond,
    solve,
)  # fmt: skip
from counterplay.arrays import F64
from counterplay.blueprints.resolve import resolve_in_memory
from counterplay.blueprints.resolve_request import ResolveRequest
from counterplay.gadgets import gadget_of
from counterplay.games import examples
from counterplay.lookahead.decisions import DecisionGroup, SearchState, decisions
from counterplay.lookahead.search import Search
from counterplay.lookahead.step import decide_group
from counterplay.responses.matchup import Matchup
from counterplay.solvers.best_response import best_response
from counterplay.subgames.cut import cut
from counterplay.subgames.plan_store import ArrayPlans, Root
from counterplay.treeplex.sweeps import reach
from counterplay_papers.experiment import MILEC_2024, Cell, Experiment, grid, printed
from counterplay_papers.panels import LinePanel, Panel, TradePanel
from counterplay_papers.responses import ResponseCell, game, measure_response

_FIG2, _FIG10, _LEDUC = "cdrnr_fig2", "cdrnr_fig10", "leduc"
_OPPONENTS, _QUICK, _HALF = ("cfr:5", "cfr:20", "cfr:50", "random:1", "random:2"), ("cfr:5",), 0.5
_NOTE = (
    "the bound is that of SES of a blueprint, an equilibrium, as Liu et al. 2022 have it; gain and exploitability are those "
    "of the continual SES, of which no bound holds"
)


def cdrnr_examples() -> Experiment:
    """The printed numbers, then a row for each opponent of appendix H.

    Figure 2: depth-limited solving of a biased matching pennies. Figure 10: a best response that looks too little ahead wins
    less than an equilibrium. Appendix H: theorem 1 of Liu et al. 2022 says nothing from alpha = 1 / (2 tau + 1) on, so
    from 1/3 on where tau is 1, while the bound of theorem 5.3 at p = 1/2 is the gain; both are also measured on opponents of
    figure 5, with the subgames of SES after the board card of Leduc.
    """
    worked = {"figure 2": _FIGURE_2, "figure 10": _FIGURE_10, "appendix H, tau = 1": _APPENDIX_H}
    cells = [
        Cell(row, column, printed(paper), False, compute)
        for row, numbers in worked.items()
        for column, (paper, compute) in numbers.items()
    ]
    rows = {f"appendix H, leduc, {source}": source for source in _OPPONENTS}
    cells += grid(rows, _BOUNDS, lambda source, compute: compute(source), lambda source, _: source not in _QUICK)
    title = "worked examples, and the bounds of SES and CDRNR at p = alpha = 1/2 in Leduc (chips)"
    source = f"{MILEC_2024}, figures 2 and 10, appendix H"
    return Experiment("cdrnr-examples", title, source, 4, cells, measure="value (chips)", note=_NOTE)


@cache
def _solved(spec: str) -> tuple[Strategy, Strategy]:
    first, second = solve(game(spec), solver="lp").strategies
    return first, second


def _equilibrium(player: int, action: str) -> float:
    strategy = _solved(_FIG2)[player]
    labels = strategy.tree.labels
    infoset = next(text for text, names in zip(labels.infosets, labels.actions, strict=True) if action in names)
    return strategy.probabilities(infoset)[action]


def _worths(heads: float) -> dict[str, float]:
    """Value of player 0 in each version of the game for a probability of heads, if the opponent plays on perfectly."""
    tree = game(_FIG2)
    (text,) = tree.trees[0].labels.infosets
    own = Strategy.from_table(tree.trees[0], {text: {"H": heads, "T": 1.0 - heads}})

    def against(name: str, guess: int) -> float:
        """The value against an opponent who chooses one version, and the action of this number elsewhere."""
        labels, table = tree.trees[1].labels, {}
        for text, actions in zip(labels.infosets, labels.actions, strict=True):
            chosen = name if name in actions else actions[guess]
            table[text] = {action: float(action == chosen) for action in actions}
        return _value_against(tree, own, Strategy.from_table(tree.trees[1], table))

    return {name: min(against(name, guess) for guess in range(2)) for name in ("p", "q")}


def _value_against(tree: GameTree, own: Strategy, model: Strategy) -> float:
    found = evaluate(tree, own, against=model).value_against_model
    return float("nan") if found is None else found


_GRID = tuple(step / 240 for step in range(241))


@cache
def _first_values() -> dict[str, float]:
    """Values of both versions at the uniform range, for the heads that the value function answers there."""
    return _worths(max(_GRID, key=lambda heads: sum(_worths(heads).values())))


@cache
def _unsafe_heads() -> tuple[float, float]:
    """The least and most heads that are best against the equilibrium's range."""
    share = _equilibrium(1, "q")
    worth = {heads: share * own["q"] + (1.0 - share) * own["p"] for heads in _GRID for own in (_worths(heads),)}
    best = [heads for heads, found in worth.items() if found >= max(worth.values()) - 1e-9]
    return min(best), max(best)


def _model_10() -> Strategy:
    """Plays h with 2/3, and always x."""
    tree = game(_FIG10).trees[1]
    table = {
        text: {"h": 2 / 3, "t": 1 / 3} if set(actions) == {"h", "t"} else {"x": 1.0, "y": 0.0}
        for text, actions in zip(tree.labels.infosets, tree.labels.actions, strict=True)
    }
    return Strategy.from_table(tree, table)


def _won(method: Method) -> float:
    return respond(game(_FIG10), _model_10(), method).value_against_model


def _reach(tau: float) -> float:
    """The alpha from which theorem 1 of Liu et al. 2022 does not apply: 1 - (2 tau + 1) alpha is 0 there."""
    return 1.0 / (2.0 * tau + 1.0)


@cache
def _measured_reach(source: str) -> float:
    """1 / (2 tau + 1) with the tau of theorem 1 for subgames of an equilibrium after the card; 0 if it is infinite."""
    asked = ResolveRequest(
        alpha=_HALF, model=source, solver="lp", gadget="max-margin", normalised=True, values="profile", bounds=True
    )
    found = resolve_in_memory(game(_LEDUC), "nash", "round", asked)
    return 0.0 if found.safety is None else _reach(found.safety.tau)


_Printed = dict[str, tuple[float, Callable[[], float]]]
_FIGURE_2: _Printed = {
    "equilibrium: heads": (2 / 3, lambda: _equilibrium(0, "H")),
    "equilibrium: own version": (2 / 3, lambda: _equilibrium(1, "q")),
    "value of the own version at first": (-5 / 3, lambda: _first_values()["q"]),
    "value of the standard version at first": (-2 / 3, lambda: _first_values()["p"]),
    "unsafe: least heads": (1 / 3, lambda: _unsafe_heads()[0]),
    "unsafe: most heads": (3 / 4, lambda: _unsafe_heads()[1]),
}
_FIGURE_10: _Printed = {
    "value of the game": (0.5, lambda: solve(game(_FIG10), solver="lp").value),
    "best response": (10 / 3, lambda: _won(BR())),
    "equilibrium": (2.0, lambda: _value_against(game(_FIG10), _solved(_FIG10)[0], _model_10())),
    "CDBR before x and y": (2 / 3, lambda: _won(CDBR(look=LookAhead(1)))),
}
_APPENDIX_H: _Printed = {"alpha from which SES has no bound": (1 / 3, partial(_reach, 1.0))}


def _ses(source: str) -> ResponseCell:
    return measure_response(_LEDUC, source, SES(alpha=_HALF, look=LookAhead("round")))


def _cdrnr(source: str) -> ResponseCell:
    return measure_response(_LEDUC, source, CDRNR(_HALF, LookAhead("round")))


_BOUNDS: dict[str, Callable[[str], float]] = {
    "alpha from which SES has no bound": _measured_reach,
    "SES exploitability": lambda source: _ses(source).exploitability,
    "SES gain": lambda source: _ses(source).gain,
    "CDRNR bound": lambda source: _cdrnr(source).gain,
    "CDRNR exploitability": lambda source: _cdrnr(source).exploitability,
}
"""Columns of appendix H for an opponent."""

_MODELS = {"cdrnr_fig8_margin": examples.MARGIN_MODEL, "cdrnr_fig8_resolving": examples.RESOLVING_MODEL}
_GADGETS = _FULL, _RESOLVING, _MARGIN = FullGadget.name, Resolving.name, MaxMargin.name
_WRONG: dict[str, str] = {"cdrnr_fig8_margin": _MARGIN, "cdrnr_fig8_resolving": _RESOLVING}
_TRUST = tuple(step / 20 for step in range(1, 20))
_FEW = _TRUST[1::4]
_FIGURE_3 = {
    "best deviation (full gadget)": (_FULL, -3.0),
    "resolving gadget": (_RESOLVING, -3.5),
    "resolving gadget, normalised": (_RESOLVING, -1.75),
    "max-margin gadget": (_MARGIN, -2.0),
}


def gadget_counterexamples() -> Experiment:
    """Figure 3's numbers; then for each game a row of panels, the curves of figure 4 and the values of figure 9.

    Figure 3's game and numbers are the paper's. The games of figures 4 and 9 are ours (`games.examples`), for the
    paper prints its own only as a picture. In all of them player 0 has one decision, which is solved again from a safe
    blueprint.
    """
    cells = [
        Cell(
            "figure 3: worth of playing P",
            column,
            printed(paper),
            False,
            partial(_figure_3, name, "normalised" in column),
        )
        for column, (name, paper) in _FIGURE_3.items()
    ]
    panels: list[list[Panel]] = []
    for spec, wrong in _WRONG.items():
        rows, valued = {f"{spec}, p={p:g}": p for p in _TRUST}, dict.fromkeys((wrong, _FULL))
        columns: dict[str, Callable[[float], float]] = {}
        for name in _GADGETS:
            columns[f"{name} gain"] = partial(_gain, spec, name)
            columns[f"{name} risk"] = partial(_risk, spec, name)
        for name in valued:
            for action, label in enumerate(examples.ACTIONS):
                columns[f"{name} action {label}"] = partial(_value, spec, name, action)
        cells += grid(rows, columns, lambda p, compute: compute(p), lambda p, _: p not in _FEW)
        curves = {name: (f"{name} gain", f"{name} risk") for name in _GADGETS}
        panels.append([TradePanel(f"{spec}, p from 0.05 to 0.95", rows, curves)])
        for name in (wrong, _FULL):
            series = {f"{name} action {a}": f"action {a}" for a in examples.ACTIONS}
            ticks = {row: f"{p:g}" for row, p in rows.items()}
            panels[-1].append(LinePanel(f"{spec}, {name} gadget", ticks, series, across="p", measure="value (chips)"))
    title = "what gadgets say of leaving the equilibrium; cdrnr_fig8_... stand for the games of figure 8"
    return Experiment("gadget-counterexamples", title, f"{MILEC_2024}, figures 3, 4 and 9", 4, cells, panels)


@cache
def _match(spec: str) -> Matchup:
    return Matchup(game(spec), Strategy.from_table(game(spec).trees[1], _MODELS[spec]))


def _pure(tree: GameTree, action: int) -> Strategy:
    """Player 0 takes this action at its only decision; the first is worth the game's value whatever the opponent does."""
    own = tree.trees[0]
    behaviour = np.zeros(own.size)
    behaviour[0] = 1.0
    where = own.sequences_of(int(own.visit_order[0]))
    behaviour[where] = np.arange(len(behaviour[where])) == action
    return Strategy(own, behaviour)


@cache
def _answer(spec: str, gadget: str, p: float) -> F64:
    """(size,) the plan of the CDRNR step behind a gadget."""
    match = _match(spec)
    (one,) = decisions(match.game, 0).values()
    if gadget == _FULL:  # the opponent is free from the root: with one own decision that is RNR
        return np.asarray(match.restricted_nash(p).plan)
    chain = SearchState(match.game, 0, Search(LookAhead(1, gadget=gadget), p), match.model)
    chain.behaviour = _pure(match.game, 0).behaviour.copy()
    decide_group(chain, DecisionGroup((one,), frozenset([one.state]), one.level + 1, None, {one.state: one.history}))
    return np.asarray(chain.plan)


def _gain(spec: str, gadget: str, p: float) -> float:
    match = _match(spec)
    return match.value_against_model(_answer(spec, gadget, p)) - match.game_value


def _risk(spec: str, gadget: str, p: float) -> float:
    return max(0.0, _match(spec).exploitability(_answer(spec, gadget, p)))


def _value(spec: str, gadget: str, action: int, p: float) -> float:
    """p times what an action wins from the model, plus 1 - p times its worth behind a gadget."""
    match = _match(spec)
    behaviour = _pure(match.game, action).behaviour
    won = match.value_against_model(reach(match.game.trees[0], behaviour))
    return p * won + (1.0 - p) * _worth(match.game, _pure(match.game, 0), gadget, behaviour)[0]


def _worth(tree: GameTree, blueprint: Strategy, gadget: str, behaviour: F64) -> tuple[float, float]:
    """Value of a behaviour (size,) of player 0 after a gadget at its decision, and the total weight of the roots."""
    (one,) = decisions(tree, 0).values()
    piece = cut(tree, [one.state], 0)
    entry = gadget_of(gadget).entry(Root(piece, ArrayPlans.of(tree.subgame, blueprint)))
    problem = piece.gadget_game(entry, blueprint.plan)
    own = problem.subgame.trees[0]
    plan = problem.subgame.restrictions[0].played(own, problem.taken(0, behaviour))
    return -best_response(problem.subgame, 1, plan).value, float(piece.top.chance.sum())


def _figure_3(gadget: str, normalised: bool) -> float:
    """Playing P in figure 3, solved again from the equilibrium Q."""
    tree = game("cdrnr_fig3")
    names = tree.trees[0].labels.actions[0]
    quit_, play = (_pure(tree, names.index(name)) for name in "QP")
    worth, weight = _worth(tree, quit_, gadget, play.behaviour)
    return worth / weight if normalised else worth
