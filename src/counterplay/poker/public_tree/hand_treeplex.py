"""One player's treeplex of a public tree: betting nodes times boards times hands, laid out without a list of infosets.

A betting node where the player has a choice is a *run* of lanes: the hands of all boards of its layer, in the order of
`boards.Layer`. So the plan of one action on one board is contiguous, as showdowns and folds read it. The first level is
the deal: per hand, {held, not held}, which the range decides. A node with one action has no run.

Nodes of a public tree have paths, and boards on which they stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.errors import InputError
from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import BettingTree, node_at, split
from counterplay.poker.cards.deck import CARDS, card_text, hand_text, parse_card
from counterplay.poker.public_tree.boards import Boards
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.treeplex import LANES, PAD, Labels, TreeArrays, Treeplex


class PublicNode(NamedTuple):
    """A node of a public tree: a betting node on a board, given by its layer and its number there."""

    node: int = 0
    layer: int = 0
    board: int = 0


def part_at(betting: BettingTree, boards: Boards, path: str) -> PublicNode:
    """The node at the end of a path; an `InputError` for an unknown or illegal step, an impossible card, or a wrong
    number of cards."""
    cards = boards.cards
    node, board = place_of(betting, cards.deck, cards.board, path)
    layer = len(board) - len(cards.board)
    return PublicNode(node, layer, boards.layers[layer].boards.index(board))


def place_of(
    betting: BettingTree, deck: Sequence[int], board: tuple[int, ...], path: str
) -> tuple[int, tuple[int, ...]]:
    """The betting node and the board at the end of a path, without a tree; errors as in `part_at`."""
    actions, cards = split(path)
    node = node_at(betting, actions)
    dealt = int(betting.street[node]) - betting.rules.first
    if betting.kind[node] == Kind.DEAL and len(cards) == dealt + 1:
        node, dealt = betting.children(node)[0], dealt + 1
    if len(cards) != dealt:
        raise InputError(f"the path '{path}' needs {dealt} dealt cards, and names {len(cards)}")
    whole = (*board, *(parse_card(card) for card in cards))
    if len(set(whole)) < len(whole) or not set(whole) <= set(deck):
        raise InputError(f"the path '{path}' deals a card that is no longer in the deck")
    return node, whole


def path_to(betting: BettingTree, boards: Boards, part: PublicNode) -> str:
    """The path of a node, as `part_at` reads it: "check, bet 100, Ah"."""
    board = boards.layers[part.layer].boards[part.board]
    dealt = map(card_text, board[len(boards.cards.board) :])
    return ", ".join(text for text in (betting.path(part.node), *dealt) if text)


DEAL = -1
"""Stands for the deal where a betting node is meant."""
_SHOWDOWN = int(Kind.SHOWDOWN)  # members of enumerations are slow to look up


@dataclass(frozen=True, eq=False)
class Shape:
    """The groups of a player's treeplex, (G, 5) as in `TreeArrays`, the betting nodes of each, the deal first, and the
    size of a plan."""

    groups: I64
    nodes: list[list[int]]
    size: int


@dataclass(frozen=True, eq=False)
class HandTreeplex:
    """The positions of a player's runs in a plan; `source` makes the treeplex.

    Attributes:
        before: (nodes,) for each betting node, the node that the player's last choice led to; DEAL without one.
        start: (nodes + 1,) the offset in a plan of the run of the choice that leads to a node; -1 if no choice of the
            player does; the deal is at index DEAL.
        lane: (nodes + 1,) the first lane of each own decision node, and of the deal; -1 elsewhere.
    """

    source: Callable[[], Treeplex]
    before: I64
    start: I64
    lane: I64

    @cached_property
    def tree(self) -> Treeplex:
        """The treeplex, laid out when it is first asked for: a large one takes some bytes of each lane."""
        return self.source()

    @property
    def first_after_deal(self) -> int:
        """The first sequence after those of the deal."""
        offset, width, actions, _, _ = self.tree.arrays.groups[0].tolist()
        return int(offset + width * actions)

    def given(self, weights: F64) -> Restriction:
        """The restriction that deals the player this range, (hands of layer 0,)."""
        tree, n = self.tree, len(weights)
        width = int(tree.arrays.groups[0, 1])
        keep, mix = np.ones(tree.lanes), np.zeros(tree.size)
        keep[:n] = 0.0
        mix[self.start[DEAL] : self.start[DEAL] + n] = weights
        mix[self.start[DEAL] + width : self.start[DEAL] + width + n] = 1.0 - weights
        return Restriction(keep=keep, mix=mix)


def choices(betting: BettingTree, player: int) -> tuple[I64, I64]:
    """Two (nodes,): the node of the player's last choice, DEAL before the first; and their choices so far."""
    before, level = np.full(betting.nodes, DEAL), np.zeros(betting.nodes, np.int64)
    for node in range(1, betting.nodes):
        parent = betting.parent[node]
        chosen = has_choice(betting, parent, player)
        before[node] = node if chosen else before[parent]
        level[node] = level[parent] + chosen
    return before, level


