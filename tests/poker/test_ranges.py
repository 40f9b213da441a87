"""Ranges and their notation, and the 13×13 grid."""

from __future__ import annotations

import io
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterplay import InputError
from counterplay.poker.cards.deck import FULL, SIX_PLUS, Deck, cards_of, hand_text
from counterplay.poker.ranges import grid
from counterplay.poker.ranges.range import NOTATIONS, Range
from tests.support.covering import covering

SEEDS = st.integers(0, 2**32 - 1)
TOY = Deck(cards_of("2c 2d 5c 5d 5h 8c 8d Ac Ad Ah As"))  # ranks with gaps, suits that lack cards
EVERY_DECK = [FULL, SIX_PLUS, TOY]
DECKS = pytest.mark.parametrize("deck", EVERY_DECK, ids=["52", "36", "11"])


def names(text: str) -> set[str]:
    """The classes that a range holds."""
    given = Range.parse(text)
    return {grid.cell_name(cell) for cell in grid.cells()[given.weights > 0]}


# Reading


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("QQ+", "QQ KK AA"),
        ("22-55", "22 33 44 55"),
        ("55-22", "22 33 44 55"),
        ("AKs", "AKs"),
        ("AK", "AKs AKo"),
        ("KA", "AKs AKo"),
        ("A5s-A2s", "A5s A4s A3s A2s"),
        ("A2s - A5s", "A5s A4s A3s A2s"),
        ("ATo+", "ATo AJo AQo AKo"),
        ("KT+", "KTs KJs KQs KTo KJo KQo"),
        ("T9s+", "T9s"),
        ("T9s-76s", "T9s 98s 87s 76s"),
        ("QTo-86o", "QTo J9o T8o 97o 86o"),
        ("aKS, qq", "AKs QQ"),
        ("AA,,\nKK,", "AA KK"),
    ],
)
def test_terms_mean_these_classes(text: str, classes: str) -> None:
    assert names(text) == set(classes.split())


def test_classes_have_six_four_and_twelve_hands() -> None:
    for text, hands in {"77": 6, "A7s": 4, "A7o": 12, "A7": 16, "random": 1326, "any two": 1326, "AhKs": 1}.items():
        assert Range.parse(text).weights.sum() == hands


def test_later_terms_override_earlier_ones() -> None:
    given = Range.parse("QQ+:0.5,AsAh:0.25,KK,AdAc:0")
    weight = {hand_text(hand): given.weights[k] for k, hand in enumerate(FULL.hands)}
    assert weight["AsAh"] == 0.25
    assert weight["AdAc"] == 0
    assert weight["AsAd"] == weight["QhQc"] == 0.5
    assert weight["KsKd"] == 1
    assert Range.parse("AhAs:0.25").weights[FULL.hand(*cards_of("As Ah"))] == 0.25


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the range '' is empty"),
        (" , ", "is empty"),
        ("AA:0", "the range 'AA:0' is empty"),
        ("KK,QX", "cannot read 'QX' in a range"),
        ("hello", "cannot read 'hello'"),
        ("QQ++", r"cannot read 'QQ\+\+'"),
        ("AA-", "cannot read 'AA-'"),
        ("AcKc+", r"cannot read 'AcKc\+'"),
        ("AA:1.5", "the term 'AA:1.5': the weight must be between 0 and 1"),
        ("AA:-0.1", "the term 'AA:-0.1': the weight must be between 0 and 1"),
        ("AA:nan", "the term 'AA:nan': the weight must be between 0 and 1"),
        ("KK, AA:x", "the term 'AA:x': the weight must be a number"),
        ("AA:", "the term 'AA:': the weight must be a number"),
        ("AAs", "'AAs' is a pair, .* write AA"),
        ("AhAh", "the term 'AhAh' is not a hand: the card Ah is given twice"),
        ("AA-AK", "the run 'AA-AK' must keep"),
        ("AKs-AQo", "the run 'AKs-AQo' must keep"),
        ("AKs-QTs", "the run 'AKs-QTs' must keep"),
    ],
)
def test_bad_terms_are_named(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Range.parse(text)


def test_a_deck_without_the_hands_refuses_the_term() -> None:
    assert Range.parse("22+", SIX_PLUS).weights.sum() == 9 * 6
    with pytest.raises(InputError, match="the term '55' contains no hand of the deck"):
        Range.parse("AA,55", SIX_PLUS)
    with pytest.raises(InputError, match="the term '2c2d' is not a hand: the deck has no card 2"):
        Range.parse("2c2d", SIX_PLUS)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.zeros(1326), "the range is empty"),
        (np.ones(1325), r"1326 weights, not \(1325,\)"),
        (np.where(np.arange(1326) == 0, 2.0, 1.0), "the weight of 2d2c must be from 0 to 1, not 2.0"),
        (np.where(np.arange(1326) == 1325, np.nan, 1.0), "the weight of AsAh must be from 0 to 1, not nan"),
    ],
)
def test_weights_that_are_no_range_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Range(weights)


