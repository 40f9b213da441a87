"""Learning the values of rivers, for look-aheads that stop where the turn ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError, quoted
from counterplay.learning.recipe import Fitted, Piece, Recipe, learn
from counterplay.learning.river_samples import (
    POT,
    DrawnTurn,
    Random,
    RiverBetting,
    RiverSamples,
    draw_depth,
    solve_river,
)
from counterplay.learning.torch_layers import FitSettings, Watch
from counterplay.learning.value_fit import fit_rivers
from counterplay.learning.value_samples import RecordedValue, random_behaviour, solved_by
from counterplay.networks.network import Network
from counterplay.networks.river_network import RiverNetwork
from counterplay.poker.betting.bet_sizes import read_sizes
from counterplay.poker.cards.deck import Deck
from counterplay.poker.public_tree.public_tree import public_tree
from counterplay.poker.ranges.range import Range
from counterplay.poker.spots.spot import Spot
from counterplay.poker.subtrees.street_limit import truncate
from counterplay.problem.subgame import Subgame
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.minimiser import CFR_PLUS
from counterplay.treeplex.restriction import Restriction
from counterplay.value_functions.network_value import RiverValue

_TURN = 8
"""Rivers of a turn that is drawn."""
_PER_LOOK, _ITERATIONS = 50, 40
"""Rivers of a look-ahead that is watched, and its iterations."""
_TRUSTS = (0.0, 0.5, 0.0, 1.0)
_HELD_OUT = 20
"""One river in so many is kept for measuring."""
Question = tuple[tuple[int, ...], tuple[F64, F64], float]
"""A board of five cards, both ranges, and chips behind in pots."""


@dataclass(frozen=True)
class RiverSettings:
    """Settings of learned rivers.

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

    @cached_property
    def betting(self) -> RiverBetting:
        """The betting of the rivers, and how they are solved."""
        solver = solved_by(self.solver)
        assert solver.iterations is not None
        return RiverBetting(Deck.from_rank(self.deck), self.bets, self.raises, solver.method, solver.iterations)


