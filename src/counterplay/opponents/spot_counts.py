"""Hands of a spot as one player's decisions, and the strategy that they make likely, hand by hand of the range.

Only infosets that hands may have come to take part: they form a treeplex of their own, so that a spot of any size, in
arrays or in a store, costs what its hands cost. The deal is no decision: a hand's weight in the range is its probability.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.errors import InputError, quoted
from counterplay.games import GAMES
from counterplay.games.game import CHANCE
from counterplay.opponents.counting.estimate import Observations
from counterplay.opponents.counting.terminal_infosets import HIDDEN, SHOWN, Move, checked_reveal
from counterplay.opponents.counts import HandCounts
from counterplay.opponents.histories.hand_record import GameHand, HoldemHand
from counterplay.opponents.histories.read_hands import Hands, log_use
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import hand_text, parse_card
from counterplay.poker.public_tree.hand_treeplex import PublicNode
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.treeplex import Labels, Treeplex, build

_DEAL, _SHOWDOWN = int(Kind.DEAL), int(Kind.SHOWDOWN)
_TOLERANCE = 1e-9
"""Of a result, as a share of the span of the payoffs."""


class SeenHand(NamedTuple):
    """The decisions of one player in a hand. actions: in order: where, and the number of each. holdings: (hands,) how likely
    the player's hands are before any action, up to a factor; 0 where they cannot be."""

    actions: Sequence[tuple[PublicNode, int]]
    holdings: F64


class SpotObserver:
    """Reads hands of a spot for the decisions of one player."""

    def __init__(self, game: SpotGame, seat: int, reveal: str = SHOWN) -> None:
        self.game, self.seat, self.reveal = game, seat, checked_reveal(reveal)
        self._boards: dict[tuple[int, ...], int] = {}

    def read(self, moves: Sequence[Move], won: float | None = None) -> SeenHand:
        """The observed player's decisions in a hand. moves: who acted and the text of the action, hands and cards
        included; None for a hand that was not seen. won: chips of oop, net of half of the pot; None where they are not
        known."""
        actions, node, dealt = self._walk(moves)
        own, theirs = (moves[seat][1] for seat in (1 - self.seat, self.seat))
        if own is None:
            raise InputError(f"the hand hides what {PLAYERS[1 - self.seat]} held")
        cards, held = self.game.tree.boards.cards, self._number(own, 1 - self.seat)
        is_hidden = self.reveal == HIDDEN or (self.reveal != SHOWN and self.game.tree.betting.kind[node] != _SHOWDOWN)
        if set(cards.hands[held].tolist()) & set(dealt):
            raise InputError(f"a card of {quoted(own)} is dealt to the board")
        free = ~np.isin(cards.hands, [*cards.hands[held].tolist(), *dealt]).any(axis=1)
        holdings = np.where(free, cards.weights[self.seat], 0.0)
        if theirs is not None:
            number = self._number(theirs, self.seat)
            if not holdings[number] > 0.0:
                raise InputError(f"{quoted(theirs)} and {quoted(own)} are not dealt together there")
            known = np.arange(len(holdings)) == number
            self._check_result(np.where(known, 1.0, 0.0), node, dealt, held, won)
            holdings = holdings if is_hidden else np.where(known, 1.0, 0.0)
        return SeenHand(actions, self._check_result(holdings, node, dealt, held, won))

    def _walk(self, moves: Sequence[Move]) -> tuple[list[tuple[PublicNode, int]], int, tuple[int, ...]]:
        """The observed player's actions, the betting node at the end, and the cards dealt; errors as of `read`."""
        betting, cards = self.game.tree.betting, self.game.tree.boards.cards
        whole = len(self.game.tree.boards.layers[-1].boards[0]) - len(cards.board)
        if [who for who, _ in moves[:2]] != [CHANCE, CHANCE]:
            raise InputError(f"a hand of {self.game.name} begins with two hands that are dealt")
        found, node, dealt = list[tuple[PublicNode, int]](), self._past(0), tuple[int, ...]()
        for who, name in moves[2:]:
            kind = int(betting.kind[node])
            if who == CHANCE and name is not None and (kind == _DEAL or (kind == _SHOWDOWN and len(dealt) < whole)):
                card = parse_card(name)
                if card not in cards.deck or card in (*cards.board, *dealt):
                    raise InputError(f"{quoted(name)} cannot be dealt there in {self.game.name}")
                dealt = (*dealt, card)
                node = self._past(betting.children(node)[0]) if kind == _DEAL else node
                continue
            names = betting.actions(node)
            if who == CHANCE or kind != who or name not in names:
                raise InputError(f"{quoted(name)} is no move at '{betting.path(node)}' of {self.game.name}")
            number = names.index(str(name))
            if who == self.seat:
                if dealt not in self._boards:
                    boards = self.game.tree.boards
                    self._boards[dealt] = boards.layers[len(dealt)].boards.index((*boards.cards.board, *dealt))
                found.append((PublicNode(node, len(dealt), self._boards[dealt]), number))
            node = self._past(betting.children(node)[number])
        kind = int(betting.kind[node])
        if kind <= _DEAL or (kind == _SHOWDOWN and len(dealt) < whole):
            raise InputError(f"no hand of {self.game.name} ends at '{betting.path(node)}'")
        return found, node, dealt

    def _past(self, node: int) -> int:
        """The first node from this one on where there is a choice, or no player acts."""
        betting = self.game.tree.betting
        while int(betting.kind[node]) < _DEAL and len(betting.children(node)) == 1:
            node = betting.children(node)[0]
        return node

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {hand_text(hand): number for number, hand in enumerate(self.game.tree.boards.cards.hands.tolist())}

    def _number(self, name: str, seat: int) -> int:
        """The number of a hand that is in a player's range."""
        number = self._numbers.get(name, -1)
        if number < 0 or not self.game.tree.boards.cards.weights[seat, number] > 0.0:
            raise InputError(f"{quoted(name)} is no hand of {PLAYERS[seat]} in {self.game.name}")
        return number

    def _check_result(self, holdings: F64, node: int, dealt: tuple[int, ...], held: int, won: float | None) -> F64:
        """The holdings with which the hand ends so."""
        if not holdings.any():
            raise InputError(f"no hand is left for {PLAYERS[self.seat]}")
        if won is None:
            return holdings
        betting, cards, here = self.game.tree.betting, self.game.tree.boards.cards, np.flatnonzero(holdings)
        gain, loss, tie = (float(of[node]) for of in (betting.win, betting.lose, betting.tie))
        chips = np.full(len(here), loss if betting.kind[node] == Kind.FOLD0 else gain)
        if betting.kind[node] == _SHOWDOWN:
            rank = np.asarray(cards.rank((*cards.board, *dealt), cards.hands[[held, *here]]))
            ahead = np.sign(rank[0] - rank[1:]) * (1 if self.seat else -1)  # of oop
            chips = np.where(ahead > 0, gain, np.where(ahead < 0, loss, tie))
        fits = np.abs(chips - won) <= _TOLERANCE * max(1.0, self.game.span)
        if not fits.any():
            raise InputError(f"no hand of {self.game.name} ends at '{betting.path(node)}' with {won:g} chips for oop")
        out = np.zeros(len(holdings))
        out[here[fits]] = holdings[here[fits]]
        return out


