"""The seam for strategies of others: what is asked about one line of betting, one board and some hands.

A line is the betting of a hand so far in the form of the Annual Computer Poker Competition: `f` folds, `c` checks or calls,
`r300` bets or raises to 300 chips of the hand (antes and blinds and earlier streets included), and `/` stands between
streets, as in `r300c/cr900`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.errors import InputError, quoted, reason
from counterplay.poker.betting.state import Move
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.whole_game.boards import Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, TablesOnDemand, probabilities

_STEP = re.compile(r"[fc/]|r\d+(?:\.\d+)?")
_ROUNDING = 1e-3


class LineStrategy(Protocol):
    """A strategy of both players by lines of betting: a table, a learned model, another program's bot.

    One that has `street_probabilities(player, street, board, hands)` too is asked that instead: (actions, len(hands)),
    the probabilities at all decisions of the player on a street, in the order of the betting tree. One that has
    `visited(line, board, hands)` tells how well it knows the hands there, (len(hands),) from 0 to 1.

    Answers must not depend on the names of the suits: of isomorphic boards and hands one is asked.
    """

    def probabilities(self, line: str, board: tuple[int, ...], hands: I64) -> AnyArray:
        """(len(hands), actions) how likely each action is: fold, check or call, raises ascending, as the tree has them.

        Args:
            line: of the betting so far; the player to act follows from it.
            board: cards, 4 · rank + suit, in the order of the deal.
            hands: (n, 2) cards of each hand.
        """


def line_at(betting: BettingTree, node: int) -> str:
    """The line that leads to a betting node."""
    steps = []
    while node > 0:
        move, above = Move(betting.move[node]), int(betting.parent[node])
        if move >= Move.BET and move is not Move.DEAL:
            steps.append(f"r{float(betting.committed[node, int(betting.kind[above])]):.12g}")
        else:
            steps.append({Move.FOLD: "f", Move.DEAL: "/"}.get(move, "c"))
        node = above
    return "".join(reversed(steps))


def node_of_line(betting: BettingTree, line: str) -> int:
    """The betting node of a line."""
    node, at = 0, 0
    for match in _STEP.finditer(line):
        if match.start() != at:
            break
        at = match.end()
        known = {
            line_at(betting, child).removeprefix(line_at(betting, node)): child for child in betting.children(node)
        }
        if match[0] not in known:
            raise InputError(f"betting line {quoted(line)}: {quoted(match[0])} is not a legal action there; legal are "
                             f"{', '.join(known) or 'nothing more to do'}")  # fmt: skip
        node = known[match[0]]
    if at < len(line):
        raise InputError(f"betting line {quoted(line)}: cannot read {quoted(line[at:])}")
    return node


@dataclass(frozen=True, eq=False)
class StrategyLines:
    """A strategy of this library, asked by lines."""

    game: HoldemGame
    play: BlueprintStrategy
    _nodes: dict[str, int] = field(default_factory=dict, repr=False)

    def probabilities(self, line: str, board: tuple[int, ...], hands: I64) -> AnyArray:
        node = self._nodes.get(line)
        if node is None:
            node = self._nodes[line] = node_of_line(self.game.betting, line)
        rows = probabilities(self.game, self.play, node, board)
        low, high = np.asarray(hands).T
        return np.asarray(rows[:, self.game.deck.numbers[low, high]].T)


@dataclass(frozen=True, eq=False)
class LineBlueprint(TablesOnDemand):
    """A strategy asked by lines, as the solvers take it: once for a board, with one hand of each lane. An answer must
    have the right shape, and its rows must be probabilities."""

    game: HoldemGame
    lines: LineStrategy

    @cached_property
    def preflop(self) -> tuple[F64, F64]:
        return self._answers(0, self.game.boards.root), self._answers(1, self.game.boards.root)

    def table_on(self, player: int, board: Board) -> AnyArray:
        return self._answers(player, board).astype(self.game.dtype)

    @property
    def tells_visits(self) -> bool:
        return hasattr(self.lines, "visited")

    def known_on(self, player: int, board: Board) -> F64:
        """(sequences, lanes) how well the rows of a board are known, from 0 to 1; before the flop (sequences,
        classes)."""
        hands = self.game.boards.distinct_hands(board)
        tell = getattr(self.lines, "visited")  # noqa: B009
        out = np.ones((self.game.sides[player].sizes[board.street], len(hands)))
        for line, first_row, count in self._decisions[player][board.street]:
            answer = _fits(_answer(tell, line, board.cards, hands), (len(hands),), line)
            out[first_row : first_row + count] = np.clip(answer, 0.0, 1.0)
        return out

    @cached_property
    def _decisions(self) -> list[list[list[tuple[str, int, int]]]]:
        """By player and street, of each decision its line, first row and number of actions."""
        betting = self.game.betting
        return [
            [
                [(line_at(betting, node), first, count) for node, _, first, count in part.tolist()]
                for part in side.decisions
            ]
            for side in self.game.sides
        ]

    def _answers(self, player: int, board: Board) -> F64:
        street, hands = board.street, self.game.boards.distinct_hands(board)
        out = np.zeros((self.game.sides[player].sizes[street], len(hands)))
        actions, fast = out[len(self.game.roots[street]) :], getattr(self.lines, "street_probabilities", None)
        if fast is not None:
            actions[:] = _fits(_answer(fast, player, street, board.cards, hands), actions.shape)
        for line, first, count in self._decisions[player][street]:
            rows = out[first : first + count]
            if fast is None:
                answer = _answer(self.lines.probabilities, line, board.cards, hands)
                rows[:] = _fits(answer, (len(hands), count), line).T
            if not (rows >= 0.0).all() or not (np.abs(rows.sum(axis=0) - 1.0) < _ROUNDING).all():
                raise InputError(f"the probabilities at '{line}' do not sum to 1")
        return out


def _answer(ask: Callable[..., Any], *question: Any) -> F64:
    """The answer of a user's strategy as numbers; any fault of it is named in one sentence."""
    try:
        return np.asarray(ask(*question), np.float64)
    except (InputError, MemoryError):
        raise
    except Exception as error:
        raise InputError(
            f"the bot {type(getattr(ask, '__self__', ask)).__name__} failed with {reason(error)}"
        ) from error


def _fits(answer: Any, shape: tuple[int, ...], line: str = "") -> F64:
    numbers = np.asarray(answer, np.float64)
    if numbers.shape != shape:
        raise InputError(f"the probabilities at '{line}' have the shape {numbers.shape} and not {shape}")
    return numbers
