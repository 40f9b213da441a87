"""Hands as a player saw them, and terminal information sets: the ends of a game that a seat cannot tell apart."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from counterplay.arrays import I64, Flags
from counterplay.errors import InputError, quoted
from counterplay.games.game import CHANCE, TERMINAL, action_name
from counterplay.games.identity import is_other_game
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.expectation import Grouped, children_of
from counterplay.texts.arguments import Checked

Move = tuple[int, str | None]
_TOLERANCE, _ROUNDING = 1e-9, 1e-14
"""Of a result: shares of the span of the payoffs, and of the largest one."""
_NAMES: WeakKeyDictionary[GameTree, dict[Hashable, list[str]]] = WeakKeyDictionary()
SHOWN, SHOWDOWN, HIDDEN = "all", "showdown", "none"
REVEALS = (SHOWN, SHOWDOWN, HIDDEN)
"""What is revealed after a hand: everything, the hidden cards where they decide the result, or nothing."""


@dataclass(frozen=True)
class ObservedHand(metaclass=Checked):
    """A hand of any game.

    Attributes:
        moves: the acting player (0, 1 or `CHANCE`) and the text of the action, in order; None in place of a text that was
            not seen.
        utility: chips that player 0 won; None where it is not known.
    """

    moves: tuple[Move, ...]
    utility: float | None = None


def consistent_ends(game: GameTree, hand: Any) -> I64:
    """(n,) the ends of the game that agree with a hand: its moves where they were seen, its players, its result. hand:
    an `ObservedHand`, or anything with `moves` and `utility` or `won` (chips of player 0), such as the record of a match
    or of a log."""
    table, children = game.histories, children_of(game)
    try:
        moves = [(who, name) for who, name in hand.moves]
        utility = hand.utility if hasattr(hand, "utility") else hand.won
        utility = None if utility is None else float(utility)
    except (AttributeError, TypeError, ValueError):
        raise InputError("a hand has moves, each who acts and a text or None, and a result, a number or None; "
                         f"{quoted(hand)} has not") from None  # fmt: skip
    here = np.zeros(1, np.int64)
    for number, (who, name) in enumerate(moves):
        below = list[int]()
        for history in here[table.player[here] == who].tolist():
            names = [None] * len(children.of(history)) if name is None else action_names(game, history)
            below += [int(child) for child, own in zip(children.of(history), names, strict=True) if own == name]
        if not below:
            actor = "chance" if who == CHANCE else f"player {who}"
            move = f"a move of {actor}" if name is None else f"{quoted(name)} of {actor}"
            raise InputError(f"no hand of {game.name} has {move} as move {number + 1}")
        here = np.array(below, np.int64)
    here = here[table.player[here] == TERMINAL]
    if utility is not None:
        scale = _TOLERANCE * game.span + _ROUNDING * float(np.abs(table.utility).max())
        here = here[np.abs(table.utility[here] - utility) <= scale]
    if not len(here):
        result = "" if utility is None else f" with a result of {utility:g} chips"
        raise InputError(f"no hand of {game.name} ends after these {len(moves)} moves{result}")
    return np.asarray(here, np.int64)


def action_names(game: GameTree, history: int) -> list[str]:
    """The names of the actions at a history, those of an infoset or of a chance node kept once made."""
    table = game.histories
    who = int(table.player[history])
    key: Hashable = ("chance", history) if who == CHANCE else (who, int(table.info[who][history]))
    kept = _NAMES.setdefault(game, {})
    if key not in kept:
        state = game.state(history)
        kept[key] = [action_name(game.rules, state, action) for action in game.rules.actions(state)]
    return kept[key]


def checked_reveal(reveal: str) -> str:
    """One of `REVEALS`."""
    if reveal not in REVEALS:
        raise InputError(f"what is revealed is {', '.join(REVEALS)}, not {quoted(reveal)}")
    return reveal


@dataclass(frozen=True, eq=False)
class TerminalInfosets:
    """The terminal information sets of a seat.

    A seat knows its own infosets and actions, what it is told on the way, and the result. A hand is shown down where
    ends of the same public line have different results: there the hidden moves decide, and `showdown` reveals them.
    seat: who looks. reveal: one of `REVEALS`."""

    game: GameTree
    seat: int
    reveal: str = HIDDEN

    @cached_property
    def ends(self) -> I64:
        """(T,) the terminal histories."""
        return np.flatnonzero(self.game.histories.player == TERMINAL)

    @cached_property
    def label(self) -> I64:
        """(T,) a number of each end; ends that the seat cannot tell apart share it."""
        ends = np.arange(len(self.ends))
        if self.reveal == SHOWN:
            return ends
        table = self.game.histories
        up = table.parent[self.ends]
        own = table.player[up] == self.seat
        last = np.where(own | self._moves_are_public, self._last_name, -1)
        taken = self.game.sequences[self.seat][self.ends]
        label = _numbered(table.info[self.seat][up], taken, last, table.utility[self.ends])
        if self.reveal == SHOWDOWN:
            label = np.where(self.shown_down, label.max() + 1 + ends, label)
        return _numbered(label)

    @cached_property
    def shown_down(self) -> Flags:
        """(T,) whether what is hidden decides the result."""
        table = self.game.histories
        up = table.parent[self.ends]
        line = _numbered(self.game.public[0][table.info[0][up]], self._last_name)
        least, most = np.full(line.max() + 1, np.inf), np.full(line.max() + 1, -np.inf)
        np.minimum.at(least, line, table.utility[self.ends])
        np.maximum.at(most, line, table.utility[self.ends])
        return np.asarray(most[line] > least[line])

    @cached_property
    def groups(self) -> Grouped:
        """The ends, as places in `ends`, by their label."""
        return Grouped.by(self.label.astype(np.int32), int(self.label.max()) + 1)

    def like(self, end: int) -> I64:
        """(n,) the ends (histories) that the seat cannot tell from this one."""
        return self.ends[self.groups.of(int(self.label[int(np.searchsorted(self.ends, end))]))]

    def ends_of(self, hand: Any) -> I64:
        """(n,) the ends (histories) that a hand may have had, as the seat sees it. hand: as of `consistent_ends`, with its
        `game`; what it hides stays hidden, whatever is revealed."""
        if is_other_game(hand.game, self.game.name):
            raise InputError(f"this is a hand of {quoted(hand.game)}, and one of {self.game.name} is needed")
        ends = consistent_ends(self.game, hand)
        return ends if self.reveal == SHOWN or len(ends) > 1 else self.like(int(ends[0]))

    def observed_moves(self, end: int) -> tuple[Move, ...]:
        """The moves of a hand with this end (a history), with None for those that the seat cannot know."""
        paths = [self._moves(other) for other in self.like(end).tolist()]
        known = [len({path[k : k + 1] for path in paths}) == 1 for k in range(len(paths[0]))]
        mine = self._moves(end)
        return tuple((who, name if same else None) for (who, name), same in zip(mine, known, strict=False))

    def _moves(self, end: int) -> Sequence[Move]:
        table, found = self.game.histories, list[Move]()
        way = [end]
        while (up := int(table.parent[way[-1]])) >= 0:
            way.append(up)
        for up, down in zip(way[::-1], way[-2::-1], strict=False):
            found.append((int(table.player[up]), action_names(self.game, up)[int(table.action[down])]))
        return tuple(found)

    @cached_property
    def _last_name(self) -> I64:
        """(T,) a number of the name of the last action; -1 where chance acts last."""
        table, numbers = self.game.histories, dict[str, int]()
        found = np.full(len(self.ends), -1, np.int64)
        for i, end in enumerate(self.ends.tolist()):
            up = int(table.parent[end])
            if up >= 0 and table.player[up] < 2:
                name = action_names(self.game, up)[int(table.action[end])]
                found[i] = numbers.setdefault(name, len(numbers))
        return found

    @cached_property
    def _moves_are_public(self) -> bool:
        """Return whether the seat always learns what the other player has done before the hand goes on."""
        table = self.game.histories
        inner = np.flatnonzero((table.player != TERMINAL) & (table.parent >= 0))
        inner = inner[table.player[table.parent[inner]] == 1 - self.seat]
        if not len(inner):
            return True
        pairs = _numbered(table.parent[inner], table.info[self.seat][inner])
        return int(pairs.max()) + 1 == len(inner)


def _numbered(*columns: NDArray[np.generic]) -> I64:
    """(n,) a number from 0 on for each different row of some columns (n,)."""
    number = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        inner = np.unique(column, return_inverse=True)[1].astype(np.int64)
        number = np.unique(number * (int(inner.max(initial=0)) + 1) + inner, return_inverse=True)[1].astype(np.int64)
    return number
