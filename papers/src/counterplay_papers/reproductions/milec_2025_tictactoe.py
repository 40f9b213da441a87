"""Milec et al. 2025, example 3 and figure 4: adapting in tic-tac-toe is free, or costs what it may lose, never in between.

The figure shows three lines of play, and the paper names no opponents; here are three with whom they exist:

- We open. OPT: in the middle, which this opponent answers as it should. ADPT: in a corner; it answers in the opposite
  corner, which loses by force.
- The opponent opens, in the middle. OPT: a corner, and it goes on as it should. RISK: an edge, which loses to anybody who
  plays well; this opponent makes the worst move from then on, and loses.
- Both in one decision: the same, but it makes the worst moves after a corner as well (ADPT).

ABD looks 2 levels ahead: an own move and the answer. Its portfolio: perfect play and the best response for us, perfect play
for the opponent, all exact. The whole strategy is measured, every decision having been searched with the full gadget.

One number differs: with both in one decision and p = 0.95 ABD begins with ADPT as it should, and later on risks a loss where
RNR risks nothing. Its portfolio knows of one way only in which the opponent who is not the model could go on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, partial

import numpy as np

from counterplay import ABD, RNR, TERMINAL, GameTree, LookAhead, Portfolio, Strategy
from counterplay.arrays import F64, I8
from counterplay.gametree.compile.levels import history_levels
from counterplay.responses.matchup import Matchup
from counterplay.responses.respond import respond_in
from counterplay.solvers.best_response import best_response
from counterplay.value_functions.portfolio import expected_value
from counterplay_papers.experiment import MILEC_2025, Cell, Experiment, Reference, follows, grid, printed
from counterplay_papers.panels import DialPanel
from counterplay_papers.responses import game

MIDDLE = 4
CORNERS, EDGES = (0, 2, 6, 8), (1, 3, 5, 7)
_CELLS = 9


@dataclass(frozen=True, eq=False)
class TicTacToeBoard:
    """Every history of tic-tac-toe, H in all, with the moves that led to it; cells are numbered row by row from 0.

    The arrays are made from the compiled game at once: replaying 549,946 histories for texts of infosets takes far longer.
    """

    game: GameTree

    @cached_property
    def moves(self) -> I8:
        """(9, H) the cells taken by the first to the ninth move; -1 where it is not made yet."""
        table, levels = self.game.histories, history_levels(self.game)
        found = np.full((_CELLS, len(table)), -1, np.int8)
        for number in range(_CELLS):
            here = np.flatnonzero(levels == number + 1)
            found[:number, here] = found[:number, table.parent[here]]
            taken = (found[:number, here, None] == np.arange(_CELLS)).any(axis=0)
            rank = np.cumsum(~taken, axis=1) - 1  # among the free cells, which an action counts
            found[number, here] = ((rank == table.action[here, None]) & ~taken).argmax(axis=1)
        return found

    @cached_property
    def worth(self) -> F64:
        """(H,) chips of player 0 if both go on perfectly."""
        table, levels = self.game.histories, history_levels(self.game)
        found = np.where(table.player == TERMINAL, table.utility, 0.0)
        for number in range(_CELLS, 0, -1):
            here = np.flatnonzero(levels == number)
            mover = number - 1 & 1
            best = np.full(len(table), -np.inf)
            np.maximum.at(best, table.parent[here], (1 - 2 * mover) * found[here])
            inner = np.isfinite(best)
            found[inner] = (1 - 2 * mover) * best[inner]
        return found

    def player(self, player: int, score: F64) -> Strategy:
        """The player who always moves to a history of the highest score, to all of them alike if there are several.

        Args:
            player: 0 or 1.
            score: (H,) of the histories after its moves.
        """
        table, tree = self.game.histories, self.game.trees[player]
        after = np.flatnonzero(
            (table.parent >= 0) & (table.player[table.parent] == player) & (history_levels(self.game) < _CELLS)
        )
        before = table.parent[after]  # of the last cell there is no choice
        best = np.full(len(table), -np.inf)
        np.maximum.at(best, before, score[after])
        chosen = score[after] == best[before]
        behaviour = np.zeros(tree.size)
        behaviour[self.game.sequences[player][after]] = (
            chosen / np.bincount(before[chosen], minlength=len(table))[before]
        )
        behaviour[0] = 1.0
        return Strategy(tree, behaviour)

    def perfect(self, player: int) -> Strategy:
        """Every move that keeps what the position is worth, alike."""
        return self.player(player, self.worth if player == 0 else -self.worth)


_LEVELS = 2
_METHODS = ("RNR", "ABD")
_TRUST = (0.0, 0.05, 0.45, 0.55, 0.95, 1.0)
_WON, _RISKED = "won", "risked"
_SEAT_0, _SEAT_1, _EITHER = "we open", "they open", "they open, both"
_RISKS = "its portfolio has one way only in which the opponent goes on; later it risks what RNR does not"
_OPT, _ADPT, _RISK = "OPT", "ADPT", "RISK"


@dataclass(frozen=True)
class TicTacToeState:
    """seat: ours. lines: the cells with which each line of play begins, after the opponent's opening if it opens.
    threshold: the p from which the second line is worth more than the first. quick: those p that `--quick` computes."""

    seat: int
    lines: dict[str, tuple[int, ...]]
    threshold: float
    quick: dict[str, tuple[float, ...]]


_SITUATIONS = {
    _SEAT_0: TicTacToeState(0, {_OPT: (MIDDLE,), _ADPT: CORNERS}, 0.0, {"RNR": (0.05, 1.0), "ABD": (1.0,)}),
    _SEAT_1: TicTacToeState(1, {_OPT: CORNERS, _RISK: EDGES}, 0.5, {"RNR": (0.45, 0.55, 1.0), "ABD": ()}),
    _EITHER: TicTacToeState(1, {_ADPT: CORNERS, _RISK: EDGES}, 1.0, {"RNR": (1.0,), "ABD": ()}),
}


def abd_tictactoe() -> Experiment:
    """A row for each situation and p; then the p from which the second line is worth more than the first."""
    cells, panels = [], []
    for name, situation in _SITUATIONS.items():
        rows = {f"{name}, p={p:g}": p for p in _TRUST}
        columns = {f"{m} {what}": (m, what) for m in _METHODS for what in (*situation.lines, _WON, _RISKED)}
        cells += grid(
            rows, columns, partial(_number, name), partial(_is_slow, situation), partial(_claimed, situation),
            partial(_reason, name),
        )  # fmt: skip
        shares = {f"{m} {x}": f"{m} {x}" for m in _METHODS for x in situation.lines}
        panels.append(DialPanel(name, rows, shares, across="p", measure="share of the line"))
        first, second = situation.lines
        threshold = printed(situation.threshold)
        cells.append(Cell(f"{name}: {second} over {first}", "from p", threshold, False, partial(_threshold, name)))
    title = (
        "tic-tac-toe, utilities -1, 0, 1: which line is played, and from which p one line is worth more than another"
    )
    return Experiment("abd-tictactoe", title, f"{MILEC_2025}, figure 4 and example 3", 2, cells, [panels])


def _is_slow(situation: TicTacToeState, p: float, column: tuple[str, str]) -> bool:
    return p not in situation.quick[column[0]]


def _reason(name: str, p: float, column: tuple[str, str]) -> str:
    return _RISKS if (name, p, column) == (_EITHER, 0.95, ("ABD", _RISKED)) else ""


def _claimed(situation: TicTacToeState, p: float, column: tuple[str, str]) -> Reference | None:
    """By the text the first line is played below the threshold, the second above it, and only RISK risks anything.

    Of the ends it says less: at p = 0 any optimum is as good, and at p = 1 it does not matter what the model never does.
    """
    what = column[1]
    if what == _RISKED:
        return follows(0.0) if p < (situation.threshold or 1.0) else None
    if what == _WON or p in (0.0, situation.threshold):
        return None
    return follows(float((p > situation.threshold) == (what == list(situation.lines)[1])))


@cache
def _board() -> TicTacToeBoard:
    return TicTacToeBoard(game("tictactoe"))


def _model(name: str) -> Strategy:
    """The opponent of a situation."""
    board = _board()
    first, second, third = board.moves[:3]
    if name == _SEAT_0:
        wrong = (second == 8 - first) & (third < 0) & np.isin(first, CORNERS)
        return board.player(1, np.where(wrong, 2.0, -board.worth))
    spoilt = EDGES if name == _SEAT_1 else (*EDGES, *CORNERS)
    worst = (first == MIDDLE) & np.isin(second, spoilt)
    opening = (first == MIDDLE) & (second < 0)
    return board.player(0, np.where(opening, 2.0, np.where(worst, -board.worth, board.worth)))


@cache
def _match(name: str) -> tuple[Matchup, Portfolio, Strategy]:
    """The match-up of a situation, ABD's portfolio, and our best response wherever the model comes."""
    board, seat = _board(), _SITUATIONS[name].seat
    match = Matchup(board.game, _model(name))
    tree = board.game.trees[seat]
    best = Strategy(tree, best_response(board.game.subgame, seat, match.model.plan).behaviour)
    mine, theirs = (board.perfect(seat), best), (board.perfect(1 - seat),)
    return match, Portfolio((mine, theirs) if seat == 0 else (theirs, mine)), best


