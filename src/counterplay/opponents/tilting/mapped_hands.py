"""Real hands as decisions of a betting tree: bets of any size become those of the tree (Ganzfried and Sandholm 2013).

Hands are compared in big blinds. Hands whose stacks are too different from the game's, and what is played after a hand has
left the tree, are left out and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import log

import numpy as np

from counterplay.arrays import Flags
from counterplay.errors import InputError
from counterplay.opponents.counting.terminal_infosets import HIDDEN, SHOWN, checked_reveal
from counterplay.opponents.histories.hand_record import Cards, HoldemHand
from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.translated_line import translate_line
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.lookup import probabilities
from counterplay.poker.whole_game.strategies.row_models import HandDraw
from counterplay.poker.whole_game.strategy import BlueprintStrategy

STACKS = 2.0
"""The most by which the effective stack may differ from the game's, as a factor."""
_NEVER = 1e-300


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
        """Return whether the player's cards are known in every hand."""
        return all(hand.hole for hand in self.hands)

    @property
    def about(self) -> str:
        """How many hands and decisions, and in how many the player's cards are known."""
        known = "all cards known" if self.all_shown else f"cards known in {sum(bool(h.hole) for h in self.hands):,}"
        return f"{len(self.hands):,} hands, {self.decisions:,} decisions, {known}"


def map_hands(game: HoldemGame, hands: Iterable[HoldemHand], player: str) -> MappedHands:
    """The hands of a player in a no-limit game; those of other players are passed over. An InputError if there are none that
    the game can hold."""
    mapper = HandMapper(game)
    for hand in hands:
        if player in hand.players:
            mapper.add(hand, hand.players.index(player))
    if not mapper.hands:
        why = ", ".join(f"{count:,} {reason}" for reason, count in mapper.left_out.items()) or "there are no hands"
        raise InputError(f"no hands of {player!r} fit the game: {why}")
    return mapper.found


def misfit(game: HoldemGame, hand: HoldemHand) -> str:
    """Why a game cannot hold a hand, as a kind of hands; "" if it can."""
    if hand.deck != game.deck or hand.rules.last != game.last or hand.rules.bets is not None:
        return "hands of another deck, last street or of limit hold'em"
    own, stack = (min(rules.stacks) / max(rules.blinds) for rules in (game.betting.rules, hand.rules))
    if not own / STACKS <= stack <= own * STACKS:
        return f"hands with stacks not within a factor of {STACKS:g} of the game's"
    return ""


class HandMapper:
    """Maps hands one by one. hands: those with a decision so far."""

    def __init__(self, game: HoldemGame) -> None:
        self.game, self.hands, self.left_out = game, list[MappedHand](), Counter[str]()
        self.mapped = self.bets = 0

    @property
    def found(self) -> MappedHands:
        """All hands so far."""
        return MappedHands(tuple(self.hands), self.left_out, self.mapped, self.bets)

    def add(self, hand: HoldemHand, seat: int) -> None:
        """Map a hand of the player in a seat."""
        if why := misfit(self.game, hand):
            self.left_out[why] += 1
            return
        tree, steps, decisions = self.game.betting, hand.line.steps, list[MappedDecision]()
        for (state, _), one in zip(steps, translate_line(tree, steps, hand.rules), strict=False):
            self.bets += one.share is not None
            self.mapped += one.mapped
            if one.child is None:
                self.left_out["hands that leave the tree, from there on"] += 1
            elif state.kind == seat:
                cards = hand.board[: DEALT[state.street]]
                board = (*sorted(cards[: DEALT[1]]), *cards[DEALT[1] :])
                decisions.append(MappedDecision(one.node, int(tree.action[one.child]), board))
        if not decisions:
            self.left_out["hands without a decision of the player"] += 1
            return
        hole, other = hand.holes[seat], hand.holes[1 - seat]
        beaten = other if hand.line.end.kind is Kind.SHOWDOWN and not hole else ()
        dead = tuple(sorted((*hand.board, *other)))
        self.hands.append(MappedHand(seat, tuple(decisions), hole, dead, beaten, hand.board))


def draw_hands(
    game: HoldemGame, player: BlueprintStrategy, other: BlueprintStrategy, hands: int, reveal: str, seed: int = 0
) -> MappedHands:
    """Hands of a player, who sits in both seats in turn, as the other player sees them: for experiments with models."""
    checked_reveal(reveal)
    draw, found = HandDraw(game, seed), list[MappedHand]()
    for number in range(hands):
        seat = number % 2
        one = draw.hand((player, other) if seat == 0 else (other, player))
        decisions = tuple(MappedDecision(at.node, at.choice, at.board) for at in one.choices if at.player == seat)
        if decisions:
            down = game.betting.kind[one.ended] == Kind.SHOWDOWN
            hole = one.holes[seat] if reveal == SHOWN or (down and reveal != HIDDEN) else ()
            dead = tuple(sorted((*one.board, *one.holes[1 - seat])))
            found.append(MappedHand(seat, decisions, hole, dead, (), one.board))
    return MappedHands(tuple(found))


def holdings(game: HoldemGame, hand: MappedHand) -> Flags:
    """(hands of the deck,) what the player may hold: no card that is seen elsewhere, and after a lost showdown nothing that
    would have won."""
    may = game.deck.live(hand.dead)
    if hand.beaten:
        live = np.flatnonzero(may)
        ranks = hand_ranks(hand.board, np.vstack([game.deck.hands[live], [hand.beaten]]), deck=game.deck)
        may = may.copy()
        may[live[ranks[:-1] > ranks[-1]]] = False
    return may


def log_likelihood(game: HoldemGame, play: BlueprintStrategy, hand: MappedHand, soft: float = 0.0) -> float:
    """The logarithm of the probability of a player's actions in a hand, and of the cards as far as they are known, up to a
    number that all strategies share; hidden cards are summed over. soft: share of uniform play that is mixed in, so that
    nothing is impossible."""
    if hand.hole:
        odds = np.zeros(len(game.deck.hands))
        odds[game.deck.hand(*hand.hole)] = 1.0
    else:
        odds = holdings(game, hand).astype(np.float64)
    for one in hand.decisions:
        rows = np.asarray(probabilities(game, play, one.node, one.board), np.float64)
        odds = odds * ((1.0 - soft) * np.nan_to_num(rows[one.choice]) + soft / len(rows))
    return log(max(float(odds.sum()), _NEVER))
