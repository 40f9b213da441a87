"""Betting trees: all betting sequences of a game or spot as flat arrays, without cards; their size before they are built;
and paths in users' notation: actions such as "x b100 c" or "check, bet 100, call, turn", and cards dealt between, which
`BettingTree.path` writes in full.

Amounts of a menu are rounded to the nearest smallest chip, halves up, then held between the least raise and all-in (of the
shorter stack); sizes that coincide are one action. A chip amount no larger than the bet faced is left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from counterplay.arrays import F64, I8, I32
from counterplay.budget import spend
from counterplay.errors import InputError
from counterplay.poker.betting.bet_sizes import BET, DONK, RAISE, BetSize, BetSizes, read_sizes
from counterplay.poker.betting.rules import STREETS, BettingRules
from counterplay.poker.betting.state import Action, BettingState, Kind, Legal, Move, act, all_in, legal, pot, start


def amounts(rules: BettingRules, state: BettingState, sizes: BetSizes) -> list[int]:
    """The bets or raises of a menu, ascending: what the player to act will have bet in this street, in units."""
    can = legal(rules, state)
    if not can.most:
        return []
    top = all_in(rules, state)
    if rules.bets is not None:
        return [min(can.least, top)]
    least = min(can.least, top)
    found: set[int] = set()
    place = (state.street, int(state.kind))
    if max(state.put) > state.base:
        menu = sizes.at.get((*place, RAISE), ())
    else:  # a donk has the sizes of any bet unless it has its own
        menu = sizes.at.get((*place, BET), ())
        menu = sizes.at.get((*place, DONK), menu) if state.leader == 1 - state.kind else menu
    for size in menu:
        if size.letter == "any":
            found.update(range(least, top + 1))
        else:
            wanted = _amount(rules, state, size, can)
            if size.letter != "c" or wanted > max(state.put) - state.base:
                found.add(min(max(wanted, least), top))
    # All-in instead, where a bet puts in too much of the remaining chips, or a call would leave too little behind.
    mine = state.put[state.kind] - state.base
    for to in list(found):
        much = sizes.all_in_at is not None and to - mine >= sizes.all_in_at * (top - mine)
        if much or (sizes.force is not None and top - to <= sizes.force * (rules.pot + 2 * (state.base + to))):
            found = found - {to} | {top}
    if sizes.merge is None:
        return sorted(found)
    # Without those near a larger one: (pot + larger) / (pot + smaller) < 1 + near, in chips after calling.
    level, called = max(state.put) - state.base, pot(rules, state) + can.call
    kept: list[int] = []
    for to in sorted(found, reverse=True):
        if not kept or Fraction(called + kept[-1] - level, called + to - level) >= 1 + sizes.merge:
            kept.append(to)
    return kept[::-1]


def _amount(rules: BettingRules, state: BettingState, size: BetSize, can: Legal) -> int:
    """The amount of a size, before it is clipped to the least raise and all-in."""
    level = max(state.put) - state.base
    called = pot(rules, state) + can.call
    top = all_in(rules, state)
    if size.letter == "%":
        return _round(level + size.number * called)
    if size.letter == "x":
        return _round(level * size.number)
    if size.letter == "c":
        return _round(size.number / Fraction(str(rules.unit)))
    if size.letter == "e":
        streets = float(size.number) or rules.last - state.street + 1
        # (1 + 2f)^streets times the pot is the pot with both stacks in it
        grown = (1.0 + 2.0 * (top - level) / called) ** (1.0 / streets) if called else math.inf
        return top if math.isinf(grown) else _round(round(level + (grown - 1.0) / 2.0 * called, 6))
    return top if size.letter == "a" else 0


def _round(amount: Fraction | float) -> int:
    return math.floor(amount + Fraction(1, 2)) if isinstance(amount, Fraction) else math.floor(amount + 0.5)


SizesLike = BetSizes | str | Mapping[str, str]
MOST_COUNTED = 500_000
"""The most different actions that are counted, which takes some seconds. Sequences share them: a tree of 280,000 nodes
has 17,000."""
WIDE, MOST_WIDE = 30, 60_000
"""A menu of more actions than this is wide, as that of `any` is; trees that have one are refused within a second."""


@dataclass(frozen=True)
class Count:
    """Numbers of nodes of a betting tree, each per street (preflop, flop, turn, river). decisions, deals, folds,
    showdowns: nodes by kind. actions: actions at all decisions together; times the hands, the size of a strategy."""

    decisions: tuple[int, ...]
    deals: tuple[int, ...]
    folds: tuple[int, ...]
    showdowns: tuple[int, ...]
    actions: tuple[int, ...]

    @property
    def nodes(self) -> int:
        return sum(self.decisions) + sum(self.deals) + sum(self.folds) + sum(self.showdowns)

    def __str__(self) -> str:
        streets = [
            f"{name} {self.decisions[i]:,} decisions with {self.actions[i]:,} actions"
            for i, name in enumerate(STREETS)
            if self.decisions[i]
        ]
        return f"{self.nodes:,} betting nodes: " + "; ".join(streets or ["no decision"])


def count(
    rules: BettingRules, sizes: SizesLike = "", *, root: BettingState | None = None, most: int = MOST_COUNTED
) -> Count:
    """The size of the tree of `build`, without building it: states that coincide are visited once."""
    sizes = sizes_for(rules, sizes)
    top = start(rules) if root is None else root
    known: dict[BettingState, tuple[int, ...]] = {}
    stack: list[tuple[BettingState, list[BettingState] | None]] = [(top, None)]
    seen = 0
    limit = most
    while stack:
        state, after = stack.pop()
        if state in known:
            continue
        if after is None:
            after = [child for _, child in successors(rules, state, sizes)]
            seen += len(after)
            spend("different actions of a betting tree", len(after))
            if len(after) > WIDE:
                limit = min(limit, MOST_WIDE)
            if seen > limit:
                raise InputError(
                    f"betting tree: more than {limit:,} different actions are more than can be counted; ask for fewer bet "
                    "sizes or a raise cap"
                )
            stack.append((state, after))
            stack.extend((child, None) for child in after if child not in known)
        else:
            # Five rows of four streets: its own place in the count, and everything below it.
            count_of = [sum(column) for column in zip(*(known[child] for child in after), strict=True)] or [0] * 20
            row = {Kind.DEAL: 1, Kind.FOLD0: 2, Kind.FOLD1: 2, Kind.SHOWDOWN: 3}.get(state.kind, 0)
            count_of[4 * row + state.street] += 1
            if row == 0:
                count_of[16 + state.street] += len(after)
            known[state] = tuple(count_of)
    total = known[top]
    return Count(*(total[4 * row : 4 * row + 4] for row in range(5)))


def successors(rules: BettingRules, state: BettingState, sizes: BetSizes) -> list[tuple[Action, BettingState]]:
    """The menu at a state and the successor of each action: fold, check or call, then bets or raises ascending."""
    if state.kind > Kind.DEAL:
        return []
    if state.kind is Kind.DEAL:
        after = act(rules, state, Action(Move.DEAL))  # who led matters only where donks have sizes: fewer states differ
        return [(Action(Move.DEAL), after if sizes.knows_donks else after._replace(leader=-1))]
    can = legal(rules, state)
    level = max(state.put) - state.base
    mine = state.put[state.kind] - state.base
    menu = [Action(Move.FOLD)] if can.fold else []
    menu.append(Action(Move.CALL, mine + can.call) if can.call else Action(Move.CHECK))
    top = all_in(rules, state)
    bet = Move.RAISE if level else Move.BET
    menu += [Action(Move.ALL_IN if to == top else bet, to) for to in amounts(rules, state, sizes)]
    reached = [act(rules, state, action) for action in menu]
    if sizes.keeps_initiative:  # a street without a bet so far leaves it where it was
        reached = [
            after._replace(leader=state.leader) if not after.raises and after.kind <= Kind.DEAL else after
            for after in reached
        ]
    return list(zip(menu, reached, strict=True))


def sizes_for(rules: BettingRules, sizes: SizesLike) -> BetSizes:
    """Sizes, read if they are a text or texts."""
    read = sizes if isinstance(sizes, BetSizes) else read_sizes(sizes)
    read.check(rules)
    return read


_LOT = 20_000_000
_WORDS = {int(move): move.name.lower().replace("_", "-") for move in Move}
_ROOT, _BET, _DEAL = int(Move.ROOT), int(Move.BET), int(Move.DEAL)  # members of enumerations are slow to look up


@dataclass(frozen=True, eq=False)
class BettingTree:
    """Betting sequences in preorder: node 0 is the root, and a node's subtree is the nodes from it to `end` of it.

    Utilities are chips won since before antes and blinds, with half of a spot's starting pot counted as each player's
    own: without rake they are zero-sum, and the winner of a pot gets half of it.

    Attributes:
        rules: rules of the game.
        sizes: of bets and raises.
        kind: (nodes,) a `Kind`: the player to act (0, 1), the deal of the next street (2), a fold (3, 4), a showdown
            (5).
        parent: (nodes,) -1 at the root.
        end: (nodes,) one past the last node of the subtree.
        first: (nodes + 1,) the children of node n are child[first[n]:first[n + 1]], in the order of its actions.
        child: (nodes - 1,) node numbers.
        action: (nodes,) index of the node among its parent's children; -1 at the root.
        move: (nodes,) a `Move`: the action from the parent.
        to: (nodes,) chips that the player has then bet in this street; 0 for fold, check and deal.
        street: (nodes,) index in STREETS. A deal, and a showdown after an early all-in, bear the street that ended.
        committed: (nodes, 2) chips each player put in since the start, blinds and antes included; uncalled chips are
            returned at the end of each street.
        pot: (nodes,) chips in the middle, the starting pot and this street's bets included.
        win, lose, tie: (nodes,) utility, at terminals, of a player who wins, loses, or splits the pot; 0 elsewhere. The
            same for both players; `win` is after the rake. At a fold the other player wins.
    """

    rules: BettingRules
    sizes: BetSizes
    kind: I8
    parent: I32
    end: I32
    first: I32
    child: I32
    action: NDArray[np.int16]
    move: I8
    to: F64
    street: I8
    committed: F64
    pot: F64
    win: F64
    lose: F64
    tie: F64

    @property
    def nodes(self) -> int:
        return len(self.kind)

    def children(self, node: int) -> list[int]:
        """Nodes after each action, in order; none at a terminal."""
        return self.child[self.first[node] : self.first[node + 1]].tolist()  # type: ignore[no-any-return]

    def label(self, node: int) -> str:
        """The action that leads to a node: "check", "call", "bet 100", "raise 300", "all-in 900", "fold", "turn"."""
        move = int(self.move[node])
        if move == _ROOT:
            return ""
        if move == _DEAL:
            return STREETS[self.street[node]]
        return f"{_WORDS[move]} {self.to[node]:.12g}" if move >= _BET else _WORDS[move]

    def actions(self, node: int) -> tuple[str, ...]:
        """The labels of a node's actions."""
        return tuple(self.label(child) for child in self.children(node))

    def path(self, node: int) -> str:
        """The actions from the root to a node, as `node_at` reads them; "" for the root."""
        labels = []
        while node > 0:
            labels.append(self.label(node))
            node = int(self.parent[node])
        return ", ".join(reversed(labels))


