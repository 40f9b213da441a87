"""Whole games of hold'em as rules: hands dealt and played card by card, for matches, people and small enumerations; and as
texts.

    holdem:flop                            Flop Hold'em; raises=2 is another cap
    holdem:limit                           limit hold'em
    holdem:stack=200bb,bets=fcpa           no-limit, both stacks in big blinds or chips; blinds=50/100
    holdem:deck=20,stack=4bb,bets=[a; river: 50%, a],last=turn

`deck` is how many cards, the highest ranks of four suits, `lowest` its lowest rank; `last` is the last street; `bets` are
bet sizes (`betting.bet_sizes`), in brackets where they hold a comma. `buckets=50` (on every street, or `5k/5k/1k` street by
street from the flop, or `quick`) says how blueprints put hands together, and `buckets=moments:5k/5k/1k` by which card
abstraction (`abstraction`); without it nothing is put together where all boards can be listed. `fhp` is `holdem:flop`.

The rules of Flop Hold'em are those of the literature: blinds 1 and 2, bets of 2 on both streets, and at most 3 bets and
raises a street, as in the game file published with variance-reduced Deep CFR (OpenSpiel's universal poker with blinds 50
and 100, raises of 100 and maxRaises "3 3"); Liu et al. 2022 name no cap.

Chance deals the hand of player 0, that of player 1, then the streets. Cards of a deal come in rising order, so that each
deal is one history, and lists stay short; no player sees a part of a deal.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from math import inf
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

from counterplay.display import brief, by_fields
from counterplay.errors import InputError, quoted
from counterplay.games.game import CHANCE, TERMINAL
from counterplay.poker.betting.rules import STREETS, BettingRules, flop_holdem, limit_holdem
from counterplay.poker.betting.rules import holdem as no_limit
from counterplay.poker.betting.stakes import CHIPS, Amount, Stakes
from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import BettingTree, build, node_at
from counterplay.poker.cards.deck import FULL, RANKS, SUITS, Deck, card_text, cards_of, cards_text, hand_text
from counterplay.poker.cards.hand_rank import ranks_on
from counterplay.poker.whole_game.boards.board import DEALT, HAND, HANDS, board_of, chances, next_cards, to_come
from counterplay.poker.whole_game.holdem import GameSize, HoldemGame, game_size, holdem_game, streets_to_come
from counterplay.problem.solvable_game import register_conversion
from counterplay.texts.grammar import split_words
from counterplay.texts.readers import OneOf, Parsed, Reader, Whole, number_text, whole_of
from counterplay.texts.record import Record

if TYPE_CHECKING:
    from counterplay.card_abstraction.abstraction_record import Abstraction

_SEP = " | "
_PLAYER1, _DEAL, _FOLD1, _SHOWDOWN = map(int, (Kind.PLAYER1, Kind.DEAL, Kind.FOLD1, Kind.SHOWDOWN))  # slow to look up
_hand_text, _board_text = lru_cache(maxsize=4096)(hand_text), lru_cache(maxsize=4096)(cards_text)
_cards_of = lru_cache(maxsize=4096)(cards_of)
_node_at, _path = lru_cache(maxsize=65536)(node_at), lru_cache(maxsize=65536)(BettingTree.path)


class HoldemState(NamedTuple):
    """A point in a hand. cards: dealt so far, in order: two hands, then the board. node: of the betting tree."""

    cards: tuple[int, ...] = ()
    node: int = 0


class Seen(NamedTuple):
    """The knowledge of a player. hand: two cards. node: of the betting tree. board: in the order of the deal."""

    hand: tuple[int, int]
    node: int
    board: tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
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

    def __repr__(self) -> str:
        return brief(self, self.name)

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
        return _SEP.join(filter(None, (_hand_text(seen.hand), _path(self.betting, seen.node), _board_text(seen.board))))

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
            _SEP.join(filter(None, (_path(self.betting, state.node), cards_text(board_of(state.cards))))) or "preflop"
        )

    def picture(self, state: HoldemState, player: int) -> str:
        """The knowledge of a player, for people."""
        seat = ("big blind", "button")[player]
        lines = [f"{seat}: {self.infoset(state, player).partition(_SEP)[0]}"]
        board = board_of(state.cards)
        lines += [f"{STREETS[DEALT.index(len(board))]}: {cards_text(board)}"] if board else []
        mine = self.betting.committed[state.node].tolist()
        return "\n".join([*lines, f"pot {self.betting.pot[state.node]:g}, of which {mine[player]:g} yours"])

    def read(self, observation: str, seat: int) -> Seen:
        """The knowledge in a text of `infoset`."""
        hand, *rest = observation.split(_SEP)
        path, board = [*rest, "", ""][:2]
        cards, shown = _cards_of(hand), self.deck.held(_cards_of(board))
        node = _node_at(self.betting, path)
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


_DIGITS = 3


@dataclass(frozen=True, kw_only=True)
class AmountOfChips(Reader):
    """An amount of chips (`400`) or of big blinds (`200bb`)."""

    CHIPS: ClassVar[str] = CHIPS
    BIG_BLINDS: ClassVar[str] = "bb"
    example: str = "200bb"

    def read(self, word: str, where: str) -> Amount:
        number = _chips(word.removesuffix(self.BIG_BLINDS))
        if number is None:
            raise InputError(
                f"{where} is an amount of chips, such as 400, or of big blinds, such as 200bb, not {quoted(word)}"
            )
        return Amount(number, self.BIG_BLINDS if word.endswith(self.BIG_BLINDS) else CHIPS)

    def write(self, value: Any) -> str:
        return str(value) if isinstance(value, Amount) else number_text(value)


@dataclass(frozen=True, kw_only=True)
class Blinds(Reader):
    """The small and the big blind in chips: `50/100`."""

    example: str = "50/100"

    def read(self, word: str, where: str) -> tuple[float, float]:
        small, _, big = word.partition("/")
        pair = _chips(small), _chips(big)
        if pair[0] is None or pair[1] is None:
            raise InputError(f"{where} are two amounts of chips, as in 50/100, not {quoted(word)}")
        return pair[0], pair[1]

    def write(self, value: Any) -> str:
        return "/".join(number_text(chips) for chips in value)


@dataclass(frozen=True, kw_only=True)
class CardCount(Reader):
    """A number of cards, four of each rank."""

    example: str = "20"

    def read(self, word: str, where: str) -> int:
        count = whole_of(word, _DIGITS) or 0
        if count % len(SUITS) or not 0 < count <= len(FULL.cards):
            raise InputError(f"{where} is a number of cards, four of each rank, up to 52, not {quoted(word)}")
        return count


def rank_of(word: str) -> str:
    """A rank, as decks write it."""
    return RANKS[Deck.from_rank(word).cards[0] // len(SUITS)]


def _chips(word: str) -> float | None:
    """A finite number of at least 0; None if the word is none."""
    try:
        number = float(word)
    except ValueError:
        return None
    return number if 0.0 <= number < inf else None


HOLDEM, FHP = HEADS = ("holdem", "fhp")
MOST_RAISES = 20
"""The largest cap on bets and raises."""
_FORMS = "holdem:flop, holdem:limit, or the stacks, as in holdem:stack=200bb,bets=fcpa"
_FLOP, _LIMIT = _GAMES = ("flop", "limit")
_DECK = frozenset({"deck", "lowest", "buckets"})
_KEYS = {_FLOP: _DECK | {"raises"}, _LIMIT: _DECK, None: _DECK | {"stack", "bets", "blinds", "last"}}
_BLINDS, _SIZES = (50.0, 100.0), "fcpa"


@dataclass(frozen=True, repr=False)
class HoldemSpec(Record):
    """A whole game of hold'em: the record of a text such as `holdem:stack=200bb,bets=fcpa`. What is None is as usual.

    Attributes:
        game: `flop`, `limit`, or None for no-limit.
        raises: most bets and raises on a street of Flop Hold'em (3).
        stack: both stacks of no-limit, in chips or big blinds.
        bets: bet sizes of no-limit (`fcpa`).
        blinds: small and big blind of no-limit, in chips (50/100).
        last: the last street of no-limit (river).
        lowest: lowest rank of the deck (2).
        deck: number of cards, the highest ranks; instead of `lowest`.
        buckets: card abstraction of blueprints.

    Raises:
        InputError: an invalid field, or one that the game does not have.
    """

    HEAD = HOLDEM
    game: Annotated[str | None, OneOf(what="the game", words=_GAMES)] = None
    raises: Annotated[int | None, Whole(least=1, most=MOST_RAISES)] = field(default=None, kw_only=True)
    stack: Annotated[Amount | str | float | None, AmountOfChips()] = field(default=None, kw_only=True)
    bets: Annotated[str | None, Reader()] = field(default=None, kw_only=True)
    blinds: Annotated[tuple[float, float] | None, Blinds()] = field(default=None, kw_only=True)
    last: Annotated[str | None, OneOf(words=STREETS[1:])] = field(default=None, kw_only=True)
    lowest: Annotated[str | None, Parsed(parse=rank_of)] = field(default=None, kw_only=True)
    deck: Annotated[int | None, CardCount()] = field(default=None, kw_only=True)
    buckets: Annotated[str | None, Reader()] = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        named = {name for name, value in vars(self).items() if value is not None} - {"game"}
        for name in vars(self):
            if name in named - _KEYS[self.game]:
                raise InputError(f"{self.HEAD}:{self.game or 'stack=...'} takes no {quoted(name)}; write {_FORMS}")
        if self.game is None and self.stack is None:
            raise InputError(f"{quoted(self)} is no game: write {_FORMS}")
        if self.deck is not None and self.lowest is not None:
            raise InputError(f"{quoted(self)}: deck and lowest say the same")

    def __repr__(self) -> str:
        return by_fields(self)

    def make(self, name: str | None = None) -> Holdem:
        """The rules. name: for people; by default its text."""
        limits, buckets = self._limits(), None
        sizes = "" if self.game is not None else self.bets or _SIZES
        lowest = RANKS[-(self.deck // len(SUITS))] if self.deck is not None else self.lowest or RANKS[0]
        if self.buckets is not None:
            from counterplay.card_abstraction.make_buckets import read_abstraction  # kernels, which few need

            try:
                buckets = read_abstraction(self.buckets, limits.last)
            except InputError as error:
                raise InputError(f"{quoted(self)}: {error}") from None
        return Holdem(limits, sizes, Deck.from_rank(lowest), name or str(self), buckets)

    def _limits(self) -> BettingRules:
        if self.game == _FLOP:
            return flop_holdem() if self.raises is None else flop_holdem(self.raises)
        if self.game == _LIMIT:
            return limit_holdem()
        small, big = (_plain(chips) for chips in self.blinds or _BLINDS)
        assert isinstance(self.stack, Amount)
        stack = _plain(self.stack.number) * (1 if self.stack.unit == AmountOfChips.CHIPS else big)
        if stack <= small:
            raise InputError(f"a stack of {self.stack} is all in with the small blind, which leaves nothing to decide")
        return no_limit(stack, blinds=(small, big), last=self.last or STREETS[-1])


def is_whole_game(source: object) -> bool:
    """Return whether a text or a record names a whole game of hold'em."""
    return isinstance(source, HoldemSpec) or (isinstance(source, str) and source.partition(":")[0] in HEADS)


@lru_cache(maxsize=8)
def read_holdem(source: str | HoldemSpec) -> Holdem:
    """The game of a text or record; equal ones name the same game, whose boards are made once."""
    if isinstance(source, HoldemSpec):
        return source.make()
    head, _, rest = source.partition(":")
    if head != FHP:
        return HoldemSpec.from_text(source).make(source)
    words = split_words(source, rest)
    if words.bare or not set(words.options) <= {"raises", "lowest"}:
        raise InputError(f"{quoted(source)} is not Flop Hold'em: write fhp, or fhp:raises=2,lowest=T")
    return HoldemSpec.from_text(f"{HOLDEM}:{','.join([_FLOP, rest] if rest else [_FLOP])}").make(source)


def _plain(chips: float) -> float:
    return int(chips) if float(chips).is_integer() else chips