def has_choice(betting: BettingTree, node: int, player: int) -> bool:
    return bool(betting.kind[node] == player and betting.first[node + 1] - betting.first[node] > 1)


def layer_of(betting: BettingTree, node: int) -> int:
    """The number of cards dealt since the start at a betting node; all of them at a showdown."""
    street = betting.rules.last if int(betting.kind[node]) == _SHOWDOWN else betting.street[node]
    return int(street) - betting.rules.first


def layers_of(betting: BettingTree) -> I64:
    """(nodes,) `layer_of` all betting nodes."""
    dealt = np.where(betting.kind == _SHOWDOWN, betting.rules.last, betting.street)
    return np.asarray(dealt.astype(np.int64) - betting.rules.first)


def layer_of_last_choice(betting: BettingTree, runs: HandTreeplex, node: int) -> int:
    """The layer of a player's last choice before a betting node."""
    after = int(runs.before[node])
    return 0 if after == DEAL else layer_of(betting, int(betting.parent[after]))


def sequences_to(betting: BettingTree, boards: Boards, runs: HandTreeplex, node: int, layer: int) -> I64:
    """(places of the layer,) the sequences by which a player's hands come to a betting node, on the boards of a layer."""
    up = boards.above(layer, layer_of_last_choice(betting, runs, node))
    return int(runs.start[runs.before[node]]) + up


