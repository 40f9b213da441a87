"""Two bots of no-limit hold'em (fold, call, pot, all-in) that share nothing with the package, cards and tree included.

One follows rules and folds too much; the other is trained by external sampling (Lanctot et al. 2009) in few buckets.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
STACK, BIG, SMALL = 20_000, 100, 50
CARDS = {0: 0, 1: 3, 2: 4, 3: 5}
"""Cards of the board by street."""
_HANDS = np.array([(a, b) for a in range(52) for b in range(a + 1, 52)])
_NUMBER = np.zeros((52, 52), np.int64)
_NUMBER[_HANDS[:, 0], _HANDS[:, 1]] = _NUMBER[_HANDS[:, 1], _HANDS[:, 0]] = np.arange(len(_HANDS))


@numba.njit(cache=False)
def _straight(ranks: int) -> int:
    """1 + the highest rank of a straight in a mask of ranks, the wheel included; 0 for none."""
    with_low_ace = (ranks << 1) | (ranks >> 12 & 1)
    for top in range(12, 2, -1):
        if (with_low_ace >> (top - 3)) & 31 == 31:
            return top + 1
    return 0


@numba.njit(cache=False)
def score(cards: Any) -> int:
    """A number that orders hands of 5 to 7 cards (4 · rank + suit)."""
    once = twice = thrice = all_four = clubs = diamonds = hearts = spades = 0  # masks of ranks
    for card in cards:
        bit, suit = 1 << (card >> 2), card & 3
        all_four, thrice, twice, once = all_four | bit & thrice, thrice | bit & twice, twice | bit & once, once | bit
        clubs |= bit if suit == 0 else 0
        diamonds |= bit if suit == 1 else 0
        hearts |= bit if suit == 2 else 0
        spades |= bit if suit == 3 else 0
    flush = 0
    for mask in (clubs, diamonds, hearts, spades):
        if _kickers(mask, 5) and _kickers(mask, 4) != _kickers(mask, 5):
            flush = mask
    if flush and _straight(flush):
        return (8 << 20) + _straight(flush)
    if all_four:
        return (7 << 20) + (_top(all_four) << 16) + _kickers(once & ~all_four, 1)
    three = _top(thrice)
    pair = _top(twice & ~(1 << three) if three >= 0 else twice)
    second = _top(twice & ~(1 << pair)) if pair >= 0 and three < 0 else -1
    if three >= 0 and pair >= 0:
        return (6 << 20) + (three << 4) + pair
    if flush:
        return (5 << 20) + _kickers(flush, 5)
    if _straight(once):
        return (4 << 20) + _straight(once)
    if three >= 0:
        return (3 << 20) + (three << 13) + _kickers(once & ~(1 << three), 2)
    if second >= 0:
        return (2 << 20) + (pair << 16) + (second << 12) + _top(once & ~(1 << pair) & ~(1 << second))
    if pair >= 0:
        return (1 << 20) + (pair << 13) + _kickers(once & ~(1 << pair), 3)
    return _kickers(once, 5)


@numba.njit(cache=False)
def _top(ranks: int) -> int:
    """The highest rank; -1 of none."""
    for rank in range(12, -1, -1):
        if ranks >> rank & 1:
            return rank
    return -1


@numba.njit(cache=False)
def _kickers(ranks: int, places: int) -> int:
    """The mask of the highest ranks."""
    out = 0
    for rank in range(12, -1, -1):
        if ranks >> rank & 1 and places:
            out |= 1 << rank
            places -= 1
    return out


@numba.njit(cache=False)
def _score_all(hands: Any, rows: Any, places: int, out: Any) -> None:
    """Scores of hands; rows: (hands, 2 + board) with the cards of the board from place 2 on; -1 where a card is taken."""
    for h in range(len(hands)):
        free = True
        for place in range(2, places):
            free = free and rows[h, place] != hands[h, 0] and rows[h, place] != hands[h, 1]
        out[h] = -1
        if free:
            rows[h, 0], rows[h, 1] = hands[h, 0], hands[h, 1]
            out[h] = score(rows[h])


def _shares(board: Any) -> Array:
    """Of each hand the share of all hands on a board of 3 to 5 cards that it beats, ties half; -1 where a card is taken."""
    rows, scores = np.empty((len(_HANDS), 2 + len(board)), np.int64), np.empty(len(_HANDS), np.int64)
    rows[:, 2:] = board
    _score_all(_HANDS, rows, rows.shape[1], scores)
    ordered = np.sort(scores[scores >= 0])
    low, high = (np.searchsorted(ordered, scores, side=side) for side in ("left", "right"))  # type: ignore[call-overload]
    return np.where(scores >= 0, (low + high) / (2.0 * len(ordered)), -1.0)


def _next_shares(board: tuple[int, ...]) -> Array:
    """The mean of `_shares` over the next card; of a river, the shares."""
    if len(board) == 5:
        return _shares(board)
    every = np.stack([_shares((*board, card)) for card in range(52) if card not in board])
    times = (every >= 0.0).sum(axis=0)
    return np.where(times > 0, np.where(every >= 0.0, every, 0.0).sum(axis=0) / np.maximum(times, 1), -1.0)


@cache
def preflop_strength() -> Array:
    """(hands,) mean share over 1,500 drawn boards, equal for all hands of a class."""
    random = np.random.default_rng(0)
    total, times = np.zeros(len(_HANDS)), np.zeros(len(_HANDS))
    for _ in range(1500):
        one = _shares(random.permutation(52)[:5])
        total += np.maximum(one, 0.0)
        times += one >= 0.0
    low, high = _HANDS.T // 4
    kind = 26 * high + 2 * low + (_HANDS[:, 0] % 4 == _HANDS[:, 1] % 4)
    found = np.bincount(kind, total, 26 * 13) / np.maximum(np.bincount(kind, times, 26 * 13), 1)
    order = found[kind].argsort().argsort() / len(_HANDS)  # of equal hands the mean
    return np.asarray((np.bincount(kind, order, 26 * 13) / np.maximum(np.bincount(kind, minlength=26 * 13), 1))[kind])


class Strengths:
    """Strength of hands from 0 to 1 by board; the last boards are kept. ahead: by the next card, not by the present one."""

    def __init__(self, ahead: bool) -> None:
        self._ahead, self._known = ahead, dict[tuple[int, ...], Array]()

    def on(self, board: tuple[int, ...]) -> Array:
        """(hands,)."""
        if not board:
            return preflop_strength()
        found = self._known.get(board)
        if found is None:
            if len(self._known) > 64:
                self._known.clear()
            found = self._known[board] = _next_shares(board) if self._ahead else _shares(board)
        return found


class Node(NamedTuple):
    """A node of the betting. player: who acts; -1 at an end. put: chips of both. folded: who folded; -1 at a showdown.
    children: by action."""

    line: str
    player: int
    street: int
    put: tuple[int, int]
    folded: int
    facing: bool
    children: list[int]


def betting_tree() -> list[Node]:
    """Fold (to a bet), call, bet the pot, all-in; player 1 has the small blind and acts first before the flop only."""
    nodes: list[Node] = []

    def end(line: str, street: int, put: tuple[int, int], folded: int) -> int:
        nodes.append(Node(line, -1, street, put, folded, False, []))
        return len(nodes) - 1

    def add(line: str, player: int, street: int, put: tuple[int, int], facing: bool, closing: bool) -> int:
        """closing: whether a check or call ends the street."""
        at, top = len(nodes), max(put)
        children = list[int]()
        nodes.append(Node(line, player, street, put, -1, facing, children))
        if facing:
            children.append(end(f"{line}f", street, put, player))
        if not closing:
            children.append(add(f"{line}c", 1 - player, street, (top, top), False, True))
        elif street == 3 or top == STACK:
            children.append(end(f"{line}c", 3, (top, top), -1))
        else:
            children.append(add(f"{line}c/", 0, street + 1, (top, top), False, False))
        for to in sorted({size for size in (3 * top, STACK) if top < size <= STACK}):
            raised = (to, put[1]) if player == 0 else (put[0], to)
            children.append(add(f"{line}r{to}", 1 - player, street, raised, True, True))
        return at

    add("", 1, 0, (BIG, SMALL), True, False)
    return nodes


class RuleBot:
    """Plays its hands by their present strength, and folds too much to every bet."""

    def __init__(self) -> None:
        self._strengths = Strengths(ahead=False)
        self._nodes = {node.line: node for node in betting_tree()}

    def probabilities(self, line: str, board: tuple[int, ...], hands: Array) -> Array:
        """(hands, actions): fold, check or call, pot, all-in."""
        strength = self._strengths.on(board)[_NUMBER[hands[:, 0], hands[:, 1]]]
        node = self._nodes[line]
        goes_on, raises = (0.8, 0.95) if node.facing else (0.0, 0.62)
        if not node.street:
            goes_on, raises = (0.35, 0.6) if not line else (0.8 if node.facing else 0.0, 0.93)
        stays, raised = (1.0 / (1.0 + np.exp(-30.0 * (strength - least))) for least in (goes_on, raises))
        raised = np.minimum(raised, stays) if node.facing else raised
        rows = [1.0 - stays] if node.facing else []
        rows += [(stays if node.facing else 1.0) - raised]
        sizes = len(node.children) - len(rows)
        rows += [[raised], [0.97 * raised, 0.03 * raised]][sizes - 1] if sizes else []
        if not sizes:
            rows[-1] = rows[-1] + raised
        return np.stack(rows, axis=1)


BUCKETS = 12


class TrainedBot:
    """Trained by external sampling in few buckets of strength by the next card.

    Args:
        iterations: of the training.
        boards: drawn ones, from which it deals.
    """

    def __init__(self, iterations: int = 2_000_000, boards: int = 1500) -> None:
        self._strengths, self._nodes = Strengths(ahead=True), betting_tree()
        self._at = {node.line: k for k, node in enumerate(self._nodes)}
        random, rivers = np.random.default_rng(1), np.zeros((boards, len(_HANDS)))
        lanes = np.zeros((boards, 4, len(_HANDS)), np.int64)
        for k in range(boards):
            cards = tuple(random.permutation(52)[:5].tolist())
            for street, count in CARDS.items():
                rivers[k] = self._strengths.on(cards[:count])
                lanes[k, street] = bucket(rivers[k])
        regrets, sums = (np.zeros((len(self._nodes), BUCKETS, 4)) for _ in range(2))
        drawn, room = np.zeros((2, 4), np.int64), np.zeros((64, 2, 4))
        _train((*_arrays(self._nodes), regrets, sums), _HANDS, lanes, rivers, iterations, drawn, room)
        actions = np.array([len(node.children) for node in self._nodes])[:, None, None]
        total, legal = sums.sum(axis=2, keepdims=True), np.arange(4) < actions
        self._average = np.where(total > 0.0, sums / np.maximum(total, 1e-300), legal / np.maximum(actions, 1))

    def probabilities(self, line: str, board: tuple[int, ...], hands: Array) -> Array:
        """(hands, actions): fold, check or call, pot, all-in."""
        at = self._at[line]
        lanes = bucket(self._strengths.on(board)[_NUMBER[hands[:, 0], hands[:, 1]]])
        return self._average[at, lanes, : len(self._nodes[at].children)]


def bucket(strength: Array) -> Array:
    """Lanes of strengths from 0 to 1."""
    return np.clip((BUCKETS * strength).astype(np.int64), 0, BUCKETS - 1)


def _arrays(nodes: list[Node]) -> tuple[Array, Array, Array]:
    """(nodes, 4) children, -1 for none; (nodes, 3) player, street, who folded; (nodes, 2) chips in."""
    children = np.full((len(nodes), 4), -1)
    for k, node in enumerate(nodes):
        children[k, : len(node.children)] = node.children
    facts = np.array([(node.player, node.street, node.folded) for node in nodes])
    return children, facts, np.array([node.put for node in nodes])


@numba.njit(cache=False)
def _match(regrets: Any, count: int, out: Any) -> None:
    total = 0.0
    for a in range(count):
        out[a] = max(regrets[a], 0.0)
        total += out[a]
    for a in range(count):
        out[a] = out[a] / total if total > 0.0 else 1.0 / count


@numba.njit(cache=False)
def _walk(node: int, me: int, lanes: Any, wins: float, tables: Any, room: Any, depth: int) -> float:
    """Chips of the traverser; the other's actions are drawn. wins: 1, 0.5 or 0 at a showdown. room: (depths, 2, 4)."""
    children, facts, put, regrets, sums = tables
    player = facts[node, 0]
    if player < 0:
        folded = facts[node, 2]
        if folded >= 0:
            return float(-put[node, me] if folded == me else put[node, 1 - me])
        return (2.0 * wins - 1.0) * put[node, 0]
    lane, count, odds, values = lanes[player, facts[node, 1]], 0, room[depth, 0], room[depth, 1]
    while count < 4 and children[node, count] >= 0:
        count += 1
    _match(regrets[node, lane], count, odds)
    if player != me:
        drawn, a = np.random.random(), 0
        while a < count - 1 and drawn >= odds[a]:
            drawn -= odds[a]
            a += 1
        for k in range(count):
            sums[node, lane, k] += odds[k]
        return _walk(children[node, a], me, lanes, wins, tables, room, depth + 1)
    mean = 0.0
    for a in range(count):
        values[a] = _walk(children[node, a], me, lanes, wins, tables, room, depth + 1)
        mean += odds[a] * values[a]
    for a in range(count):
        regrets[node, lane, a] += values[a] - mean
    return mean


