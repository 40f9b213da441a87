"""Rhode Island hold'em (Shi and Littman 2001) as a public tree: one card each, a flop and a turn of one card, limit betting.

    rhode_island              52 cards, ante 5, bets of 10 and then 20, three bets and raises a round
    rhode_island:deck=20      Royal Rhode Island hold'em: ten to ace
    rhode_island:boards=all   every board, to play hands of it

Suits are interchangeable, so that boards which a permutation of them maps to each other are dealt once, unless all are
asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated

import numpy as np

from counterplay.arrays import F64, I64, frozen
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.tree import BettingTree, build
from counterplay.poker.cards.deck import CARDS, RANKS, SUITS, Deck
from counterplay.poker.cards.hand_rank import three_card_ranks
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.compact_run import CompactRun, has_compact_form
from counterplay.poker.compact.compact_solve import solve_run
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.public_tree.boards import Cards
from counterplay.poker.public_tree.hand_treeplex import DEAL
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree
from counterplay.poker.public_tree.size_estimate import DOUBLE, SINGLE, size_of
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.whole_game.rules import CardCount
from counterplay.solvers.cfr import Progress, Solution, Stop
from counterplay.solvers.minimiser import Minimiser, Solver, minimiser
from counterplay.texts.readers import OneOf, Whole
from counterplay.texts.record import Record

RHODE_ISLAND, _ALIKE = "rhode_island", "alike"
_FIRST, _LAST, _MOST = 1, 3, 10**6
_FINE = 1e-3  # of the antes


@dataclass(frozen=True, kw_only=True)
class RhodeIsland(Record):
    """The record of a text such as `rhode_island:deck=20`.

    Attributes:
        deck: number of cards, the highest ranks of four suits.
        ante: of each player, in chips.
        small, big: every bet and raise of the first round, and of the other two.
        raises: most bets and raises a round.
        boards: "alike", isomorphic boards once, or "all".

    Raises:
        InputError: a number that does not fit.
    """

    HEAD = RHODE_ISLAND
    deck: Annotated[int, CardCount()] = CARDS
    ante: Annotated[int, Whole(least=1, most=_MOST)] = 5
    small: Annotated[int, Whole(least=1, most=_MOST)] = 10
    big: Annotated[int, Whole(least=1, most=_MOST)] = 20
    raises: Annotated[int, Whole(least=1, most=20)] = 3
    boards: Annotated[str, OneOf(words=(_ALIKE, "all"))] = _ALIKE

    @property
    def betting(self) -> BettingTree:
        """The betting of the three rounds, which stand for flop, turn and river; stacks are never reached."""
        bets = (0, self.small, self.big, self.big)
        stack = 1 + self.raises * sum(bets)
        raises = (None, *(self.raises,) * 3)
        return build(BettingRules((stack, stack), 2 * self.ante, first=_FIRST, last=_LAST, bets=bets, raises=raises))

    @property
    def cards(self) -> Cards:
        """The deck, and every card of it as a private hand, with a dummy of the same suit as second card."""
        own = np.array(Deck.from_rank(RANKS[-(self.deck // len(SUITS))]).cards)
        hands = np.stack([own, CARDS + own], axis=1)
        return Cards(tuple(own.tolist()), (), hands, np.ones((2, len(own))), _ranks, held=1)

    def game(self, memory: float | None = None) -> SpotGame:
        """The game for solvers and methods; an `InputError` if it does not fit into so many bytes."""
        betting, cards = self.betting, self.cards
        alike = self.boards == _ALIKE
        size_of(betting, cards, alike=alike).check(memory)
        tree = public_tree(betting, cards, alike=alike)
        return RhodeIslandGame(str(self), tree, 2.0 * self.ante, 2.0 * _FINE * self.ante)


class RhodeIslandGame(SpotGame):
    """The game, solved on the compact engine by methods that it has."""

    def solved_alone(self, solver: Solver, stop: Stop, progress: Progress | None) -> Solution | None:
        """A solution by a minimiser, of its own choice for `auto` unless the game is small; None by others: `solve` takes
        arrays then."""
        asked = self.solver if solver == "auto" else solver
        method = None if asked == "lp" else minimiser(asked)
        return None if method is None or not has_compact_form(method) else self.solved_by(method, stop, progress)

    def solved_by(self, method: Minimiser, stop: Stop, progress: Progress | None) -> Solution:
        """The game solved by a minimiser, on the compact engine if that has it."""
        if not has_compact_form(method):
            return super().solved_by(method, stop, progress)
        tree = self.tree
        run = CompactRun(CompactLayout(tree.betting, tree.tables), method, SINGLE if method.single else DOUBLE)
        solution = solve_run(run, stop, progress)
        averages = Averages.of_run(run)
        return replace(solution, plans=(frozen(plan_of(tree, averages, 0)), frozen(plan_of(tree, averages, 1))))


def _ranks(board: tuple[int, ...], hands: I64) -> I64:
    return three_card_ranks(np.column_stack([hands[:, 0], np.tile(board, (len(hands), 1))]))


def is_rhode_island(source: object) -> bool:
    """Return whether a text or a record names the game."""
    return isinstance(source, RhodeIsland) or (isinstance(source, str) and source.partition(":")[0] == RHODE_ISLAND)


@lru_cache(maxsize=2)
def read_rhode_island(source: str | RhodeIsland, memory: float | None = None) -> SpotGame:
    """The game of a text or record; errors as of `RhodeIsland.game`."""
    record = source if isinstance(source, RhodeIsland) else RhodeIsland.from_text(source)
    return record.game(memory)


def plan_of(tree: PublicTree, averages: Averages, player: int) -> F64:
    """(size,) the realization plan of a player's averages, who plays in one way, on the boards of their own layout."""
    boards, runs, (way,) = tree.boards, tree.runs[player], averages.sides[player]
    plan = np.zeros(runs.tree.size)
    hands = boards.layers[0].hand[boards.kept(0)]
    plan[0], plan[runs.start[DEAL] : runs.start[DEAL] + len(hands)] = 1.0, boards.cards.weights[player][hands]
    for node, decision in sorted(averages.layout.decisions.items()):  # parents first
        if decision.player == player:
            lanes = np.arange(boards.lanes(decision.layer))
            come = plan[tree.sequences_to(player, node)[boards.kept(decision.layer)]]
            for child, played in zip(
                tree.betting.children(node), averages.played(player, way, node, lanes), strict=True
            ):
                plan[runs.start[child] + lanes] = come * played
    return plan