def runs_of(betting: BettingTree, boards: Boards, runs: HandTreeplex) -> list[tuple[int, int]]:
    """The runs of a player's plan in their order, as (first sequence, sequences): held and not held, then one for each
    action of each own decision node."""
    hands = boards.lanes(0)
    width = -(-hands // LANES) * LANES
    dealt = [(int(runs.start[DEAL]) + k * width, hands) for k in (0, 1)]
    after = np.flatnonzero(runs.start[:DEAL] >= 0).tolist()
    counts = [boards.lanes(layer_of(betting, int(betting.parent[node]))) for node in after]
    return sorted([*dealt, *zip(runs.start[after].tolist(), counts, strict=True)])


def shape_of(betting: BettingTree, player: int, places: list[int]) -> Shape:
    """Lay out the groups; `places` is the number of hands on all boards of each layer."""
    level = choices(betting, player)[1]
    layers, actions = layers_of(betting), np.diff(betting.first)
    own = np.flatnonzero((betting.kind == player) & (actions > 1))
    members = dict[tuple[int, int], list[int]]()
    for node, *kind in np.stack((own, level[own], actions[own])).T.tolist():
        members.setdefault((kind[0], kind[1]), []).append(node)
    kinds = sorted(members)
    nodes = [[DEAL], *(members[kind] for kind in kinds)]
    groups, offset, lane = [], LANES, 0
    for (_, n), group in zip([(0, 2), *kinds], nodes, strict=True):
        count = places[0] if group == [DEAL] else int(np.array(places)[layers[group]].sum())
        width = -(-count // LANES) * LANES
        groups.append((offset, width, n, lane, count))
        offset, lane = offset + n * width, lane + width
    return Shape(np.array(groups, np.int64), nodes, offset)


def build_hand_treeplex(betting: BettingTree, boards: Boards, player: int) -> HandTreeplex:
    shape = shape_of(betting, player, [boards.lanes(layer) for layer in range(len(boards.layers))])
    before = choices(betting, player)[0]
    start, lanes = np.full(betting.nodes + 1, -1), np.full(betting.nodes + 1, -1)
    for (offset, width, _, lane, count), nodes in zip(shape.groups.tolist(), shape.nodes, strict=True):
        done = 0
        for node in nodes:
            lanes[node] = lane + done
            after = [DEAL] if node == DEAL else betting.children(node)
            start[after] = offset + done + width * np.arange(len(after))
            done += _count(betting, boards, node)
        assert done == count

    def treeplex() -> Treeplex:
        parents = []
        for width, nodes in zip(shape.groups[:, 1].tolist(), shape.nodes, strict=True):
            parents.append(np.full(width, PAD))
            done = 0
            for node in nodes:
                up, first = np.zeros(boards.lanes(0), np.int64), 0
                if node != DEAL:
                    here, first = layer_of(betting, node), int(start[before[node]])
                    up = boards.above(here, layer_of_last_choice(betting, runs, node))
                    up = up if boards.is_direct(here) else up[boards.kept(here)]
                parents[-1][done : done + len(up)] = first + up
                done += len(up)
        arrays = TreeArrays(shape.groups, np.concatenate(parents).astype(np.int32))
        counts = shape.groups[:, [2, 4]]
        walk = sorted(node for nodes in shape.nodes for node in nodes)
        order = np.concatenate([lanes[node] + np.arange(_count(betting, boards, node)) for node in walk])
        return Treeplex(
            player, arrays, shape.size, int(counts[:, 1].sum()), 1 + int(counts.prod(axis=1).sum()),
            order.astype(np.int32), lambda: _labels(betting, boards, walk, lanes), dealt=boards.lanes(0),
        )  # fmt: skip

    runs = HandTreeplex(treeplex, before, start, lanes)
    return runs


def _count(betting: BettingTree, boards: Boards, node: int) -> int:
    return boards.lanes(0 if node == DEAL else layer_of(betting, node))


def infoset_text(path: str, dealt: Sequence[int], hand: str) -> str:
    """The text of an infoset: the betting, the cards dealt since the start, the hand; empty parts are left out."""
    return " | ".join(part for part in (path, " ".join(card_text(card) for card in dealt), hand) if part)


def _labels(betting: BettingTree, boards: Boards, nodes: list[int], lanes: I64) -> Labels:
    """Texts such as "check, bet 100 | Ah | KsKd", and "deal | KsKd" for the deal."""
    infosets: list[str] = []
    actions: list[tuple[str, ...]] = []
    where: list[int] = []
    given = range(0)
    for node in nodes:
        so_far = len(infosets)
        number = 0 if node == DEAL else layer_of(betting, node)
        layer, first, kept = boards.layers[number], boards.first(number), boards.kept(number)
        path = "deal" if node == DEAL else betting.path(node)
        names = ("held", "not held") if node == DEAL else betting.actions(node)
        shown = len(boards.layers[0].boards[0])
        for board, begin, end in zip(layer.boards, first, first[1:], strict=False):
            for lane in range(begin, end):
                held = boards.cards.hands[layer.hand[kept[lane]]].tolist()
                infosets.append(infoset_text(path, board[shown:], hand_text([card for card in held if card < CARDS])))
                actions.append(names)
                where.append(int(lanes[node]) + lane)
        if node == DEAL:
            given = range(so_far, len(infosets))
    return Labels(infosets, actions, where, given)