@dataclass(frozen=True)
class RiverValues(Recipe):
    """Rivers of drawn turns, and those at ranges that look-aheads of turns ask for."""

    settings: RiverSettings
    piece: ClassVar[int] = 200
    drawn_key: ClassVar[str] = "rivers {n}"

    @property
    def drawn(self) -> int:
        return self.settings.rivers

    @property
    def rounds(self) -> int:
        return 1

    @property
    def nothing(self) -> RiverSamples:
        both = np.zeros((0, 2, self.settings.knots), np.float32)
        return RiverSamples(both, np.zeros(0, np.float32), both, both)

    def draw(self, piece: Piece) -> Iterator[Question]:
        """Rivers with ranges of earlier play."""
        deck, rng = self.settings.betting.deck, piece.rng
        turn = DrawnTurn.draw(deck, rng)
        for k in range(piece.wanted):
            if k % _TURN == 0:
                turn = DrawnTurn.draw(deck, rng)
            yield _at_river(turn, (turn.range(rng), turn.range(rng)), draw_depth(rng), rng)

    def ask(self, piece: Piece) -> Iterator[Question]:
        """Rivers at ranges of look-aheads of drawn turns."""
        for _ in range(-(-self.piece // _PER_LOOK)):
            yield from self._asked_by_one(piece.rng, piece.network)

    def _asked_by_one(self, rng: Random, network: RiverNetwork) -> Iterator[Question]:
        """Ranges of one look-ahead, each on a drawn river."""
        betting = self.settings.betting
        turn = DrawnTurn.draw(betting.deck, rng)
        oop, ip = (Range(turn.range(rng), betting.deck) for _ in (0, 1))
        stack = max(1.0, float(round(draw_depth(rng) * POT)))
        spot = Spot(turn.board, oop, ip, POT, stack, betting.bets, betting.raises, deck=betting.deck)
        end = truncate(public_tree(spot.betting, spot.cards), 0)
        recorded = RecordedValue(RiverValue(network))
        problem = replace(end.problem(), beyond=end.beyond(recorded.at(end)))
        trust, bound = float(rng.choice(_TRUSTS)), int(rng.integers(2))
        if trust:
            problem = problem.restricted(bound, _random_model(problem, bound, trust, rng))
        solve_cfr(problem, CFR_PLUS, Stop(iterations=_ITERATIONS), look=False)
        asked = recorded.asked[0][1]
        for _ in range(_PER_LOOK):
            k, both = int(rng.integers(len(end.deals))), asked[int(rng.integers(len(asked)))]
            at_deal = [weights.reshape(len(end.deals), -1)[k] for weights in both]
            ranges = [_every(betting.deck, spot.numbers, weights) for weights in at_deal]
            yield _at_river(turn, (ranges[0], ranges[1]), float(end.depths[k]), rng)

    def solve(self, question: Question) -> RiverSamples | None:
        return solve_river(self.settings.betting, *question, self.settings.knots)

    def fit(self, samples: RiverSamples, fit: FitSettings, begin: Network | None, watch: Watch | None) -> Fitted:
        held_out = _held_out(samples)
        return fit_rivers(RiverSamples(*(array[~held_out] for array in samples)), fit, begin, watch), None

    def learned(self, samples: RiverSamples, fitted: Fitted) -> RiverNetwork:
        settings, network, held_out = self.settings, fitted[0], _held_out(samples)
        about = {"seed": settings.seed, "rivers": len(samples.depths), "solver": settings.solver}
        net = RiverNetwork(settings.bets, settings.raises, settings.deck, network, about)
        tested = RiverSamples(*(array[held_out] for array in samples)) if held_out.any() else samples
        return replace(net, about={**about, "errors": river_errors(net, tested)})


def _held_out(samples: RiverSamples) -> Any:
    """(n,) whether each is kept for measuring."""
    return np.arange(len(samples.depths)) % _HELD_OUT == _HELD_OUT - 1


def _random_model(problem: Subgame, player: int, trust: float, rng: Random) -> Restriction:
    """A player who follows a random strategy with some probability, and is free otherwise."""
    tree, dealt = problem.trees[player], problem.restrictions[player]
    behaviour = dealt.behaviour(tree, random_behaviour(tree, 1.0, rng))
    return Restriction.until(tree, behaviour, trust, np.ones(tree.lanes, np.bool_), dealt)


def _every(deck: Deck, hands: Any, weights: F64) -> F64:
    """(hands of the deck,) weights of some of them, scaled to at most 1."""
    out = np.zeros(len(deck.hands))
    out[hands] = np.maximum(weights, 0.0)
    return out / max(float(out.max()), 1e-12)


def _at_river(turn: DrawnTurn, ranges: tuple[F64, F64], depth: float, rng: Random) -> Question:
    """A drawn river of a turn, with the hands that it leaves."""
    board = (*turn.board, int(rng.choice(turn.rivers)))
    live = turn.deck.live(board)
    return board, (np.where(live, ranges[0], 0.0), np.where(live, ranges[1], 0.0)), depth


def learn_river(settings: RiverSettings, **run: Any) -> RiverNetwork:
    """Learn the values of rivers for both players at any ranges. run: arguments of `recipe.learn`.

    Raises:
        InputError: torch is not installed, or invalid bets or solver.
        KeyboardInterrupt: Ctrl-C; the record has the results so far.
    """
    net: RiverNetwork = learn(RiverValues(settings), **run)
    return net


def river_errors(net: RiverNetwork, samples: RiverSamples) -> dict[str, float]:
    """The network's errors in per cent of the pot: of hands, weighted as in the samples, and of both players' claims; beside
    those of showdowns without bets."""
    extra = net.extra(samples.shares, samples.depths.astype(np.float64))
    out = {}
    for name, answer in (("", extra), (" of showdowns", np.zeros_like(extra))):
        wrong = 100.0 * np.abs(answer - samples.extra)
        claims = 100.0 * np.abs(((answer - samples.extra) * samples.shares).sum(axis=2))
        out[f"hand error{name}"] = float((wrong * samples.weights).sum(axis=2).mean())
        out[f"claim error{name}"] = float(claims.mean())
    return out
