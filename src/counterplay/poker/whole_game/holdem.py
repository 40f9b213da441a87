"""A whole game of hold'em for the solvers: betting on every street, the boards, and each player's sequences.

A player's sequences on one board (see `decisions`) make an array with a row of hands for each; before the flop hands are
classes such as AKs. Flop Hold'em is the game of two streets.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.errors import InputError
from counterplay.poker.betting.rules import STREETS, BettingRules
from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import BettingTree, SizesLike, build
from counterplay.poker.cards.deck import FULL, Deck, cards_of, cards_text
from counterplay.poker.showdown.terminals import Fold, RankedBoard, Showdown, Terminals, scratch_of, terminals_of
from counterplay.poker.whole_game.boards.board import DEALT, Board, GameBoards, deals_to_come, flops_of, pairs_of_hands

if TYPE_CHECKING:
    from counterplay.card_abstraction.abstraction_record import Abstraction

_DEAL, _SHOWDOWN = int(Kind.DEAL), int(Kind.SHOWDOWN)  # members of enumerations are slow to look up


class StreetDecisions(NamedTuple):
    """One player's decisions, in an order in which those before come first; each is a tuple over the streets.

    Attributes:
        decisions: (decisions, 4) betting node, sequence before it, its first action's sequence, number of actions.
        entries: (entries,) the player's sequence on the street before at each entry; of the first street 0.
        sizes: number of sequences.
    """

    decisions: tuple[I64, ...]
    entries: tuple[I64, ...]
    sizes: tuple[int, ...]

    @property
    def preflop(self) -> I64:
        """(decisions, 4) of the first street."""
        return self.decisions[0]

    @property
    def entry(self) -> I64:
        """(entries,) of the second street."""
        return self.entries[1]


class NumberedTree(NamedTuple):
    """Sequences of a whole betting tree."""

    sides: tuple[StreetDecisions, StreetDecisions]
    at: Sequence[tuple[int, int]]
    """Both players' sequences at each node, on its street; at a showdown, on the last."""
    roots: tuple[I64, ...]
    """Of each street, (entries,) the betting node at which it is dealt."""


def number_sequences(betting: BettingTree) -> NumberedTree:
    """Number both players' sequences in one walk down the tree."""
    last = betting.rules.last
    rows: list[list[list[Any]]] = [[[] for _ in range(last + 1)] for _ in (0, 1)]
    entry: list[list[tuple[int, int, int]]] = [[(0, 0, 0)], *([] for _ in range(last))]
    roots_on = [1, *(sum(_is_dealt(betting, n, s) for n in range(betting.nodes)) for s in range(1, last + 1))]
    count = [list(roots_on), list(roots_on)]
    at: list[Any] = [(0, 0)] * betting.nodes
    for node in range(betting.nodes):
        kind, street = int(betting.kind[node]), int(betting.street[node])
        for dealt in range(street + 1, last + 1):
            if _is_dealt(betting, node, dealt):
                entry[dealt].append((node, *at[node]))
                at[node] = (len(entry[dealt]) - 1,) * 2
        children = betting.children(node)
        if kind > Kind.PLAYER1:
            for child in children:
                at[child] = at[node]
            continue
        first = count[kind][street]
        rows[kind][street].append((node, at[node][kind], first, len(children)))
        count[kind][street] += len(children)
        for k, child in enumerate(children):
            at[child] = (first + k, at[node][1]) if kind == 0 else (at[node][0], first + k)
    before = [np.array(part, np.int64).reshape(-1, 3).T for part in entry]
    sides = [
        StreetDecisions(
            tuple(np.array(part, np.int64).reshape(-1, 4) for part in rows[player]),
            tuple(part[1 + player].copy() for part in before),
            tuple(count[player]),
        )
        for player in (0, 1)
    ]
    return NumberedTree((sides[0], sides[1]), at, tuple(part[0].copy() for part in before))


def _is_dealt(betting: BettingTree, node: int, street: int) -> bool:
    """Return whether a street is dealt at a node, after its betting or for a showdown."""
    kind, own = int(betting.kind[node]), int(betting.street[node])
    return (kind == _DEAL and own == street - 1) or (kind == _SHOWDOWN and own < street)


def streets_to_come(betting: BettingTree, node: int) -> int:
    """The number of streets dealt at a node: one at the end of the betting, all that are left at an early all-in."""
    kind = int(betting.kind[node])
    return betting.rules.last - int(betting.street[node]) if kind == _SHOWDOWN else int(kind == _DEAL)


