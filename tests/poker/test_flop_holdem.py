"""Flop Hold'em: flops and their isomorphism, exact values against enumeration of all deals."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from counterplay import InputError
from counterplay.blueprints.whole_game.board_subtree import board_problem
from counterplay.card_abstraction.card_abstraction import lossless
from counterplay.card_abstraction.ochs import cluster, load_buckets, save_buckets
from counterplay.poker.betting.rules import flop_holdem, holdem
from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import node_at
from counterplay.poker.cards.deck import FULL, Deck
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.blueprints.blueprint import blueprint, shuffle_blueprint
from counterplay.poker.whole_game.blueprints.blueprint_file import load, save
from counterplay.poker.whole_game.blueprints.street_regrets import memory_of
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.boards.board import flops_of
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.strategy import BucketedStrategy, ModelMixture, probabilities, reach, uniform
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.measure import best_response_value, hand_values, measure, value
from counterplay.solvers.minimiser import minimiser
from tests.support.flop_holdem import DECKS, few, flop_arrays, full, random_play, toy
from tests.support.ranked_boards import board_of


def test_flops_and_hands_are_as_many_as_the_paper_says() -> None:
    flops, arrays = full(), flop_arrays(full())
    assert (len(arrays.hand), arrays.counts.sum(), arrays.hand.shape[1]) == (1755, 22_100, 1176)
    assert arrays.lanes.sum() == 1_286_792  # Liu et al. 2022, appendix C
    assert sorted(set(flops.sizes.tolist())) == [4, 6, 12]
    assert {flops.name(g) for g in range(flops.classes)} >= {"AA", "AKs", "72o"}
    assert len({flops.name(g) for g in range(flops.classes)}) == flops.classes == 169
    assert flops.meets.sum() == 1326 * 1225
    weighted = np.bincount(arrays.at.ravel(), np.repeat(arrays.counts, 1176))
    np.testing.assert_array_equal(weighted, flops.sizes * 19_600)  # a hand leaves C(50, 3) flops


def test_a_flop_is_turned_into_the_one_that_stands_for_it() -> None:
    flops, rng = full(), np.random.default_rng(0)
    for _ in range(50):
        board = rng.choice(52, 3, replace=False)
        flop, turn = flops.find_board(board.tolist())
        assert sorted(turn[board]) == list(flop.cards)
        hand = rng.choice(np.setdiff1d(np.arange(52), board), 2, replace=False)
        place = int(np.flatnonzero(flop.hand == FULL.hand(*turn[hand]))[0])
        ranks = hand_ranks(flop.cards, FULL.hands[flop.hand])
        assert (np.diff(ranks) >= 0).all()
        assert ranks[place] == hand_ranks(board, hand[None])[0]
        assert flop.up[place] == flops.group[FULL.hand(*hand)]


def test_layouts_are_those_of_the_showdown_module() -> None:
    flops = full().after(full().root)
    for flop in (flops[0], flops[343], flops[1754]):
        hands = FULL.hands[flop.hand]
        known, made = board_of(hands, hand_ranks(flop.cards, hands)), flop.layout
        assert made is not None
        assert known[:3] == made[:3]
        np.testing.assert_array_equal(known.pairs, made.pairs)
        np.testing.assert_array_equal(known.steps, made.steps)


class Deals:
    """All deals of a small deck, one by one, and the betting tree walked with a number for each: no flop stands for
    another, nothing is sorted, and an information set is a hand with a board."""

    def __init__(self, game: HoldemGame) -> None:
        self.game, deck = game, game.deck
        self.boards = list(combinations(deck.cards, 3))
        rows = [
            (a, b, k)
            for a, first in enumerate(deck.hands.tolist())
            for b, second in enumerate(deck.hands.tolist())
            if not set(first) & set(second)
            for k, board in enumerate(self.boards)
            if not set(board) & {*first, *second}
        ]
        hands = np.array(rows).T
        self.hands, self.board = hands[:2], hands[2]
        ranks = np.array([hand_ranks(board, deck=deck) for board in self.boards])
        self.sign = np.sign(ranks[self.board, hands[0]] - ranks[self.board, hands[1]])
        self.known = [(hand, self.board * len(deck.hands) + hand) for hand in self.hands]
        turned = [game.boards.find_board(board) for board in self.boards]
        self.flop = [flop for flop, _ in turned]
        self.turned = [deck.numbers[turn[deck.hands[:, 0]], turn[deck.hands[:, 1]]] for _, turn in turned]

    def chances(self, play: Any, player: int, row: int, street: int) -> NDArray[Any]:
        """(deals,) the probability of an action."""
        group = self.game.boards.group
        if street == 0:
            return np.asarray(play.preflop[player][row, group[self.hands[player]]])
        by_board = np.zeros((len(self.boards), len(group)))
        for k, flop in enumerate(self.flop):
            table, lane = play.on(player, flop)
            on_flop = np.zeros(len(group))
            on_flop[flop.hand] = table[row, lane]
            by_board[k] = on_flop[self.turned[k]]
        return np.asarray(by_board[self.board, self.hands[player]])

    def value(self, plays: tuple[Any, Any], player: int) -> float:
        """Of a player; who has None for a strategy plays best."""
        start = np.ones(len(self.board))
        return float(self._walk(0, plays, player, start).sum() / len(self.board))

    def _walk(self, node: int, plays: tuple[Any, Any], player: int, reach: NDArray[Any]) -> NDArray[Any]:
        """(deals,) worth times the reach of those with a strategy."""
        betting = self.game.betting
        kind, children = int(betting.kind[node]), betting.children(node)
        if kind > Kind.DEAL:
            return reach * self._paid(node, kind, player)
        if kind == Kind.DEAL:
            return self._walk(children[0], plays, player, reach)
        street = int(betting.street[node])
        if plays[kind] is None:
            below = np.array([self._walk(child, plays, player, reach) for child in children])
            known = self.known[kind][min(street, 1)]
            best = np.argmax([np.bincount(known, row) for row in below], axis=0)
            return np.asarray(below[best[known], np.arange(len(known))])
        side = self.game.sides[kind]
        first = {row[0]: row[2] for row in (side.decisions[1] if street else side.preflop).tolist()}[node]
        parts = [self.chances(plays[kind], kind, first + k, street) for k in range(len(children))]
        return np.sum([self._walk(c, plays, player, reach * p) for c, p in zip(children, parts, strict=True)], axis=0)

    def _paid(self, node: int, kind: int, player: int) -> NDArray[Any]:
        betting = self.game.betting
        sign = self.sign * (1 - 2 * player) if kind == Kind.SHOWDOWN else np.full(len(self.sign), 1)
        if kind != Kind.SHOWDOWN and kind - Kind.FOLD0 == player:
            sign = -sign
        return np.choose(sign + 1, (betting.lose[node], betting.tie[node], betting.win[node]))


@pytest.mark.parametrize("deck", DECKS)
def test_values_and_best_responses_are_those_of_all_deals(deck: str) -> None:
    game = toy(deck, 1 if deck != "3 ranks, 3 suits" else 3)
    deals, play, other = Deals(game), random_play(game, 1), random_play(game, 2)
    assert deals.value((play, other), 0) == pytest.approx(value(game, play, other), abs=1e-12)
    assert deals.value((None, other), 0) == pytest.approx(best_response_value(game, other, 0), abs=1e-12)
    assert deals.value((play, None), 1) == pytest.approx(best_response_value(game, play, 1), abs=1e-12)


def test_an_early_all_in_is_shown_on_the_flop() -> None:
    game = holdem_game(holdem(6, blinds=(1, 2), last="flop"), "a", deck=DECKS["3 ranks, 3 suits"], dtype=np.float64)
    deals, play = Deals(game), random_play(game, 1)
    assert deals.value((play, play), 0) == pytest.approx(value(game, play, play), abs=1e-12)
    assert deals.value((None, play), 0) == pytest.approx(best_response_value(game, play, 0), abs=1e-12)


def test_random_play_in_the_whole_game() -> None:
    """Exploitable, and zero-sum."""
    found = measure(game := holdem_game(flop_holdem()), uniform(game))
    assert found.best[0] >= found.value >= -found.best[1]
    assert found.exploitability > 1000


@pytest.mark.parametrize("deck", ["5 ranks, 2 suits", pytest.param("all cards", marks=pytest.mark.slow)])
def test_random_play_is_worth_the_same_in_float32_and_float64(deck: str) -> None:
    cards = FULL if deck == "all cards" else DECKS[deck]
    games = (holdem_game(flop_holdem(), deck=cards, dtype=kind) for kind in ("f4", "f8"))
    found = [measure(game, uniform(game)) for game in games]
    assert found[0].exploitability == pytest.approx(found[1].exploitability, rel=1e-5)


def test_blind_play_is_worth_what_folds_are() -> None:
    """Who does not look at the cards wins as many showdowns as the other: only folds are left to count."""
    game = holdem_game(flop_holdem(), dtype="f8")
    betting, chance, worth = game.betting, np.ones(game.betting.nodes), 0.0
    for node in range(betting.nodes):
        for child in betting.children(node):
            chance[child] = chance[node] / len(betting.children(node))
        if betting.kind[node] in (Kind.FOLD0, Kind.FOLD1):
            worth += chance[node] * (betting.win[node] if betting.kind[node] == Kind.FOLD1 else betting.lose[node])
    assert value(game, uniform(game), uniform(game)) == pytest.approx(worth, abs=1e-12)


@pytest.mark.parametrize("player", [0, 1])
def test_who_checks_or_folds_loses_the_blind(player: int) -> None:
    game = holdem_game(flop_holdem(), dtype="f8")
    play = uniform(game)
    for side, early, (late,) in zip(game.sides, play.preflop, play.tables[0], strict=True):
        for table, decisions in ((early, side.preflop), (late, side.decisions[1])):
            for _, _, first, count in decisions:  # a menu begins with a fold, or else with a check
                table[first : first + count] = 0
                table[first] = 1
    assert best_response_value(game, play, player) == pytest.approx((1, 2)[player], abs=1e-12)


def test_values_are_zero_sum() -> None:
    game = toy("5 ranks, 2 suits")
    mirrored = replace(
        game, sides=game.sides[::-1], payoffs=(game.payoffs[0][::-1],), folded=game.folded[:, [1, 0, 3, 2]]
    )
    play = random_play(game, 5)
    turned = BucketedStrategy(play.buckets, play.preflop[::-1], (play.tables[0][::-1],))
    assert value(game, play, play) == pytest.approx(-value(mirrored, turned, turned), abs=1e-12)


def test_a_strategy_is_asked_by_cards() -> None:
    game = holdem_game(flop_holdem())
    play = blueprint(game, few(), iterations=20, seed=1).play
    node = node_at(game.betting, "raise 4, call, flop, bet 2")
    board, rng = (3, 22, 49), np.random.default_rng(0)
    found = probabilities(game, play, node, board)
    live = FULL.live(board)
    assert found.shape == (3, 1326)
    np.testing.assert_allclose(found.sum(axis=0), live, atol=1e-6)
    turn = np.arange(52) // 4 * 4 + rng.permutation(4)[np.arange(52) % 4]  # suits have no names
    hands = FULL.numbers[turn[FULL.hands[:, 0]], turn[FULL.hands[:, 1]]]
    np.testing.assert_array_equal(found, probabilities(game, play, node, turn[list(board)].tolist())[:, hands])
    before = probabilities(game, play, 0)[2]
    np.testing.assert_allclose(reach(game, play, 1, node, board), before * live, atol=1e-6)
    bets = probabilities(game, play, node_at(game.betting, "raise 4, call, flop"), board)[1]
    calls = probabilities(game, play, node_at(game.betting, "raise 4"))[1]
    np.testing.assert_allclose(reach(game, play, 0, node, board), calls * bets * live, atol=1e-6)
    with pytest.raises(InputError, match="needs a board of 3 cards"):
        probabilities(game, play, node)
    with pytest.raises(InputError, match="no player acts"):
        probabilities(game, play, int(game.entries[0]))


def test_a_flop_is_a_problem_like_any_other() -> None:
    """Its betting is that of the whole game, and so are its ranges: checked down, both are worth the same."""
    game = toy("5 ranks, 2 suits")
    play, board = random_play(game, 4), "Tc Jd Ac"
    entry = 3
    problem = board_problem(game, entry, board, play)
    node = int(game.entries[entry]) + 1
    for name in ("kind", "pot", "win", "lose", "tie"):
        whole = getattr(game.betting, name)[node : game.betting.end[node]]
        np.testing.assert_array_equal(whole, getattr(problem.betting, name))
    flop, turn = game.boards.find_board(board)
    alone = BucketedStrategy(  # both players come with their ranges and then check or call
        play.buckets, play.preflop, (tuple([_passive(game, side.decisions[1], block) for block in tables]
        for side, tables in zip(game.sides, play.tables[0], strict=True)),),
    )  # fmt: skip
    cards = problem.boards.cards
    worth = hand_values(game, 0, alone, flop, alone)[entry]
    mine = reach(game, play, 0, int(game.entries[entry]))
    back = {int(h): k for k, h in enumerate(flop.hand)}
    ours = [back[game.deck.hand(*turn[hand])] for hand in cards.hands]
    total = mine[game.deck.live(board)] @ worth[ours]
    ranks = cards.rank(cards.board, cards.hands)
    apart = ~(cards.hands[:, None, :, None] == cards.hands[None, :, None, :]).any((2, 3))
    sign = np.sign(ranks[:, None] - ranks) * apart
    assert total == pytest.approx(cards.weights[0] @ sign @ cards.weights[1] * problem.betting.pot[0] / 2, abs=1e-9)
    with pytest.raises(InputError, match="entry 99"):
        board_problem(game, 99, board, play)


def _passive(game: HoldemGame, decisions: NDArray[Any], table: NDArray[Any]) -> NDArray[Any]:
    """Check or call everywhere."""
    out = np.zeros_like(table)
    for node, _, first, _ in decisions.tolist():
        labels = game.betting.actions(node)
        out[first + next(k for k, label in enumerate(labels) if label.split()[0] in ("check", "call"))] = 1
    return out


def test_values_of_hands_add_up_to_those_of_classes() -> None:
    game = toy("3 ranks, 3 suits")
    play, other = random_play(game, 1), random_play(game, 2)
    for ours in (None, play):
        total = np.zeros((len(game.entries), game.boards.classes))
        for flop in game.flops:
            by_hand = hand_values(game, 1, other, flop, ours)
            np.add.at(total.T, flop.up, flop.count * by_hand.T)
        np.testing.assert_allclose(total, BoardWalk(game, 1, other, ours).entry_values(), atol=1e-9)


@pytest.mark.parametrize("method", ["cfr-br", "public", "dcfr"])
def test_a_blueprint_comes_back_from_its_file(method: str, tmp_path: Path) -> None:
    game = toy("3 ranks, 3 suits")
    buckets = lossless(game.boards) if method == "dcfr" else cluster(game.boards, 6, groups=2)
    made = blueprint(game, buckets, method=method, iterations=50, seed=3)
    save(tmp_path / "made.cpb", game, made)
    _, again = load(tmp_path / "made.cpb", game)
    assert (again.method, again.iterations, again.seed) == (method, 50, 3)
    assert value(game, again.play, made.play) == value(game, made.play, made.play)
    with pytest.raises(InputError, match="of another game"):
        load(tmp_path / "made.cpb", toy("5 ranks, 2 suits"))
    with pytest.raises(InputError, match="of another game"):
        load(tmp_path / "made.cpb", toy("3 ranks, 3 suits", 1))


def test_shuffled_opponents() -> None:
    game = toy("3 ranks, 3 suits")
    made = blueprint(game, lossless(game.boards), method="dcfr", iterations=100).play
    lost = [
        measure(game, shuffle_blueprint(game, made, c, np.random.default_rng(0))).exploitability
        for c in (0.0, 0.3, 0.7)
    ]
    assert lost[0] == pytest.approx(measure(game, made).exploitability, abs=1e-9)
    assert lost[0] < lost[1] < lost[2]


def test_bad_input_is_refused(tmp_path: Path) -> None:
    game = toy("3 ranks, 3 suits")
    with pytest.raises(InputError, match="at least 7 cards"):
        flops_of(Deck((0, 1, 2, 3, 4, 5)))
    with pytest.raises(InputError, match="this computation is for games that end on the flop"):
        assert holdem_game(holdem(10), "a").flops
    with pytest.raises(InputError, match="without a rake"):
        holdem_game(holdem(10, last="flop", rake=0.1))
    with pytest.raises(InputError, match="these rules have no big blind"):
        holdem_game(holdem(10, last="flop", blinds=(0, 0), ante=1))
    with pytest.raises(InputError, match="3 cards"):
        game.boards.find_board("Jc Qc")
    with pytest.raises(InputError, match="at least 1"):
        cluster(game.boards, 0)
    with pytest.raises(InputError, match="not by pcfr"):
        VectorCFR(game, lossless(game.boards), minimiser("pcfr+"))
    with pytest.raises(InputError, match="between 0 and 1, not 2"):
        ModelMixture(0, uniform(game), 2.0)
    with pytest.raises(InputError, match="GiB is the limit"):
        VectorCFR(game, lossless(game.boards), memory=1e3)
    with pytest.raises(InputError, match="iterations: at least 1"):
        blueprint(game, lossless(game.boards), iterations=0)
    with pytest.raises(InputError, match="between 0 and 1"):
        shuffle_blueprint(game, uniform(game), 2.0, np.random.default_rng(0))
    with pytest.raises(InputError, match="only buckets that all flops share"):
        save_buckets(tmp_path / "a.npz", game.boards, lossless(game.boards))
    with pytest.raises(InputError, match="cannot read"):
        load_buckets(tmp_path / "none.npz", game.boards)
    save_buckets(tmp_path / "b.npz", game.boards, cluster(game.boards, 3, groups=2))
    with pytest.raises(InputError, match="another deck"):
        load_buckets(tmp_path / "b.npz", toy("5 ranks, 2 suits").boards)


def test_the_whole_game_is_estimated_before_it_is_allocated() -> None:
    game = holdem_game(flop_holdem())
    assert memory_of(game, lossless(full())) == pytest.approx(3 * 4 * 154 * 1_286_792)
