"""The last street with all lines side by side, against one board after the other and plain sums over pairs of hands."""

from __future__ import annotations

import gc
from typing import Any
from weakref import ref

import numpy as np
import pytest

from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.boards.board import Board, even_out
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.walks.make_rule import CheckDown, LocalBestResponseRule, Stake
from counterplay_papers.listed_hands import ThreeLanes, full_deck, random_play, some_river
from tests.support.whole_games import game

FLOP = 3


def board_before_the_last(here: HoldemGame) -> Board:
    return here.boards.child(here.boards.root, FLOP)


def one_by_one(walk: BoardWalk, board: Board) -> Any:
    """The sum over the boards of the last street, each by itself."""
    out = np.zeros((len(walk.game.roots[board.street + 1]), len(board.hand)))
    for child, weight in walk.seen.after(board):
        np.add.at(out.T, child.up, weight * walk.hand_values(child).T)
    return even_out(board, out)


def side_by_side(walk: BoardWalk, board: Board) -> Any:
    return walk.below(board, walk.reach(walk.game.boards.after(board)[0]))


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("with_strategy", [False, True])
def test_lines_side_by_side_are_worth_what_each_board_says(player: int, with_strategy: bool) -> None:
    """Under the best actions and under a strategy."""
    here = game("turn")
    theirs, ours = random_play(here, 1), random_play(here, 2)
    walk = BoardWalk(here, player, theirs, ours if with_strategy else None)
    board = board_before_the_last(here)
    known = one_by_one(walk, board)
    assert np.abs(known).max() > 1.0
    np.testing.assert_allclose(side_by_side(walk, board), known, atol=1e-10)


@pytest.mark.parametrize("player", [0, 1])
def test_a_local_best_response_chooses_on_lines_as_on_boards(player: int) -> None:
    here, theirs = game("turn"), random_play(game("turn"), 1)
    board = board_before_the_last(here)
    known = one_by_one(BoardWalk(here, player, theirs, rule=LocalBestResponseRule(here, player, theirs)), board)
    found = side_by_side(BoardWalk(here, player, theirs, rule=LocalBestResponseRule(here, player, theirs)), board)
    np.testing.assert_allclose(found, known, atol=1e-10)


def pairs_compared(here: HoldemGame, board: Board) -> Any:
    """(places, places) by how many last boards a hand beats another less those on which it loses, by comparing all pairs."""
    hands = here.deck.hands[board.hand]
    met = (hands[:, :, None, None] != hands.T[None, None]).all(axis=(1, 2))
    total = np.zeros(met.shape)
    for card in sorted({*here.deck.cards} - {*board.cards}):
        rank = hand_ranks((*board.cards, card), hands, deck=here.deck)
        live = rank >= 0
        total += np.sign(rank[:, None] - rank) * np.outer(live, live)
    return total * met


def test_hands_checked_down_win_what_all_pairs_of_hands_say() -> None:
    here = game("turn")
    board = board_before_the_last(here)
    reach = np.random.default_rng(0).random((3, len(board.hand)))
    stakes = [Stake(0, 1, 2.0), Stake(2, 1, 1.0), Stake(1, 0, 5.0)]
    compared = pairs_compared(here, board)
    won = reach @ compared.T
    found = CheckDown(here, stakes, (3, 2)).below(board, reach)
    np.testing.assert_allclose(found, [5.0 * won[1], 2.0 * won[0] + won[2]], atol=1e-10)


def test_a_strategy_against_itself_wins_nothing_line_by_line() -> None:
    """What one seat wins on all boards the other loses."""
    here, play = game("turn"), random_play(game("turn"), 1)

    def total(player: int, mine: BlueprintStrategy) -> float:
        board = board_before_the_last(here)
        values = side_by_side(BoardWalk(here, player, play, mine), board)
        reach = BoardWalk(here, 1 - player, mine).reach(here.boards.after(board)[0])
        return float((values * reach).sum())

    assert total(0, play) + total(1, play) == pytest.approx(0.0, abs=1e-9)


def test_both_kernels_agree_on_a_river_of_the_full_deck() -> None:
    """All 359 lines, side by side and one by one, in single precision."""
    here = full_deck()
    board = some_river(here)
    before, walk = board.before, BoardWalk(here, 0, ThreeLanes(here))
    assert before is not None
    known = np.zeros((len(here.roots[3]), len(before.hand)))
    np.add.at(known.T, board.up, walk.hand_values(board).T)
    found = walk.below(before, walk.reach(board), [(board, 1.0)])
    assert np.abs(found - even_out(before, known)).max() < 1e-6 * np.abs(known).max()


def test_what_is_made_of_a_strategy_goes_with_it() -> None:
    """A blueprint in training measures itself every minute: no average may stay in memory."""
    here, made = game("turn"), []
    board = board_before_the_last(here)
    for seed in (1, 2):
        theirs = random_play(here, seed)
        side_by_side(BoardWalk(here, 0, theirs), board)
        made.append(ref(theirs.on(1, here.boards.after(board)[0])[0]))
        assert made[-1]() is not None
    del theirs
    gc.collect()
    assert all(one() is None for one in made)
