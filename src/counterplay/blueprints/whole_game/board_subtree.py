"""Subtrees of whole games: the rest of a hand on one board after some betting, for every gadget and search.

Its public tree deals all hands with equal weight; ranges and actions come from a behaviour that is read off a strategy
of the whole game. Suits are not merged here: a model may distinguish them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.errors import InputError
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.public_tree.boards import Cards
from counterplay.poker.public_tree.hand_treeplex import DEAL, PublicNode, layer_of
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree
from counterplay.poker.subtrees.public_subtree import PublicSubtree, betting_below
from counterplay.poker.subtrees.street_limit import cut_betting
from counterplay.poker.whole_game.boards.board import DEALT, Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, lanes_of_hands, reach
from counterplay.subgames.entry import Entry
from counterplay.subgames.plan_store import ArrayPlans, PlanStore
from counterplay.treeplex.restriction import Numbers, Restriction
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best, best_cfvs
from counterplay.treeplex.treeplex import Treeplex


def first_node(game: HoldemGame, street: int, entry: int) -> int:
    """The betting node at which a street begins after an entry, a number in `HoldemGame.roots` of the street; an
    `InputError` for an unknown one, or a showdown there without further betting."""
    if street == 0:
        return 0
    roots = game.roots[street]
    if not 0 <= entry < len(roots):
        raise InputError(f"entry {entry} is none of 0 to {len(roots) - 1}")
    after = game.betting.children(int(roots[entry]))
    if not after:
        path = game.betting.path(int(roots[entry]))
        raise InputError(f"after '{path}' there is a showdown without a decision on the {STREETS[street]}")
    return after[0]


def betting_after(game: HoldemGame, street: int, entry: int) -> BettingTree:
    """The betting from a street on as a tree of its own, with the utilities of the whole game."""
    return betting_below(game.betting, first_node(game, street, entry), street)


def board_problem(
    game: HoldemGame, entry: int, board: str | Iterable[int], play: BlueprintStrategy | None = None
) -> PublicTree:
    """The subgame of one entry and one board, to the end of the hand. play: strategy of both players up to there, which
    gives their ranges; by default all hands."""
    shown, street = street_of(game, board)
    node = first_node(game, street, entry)
    cards = cards_after(game, shown)
    if play is not None:
        live = game.deck.live(shown)
        cards = replace(cards, weights=np.array([reach(game, play, who, node, shown)[live] for who in (0, 1)]))
    return public_tree(betting_below(game.betting, node, street), cards)


def whole_tree(game: HoldemGame) -> PublicTree:
    """A whole game as one problem, on all its boards: for decks of a few cards."""
    return public_tree(game.betting, cards_after(game, ()))


def cards_after(game: HoldemGame, board: tuple[int, ...]) -> Cards:
    """All hands that a board leaves, with equal weights, and the cards that may still be dealt."""
    deck = game.deck
    hands = deck.hands[deck.live(board)]

    def rank(shown: tuple[int, ...], held: I64) -> I64:
        return hand_ranks(shown, held, deck=deck).astype(np.int64)

    return Cards(deck.cards, board, hands, np.ones((2, len(hands))), rank)


def street_of(game: HoldemGame, board: str | Iterable[int]) -> tuple[tuple[int, ...], int]:
    """The cards of a board and its street."""
    cards = game.deck.held(board)
    if len(cards) not in DEALT[1 : game.last + 1]:
        known = " or ".join(f"{DEALT[street]} on the {STREETS[street]}" for street in range(1, game.last + 1))
        raise InputError(f"a board has {known} cards, not {len(cards)}")
    return cards, DEALT.index(len(cards))


class BoardActions(NamedTuple):
    """A player's actions on a board of a subtree: its cards, (hands,) the number in the deck of the hand at each place,
    and of each action the row in tables of the whole game and the hands' sequences in the subtree."""

    board: tuple[int, ...]
    numbers: I64
    rows: list[tuple[int, slice]]


