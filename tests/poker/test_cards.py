"""Cards, ranks of hands and equities: facts of the game, an independent evaluator, and plain counting."""

from __future__ import annotations

from itertools import combinations, permutations
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterplay import InputError
from counterplay.poker.cards import deck as cards
from counterplay.poker.cards import hand_rank
from counterplay.poker.cards.deck import FULL, SIX_PLUS, Deck, cards_of, cards_text
from counterplay.poker.cards.hand_rank import CATEGORIES, SIX_PLUS_RULES, STANDARD, HandRanking, hand_ranks
from counterplay.poker.ranges.equity import equity, hand_equities
from counterplay.poker.ranges.range import Range

SEEDS = st.integers(0, 2**32 - 1)
RULES = pytest.mark.parametrize(("deck", "rules"), [(FULL, STANDARD), (SIX_PLUS, SIX_PLUS_RULES)], ids=["52", "36"])
TOY = Deck(cards_of("Tc Td Th Jc Jd Jh Qc Qd Qh Kc Kd As"))
EVEN = Deck(cards_of("9c 9d 9h 9s Jc Jd Jh Js Ac Ad Ah As"))  # all 24 symmetries of the suits


def dealt(rng: np.random.Generator, deck: Deck, n: int, size: int) -> Any:
    """(n, size) random hands without repetition."""
    order = np.argpartition(rng.random((n, len(deck.cards))), size - 1, axis=1)[:, :size]
    return np.array(deck.cards)[order]


def rank(text: str, rules: HandRanking = STANDARD) -> int:
    return int(hand_rank.ranks([cards_of(text)], rules)[0])


# Cards and decks


