"""Card abstraction tables of decks with four streets: features against brute force, lanes against renamings of suits."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from counterplay import InputError
from counterplay.cache_folder import FOLDER
from counterplay.card_abstraction.emd import EMD
from counterplay.card_abstraction.k_means import fit_nested, metric_of
from counterplay.card_abstraction.make_buckets import make_buckets, read_abstraction, usual_abstraction
from counterplay.card_abstraction.make_tables import (
    VERSION,
    RunOuts,
    StreetTables,
    find_tables,
    load_tables,
    make_tables,
)
from counterplay.card_abstraction.moments import moments
from counterplay.card_abstraction.ochs import OCHS
from counterplay.card_abstraction.showdown_features import GROUPS, STEPS, board_strengths, card_sets
from counterplay.poker.cards.deck import FULL, Deck
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.boards import Board, GameBoards

SHORT = Deck.from_rank("T")
COUNTS = (12, 15, 10)


def silent(*_: object) -> None:
    """Progress that is not shown."""


@pytest.fixture(scope="module")
def boards() -> GameBoards:
    return GameBoards(SHORT, 3)


@pytest.fixture(scope="module")
def tables(boards: GameBoards) -> StreetTables:
    return make_tables(boards, EMD(COUNTS).features, COUNTS, 0, "emd", silent)


def drawn(boards: GameBoards, random: np.random.Generator) -> list[Board]:
    """A flop, and a turn and a river after it."""
    found, board = [], boards.root
    for _ in range(boards.last):
        board = boards.child(board, int(random.integers(len(boards.choices(board)[0]))))
        found.append(board)
    return found


def share(board: tuple[int, ...], hand: np.ndarray, rivals: np.ndarray, deck: Deck) -> float:
    """Share of the pot of one hand against those of `rivals` that may be dealt, counted one by one."""
    ranks = hand_ranks(board, deck=deck)
    mine = ranks[deck.numbers[hand[0], hand[1]]]
    met = [rank for rank, theirs, in_ in zip(ranks, deck.hands, rivals, strict=True)
           if in_ and rank >= 0 and not set(hand.tolist()) & set(theirs.tolist())]  # fmt: skip
    return float(np.mean([(mine > rank) + 0.5 * (mine == rank) for rank in met])) if met else 0.5


@pytest.mark.parametrize(("size", "different"), [(3, 1755), (4, 16432)])
def test_sets_of_cards_up_to_suits_are_counted_as_in_the_literature(size: int, different: int) -> None:
    sets = card_sets(FULL, size)
    assert (len(sets), sets.counts.sum()) == (different, len(sets.number))


def test_every_set_of_cards_is_turned_into_the_one_that_stands_for_it() -> None:
    sets = card_sets(SHORT, 4)
    for cards in combinations(SHORT.cards, 4):
        number, image = sets.find(cards)
        assert sorted(image[sets.position[list(cards)]].tolist()) == sets.cards[number].tolist()


def test_shares_of_the_pot_are_those_of_hands_compared_one_by_one() -> None:
    sets, random = card_sets(SHORT, 5), np.random.default_rng(1)
    found, everybody = board_strengths(sets), np.ones(len(SHORT.hands), np.bool_)
    for number in random.integers(0, len(sets), 4).tolist():
        board = tuple(np.asarray(SHORT.cards)[sets.cards[number]].tolist())
        hands = SHORT.hands[SHORT.live(board)]
        for place in random.integers(0, len(hands), 6).tolist():
            assert abs(found[number, place] - STEPS * share(board, hands[place], everybody, SHORT)) <= 0.5 + 1e-9


def test_shares_against_groups_are_those_of_hands_compared_one_by_one(boards: GameBoards, tables: StreetTables) -> None:
    last, random = tables.last, np.random.default_rng(2)
    for _ in range(3):
        river = drawn(boards, random)[-1]
        found = last.features(river)
        for place in random.integers(0, len(river.hand), 4).tolist():
            hand = SHORT.hands[river.hand[place]]
            for group in range(GROUPS + 1):
                rivals = (last.rivals == group) | (group == GROUPS)
                assert abs(found[place, group] - last.scale * share(river.cards, hand, rivals, SHORT)) <= 0.51


@pytest.mark.parametrize("size", [3, 4])
def test_run_outs_are_those_dealt_one_by_one(size: int) -> None:
    last = card_sets(SHORT, 5)
    outs, sets = RunOuts(last, np.arange(STEPS + 1, dtype=np.uint8)), card_sets(SHORT, size)
    board = sets.cards[len(sets) // 2]
    hand = sets.free(board)[[1, -2]]
    expected = np.zeros(STEPS + 1, int)
    for new in combinations(np.setdiff1d(sets.free(board), hand).tolist(), 5 - size):
        dealt = tuple(np.asarray(SHORT.cards)[[*board, *new]].tolist())
        won = share(dealt, np.asarray(SHORT.cards)[hand], np.ones(len(SHORT.hands), np.bool_), SHORT)
        expected[int(np.floor(STEPS * won + 0.5 + 1e-9))] += 1
    np.testing.assert_array_equal(outs.count(board, hand[None])[0], expected)


def test_lanes_do_not_hang_on_names_of_suits_nor_on_the_order_of_turn_and_river(
    boards: GameBoards, tables: StreetTables
) -> None:
    random = np.random.default_rng(3)
    for _ in range(10):
        river = drawn(boards, random)[-1]
        *flop, turn, last = river.cards
        other, turned = boards.find_board([*flop, last, turn])
        lanes, again = np.zeros(len(SHORT.hands), int), np.zeros(len(SHORT.hands), int)
        lanes[river.hand], again[other.hand] = tables.lanes_on(river)[1], tables.lanes_on(other)[1]
        low, high = turned[SHORT.hands[river.hand]].T
        np.testing.assert_array_equal(again[SHORT.numbers[low, high]], lanes[river.hand])


def test_equal_seeds_give_equal_tables_and_they_are_kept(
    boards: GameBoards, tables: StreetTables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    made = []

    def make() -> StreetTables:
        made.append(1)
        return make_tables(boards, EMD(COUNTS).features, COUNTS, 0, "emd", silent)

    def find() -> StreetTables:
        return find_tables(boards, "emd", make)

    first = find()
    assert find() is first, "those in use are shared"
    digests = {tables.digest, first.digest}
    del first
    digests.add(find().digest)  # from the file
    file = next((tmp_path / "tables").iterdir())
    file.write_bytes(file.read_bytes()[:-100] + b"x" * 100)
    digests.add(find().digest)
    assert len(made) == 2, "once for the empty folder, once for the damaged file"
    assert digests == {tables.digest}
    with pytest.raises(InputError, match="others"):
        load_tables(file, boards, "emd:1/2/3")


def test_the_lanes_of_a_seed_are_those_of_the_version(tables: StreetTables) -> None:
    """Cached tables are found by version: a change of lanes needs a new `make_tables.VERSION`, and a new digest here."""
    assert (VERSION, tables.digest[:16]) == (2, "1e92236f65ebd4d6")


@pytest.mark.parametrize("size", [3, 4])
def test_moments_are_those_of_equity_over_the_boards_to_come(size: int) -> None:
    outs = RunOuts(card_sets(SHORT, 5), np.arange(STEPS + 1, dtype=np.uint8))
    board = card_sets(SHORT, size).cards[7]
    counts = outs.count(board, card_sets(SHORT, size).free(board)[[[0, 1], [2, 9], [3, 5]]])
    for row, found in zip(counts, moments(counts), strict=True):
        equity = np.repeat(np.arange(STEPS + 1) / STEPS, row)
        apart = equity - equity.mean()
        skew = np.mean(apart**3) / np.mean(apart**2) if apart.any() else 0.0
        np.testing.assert_allclose(found, 1000 * np.array([equity.mean(), equity.std(), skew]), atol=0.51)


def test_the_nearest_centre_is_the_nearest_and_the_first_of_ties() -> None:
    random = np.random.default_rng(5)
    points, centres = (random.integers(0, 4, (count, 3)).astype(np.float32) for count in (200, 19))
    for absolute in (False, True):
        apart = np.abs(points[:, None] - centres) if absolute else (points[:, None] - centres) ** 2
        found = metric_of(absolute=absolute, whole=True).assign(points, np.ones(200), centres)
        np.testing.assert_array_equal(found.labels, apart.sum(axis=2).argmin(axis=1))
        np.testing.assert_array_equal(found.apart, apart.sum(axis=2).min(axis=1))


def test_k_means_of_two_levels_finds_clusters_that_lie_apart() -> None:
    random = np.random.default_rng(6)
    middle = np.array([(x, y) for x in range(0, 1000, 250) for y in range(0, 1000, 250)])
    points = (np.repeat(middle, 40, axis=0) + random.integers(-9, 10, (640, 2))).astype(np.float32)
    found, labels = fit_nested(points, np.ones(640), 16, random, absolute=True), np.empty(640, np.uint16)
    found.label(points, labels)
    apart = np.abs(points - found.clusters[labels]).sum(axis=1)
    assert len(found.clusters) == 16
    assert apart.mean() < 60, "a few clusters may be halved where others stay together"
    same = fit_nested(points[:5], np.ones(5), 40, random, absolute=True)
    assert len(same.clusters) == len(np.unique(points[:5], axis=0)), "no more clusters than points that differ"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("emd:5k/5k", "3 streets after the first"),
        ("ochs:5", "games that end on the flop"), ("emd:100k", "at most 65,536"), ("emd:0", "number up to"),
        ("emd:fast", "quick or default"), ("edm:5", "edm"), ("ochs", "needs buckets"), ("emd:5,groups=2", "groups"),
    ],
)  # fmt: skip
def test_texts_that_are_no_abstraction_are_refused(text: str, error: str) -> None:
    with pytest.raises(InputError, match=error):
        read_abstraction(text, 3)


def test_texts_of_abstractions() -> None:
    assert read_abstraction("5k/5000/1k", 3) == EMD((5000, 5000, 1000)) == read_abstraction("emd:5k/5k/1k", 3)
    assert read_abstraction("quick", 3).buckets_of(3) == (5000, 5000, 1000)
    assert read_abstraction("quick", 2).buckets_of(2) == (5000, 1000)
    assert str(read_abstraction("moments:169/20k/500/10,seed=3", 3)) == "moments:169/20k/500/10,seed=3"
    assert read_abstraction("169/200", 1) == OCHS((169, 200))


def test_classes_before_the_flop_stay_apart(boards: GameBoards) -> None:
    with pytest.raises(InputError, match="all 25 classes"):
        make_buckets(boards, EMD((169, 5, 5, 5)))


def test_the_full_deck_has_default_buckets_where_a_short_one_has_none() -> None:
    assert str(usual_abstraction(GameBoards(FULL, 3))) == "emd:default"
    assert str(usual_abstraction(GameBoards(SHORT, 3))) == "lossless"


@pytest.mark.slow
@pytest.mark.parametrize(("text", "lowest"), [("emd:quick", "2"), ("moments:quick", "2"), ("emd:500/500/200", "6")])
def test_tables_of_long_decks(text: str, lowest: str) -> None:
    deck = Deck.from_rank(lowest)
    boards = GameBoards(deck, 3)
    tables = make_buckets(boards, read_abstraction(text, 3))
    counts = read_abstraction(text, 3).buckets_of(3)
    assert counts is not None
    random = np.random.default_rng(7)
    for street, count in enumerate(counts, 1):
        lanes = int(tables.sizes_on(street)[0])
        assert 0.9 * count <= lanes <= count
    for _ in range(5):
        for board in drawn(boards, random):
            flop, later = board.cards[:3], board.cards[3:]
            turn = boards.turns[int(random.integers(len(boards.turns)))]
            other, _ = boards.find_board([*sorted(turn[list(flop)].tolist()), *turn[list(later)].tolist()])
            np.testing.assert_array_equal(tables.lanes_on(other)[1], tables.lanes_on(board)[1])
            assert tables.lanes_on(board)[1].max() < tables.sizes_on(board.street)[0]
