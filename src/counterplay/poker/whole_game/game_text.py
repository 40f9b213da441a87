"""Texts of whole games of hold'em.

    holdem:flop                            Flop Hold'em; raises=2 is another cap
    holdem:limit                           limit hold'em
    holdem:stack=200bb,bets=fcpa           no-limit, both stacks in big blinds or chips; blinds=50/100
    holdem:deck=20,stack=4bb,bets=[a; river: 50%, a],last=turn

`deck` is how many cards, the highest ranks of four suits, `lowest` its lowest rank; `last` is the last street; `bets` are
bet sizes (`betting.bet_sizes`), in brackets where they hold a comma. `buckets=50` (on every street, or `5k/5k/1k` street by
street from the flop, or `quick`) says how blueprints put hands together, and `buckets=moments:5k/5k/1k` by which card
abstraction (`abstraction`); without it nothing is put together where all boards can be listed. `fhp` is `holdem:flop`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from counterplay.errors import InputError, quoted
from counterplay.poker.betting.rules import STREETS, BettingRules, flop_holdem, limit_holdem
from counterplay.poker.betting.rules import holdem as no_limit
from counterplay.poker.cards.deck import FULL, RANKS, SUITS, Deck
from counterplay.poker.whole_game.rules import Holdem
from counterplay.texts.grammar import SplitWords, split_words

if TYPE_CHECKING:
    from counterplay.poker.whole_game.abstraction.abstraction_record import Abstraction

HOLDEM, FHP = HEADS = ("holdem", "fhp")
MOST_RAISES = 20
"""The largest cap on bets and raises."""
_KEYS = {
    "flop": {"raises", "lowest", "deck", "buckets"},
    "limit": {"lowest", "deck", "buckets"},
    "": {"stack", "bets", "blinds", "last", "lowest", "deck", "buckets"},
}
_BIG_BLINDS = "bb"


def is_whole_game(text: object) -> bool:
    """Whether a text names a whole game of hold'em."""
    return isinstance(text, str) and text.partition(":")[0] in HEADS


@lru_cache(maxsize=8)
def read_holdem(text: str) -> Holdem:
    """The game that a text names; equal texts name the same one, whose boards are made once.

    Raises:
        InputError: another word, or a number that does not fit.
    """
    head, _, rest = text.partition(":")
    words = split_words(text, rest)
    if head == FHP and not words.bare and set(words.options) <= {"raises", "lowest"}:
        words.bare.append("flop")
    elif head != HOLDEM:
        raise InputError(f"'{text}' is not Flop Hold'em: write fhp, or fhp:raises=2,lowest=T")
    kind = words.bare[0] if words.bare else ""
    if len(words.bare) > 1 or kind not in _KEYS or not set(words.options) <= _KEYS[kind]:
        listed = "holdem:flop, holdem:limit or holdem:stack=200bb,bets=fcpa"
        wrong = next((word for word in (*words.bare[1:], *words.options) if word not in _KEYS.get(kind, ())), kind)
        raise InputError(f"{quoted(text)}: {quoted(wrong)} is no word of it; write {listed}, with {_listed(kind)}")
    if not kind and "stack" not in words.options:
        raise InputError(f"{quoted(text)}: write holdem:flop, holdem:limit, or the stacks, as in holdem:stack=200bb")
    rules, sizes = _rules(text, kind, words)
    return Holdem(rules, sizes, _deck(text, words), text, _buckets(text, words, rules.last))


def _listed(kind: str) -> str:
    return ", ".join(f"{key}=" for key in sorted(_KEYS.get(kind, _KEYS[""])))


def _rules(text: str, kind: str, words: SplitWords) -> tuple[BettingRules, str]:
    """Betting rules and sizes of bets."""
    if kind == "flop":
        cap = words.options.get("raises", "3")
        if not cap.isdecimal() or not 1 <= int(cap[:4]) <= MOST_RAISES:
            raise InputError(f"'{text}': raises is a whole number from 1 to {MOST_RAISES}, not {quoted(cap)}")
        return flop_holdem(int(cap)), ""
    if kind == "limit":
        return limit_holdem(), ""
    last = words.options.get("last", STREETS[-1])
    if last not in STREETS[1:]:
        raise InputError(f"'{text}': last is {', '.join(STREETS[1:])}, not {quoted(last)}")
    small, _, big = words.options.get("blinds", "50/100").partition("/")
    blinds = _chips(text, small), _chips(text, big)
    stack = words.options["stack"]
    chips = _chips(text, stack.removesuffix(_BIG_BLINDS)) * (blinds[1] if stack.endswith(_BIG_BLINDS) else 1.0)
    return no_limit(chips, blinds=blinds, last=last), words.options.get("bets", "fcpa")


def _chips(text: str, word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = -1.0
    if not 0.0 <= number < float("inf"):
        raise InputError(f"'{text}': {quoted(word)} is no amount of chips, such as 200, or 200bb for a stack")
    return int(number) if number.is_integer() else number


def _deck(text: str, words: SplitWords) -> Deck:
    if "deck" not in words.options:
        return Deck.from_rank(words.options.get("lowest", "2"))
    count = words.options["deck"]
    if "lowest" in words.options:
        raise InputError(f"'{text}': deck and lowest say the same")
    if not count.isdecimal() or int(count[:4]) % len(SUITS) or not 0 < int(count[:4]) <= len(FULL.cards):
        raise InputError(f"'{text}': deck is a number of cards, four of each rank, up to 52, not {quoted(count)}")
    return Deck.from_rank(RANKS[-(int(count) // len(SUITS))])


def _buckets(text: str, words: SplitWords, last: int) -> Abstraction | None:
    """How blueprints put hands together; None where the text does not say."""
    listed = words.options.get("buckets")
    if listed is None:
        return None
    from counterplay.poker.whole_game.abstraction.make_buckets import read_abstraction  # kernels, which few texts need

    try:
        return read_abstraction(listed, last)
    except InputError as error:
        raise InputError(f"{quoted(text)}: {error}") from None