@numba.njit(cache=False)
def _train(tables: Any, hands: Any, lanes: Any, rivers: Any, iterations: int, drawn: Any, room: Any) -> None:
    """Fill regrets and sums of the average strategy."""
    np.random.seed(0)
    for t in range(iterations):
        k = np.random.randint(len(lanes))
        one, two = np.random.randint(len(hands)), np.random.randint(len(hands))
        apart = hands[one, 0] != hands[two, 0] and hands[one, 0] != hands[two, 1]
        apart = apart and hands[one, 1] != hands[two, 0] and hands[one, 1] != hands[two, 1]
        if not apart or rivers[k, one] < 0.0 or rivers[k, two] < 0.0:
            continue
        for street in range(4):
            drawn[0, street], drawn[1, street] = lanes[k, street, one], lanes[k, street, two]
        ahead = rivers[k, one] - rivers[k, two]
        wins = 1.0 if ahead > 0.0 else (0.0 if ahead < 0.0 else 0.5)
        _walk(0, t % 2, drawn, wins if t % 2 == 0 else 1.0 - wins, tables, room, 0)


class DrawnRows:
    """The table of a board, of which one hand's actions at one decision are asked."""

    def __init__(self, play: DrawnBot, player: int, board: Any) -> None:
        self._play, self._player, self._board = play, player, board

    def __getitem__(self, key: tuple[slice, int]) -> Array:
        rows, lane = key
        line = self._play.lines[self._player, self._board.street, rows.start]
        hand = self._board.hand[np.flatnonzero(self._board.lane == lane)[:1]]
        return self._play.bot.probabilities(line, self._board.cards, self._play.hands[hand])[0]


class DrawnBot:
    """A bot whose hands are drawn: asked for the decision at hand alone, where a measure asks for all of a board.

    Args:
        game: a whole game of hold'em.
        play: the bot as the game asks it.
        lines: of each player, street and first row of a decision, its line.
    """

    def __init__(self, game: Any, play: Any, lines: dict[tuple[int, int, int], str]) -> None:
        self.bot, self.preflop, self.lines, self.hands = play.lines, play.preflop, lines, game.deck.hands

    def on(self, player: int, board: Any) -> tuple[DrawnRows, Array]:
        """See `BlueprintStrategy`."""
        return DrawnRows(self, player, board), board.lane
