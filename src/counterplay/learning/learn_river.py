"""Learning the values of rivers, for look-aheads that stop where the turn ends: boards, ranges and depths that are
drawn, and what betting adds to a showdown in a solution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from counterplay.arrays import F32, F64, I64, Flags
from counterplay.learning.learn_value import CLAIM, RecordedValue, descend, random_behaviour
from counterplay.learning.recipe import Fitted, Piece, Recipe, learn
from counterplay.learning.settings import RiverSettings, solved_by
from counterplay.learning.torch_layers import TorchNetwork, Watch, fresh_network
from counterplay.networks.network import Network
from counterplay.networks.river_network import RiverNetwork, Strengths, river_inputs, weight_of
from counterplay.poker.betting import rules as limits
from counterplay.poker.betting.bet_sizes import read_sizes
from counterplay.poker.betting.tree import build
from counterplay.poker.cards.deck import Deck, compatible_weight
from counterplay.poker.cards.hand_rank import STANDARD, hand_ranks
from counterplay.poker.public_tree.boards import Cards
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree
from counterplay.poker.ranges.range import Range
from counterplay.poker.showdown.showdown import evaluate
from counterplay.poker.showdown.terminals import Showdown, terminals_of
from counterplay.poker.spots.spot import Spot
from counterplay.poker.subtrees.street_limit import truncate
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.minimiser import CFR_PLUS
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.sweeps import best
from counterplay.value_functions.network_value import RiverValue, strength_on
from counterplay.value_functions.solved_value import SolvedValue

POT = 1000.0
"""Chips in the middle of a river that is solved."""
_LEAST = 1e-9
Random = np.random.Generator
_BOARD = 4
_DEPTHS = 0.1, 12.0
"""Chips behind, in pots: drawn between these, evenly on a logarithmic scale."""
_PLAYS = (0, 1, 1, 2, 2, 3)
"""How many decisions thin out a drawn range; its first one is before the flop."""
_FLAT = 0.15
"""Share of ranges with every hand that is left."""


@dataclass(frozen=True, eq=False)
class DrawnTurn:
    """A drawn turn, a board of four cards."""

    deck: Deck
    board: tuple[int, ...]

    @staticmethod
    def draw(deck: Deck, rng: Random) -> DrawnTurn:
        """Of any board alike."""
        return DrawnTurn(deck, tuple(rng.permutation(deck.cards)[:_BOARD].tolist()))

    @property
    def rivers(self) -> list[int]:
        """The cards that may come."""
        return [card for card in self.deck.cards if card not in self.board]

    @cached_property
    def live(self) -> Flags:
        """(hands of the deck,) whether each can be held."""
        return self.deck.live(self.board)

    @cached_property
    def strength(self) -> F64:
        """(hands,) the share of hands that each beats, on average over the rivers; 0 where it cannot be held."""
        total, seen = np.zeros(len(self.deck.hands)), np.zeros(len(self.deck.hands))
        for card in self.rivers:
            rank = hand_ranks((*self.board, card), deck=self.deck, rules=STANDARD)
            there = rank >= 0
            order = np.searchsorted(np.sort(rank[there]), rank[there]) / there.sum()
            total[there] += order
            seen[there] += 1.0
        return total / np.maximum(seen, 1.0)

    def range(self, rng: Random) -> F64:
        """(hands,) a range as it may come out of earlier play, at most 1."""
        weight = self.live.astype(np.float64)
        if rng.random() < _FLAT:
            return weight
        weight = weight * _before_the_flop(self.deck, rng)
        for _ in range(int(rng.choice(_PLAYS))):
            weight = weight * _played(self.strength, rng)
        weight[~self.live] = 0.0
        most = float(weight.max())
        return weight / most if most > 1e-3 else self.live.astype(np.float64)


def draw_depth(rng: Random) -> float:
    """Chips behind, in pots."""
    low, high = np.log(_DEPTHS)
    return float(np.exp(rng.uniform(low, high)))


def _before_the_flop(deck: Deck, rng: Random) -> F64:
    """(hands,) which hands are played: high, paired, suited or close ones, more or less strictly."""
    low, high = deck.hands.T // 4
    suited = deck.hands[:, 0] % 4 == deck.hands[:, 1] % 4
    worth: Any = rng.uniform(0.3, 1.0) * high + rng.uniform(0.0, 0.8) * low + rng.uniform(0.0, 3.0) * suited
    worth = worth + rng.uniform(0.0, 10.0) * (low == high) + rng.uniform(-0.8, 0.2) * (high - low)
    worth = worth + rng.normal(0.0, rng.uniform(0.1, 2.0), len(worth))
    edge = np.quantile(worth, rng.uniform(0.0, 0.85))
    return np.asarray(1.0 / (1.0 + np.exp(-(worth - edge) / rng.uniform(0.05, 1.0))), np.float64)


def _played(strength: F64, rng: Random) -> F64:
    """(hands,) the probability of an action by strength: constant between some cuts, with noise of single hands."""
    cuts = np.sort(rng.random(int(rng.integers(1, 8))))
    shape = float(rng.choice((0.3, 0.7, 1.5)))
    often = rng.beta(shape, shape, len(cuts) + 1)
    blur = np.clip(strength + rng.normal(0.0, rng.uniform(0.0, 0.15), len(strength)), 0.0, 1.0)
    weight = often[np.searchsorted(cuts, blur)]
    return np.asarray(weight * rng.beta(4.0, 1.0, len(weight)), np.float64)


class RiverSamples(NamedTuple):
    """Solved rivers, one a row.

    Attributes:
        shares: (n, 2, knots) both ranges, scaled to sum 1.
        depths: (n,) chips behind, in pots.
        extra: (n, 2, knots) what betting adds to the value of a showdown, in pots.
        weights: (n, 2, knots) how much each number counts: half by the range, half by the number of hands; sum 1 a player.
    """

    shares: F32
    depths: F32
    extra: F32
    weights: F32


def extra_values(tree: PublicTree, solver: SolvedValue) -> tuple[F64, F64]:
    """Of both players (hands,) in order of strength: what a hand's best response to the other's solution earns more than a
    showdown, in pots a hand that it meets; half the surplus of both claims is subtracted."""
    subgame, layer = tree.subgame, tree.boards.layers[0]
    plans = solve_cfr(subgame, solver.method, Stop(iterations=solver.iterations or 0), look=False).plans
    weights = [held[layer.hand] for held in tree.boards.cards.weights]
    hands, unit, board = tree.boards.cards.hands[layer.hand], tree.leaves.unit, tree.tables.widest[0]
    pot = terminals_of(board, [Showdown(0, 0, 0.5, 0.5)], (len(hands), len(hands)))
    extras = []
    for player in (0, 1):
        mine = subgame.trees[player]
        cfv = subgame.leaves.product(player, plans[1 - player])
        best(mine.arrays, subgame.restrictions[player].keep, np.zeros(mine.size), cfv, np.zeros(mine.size))
        met = compatible_weight(hands, weights[1 - player])
        shown = np.zeros(len(hands))  # what hands win at a showdown of the pot, in pots
        evaluate(board, pot, np.ascontiguousarray(weights[1 - player]), shown, tree.tables.scratch)
        more = cfv[tree.sequences_to(player, 0)] / (unit * POT) - shown
        extras.append((np.divide(more, met, out=np.zeros(len(met)), where=met > _LEAST), met))
    (extra0, met0), (extra1, met1) = extras
    surplus = weights[0] * met0 @ extra0 + weights[1] * met1 @ extra1
    half = 0.5 * surplus / (weights[0] @ met0)
    return extra0 - half, extra1 - half


_TURN = 8
"""Rivers of a turn that is drawn."""
_PER_LOOK, _ITERATIONS = 50, 40
"""Rivers of a look-ahead that is watched, and its iterations."""
_TRUSTS = (0.0, 0.5, 0.0, 1.0)
_POT_BEND = 0.02
"""The error at which the loss turns from squares to absolute values, in pots."""
_HELD_OUT = 20
"""One river in so many is kept for measuring."""
Question = tuple[tuple[int, ...], tuple[F64, F64], float]
"""A board of five cards, both ranges, and chips behind in pots."""


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
        deck, rng = self.settings.cards, piece.rng
        turn = DrawnTurn.draw(deck, rng)
        for k in range(piece.wanted):
            if k % _TURN == 0:
                turn = DrawnTurn.draw(deck, rng)
            yield _at_river(turn, (turn.range(rng), turn.range(rng)), draw_depth(rng), rng)

    def ask(self, piece: Piece) -> Iterator[Question]:
        """Rivers at ranges of look-aheads of drawn turns."""
        rng, asked, deck = piece.rng, self.settings, self.settings.cards
        for _ in range(-(-self.piece // _PER_LOOK)):
            turn = DrawnTurn.draw(deck, rng)
            oop, ip = (Range(turn.range(rng), deck) for _ in (0, 1))
            stack = max(1.0, float(round(draw_depth(rng) * POT)))
            spot = Spot(turn.board, oop, ip, POT, stack, asked.bets, asked.raises, deck=deck)
            end = truncate(public_tree(spot.betting, spot.cards), 0)
            recorded = RecordedValue(RiverValue(piece.network))
            problem = replace(end.problem(), beyond=end.beyond(recorded.at(end)))
            trust, bound = float(rng.choice(_TRUSTS)), int(rng.integers(2))
            if trust:  # the bound player follows a random strategy with this probability, and is free otherwise
                tree, dealt = problem.trees[bound], problem.restrictions[bound]
                behaviour = dealt.behaviour(tree, random_behaviour(tree, 1.0, rng))
                every = np.ones(tree.lanes, np.bool_)
                problem = problem.restricted(bound, Restriction.until(tree, behaviour, trust, every, dealt))
            solve_cfr(problem, CFR_PLUS, Stop(iterations=_ITERATIONS), look=False)
            queries = recorded.asked[0][1]
            for _ in range(_PER_LOOK):
                k, both = int(rng.integers(len(end.deals))), queries[int(rng.integers(len(queries)))]
                ranges = np.zeros((2, len(deck.hands)))
                for reach, weights in zip(ranges, both, strict=True):
                    reach[spot.numbers] = np.maximum(weights.reshape(len(end.deals), -1)[k], 0.0)
                    reach /= max(float(reach.max()), 1e-12)
                yield _at_river(turn, (ranges[0], ranges[1]), float(end.depths[k]), rng)

    def solve(self, question: Question) -> RiverSamples | None:
        """The sample of one river; None if no two hands can be dealt."""
        (board, ranges, depth), asked = question, self.settings
        live, knots = asked.cards.live(board), asked.knots
        chips = limits.spot("river", POT, max(1.0, float(round(depth * POT))), raises=asked.raises)

        def rank(shown: tuple[int, ...], hands: I64) -> I64:
            return hand_ranks(shown, hands, deck=asked.cards).astype(np.int64)

        weights = np.stack([held[live] for held in ranges])
        cards = Cards(asked.cards.cards, board, asked.cards.hands[live], weights, rank)
        if not cards.pairs > 0.0:
            return None
        tree = public_tree(build(chips, read_sizes(asked.bets)), cards)
        extra = extra_values(tree, solved_by(asked.solver))
        hands, weights = tree.boards.cards.hands[tree.boards.layers[0].hand], tree.boards.cards.weights
        strengths = Strengths.of(strength_on(tree.boards.cards, board, hands), knots)
        row, ones = np.zeros(len(hands), np.int64), np.ones(len(hands))
        numbers = []
        for player in (0, 1):
            held = weights[player][tree.boards.layers[0].hand]
            counted = 0.5 * held / held.sum() + 0.5 * ones / len(hands)
            mass = strengths.collect(row, 1, counted)[0]
            value = strengths.collect(row, 1, counted * extra[player])[0]
            there = np.divide(value, mass, out=np.zeros(knots), where=mass > _LEAST)
            numbers.append((strengths.collect(row, 1, held / held.sum())[0], there, mass))
        shares, values, masses = (np.stack(pair)[None].astype(np.float32) for pair in zip(*numbers, strict=True))
        return RiverSamples(shares, np.array([depth], np.float32), values, masses)

    def fit(self, samples: RiverSamples, epochs: int, begin: Network | None, watch: Watch | None) -> Fitted:
        """The loss is that of `fit_values`, of the values that betting adds, in pots."""
        import torch

        asked, seen = self.settings, ~_held_out(samples)
        samples = RiverSamples(*(array[seen] for array in samples))
        torch.manual_seed(asked.seed)
        count, knots = len(samples.depths), asked.knots
        flat, depth = samples.shares.reshape(count, 2 * knots), samples.depths.astype(np.float64)
        shares, inputs, factor, extra, weights = (
            torch.from_numpy(np.ascontiguousarray(array, np.float32))
            for array in (flat, river_inputs(flat, depth), weight_of(depth), samples.extra, samples.weights)
        )
        sizes = [inputs.shape[1], *[asked.width] * asked.layers, 2 * knots]
        net = TorchNetwork(begin or fresh_network(1, sizes, asked.seed))
        near = torch.nn.functional.smooth_l1_loss

        def loss(rows: Any) -> Any:
            out, held = net.outputs(inputs[rows]) * factor[rows], shares[rows]
            out = out - 0.5 * (out * held).sum(dim=1, keepdim=True)
            wanted, counts = extra[rows].reshape(out.shape), weights[rows].reshape(out.shape)
            hands = (near(out, wanted, beta=_POT_BEND, reduction="none") * counts).sum(dim=1).mean()
            claims = [(values * held)[:, :knots].sum(dim=1) for values in (out, wanted)]
            return hands + CLAIM * near(*claims, beta=_POT_BEND)

        return descend(net, count, asked.seed, epochs, loss, watch), None

    def learned(self, samples: RiverSamples, fitted: Fitted) -> RiverNetwork:
        """The network with its errors: of hands, weighted as in the samples, and of both players' claims; beside those of
        showdowns without bets."""
        settings, network, held_out = self.settings, fitted[0], _held_out(samples)
        about = {"seed": settings.seed, "rivers": len(samples.depths), "solver": settings.solver}
        net = RiverNetwork(settings.bets, settings.raises, settings.deck, network, about)
        tested = RiverSamples(*(array[held_out] for array in samples)) if held_out.any() else samples
        extra, errors = net.extra(tested.shares, tested.depths.astype(np.float64)), dict[str, float]()
        for name, answer in (("", extra), (" of showdowns", np.zeros_like(extra))):  # in per cent of the pot
            wrong = 100.0 * np.abs(answer - tested.extra)
            claims = 100.0 * np.abs(((answer - tested.extra) * tested.shares).sum(axis=2))
            errors[f"hand error{name}"] = float((wrong * tested.weights).sum(axis=2).mean())
            errors[f"claim error{name}"] = float(claims.mean())
        return replace(net, about={**about, "errors": errors})


def _held_out(samples: RiverSamples) -> Any:
    """(n,) whether each is kept for measuring."""
    return np.arange(len(samples.depths)) % _HELD_OUT == _HELD_OUT - 1


def _at_river(turn: DrawnTurn, ranges: tuple[F64, F64], depth: float, rng: Random) -> Question:
    """A drawn river of a turn, with the hands that it leaves."""
    board = (*turn.board, int(rng.choice(turn.rivers)))
    live = turn.deck.live(board)
    return board, (np.where(live, ranges[0], 0.0), np.where(live, ranges[1], 0.0)), depth


def learn_river(settings: RiverSettings, **run: Any) -> RiverNetwork:
    """Learn the values of rivers for both players at any ranges. run: arguments of `recipe.learn`."""
    settings.check()
    return learn(RiverValues(settings), **run)  # type: ignore[no-any-return]
