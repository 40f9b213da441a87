"""Positions in whole games of hold'em: of a known strategy, and of searches that solve boards when they are dealt.

Before that they keep to a blueprint, as Liu et al. 2022 do (appendix C), or to a look-ahead with portfolios. From some
street on a board is solved after the betting so far, to the end of the hand and without card abstraction, and each later
board again behind the same gadget. Solutions are kept to the end of the hand; with the full gadget all flops are solved
together, and the solution is kept for good.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from counterplay.agents.agent import Position, StrategyAgent
from counterplay.agents.agent_archive import HOLDEM, Saved
from counterplay.agents.player import cut_short, draws_state
from counterplay.agents.position.board_search_settings import SearchSettings, lines_by_size
from counterplay.agents.position.unfinished_solves import trim
from counterplay.arrays import F64
from counterplay.blueprints.whole_game.board_knowledge import known_at_board
from counterplay.blueprints.whole_game.board_subtree import BoardSubtree, board_subtree
from counterplay.blueprints.whole_game.full_gadget import JointSolve
from counterplay.blueprints.whole_game.gifts import gifts_before
from counterplay.blueprints.whole_game.solved_board import SolvedBoard
from counterplay.budget import limited_seconds, time_left
from counterplay.jit.clock import run_time
from counterplay.lookahead.resolver import Knowledge, ResolvedSubtree, pose_subtree
from counterplay.lookahead.solve import SINGLE, Posed
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.cards.deck import hand_text
from counterplay.poker.public_tree.branches import LARGE
from counterplay.poker.whole_game.boards.board import DEALT, Board
from counterplay.poker.whole_game.holdem import is_walked
from counterplay.poker.whole_game.lookup import probabilities
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.standing_decisions import StandingDecisions
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.solvers.cfr import Stop
from counterplay.treeplex.nearest_infosets import check_observation

_AROUND = 3.0
"""Overhead around a solve, in times of its preparation."""
_FEWEST = 8
"""Iterations before which an unfinished solution is worse than the blueprint, which is then played."""
Line = tuple[int, tuple[int, ...]]
"""A line of betting to a street, by its number among the street's roots, and the board."""


class Origin(NamedTuple):
    """The source of an agent: the text of its record, and the seed of its opponents and samples."""

    text: str
    seed: int


class HoldemPosition(Position):
    """Plays a strategy; what it plays is known with every hand that it may hold.

    Attributes:
        play: the strategy, or what is played before the first search.
        expected: how the other player is taken to play: by the model, or as the seat would itself.
        origin: from which `resume` makes the position again; None if it has no text.
        remarks: lines for the log of its agent.
    """

    remarks: tuple[str, ...] = ()

    def __init__(self, rules: Holdem, play: BlueprintStrategy, seat: int) -> None:
        self.rules, self.game, self.seat, self.play = rules, rules.game, seat, play
        self.origin: Origin | None = None

    @property
    def expected(self) -> BlueprintStrategy:
        return self.play

    def row(self, observation: str) -> dict[str, float]:
        check_observation(observation)
        seen = self.rules.read(observation, self.seat)
        row = self.rows(seen.node, seen.board)[:, self.game.deck.hand(*seen.hand)]
        return dict(zip(self.rules.betting.actions(seen.node), row.tolist(), strict=True))

    def rows(self, node: int, board: tuple[int, ...]) -> F64:
        """(actions, hands of the deck) its probabilities at one of its betting nodes, with every hand that it may hold.

        Args:
            node: of the betting tree, at which its seat acts.
            board: in the order of the deal.
        """
        return np.asarray(probabilities(self.game, self.play, node, board), np.float64)

    def saved(self, agent: StrategyAgent) -> Saved | None:
        """Boards are not in the file: they are solved again when they are dealt."""
        if self.origin is None:
            return None
        facts = {"kind": HOLDEM, "game": self.rules.name, "seat": self.seat, **self.origin._asdict()}
        return {**facts, "log": list(agent.log), "draws": draws_state(agent.draws)}, {}

    def first_board(self, street: int) -> Board:
        """The first board of a street, on which kernels are warmed up."""
        board = self.game.boards.root
        for _ in range(street):
            board = self.game.boards.child(board, 0)
        return board