def fold_payoffs(betting: BettingTree, node: int) -> tuple[float, float]:
    """Payoffs of both players at a fold."""
    pair = float(betting.win[node]), float(betting.lose[node])
    return pair if betting.kind[node] == Kind.FOLD1 else (pair[1], pair[0])


def showdown_stakes(betting: BettingTree, at: tuple[int, int], node: int, player: int) -> tuple[float, ...]:
    """At a fold or showdown: the opponent's sequence, the player's, and what the player gets for a win, a loss and a
    tie, equal at a fold."""
    if betting.kind[node] != Kind.SHOWDOWN:
        amount = fold_payoffs(betting, node)[player]
        return at[1 - player], at[player], amount, amount, amount
    return at[1 - player], at[player], float(betting.win[node]), float(betting.lose[node]), float(betting.tie[node])


@dataclass(frozen=True)
class GameSize:
    """Betting nodes of all streets; of each street nodes at which a player acts, and actions there."""

    nodes: int
    decisions: tuple[int, ...]
    actions: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.nodes:,} betting nodes, {' / '.join(f'{n:,}' for n in self.decisions)} decisions by street"


def game_size(betting: BettingTree) -> GameSize:
    """The size of a game with this betting."""
    acting, streets = np.flatnonzero(betting.kind <= Kind.PLAYER1), betting.rules.last + 1
    at = betting.street[acting]
    actions = np.bincount(at, [len(betting.children(node)) for node in acting.tolist()], streets)
    decisions = np.bincount(at, minlength=streets)
    return GameSize(betting.nodes, tuple(decisions.tolist()), tuple(int(count) for count in actions))


Room = tuple[AnyArray, AnyArray, AnyArray]
_RUN = 16
_MOST_HANDS = 20_000_000
"""Hands on all boards of the last street; each takes some nanoseconds for each sequence."""
Facts = dict[str, Any]
_LONGEST = 10_000
"""Characters of a text."""


