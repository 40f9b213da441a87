"""Nodes, actions and hands that the lines of a leak match, and errors in such lines; and what a player gains for actions at
some nodes with some hands, in the places of that language:

    opponent ip
    on river facing a bet: call gains 0.5bb         # at all nodes of a kind
    at "x b100" with QQ+,AKs: call gains 2%, fold loses 1

Such a line is `PLACE [with HANDS]: ACTION gains | loses AMOUNT, ...`; places and actions are those of `leak_text`. A later
line replaces what an earlier one says of the same hands and actions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64, Flags
from counterplay.errors import InputError
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.betting.stakes import CHIPS, Amount, Stakes, read_amount
from counterplay.poker.betting.state import Kind, Move
from counterplay.poker.betting.tree import BettingTree, node_at, split
from counterplay.poker.cards.deck import cards_text, parse_card
from counterplay.poker.locking.leak_text import EXACTLY, Leak, LeakPlace, Leaks, Order, parts_of, read_from, read_lines
from counterplay.poker.public_tree.hand_treeplex import layer_of
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.ranges.range import Range
from counterplay.poker.spots.spot import Spot

_SLACK = 1e-9


class LeakLineError(InputError):
    """An error in a line of leaks; the message names the line."""


class LeakMatch(NamedTuple):
    """A line matched at one node.

    node: of the betting tree. cards: the first cards dealt since the start, as named by the path; any cards follow.
    groups: per order, the indices of the node's actions that it matches."""

    node: int
    cards: tuple[str, ...]
    groups: tuple[tuple[int, ...], ...]


def opponent_of(leaks: Leaks, betting: BettingTree) -> int:
    """The player with the leaks."""
    if leaks.opponent is not None:
        return leaks.opponent
    first = next(leak for leak in leaks.lines if leak.place.path is not None)
    return int(betting.kind[_at(first, betting)[0]])


def match_leak(leak: Leak, betting: BettingTree, opponent: int) -> list[LeakMatch]:
    """The nodes that a line matches, and the actions of its orders."""
    try:
        if leak.place.path is not None:
            node, cards = _at(leak, betting)
            if betting.kind[node] != opponent:
                raise LeakLineError(
                    f"line {leak.number}: at '{leak.place.path}' {PLAYERS[betting.kind[node]]} acts, not "
                    f"{PLAYERS[opponent]}"
                )
            return [LeakMatch(node, cards, _groups(leak.orders, betting, node))]
        nodes = [n for n in range(betting.nodes) if betting.kind[n] == opponent and _fits(leak.place, betting, n)]
        nodes = [n for n in nodes if len(betting.children(n)) > 1]
        matches = list[LeakMatch]()
        problem = InputError(f"{PLAYERS[opponent]} has no such decision in this betting tree: '{leak}'")
        for node in nodes:  # those where all orders apply
            try:
                matches.append(LeakMatch(node, (), _groups(leak.orders, betting, node)))
            except InputError as error:
                problem = error
        if not matches:
            raise problem
        return matches
    except LeakLineError:
        raise
    except InputError as error:
        raise LeakLineError(f"line {leak.number}: {error}") from None


def nodes_of(leaks: Leaks, betting: BettingTree) -> tuple[int, ...]:
    """The nodes that any line matches, ascending; errors as of `match_leak`."""
    opponent = opponent_of(leaks, betting)
    return tuple(sorted({one.node for leak in leaks.lines for one in match_leak(leak, betting, opponent)}))