# Writing


@DECKS
@given(seed=SEEDS, odd=st.integers(0, 60), values=st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_what_is_written_reads_back(deck: Deck, seed: int, odd: int, values: list[float]) -> None:
    rng = np.random.default_rng(seed)
    runs = np.repeat(rng.integers(0, len(values), 169), rng.integers(1, 9, 169))[:169]
    weights = np.array(values)[runs][grid.cells(deck)]
    some = rng.integers(0, len(weights), odd)
    weights[some] = rng.random(odd)
    weights[rng.integers(0, len(weights))] = 1.0  # never empty
    given = Range(weights, deck)
    assert np.array_equal(Range.parse(str(given), deck).weights, given.weights)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("AA,KK,QQ", "QQ+"),
        ("22-55", "55-22"),
        ("AK,AQ,AJ", "AJ+"),
        ("AKs,AQs", "AQs+"),
        ("A5s-A2s,KQo:0.5", "A5s-A2s,KQo:0.5"),
        ("22+,A2+,K2+,Q2+,J2+,T2+,92+,82+,72+,62+,52+,42+,32", "random"),
        ("any two:0.5", "random:0.5"),
        ("AA:0.5,AsAh", "AA:0.5,AsAh"),
        ("random,7h2c:0", "random,7h2c:0"),
        ("KsAh:0.25", "AhKs:0.25"),
    ],
)
def test_equal_classes_are_written_together(text: str, written: str) -> None:
    assert str(Range.parse(text)) == written


# Boards


def test_a_board_takes_hands_away() -> None:
    assert Range.parse("AA,KK").without("As 7d 2c").weights.sum() == 3 + 6
    assert Range.full().without("As 7d 2c").weights.sum() == comb(49, 2)
    with pytest.raises(InputError, match="the board As Ah 2c blocks every hand of the range 'AhAd,AsAc'"):
        Range.parse("AdAh,AcAs").without("As Ah 2c")
    with pytest.raises(InputError, match="the deck has no card 2c"):
        Range.full(SIX_PLUS).without("2c")


# The grid


def test_aces_come_first_and_suited_hands_stand_above_the_diagonal() -> None:
    assert [grid.cell_name(cell) for cell in (0, 1, 13, 14, 167, 168)] == ["AA", "AKs", "AKo", "KK", "32o", "22"]
    counts = np.bincount(grid.cells()).reshape(13, 13)
    assert (np.diag(counts) == 6).all()
    assert (counts[np.triu_indices(13, 1)] == 4).all()
    assert (counts[np.tril_indices(13, -1)] == 12).all()


@DECKS
@given(seed=SEEDS)
def test_a_grid_of_weights_is_a_range_with_these_means(deck: Deck, seed: int) -> None:
    weights = np.random.default_rng(seed).random((13, 13))
    means = grid.to_grid(Range.from_grid(weights, deck).weights, deck=deck)
    held = np.isin(np.arange(169), grid.cells(deck)).reshape(13, 13)
    np.testing.assert_allclose(means[held], weights[held], rtol=1e-12)
    assert np.isnan(means[~held]).all()


