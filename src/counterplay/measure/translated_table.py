"""Hands of hold'em between two agents that know different sizes of bets.

Both sit in the same real game, in which any bet is legal. Each follows the hand in its own betting tree: what the other
bets is taken for a size of that tree by the pseudo-harmonic mapping (Ganzfried and Sandholm 2013), and its own bets become
chips of the real pot.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from counterplay.agents.player import Player
from counterplay.agents.position.translated_hand import TranslatedHand, TreeStep
from counterplay.errors import InputError
from counterplay.games.game import CHANCE
from counterplay.jit.clock import run_time
from counterplay.measure.play_hand import Hand, ResultObserver, tell_agents
from counterplay.poker.betting.line_notation import BettingLine, Step
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Action, BettingState, Kind, Move, act, chips_won, start
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.rules import Holdem, as_whole_game


@dataclass(frozen=True)
class TreePlayer:
    """An agent and the game for which it was made, whose betting tree it knows."""

    rules: Holdem
    agent: Player

    @property
    def seat(self) -> int:
        return self.agent.seat

    @property
    def name(self) -> str:
        return self.agent.name

    @property
    def log(self) -> deque[str]:
        return self.agent.log

    @property
    def learns_in(self) -> Any:
        """See `Agent`."""
        return getattr(self.agent, "learns_in", None)

    def end_hand(self, result: float, shown: Any) -> None:
        """See `Agent`."""
        if end := getattr(self.agent, "end_hand", None):
            end(result, shown)


@dataclass(frozen=True)
class TranslatedRecord(Hand):
    """The record of a hand whose players have different trees: rules and line of the real hand, and of each seat the
    steps of the line in its own tree, and the end."""

    limits: BettingRules = field(kw_only=True)
    line: BettingLine = field(kw_only=True)
    steps: tuple[tuple[TreeStep, ...], tuple[TreeStep, ...]] = field(kw_only=True)


class TranslatedTable:
    """The real game of two others of the same deck, stacks and blinds, without limits of bets."""

    def __init__(self, one: Holdem, two: Holdem) -> None:
        for game in (one, two):
            limits = as_whole_game(game, "bets are translated").limits
            if limits.bets is not None or limits.rake:
                raise InputError(f"bets are translated in whole no-limit games of hold'em, and {game.name} is none")
        if (one.deck, one.limits) != (two.deck, two.limits):
            raise InputError(f"{one.name} and {two.name} differ in more than the sizes of bets: deck, stacks, blinds and "
                             "streets must be equal")  # fmt: skip
        self.name, self.stakes, self._deck, self._limits = one.name, one.stakes, one.deck, one.limits

    def play(
        self, players: tuple[TreePlayer, TreePlayer], chance: random.Random, told: ResultObserver | None = None
    ) -> TranslatedRecord:
        """One hand; players of seats 0 and 1 and `told` as `play_hand` has them. Errors are those of the agents."""
        limits, shown = self._limits, [DEALT[street] for street in range(self._limits.last + 1)]
        cards = tuple(chance.sample(self._deck.cards, 4 + shown[-1]))
        holes, board = ((cards[0], cards[1]), (cards[2], cards[3])), cards[4:]
        draws = random.Random(chance.getrandbits(63))
        views = [TranslatedHand(one.rules, one.agent, hole, draws) for one, hole in zip(players, holes, strict=True)]
        moves, times = [(CHANCE, cards_text(hole)) for hole in holes], (list[float](), list[float]())
        state, steps = start(limits), list[Step]()
        while state.kind <= Kind.DEAL:
            if state.kind is Kind.DEAL:
                action = Action(Move.DEAL)
                moves.append((CHANCE, cards_text(board[shown[state.street] : shown[state.street + 1]])))
            else:
                begin, seat = run_time(), int(state.kind)
                views[seat].follow(BettingLine(tuple(steps), state))
                action = views[seat].decide(state, board[: shown[state.street]])
                times[seat].append(run_time() - begin)
                moves.append((seat, self._text(state, action)))
            steps.append(Step(state, action))
            state = act(limits, state, action)
        if state.kind is Kind.SHOWDOWN and state.street < limits.last:
            moves.append((CHANCE, cards_text(board[shown[state.street] :])))
        line, (one, two) = BettingLine(tuple(steps), state), times
        for view in views:
            view.follow(line)
        found = TranslatedRecord(
            chips_won(limits, state, holes, board, self._deck), tuple(moves), (len(one), len(two)), (sum(one), sum(two)),
            (max(one, default=0.0), max(two, default=0.0)), limits=limits, line=line, steps=(views[0].steps, views[1].steps),
        )  # fmt: skip
        tell_agents(players, found, told)
        return found

    def _text(self, state: BettingState, action: Action) -> str:
        """An action in real chips, all of the hand counted."""
        word = action.move.name.lower().replace("_", "-")
        return word if action.move < Move.BET else f"{word} {self._limits.chips(state.base + action.to):g}"
