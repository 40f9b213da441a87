"""Reports of nodes of a solution: strategy, range, EV and equity of every hand, also as tables for spreadsheets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.display import brief, labelled
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import Deck, compatible_weight, hand_text
from counterplay.poker.public_tree.hand_treeplex import sequences_to
from counterplay.poker.public_tree.public_terminals import PublicNode, path_to
from counterplay.poker.ranges.equity import hand_equities
from counterplay.poker.ranges.notation import write_range
from counterplay.poker.ranges.range import Range
from counterplay.poker.spots.spot import RULES
from counterplay.poker.spots.spot_file import SpotSolution
from counterplay.read_only import lock_fields
from counterplay.tables import csv_of


@dataclass(frozen=True, eq=False)
class Node:
    """A node of a solution. Arrays run over the hands of the deck; NaN where a number is undefined.

    Attributes:
        path: full path of the node.
        board: the cards shown there.
        player: the player to act, 0 (oop) or 1 (ip); None if no player acts.
        actions: names of the player's actions.
        probabilities: (n, actions) strategy of each hand.
        ranges: two (n,): weights of both players' hands there.
        values: two (n,): EV: chips that each hand takes out of the pot from there on, less what it still puts in. Both
            players' means add up to the pot, less the rake.
        equities: two (n,): share of the pot without further bets.
        action_values: (n, actions) EV of each hand of the player to act, by action; like `values`, from the node on.
        means: of the values, over all pairs of hands.
        shares: of the equities, likewise.
        pot: chips in the middle.
    """

    path: str
    board: tuple[int, ...]
    player: int | None
    actions: tuple[str, ...]
    probabilities: F64
    ranges: tuple[F64, F64]
    values: tuple[F64, F64]
    action_values: F64
    equities: tuple[F64, F64]
    means: tuple[float, float]
    shares: tuple[float, float]
    pot: float

    def __post_init__(self) -> None:
        lock_fields(self, "probabilities", "ranges", "values", "action_values", "equities")

    def __repr__(self) -> str:
        who = "no player" if self.player is None else ("oop", "ip")[self.player]
        return brief(self, self.path or "the root", f"{who} acts", *self.actions, labelled("pot", self.pot))


def node_of(solved: SpotSolution, part: PublicNode) -> Node:
    """The report of a node of a solution's public tree."""
    here = NodeValues(solved, part)
    found = [here.values(player) for player in (0, 1)]
    mass = [here.met(1 - player) * here.reaches[player] for player in (0, 1)]
    shares = [here.equities(player) for player in (0, 1)]
    weights = [here.spread(one, 0.0) for one in mass]
    betting = solved.tree.betting
    return Node(
        path=path_to(betting, solved.tree.boards, part),
        board=here.board,
        player=here.player,
        actions=betting.actions(part.node) if here.player is not None else (),
        probabilities=here.probabilities(),
        ranges=here.ranges,
        values=(here.spread(found[0]), here.spread(found[1])),
        action_values=here.action_values(),
        equities=(shares[0], shares[1]),
        means=(_mean(found[0], mass[0]), _mean(found[1], mass[1])),
        shares=(_mean(shares[0], weights[0]), _mean(shares[1], weights[1])),
        pot=float(betting.pot[part.node]),
    )


