"""The work of learning rivers: those at drawn ranges, and those at ranges that look-aheads of turns ask for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError, quoted
from counterplay.learning.asked_ranges import RecordedValue
from counterplay.learning.pieces import random_of
from counterplay.learning.river_draws import DrawnTurn, Random, draw_depth
from counterplay.learning.river_samples import POT, RiverBetting, RiverSamples, solve_river
from counterplay.learning.value_work import solved_by
from counterplay.networks.river_network import RiverNetwork
from counterplay.poker.betting.bet_sizes import read_sizes
from counterplay.poker.cards.deck import Deck
from counterplay.poker.public_tree.public_tree import public_tree
from counterplay.poker.ranges.range import Range
from counterplay.poker.spots.spot import Spot
from counterplay.poker.subtrees.street_limit import StreetEnd
from counterplay.poker.subtrees.truncated import truncate
from counterplay.problem.subgame import Subgame
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.minimiser import CFR_PLUS
from counterplay.treeplex.restriction import Restriction
from counterplay.value_functions.river_value import RiverValue
from counterplay.work.work import WorkRecipe

_PIECE, _TURN = 200, 8
"""Rivers of a piece, and of a turn that is drawn."""
_PER_LOOK, _ITERATIONS = 50, 40
"""Rivers of a look-ahead that is watched, and its iterations."""
_TRUSTS = (0.0, 0.5, 0.0, 1.0)
_TINY = 1e-12
Drawn = tuple[tuple[int, ...], tuple[F64, F64], float]
"""A board of five cards, both ranges, and chips behind in pots."""


@dataclass(frozen=True)
class RiverSettings:
    """What rivers are learned from, and how.

    Attributes:
        bets: sizes of bets and raises on the river.
        raises: most bets and raises; None without a cap.
        deck: lowest rank of the deck.
        rivers: solved at drawn ranges.
        asked: further ones at ranges that look-aheads of turns ask a first network for.
        solver: of a river, METHOD:N.
        knots: of the strength of hands.
        width: units of each hidden layer.
        layers: number of hidden layers.
        epochs: passes over all rivers.
        seed: of all randomness.
    """

    bets: str = "100%, a"
    raises: int | None = None
    deck: str = "2"
    rivers: int = 9_000
    asked: int = 3_000
    solver: str = "dcfr:150"
    knots: int = 32
    width: int = 120
    layers: int = 3
    epochs: int = 60
    seed: int = 0

    def __post_init__(self) -> None:
        if solved_by(self.solver).iterations is None:
            raise InputError(f"rivers are solved by METHOD:N such as dcfr:150, not by {quoted(self.solver)}")
        if any(size.letter == "c" for sizes in read_sizes(self.bets).at.values() for size in sizes):
            raise InputError("the bets of learned rivers are shares of the pot, and not chips")

    def identity(self) -> Mapping[str, Any]:
        """Everything that the pieces depend on."""
        return {"learned": "rivers", **asdict(self)}

    @property
    def betting(self) -> RiverBetting:
        """The betting of the rivers, and how they are solved."""
        solver = solved_by(self.solver)
        assert solver.iterations is not None
        return RiverBetting(Deck.from_rank(self.deck), self.bets, self.raises, solver.method, solver.iterations)


@dataclass(frozen=True)
class _Stage(WorkRecipe):
    settings: RiverSettings

    def identity(self) -> Mapping[str, Any]:
        return self.settings.identity()

    @cached_property
    def betting(self) -> RiverBetting:
        """Of the settings."""
        return self.settings.betting

    def _solved(self, drawn: Iterable[Drawn]) -> dict[str, Any]:
        found = [solve_river(self.betting, *one, self.settings.knots) for one in drawn]
        return RiverSamples.join(one.facts() for one in found if one is not None).facts()


@dataclass(frozen=True)
class DrawnRivers(_Stage):
    """Rivers at drawn ranges."""

    def keys(self) -> Sequence[str]:
        return [f"rivers {k + 1}" for k in range(-(-self.settings.rivers // _PIECE))]

    def compute(self, key: str) -> dict[str, Any]:
        rng, count = random_of(self.settings.seed, key), min(_PIECE, self.settings.rivers)
        return self._solved(self._drawn(rng, count))

    def _drawn(self, rng: Random, count: int) -> Iterator[Drawn]:
        turn = DrawnTurn.draw(self.betting.deck, rng)
        for k in range(count):
            if k % _TURN == 0:
                turn = DrawnTurn.draw(self.betting.deck, rng)
            yield _at_river(turn, (turn.range(rng), turn.range(rng)), draw_depth(rng), rng)


@dataclass(frozen=True)
class AskedRivers(_Stage):
    """Rivers at ranges that look-aheads of turns over a first network ask for."""

    first: RiverNetwork

    def keys(self) -> Sequence[str]:
        return [f"asked {k + 1}" for k in range(-(-self.settings.asked // _PIECE))]

    def compute(self, key: str) -> dict[str, Any]:
        rng = random_of(self.settings.seed, key)
        return self._solved(one for _ in range(-(-_PIECE // _PER_LOOK)) for one in self._asked(rng))

    def _asked(self, rng: Random) -> Iterator[Drawn]:
        """Ranges of one look-ahead, each on a drawn river."""
        turn = DrawnTurn.draw(self.betting.deck, rng)
        spot = self.spot(turn, rng)
        end = StreetEnd(truncate(public_tree(spot.betting, spot.cards), 0))
        recorded = RecordedValue(RiverValue(self.first))
        problem = replace(end.problem(), beyond=end.beyond(recorded.at(end)))
        trust, bound = float(rng.choice(_TRUSTS)), int(rng.integers(2))
        if trust:
            problem = problem.restricted(bound, _random_model(problem, bound, trust, rng))
        solve_cfr(problem, CFR_PLUS, Stop(iterations=_ITERATIONS), look=False)
        asked = recorded.asked[0][1]
        for _ in range(_PER_LOOK):
            k, both = int(rng.integers(len(end.deals))), asked[int(rng.integers(len(asked)))]
            at_deal = [one.reshape(len(end.deals), -1)[k] for one in both]
            ranges = [_every(self.betting.deck, spot.numbers, one) for one in at_deal]
            yield _at_river(turn, (ranges[0], ranges[1]), float(end.depths[k]), rng)

    def spot(self, turn: DrawnTurn, rng: Random) -> Spot:
        """A turn with ranges of earlier play."""
        oop, ip = (Range(turn.range(rng), self.betting.deck) for _ in (0, 1))
        stack = max(1.0, float(round(draw_depth(rng) * POT)))
        return Spot(turn.board, oop, ip, POT, stack, self.betting.bets, self.betting.raises, deck=self.betting.deck)


def _random_model(problem: Subgame, player: int, trust: float, rng: Random) -> Restriction:
    """A player who follows a random strategy with some probability, and is free otherwise."""
    tree, dealt = problem.trees[player], problem.restrictions[player]
    weight = rng.gamma(1.0, size=tree.size) + _TINY
    behaviour = dealt.behaviour(tree, tree.normalised(weight, np.zeros(tree.size)))
    return Restriction.until(tree, behaviour, trust, np.ones(tree.lanes, np.bool_), dealt)


def _every(deck: Deck, hands: Any, weights: F64) -> F64:
    """(hands of the deck,) weights of some of them, scaled to at most 1."""
    out = np.zeros(len(deck.hands))
    out[hands] = np.maximum(weights, 0.0)
    return out / max(float(out.max()), 1e-12)


def _at_river(turn: DrawnTurn, ranges: tuple[F64, F64], depth: float, rng: Random) -> Drawn:
    """A drawn river of a turn, with the hands that it leaves."""
    board = (*turn.board, int(rng.choice(turn.rivers)))
    live = turn.deck.live(board)
    return board, (np.where(live, ranges[0], 0.0), np.where(live, ranges[1], 0.0)), depth
