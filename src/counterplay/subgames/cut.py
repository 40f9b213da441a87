"""Subgames cut out of a compiled game: the histories from some public states on, down to a limit; and the places of a game
at which a blueprint is re-solved."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from counterplay.arrays import F64, I32, I64, Flags
from counterplay.errors import InputError, nearest, quoted
from counterplay.games.game import CHANCE, LIMIT, TERMINAL
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.levels import GAME, ROUND, Depth, counted_along, declared_states, first_above
from counterplay.subgames.cut_game import Border, CutGame, CutShape, build_gadget_game
from counterplay.subgames.entry import Entry, contract_path
from counterplay.subgames.plan_store import PlanStore, Subtree
from counterplay.texts.readers import whole_of
from counterplay.treeplex.restriction import Numbers

_BEYOND = -2
"""Instead of a root, after a limit of the subgame; -1 stands outside it."""


@dataclass(frozen=True, eq=False)
class Cut(CutShape, Subtree):
    """A subtree of an enumerated game. since: for each public state of the top, the history at which the previous
    re-solving began, for gifts; None without one, so that gifts count from the root on."""

    counts_hands: ClassVar[bool] = False

    since: Mapping[int, int] | None = None

    def gifts(self, plans: PlanStore) -> F64:
        since = dict.fromkeys(self.top.public.tolist(), 0) if self.since is None else self.since
        return gifts(self.top, self.opponent, plans.cfvs(self.opponent), plans.reach(self.resolver), since)

    def tops(self, player: int) -> I64:
        out = np.zeros(self.top.sizes[player], np.int64)
        out[self.top.known[player]] = self.game.sequences[player][self.top.histories]
        return out

    def path(self, plans: PlanStore, values: F64) -> Entry:
        tree = self.game.trees[self.opponent]
        return contract_path(tree, plans.cfvs(self.opponent), self.tops(self.opponent), values)

    def lanes(self, player: int) -> Flags:
        table = self.game.histories
        inside = np.flatnonzero((self.root >= 0) & (table.player == player))
        lane = self.game.lanes[player][table.info[player][inside]]
        out = np.zeros(self.game.trees[player].lanes, np.bool_)
        out[lane[lane >= 0]] = True
        return out

    def names(self) -> list[str]:
        """The text of each of the opponent's augmented infosets at the top; an InputError if the game has none there,
        since the opponent does not act."""
        top, game, player = self.top, self.game, self.opponent
        rules: Any = game.rules
        firsts = top.histories[np.unique(top.known[player], return_index=True)[1]]
        try:
            return [str(rules.infoset(state, player)) for state in game.states(firsts)]
        except Exception as error:  # not every game has texts for who does not act
            raise InputError(
                f"{game.name} has no texts of the infosets of player {player} at the top of a subgame, which a prior needs: "
                f"{error!r}"
            ) from None

    def gadget_game(self, entry: Entry, plan: Numbers, unit: float = 1.0) -> CutGame:
        return build_gadget_game(self, entry, plan, unit=unit)


def cut(game: GameTree, public_states: Collection[int], resolver: int, expanded: Flags | None = None) -> Cut:
    """The subgame that begins at the first histories of these public states; an InputError if no history lies in them.
    The game may be compiled in part; `expanded`, (H,), marks the histories whose children may be used, by default all
    compiled ones."""
    chosen = in_states(game, public_states)
    if not chosen.any():
        raise InputError(f"{game.name} has no public state among {sorted(public_states)}")
    return cut_below(game, chosen, resolver, expanded)


def in_states(game: GameTree, public_states: Collection[int]) -> Flags:
    """(H,) whether each history is in one of these public states."""
    return np.isin(history_states(game), list(public_states))


def history_states(game: GameTree) -> I32:
    """(H,) the public state of each history, -1 at the ends."""
    info = game.histories.info[0]
    return np.where(info >= 0, game.public[0][info], -1).astype(np.int32)


def cut_below(game: GameTree, chosen: Flags, resolver: int, expanded: Flags | None = None) -> Cut:
    """The subgame that begins at the first `chosen` history, (H,), of each path."""
    table = game.histories
    stops = table.player == LIMIT
    if expanded is not None:
        stops |= ~expanded & (table.player != TERMINAL)
    root = first_above(table.parent, chosen)
    above = counted_along(table.parent, stops) - stops  # before each history
    root[(root >= 0) & (above > above[root])] = _BEYOND
    tops = np.flatnonzero(root == np.arange(len(root)))
    limit = np.flatnonzero(stops & (root >= 0))
    return Cut(game, resolver, root, Border.at(game, tops), Border.at(game, limit))


def gifts(top: Border, player: int, claims: Numbers, plan: Numbers, since: Mapping[int, int]) -> F64:
    """(infosets of `player` at the top,) gifts of the player on the path there, for reach max-margin (Brown and
    Sandholm 2017): at each own action the best CFV there less that of the action.

    A gift is shared among all infosets that follow the action, by chance's and the other player's weight of them, so
    that the claims never sum to more than was given. Gifts before the last look-ahead were available to it, and do not
    count again.

    Args:
        top: the public states at which the look-ahead begins.
        player: whose gifts.
        claims: (size,) CFVs of the player's sequences after the last look-ahead.
        plan: (other size,) the plan of the player who resolves.
        since: for each public state of the top, the history at which the last look-ahead began.
    """
    game, table = top.game, top.game.histories
    tree, sequences = game.trees[player], game.sequences
    up = table.parent
    acted = (up >= 0) & (table.player[up] == player) & _on_the_way(top, player)[sequences[player]]
    # Histories right after an own action at an infoset with a choice.
    acted[acted] = game.lanes[player][table.info[player][up[acted]]] >= 0
    after = np.flatnonzero(acted)  # only these are asked for
    # passing: (size,) weight of the other players by own sequence; here: (infosets,) the same at the top.
    passing, here = (
        np.bincount(groups, table.reach[histories] * plan[sequences[1 - player][histories]], size)
        for groups, histories, size in (
            (sequences[player][after], after, tree.size),
            (top.known[player], top.histories, top.sizes[player]),
        )
    )
    out = np.zeros(top.sizes[player])
    for infoset, first in enumerate(np.unique(top.known[player], return_index=True)[1].tolist()):
        # From the infoset at the top up to where the last look-ahead began, sequence by sequence.
        at = int(sequences[player][top.histories[first]])
        begin = int(game.public[0][table.info[0][since[int(top.public[first])]]])
        history = int(top.histories[first])
        stop = int(sequences[player][first_in(game, begin, history, history)])
        while at not in (stop, 0) and not np.isnan(claims[at]):
            lane = int(tree.owner[at])
            given = float(np.max(claims[tree.sequences_of(lane)]) - claims[at])
            if given > 0.0 and passing[at] > 0.0:
                out[infoset] += given * here[infoset] / passing[at]
            at = int(tree.arrays.parent[lane])
    return out


def _on_the_way(top: Border, player: int) -> Flags:
    """(size,) whether each sequence of a player leads to the top."""
    tree, out = top.game.trees[player], np.zeros(top.game.trees[player].size, np.bool_)
    at = np.unique(top.game.sequences[player][top.histories])
    while len(at := at[at > 0]):
        out[at] = True
        at = np.unique(tree.arrays.parent[tree.owner[at]])
    return out


def first_in(game: GameTree, state: int, history: int, otherwise: int) -> int:
    """The first history in a public state on the path to a history, itself included; `otherwise` if there is none."""
    table, at, first = game.histories, history, otherwise
    while at >= 0:
        if game.public[0][table.info[0][at]] == state:
            first = at
        at = int(table.parent[at])
    return first


MOVES = "moves"
_DIGITS = 5


@dataclass(frozen=True)
class Place:
    """A cut through every path from the root.

    Attributes:
        kind: `moves`, `round`, or `game` (the public states that the game itself marks).
        number: number of completed moves or rounds; for `game`, of its states passed.
        declared: use the public states that the game declares, each a union of computed ones.
    """

    kind: str
    number: int
    declared: bool = False

    @staticmethod
    def of(text: str, declared: bool = False) -> Place:
        """From the text of the command line: `moves:N`, `round`, `round:N`, `game`; else an InputError."""
        kind, colon, word = text.partition(":")
        number = whole_of(word, _DIGITS)
        least = 0 if kind == MOVES else 1
        fits = number is not None and number >= least if colon else kind != MOVES
        if kind not in (MOVES, ROUND, GAME) or not fits:
            near = nearest(text, (MOVES, ROUND, GAME)) if kind not in (MOVES, ROUND, GAME) else None
            meant = f"; did you mean {quoted(near)}?" if near else ""
            raise InputError(f"a place must be {MOVES}:N, {ROUND}, {ROUND}:N or {GAME}, not {quoted(text)}{meant}")
        return Place(kind, 1 if number is None else number, declared)

    def __str__(self) -> str:
        return f"{self.kind}:{self.number}" if self.kind == MOVES or self.number != 1 else self.kind


def subgames_at(game: GameTree, place: Place, resolver: int) -> list[Cut]:
    """The subgames of a resolver at a place, by first visit: one for each public state, from its first histories at
    which a player acts, after the deals that follow the last move. None is inside another.

    If chance acts at some histories of a public state and players at others, one such state may continue into another,
    or an infoset may lie both at the top and below it. The subgame then begins at the very first histories and includes
    all that follows.

    Raises:
        InputError: no path of the game reaches the place, the game has no rounds, or the place is not common knowledge.
    """
    table = game.histories
    if place.kind == MOVES:
        clock = counted_along(table.parent, (table.parent >= 0) & (table.player[table.parent] != CHANCE))
    else:
        clock = Depth(own=place.kind == GAME).clock(game)
    acting = (table.player != CHANCE) & (table.player != TERMINAL)
    there = acting & (clock == place.number)
    first = there & (counted_along(table.parent, there) == 1)
    if not first.any():
        raise InputError(f"no path of {game.name} reaches {place} and continues")
    state = history_states(game)
    if np.isin(state[acting & (clock < place.number)], state[first]).any():
        raise InputError(
            f"in {game.name} the players do not all know when {place} is over; name a place one move earlier or later"
        )
    names = state if not place.declared else np.append(declared_states(game), -1)[state]
    # Public states at which subgames begin: those with another one below, and those others.
    above = first_above(table.parent, first)
    later = np.flatnonzero((above >= 0) & ~first & np.isin(names, names[first]))
    later = later[names[above[later]] != names[later]]
    upper, lower = set(names[above[later]].tolist()), set(names[later].tolist())
    order = [name for name in dict.fromkeys(names[first].tolist()) if name not in lower]
    begins = {name: first & (names == name) for name in order}
    for name in upper & set(order):
        begins[name] = in_states(game, np.unique(state[begins[name]]).tolist())
    pieces = [cut_below(game, begins[name], resolver) for name in order]
    for number, name in enumerate(order):
        if not _is_sound(pieces[number]):
            whole_states = in_states(game, np.unique(state[begins[name]]).tolist())
            pieces[number] = cut_below(game, whole_states, resolver)
    tops = np.concatenate([piece.top.histories for piece in pieces])
    covered = counted_along(table.parent, np.isin(np.arange(len(table)), tops)) > 1
    return [piece for piece in pieces if not covered[piece.top.histories].any()]


def _is_sound(piece: Cut) -> bool:
    """Return whether every augmented infoset of the top recurs below only on paths through itself at the top."""
    inside = np.flatnonzero((piece.root >= 0) & (piece.game.histories.info[0] >= 0))
    for info, names in zip(piece.game.histories.info, piece.top.infosets, strict=True):
        again = inside[np.isin(info[inside], names)]
        if (info[again] != info[piece.root[again]]).any():
            return False
    return True
