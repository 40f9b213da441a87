"""Learning the values at the borders of a game in memory: ranges drawn, or asked for by look-aheads, the CFVs of solutions
there, and the fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from counterplay.arrays import F32, F64, I32
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.levels import Depth
from counterplay.gametree.compile.load import load
from counterplay.learning.recipe import Fitted, Piece, Recipe, learn
from counterplay.learning.settings import ValueSettings, solved_by
from counterplay.learning.torch_layers import TorchNetwork, Updates, Watch, fresh_network
from counterplay.lookahead.leaf_error import value_error
from counterplay.lookahead.search import LookAhead
from counterplay.networks.border_states import BorderRows, BorderStates, borders_of, number_states
from counterplay.networks.network import Network
from counterplay.networks.value_network import PublicNetwork, ValueNetwork, normalised
from counterplay.opponents.opponent import opponent
from counterplay.responses.methods import CDRNR
from counterplay.responses.respond import respond
from counterplay.solvers.cfr import Stop
from counterplay.subgames.cut_game import Border
from counterplay.treeplex.sweeps import reach
from counterplay.treeplex.treeplex import Treeplex
from counterplay.value_functions.leaf_value import Evaluate, ValueFunction

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
    numbers, singles = np.concatenate(kinds).astype(np.int32), [np.concatenate(part) for part in (inputs, targets)]
    return ValueSamples(numbers, *(part.astype(np.float32) for part in singles))


def draw_played(border: Border, rng: np.random.Generator) -> Ranges:
    """Ranges (size,) of both players under two random strategies."""
    plans = list[F64]()
    for tree in border.game.trees:
        alpha = float(rng.choice(_ALPHAS))
        behaviour = random_behaviour(tree, alpha, rng) if tree.lanes else np.ones(tree.size)
        behaviour[0] = 1.0
        plans.append(np.asarray(reach(tree, behaviour), np.float64) if tree.lanes else behaviour)
    return border.range(0, plans[0]), border.range(1, plans[1])


def random_behaviour(tree: Treeplex, alpha: float, rng: np.random.Generator) -> F64:
    """(size,) Dirichlet probabilities at every infoset; 0 at the empty sequence."""
    return tree.normalised(rng.gamma(alpha, size=tree.size) + _TINY, np.zeros(tree.size))


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
    """Borders with ranges at which a search over a network asks for values. number: of the search: seat, model and
    trust in it change with it. most: public states in all."""
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


_BATCH, _RATE = 1024, 3e-3
"""Samples of a step; the largest rate."""
_PASS = 100
"""Least steps of a pass over the samples."""
CLAIM, _BEND = 3.0, 0.1
"""Weight of the claims beside the CFVs; the error at which the loss turns from squares to absolute values, in units of the
outputs."""


def fit_values(
    samples: ValueSamples, width0: int, settings: Any, epochs: int, begin: Network | None, watch: Watch | None
) -> tuple[Network, F32]:
    """A network of values, and (kinds,) the scales of their outputs; arguments as of `Recipe.fit`.

    The loss is the smooth absolute error of the CFVs, and of the claims, which a search adds up. The rate falls by a cosine.
    """
    import torch

    torch.manual_seed(settings.seed)
    count = int(samples.kinds.max()) + 1
    used = used_places(samples, count)
    size = np.bincount(samples.kinds, (samples.targets.astype(np.float64) ** 2).sum(axis=1), count)
    numbers = used.sum(axis=1) * np.bincount(samples.kinds, minlength=count)
    scale = np.sqrt(size / np.maximum(numbers, 1)).astype(np.float32)
    scale[scale == 0.0] = 1.0
    kinds, inputs = torch.from_numpy(samples.kinds.astype(np.int64)), torch.from_numpy(samples.inputs)
    targets = torch.from_numpy(samples.targets / scale[samples.kinds][:, None])
    sizes = [inputs.shape[1], *[settings.width] * settings.layers, targets.shape[1]]
    net = TorchNetwork(begin or fresh_network(count, sizes, settings.seed))
    counts = torch.from_numpy(used / np.maximum(used.sum(axis=1, keepdims=True), 1).astype(np.float32))

    near, wide = torch.nn.functional.smooth_l1_loss, targets.shape[1]
    sides = torch.ones(wide)
    sides[width0:] = -1.0

    def loss(rows: Any) -> Any:
        wanted, ranges = targets[rows], inputs[rows][:, -wide:]
        out = net.outputs(inputs[rows], kinds[rows])
        out = out - 0.5 * (out * ranges).sum(dim=1, keepdim=True)
        claims = [0.5 * (cfvs * ranges) @ sides for cfvs in (out, wanted)]
        errors = (near(out, wanted, beta=_BEND, reduction="none") * counts[kinds[rows]]).sum(dim=1).mean()
        return errors + CLAIM * near(*claims, beta=_BEND)

    return descend(net, len(kinds), settings.seed, epochs, loss, watch), scale


def descend(
    net: TorchNetwork, count: int, seed: int, epochs: int, loss_of: Callable[[Any], Any], watch: Watch | None
) -> Network:
    """The network after all steps of a fit; `loss_of` takes the samples of a step."""
    import torch

    order, batch = torch.Generator().manual_seed(seed), max(1, min(_BATCH, count // _PASS))
    steps = epochs * (count // batch)
    updates = Updates(net, _RATE, steps)
    for _ in range(epochs):
        mixed = torch.randperm(count, generator=order)
        for start in range(0, count - batch + 1, batch):
            loss_of(mixed[start : start + batch]).backward()
            updates.step()
            if watch:
                watch(updates.done, steps)
    return net.network


def used_places(samples: ValueSamples, count: int) -> F32:
    """(kinds, width0 + width1) 1 at the places that infosets of a kind have, those that any sample's ranges reach."""
    used = np.zeros((count, samples.targets.shape[1]), np.float32)
    ranges = samples.inputs[:, -samples.targets.shape[1] :]
    np.maximum.at(used, samples.kinds, (ranges > 0.0).astype(np.float32))
    return used