def check_leaks(leaks: Leaks, spot: Spot) -> None:
    """Reject leaks that do not fit a spot, before anything is solved."""
    opponent = opponent_of(leaks, spot.betting)
    for leak in leaks.lines:
        hands = hands_of(leak, spot, opponent)
        for one in match_leak(leak, spot.betting, opponent):
            try:
                cards = spot.deck.held((*spot.board, *(parse_card(card) for card in one.cards)))
            except InputError as error:
                raise LeakLineError(
                    f"line {leak.number}: the cards of '{leak.place.path}' cannot be dealt there: {error}"
                ) from None
            if len(cards) - len(spot.board) > spot.betting.street[one.node] - spot.betting.rules.first:
                raise LeakLineError(f"line {leak.number}: '{leak.place.path}' names more cards than are dealt by then")
            live = spot.deck.live(cards)[spot.numbers]
            faced = spot.cards.weights[1 - opponent] > 0.0
            what = "no hand" if leak.hands is None else "none of these hands"
            for player, own, none in ((opponent, hands, what), (1 - opponent, faced, "no hand")):
                if not (own & live).any():
                    raise LeakLineError(
                        f"line {leak.number}: the board {cards_text(cards)} leaves {PLAYERS[player]} {none}"
                    )


def hands_of(leak: Leak, spot: Spot, opponent: int) -> Flags:
    """(hands dealt,) whether a line matches each hand, of those that either player may hold."""
    dealt: Flags = spot.cards.weights[opponent] > 0.0
    if leak.hands is None:
        return dealt
    out = np.zeros(len(dealt), np.bool_)
    for term in leak.hands.split(","):
        try:
            chosen = Range.parse(term, spot.deck).weights > 0.0
        except InputError as error:
            raise LeakLineError(f"line {leak.number}: {error}") from None
        here = chosen[spot.numbers] & dealt
        if not here.any():
            blocked = not (spot.deck.live(spot.board) & chosen).any()
            why = f"the board {cards_text(spot.board)} blocks it" if blocked else "it is not in the range"
            raise LeakLineError(f"line {leak.number}: {PLAYERS[opponent]} has no hand '{term.strip()}': {why}")
        out |= here
    return out


def boards_of(leak: Leak, where: LeakMatch, boards: Sequence[tuple[int, ...]], spot: Spot) -> list[int]:
    """The numbers of the boards of a node that a line is about: all, or those that begin with the cards it names."""
    if not where.cards:
        return list(range(len(boards)))
    shown = (*spot.board, *(parse_card(card) for card in where.cards))
    found = [k for k, board in enumerate(boards) if board[: len(shown)] == shown]
    if not found:
        raise InputError(f"line {leak.number}: the cards of '{leak.place.path}' cannot come there")
    return found


def _at(leak: Leak, betting: BettingTree) -> tuple[int, tuple[str, ...]]:
    """The decision at the end of a path, and the cards in the path; where a street is to be dealt, the decision after."""
    try:
        actions, cards = split(leak.place.path or "")
        node = node_at(betting, actions)
    except InputError as error:
        raise LeakLineError(f"line {leak.number}: {error}") from None
    if betting.kind[node] == Kind.DEAL:
        node = betting.children(node)[0]
    if betting.kind[node] > Kind.PLAYER1 or len(betting.children(node)) < 2:
        raise LeakLineError(f"line {leak.number}: no player has a choice at '{leak.place.path}'")
    return node, tuple(cards)


def _fits(place: LeakPlace, betting: BettingTree, node: int) -> bool:
    """Return whether a decision node is of a kind."""
    player, move, street = int(betting.kind[node]), Move(betting.move[node]), int(betting.street[node])
    if place.street is not None and street != place.street:
        return False
    if place.first and move not in (Move.ROOT, Move.DEAL):
        return False
    if place.check and move is not Move.CHECK:
        return False
    if place.facing is None:
        return True
    faced = float(betting.committed[node, 1 - player] - betting.committed[node, player])
    first, second = betting.committed[betting.parent[node]]
    if faced <= 0.0 or (place.facing == "raise" and first == second):  # a raise follows a bet in the street
        return False
    if place.facing == "all-in" and move is not Move.ALL_IN:
        return False
    share = faced / (float(betting.pot[node]) - faced)
    return place.least - _SLACK <= share <= place.most + _SLACK


