"""Samples of values at a border: ranges drawn, or asked for by look-aheads, and the CFVs of solutions there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F32, F64, I32
from counterplay.errors import InputError, quoted
from counterplay.gametree.compile.compile import GameTree
from counterplay.lookahead.search import LookAhead
from counterplay.networks.border_states import BorderRows
from counterplay.networks.value_network import PublicNetwork, ValueNetwork, normalised
from counterplay.opponents.opponent import opponent
from counterplay.responses.methods import CDRNR
from counterplay.responses.respond import respond
from counterplay.solvers.cfr import Stop
from counterplay.subgames.cut_shape import Border
from counterplay.treeplex.sweeps import reach
from counterplay.treeplex.treeplex import Treeplex
from counterplay.value_functions.leaf_value import Evaluate, ValueFunction
from counterplay.value_functions.solved_value import SolvedValue
from counterplay.value_functions.value_function import value_function

Ranges = tuple[F64, F64]
_ALPHAS = (1.0, 1.0, 0.3)
"""Concentrations of random strategies: mostly uniform over all strategies, sometimes nearly pure ones."""
_HOLES = (0.0, 0.3, 0.5, 0.7)
"""Probabilities of a hole."""
_TINY, _LEAST = 1e-12, 1e-9
"""Added to weights, so that none is 0; reach below which a solution says nothing about a state."""
_TRUSTS = (0.0, 0.5, 0.0, 1.0, 0.2, 0.8)
_ITERATIONS = 300
"""Iterations of a look-ahead that is only watched."""
_MODELS = ("uniform", "random", "cfr+:5", "random:,0.3", "cfr+:50")
_SEARCHES, _LONGEST, _SHORT = 8, 64.0, 60
"""Best responses whose ranges a piece has; the most iterations of their models; iterations of each look-ahead."""


class ValueSamples(NamedTuple):
    """Solved public states, one a row.

    Attributes:
        kinds: (n,) kind of each.
        inputs: (n, numbers + width0 + width1) the rules' numbers of the state, if it is known by these, and both ranges,
            scaled to sum 1.
        targets: (n, width0 + width1) both players' CFVs, divided by the other's mass and chance's probability of the state.
    """

    kinds: I32
    inputs: F32
    targets: F32

    @staticmethod
    def none(wide: int, numbers: int = 0) -> ValueSamples:
        """No samples; wide: both widths together."""
        shapes = (0, numbers + wide), (0, wide)
        return ValueSamples(np.zeros(0, np.int32), *(np.zeros(shape, np.float32) for shape in shapes))


def solved_by(text: str) -> SolvedValue:
    """The value function that solves samples.

    Raises:
        InputError: one that solves nothing.
    """
    value = value_function(text)
    if not isinstance(value, SolvedValue):
        raise InputError(f"samples are solved by lp or METHOD:N such as cfr+:500, not by {quoted(text)}")
    return value


def solve_samples(
    rows: BorderRows, evaluate: Evaluate, pairs: Iterable[Ranges], choose: np.random.Generator | None = None
) -> ValueSamples:
    """The samples of a border's public states at some pairs of ranges, (size,) each; states that a player never reaches are
    left out. `choose` keeps equally many of each kind.
    """
    kinds, inputs, targets = [], [], []
    for ranges in pairs:
        cfvs = evaluate(*ranges)
        both = [rows.spread(i, ranges[i]) for i in (0, 1)]
        mass = [weights.sum(axis=1, keepdims=True) for weights in both]
        reached = (mass[0] > _LEAST) & (mass[1] > _LEAST)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = [rows.spread(i, cfvs[i]) / (mass[1 - i] * rows.chance[:, None]) for i in (0, 1)]
        keep = reached[:, 0]
        if choose is not None:
            keep &= rows.some_of_each_kind(choose)
        shares = [normalised(rows, i, both[i], mass[i]) for i in (0, 1)]
        turned, order = rows.turned(np.concatenate(shares, axis=1, dtype=np.float32))
        kinds.append(rows.kinds[keep])
        inputs.append(turned[keep])
        targets.append(np.concatenate(values, axis=1).reshape(-1)[order][keep])
    return ValueSamples(
        np.concatenate(kinds).astype(np.int32),
        np.concatenate(inputs).astype(np.float32),
        np.concatenate(targets).astype(np.float32),
    )


def draw_played(border: Border, rng: np.random.Generator) -> Ranges:
    """Ranges (size,) of both players under two random strategies."""
    plans = [_random_plan(tree, float(rng.choice(_ALPHAS)), rng) for tree in border.game.trees]
    return border.range(0, plans[0]), border.range(1, plans[1])


def random_behaviour(tree: Treeplex, alpha: float, rng: np.random.Generator) -> F64:
    """(size,) Dirichlet probabilities at every infoset; 0 at the empty sequence."""
    return tree.normalised(rng.gamma(alpha, size=tree.size) + _TINY, np.zeros(tree.size))


def _random_plan(tree: Treeplex, alpha: float, rng: np.random.Generator) -> F64:
    if not tree.lanes:
        return np.ones(tree.size)
    behaviour = random_behaviour(tree, alpha, rng)
    behaviour[0] = 1.0
    return np.asarray(reach(tree, behaviour), np.float64)


def draw_with_holes(border: Border, rows: BorderRows, rng: np.random.Generator) -> Ranges:
    """Ranges (size,) drawn state by state, uniformly, with some infosets never reached; each state keeps at least one."""
    ranges = []
    for player in (0, 1):
        used = rows.spread(player, np.ones(border.sizes[player]))
        weight = (rng.gamma(1.0, size=used.shape) + _TINY) * used
        holes = rng.random(used.shape) < rng.choice(_HOLES, size=(len(used), 1))
        kept = np.where(holes, 0.0, weight)
        empty = kept.sum(axis=1) == 0.0
        kept[empty] = weight[empty]
        ranges.append(rows.collect(player, kept))
    return ranges[0], ranges[1]


@dataclass(eq=False)
class RecordedValue:
    """A value function that keeps the ranges it is asked for: for each border, a list of pairs."""

    inner: ValueFunction
    asked: list[tuple[Any, list[Ranges]]] = field(default_factory=list)
    name: str = "net"

    def at(self, border: Any) -> Evaluate:
        """Its values at a border."""
        evaluate, kept = self.inner.at(border), list[Ranges]()
        self.asked.append((border, kept))

        def recorded(range0: F64, range1: F64) -> Ranges:
            kept.append((range0.copy(), range1.copy()))
            return evaluate(range0, range1)

        return recorded


@dataclass(frozen=True, eq=False)
class LearnedValue:
    """A network that is in no file as a value function."""

    network: ValueNetwork | PublicNetwork
    name: str = "net"

    def at(self, border: Border) -> Evaluate:
        """The network's values there."""
        rows: Any = self.network.rows(border)
        return lambda range0, range1: self.network.values(rows, range0, range1)