@dataclass(frozen=True, eq=False)
class BoardSubtree(PublicSubtree):
    """The rest of a hand on a board after the betting of an entry, a number in `HoldemGame.roots`. given: (entries,
    hands of the deck) gifts of the opponent on the path in chips, from `gifts_before`; None if not computed."""

    game: HoldemGame
    entry: int
    board: tuple[int, ...]
    given: F64 | None = None

    @property
    def street(self) -> int:
        return DEALT.index(len(self.board))

    @property
    def numbers(self) -> I64:
        """(hands,) the number in the deck of the hand at each place."""
        return self._in_deck[self.whole.boards.layers[0].hand]

    @property
    def _in_deck(self) -> I64:
        """(hands,) the number in the deck of each hand of the public tree."""
        return self.in_deck(self.whole.boards.cards.hands)

    def in_deck(self, cards: I64) -> I64:
        return np.asarray(self.game.deck.numbers[cards[:, 0], cards[:, 1]], np.int64)

    def node(self, node: int) -> int:
        return first_node(self.game, self.street, self.entry) + node

    def pairs(self, player: int) -> tuple[slice, slice]:
        runs = self.tree.runs[player]
        after = slice(runs.first_after_deal, runs.tree.size)
        return after, after

    @property
    def alike(self) -> I64:
        """(hands,) the lane of each hand on the board: hands that differ only by suit names share one."""
        board, turn = self.game.boards.find_board(self.board)
        lanes = np.zeros(len(self.game.deck.hands), np.int64)
        lanes[board.hand] = board.lane
        return np.asarray(lanes[self.in_deck(turn[self.game.deck.hands[self.numbers]])], np.int64)

    def gifts(self, plans: PlanStore) -> F64:
        """(hands,) gifts of the opponent on the path, in the unit of CFVs, shared among all boards."""
        if self.given is None:
            return np.zeros(self.size)
        return np.asarray(self.given[self.entry][self.numbers] * self.weight(plans.reach(self.resolver)), np.float64)

    def path(self, plans: PlanStore, values: F64) -> Entry:  # noqa: ARG002 - as of every subtree
        raise InputError(
            "on one board of a whole game the path to it is not known, which the opponent shares among all boards: "
            "enter by reach-max-margin, which shares out gifts, or by full on all boards"
        )

    def board_rows(self, player: int) -> Iterator[BoardActions]:
        """A player's actions, board by board of all streets to come."""
        runs, betting, numbers = self.whole.runs[player], self.whole.betting, self._in_deck
        for number, layer in enumerate(self.whole.boards.layers):
            known = {int(row[0]): int(row[2]) for row in self.game.sides[player].decisions[self.street + number]}
            nodes = [n for n in np.flatnonzero(runs.lane[:DEAL] >= 0).tolist() if layer_of(betting, n) == number]
            actions = [
                (known[self.node(node)] + k, int(runs.start[child]))
                for node in nodes
                for k, child in enumerate(betting.children(node))
            ]
            for board, first, end in zip(layer.boards, layer.first.tolist(), layer.first[1:].tolist(), strict=False):
                if actions:
                    rows = [(row, slice(start + first, start + end)) for row, start in actions]
                    yield BoardActions(board, numbers[layer.hand[first:end]], rows)

    def came(self, play: BlueprintStrategy, player: int) -> F64:
        """(hands,) a player's range here under a strategy of the whole game."""
        return reach(self.game, play, player, self.node(0), self.board)[self.numbers]

    def behaviour(self, play: BlueprintStrategy, player: int, came: F64 | None = None) -> F64:
        """(size,) a strategy of the whole game here, with its range, or another one (hands,), in place of the deal."""
        runs = self.whole.runs[player]
        out, width = np.zeros(runs.tree.size), int(runs.tree.arrays.groups[0, 1])
        out[0] = 1.0
        for board, numbers, rows in self.board_rows(player):
            table, lanes = lanes_of_hands(self.game, play, player, board)
            for row, sequences in rows:
                out[sequences] = table[row][lanes[numbers]]
        start = int(runs.start[DEAL])
        out[start : start + self.size] = self.came(play, player) if came is None else came
        out[start + width : start + width + self.size] = 0.5
        return out

    def alternative_values(self, plans: PlanStore, profile: bool = False, unit: float = 1.0) -> F64:
        """(root hands,) The part is the whole tree, so that a plan of it needs no gadget game; shape and use as in
        `Subtree.alternative_values`."""
        if profile:
            return super().alternative_values(plans, profile, unit)
        tree = self.whole.runs[self.opponent].tree
        cfv = self.payoff(unit).product(self.opponent, plans.reach(self.resolver)[:])
        best_cfvs(*tree.arrays, cfv)
        return np.asarray(cfv[self.places(self.opponent)], np.float64)

    def branch(self, plans: Any) -> ArrayPlans:
        first, second = (
            Strategy(self.whole.runs[player].tree, self.behaviour(plans.play, player)) for player in (0, 1)
        )
        return ArrayPlans.of(self.whole.subgame, first, second)

    def rows(self, behaviour: Numbers, player: int, node: int, board: tuple[int, ...] = ()) -> F64:
        """(actions, hands of the deck) probabilities at a node of the subtree, on a later board if given; 0 for blocked
        hands."""
        runs, layer = self.whole.runs[player], self.whole.boards.layers[layer_of(self.whole.betting, node)]
        number = layer.boards.index(board) if board else 0
        first, end = layer.first[number : number + 2].tolist()
        children = self.whole.betting.children(node)
        found = np.zeros((len(children), len(self.game.deck.hands)))
        hands = self._in_deck[layer.hand[first:end]]
        for row, child in zip(found, children, strict=True):
            start = int(runs.start[child])
            row[hands] = behaviour[start + first : start + end]
        return found