class NodeValues:
    """A betting node of a solution on one board, and the hands that reach it.

    Attributes:
        hands: indices of the board's hands among those of all boards of their layer.
        cards: (hands,) their numbers among the hands dealt.
        reaches: two (hands,): the players' reaches at the node.
    """

    def __init__(self, solved: SpotSolution, part: PublicNode) -> None:
        self._solved, self._part, self._tree = solved, part, solved.tree
        self._layer = layer = solved.tree.boards.layers[part.layer]
        self.board: tuple[int, ...] = layer.boards[part.board]
        kind = int(solved.tree.betting.kind[part.node])
        self.player = kind if kind <= Kind.PLAYER1 else None
        self.hands = slice(int(layer.first[part.board]), int(layer.first[part.board + 1]))
        self.cards: I64 = layer.hand[self.hands]
        self.reaches = self._reach(0), self._reach(1)

    @cached_property
    def ranges(self) -> tuple[F64, F64]:
        """Two (n,), over the hands of the deck: weights of both players' hands there."""
        return self.spread(self.reaches[0], 0.0), self.spread(self.reaches[1], 0.0)

    def spread(self, numbers: F64, fill: float = np.nan) -> F64:
        """(hands of the deck, ...) numbers (hands of the board, ...), `fill` for hands that the board leaves out."""
        spot = self._solved.spot
        out = np.full((len(spot.deck.hands), *numbers.shape[1:]), fill)
        out[spot.numbers[self.cards]] = numbers
        return out

    def met(self, player: int) -> F64:
        """(hands,) the weight of a player's hands that share no card with each."""
        return compatible_weight(self._tree.boards.cards.hands[self.cards], self.reaches[player])

    def values(self, player: int) -> F64:
        """(hands,) EV of a player's hands in chips; NaN if they meet no opposing hand."""
        return self._chips(player, self._solved.plans.values_at(player, self._part))

    def action_values(self) -> F64:
        """(n, actions) EV in chips of every hand of the deck, for the player to act; no columns if no player acts."""
        if self.player is None:
            return self.spread(np.ones((len(self.cards), 0)))
        below = self._solved.plans.action_values_at(self._part)
        return self.spread(np.stack([self._chips(self.player, column) for column in below.T], axis=1))

    def _chips(self, player: int, below: F64) -> F64:
        """(hands,) CFVs as chips out of the pot; NaN for hands that meet no opposing hand."""
        unit = self._tree.leaves.unit * self._layer.chance
        mass = self.met(1 - player)
        own = float(self._tree.betting.committed[self._part.node, player]) + 0.5 * self._solved.spot.pot
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(mass > 1e-12 * mass.max(initial=0.0), below / (unit * mass) + own, np.nan)

    def equities(self, player: int) -> F64:
        """(n,) the share of the pot of every hand of the deck against the other player's range there."""
        spot, against = self._solved.spot, self.ranges[1 - player]
        if not against.any():
            return np.full(len(against), np.nan)
        return hand_equities(Range(np.minimum(against, 1.0), spot.deck), self.board, rules=RULES[spot.rules])

    def probabilities(self) -> F64:
        """(n, actions) the strategy of every hand of the deck; no columns if no player acts."""
        after = [] if self.player is None else self._tree.betting.children(self._part.node)
        if self.player is None or len(after) <= 1:  # the only action is no decision, and has no place in the plan
            return self.spread(np.ones((len(self.cards), len(after))))
        at = np.arange(self.hands.start, self.hands.stop)
        starts = [int(self._tree.runs[self.player].start[child]) for child in after]
        behaviour = self._solved.plans.behaviour(self.player)
        return self.spread(np.stack([behaviour[start + at] for start in starts], axis=1))

    def _reach(self, player: int) -> F64:
        tree, part = self._tree, self._part
        came = sequences_to(tree.betting, tree.boards, tree.runs[player], part.node, part.layer)[self.hands]
        return np.asarray(np.maximum(self._solved.plans.reach(player)[came], 0.0), np.float64)


def _mean(numbers: F64, mass: F64) -> float:
    held = (mass > 0.0) & np.isfinite(numbers)
    return float(numbers[held] @ mass[held] / mass[held].sum()) if held.any() else np.nan


_SHARES = 4
"""Decimals of a weight in a range that is written for other programs."""
_ABOUT = ("node", "player", "hand", "weight", "EV", "equity")


def action_ranges(node: Node, deck: Deck, notation: str) -> dict[str, str]:
    """For each action of a node the range of hands that take it, in a notation of `notation.NOTATIONS`,
    weighted by reach and probability to a hundredth of a per cent; no actions where no player acts."""
    if node.player is None:
        return {}
    weights = node.ranges[node.player]
    taken = np.nan_to_num(weights[:, None] * node.probabilities).round(_SHARES)
    return {action: write_range(column, deck, notation) for action, column in zip(node.actions, taken.T, strict=True)}


def write_ranges(node: Node, deck: Deck, notation: str) -> bytes:
    """The same as a text: a line that names the node, the player and the action, then the range; errors as of
    `action_ranges`."""
    who = "" if node.player is None else PLAYERS[node.player]
    found = action_ranges(node, deck, notation).items()
    return "\n\n".join(f"{node.path or 'root'}: {who}'s range for {action}\n{text}" for action, text in found).encode()


def write_csv(nodes: Iterable[Node], deck: Deck) -> bytes:
    """CSV of nodes: of each hand in a player's range there weight, EV in chips and equity; of the hands of the player
    to act also the probability and the EV of each action. A column of an action that a node lacks is empty."""
    listed = list(nodes)
    names = dict.fromkeys(f"{what} {action}" for what in ("p", "EV") for one in listed for action in one.actions)
    head = [*_ABOUT, *names]
    rows = (
        _row(node, player, k, deck)
        for node in listed
        for player in (0, 1)
        for k in (node.ranges[player] > 0.0).nonzero()[0].tolist()
    )
    return csv_of(head, ([row.get(name, "") for name in head] for row in rows))


def _row(node: Node, player: int, k: int, deck: Deck) -> dict[str, str | float]:
    """The row of the k-th hand of the deck."""
    row: dict[str, str | float] = {
        "node": node.path or "root",
        "player": PLAYERS[player],
        "hand": hand_text(deck.hands[k]),
        "weight": float(node.ranges[player][k]),
        "EV": float(node.values[player][k]),
        "equity": float(node.equities[player][k]),
    }
    if player == node.player:
        for number, action in enumerate(node.actions):
            row[f"p {action}"] = float(node.probabilities[k, number])
            row[f"EV {action}"] = float(node.action_values[k, number])
    return row
