"""The rules by which a responder chooses on a walk, by name: look-aheads of limited depth, and local best response; and
responses by a rule as strategies.

A continual depth-limited best response (Milec et al. 2025) is on every street the best response of a game that ends so many
streets later. Hands are then checked down, both players go on by a blueprint, or the player by the best of several
strategies.

Local best response (Lisý and Bowling 2017) values every action by what it earns if the opponent folds to it as they do, else
calls, without further bets. It is linear in their reach, so the walk has it exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, U32, AnyArray
from counterplay.errors import InputError
from counterplay.poker.betting.state import Kind, Move
from counterplay.poker.showdown.line_sweeps import add_shown_rows, line_room
from counterplay.poker.showdown.showdown import evaluate
from counterplay.poker.whole_game.boards.board import DEALT, Board, SeenBoards, even_out
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, SeatHalves, TablesOnDemand, entry_reach, reaches
from counterplay.poker.whole_game.values.board_walk import BoardWalk, ChoiceRule, add_rows
from counterplay.poker.whole_game.values.measure import (
    PreflopBackup,
    choose_best,
    choose_by_lane,
    preflop_values_against,
)
from counterplay.poker.whole_game.values.showdown_lines import LineStakes, paid_stakes, showdown_lines
from counterplay.treeplex.sweeps import zeros_of

_ROWS = 64
"""Rows that are swept together, or a multiple."""


class Stake(NamedTuple):
    """theirs, ours: rows of the opponent's reach and of the player's values. half: chips won or lost, half of the
    pot."""

    theirs: int
    ours: int
    half: float


class CheckDown:
    """Showdowns of one player without further bets, over all boards that are seen. Wins less losses are summed for
    every row of the opponent's reach; pots are multiplied at the end. rows: how many there are: the opponent's, and the
    player's."""

    def __init__(
        self, game: HoldemGame, stakes: Iterable[Stake], rows: tuple[int, int], seen: SeenBoards | None = None
    ) -> None:
        from scipy.sparse import csr_array  # loads slowly, and every opponent's text loads this file

        self.game, self.rows = game, rows
        self.seen = seen or SeenBoards(game.boards)
        theirs, ours, half = np.array(list(stakes), float).reshape(-1, 3).T
        self._pots = csr_array((half, (ours.astype(int), theirs.astype(int))), shape=rows[::-1])
        self._size = -(-rows[0] // _ROWS) * _ROWS
        self._room = line_room(game.places(game.last), len(game.deck.cards) - DEALT[game.last], 1, game.dtype)

    def values(self, board: Board, reach: AnyArray) -> F64:
        """(player's rows, n) on a board of any street; reach: (opponent's rows, n or more) on it, in the game's
        dtype."""
        if board.street < self.game.last:
            return self.below(board, reach)
        rows = self._by_hand(reach[:, : len(board.hand)])
        out = zeros_of(rows.shape, self.game.dtype)
        add_shown_rows(board.layout, np.arange(len(rows), dtype=np.uint32), rows, 0, 1.0, self._room, out)
        return self._paid(out)

    def below(self, board: Board, reach: AnyArray, children: Iterable[tuple[Board, float]] | None = None) -> F64:
        """(player's rows, n) over the boards after one, or over weighted `children`; reach as in `values`."""
        boards = self.seen.after(board) if children is None else children
        return even_out(board, self._paid(self._won(boards, self._by_hand(reach[:, : len(board.hand)]))))

    def _won(self, boards: Iterable[tuple[Board, float]], rows: AnyArray) -> AnyArray:
        out = zeros_of(rows.shape, self.game.dtype)
        for board, weight in boards:
            if board.street == self.game.last:
                add_shown_rows(board.layout, board.up, rows, 0, weight, self._room, out)
                continue
            below = zeros_of((len(board.hand), rows.shape[1]), self.game.dtype)
            below[:] = rows[board.up]
            np.add.at(out, board.up, weight * even_out(board, self._won(self.seen.after(board), below).T).T)
        return out

    def _by_hand(self, reach: AnyArray) -> AnyArray:
        out = zeros_of((reach.shape[1], self._size), self.game.dtype)
        out[:, : len(reach)] = reach.T
        return out

    def _paid(self, won: AnyArray) -> F64:
        return np.asarray(self._pots @ np.ascontiguousarray(won[:, : self.rows[0]].T), np.float64)


class LocalBestResponseRule(ChoiceRule):
    """The rule by which it chooses. early: boards after each flop that decisions before the flop see; all unless
    given."""

    backed = False

    def __init__(
        self, game: HoldemGame, player: int, theirs: BlueprintStrategy, early: SeenBoards | None = None
    ) -> None:
        self.game, self.player, self.theirs = game, player, theirs
        mine, other = game.sides[player], game.sides[1 - player]
        self._calls = [
            CheckDown(game, _calls(game, player, street), (theirs_rows, own_rows), None if street else early)
            for street, (theirs_rows, own_rows) in enumerate(zip(other.sizes, mine.sizes, strict=True))
        ]
        self._folds = [None, *(game.terminals(street, player, shown=False) for street in range(1, game.last + 1))]
        self._rooms = [None, *(game.room(street) for street in range(1, game.last + 1))]

    def estimates(self, board: Board, plan: AnyArray, values: AnyArray) -> AnyArray | None:
        room: Any = self._rooms[board.street]
        room[1][:] = 0
        evaluate(board.layout, self._folds[board.street], plan.reshape(-1), room[1], room[2])
        earned: AnyArray = room[1].reshape(-1, self.game.run_on(board.street))[: len(values)]
        rows = self.game.sides[1 - self.player].sizes[board.street]
        earned[:, : len(board.hand)] += self._calls[board.street].values(board, plan[:rows]).astype(earned.dtype)
        return earned

    def early_estimates(self, flop: Board) -> AnyArray:
        side = self.game.sides[1 - self.player]
        reach = reaches(side, self.theirs.preflop[1 - self.player]).astype(self.game.dtype)
        return self._calls[0].below(self.game.boards.root, reach, [(flop, 1.0)])

    @cached_property
    def line_guess(self) -> LineStakes:
        calls = np.array(_calls(self.game, self.player, self.game.last), float)
        return LineStakes(calls, paid_stakes(self.game, self.player).folded)


def early_choices(game: HoldemGame, player: int, theirs: BlueprintStrategy, seen: SeenBoards | None = None) -> F64:
    """(sequences, classes) 1 for the action of every decision of a player before the flop, by all flops and the boards
    seen after each."""
    rule, root = LocalBestResponseRule(game, player, theirs, seen), game.boards.root
    total = np.zeros((game.sides[player].sizes[0], game.boards.classes))
    for number, count in enumerate(game.boards.choices(root)[1].tolist()):
        total += count * rule.early_estimates(game.boards.child(root, number))
    backup = PreflopBackup(game, player, preflop_values_against(game, player, theirs), rule.backed)
    return backup.choices(np.zeros((len(game.entries), game.boards.classes)), total)


def _calls(game: HoldemGame, player: int, street: int) -> list[Stake]:
    """Of every own action but a fold: the opponent's rows that do not fold to it, and half of the called pot."""
    betting, stakes = game.betting, []
    at = _sequences(game, 1 - player, street)
    for node, _, first, _ in game.sides[player].decisions[street].tolist():
        for k, child in enumerate(betting.children(node)):
            if betting.move[child] == Move.FOLD:
                continue
            put = betting.committed[child]
            half = float(betting.pot[child] - put.sum()) / 2 + float(put.max())
            rows = [at[child]]  # no answer follows, or a check is answered, which has no price
            if betting.kind[child] == 1 - player and put[player] > put[1 - player]:
                rows = [at[answer] for answer in betting.children(child) if betting.move[answer] != Move.FOLD]
            stakes += [Stake(row, first + k, half) for row in rows]
    return stakes


def _sequences(game: HoldemGame, player: int, street: int) -> dict[int, int]:
    """By betting node of a street, and after it, the player's sequence there."""
    betting, at = game.betting, {0: 0}
    if street:
        children = [betting.children(int(root)) for root in game.roots[street]]
        at = {nodes[0]: e for e, nodes in enumerate(children) if nodes}
    own = {int(node): int(first) for node, _, first, _ in game.sides[player].decisions[street]}
    todo = list(at)
    while todo:
        node = todo.pop()
        if betting.kind[node] > Kind.PLAYER1:
            continue
        for k, child in enumerate(betting.children(node)):
            at[child] = own[node] + k if node in own else at[node]
            todo.append(child)
    return at


BEST, LOOK_AHEAD, LOCAL, ADAPTING = "br", "cdbr", "lbr", "abd"
StreetValues = Callable[[Board, AnyArray, Iterable[tuple[Board, float]] | None], F64]
"""(entries, places) values to a player of the streets beyond a look-ahead; arguments as of `BoardWalk.below`."""


@dataclass(frozen=True)
class RuleSettings:
    """Settings of a responder's rule of choice.

    Attributes:
        name: br, cdbr, lbr or abd.
        depth: streets that cdbr and abd see, their own counted.
        blueprint: of cdbr, by which both go on behind the limit; hands are checked down if it is None.
        continuations: of abd, the strategies by the best of which the player goes on behind the limit.
    """

    name: str = BEST
    depth: int = 1
    blueprint: BlueprintStrategy | None = None
    continuations: tuple[BlueprintStrategy, ...] = ()

    def __post_init__(self) -> None:
        if self.name not in RULES:
            raise InputError(f"over drawn flops there are {', '.join(RULES)}, and not {self.name}")
        if self.depth < 1:
            raise InputError(f"a look-ahead sees at least 1 street, not {self.depth}")
        if (self.name == ADAPTING) != bool(self.continuations):
            raise InputError(f"{ADAPTING} has strategies by which the player goes on, and no other method has")


class LimitedLookAhead(ChoiceRule):
    """The rule of a look-ahead of so many streets, its own counted, with values of the streets after them."""

    def __init__(
        self, game: HoldemGame, player: int, theirs: BlueprintStrategy, depth: int, leaf: StreetValues
    ) -> None:
        self.game, self.player, self.theirs, self.depth = game, player, theirs, depth
        self._walks = [_StoppedWalk(game, player, theirs, leaf, street + depth - 1) for street in range(game.last + 1)]

    def estimates(self, board: Board, plan: AnyArray, values: AnyArray) -> AnyArray | None:
        street = board.street
        if street + self.depth > self.game.last:
            return None
        estimates = values.copy()
        entry = plan[self.game.sides[1 - self.player].entries[street + 1]]
        add_rows(estimates, self.game.sides[self.player].entries[street + 1], self._walks[street].below(board, entry))
        return estimates

    def early_estimates(self, flop: Board) -> AnyArray | None:
        game, side = self.game, self.game.sides[self.player]
        if self.depth > game.last:
            return None
        entry = entry_reach(game, 1 - self.player, self.theirs)
        out = np.zeros((side.sizes[0], game.boards.classes))
        out[side.entry] = self._walks[0].below(game.boards.root, entry, [(flop, 1.0)])
        return out


class _StoppedWalk(BoardWalk):
    """Best play up to the street `limit`, and a leaf behind it."""

    def __init__(
        self, game: HoldemGame, player: int, theirs: BlueprintStrategy, leaf: StreetValues, limit: int
    ) -> None:
        super().__init__(game, player, theirs)
        self._leaf, self._limit = leaf, limit

    def below(self, board: Board, entry: AnyArray, children: Iterable[tuple[Board, float]] | None = None) -> F64:
        return (self._leaf if board.street == self._limit else super().below)(board, entry, children)


def _checked_down(game: HoldemGame) -> StreetValues:
    """Values without further bets: at the entries of a street both players have put in equally much."""
    by_street = [game.roots[street].tolist() for street in range(1, game.last + 1)]
    known = [
        CheckDown(
            game, [Stake(k, k, float(game.betting.pot[node]) / 2) for k, node in enumerate(nodes)], (len(nodes),) * 2
        )
        for nodes in by_street
    ]
    return lambda board, entry, children: known[board.street].below(board, entry, children)


def _best_continuation(
    game: HoldemGame, player: int, theirs: BlueprintStrategy, plays: Sequence[BlueprintStrategy]
) -> StreetValues:
    """Values if the opponent goes on as they do, and each hand of the player, on each board, by the best of several
    strategies: matrix-valued states against a known opponent (Milec et al. 2025, section 2.3)."""
    walks, seen = [BoardWalk(game, player, theirs, play) for play in plays], SeenBoards(game.boards)

    def below(board: Board, entry: AnyArray, children: Iterable[tuple[Board, float]] | None) -> F64:
        boards = seen.after(board) if children is None else children
        if 0 < board.street == game.last - 1:
            lines, reach = showdown_lines(game, player), entry[:, : len(board.hand)]
            total = np.zeros_like(lines.sums(reach).out)
            for child, weight in boards:
                total[child.up] += weight * lines.best_of(child, theirs, plays, reach)
            return even_out(board, lines.entries(total))
        out = np.zeros((len(entry), len(board.hand)))
        for child, weight in boards:
            best = np.max([walk.values_at(child, entry) for walk in walks], axis=0)
            np.add.at(out.T, child.up, weight * best.T)
        return even_out(board, out)

    return below


def _look_ahead(game: HoldemGame, player: int, theirs: BlueprintStrategy, settings: RuleSettings) -> ChoiceRule:
    if settings.continuations:
        leaf = _best_continuation(game, player, theirs, settings.continuations)
    elif settings.blueprint is not None:
        leaf = BoardWalk(game, player, settings.blueprint, settings.blueprint).below
    else:
        leaf = _checked_down(game)
    return LimitedLookAhead(game, player, theirs, settings.depth, leaf)


RULES: dict[str, Callable[[HoldemGame, int, BlueprintStrategy, RuleSettings], ChoiceRule]] = {
    BEST: lambda *_: ChoiceRule(),
    LOOK_AHEAD: _look_ahead,
    ADAPTING: _look_ahead,
    LOCAL: lambda game, player, theirs, _: LocalBestResponseRule(game, player, theirs),
}
"""What makes each rule of a player against a strategy of the other."""


def make_rule(game: HoldemGame, player: int, theirs: BlueprintStrategy, settings: RuleSettings) -> ChoiceRule:
    """The rule of a player against a strategy of the other."""
    return RULES[settings.name](game, player, theirs, settings)


@dataclass(frozen=True, eq=False)
class RuleResponse(TablesOnDemand):
    """A player who responds to a strategy by a rule; the other plays the strategy. early: (sequences, classes) the
    responder's probabilities before the flop."""

    game: HoldemGame
    player: int
    theirs: BlueprintStrategy
    asked: RuleSettings
    early: F64

    @property
    def preflop(self) -> tuple[F64, F64]:
        one, two = self.theirs.preflop
        return (self.early, two) if self.player == 0 else (one, self.early)

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        return super().on(player, board) if player == self.player else self.theirs.on(player, board)

    def table_on(self, player: int, board: Board) -> AnyArray:
        values = self._walk.values_on(board)
        return choose_by_lane(self.game, player, board, values, backed=self._walk.rule.backed)

    @cached_property
    def _walk(self) -> BoardWalk:
        rule = make_rule(self.game, self.player, self.theirs, self.asked)
        return BoardWalk(self.game, self.player, self.theirs, rule=rule)


def best_response(game: HoldemGame, to: BlueprintStrategy) -> SeatHalves:
    """The best responses to both halves of a strategy, in the game without buckets."""
    halves = []
    for player, side in enumerate(game.sides):
        worth = preflop_values_against(game, player, to, BoardWalk(game, player, to).entry_values())
        halves.append(RuleResponse(game, player, to, RuleSettings(), choose_best(side.preflop, worth)))
    return SeatHalves((halves[0], halves[1]))