def test_a_grid_can_be_a_text() -> None:
    rows = ["1" + " 0" * 12, "0.5" + ",0" * 12, ""] + [" 0" * 13] * 11
    assert str(Range.from_grid("\n".join(rows))) == "AA,AKo:0.5"


@pytest.mark.parametrize("bad", ["1 2 3", "x " * 13, "1 1\n1", np.ones((13, 12)), []])
def test_what_is_no_grid_is_refused(bad: Any) -> None:
    with pytest.raises(InputError, match="the grid of a range must be 13 rows of 13 numbers"):
        Range.from_grid(bad)


def test_means_are_weighted_and_ignore_hands_without_weight() -> None:
    weights = Range.parse("AsAh,AcAd:0.5").weights
    values = np.full((1326, 2), np.nan)
    values[FULL.hand(*cards_of("AsAh"))] = 1, 0
    values[FULL.hand(*cards_of("AcAd"))] = 4, 3
    means = grid.to_grid(values, weights)
    assert means[0, 0].tolist() == [2, 1]
    assert np.isnan(means).sum() == 2 * 168
    with pytest.raises(InputError, match=r"weights ≥ 0 of 1326 hands, not \(3,\) and \(1326,\)"):
        grid.to_grid([1, 2, 3])
    with pytest.raises(InputError, match="weights ≥ 0"):
        grid.to_grid(values, -weights)


def strategy() -> tuple[Any, tuple[str, ...], Any]:
    """Aces bet, kings call three times in five, queens fold."""
    rows = np.zeros((1326, 3))
    rows[:, 0] = 1
    for text, row in {"AA": (0, 0, 1), "KK": (0.4, 0.6, 0)}.items():
        rows[Range.parse(text).weights > 0] = row
    return rows, ("fold", "call", "bet 50"), Range.parse("QQ+").weights


def test_letters_share_a_cell_like_the_probabilities() -> None:
    lines = grid.strategy_lines(*strategy())
    assert len(lines) == 1 + 13 + 3
    assert lines[-2] == grid.KEY
    assert lines[1].split()[:3] == ["A", "bbbbb", "....."]
    assert lines[2].split()[:3] == ["K", ".....", "ffccc"]
    assert lines[3].split()[:4] == ["Q", ".....", ".....", "fffff"]
    assert lines[-1] == "f = fold 46.7%   c = call 20.0%   b = bet 50 33.3%"
    assert max(map(len, lines)) <= 120


@pytest.mark.parametrize(
    ("text", "row", "column", "cell"),
    [
        ("AA:0.5", 0, 0, "bbb.."),  # 2.5 letters, rounded up
        ("KK:0.5", 1, 1, "fcc.."),  # two fifths fold: of three letters one
        ("KK:0.2", 1, 1, "c...."),
        ("KK:0.001", 1, 1, "c...."),
        ("KK:0.00099", 1, 1, "....."),
        ("AhAd", 0, 0, "b...."),  # one of six hands
        ("QQ:1e-11", 2, 2, "....."),
        ("72o:0.9999999999", 12, 7, "fffff"),
    ],
)
def test_a_cell_is_filled_as_far_as_its_class_is_there(text: str, row: int, column: int, cell: str) -> None:
    rows, actions, _ = strategy()
    lines = grid.strategy_lines(rows, actions, Range.parse(text).weights)
    assert lines[1 + row].split()[1 + column] == cell


def test_cards_of_the_board_are_not_missed() -> None:
    """With the king of spades on the board three of six pairs of kings are left: all of them are a whole cell."""
    rows, actions, _ = strategy()
    weights = Range.parse("KK").without(cards_of("Ks")).weights
    cell = [grid.strategy_lines(rows, actions, weights, board=board)[2].split()[2] for board in ((), cards_of("Ks"))]
    assert cell == ["fcc..", "ffccc"]