def build(
    rules: BettingRules, sizes: SizesLike = "", *, root: BettingState | None = None, most: int = _LOT
) -> BettingTree:
    """The betting tree of a game or spot."""
    sizes = sizes_for(rules, sizes)
    if (nodes := count(rules, sizes, root=root).nodes) > most:
        raise InputError(
            f"betting tree: {nodes:,} nodes are more than {most:,}; ask for fewer bet sizes or a raise cap"
        )
    spend("nodes of a betting tree", nodes)
    # All nodes, a node before what comes after it; rows: of each its parent, and its index among the parent's children.
    states, actions, rows = list[BettingState](), list[Action](), list[tuple[int, int]]()
    stack = [(start(rules) if root is None else root, Action(Move.ROOT), -1, -1)]
    menus: dict[BettingState, list[tuple[int, tuple[Action, BettingState]]]] = {}  # many sequences lead to one state
    while stack:
        state, action, above, number = stack.pop()
        spend("nodes of a betting tree")
        node = len(states)
        states.append(state)
        actions.append(action)
        rows.append((above, number))
        if state not in menus:
            menus[state] = list(reversed(list(enumerate(successors(rules, state, sizes)))))
        stack.extend((after, step, node, i) for i, (step, after) in menus[state])
    parent, index = (np.array(column, dtype=np.int32) for column in zip(*rows, strict=True))
    first = np.append(0, np.cumsum(np.bincount(parent[1:], minlength=len(parent)))).astype(np.int32)
    child = (np.argsort(parent[1:], kind="stable") + 1).astype(np.int32)
    end, parents = list(range(1, len(parent) + 1)), parent.tolist()
    for node in range(len(parent) - 1, 0, -1):
        end[parents[node]] = max(end[parents[node]], end[node])
    kind = np.array([state.kind for state in states], dtype=np.int8)
    put = np.array([state.put for state in states], dtype=np.float64)
    pot = np.where(kind > Kind.DEAL, put.sum(axis=1) + rules.pot, 0.0)  # at terminals, in units
    half, rake = pot / 2, np.minimum(rules.rake * pot, np.inf if rules.rake_cap is None else rules.rake_cap)
    return BettingTree(
        rules=rules, sizes=sizes, kind=kind, parent=parent, end=np.array(end, dtype=np.int32), first=first, child=child,
        action=index.astype(np.int16), move=np.array([action.move for action in actions], dtype=np.int8),
        to=_chips(rules, [action.to for action in actions]),
        street=np.array([state.street for state in states], dtype=np.int8), committed=_chips(rules, put),
        pot=_chips(rules, put.sum(axis=1) + rules.pot), win=_chips(rules, half - rake), lose=_chips(rules, -half),
        tie=_chips(rules, -rake / 2),
    )  # fmt: skip


