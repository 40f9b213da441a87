"""Real hands as decisions of a betting tree: bets of any size become those of the tree (Ganzfried and Sandholm 2013).

Of two sizes around a bet the likelier one is taken. Hands are compared in big blinds; those whose stacks are too different
from the game's, and what is played after a hand has left the tree, are left out and counted.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from counterplay.errors import InputError
from counterplay.opponents.histories.hand_record import Cards, HoldemHand
from counterplay.poker.betting.line_notation import Step
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Kind, Move, all_in
from counterplay.poker.betting.translation import raise_share, real_share, translate_raise
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.holdem import HoldemGame

STACKS = 2.0
"""The most by which the effective stack may differ from the game's, as a factor."""
_NEAR = 0.02
"""The difference of two bets, as shares of the pot, below which they are the same."""
_PASSIVE = (Move.CHECK, Move.CALL)


@dataclass(frozen=True, slots=True)
class MappedDecision:
    """A decision of the player. node: of the betting tree. choice: number of the action. board: its cards."""

    node: int
    choice: int
    board: Cards


@dataclass(frozen=True, slots=True)
class MappedHand:
    """A hand of a player.

    Attributes:
        seat: the player's.
        decisions: in order; at least one.
        hole: the player's cards; () if they are hidden.
        dead: cards that the player cannot have: the final board, and what the other showed.
        beaten: the other's cards where the player's hidden ones lost to them or tied; else ().
        board: the final one.
    """

    seat: int
    decisions: tuple[MappedDecision, ...]
    hole: Cards
    dead: Cards
    beaten: Cards
    board: Cards


@dataclass(frozen=True)
class MappedHands:
    """Hands of a player in a tree.

    Attributes:
        hands: those with a decision.
        left_out: hands and decisions that were not used, by reason.
        mapped: bets by both players that the tree does not have.
        bets: all bets by both players.
    """

    hands: tuple[MappedHand, ...]
    left_out: Counter[str] = field(default_factory=Counter)
    mapped: int = 0
    bets: int = 0

    @property
    def decisions(self) -> int:
        """The number of decisions."""
        return sum(len(hand.decisions) for hand in self.hands)

    @property
    def all_shown(self) -> bool:
        """Whether the player's cards are known in every hand."""
        return all(hand.hole for hand in self.hands)


class _Likelier(random.Random):
    """Draws that take the likelier of two."""

    def random(self) -> float:
        return 0.5


def map_hands(game: HoldemGame, hands: Iterable[HoldemHand], player: str) -> MappedHands:
    """The hands of a player in a game.

    Args:
        game: no-limit, on the deck of the hands.
        hands: those of other players are passed over.
        player: name.

    Raises:
        InputError: the player has no hands, or none that the game can hold.
    """
    mapper = _Mapper(game)
    own = [hand for hand in hands if player in hand.players]
    for hand in own:
        mapper.add(hand, hand.players.index(player))
    if not mapper.hands:
        told = ", ".join(f"{count:,} {reason}" for reason, count in mapper.left_out.items()) or "there are no hands"
        raise InputError(f"no hands of {player!r} fit the game: {told}")
    return MappedHands(tuple(mapper.hands), mapper.left_out, mapper.mapped, mapper.bets)


class _Mapper:
    def __init__(self, game: HoldemGame) -> None:
        self.game, self.hands, self.left_out = game, list[MappedHand](), Counter[str]()
        self.mapped = self.bets = 0
        rules = game.betting.rules
        self._stack = min(rules.stacks) / max(rules.blinds)

    def add(self, hand: HoldemHand, seat: int) -> None:
        """Map a hand of the player in a seat."""
        if hand.deck != self.game.deck or hand.rules.last != self.game.last or hand.rules.bets is not None:
            self.left_out["hands of another deck, last street or of limit hold'em"] += 1
            return
        stack = min(hand.rules.stacks) / max(hand.rules.blinds)
        if not self._stack / STACKS <= stack <= self._stack * STACKS:
            self.left_out[f"hands with stacks not within a factor of {STACKS:g} of the game's"] += 1
            return
        decisions = self._decisions(hand, seat)
        if not decisions:
            self.left_out["hands without a decision of the player"] += 1
            return
        hole, other = hand.holes[seat], hand.holes[1 - seat]
        shown_down = hand.line.end.kind is Kind.SHOWDOWN
        dead = tuple(sorted((*hand.board, *other)))
        beaten = other if shown_down and not hole else ()
        self.hands.append(MappedHand(seat, decisions, hole, dead, beaten, hand.board))

    def _decisions(self, hand: HoldemHand, seat: int) -> tuple[MappedDecision, ...]:
        tree, node, found = self.game.betting, 0, list[MappedDecision]()
        for state, action in hand.line.steps:
            after = self._after(tree, node, Step(state, action), hand.rules)
            if after is None:
                self.left_out["hands that leave the tree, from there on"] += 1
                break
            if state.kind == seat:
                cards = hand.board[: DEALT[state.street]]
                board = (*sorted(cards[: DEALT[1]]), *cards[DEALT[1] :])
                found.append(MappedDecision(node, int(tree.action[after]), board))
            node = after
        return tuple(found)

    def _after(self, tree: BettingTree, node: int, step: Step, rules: BettingRules) -> int | None:
        """The node of the tree after a real step; None if the tree has none."""
        state, (move, to) = step
        children = tree.children(node)
        if not children or tree.kind[node] != state.kind:
            return None
        if move is Move.DEAL:
            return children[0]
        if move is Move.FOLD:
            return next((child for child in children if tree.move[child] == Move.FOLD), None)
        if move in _PASSIVE:
            return next(child for child in children if tree.move[child] in _PASSIVE)
        share, whole = real_share(rules, state, to), to >= all_in(rules, state)
        found = translate_raise(tree, node, share, all_in=whole, draws=_Likelier())
        self.bets += 1
        self.mapped += found is not None and not whole and abs(raise_share(tree, found) - share) > _NEAR
        return found
