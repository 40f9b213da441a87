"""Milec et al. 2024, figures 2 and 10 and appendix H: the worked examples, and how far the bound of SES reaches.

Figure 2: depth-limited solving of a biased matching pennies. Figure 10: a best response that looks too little ahead wins
less than an equilibrium. Appendix H: theorem 1 of Liu et al. 2022 says nothing from alpha = 1 / (2 tau + 1) on, so
from 1/3 on where tau is 1, while the bound of theorem 5.3 at p = 1/2 is the gain; both are also measured on opponents of
figure 5, with the subgames of SES after the board card of Leduc.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from counterplay import BR, CDBR, CDRNR, SES, GameTree, LookAhead, Strategy, evaluate, respond, solve
from counterplay.blueprints.resolve import resolve_in_memory
from counterplay.blueprints.resolve_request import ResolveRequest
from counterplay.responses.method import Method
from counterplay_papers import paper_sources
from counterplay_papers.cells.model_cells import game, measure_response
from counterplay_papers.experiment import Cell, Experiment, printed

_FIG2, _FIG10, _LEDUC = "cdrnr_fig2", "cdrnr_fig10", "leduc"
_OPPONENTS, _QUICK = ("cfr:5", "cfr:20", "cfr:50", "random:1", "random:2"), ("cfr:5",)
_HALF = 0.5
_NOTE = (
    "the bound is that of SES of a blueprint, an equilibrium, as Liu et al. 2022 have it; gain and exploitability are those "
    "of the continual SES, of which no bound holds"
)


def experiment() -> Experiment:
    """The printed numbers, then a row for each opponent of appendix H."""
    cells = [_cell("figure 2", column, paper, compute) for column, (paper, compute) in _figure_2().items()]
    cells += [_cell("figure 10", column, paper, compute) for column, (paper, compute) in _figure_10().items()]
    cells.append(_cell("appendix H, tau = 1", "alpha from which SES has no bound", 1 / 3, partial(_reach, 1.0)))
    for source in _OPPONENTS:
        for column, compute in _bounds(source).items():
            slow = source not in _QUICK
            cells.append(Cell(f"appendix H, leduc, {source}", column, None, slow, compute))
    title = "worked examples, and the bounds of SES and CDRNR at p = alpha = 1/2 in Leduc (chips)"
    return Experiment(
        "cdrnr-examples",
        title,
        f"{paper_sources.CDRNR}, figures 2 and 10, appendix H",
        4,
        cells,
        measure="value (chips)",
        note=_NOTE,
    )


def _cell(row: str, column: str, paper: float, compute: Callable[[], float]) -> Cell:
    return Cell(row, column, printed(paper), False, compute)


def _figure_2() -> dict[str, tuple[float, Callable[[], float]]]:
    """The equilibrium, the first values in the trunk, and the heads that unsafe re-solving may play."""
    return {
        "equilibrium: heads": (2 / 3, lambda: _equilibrium(0, "H")),
        "equilibrium: own version": (2 / 3, lambda: _equilibrium(1, "q")),
        "value of the own version at first": (-5 / 3, lambda: _first_values()["q"]),
        "value of the standard version at first": (-2 / 3, lambda: _first_values()["p"]),
        "unsafe: least heads": (1 / 3, lambda: _unsafe_heads()[0]),
        "unsafe: most heads": (3 / 4, lambda: _unsafe_heads()[1]),
    }


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
    """What player 0 gets in each version of the game for a probability of heads, if the opponent plays on perfectly."""
    tree = game(_FIG2)
    own = _of(tree, 0, {"H": heads, "T": 1.0 - heads})
    return {name: _kept(tree, own, name) for name in ("p", "q")}


def _kept(tree: GameTree, own: Strategy, name: str) -> float:
    """The value against the best of those who choose one version."""
    labels = tree.trees[1].labels
    found = []
    for guess in range(2):
        table = {}
        for text, actions in zip(labels.infosets, labels.actions, strict=True):
            chosen = name if name in actions else actions[guess]
            table[text] = {action: float(action == chosen) for action in actions}
        found.append(evaluate(tree, own, against=Strategy.from_table(tree.trees[1], table)).value_against_model)
    return min(number for number in found if number is not None)


def _of(tree: GameTree, player: int, odds: dict[str, float]) -> Strategy:
    """The strategy with these probabilities at a player's only infoset."""
    (text,) = tree.trees[player].labels.infosets
    return Strategy.from_table(tree.trees[player], {text: odds})


