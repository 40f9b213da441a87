"""Ranges that look-aheads ask a value function for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.gametree.compile.compile import GameTree
from counterplay.learning.range_draws import Ranges
from counterplay.lookahead.search import LookAhead
from counterplay.networks.public_network import PublicNetwork
from counterplay.networks.value_network import ValueNetwork
from counterplay.opponents.opponent import opponent
from counterplay.responses.look_ahead_methods import CDRNR
from counterplay.responses.respond import respond
from counterplay.solvers.cfr import Stop
from counterplay.subgames.cut_shape import Border
from counterplay.value_functions.leaf_value import Evaluate, ValueFunction

_TRUSTS = (0.0, 0.5, 0.0, 1.0, 0.2, 0.8)
_ITERATIONS = 300
"""Iterations of a look-ahead that is only watched."""
_MODELS = ("uniform", "random", "cfr+:5", "random:,0.3", "cfr+:50")
_SEARCHES, _LONGEST, _SHORT = 8, 64.0, 60
"""Best responses whose ranges a piece has; the most iterations of their models; iterations of each look-ahead."""


@dataclass(eq=False)
class RecordedValue:
    """A value function that keeps the ranges it is asked for, with each border."""

    inner: ValueFunction
    asked: list[tuple[Any, list[Ranges]]] = field(default_factory=list)
    name: str = "net"

    def at(self, border: Any) -> Evaluate:
        """Its values, with a list of all ranges asked for at the border."""
        evaluate, kept = self.inner.at(border), list[Ranges]()
        self.asked.append((border, kept))

        def recorded(range0: F64, range1: F64) -> tuple[F64, F64]:
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
    """Borders with ranges at which a search asks for values.

    Args:
        game: compiled.
        network: the value function of the search.
        number: of the search: seat, model and trust in it change with it.
        most: public states in all.
        rng: chooses among the ranges, and seeds the model.
    """
    seat, model = number % 2, _MODELS[number % len(_MODELS)]
    yield from _asked(game, network, seat, model, _TRUSTS[number % len(_TRUSTS)], most, rng, _ITERATIONS)


def respond_and_record(
    game: GameTree, network: ValueNetwork, number: int, most: int, rng: np.random.Generator
) -> Iterable[tuple[Border, list[Ranges]]]:
    """The same of several best responses by look-ahead (CDBR), to random players and to averages of CFR after few
    iterations, which are drawn evenly on a logarithmic axis.
    """
    for one in range(_SEARCHES):
        model = "random" if one % 2 else f"cfr:{round(_LONGEST ** rng.random())}"
        yield from _asked(game, network, (number + one // 2) % 2, model, 1.0, most // _SEARCHES, rng, _SHORT)


def _asked(
    game: GameTree,
    network: ValueNetwork,
    seat: int,
    source: str,
    p: float,
    most: int,
    rng: np.random.Generator,
    long: int,
) -> Iterable[tuple[Border, list[Ranges]]]:
    recorded = RecordedValue(LearnedValue(network))
    model = opponent(game, source, 1 - seat, seed=int(rng.integers(2**31)))
    look = LookAhead(depth=network.depth, leaf=recorded)
    respond(game, model, CDRNR(p=p, look=look), stop=Stop(iterations=long))
    found = [(border, ranges) for border, ranges in recorded.asked if ranges]
    rows = [network.rows(border) for border, _ in found]
    kinds = sum(len(np.unique(one.kinds)) for one in rows)
    for (border, ranges), one in zip(found, rows, strict=True):
        chosen = rng.permutation(len(ranges))[: max(1, most // (kinds * one.of_each_kind))]
        yield border, [ranges[k] for k in chosen.tolist()]