def board_subtree(
    game: HoldemGame, entry: int, board: str | Iterable[int], resolver: int, given: F64 | None = None
) -> BoardSubtree:
    """The subtree on a board after one of `HoldemGame.roots` of its street, for a resolver; given: gifts
    (hands,) of the opponent."""
    tree = board_problem(game, entry, board)
    return BoardSubtree(tree, PublicNode(), tree, resolver, game, entry, tree.boards.layers[0].boards[0], given)


def entries_of(game: HoldemGame, street: int) -> list[int]:
    """The betting that leads to a street and goes on there, as numbers in `HoldemGame.roots`."""
    return [entry for entry, node in enumerate(game.roots[street].tolist()) if game.betting.children(node)]


@dataclass(frozen=True, eq=False, kw_only=True)
class StreetAlone(BoardSubtree):
    """One street of a board as a subtree to re-solve, without payoffs at its ends. nodes: (nodes,) the number of each
    of its betting nodes in the rest of the hand. at: the board."""

    nodes: I64
    at: Board

    def node(self, node: int) -> int:
        return super().node(int(self.nodes[node]))

    @cached_property
    def place(self) -> I64:
        """(hands,) the place of each hand on the board."""
        where = np.zeros(len(self.game.deck.hands), np.int64)
        where[self.at.hand] = np.arange(len(self.at.hand))
        return np.asarray(where[self.numbers], np.int64)

    @property
    def next_entries(self) -> I64:
        """(ends,) the ends as numbers in `HoldemGame.roots` of the next street."""
        roots, first = self.game.roots[self.street + 1], self.node(0)
        return np.flatnonzero((roots >= first) & (roots < int(self.game.betting.end[first])))

    def best_at_deal(self, tree: Treeplex, cfv: F64, follows: F64 | None) -> F64:
        """(hands,) CFVs of the opponent's best response to leaf CFVs (size,) of a treeplex, or of a behaviour (size,)
        that they follow."""
        bound = Restriction() if follows is None else Restriction.local(tree, follows, np.ones(tree.lanes))
        best(tree.arrays, bound.keep, bound.mix, cfv, np.zeros(tree.size))
        return np.asarray(cfv[self.places(self.opponent)], np.float64)


def street_tree(game: HoldemGame, street: int, entry: int, at: Board) -> tuple[PublicTree, I64]:
    """The street alone, without payoffs at its ends, and the number (nodes,) of each node in the rest of the hand."""
    betting, nodes = cut_betting(betting_after(game, street, entry), street)
    ends = betting.kind == Kind.SHOWDOWN
    paid: Any = {name: np.where(ends, 0.0, getattr(betting, name)) for name in ("win", "lose", "tie")}
    alone = replace(betting, rules=replace(betting.rules, last=street), **paid)
    return public_tree(alone, cards_after(game, at.cards)), nodes


def ends_of(game: HoldemGame, street: int, entry: int, nodes: I64) -> list[int]:
    """The nodes of the street where the next card is dealt; `nodes` (nodes,) are those of `street_tree`."""
    return np.flatnonzero(np.isin(nodes + first_node(game, street, entry), game.roots[street + 1])).tolist()