def test_a_bar_in_colours_is_as_long_as_one_in_letters() -> None:
    rows, actions, _ = strategy()
    text = grid.strategy_text(rows, actions, Range.parse("AA:0.5").weights)
    styles = [next(str(span.style) for span in text.spans if span.start <= k < span.end) for k in range(5)]
    assert styles[:3] == [styles[0]] * 3 != ["dim"] * 3
    assert styles[3:] == ["dim"] * 2


def seen(colour: str, eye: Any) -> Any:
    """CIE Lab of a colour, by eyes that lack a kind of cones (Viénot, Brettel and Mollon 1999) or none."""
    light = np.clip(eye @ [grid.linear(channel) for channel in grid.rgb(colour)], 0, 1)
    to_xyz = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    x, y, z = (
        np.cbrt(c) if c > 216 / 24389 else (24389 / 27 * c + 16) / 116 for c in to_xyz @ light / [0.95047, 1, 1.08883]
    )
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


PROTAN = [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]]
DEUTAN = [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]


@pytest.mark.parametrize("eye", [np.eye(3), np.array(PROTAN), np.array(DEUTAN)], ids=["all", "protan", "deutan"])
@pytest.mark.parametrize("bets", [1, 2, 3, 5])
def test_colours_of_actions_are_told_apart_by_all_eyes(eye: Any, bets: int) -> None:
    """15 in CIE Lab is several times what can just be seen; bets also differ in lightness, and get darker."""
    shown = grid.colours(["fold", "call", *(f"raise {k}" for k in range(bets))])
    places = [seen(colour, eye) for colour in shown]
    apart = [np.linalg.norm(one - other) for k, one in enumerate(places) for other in places[:k]]
    assert min(apart) > 15
    assert (np.diff([place[0] for place in places[2:]]) < -12).all()


def test_letters_can_be_read_on_every_colour() -> None:
    """A contrast of 3 : 1 or more, as the guidelines of the web ask of bold letters."""
    for colour in grid.colours(["fold", "call", *(f"bet {k}" for k in range(9))]):
        light = grid.luminance(grid.rgb(colour))
        ink = 1.0 if grid.style(colour).startswith("white") else 0.0
        assert (max(light, ink) + 0.05) / (min(light, ink) + 0.05) >= 3.0


def test_a_short_deck_shows_its_own_ranks() -> None:
    lines = grid.strategy_lines(np.ones((630, 1)), ["check"], deck=SIX_PLUS)
    assert [line[0] for line in lines[1:10]] == list("AKQJT9876")
    assert all(line.split()[1:] == ["ccccc"] * 9 for line in lines[1:10])


def test_actions_with_one_first_letter_get_letters_of_their_own() -> None:
    last = grid.strategy_lines(np.full((1326, 3), 1 / 3), ["bet 33", "bet 75", "bet 150"])[-1]
    assert [part.split()[0] for part in last.split("   ")] == ["b", "a", "c"]


def test_a_hand_that_does_nothing_is_empty() -> None:
    assert grid.strategy_lines(np.zeros((1326, 2)), ["check", "bet"])[1].split()[1:] == ["....."] * 13


def test_colours_only_where_there_are_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    plain = io.StringIO()
    grid.show_strategy(*strategy(), file=plain)
    assert plain.getvalue().splitlines() == grid.strategy_lines(*strategy())
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm-256color")
    coloured = io.StringIO()
    grid.show_strategy(*strategy(), file=coloured)
    assert "\x1b[" in coloured.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    refused = io.StringIO()
    grid.show_strategy(*strategy(), file=refused)
    assert refused.getvalue() == plain.getvalue()


def test_a_class_is_its_name_on_a_bar_of_colours() -> None:
    text = grid.strategy_text(*strategy())
    letters, row = text.plain.splitlines(), 13 * 6 + 1  # five letters and a blank a class; a line ends

    def style(at: int) -> str:
        return next(str(span.style) for span in text.spans if span.start <= at < span.end)

    assert letters[0].split()[:3] == ["AA", "AKs", "AQs"]
    assert letters[1].split()[:3] == ["AKo", "KK", "KQs"]
    bet, nothing = style(0), style(6)
    fold, call = style(row + 6), style(row + 6 + 2)
    assert len({bet, nothing, fold, call}) == 4
    assert {style(2 * row + 12 + k) for k in range(5)} == {fold}
    assert [style(text.plain.index(name)) for name in (" fold", " call", " bet 50")] == [fold, call, bet]