@dataclass(frozen=True, eq=False)
class HoldemGame:
    """A deck, its boards and a betting tree.

    Attributes:
        boards: those of every street, with their hands.
        betting: betting nodes of all streets; player 0 is the big blind.
        sides: decisions of both players.
        roots: per street, (entries,) betting nodes at which it is dealt.
        folded: (folds, 4) folds before the flop: both players' sequences, and the payoffs of players 0 and 1.
        payoffs: per later street, (2, terminals, 5), one row per fold and showdown: the opponent's sequence, the player's,
            and the player's payoff for a win, a loss and a tie; the three are equal at a fold.
        dtype: dtype of ranges and values on a board, float32 or float64; before the flop they are float64.
        buckets: how blueprints put hands together; None where that is not said.
    """

    boards: GameBoards
    betting: BettingTree
    sides: tuple[StreetDecisions, StreetDecisions]
    roots: tuple[I64, ...]
    folded: F64
    payoffs: tuple[F64, ...]
    dtype: np.dtype[Any]
    buckets: Abstraction | None = None

    @property
    def deck(self) -> Deck:
        return self.boards.deck

    @property
    def last(self) -> int:
        """The last street, that of the showdowns."""
        return len(self.roots) - 1

    @property
    def flops(self) -> list[Board]:
        """All boards of a game that ends on the flop."""
        if self.last == 1:
            return self.boards.after(self.boards.root)
        raise InputError(
            f"this game ends on the {STREETS[self.last]}; this computation is for games that end on the flop"
        )

    @property
    def entries(self) -> I64:
        """(entries,) betting nodes at which the flop is dealt."""
        return self.roots[1]

    def run_on(self, street: int) -> int:
        """The distance between rows of hands on a board of a street."""
        return -(-self.places(street) // _RUN) * _RUN

    def places(self, street: int) -> int:
        """The number of hands compatible with a board of a street."""
        return comb(len(self.deck.cards) - DEALT[street], 2)

    @cached_property
    def deals(self) -> float:
        """Ways to deal two hands and the last board, street by street: the divisor of sums of payoffs."""
        return pairs_of_hands(self.deck) * self.deals_after(0)

    def deals_after(self, street: int) -> float:
        """Ways to deal the streets after one, given two hands and its board."""
        return deals_to_come(self.deck, street, self.last)

    @cached_property
    def terminals_on(self) -> tuple[tuple[Terminals, Terminals], ...]:
        """Per street after the first, each player's folds and showdowns; folds are paid once for every deal to come."""
        return tuple((self.terminals(street, 0), self.terminals(street, 1)) for street in range(1, self.last + 1))

    def terminals(self, street: int, player: int, *, shown: bool = True) -> Terminals:
        """A player's folds, and showdowns unless only folds are wanted."""
        run, deals = self.run_on(street), self.deals_after(street)
        sizes = (self.sides[1 - player].sizes[street] * run, self.sides[player].sizes[street] * run)
        listed: list[Showdown | Fold] = []
        for theirs, ours, win, lose, tie in self.payoffs[street - 1][player]:
            at = int(theirs) * run, int(ours) * run
            if win == lose:
                listed.append(Fold(*at, win * deals))
            elif shown:
                listed.append(Showdown(*at, win, -lose, tie))
        return terminals_of(self.some_board(street), listed, sizes, self.dtype)

    def some_board(self, street: int) -> RankedBoard:
        """A board with the numbers of hands and cards of a street."""
        nothing = np.zeros(0, np.int32)
        return RankedBoard(self.places(street), len(self.deck.cards) - DEALT[street], 0, nothing, nothing)

    def room(self, street: int = 1) -> Room:
        """Work space of one thread: plan and values of the player with more sequences, and the kernels' scratch."""
        size = max(side.sizes[street] for side in self.sides) * self.run_on(street)
        return np.zeros(size, self.dtype), np.zeros(size, self.dtype), scratch_of(self.some_board(street), self.dtype)

    @cached_property
    def milli(self) -> float:
        """Milli-big-blinds in a chip."""
        return 1000.0 / self.betting.rules.chips(max(self.betting.rules.blinds))


def holdem_game(
    rules: BettingRules, sizes: SizesLike = "", *, deck: Deck = FULL, dtype: Any = np.float32
) -> HoldemGame:
    """The game. sizes: bet sizes, for no-limit. deck: its suits must be interchangeable. dtype: of ranges and values;
    float32 is twice as fast, float64 for checks.

    Raises:
        InputError: the rules do not begin before the flop and end after it, have a rake or no big blind, or the deck is
            too small.
    """
    if rules.first != 0 or rules.last < 1:
        raise InputError(
            "a whole game of hold'em must begin before the flop and end on the flop, the turn or the river"
        )
    if rules.rake:
        raise InputError("whole games of hold'em are solved without a rake")
    if not max(rules.blinds):
        raise InputError("whole games of hold'em are measured in big blinds, and these rules have no big blind")
    betting = build(rules, sizes)
    numbered = number_sequences(betting)
    if not all(map(len, numbered.roots)):
        raise InputError("these rules never deal a flop")
    boards = GameBoards(deck, rules.last) if rules.last > 1 else flops_of(deck)
    early = [(*numbered.at[n], *fold_payoffs(betting, n)) for n in terminal_nodes(betting, 0).tolist()]
    folded, payoffs = np.array(early, float).reshape(-1, 4), []
    for street in range(1, rules.last + 1):
        nodes = terminal_nodes(betting, street).tolist()
        rows = [[showdown_stakes(betting, numbered.at[n], n, player) for n in nodes] for player in (0, 1)]
        payoffs.append(np.array(rows, float).reshape(2, -1, 5))
    return HoldemGame(boards, betting, numbered.sides, numbered.roots, folded, tuple(payoffs), np.dtype(dtype))


def is_walked(game: HoldemGame) -> bool:
    """Return whether a game has few enough boards to be walked as a whole while a player waits."""
    return game.boards.most_hands(game.last) <= _MOST_HANDS


def terminal_nodes(betting: BettingTree, street: int) -> I64:
    """(terminals,) betting nodes of the folds of a street, and on the last one of all showdowns, as in
    `HoldemGame.payoffs`."""
    shown = np.asarray(betting.kind) == Kind.SHOWDOWN
    folded = (np.asarray(betting.kind) > Kind.DEAL) & ~shown & (np.asarray(betting.street) == street)
    return np.flatnonzero(folded | (shown & (street == betting.rules.last)))


def question_of(game: HoldemGame) -> Facts:
    """The game, as JSON has it."""
    rules = asdict(game.betting.rules)
    question = {"deck": cards_text(game.deck.cards), "limits": rules, "bets": game.betting.sizes.text}
    return dict(json.loads(json.dumps(question)))


def rules_in(facts: Facts) -> tuple[BettingRules, str, Deck]:
    """Rules of betting, bet sizes and deck of the game that facts name."""
    words: Any = {key: tuple(value) if isinstance(value, list) else value for key, value in facts["limits"].items()}
    return BettingRules(**words), short_text(facts, "bets"), Deck(cards_of(short_text(facts, "deck")))


def short_text(facts: Facts, name: str) -> str:
    """A short text among the facts; else a `TypeError`."""
    text = facts[name]
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise TypeError(name)
    return text
