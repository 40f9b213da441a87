"""The rules of a spot, by which single hands are played."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64
from counterplay.display import brief
from counterplay.games.game import CHANCE, TERMINAL
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import card_text, cards_text, compatible_weight, hand_text
from counterplay.poker.public_tree.hand_treeplex import infoset_text
from counterplay.poker.public_tree.public_tree import PublicTree

_UNKNOWN = -1
_DEAL, _SHOWDOWN = int(Kind.DEAL), int(Kind.SHOWDOWN)  # members of enumerations are slow to look up


class SpotState(NamedTuple):
    """held: the hands of oop and ip, by number among those in the ranges; -1 before they are dealt. node: in the betting
    tree. dealt: cards since the start."""

    held: tuple[int, int] = (_UNKNOWN, _UNKNOWN)
    node: int = 0
    dealt: tuple[int, ...] = ()


class SpotRules:
    """The `Game` protocol of a spot. Chance deals oop's hand, then ip's, then one card at a time; a decision with one
    action is passed over, as in the treeplexes. The digest of a spot is its `solution_cache.name_of_spot`."""

    augmented = True

    def __init__(self, name: str, tree: PublicTree, stakes: Stakes | None = None, digest: str = "") -> None:
        self.name, self.tree, self.stakes, self.digest = name, tree, stakes or Stakes(), digest
        self._betting, self._cards = tree.betting, tree.boards.cards
        self._whole = len(tree.boards.layers[-1].boards[0])

    def __repr__(self) -> str:
        return brief(self, self.name)

    def root(self) -> SpotState:
        return SpotState(node=self._past(0))

    def player(self, state: SpotState) -> int:
        if _UNKNOWN in state.held or self._card_is_next(state):
            return CHANCE
        kind = int(self._betting.kind[state.node])
        return kind if kind < _DEAL else TERMINAL

    def actions(self, state: SpotState) -> list[int]:
        """Hands or cards where chance acts; else the nodes that follow."""
        if _UNKNOWN in state.held:
            return [int(hand) for hand in np.flatnonzero(self._odds(state.held[0]))]
        if self._card_is_next(state):
            return self._left(state)
        return self._betting.children(state.node)

    def chance(self, state: SpotState) -> list[float]:
        if _UNKNOWN in state.held:
            odds = self._odds(state.held[0])
            return odds[odds > 0.0].tolist()  # type: ignore[no-any-return]
        left = len(self._left(state))
        return [1.0 / left] * left

    def child(self, state: SpotState, action: int) -> SpotState:
        if _UNKNOWN in state.held:
            held = (action, _UNKNOWN) if state.held[0] == _UNKNOWN else (state.held[0], action)
            return state._replace(held=held)
        if self._card_is_next(state):
            node = state.node
            if int(self._betting.kind[node]) == _DEAL:
                node = self._past(self._betting.children(node)[0])
            return state._replace(node=node, dealt=(*state.dealt, action))
        return state._replace(node=self._past(action))

    def infoset(self, state: SpotState, player: int) -> str:
        """The betting, the cards dealt, the own hand: "check, bet 100, call, river | Ah | KsKd"."""
        held = state.held[player]
        hand = "" if held == _UNKNOWN else hand_text(self._cards.hands[held].tolist())
        return infoset_text(self._betting.path(state.node), state.dealt, hand)

    def public(self, state: SpotState) -> str:
        """The betting and the cards dealt, and whether both have their hands."""
        return infoset_text(self._betting.path(state.node), state.dealt, "" if _UNKNOWN in state.held else "dealt")

    def picture(self, state: SpotState, player: int) -> str:
        """The board, the pot and the player's hand, for human players."""
        held = self._cards.hands[state.held[player]].tolist()
        board = cards_text((*self._cards.board, *state.dealt))
        return f"you hold {hand_text(held)} on {board}; the pot is {self._betting.pot[state.node]:g}"

    def action_name(self, state: SpotState, action: int) -> str:
        if _UNKNOWN in state.held:
            return hand_text(self._cards.hands[action].tolist())
        return card_text(action) if self._card_is_next(state) else self._betting.label(action)

    def utility(self, state: SpotState) -> float:
        """Chips of oop since before the spot, with half of the pot counted as theirs."""
        return self.utilities(state)[0]

    def utilities(self, state: SpotState) -> tuple[float, float]:
        """Chips of oop and of ip, likewise; with a rake they add up to less than 0."""
        betting, node = self._betting, state.node
        won, lost = float(betting.win[node]), float(betting.lose[node])
        if int(betting.kind[node]) != _SHOWDOWN:
            return (lost, won) if int(betting.kind[node]) == Kind.FOLD0 else (won, lost)
        shown = np.asarray(self._cards.rank((*self._cards.board, *state.dealt), self._cards.hands[list(state.held)]))
        first, second = shown.tolist()
        if first == second:
            return float(betting.tie[node]), float(betting.tie[node])
        return (won, lost) if first > second else (lost, won)

    @cached_property
    def _first(self) -> F64:
        """(hands,) the odds of oop's hand."""
        weights = self._cards.weights
        odds = weights[0] * compatible_weight(self._cards.hands, weights[1])
        odds[odds < 1e-12 * odds.max()] = 0.0  # what is left of a difference
        odds /= odds.sum()
        return np.asarray(odds, np.float64)

    def _odds(self, held: int) -> F64:
        """(hands,) the odds of oop's hand, or of ip's once oop's is known."""
        if held == _UNKNOWN:
            return self._first
        hands = self._cards.hands
        free = ~np.isin(hands, hands[held]).any(axis=1)
        odds = np.where(free, self._cards.weights[1], 0.0)
        odds /= odds.sum()
        return np.asarray(odds, np.float64)

    def _card_is_next(self, state: SpotState) -> bool:
        """A street is dealt, or the board is completed for a showdown."""
        kind = int(self._betting.kind[state.node])
        complete = len(self._cards.board) + len(state.dealt) == self._whole
        return kind == _DEAL or (kind == _SHOWDOWN and not complete)

    def _left(self, state: SpotState) -> list[int]:
        gone = {*self._cards.board, *state.dealt, *self._cards.hands[list(state.held)].ravel().tolist()}
        return [card for card in self._cards.deck if card not in gone]

    def _past(self, node: int) -> int:
        """The first node from this one on where there is a choice, or no player acts."""
        while int(self._betting.kind[node]) < _DEAL and len(self._betting.children(node)) == 1:
            node = self._betting.children(node)[0]
        return node