def test_probabilities_must_fit_the_actions() -> None:
    with pytest.raises(
        InputError, match=r"probabilities of 2 actions for each hand, not an array of shape \(1326, 3\)"
    ):
        grid.strategy_lines(np.ones((1326, 3)), ["fold", "call"])


# Notations of other programs


@pytest.mark.parametrize(("deck", "notation"), covering(EVERY_DECK, list(NOTATIONS)))
@given(seed=SEEDS)
def test_every_notation_reads_back_to_the_same_weights(deck: Deck, notation: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.choice([0.0, 0.25, 1.0, rng.random()], len(deck.hands))
    weights[0] = 0.5
    again = Range.parse(Range(weights, deck).text(notation), deck).weights
    np.testing.assert_allclose(again, weights, rtol=0, atol=1e-11)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("[50.0]AK[/50.0]", "AK:0.5"),
        ("QQ+, [50.0]AKs,AQs[/50.0],[25]T9s[/25]", "QQ+,AKs:0.5,AQs:0.5,T9s:0.25"),
        ("AA,[ 12.5 ] AhKh , 22 [/12.5]", "AA,AhKh:0.125,22:0.125"),
        ("AK:50%, QQ:12.5%", "AK:0.5,QQ:0.125"),
    ],
)
def test_notations_of_other_programs_mean_these_weights(text: str, same: str) -> None:
    assert Range.parse(text).weights.tolist() == Range.parse(same).weights.tolist()


def test_notations_look_as_the_programs_write_them() -> None:
    given = Range.parse("QQ+,AKs:0.5")
    assert given.text("gto+") == "QQ+,[50.0]AKs[/50.0]"
    assert given.text("percent") == "QQ+,AKs:50.0%"
    numbers = given.text("pio").split()
    assert len(numbers) == 1326
    assert numbers[-1] == "1"  # AsAh
    assert numbers[0] == "0"  # 2d2c


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[50]AK", "is not closed"),
        ("AK[/50]", "is not closed"),
        ("[50]AK[/40]", r"the bracket '\[50\]' of a range is closed by '\[/40\]'"),
        ("[150]AK[/150]", "the weight must be between 0% and 100%, not '150%'"),
        ("[half]AK[/half]", "the weight must be a number"),
        ("[50]AK:0.5[/50]", "has a weight of its own"),
        ("AK:x%", "the weight must be a number"),
        ("0 1 0 1", "must have 1,326 of them, one for each hand, not 4"),
        (" ".join(["2"] * 1326), "weight 1 of a range: the weight must be between 0 and 1"),
        (" ".join(["1"] * 1325 + ["nan"]), "^weight 1,326 of a range: the weight must be between 0 and 1, not 'nan'$"),
        (
            " ".join(["1"] * 600 + ["AA"] + ["1"] * 1325),
            "^weight 601 of a range: the weight must be a number, not 'AA'$",
        ),
        (" ".join(["0"] * 1326), "^the range '0 0 0 .* is empty: no hand has a weight above 0$"),
        ("A " * 999, "^cannot read 'A A A .* in a range"),
        (f"AA:{'9' * 300}", "^the term 'AA:999"),
        (f"[{'5' * 300}]AK[/{'6' * 300}]", r"^the bracket '\[555.* of a range is closed by"),
        (f"AcKc-{'AcKc' * 300}", "^cannot read 'AcKc-"),
    ],
)
def test_wrong_notations_are_refused_in_one_short_sentence(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        Range.parse(text)
    assert len(str(error.value)) < 200


def test_an_unknown_notation_is_refused() -> None:
    with pytest.raises(InputError, match="notation 'holdem'"):
        Range.full().text("holdem")