def sequences_at(game: SpotGame, player: int, part: PublicNode, number: int) -> tuple[I64, I64]:
    """The sequences (hands,) of a player's action by hand, and the numbers (hands,) of these hands."""
    tree = game.tree
    layer, child = tree.boards.layers[part.layer], tree.betting.children(part.node)[number]
    places = np.arange(*layer.first[part.board : part.board + 2].tolist())
    return tree.runs[player].start[child] + places, np.asarray(layer.hand[places], np.int64)


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


class SpotCounts(HandCounts):
    """Evidence of hands about a player's strategy in a spot of hold'em. seat: the observed player's: 0 (oop) or 1 (ip).

    `observations` are over the infosets that were seen alone."""

    def __init__(self, game: SpotGame, seat: int) -> None:
        super().__init__(game, seat)
        self._first: dict[int, int] = {}
        self._parent, self._actions, self._block = list[int](), list[int](), list[int]()
        self._sequences: list[int] = []
        self._parts: dict[PublicNode, int] = {}

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
        self._add(sequences.tobytes() + weights.tobytes(), times, lambda: (sequences, weights))
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
        return self._data(self._seen.tree, np.append(0, self._seen.places))

    @property
    def public_states(self) -> I64:
        return self._seen.block

    @property
    def streets(self) -> I64:
        seen, found = self._seen, np.full(self._seen.tree.size, -1, np.int64)
        layers = np.array([part.layer for part in self._parts], np.int64)  # in the order of their numbers
        found[seen.places] = layers[seen.block[seen.tree.owner[seen.places]]]
        return found

    def seen_part(self, strategy: Any) -> Strategy:
        seen, read = self._seen, np.zeros(self._seen.tree.size)
        read[seen.places] = np.maximum(np.asarray(strategy.behaviour[seen.sequences], np.float64), 0.0)
        behaviour = seen.tree.normalised(read, seen.tree.uniform())  # rounded numbers may not add up to 1
        return Strategy(seen.tree, behaviour, strategy.facts)

    def _model(self, start: Any, behaviour: F64, counts: F64, facts: Mapping[str, Any]) -> Any:
        seen, everywhere = self._seen, np.zeros(self.game.tree.lanes(self.seat))
        everywhere[seen.infosets] = counts[seen.lanes]
        return self.game.changed(start, seen.sequences, behaviour[seen.places], facts, everywhere)


def spot_hands_of_player(
    spot: str, name: str, hands: Hands, player: str
) -> tuple[list[GameHand], dict[str, int]] | None:
    """The hands that logs have of a player in a spot, and the number of others by game; None if there are only hands of
    hold'em, which are no hands of the spot but may fit it. A log of an earlier version names no spot: its hands count as the
    spot's, unless it names another game of the library. spot: its digest; "" of a public tree that is no spot."""

    def is_own(hand: GameHand) -> bool:
        return hand.spot == spot if hand.spot else hand.game == name or hand.game.partition(":")[0] not in GAMES

    every = hands.of(player)
    own = [hand for hand in every if isinstance(hand, GameHand) and is_own(hand)]
    others = [hand for hand in every if not (isinstance(hand, GameHand) and is_own(hand))]
    if not own and any(isinstance(hand, HoldemHand) for hand in others):
        return None
    games = Counter(hand.game if isinstance(hand, GameHand) else "hold'em" for hand in others)
    if not own:
        most = ", ".join(f"{count:,} of {quoted(game)}" for game, count in games.most_common(3))
        raise InputError(f"no hand of {quoted(player)} is of {name}: there are {most}")
    return own, {f"hands of {game}": count for game, count in games.items()}


def counts_in_spot(game: SpotGame, seat: int, hands: Hands, player: str, reveal: str = SHOWN) -> SpotCounts | None:
    """The hands of a player in one seat of a spot, counted, from logs of its hands; what is not counted is said. None if
    there are only hands of hold'em. reveal: what is taken of hands in which all is known."""
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