def test_cards_are_four_times_rank_plus_suit() -> None:
    assert cards_of("2c 2d 2h 2s 3c As") == (0, 1, 2, 3, 4, 51)
    assert cards_of("qSjH 2h") == cards_of("Qs Jh 2h") == cards_of([43, 38, 2])
    assert cards_text(cards_of("Qs Jh 2h")) == "Qs Jh 2h"
    assert cards_of(cards_text(FULL.cards)) == FULL.cards == tuple(range(52))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("Qs Xh", "'Xh' is not a card"),
        ("Qs 1", "'1' is not a card"),
        ("Qx", "'Qx' is not a card"),
        ("10s", "'10' is not a card"),
        ("Qs Jh Qs", "the card Qs is given twice"),
        ([3, 52], "from 0 to 51, not 52"),
        ([-1], "from 0 to 51, not -1"),
        ([0.5], "from 0 to 51, not 0.5"),
        (["Qs"], "from 0 to 51, not Qs"),
    ],
)
def test_bad_cards_are_named(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        cards_of(given)


@pytest.mark.parametrize("deck", [FULL, SIX_PLUS, TOY], ids=["52", "36", "12"])
def test_every_pair_is_a_hand_with_its_number(deck: Deck) -> None:
    n = comb(len(deck.cards), 2)
    assert deck.hands.shape == (n, 2)
    assert {tuple(hand) for hand in deck.hands.tolist()} == set(combinations(deck.cards, 2))
    for low, high in (deck.hands.T, deck.hands.T[::-1]):
        assert np.array_equal(deck.numbers[low, high], np.arange(n))
    assert (deck.numbers >= 0).sum() == 2 * n


def test_a_board_leaves_the_pairs_of_the_other_cards() -> None:
    assert FULL.live("Qs Jh 2h").sum() == comb(49, 2)
    assert FULL.live(()).all()
    assert not FULL.live("Qs Jh 2h")[FULL.hand(*cards_of("Qs Ac"))]


def test_a_deck_holds_its_own_cards_only() -> None:
    assert SIX_PLUS.cards == tuple(range(16, 52))
    assert cards.hand_text(SIX_PLUS.hands[-1]) == "AsAh"
    with pytest.raises(InputError, match="the deck has no card 2c"):
        SIX_PLUS.live("6c 2c")
    with pytest.raises(InputError, match="the card As is given twice"):
        FULL.hand(51, 51)
    with pytest.raises(InputError, match=r"lowest rank of a deck must be one of .* not '1'"):
        Deck.from_rank("1")
    with pytest.raises(InputError, match="at least 2 cards, not 1"):
        Deck((7,))


# Ranks


@pytest.mark.parametrize("number", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_random_hands_are_ordered_as_eval7_orders_them(number: int) -> None:
    eval7 = pytest.importorskip("eval7")
    hands = dealt(np.random.default_rng(7), FULL, number, 7)
    peers = [eval7.Card(cards.card_text(card)) for card in FULL.cards]
    theirs = np.array([eval7.evaluate([peers[card] for card in hand]) for hand in hands.tolist()])
    ours = hand_rank.ranks(hands)
    order = np.argsort(ours, kind="stable")
    steps, theirs_steps = np.diff(ours[order]), np.diff(theirs[order])
    assert (theirs_steps >= 0).all()
    assert np.array_equal(steps > 0, theirs_steps > 0)


@pytest.mark.parametrize(
    ("deck", "rules", "counts"),
    [
        (FULL, STANDARD, [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]),
        (SIX_PLUS, SIX_PLUS_RULES, [122400, 193536, 36288, 16128, 6120, 480, 1728, 288, 24]),
    ],
    ids=["52", "36"],
)
def test_counts_of_all_hands_of_five(deck: Deck, rules: HandRanking, counts: list[int]) -> None:
    total = comb(len(deck.cards), 5)
    flat = (card for hand in combinations(deck.cards, 5) for card in hand)
    found = hand_rank.ranks(np.fromiter(flat, np.int8, 5 * total).reshape(total, 5), rules)
    assert np.bincount(hand_rank.categories(found, rules)).tolist() == counts
    if deck is FULL:
        assert len(np.unique(found)) == 7462  # the classes of hands that differ in value


@pytest.mark.slow
def test_counts_of_all_hands_of_seven() -> None:
    """The two lowest cards of a hand, and five above them: in lexicographic order those come last."""
    tails = np.fromiter((card for five in combinations(range(2, 52), 5) for card in five), np.int8).reshape(-1, 5)
    counts = np.zeros(9, np.int64)
    for first, second in combinations(range(47), 2):
        above = tails[len(tails) - comb(51 - second, 5) :]
        hands = np.empty((len(above), 7), np.int8)
        hands[:, :2], hands[:, 2:] = (first, second), above
        counts += np.bincount(hand_rank.categories(hand_rank.ranks(hands)), minlength=9)
    assert counts.sum() == comb(52, 7)
    assert counts.tolist() == [23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848, 41584]


@RULES
@given(seed=SEEDS, size=st.sampled_from([6, 7]))
def test_a_hand_is_worth_its_best_five_cards(deck: Deck, rules: HandRanking, seed: int, size: int) -> None:
    hands = dealt(np.random.default_rng(seed), deck, 200, size)
    fives = [hand_rank.ranks(hands[:, list(chosen)], rules) for chosen in combinations(range(size), 5)]
    assert np.array_equal(hand_rank.ranks(hands, rules), np.max(fives, axis=0))


@RULES
@given(seed=SEEDS, size=st.integers(2, 7))
def test_suits_and_order_do_not_matter(deck: Deck, rules: HandRanking, seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    hands = dealt(rng, deck, 200, size)
    turned = rng.permuted(hands // 4 * 4 + rng.permutation(4)[hands % 4], axis=1)
    assert np.array_equal(hand_rank.ranks(hands, rules), hand_rank.ranks(turned, rules))


def test_kickers_decide_and_a_sixth_card_does_not() -> None:
    assert rank("As Kd Qh 9c 3s 2d 4h") > rank("As Kd Qh 8c 7s 2d 4h")
    assert rank("As Ad Kh Qc 9s 3d 2h") == rank("Ah Ac Kd Qs 9c 4d 2s")
    assert rank("As Ad Kh Kc 2s 2d Qh") > rank("As Ad Kh Kc Js Jd Th")
    assert rank("2c 2d 2h 2s 3c 3d 3h") < rank("2c 2d 2h 2s 4c 3d 3h")
    assert rank("As 2d 3h 4c 5s Kd Kh") < rank("2s 3d 4h 5c 6s Kd Kh")


def test_six_plus_puts_flushes_first_and_the_ace_below_the_six() -> None:
    flush, full = "As Ks Qs Js 9s", "Ah Ac Ad Kh Kc"
    assert rank(flush) < rank(full) < rank("Ah Ac Ad As Kc")
    assert rank(full, SIX_PLUS_RULES) < rank(flush, SIX_PLUS_RULES) < rank("6h 6c 6d 6s 7c", SIX_PLUS_RULES)
    low = "Ah 6c 7d 8s 9h"
    assert CATEGORIES[rank(low) >> 26] == "high card"
    assert rank("Kh Kc Kd As Qc", SIX_PLUS_RULES) < rank(low, SIX_PLUS_RULES) < rank("6c 7d 8s 9h Th", SIX_PLUS_RULES)
    assert CATEGORIES[rank("Ah 6h 7h 8h 9h", SIX_PLUS_RULES) >> 26] == "straight flush"
    with pytest.raises(InputError, match="the lowest rank of a straight must be one of 23456789T, not 'J'"):
        HandRanking("J")


@RULES
@given(seed=SEEDS, shown=st.integers(3, 5))
def test_ranks_of_a_board_are_those_of_its_hands(deck: Deck, rules: HandRanking, seed: int, shown: int) -> None:
    board = dealt(np.random.default_rng(seed), deck, 1, shown)[0].tolist()
    found, live = hand_ranks(board, deck=deck, rules=rules), deck.live(board)
    rows = np.hstack([deck.hands[live], np.tile(board, (live.sum(), 1))])
    assert np.array_equal(found[live], hand_rank.ranks(rows, rules))
    assert (found[~live] == -1).all()
    assert np.array_equal(hand_ranks(cards_text(board), deck.hands[::7], deck=deck, rules=rules), found[::7])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hand_rank.ranks([[0, 1, 2, 3, 4], [0, 1, 2, 3, 52]]), r"row 1 is not a hand .*\[0, 1, 2, 3, 52\]"),
        (lambda: hand_rank.ranks([[0, 1, 2, 3, 0]]), r"row 0 is not a hand of different cards"),
        (lambda: hand_rank.ranks([[-1, 1, 2, 3, 0]]), r"row 0 is not a hand of different cards"),
        (lambda: hand_rank.ranks([0, 1, 2, 3, 4]), "rows of 2 to 7 whole numbers"),
        (lambda: hand_rank.ranks([[0.0, 1.0]]), "rows of 2 to 7 whole numbers, not float64"),
        (lambda: hand_rank.ranks([list(range(8))]), "rows of 2 to 7 whole numbers"),
        (lambda: hand_ranks("2c 3c 4c 5c 6c 7c"), "at most 5 cards, not 6"),
        (lambda: hand_ranks("2c 3c 4c", [[8, 8]]), "row 0 is not a hand of different cards"),
        (lambda: hand_ranks("2c 3c 4c", [8, 9]), "rows of 2 whole numbers"),
        (lambda: hand_ranks("2c 3c 4c", deck=SIX_PLUS), "the deck has no card 2c"),
    ],
)
def test_bad_hands_are_refused(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


# Equities


def counted(ours: Range, theirs: Range, board: tuple[int, ...], rules: HandRanking) -> tuple[Any, float]:
    """Equities of all hands and of the range, by every pair of hands on every board."""
    deck = ours.deck
    pairs = (deck.hands[:, None, :, None] != deck.hands[None, :, None, :]).all(axis=(2, 3))
    free = [card for card in deck.cards if card not in board]
    won, met = np.zeros(pairs.shape), np.zeros(pairs.shape)
    for more in combinations(free, 5 - len(board)):
        found = hand_ranks((*board, *more), deck=deck, rules=rules).astype(np.int64)
        both = pairs & (found >= 0)[:, None] & (found >= 0)
        won += both * (1 + np.sign(found[:, None] - found)) / 2
        met += both
    hands = np.divide(won @ theirs.weights, met @ theirs.weights, where=met @ theirs.weights > 0,
                      out=np.full(len(pairs), np.nan))  # fmt: skip
    return hands, float(ours.weights @ won @ theirs.weights / (ours.weights @ met @ theirs.weights))


@pytest.mark.parametrize("deck", [TOY, EVEN], ids=["uneven", "even"])
@given(seed=SEEDS, shown=st.sampled_from([0, 3, 4, 5]), text=st.sampled_from(["JJ+", "AJ:0.5,JJ", "random", ""]))
def test_equity_is_what_counting_gives(deck: Deck, seed: int, shown: int, text: str) -> None:
    rng = np.random.default_rng(seed)
    n = len(deck.hands)
    ours = Range(rng.random(n) * (rng.random(n) < 0.5), deck)
    theirs = Range.parse(text, deck) if text else Range(rng.random(n), deck)
    board = tuple(dealt(rng, deck, 1, 5)[0].tolist()[:shown])
    try:
        ours.without(board), theirs.without(board)
    except InputError:
        return  # nothing to count
    hands, whole = counted(ours, theirs, board, STANDARD)
    assert equity(ours, theirs, board) == pytest.approx(whole, abs=1e-12)
    assert equity(theirs, ours, board) == pytest.approx(1 - whole, abs=1e-12)
    np.testing.assert_allclose(hand_equities(theirs, board), hands, atol=1e-12)


def test_aces_against_kings() -> None:
    """By all 1,712,304 boards of each pair of hands; the number is known to every player."""
    assert equity(Range.parse("AA"), Range.parse("KK")) == pytest.approx(0.8195, abs=5e-4)


def test_equities_that_need_no_counting() -> None:
    royal, rest = Range.parse("AsKs"), Range.parse("random")
    assert equity(royal, rest, "Qs Js Ts") == 1.0
    assert equity(rest, rest, "As Ks Qs Js Ts") == 0.5
    assert equity(Range.parse("AhKh"), Range.parse("AdKd"), "2c 7c 9s") == 0.5
    kings = hand_equities(Range.parse("KK"), "2c 7d 9s Jh 3c")
    assert kings[FULL.hand(*cards_of("AsAh"))] == 1.0
    assert np.isnan(kings[FULL.hand(*cards_of("2cAh"))])
    assert np.isnan(hand_equities(Range.parse("AhKh"), "2c 7d 9s")[FULL.hand(*cards_of("AhAs"))])


@pytest.mark.parametrize("suits", list(permutations("cdhs"))[1:8])
def test_equity_does_not_change_with_the_names_of_suits(suits: tuple[str, ...]) -> None:
    def turned(text: str) -> str:
        return text.translate(str.maketrans(dict(zip("cdhs", suits, strict=True))))

    ours, theirs, board = "AhKs,QdQc:0.5,7h6h", "JsJd,ThTc,Ah5h:0.3", "9h 8h 2c"
    first = equity(Range.parse(ours), Range.parse(theirs), board)
    again = equity(*(Range.parse(turned(text)) for text in (ours, theirs)), turned(board))
    assert again == pytest.approx(first, abs=1e-14)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: equity(Range.full(), Range.full(SIX_PLUS)), "the same deck"),
        (lambda: equity(Range.parse("AsAh"), Range.parse("AsKs")), "no hand of AsAh can be dealt together with"),
        (lambda: equity(Range.parse("AsAh"), Range.full(), "As 2c 3c"), "the board As 2c 3c blocks every hand"),
        (lambda: equity(Range.full(), Range.full(), "2c 3c 4c 5c 6c 7c"), "6 cards .* board of five"),
        (lambda: hand_equities(Range.full(Deck((0, 1, 2, 3, 4)))), "0 cards of a deck of 5 cannot"),
    ],
)
def test_equities_that_do_not_exist_are_refused(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
