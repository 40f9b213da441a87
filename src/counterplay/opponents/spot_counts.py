"""Counts of a player's decisions in hands of a spot, hand by hand of the range, and the strategy that they make likely.

Only infosets that hands may have come to take part: they form a treeplex of their own, so that a spot of any size, in arrays
or in a store, costs what its hands cost. The deal is no decision: a hand's weight in the range is its probability.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.display import brief
from counterplay.errors import InputError, quoted
from counterplay.games import GAMES
from counterplay.opponents.counting.effective_counts import effective_counts
from counterplay.opponents.counting.observations import Observations
from counterplay.opponents.counting.sight import SHOWN
from counterplay.opponents.counting.spot_observations import SeenHand, SpotObserver
from counterplay.opponents.counts import AUTO, EM, FREQUENCIES, Counts
from counterplay.opponents.histories.hand_record import AnyHand, GameHand, HoldemHand
from counterplay.opponents.histories.read_hands import Hands
from counterplay.opponents.histories.skipped_hands import log_use
from counterplay.opponents.model import MODELS
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.treeplex.build import build
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.treeplex import Labels, Treeplex


class _SeenTree(NamedTuple):
    """The infosets that were seen, as a treeplex. tree: of them alone. places: (n,) its sequences but the empty one, in the
    order in which they were met. sequences: (n,) these in the spot. lanes, infosets: (i,) its lanes, and those in the spot.
    block: (lanes,) the public state of each lane."""

    tree: Treeplex
    places: I64
    sequences: I64
    lanes: I64
    infosets: I64
    block: I64


class SpotCounts:
    """What hands say about a player's strategy in a spot of hold'em.

    Args:
        game: from `load`.
        seat: the observed player's: 0 (oop) or 1 (ip).

    Attributes:
        hands: number of hands seen.
    """

    def __init__(self, game: SpotGame, seat: int) -> None:
        self.game, self.seat = game, seat
        self.hands: float = 0
        self._first: dict[int, int] = {}
        self._parent, self._actions, self._block = list[int](), list[int](), list[int]()
        self._sequences: list[int] = []
        self._numbers: dict[bytes, int] = {}
        self._sets: list[tuple[I64, F64]] = []
        self._times: list[float] = []
        self._parts: dict[PublicNode, int] = {}

    def __repr__(self) -> str:
        return brief(self, self.game.name, PLAYERS[self.seat], f"{self.hands:,} hands")

    def see(self, hand: SeenHand, times: float = 1) -> None:
        """Count a hand, so many times."""
        held = np.flatnonzero(hand.holdings)
        raw, layers = np.zeros(len(held), np.int64), self.game.tree.boards.layers
        for part, number in hand.actions:
            layer = layers[part.layer]
            first, end = layer.first[part.board : part.board + 2].tolist()
            place = np.full(len(hand.holdings), -1, np.int64)
            place[layer.hand[first:end]] = np.arange(first, end)
            pairs = zip(place[held].tolist(), raw.tolist(), strict=True)
            raw = np.array([self._sequence(part, at, before) for at, before in pairs], np.int64) + number
        sequences, inverse = np.unique(raw, return_inverse=True)
        weights = np.bincount(inverse, hand.holdings[held]) / hand.holdings.sum()
        key = sequences.tobytes() + weights.tobytes()
        if key not in self._numbers:
            self._numbers[key] = len(self._times)
            self._sets.append((sequences, weights))
            self._times.append(0.0)
        self._times[self._numbers[key]] += times
        self.hands += times
        self.__dict__.pop("_seen", None)

    def _sequence(self, part: PublicNode, place: int, before: int) -> int:
        """The first of an infoset's sequences, numbered as they are met. before: the sequence that leads there."""
        runs, children = self.game.tree.runs[self.seat], self.game.tree.betting.children(part.node)
        lane = int(runs.lane[part.node]) + place
        if lane not in self._first:
            self._first[lane] = 1 + len(self._sequences)
            self._parent.append(before)
            self._actions.append(len(children))
            self._block.append(self._parts.setdefault(part, len(self._parts)))
            self._sequences += [int(runs.start[child]) + place for child in children]
        return self._first[lane]

    @cached_property
    def _seen(self) -> _SeenTree:
        parent, actions, block = (np.array(of, np.int32) for of in (self._parent, self._actions, self._block))
        tree, places = build(self.seat, parent, actions, block, lambda _: Labels([], [], []))
        first = np.fromiter(self._first.values(), np.int64, len(self._first))
        lanes = tree.owner[places[first]].astype(np.int64)
        blocks = np.full(tree.lanes, -1, np.int64)
        blocks[lanes] = block
        infosets = np.fromiter(self._first, np.int64, len(self._first))
        return _SeenTree(
            tree, places[1:].astype(np.int64), np.array(self._sequences, np.int64), lanes, infosets, blocks
        )

    @property
    def observations(self) -> Observations:
        """The hands as data of a likelihood, over the infosets that were seen."""
        places = np.append(0, self._seen.places)
        row = np.repeat(np.arange(len(self._sets)), [len(of) for of, _ in self._sets])
        sequences = np.concatenate([np.zeros(0, np.int64), *(places[of] for of, _ in self._sets)])
        weights = np.concatenate([np.zeros(0), *(of for _, of in self._sets)])
        return Observations(self._seen.tree, row, sequences, weights, np.array(self._times))

    @property
    def public_states(self) -> I64:
        """(lanes,) a number of the public state of each infoset of `observations`; -1 in padding."""
        return self._seen.block

    @property
    def streets(self) -> I64:
        """(size,) the street, from 0 where the spot begins, of each sequence of `observations`; -1 of the empty one."""
        seen, found = self._seen, np.full(self._seen.tree.size, -1, np.int64)
        layers = np.array([part.layer for part in self._parts], np.int64)  # in the order of their numbers
        found[seen.places] = layers[seen.block[seen.tree.owner[seen.places]]]
        return found

    def seen_part(self, strategy: Any) -> Strategy:
        """A strategy of the spot at the infosets that were seen."""
        seen = self._seen
        behaviour, owner = seen.tree.uniform(), seen.tree.owner[seen.places]
        read = np.maximum(np.asarray(strategy.behaviour[seen.sequences], np.float64), 0.0)
        total = np.bincount(owner, read, seen.tree.lanes)[owner]  # of rounded numbers, which may not add up to 1
        behaviour[seen.places] = np.divide(read, total, out=behaviour[seen.places], where=total > 0.0)
        return Strategy(seen.tree, behaviour, strategy.facts)

    def strategy(self, prior: Any = "nash", weight: float | str = AUTO, by: str = EM, *, seed: int = 0) -> Any:
        """The player's strategy as the hands and a prior have it, with effective counts of each infoset; arguments and
        errors as of `Counts.strategy`."""
        start = prior if hasattr(prior, "behaviour") else MODELS.record(prior).strategy(self.game, self.seat, seed)
        if start.player != self.seat:
            raise InputError(f"the prior must be a strategy of seat {self.seat} in {self.game.name}")
        data, seen = self.observations, self._seen
        found, number = Counts.fit(data, self.seen_part(start).behaviour, weight, by, seed)
        seen_counts = found.visits
        if by != FREQUENCIES:
            seen_counts = effective_counts(seen.block, data, found.behaviour, number)
        counts = np.zeros(self.game.tree.lanes(self.seat))
        counts[seen.infosets] = seen_counts[seen.lanes]
        facts = {
            "game": self.game.name, "method": f"hands by {by}", "hands": self.hands,
            "prior": prior if isinstance(prior, str) else str(start.facts.get("method", "strategy")), "weight": number,
            "gap": found.gap,
        }  # fmt: skip
        return self.game.changed(start, seen.sequences, found.behaviour[seen.places], facts, counts)