_GRID = tuple(step / 240 for step in range(241))


@cache
def _first_values() -> dict[str, float]:
    """At the uniform range: the heads that the value function answers, and what both versions are worth then."""
    return _worths(max(_GRID, key=lambda heads: sum(_worths(heads).values())))


@cache
def _unsafe_heads() -> tuple[float, float]:
    """The least and most heads that are best against the equilibrium's range."""
    share = _equilibrium(1, "q")
    worth = {heads: share * own["q"] + (1.0 - share) * own["p"] for heads in _GRID for own in (_worths(heads),)}
    best = [heads for heads, found in worth.items() if found >= max(worth.values()) - 1e-9]
    return min(best), max(best)


def _figure_10() -> dict[str, tuple[float, Callable[[], float]]]:
    """What is won from h with 2/3 and always x."""
    return {
        "value of the game": (0.5, lambda: solve(game(_FIG10), solver="lp").value),
        "best response": (10 / 3, lambda: _won(BR())),
        "equilibrium": (2.0, _won_by_equilibrium),
        "CDBR before x and y": (2 / 3, lambda: _won(CDBR(look=LookAhead(1)))),
    }


def _model_10() -> Strategy:
    tree = game(_FIG10).trees[1]
    table = {
        text: {"h": 2 / 3, "t": 1 / 3} if set(actions) == {"h", "t"} else {"x": 1.0, "y": 0.0}
        for text, actions in zip(tree.labels.infosets, tree.labels.actions, strict=True)
    }
    return Strategy.from_table(tree, table)


def _won(method: Method) -> float:
    return respond(game(_FIG10), _model_10(), method).value_against_model


def _won_by_equilibrium() -> float:
    found = evaluate(game(_FIG10), _solved(_FIG10)[0], against=_model_10()).value_against_model
    return float("nan") if found is None else found


def _reach(tau: float) -> float:
    """The alpha from which theorem 1 of Liu et al. 2022 does not apply: 1 - (2 tau + 1) alpha is 0 there."""
    return 1.0 / (2.0 * tau + 1.0)


def _bounds(source: str) -> dict[str, Callable[[], float]]:
    """Columns of appendix H for an opponent: how far theorem 1 reaches, and at 1/2 what both methods risk and gain."""

    def measured(way: Method, gains: bool) -> float:
        found = measure_response(_LEDUC, source, way)
        return found.gain if gains else found.exploitability

    ses, cdrnr = SES(alpha=_HALF, look=LookAhead("round")), CDRNR(_HALF, LookAhead("round"))
    return {
        "alpha from which SES has no bound": partial(_measured_reach, source),
        "SES exploitability": partial(measured, ses, False),
        "SES gain": partial(measured, ses, True),
        "CDRNR bound": partial(measured, cdrnr, True),
        "CDRNR exploitability": partial(measured, cdrnr, False),
    }


@cache
def _measured_reach(source: str) -> float:
    """1 / (2 tau + 1) with the tau of theorem 1 for subgames of an equilibrium after the card; 0 if it is infinite."""
    asked = ResolveRequest(
        alpha=_HALF, model=source, solver="lp", gadget="max-margin", normalised=True, values="profile", bounds=True
    )
    found = resolve_in_memory(game(_LEDUC), "nash", "round", asked)
    return 0.0 if found.safety is None else _reach(found.safety.tau)
