"""Local best response (Lisý and Bowling 2017) as a rule of the walk: every action is worth what it earns if the opponent
folds to it as they do, else calls, without further bets. It is linear in their reach, so the walk has it exactly."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.poker.betting.state import Kind, Move
from counterplay.poker.showdown.showdown import evaluate
from counterplay.poker.showdown.terminals import Fold, terminals_of
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.boards.seen_boards import SeenBoards
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, reaches
from counterplay.poker.whole_game.values.showdown_lines import LineStakes, paid_stakes
from counterplay.poker.whole_game.walks.check_down import CheckDown, Stake
from counterplay.poker.whole_game.walks.choice_kernels import raise_chosen
from counterplay.poker.whole_game.walks.preflop_backup import PreflopBackup, folded_values


class LocalBestResponseRule:
    """The rule by which it chooses. early: boards after each flop that the decisions before the flop see; all unless
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
        self._folds = [None, *(self._folds_on(street) for street in range(1, game.last + 1))]
        self._rooms = [None, *(game.room(street) for street in range(1, game.last + 1))]

    def estimates(self, board: Board, plan: AnyArray, values: AnyArray) -> AnyArray | None:
        room: Any = self._rooms[board.street]
        room[1][:] = 0
        evaluate(board.layout, self._folds[board.street], plan.reshape(-1), room[1], room[2])
        found: AnyArray = room[1].reshape(-1, self.game.run_on(board.street))[: len(values)]
        rows = self.game.sides[1 - self.player].sizes[board.street]
        found[:, : len(board.hand)] += self._calls[board.street].values(board, plan[:rows]).astype(found.dtype)
        return found

    def early_estimates(self, flop: Board) -> AnyArray:
        side = self.game.sides[1 - self.player]
        reach = reaches(side, self.theirs.preflop[1 - self.player]).astype(self.game.dtype)
        return self._calls[0].below(self.game.boards.root, reach, [(flop, 1.0)])

    def raise_values(self, decisions: AnyArray, found: AnyArray, values: AnyArray, n: int, run: int) -> None:
        raise_chosen(decisions, found.reshape(-1), values, n, run, self.backed)

    @cached_property
    def line_guess(self) -> LineStakes:
        """What actions on the last street seem to earn."""
        calls = np.array(_calls(self.game, self.player, self.game.last), float)
        return LineStakes(calls, paid_stakes(self.game, self.player).folded)

    def _folds_on(self, street: int) -> Any:
        """Folds right after the player's actions on a street, paid for every deal to come."""
        game, run = self.game, self.game.run_on(street)
        listed = [
            Fold(int(theirs) * run, int(ours) * run, win * game.deals_after(street))
            for theirs, ours, win, lose, _ in game.payoffs[street - 1][self.player]
            if win == lose
        ]
        sizes = (game.sides[1 - self.player].sizes[street] * run, game.sides[self.player].sizes[street] * run)
        return terminals_of(game.some_board(street), listed, sizes, game.dtype)


def early_choices(game: HoldemGame, player: int, theirs: BlueprintStrategy, seen: SeenBoards | None = None) -> F64:
    """(sequences, classes) 1 for the action of every decision of a player before the flop, by all flops and the boards
    seen after each. A few drawn ones tell more than all boards of fewer flops."""
    rule, root = LocalBestResponseRule(game, player, theirs, seen), game.boards.root
    total = np.zeros((game.sides[player].sizes[0], game.boards.classes))
    for number, count in enumerate(game.boards.choices(root)[1].tolist()):
        total += count * rule.early_estimates(game.boards.child(root, number))
    backup = PreflopBackup(game, player, folded_values(game, player, theirs), rule.backed)
    return backup.choices(np.zeros((len(game.entries), game.boards.classes)), total)


def _calls(game: HoldemGame, player: int, street: int) -> list[Stake]:
    """Of every action of a player on a street but a fold: the opponent's rows that do not fold to it, and half of the pot
    once what was bet is called."""
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
    """By betting node of a street, the player's sequence there; of a node after the street, that with which it ended."""
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