def answer_and_record(
    game: GameTree, network: ValueNetwork, number: int, most: int, rng: np.random.Generator
) -> Iterable[tuple[Border, list[Ranges]]]:
    """Borders with ranges at which a search over a network asks for values.

    Args:
        game: compiled.
        network: the value function of the search.
        number: of the search: seat, model and trust in it change with it.
        most: public states in all.
        rng: chooses among the ranges, and seeds the model.
    """
    seat, model = number % 2, _MODELS[number % len(_MODELS)]
    return _queried(game, network, seat, model, _TRUSTS[number % len(_TRUSTS)], most, rng, _ITERATIONS)


def respond_and_record(
    game: GameTree, network: ValueNetwork, number: int, most: int, rng: np.random.Generator
) -> Iterable[tuple[Border, list[Ranges]]]:
    """Borders with ranges at which best responses by look-ahead (CDBR) ask for values, against random players and averages
    of CFR after few iterations, which are drawn evenly on a logarithmic axis.
    """
    for search in range(_SEARCHES):
        model = "random" if search % 2 else f"cfr:{round(_LONGEST ** rng.random())}"
        seat = (number + search // 2) % 2
        yield from _queried(game, network, seat, model, 1.0, most // _SEARCHES, rng, _SHORT)


def _queried(
    game: GameTree, network: ValueNetwork, seat: int, source: str, p: float, most: int, rng: np.random.Generator,
    iterations: int,
) -> Iterable[tuple[Border, list[Ranges]]]:  # fmt: skip
    recorded = RecordedValue(LearnedValue(network))
    model = opponent(game, source, 1 - seat, seed=int(rng.integers(2**31)))
    look = LookAhead(depth=network.depth, leaf=recorded)
    respond(game, model, CDRNR(p=p, look=look), stop=Stop(iterations=iterations))
    queries = [(border, ranges) for border, ranges in recorded.asked if ranges]
    all_rows = [network.rows(border) for border, _ in queries]
    kinds = sum(len(np.unique(rows.kinds)) for rows in all_rows)
    for (border, ranges), rows in zip(queries, all_rows, strict=True):
        chosen = rng.permutation(len(ranges))[: max(1, most // (kinds * rows.of_each_kind))]
        yield border, [ranges[k] for k in chosen.tolist()]
