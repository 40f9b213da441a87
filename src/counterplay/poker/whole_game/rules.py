"""Whole games of hold'em as rules: hands dealt and played card by card, for matches, people and small enumerations.

Those of Flop Hold'em are those of the literature: blinds 1 and 2, bets of 2 on both streets, and at most 3 bets and raises
a street. The game file published with variance-reduced Deep CFR says the same (OpenSpiel's universal poker with blinds 50
and 100, raises of 100 and maxRaises "3 3"); Liu et al. 2022 name no cap.

Chance deals the hand of player 0, that of player 1, then the streets. Cards of a deal come in rising order, so that each
deal is one history, and lists stay short; no player sees a part of a deal.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from counterplay.errors import InputError
from counterplay.games.game import CHANCE, TERMINAL
from counterplay.poker.betting.rules import STREETS, BettingRules, flop_holdem
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import BettingTree, build, node_at
from counterplay.poker.cards.deck import FULL, Deck, card_text, cards_of, cards_text, hand_text
from counterplay.poker.cards.hand_rank import ranks_on
from counterplay.poker.whole_game.boards.board import DEALT, HAND, HANDS, board_of, chances, next_cards, to_come
from counterplay.poker.whole_game.decisions import GameSize, game_size, streets_to_come
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game

if TYPE_CHECKING:
    from counterplay.card_abstraction.abstraction_record import Abstraction
from counterplay.problem.solvable_game import register_conversion

_SEP = " | "
_PLAYER1, _DEAL, _FOLD1, _SHOWDOWN = map(int, (Kind.PLAYER1, Kind.DEAL, Kind.FOLD1, Kind.SHOWDOWN))  # slow to look up
_hand_text, _board_text = lru_cache(maxsize=4096)(hand_text), lru_cache(maxsize=4096)(cards_text)
_cards_of = lru_cache(maxsize=4096)(cards_of)


class HoldemState(NamedTuple):
    """A point in a hand. cards: dealt so far, in order: two hands, then the board. node: of the betting tree."""

    cards: tuple[int, ...] = ()
    node: int = 0


class Seen(NamedTuple):
    """The knowledge of a player. hand: two cards. node: of the betting tree. board: in the order of the deal."""

    hand: tuple[int, int]
    node: int
    board: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Holdem:
    """The rules, as `games.game.Game` has it. Player 0 is the big blind, out of position after the flop is dealt.

    Attributes:
        limits: what may be bet; those of the literature unless given.
        sizes: of bets, for no-limit.
        deck: the cards; suits must be worth the same.
        name: for people.
        buckets: how blueprints put hands together; None where that is not said.
    """

    limits: BettingRules = field(default_factory=flop_holdem)
    sizes: str = ""
    deck: Deck = FULL
    name: str = "fhp"
    buckets: Abstraction | None = None
    augmented = True
    enters_boards_alone: ClassVar[bool] = True
    usual_depth: ClassVar[str] = "round"

    @property
    def stakes(self) -> Stakes:
        """The stakes of the game."""
        return Stakes(None, self.limits.chips(max(self.limits.blinds)))

    @property
    def span(self) -> float:
        """Largest minus smallest utility."""
        return 2.0 * self.limits.chips(min(self.limits.stacks))

    @cached_property
    def betting(self) -> BettingTree:
        """The betting of all streets."""
        return build(self.limits, self.sizes)

    @cached_property
    def size(self) -> GameSize:
        """The size of the game, without its boards."""
        return game_size(self.betting)

    @cached_property
    def game(self) -> HoldemGame:
        """The game for solvers; the flops of a full deck take a second."""
        return replace(holdem_game(self.limits, self.sizes, deck=self.deck), buckets=self.buckets)

    @cached_property
    def _nodes(self) -> dict[str, int]:
        return {}

    @cached_property
    def _paths(self) -> dict[int, str]:
        return {}

    @cached_property
    def _dealt(self) -> list[int]:
        """By node, the last street that is dealt before a player acts again, or hands are shown."""
        betting = self.betting
        return [street + streets_to_come(betting, node) for node, street in enumerate(betting.street.tolist())]

    def root(self) -> HoldemState:
        return HoldemState()

    def player(self, state: HoldemState) -> int:
        if self._wanted(state):
            return CHANCE
        kind = int(self.betting.kind[state.node])
        return kind if kind <= _PLAYER1 else TERMINAL

    def actions(self, state: HoldemState) -> list[int]:
        """Cards at a deal, else betting nodes."""
        wanted = self._wanted(state)
        return next_cards(self.deck, state.cards, wanted) if wanted else self.betting.children(state.node)

    def chance(self, state: HoldemState) -> list[float]:
        """The probability of each card."""
        return chances(self.deck, state.cards, self._wanted(state))

    def child(self, state: HoldemState, action: int) -> HoldemState:
        """After a card or an action; the last card of a street leads to the betting there."""
        wanted = self._wanted(state)
        if not wanted:
            return HoldemState(state.cards, action)
        cards, node = (*state.cards, action), state.node
        if wanted == 1 and len(cards) > HANDS and self.betting.kind[node] == _DEAL:
            node = self.betting.children(node)[0]
        return HoldemState(cards, node)

    def infoset(self, state: HoldemState, player: int) -> str:
        """Hand, betting and board: "AhKs | raise 4, call, flop | Qd 7c 2s"; what is not there yet is left out."""
        if len(state.cards) < HAND * (player + 1):
            return "deal"
        hand = state.cards[2 * player], state.cards[2 * player + 1]
        return self.write(Seen(hand, state.node, board_of(state.cards)))

    def write(self, seen: Seen) -> str:
        """The text of what a player knows, as `infoset` gives it and `read` takes it."""
        return _SEP.join(filter(None, (_hand_text(seen.hand), self._path(seen.node), _board_text(seen.board))))

    def utility(self, state: HoldemState) -> float:
        """Chips of player 0."""
        betting, node, kind = self.betting, state.node, int(self.betting.kind[state.node])
        if kind != _SHOWDOWN:
            return float(betting.win[node] if kind == _FOLD1 else betting.lose[node])
        ranks, numbers = ranks_on(self.deck, board_of(state.cards)), self.deck.numbers
        one, two = ranks[numbers[state.cards[:2]]], ranks[numbers[state.cards[2:4]]]
        return float((betting.win if one > two else betting.lose if one < two else betting.tie)[node])

    def action_name(self, state: HoldemState, action: int) -> str:
        """A card, or "fold", "call", "raise 4"."""
        return card_text(action) if self._wanted(state) else self.betting.label(action)

    def public(self, state: HoldemState) -> str:
        """Betting and board."""
        if len(state.cards) < HANDS:
            return "deal"
        return (
            _SEP.join(part for part in (self._path(state.node), cards_text(board_of(state.cards))) if part) or "preflop"
        )

    def picture(self, state: HoldemState, player: int) -> str:
        """The knowledge of a player, for people."""
        seat = ("big blind", "button")[player]
        lines = [f"{seat}: {self.infoset(state, player).partition(_SEP)[0]}"]
        board = board_of(state.cards)
        lines += [f"{STREETS[DEALT.index(len(board))]}: {cards_text(board)}"] if board else []
        mine = self.betting.committed[state.node].tolist()
        lines.append(f"pot {self.betting.pot[state.node]:g}, of which {mine[player]:g} yours")
        return "\n".join(lines)

    def read(self, observation: str, seat: int) -> Seen:
        """The knowledge in a text of `infoset`."""
        hand, *rest = observation.split(_SEP)
        path, board = [*rest, "", ""][:2]
        cards, shown = _cards_of(hand), self.deck.held(_cards_of(board))
        node = self._nodes.get(path)
        if node is None:
            node = self._nodes[path] = node_at(self.betting, path)
        if len(rest) > 2 or len(cards) != 2 or len({*cards, *shown}) != 2 + len(shown):
            raise InputError(
                f"'{observation}' is not a hand, the betting and the board, as in AhKs | raise 4, call | Qd7c2s"
            )
        if self.betting.kind[node] == _DEAL:
            node = self.betting.children(node)[0]
        if self.betting.kind[node] != seat or len(shown) != DEALT[int(self.betting.street[node])]:
            raise InputError(f"seat {seat} of {self.name} does not act at '{observation}'")
        self.deck.held(cards)
        return Seen((cards[0], cards[1]), node, shown)

    def _wanted(self, state: HoldemState) -> int:
        """Cards still to come in the deal at hand; 0 where none is."""
        return to_come(state.cards, self._dealt[state.node])

    def _path(self, node: int) -> str:
        found = self._paths.get(node)
        if found is None:
            found = self._paths[node] = self.betting.path(node)
        return found


def as_whole_game(game: object, what: str) -> Holdem:
    """A game that must be a whole game of hold'em. what: the first words of the message, such as "boards are drawn"."""
    if not isinstance(game, Holdem):
        raise InputError(f"{what} in whole games of hold'em")
    return game


def _refuse(game: Holdem) -> None:
    raise InputError(
        f"{game.name} is a whole game of hold'em: blueprint, respond, evaluate, frontier, resolve, match and play take it"
    )


register_conversion(Holdem, _refuse)