class BoardSearch(HoldemPosition):
    """Plays a strategy before some street, and solves the board when that street is dealt, once in a hand: continual
    re-solving, SES, CDBR or CDRNR.

    Attributes:
        settings: search, blueprint and model.
        street: from which boards are solved: 1 for the flop, 2 for the turn, 3 for the river.
        kept: unfinished solves of boards.
    """

    is_fixed = False

    def __init__(self, rules: Holdem, settings: SearchSettings, seat: int) -> None:
        super().__init__(rules, settings.blueprint, seat)
        self.settings, self.street = settings, settings.street
        self.entry = {rules.betting.children(int(node))[0]: e for e, node in enumerate(self.game.roots[self.street])
                      if rules.betting.children(int(node))}  # fmt: skip
        self._now: tuple[Line, SolvedBoard] | None = None
        self._early: F64 | None = None
        if settings.search.gadget.takes_gifts and is_walked(self.game):
            self._early = gifts_before(self.game, settings.blueprint, 1 - seat)
        elif settings.search.gadget.takes_gifts:
            self.remarks = ("gifts on earlier streets are not counted: this game has too many boards",)
        self.kept: dict[Line, tuple[BoardSubtree, Knowledge, Posed]] = {}
        self.warm()

    @property
    def expected(self) -> BlueprintStrategy:
        return self.play if self.settings.model is None else self.settings.model

    def new_hand(self) -> None:
        self._now = None

    def rows(self, node: int, board: tuple[int, ...]) -> F64:
        if self.rules.betting.street[node] < self.street:
            return super().rows(node, board)
        top, board = node, (*sorted(board[:3]), *board[3:])
        while top not in self.entry:
            top = int(self.rules.betting.parent[top])
        key = top, board[: DEALT[self.street]]
        if self._now is None or self._now[0] != key:
            with limited_seconds(self.settings.search.stop.seconds):
                self._now = key, self._solved((self.entry[top], key[1]))
        return self._now[1].rows(node - top, board)

    def warm(self) -> None:
        """One iteration on a board, so that compilation does not use up the first decision's time: after the line with the
        smallest rest of a hand, the smallest that is worked on in branches, and the smallest iterated in float32."""
        settings, board = self.settings, self.first_board(self.street).cards
        brief = replace(settings.search, stop=Stop(iterations=1))
        for entry in lines_by_size(self.game, self.street, LARGE, SINGLE):
            piece = board_subtree(self.game, entry, board, self.seat)
            known = known_at_board(piece, settings.blueprint, settings.model, brief, profile=settings.profile)
            posed = pose_subtree(piece, brief, known)
            if posed is not None:
                posed.solve.advance()

    def _solved(self, line: Line) -> SolvedBoard:
        """A board, solved within a time limit less the overhead around the solve. An unfinished one is kept, and continued
        when it is dealt again."""
        search, limited = self.settings.search, self.settings.search.stop.seconds > 0.0
        piece, known, posed = self.kept.get(line) or self._posed(*line)
        if posed is None:  # the opponent never comes here: nothing is at stake
            return SolvedBoard.of(piece, known, None, search)
        where = f"{STREETS[piece.street]} {hand_text(line[1])}"
        if not posed.solve.iterations and not time_left():
            self._keep(line, piece, known, posed)
            self.note(f"no time was left to solve the {where}: the blueprint plays")
            return SolvedBoard.of(piece, known, None, search)
        found: ResolvedSubtree = posed.read(posed.solve.advance())
        is_cut = not posed.solve.finished and limited
        if is_cut:
            self._keep(line, piece, known, posed)
            self.note(cut_short(where, found.interrupted, posed.solve.iterations, found.gap))
        if found.interrupted:
            raise KeyboardInterrupt
        return SolvedBoard.of(piece, known, None if is_cut and posed.solve.iterations < _FEWEST else found, search)

    def _posed(self, entry: int, board: tuple[int, ...]) -> tuple[BoardSubtree, Knowledge, Posed | None]:
        """The problem of a board."""
        settings, begin, given = self.settings, run_time(), None
        if self._early is not None:
            given = gifts_before(self.game, settings.blueprint, 1 - self.seat, board, self._early)
        piece = self.piece(entry, board, given)
        known = known_at_board(piece, settings.blueprint, settings.model, settings.search, profile=settings.profile)
        search = settings.search.with_seconds(settings.search.stop.seconds, _AROUND * (run_time() - begin))
        return piece, known, pose_subtree(piece, search, known)

    def piece(self, entry: int, board: tuple[int, ...], given: F64 | None) -> BoardSubtree:
        """The rest of the hand on a board, after gifts on earlier streets."""
        return board_subtree(self.game, entry, board, self.seat, given)

    def _keep(self, line: Line, piece: BoardSubtree, known: Knowledge, posed: Posed) -> None:
        self.kept[line] = piece, known, posed
        trim(self.kept, [posed for *_, posed in self.kept.values()])


class FullGadgetSearch(HoldemPosition):
    """Solves all boards from the flop on at once with the full gadget, at the first flop. An unfinished solve serves its
    hand and is continued in a later one.
    """

    def __init__(self, rules: Holdem, settings: SearchSettings, seat: int) -> None:
        super().__init__(rules, settings.blueprint, seat)
        self.settings, self._decided = settings, False
        self._solve: JointSolve | None = None

    def new_hand(self) -> None:
        self._decided &= self._solve is None

    def rows(self, node: int, board: tuple[int, ...]) -> F64:
        if board and not self._decided:
            self._decide()
        return super().rows(node, board)

    def _decide(self) -> None:
        settings = self.settings
        standing = StandingDecisions(self.game, self.seat, settings.blueprint)
        with limited_seconds(settings.search.stop.seconds):
            solve = self._solve or JointSolve(self.game, standing, settings.model, settings.search, settings.memory)
            found = solve.advance()
        self.play, self._decided = found.play, True
        self._solve = None if solve.finished else solve
        if not solve.finished:
            self.note(cut_short("all boards", found.interrupted, found.iterations, found.gap))
        if found.interrupted:
            raise KeyboardInterrupt
