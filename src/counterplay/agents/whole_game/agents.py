"""Agents of Flop Hold'em: a fixed strategy, and those that solve each flop when it is dealt.

Before the flop they keep to a blueprint, as Liu et al. 2022 do (appendix C), or to a look-ahead with portfolios. A flop
is solved after the betting so far, without card abstraction, and the solution is kept to the end of the hand; with the
full gadget all flops are solved, and the solution is kept for good.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from counterplay.agents.player import Player, cut_short
from counterplay.agents.unfinished_solves import trim
from counterplay.agents.whole_game.lbr import LocalBestResponse
from counterplay.agents.whole_game.search_settings import SearchSettings
from counterplay.blueprints.whole_game.board_knowledge import known_at_board
from counterplay.blueprints.whole_game.board_subtree import BoardSubtree, board_subtree
from counterplay.blueprints.whole_game.full_gadget import JointSolve
from counterplay.blueprints.whole_game.gifts import gifts_before
from counterplay.jit.clock import run_time
from counterplay.lookahead.resolver import ResolvedSubtree, pose_subtree, with_seconds
from counterplay.lookahead.solve import Posed
from counterplay.poker.cards.deck import hand_text
from counterplay.poker.whole_game.holdem import Floats
from counterplay.poker.whole_game.lookup import probabilities
from counterplay.poker.whole_game.rules import Holdem, Seen
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.treeplex.nearest_infosets import check_observation


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
        row = self._row(seen, self._game.deck.hand(*seen.hand))
        return dict(zip(self._rules.betting.actions(seen.node), row.tolist(), strict=True))

    def _row(self, seen: Seen, hand: int) -> Floats:
        """(actions,) the probabilities with a hand of the deck."""
        return np.asarray(probabilities(self._game, self._play, seen.node, seen.board)[:, hand], np.float64)


class _OnTheFlop(BlueprintAgent, ABC):
    """Plays a strategy before the flop, and solves each flop when it is dealt, once in a hand."""

    def __init__(self, rules: Holdem, play: BlueprintStrategy, seat: int, draws: int, name: str) -> None:
        super().__init__(rules, play, seat, draws, name)
        self._entry = {rules.betting.children(int(node))[0]: e for e, node in enumerate(self._game.entries)
                       if rules.betting.children(int(node))}  # fmt: skip
        self._now: tuple[tuple[int, tuple[int, ...]], BoardSubtree, Floats] | None = None

    def new_hand(self) -> None:
        """Forget the flop of the last hand."""
        self._now = None

    def _row(self, seen: Seen, hand: int) -> Floats:
        if not seen.board:
            return super()._row(seen, hand)
        top = seen.node
        while top not in self._entry:
            top = int(self._rules.betting.parent[top])
        key = top, tuple(sorted(seen.board))
        if self._now is None or self._now[0] != key:
            self._now = key, *self._worked_out(self._entry[top], key[1])
        _, piece, behaviour = self._now
        return piece.row(behaviour, self.seat, seen.node - top, hand)

    @abstractmethod
    def _worked_out(self, entry: int, board: tuple[int, ...]) -> tuple[BoardSubtree, Floats]:
        """The flop, and the strategy there."""


class FlopSearchAgent(_OnTheFlop):
    """Solves the flop anew: continual re-solving, SES, CDBR or CDRNR.

    Args:
        rules: rules of the game.
        asked: search settings, blueprint and model.
        seat: 0 or 1.
        draws: seed of its draws.
    """

    def __init__(self, rules: Holdem, asked: SearchSettings, seat: int, draws: int) -> None:
        super().__init__(rules, asked.blueprint, seat, draws, asked.head)
        self._asked = asked
        gifts = asked.search.gadget.takes_gifts
        self._given = gifts_before(self._game, asked.blueprint, 1 - seat) if gifts else None
        self._overhead = 0.0
        self._kept: dict[tuple[int, tuple[int, ...]], tuple[BoardSubtree, Posed]] = {}
        if self._entry:  # what is compiled at the first look-ahead must not take the time of a decision
            first = min(self._entry.values()), tuple(self._game.flops.boards[0].tolist())
            self._solved(*first, 0.0)
            begin = run_time()
            self._solved(*first, 0.0)
            self._overhead = run_time() - begin

    def _worked_out(self, entry: int, board: tuple[int, ...]) -> tuple[BoardSubtree, Floats]:
        return self._solved(entry, board, max(0.0, self._asked.search.stop.seconds - self._overhead))

    def _solved(self, entry: int, board: tuple[int, ...], seconds: float) -> tuple[BoardSubtree, Floats]:
        """A flop, solved within a time limit less the overhead around the solve. An unfinished one is kept, and
        continued when it is dealt again.
        """
        asked = self._asked
        piece, posed = self._kept.get((entry, board)) or (
            board_subtree(self._game, entry, board, self.seat, self._given),
            None,
        )
        if posed is None:
            search = with_seconds(asked.search, seconds)
            known = known_at_board(piece, asked.blueprint, asked.model, search, profile=asked.profile)
            posed = pose_subtree(piece, search, known)
        if posed is None:  # the opponent never comes here: nothing is at stake
            return piece, piece.behaviour(asked.blueprint, self.seat)
        found: ResolvedSubtree = posed.read(posed.solve.advance())
        if not posed.solve.finished and seconds > 0.0:
            self._keep((entry, board), piece, posed)
            self.log.append(cut_short(f"flop {_cards(board)}", found.interrupted, posed.solve.iterations, found.gap))
        if found.interrupted:
            raise KeyboardInterrupt
        return piece, found.splice(self.seat, piece.behaviour(asked.blueprint, self.seat))

    def _keep(self, key: tuple[int, tuple[int, ...]], piece: BoardSubtree, posed: Posed) -> None:
        self._kept[key] = piece, posed
        last = {one: posed for one, (_, posed) in self._kept.items()}
        trim(last)
        self._kept = {one: self._kept[one] for one in last}


class FullGadgetAgent(BlueprintAgent):
    """Solves all flops at once with the full gadget, at the first flop. An unfinished solve serves its hand and is
    continued in a later one. Arguments as of `FlopSearchAgent`.
    """

    def __init__(self, rules: Holdem, asked: SearchSettings, seat: int, draws: int) -> None:
        super().__init__(rules, asked.blueprint, seat, draws, asked.head)
        self._asked, self._decided = asked, False
        self._solve: JointSolve | None = None

    def new_hand(self) -> None:
        """Continue an unfinished solve."""
        self._decided &= self._solve is None

    def _row(self, seen: Seen, hand: int) -> Floats:
        if seen.board and not self._decided:
            self._decide()
        return super()._row(seen, hand)

    def _decide(self) -> None:
        asked = self._asked
        solve = self._solve or JointSolve(
            self._game, asked.blueprint, self.seat, asked.model, asked.search, asked.memory
        )
        found = solve.advance()
        self._play, self._decided = found.play, True
        self._solve = None if solve.finished else solve
        if not solve.finished:
            self.log.append(cut_short("all flops", found.interrupted, found.iterations, found.gap))
        if found.interrupted:
            raise KeyboardInterrupt


class LBRAgent(_OnTheFlop):
    """Local best response: one action ahead, after which both only check or call, except for folds of the model.

    Args:
        rules: rules of the game.
        model: model of the opponent.
        seat: 0 or 1.
        draws: seed of its draws.
    """

    def __init__(self, rules: Holdem, model: BlueprintStrategy, seat: int, draws: int) -> None:
        self._answer = LocalBestResponse(rules.game, model, seat)
        super().__init__(rules, self._answer.before, seat, draws, "lbr")

    def _worked_out(self, entry: int, board: tuple[int, ...]) -> tuple[BoardSubtree, Floats]:
        return self._answer.on(entry, board)


def _cards(board: tuple[int, ...]) -> str:
    return hand_text(board)
