"""Agents of whole hold'em games: a fixed strategy, and those that solve boards when they are dealt.

Before that they keep to a blueprint, as Liu et al. 2022 do (appendix C), or to a look-ahead with portfolios. From some
street on a board is solved after the betting so far, to the end of the hand and without card abstraction, and each later
board again behind the same gadget. Solutions are kept to the end of the hand; with the full gadget all flops are solved
together, and the solution is kept for good.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterplay.agents.agent_archive import HOLDEM, write
from counterplay.agents.draws import draws_state, restore_draws
from counterplay.agents.player import Player, cut_short
from counterplay.agents.unfinished_solves import trim
from counterplay.agents.whole_game.search_settings import SearchSettings, lines_by_size
from counterplay.arrays import F64
from counterplay.blueprints.whole_game.board_knowledge import known_at_board
from counterplay.blueprints.whole_game.board_subtree import BoardSubtree, board_subtree
from counterplay.blueprints.whole_game.gifts import gifts_before
from counterplay.blueprints.whole_game.solved_board import SolvedBoard
from counterplay.blueprints.whole_game.whole_game_plans import JointSolve
from counterplay.budget import limited_seconds, time_left
from counterplay.jit.clock import run_time
from counterplay.lookahead.resolver import Knowledge, ResolvedSubtree, pose_subtree
from counterplay.lookahead.solve import SINGLE, Posed
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.cards.deck import hand_text
from counterplay.poker.public_tree.branches import LARGE
from counterplay.poker.whole_game.boards.board import DEALT
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


class Origin(NamedTuple):
    """The source of an agent: the text of its record, and the seed of its opponents and samples."""

    text: str
    seed: int


class BlueprintAgent(Player):
    """Plays a strategy.

    Args:
        rules: rules of the game.
        play: the strategy.
        seat: 0 or 1.
        draws: seed of its draws.
        name: for messages.
    """

    def __init__(self, rules: Holdem, play: BlueprintStrategy, seat: int, draws: int, name: str) -> None:
        super().__init__(seat, name)
        self._rules, self._game, self._play, self._draw = rules, rules.game, play, random.Random(draws)
        self.origin: Origin | None = None

    def new_hand(self) -> None:
        """Nothing to forget; subclasses may."""

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:  # noqa: ARG002 - the rules are known
        """An action drawn at a text of `Holdem.infoset`.

        Raises:
            InputError: the seat does not act there.
        """
        row = self.policy(observation)
        return self._draw.choices(list(row), list(row.values()))[0]

    def policy(self, observation: str) -> dict[str, float]:
        """The probability of each action; errors as in `act`."""
        check_observation(observation)
        seen = self._rules.read(observation, self.seat)
        row = self.rows(seen.node, seen.board)[:, self._game.deck.hand(*seen.hand)]
        return dict(zip(self._rules.betting.actions(seen.node), row.tolist(), strict=True))

    def save(self, path: str | Path) -> None:
        """Write it to a file that ends in `.cpa`, from which `cp.resume` brings it back; boards are solved again when they
        are dealt.

        Raises:
            InputError: its game or its model has no text, or the file cannot be written.
        """
        if self.origin is None:
            super().save(path)
            return
        facts = {"kind": HOLDEM, "game": self._rules.name, "seat": self.seat, **self.origin._asdict()}
        write(path, {**facts, "log": list(self.log), "draws": self.state()}, {})

    def state(self) -> list[Any]:
        """The state of its draws, as plain numbers."""
        return draws_state(self._draw)

    def restore(self, state: list[Any], log: list[str]) -> None:
        """Continue from a saved state of its draws, with a saved log."""
        restore_draws(self._draw, state)
        self.log.extend(log)

    @property
    def play(self) -> BlueprintStrategy:
        """The strategy that it plays, or plays before its first search."""
        return self._play

    @property
    def expected(self) -> BlueprintStrategy:
        """How it takes the other player to play: by its model, or as it would itself."""
        return self._play

    def rows(self, node: int, board: tuple[int, ...]) -> F64:
        """(actions, hands of the deck) its probabilities at one of its betting nodes, with every hand that it may hold.

        Args:
            node: of the betting tree, at which its seat acts.
            board: in the order of the deal.
        """
        return np.asarray(probabilities(self._game, self._play, node, board), np.float64)


class SearchingAgent(BlueprintAgent, ABC):
    """Plays a strategy before some street, and solves the board when that street is dealt, once in a hand.

    Args:
        rules: of the game.
        play: the strategy before that street.
        seat: 0 or 1.
        draws: seed of its draws.
        name: for messages.
        street: 1 for the flop, 2 for the turn, 3 for the river.
    """

    def __init__(
        self, rules: Holdem, play: BlueprintStrategy, seat: int, draws: int, name: str, street: int = 1
    ) -> None:
        super().__init__(rules, play, seat, draws, name)
        self._street = street
        self._entry = {rules.betting.children(int(node))[0]: e for e, node in enumerate(self._game.roots[street])
                       if rules.betting.children(int(node))}  # fmt: skip
        self._now: tuple[tuple[int, tuple[int, ...]], SolvedBoard] | None = None

    def new_hand(self) -> None:
        """Forget the board of the last hand."""
        self._now = None

    def rows(self, node: int, board: tuple[int, ...]) -> F64:
        if self._rules.betting.street[node] < self._street:
            return super().rows(node, board)
        top, board = node, (*sorted(board[:3]), *board[3:])
        while top not in self._entry:
            top = int(self._rules.betting.parent[top])
        key = top, board[: DEALT[self._street]]
        if self._now is None or self._now[0] != key:
            self._now = key, self._worked_out(self._entry[top], key[1])
        return self._now[1].rows(node - top, board)

    @abstractmethod
    def _worked_out(self, entry: int, board: tuple[int, ...]) -> SolvedBoard:
        """The strategy from a board on."""


class StreetSearchAgent(SearchingAgent):
    """Solves boards again: continual re-solving, SES, CDBR or CDRNR.

    Args:
        rules: rules of the game.
        asked: search settings, blueprint and model.
        seat: 0 or 1.
        draws: seed of its draws.
    """

    def __init__(self, rules: Holdem, asked: SearchSettings, seat: int, draws: int) -> None:
        super().__init__(rules, asked.blueprint, seat, draws, asked.head, asked.street)
        self._asked = asked
        gifts = asked.search.gadget.takes_gifts and is_walked(self._game)
        self._early = gifts_before(self._game, asked.blueprint, 1 - seat) if gifts else None
        if asked.search.gadget.takes_gifts and not gifts:
            self.log.append("gifts on earlier streets are not counted: this game has too many boards")
        self._kept: dict[tuple[int, tuple[int, ...]], tuple[BoardSubtree, Knowledge, Posed]] = {}
        self._warm()

    @property
    def expected(self) -> BlueprintStrategy:
        return self._play if self._asked.model is None else self._asked.model

    def _warm(self) -> None:
        """One iteration on a board, so that compilation does not use up the first decision's time: after the line with the
        smallest rest of a hand, the smallest that is worked on in branches, and the smallest iterated in float32."""
        game, board = self._game, self._game.boards.root
        for _ in range(self._street):
            board = game.boards.child(board, 0)
        brief = replace(self._asked.search, stop=Stop(iterations=1))
        for entry in lines_by_size(game, self._street, LARGE, SINGLE):
            piece = board_subtree(game, entry, board.cards, self.seat)
            known = known_at_board(piece, self._asked.blueprint, self._asked.model, brief, profile=self._asked.profile)
            posed = pose_subtree(piece, brief, known)
            if posed is not None:
                posed.solve.advance()

    def _worked_out(self, entry: int, board: tuple[int, ...]) -> SolvedBoard:
        seconds = self._asked.search.stop.seconds
        with limited_seconds(seconds):
            return self._solved(entry, board, seconds)

    def _solved(self, entry: int, board: tuple[int, ...], seconds: float) -> SolvedBoard:
        """A board, solved within a time limit less the overhead around the solve. An unfinished one is kept, and continued
        when it is dealt again."""
        search = self._asked.search
        piece, known, posed = self._kept.get((entry, board)) or self._posed(entry, board, seconds)
        if posed is None:  # the opponent never comes here: nothing is at stake
            return SolvedBoard.of(piece, known, None, search)
        if not posed.solve.iterations and not time_left():
            self._keep((entry, board), piece, known, posed)
            self.log.append(
                f"no time was left to solve the {STREETS[piece.street]} {hand_text(board)}: the blueprint plays"
            )
            return SolvedBoard.of(piece, known, None, search)
        found: ResolvedSubtree = posed.read(posed.solve.advance())
        if not posed.solve.finished and seconds > 0.0:
            self._keep((entry, board), piece, known, posed)
            where = f"{STREETS[piece.street]} {hand_text(board)}"
            self.log.append(cut_short(where, found.interrupted, posed.solve.iterations, found.gap))
        if found.interrupted:
            raise KeyboardInterrupt
        rough = not posed.solve.finished and seconds > 0.0 and posed.solve.iterations < _FEWEST
        return SolvedBoard.of(piece, known, None if rough else found, search)

    def _posed(
        self, entry: int, board: tuple[int, ...], seconds: float
    ) -> tuple[BoardSubtree, Knowledge, Posed | None]:
        """The problem of a board."""
        asked, game, begin = self._asked, self._game, run_time()
        given = None
        if self._early is not None:
            given = gifts_before(game, asked.blueprint, 1 - self.seat, board, self._early)
        piece = self._piece(entry, board, given)
        known = known_at_board(piece, asked.blueprint, asked.model, asked.search, profile=asked.profile)
        spent = _AROUND * (run_time() - begin)
        search = asked.search.with_seconds(seconds, spent)
        return piece, known, pose_subtree(piece, search, known)

    def _piece(self, entry: int, board: tuple[int, ...], given: F64 | None) -> BoardSubtree:
        """The rest of the hand on a board."""
        return board_subtree(self._game, entry, board, self.seat, given)

    def _keep(self, key: tuple[int, tuple[int, ...]], piece: BoardSubtree, known: Knowledge, posed: Posed) -> None:
        self._kept[key] = piece, known, posed
        last = {one: posed for one, (*_, posed) in self._kept.items()}
        trim(last)
        self._kept = {one: self._kept[one] for one in last}


class FullGadgetAgent(BlueprintAgent):
    """Solves all boards from the flop on at once with the full gadget, at the first flop. An unfinished solve serves its
    hand and is continued in a later one. Arguments as of `StreetSearchAgent`.
    """

    def __init__(self, rules: Holdem, asked: SearchSettings, seat: int, draws: int) -> None:
        super().__init__(rules, asked.blueprint, seat, draws, asked.head)
        self._asked, self._decided = asked, False
        self._solve: JointSolve | None = None

    def new_hand(self) -> None:
        """Continue an unfinished solve."""
        self._decided &= self._solve is None

    def rows(self, node: int, board: tuple[int, ...]) -> F64:
        if board and not self._decided:
            self._decide()
        return super().rows(node, board)

    def _decide(self) -> None:
        asked = self._asked
        standing = StandingDecisions(self._game, self.seat, asked.blueprint)
        with limited_seconds(asked.search.stop.seconds):
            solve = self._solve or JointSolve(self._game, standing, asked.model, asked.search, asked.memory)
            found = solve.advance()
        self._play, self._decided = found.play, True
        self._solve = None if solve.finished else solve
        if not solve.finished:
            self.log.append(cut_short("all boards", found.interrupted, found.iterations, found.gap))
        if found.interrupted:
            raise KeyboardInterrupt