Question = tuple[Border, Iterable[Ranges], np.random.Generator]
"""A border, ranges there, and random numbers that choose among its public states."""


@lru_cache(maxsize=1)
def _borders_in(spec: str, depth: str) -> tuple[GameTree, list[Border], BorderStates]:
    """A game, where its look-aheads of a depth stop, and the public states there; kept for the next stage."""
    game = load(spec)
    borders = borders_of(game, Depth.of(depth))
    return game, borders, number_states(borders)


@dataclass(frozen=True)
class BorderValues(Recipe):
    """Public states of a game in memory, as many of each kind.

    Small games below are often many of one kind, and large ones few, so that equally many of each state would be too few of
    those that are the hardest to learn.
    """

    settings: ValueSettings
    piece: ClassVar[int] = 6_000

    @property
    def _there(self) -> tuple[GameTree, list[Border], BorderStates]:
        return _borders_in(self.settings.game, self.settings.depth)

    @property
    def borders(self) -> list[Border]:
        """Where look-aheads stop."""
        return self._there[1]

    @property
    def states(self) -> BorderStates:
        """The public states there."""
        return self._there[2]

    @property
    def nothing(self) -> ValueSamples:
        return ValueSamples.none(sum(self.states.widths))

    def draw(self, piece: Piece) -> Iterable[Question]:
        """Ranges at every border: half of random strategies, half with holes."""
        rng = piece.rng
        for border in self.borders:
            rows = self.states.rows(border)
            calls = max(2, round(self.piece / self.states.count / rows.of_each_kind))
            draws = (draw_played(border, rng) if k % 2 else draw_with_holes(border, rows, rng) for k in range(calls))
            yield border, draws, rng

    def ask(self, piece: Piece) -> Iterable[Question]:
        """Ranges of searches, which differ by the number of the piece."""
        game, search = self._there[0], respond_and_record if self.settings.responses else answer_and_record
        for border, ranges in search(game, piece.network, piece.number, self.piece, piece.rng):
            yield border, ranges, piece.rng

    def solve(self, question: Question) -> ValueSamples:
        border, ranges, rng = question
        return solve_samples(self.states.rows(border), solved_by(self.settings.solver).at(border), ranges, rng)

    def fit(self, samples: ValueSamples, epochs: int, begin: Network | None, watch: Watch | None) -> Fitted:
        return fit_values(samples, self.states.widths[0], self.settings, epochs, begin, watch)

    def learned(self, samples: ValueSamples, fitted: Fitted) -> ValueNetwork:
        settings, (network, scale) = self.settings, fitted
        assert scale is not None
        about = {"seed": settings.seed, "samples": len(samples.kinds), "solver": settings.solver}
        return ValueNetwork(settings.game, settings.depth, self.states, scale, network, about)


def learn_value(settings: ValueSettings, **run: Any) -> ValueNetwork:
    """Learn the values at which look-aheads of a depth stop. run: arguments of `recipe.learn`."""
    return learn(BorderValues(settings), **run)  # type: ignore[no-any-return]


def measure_network(net: ValueNetwork, game: GameTree) -> ValueNetwork:
    """The network with its errors at the first border, in chips, among what is known about it."""
    error = value_error(game, LearnedValue(net), net.depth, seed=net.about["seed"] + 1)
    errors = {"mean": error.mean, "worst": error.worst, "gap": error.gap, "pairs of strategies": error.samples}
    return replace(net, about={**net.about, "errors": errors})