def _groups(orders: tuple[Order, ...], betting: BettingTree, node: int) -> tuple[tuple[int, ...], ...]:
    """Per order, the matching actions of the node; an action named with its amount belongs to that order only."""
    labels, after = betting.actions(node), betting.children(node)
    facing = bool(betting.committed[node, 0] != betting.committed[node, 1])
    alone = [order.amount is not None or order.action == "all-in" for order in orders]
    groups: list[tuple[int, ...]] = [()] * len(orders)
    taken: set[int] = set()
    for k in sorted(range(len(orders)), key=lambda k: not alone[k]):  # those that name an action alone first
        words = ((i, label.split(" ")[0], float(betting.to[after[i]])) for i, label in enumerate(labels))
        groups[k] = tuple(
            i
            for i, word, chips in words
            if i not in taken
            and orders[k].amount in (None, chips)
            and orders[k].action in (("all-in", "raise" if facing else "bet") if word == "all-in" else (word,))
        )
        if not groups[k]:
            raise InputError(
                f"'{orders[k]}' is not an action at '{betting.path(node)}', where there is {', '.join(labels)}"
            )
        taken.update(groups[k])
    shares = [order.share for order in orders if order.share is not None and order.relation == EXACTLY]
    if len(taken) == len(labels) and len(shares) == len(orders) and abs(sum(shares) - 1.0) > 1e-6:
        raise InputError(
            f"the shares of all actions at '{betting.path(node)}' must add up to 100 %, not {100.0 * sum(shares):.4g} %"
        )
    return tuple(groups)


_GAIN = re.compile(r"(?P<action>.+?)\s+(?P<way>gains|loses)\s+(?P<amount>.+)")


@dataclass(frozen=True)
class PlacedGains:
    """The lines of a text. places: player, nodes, hands and actions of the lines. amounts: for each line, those of its
    actions; a loss has a sign of -1."""

    places: Leaks
    amounts: tuple[tuple[tuple[float, Amount], ...], ...]

    @classmethod
    def from_text(cls, text: str) -> PlacedGains:
        opponent, lines = read_lines(text, _read_line)
        return cls(Leaks(opponent, tuple(line for line, _ in lines)), tuple(amounts for _, amounts in lines))

    @classmethod
    def from_file(cls, path: str | Path) -> PlacedGains:
        return read_from(path, cls.from_text)

    def player(self, spot: Spot) -> int:
        check_leaks(self.places, spot)
        return opponent_of(self.places, spot.betting)

    def of_sequences(self, tree: PublicTree, spot: Spot, stakes: Stakes) -> F64:
        """(size,) chips that the player gains for the last action of each sequence."""
        player = self.player(spot)
        runs, betting, gained = tree.runs[player], tree.betting, np.zeros(tree.runs[player].tree.size)
        for line, amounts in zip(self.places.lines, self.amounts, strict=True):
            chips = [sign * amount.chips(stakes, "an incentive") for sign, amount in amounts]
            hands = hands_of(line, spot, player)
            for where in match_leak(line, betting, player):
                layer = tree.boards.layers[layer_of(betting, where.node)]
                starts = np.array([int(runs.start[child]) for child in betting.children(where.node)])
                for board in boards_of(line, where, layer.boards, spot):
                    here = np.arange(layer.first[board], layer.first[board + 1])
                    chosen = here[hands[layer.hand[here]]]
                    for group, amount in zip(where.groups, chips, strict=True):
                        gained[starts[list(group)][:, None] + chosen] = amount
        return gained


def _read_line(line: str, number: int) -> tuple[Leak, tuple[tuple[float, Amount], ...]]:
    """Place, hands and actions of a line, as a leak that changes nothing; and the amounts."""
    place, hands, told = parts_of(line)
    orders, amounts = [], []
    for part in told.split(","):
        match = _GAIN.fullmatch(part.strip())
        if not match:
            raise InputError(f"'{part.strip()}' is no gain: write 'call gains 0.5bb' or 'fold loses 1'")
        orders.append(Order.from_text(f"{match['action']} x1"))
        amounts.append((1.0 if match["way"] == "gains" else -1.0, read_amount(match["amount"], CHIPS, "an incentive")))
    return Leak(place, tuple(orders), hands, number=number), tuple(amounts)
