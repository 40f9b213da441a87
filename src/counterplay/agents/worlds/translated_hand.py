"""Translation of a real hand to the betting tree of an agent, and of the agent's actions to real chips.

The other player may bet any size. Each bet is mapped to a size of the agent's tree (see `line_notation.translate_raise`),
and the agent's action there to chips of the real pot. If the tree has ended while the real hand goes on, because a bet was
mapped to an all-in that the agent called, the agent checks and calls.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from counterplay.agents.agent import Player
from counterplay.poker.betting.line_notation import BettingLine, Step, raise_share, real_share, translate_raise
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Action, BettingState, Kind, Move, all_in, legal, pot
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.rules import Holdem, Seen

_PASSIVE = (Move.CHECK, Move.CALL)


class TreeStep(NamedTuple):
    """A step of the real hand in the tree of an agent: the betting node before it, None if the tree has none, and the
    number of the action that the agent chose there, None if the step is not its choice."""

    node: int | None
    number: int | None = None


class TranslatedHand:
    """A real hand as an agent of a game sees it, who holds two cards; draws: of the choice between two sizes of the
    tree."""

    def __init__(self, game: Holdem, agent: Player, hand: tuple[int, int], draws: random.Random) -> None:
        self._game, self._agent, self._hand, self._draws = game, agent, hand, draws
        self._node: int | None = 0
        self._seen = 0
        self._own: tuple[Action, int | None, int | None] | None = None
        self._steps: list[TreeStep] = []
        agent.new_hand()

    @property
    def rules(self) -> BettingRules:
        """The rules of the real hand: any size of bet is allowed."""
        return self._game.limits

    @property
    def steps(self) -> tuple[TreeStep, ...]:
        """The steps that were followed, and where the hand is now."""
        return (*self._steps, TreeStep(self._node))

    def follow(self, line: BettingLine) -> None:
        """Follow the real hand since the last call; line: the whole hand so far."""
        for step in line.steps[self._seen :]:
            before, number = self._node, None
            if self._own is not None and step.action[1:] == self._own[0][1:] and step.state.kind == self._agent.seat:
                _, self._node, number = self._own
            else:
                self._node = self._after(step)
            self._steps.append(TreeStep(before, number))
            self._own = None
        self._seen = len(line.steps)

    def decide(self, state: BettingState, board: Sequence[int]) -> Action:
        """The agent's action in real chips, at the end of the line that was followed, where its seat acts; board: in
        the order of the deal."""
        tree, node = self._game.betting, self._node
        if node is None or tree.kind[node] != self._agent.seat:  # the tree has ended, or the agent does not act there
            self._own = _passive(self.rules, state), None, None
            return self._own[0]
        text = self._game.write(Seen(self._hand, node, in_rising_order(board)))
        labels = tree.actions(node)
        number = labels.index(self._agent.act(text, labels))
        child = tree.children(node)[number]
        action = self._real(state, child)
        if tree.move[child] >= Move.BET and action.move in _PASSIVE:
            child = self._passive_child(node)
        self._own = action, child, number
        return action

    def _after(self, step: Step) -> int | None:
        """The node of the tree after a real step; None if the tree has none."""
        tree, node = self._game.betting, self._node
        if node is None or not tree.children(node):
            return None
        if tree.kind[node] == Kind.DEAL or step.action.move is Move.DEAL:
            dealt = tree.kind[node] == Kind.DEAL and step.action.move is Move.DEAL
            return tree.children(node)[0] if dealt else None
        if step.action.move is Move.FOLD:
            return next((child for child in tree.children(node) if tree.move[child] == Move.FOLD), None)
        if step.action.move in _PASSIVE:
            return self._passive_child(node)
        share = real_share(self.rules, step.state, step.action.to)
        is_all_in = step.action.to >= all_in(self.rules, step.state)
        return translate_raise(tree, node, share, all_in=is_all_in, draws=self._draws)

    def _passive_child(self, node: int) -> int:
        tree = self._game.betting
        return next(child for child in tree.children(node) if tree.move[child] in _PASSIVE)

    def _real(self, state: BettingState, child: int) -> Action:
        """An action of the tree in real chips."""
        tree, can, move = self._game.betting, legal(self.rules, state), Move(self._game.betting.move[child])
        if move is Move.FOLD and can.fold:
            return Action(Move.FOLD)
        if move < Move.BET or not can.most:
            return _passive(self.rules, state)
        top = min(all_in(self.rules, state), can.most)
        level, called = max(state.put) - state.base, pot(self.rules, state) + can.call
        to = top if move is Move.ALL_IN else round(level + raise_share(tree, child) * called)
        return Action(Move.RAISE if level else Move.BET, min(max(to, can.least), top))


def _passive(rules: BettingRules, state: BettingState) -> Action:
    return Action(Move.CALL if legal(rules, state).call else Move.CHECK)


def in_rising_order(board: Sequence[int]) -> tuple[int, ...]:
    """A board with the cards of each street in ascending order, as the rules deal them."""
    streets = [sorted(board[begin:end]) for begin, end in pairwise(DEALT)]
    return tuple(card for street in streets for card in street)