def hands_of_spot(spot: str, name: str, hands: Iterable[AnyHand]) -> tuple[list[GameHand], list[AnyHand]]:
    """Hands that a log has of a spot, and all others. A log of an earlier version does not say which spot it is of: its
    hands count as the spot's, unless it names another game of the library.

    Args:
        spot: its digest; "" of a public tree that is no spot.
        name: of the game.
        hands: of any games.
    """
    found, others = list[GameHand](), list[AnyHand]()
    for hand in hands:
        if not isinstance(hand, GameHand) or (hand.spot != spot if hand.spot else _is_of_library(hand.game, name)):
            others.append(hand)
        else:
            found.append(hand)
    return found, others


def _is_of_library(text: str, name: str) -> bool:
    """Return whether a text names a game of the library that is not the one of this name."""
    return text != name and text.partition(":")[0] in GAMES


def spot_hands_of_player(
    spot: str, name: str, hands: Hands, player: str
) -> tuple[list[GameHand], dict[str, int]] | None:
    """The hands that logs have of a player in a spot, and how many others there are, by game; None if there are only hands
    of hold'em, which are no hands of the spot but may fit it. Arguments as of `hands_of_spot`.

    Raises:
        InputError: all are of other games; the message names them.
    """
    own, others = hands_of_spot(spot, name, hands.of(player))
    if not own and any(isinstance(hand, HoldemHand) for hand in others):
        return None
    games = Counter(hand.game if isinstance(hand, GameHand) else "hold'em" for hand in others)
    if not own:
        told = ", ".join(f"{count:,} of {quoted(game)}" for game, count in games.most_common(3))
        raise InputError(f"no hand of {quoted(player)} is of {name}: there are {told}")
    return own, {f"hands of {game}": count for game, count in games.items()}


def counts_in_spot(game: SpotGame, seat: int, hands: Hands, player: str, reveal: str = SHOWN) -> SpotCounts | None:
    """The hands of a player in one seat of a spot, counted, from logs of its hands; what is not counted is said. None if
    there are only hands of hold'em.

    Args:
        game: the spot.
        seat: the player's: 0 (oop) or 1 (ip).
        hands: of files.
        player: name.
        reveal: what is taken of hands in which all is known.

    Raises:
        InputError: a hand that does not fit the spot; the message has its place, and of what its log is. Or there are no
            hands of the player.
    """
    chosen = spot_hands_of_player(game.digest, game.name, hands, player)
    if chosen is None:
        return None
    counts = SpotCounts(game, seat)
    for seen in seen_hands(SpotObserver(game, seat, reveal), chosen[0], player):
        counts.see(seen)
    if not counts.hands:
        raise InputError(f"there are no hands of {quoted(player)} as {PLAYERS[seat]} in {game.name}")
    elsewhere = {f"hands not as {PLAYERS[seat]}": len(chosen[0]) - round(counts.hands)}
    log_use(player, f"{counts.hands:,} hands as {PLAYERS[seat]}", elsewhere | chosen[1])
    return counts


def seen_hands(observer: SpotObserver, hands: Iterable[GameHand], player: str) -> Iterator[SeenHand]:
    """Observations of a player's hands in the observed seat; errors as of `counts_in_spot`."""
    known = dict[Any, SeenHand]()
    for hand in hands:
        if hand.players[observer.seat] != player:
            continue
        key = hand.moves, hand.won
        try:
            if key not in known:
                known[key] = observer.read(hand.moves, hand.won)
        except InputError as error:
            raise InputError(f"{hand.place}: {error}; the log is of {quoted(hand.game)}") from None
        yield known[key]