def _chips(rules: BettingRules, units: F64 | list[int]) -> F64:
    """Units in chips, exact to twelve digits."""
    return np.asarray(np.round(np.asarray(units, dtype=np.float64) * rules.unit, 12), dtype=np.float64)


_LETTERS = {
    "f": "fold", "x": "check", "k": "check", "c": "call", "b": "bet", "r": "raise", "a": "all-in", "allin": "all-in",
}  # fmt: skip
_STEP = re.compile(r"([a-z-]+)\s*(\d+(?:\.\d+)?)?")
_BETWEEN = " ,;/\n\t"
_BETS = ("bet", "raise", "all-in")
_CARD = re.compile(r"[2-9tjqka][cdhs]", re.IGNORECASE)


def split(path: str) -> tuple[str, list[str]]:
    """The actions of a path, and its cards."""
    words = path.replace(",", " ").split()
    return " ".join(word for word in words if not _CARD.fullmatch(word)), [w for w in words if _CARD.fullmatch(w)]


def node_at(betting: BettingTree, path: str) -> int:
    """The node at the end of a path without cards, such as "check, bet 100, call, turn" or "x b100 c".

    An amount may be left out where only one bet or raise is possible. A dealt street may be left out where an action
    follows: "x x" is where the next street is dealt, "x x turn" the first decision after that."""
    node, seen = 0, 0
    text = path.lower().replace("all in", "all-in")
    for match in _STEP.finditer(text):
        if text[seen : match.start()].strip(_BETWEEN):
            break
        seen = match.end()
        word, amount = _LETTERS.get(match[1], match[1]), match[2]
        if betting.kind[node] == Kind.DEAL and word not in STREETS:
            node = betting.children(node)[0]
        here = dict(zip(betting.children(node), betting.actions(node), strict=True))
        # With an amount, bet, raise and all-in are synonyms.
        words = {child: label.split(" ")[0] for child, label in here.items()}
        fits = [child for child, own in words.items() if own == word]
        if amount is not None:
            bets = [child for child, own in words.items() if own in _BETS and word in _BETS]
            fits = [child for child in bets if float(betting.to[child]) == float(amount)]
        if len(fits) != 1:
            step = word if amount is None else f"{word} {amount}"
            what = "is not an action here" if not fits else "fits several actions"
            listed = ", ".join(here.values()) or "nothing more to do"
            raise InputError(f"betting path '{path}': '{step}' {what}, where there is {listed}")
        node = fits[0]
    if rest := text[seen:].strip(_BETWEEN):
        raise InputError(f"betting path '{path}': cannot read '{rest}'")
    return node