@cache
def _response(name: str, method: str, p: float) -> dict[str, float]:
    """Value against the model, exploitability, and the share of each line at the first decision to which the model leads."""
    match, portfolio, _ = _match(name)
    request = RNR(p) if method == "RNR" else ABD(p, LookAhead(_LEVELS, leaf=portfolio))
    answer = respond_in(match, request)
    if answer.interrupted:
        raise KeyboardInterrupt
    behaviour, places = answer.strategy.behaviour, match.game.sequences[match.seat]
    shares = {line: sum(float(behaviour[places[h]]) for h in _starts(name, line)) for line in _SITUATIONS[name].lines}
    return {**shares, _WON: answer.value_against_model, _RISKED: answer.exploitability}


def _number(name: str, p: float, column: tuple[str, str]) -> float:
    method, what = column
    return _response(name, method, p)[what]


def _starts(name: str, line: str) -> list[int]:
    """The histories with which a line begins."""
    situation, moves = _SITUATIONS[name], _board().moves
    before = moves[0] == MIDDLE if situation.seat else np.True_
    after = moves[situation.seat + 1] < 0
    return np.flatnonzero(before & after & np.isin(moves[situation.seat], situation.lines[line])).tolist()


def _threshold(name: str) -> float:
    """The p from which the second line is worth more: what it costs against perfect play, over that and what it brings
    against the model together."""
    board, (match, _, best) = _board(), _match(name)
    pair = (best, match.model) if match.seat == 0 else (match.model, best)
    sign = 1.0 - 2.0 * match.seat
    worth = [
        [max(sign * float(chips[h]) for h in _starts(name, line)) for line in _SITUATIONS[name].lines]
        for chips in (expected_value(board.game, *pair), board.worth)
    ]
    (modelled, brings), (sure, perfect) = worth
    return (sure - perfect) / (sure - perfect + brings - modelled)
