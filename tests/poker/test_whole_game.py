"""Whole games of any number of streets: one walk over boards against the game enumerated history by history."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay.errors import InputError
from counterplay.poker.betting.rules import holdem
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.best_response import best_response
from counterplay.poker.whole_game.blueprints.vector_cfr import Solver
from counterplay.poker.whole_game.board_draws import DrawnBoards
from counterplay.poker.whole_game.board_walk import BoardWalk
from counterplay.poker.whole_game.boards import DEALT
from counterplay.poker.whole_game.card_abstraction import lossless
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.lookup import probabilities
from counterplay.poker.whole_game.measure import best_response_value, measure, value
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import BucketedStrategy, normalise_rows, uniform
from counterplay.solvers.best_response import best_response as respond_to
from counterplay.solvers.minimiser import CFR_PLUS, DCFR

NINE = Deck(tuple(4 * rank + suit for rank in (9, 10, 11) for suit in range(3)))
EIGHT = Deck(tuple(4 * rank + suit for rank in (9, 10, 11, 12) for suit in range(2)))
TWENTY = Deck.from_rank("T")


@cache
def rules(last: str, stack: int = 4) -> Holdem:
    """All-in or not on every street; blinds 1 and 2."""
    return Holdem(holdem(stack, blinds=(1, 2), last=last), "a", NINE if last == "river" else EIGHT, f"to the {last}")


@cache
def game(last: str, stack: int = 4) -> HoldemGame:
    question = rules(last, stack)
    return holdem_game(question.limits, question.sizes, deck=question.deck, dtype=np.float64)


def random_play(here: HoldemGame, seed: int) -> BucketedStrategy:
    """A random strategy that does not hang on the names of suits, else on every card."""
    rng, buckets = np.random.default_rng(seed), lossless(here.boards)
    early = [normalise_rows(rng.random((s.sizes[0], here.boards.classes)), s.preflop) for s in here.sides]

    def blocks(player: int, street: int) -> list[Any]:
        side = here.sides[player]
        sizes = buckets.sizes_on(street).tolist()
        return [normalise_rows(rng.random((side.sizes[street], n)), side.decisions[street]) for n in sizes]

    tables = tuple((blocks(0, street), blocks(1, street)) for street in range(1, here.last + 1))
    return BucketedStrategy(buckets, (early[0], early[1]), tables)


@cache
def listed(last: str, stack: int = 4) -> Any:
    return cp.load(rules(last, stack), say=lambda _: None)


def enumerated(tree: Any, question: Holdem, here: HoldemGame, play: Any, player: int) -> Any:
    """A strategy in the game that is listed history by history."""

    def row(infoset: str, actions: tuple[str, ...]) -> dict[str, float]:
        seen = question.read(infoset, player)
        odds = probabilities(here, play, seen.node, seen.board)[:, here.deck.hand(*seen.hand)]
        return dict(zip(actions, odds.tolist(), strict=True))

    return cp.opponent(tree, row, player=player)


@pytest.mark.parametrize("last", ["turn", pytest.param("river", marks=pytest.mark.slow)])
def test_values_and_best_responses_are_those_of_the_enumerated_game(last: str) -> None:
    tree, here = listed(last), game(last)
    one, two = random_play(here, 1), random_play(here, 2)
    x, y = (enumerated(tree, rules(last), here, play, player).plan for player, play in enumerate((one, two)))
    for player, (plan, play) in enumerate(((y, two), (x, one))):
        known = respond_to(tree.subgame, player, plan).value
        assert best_response_value(here, play, player) == pytest.approx(known, abs=1e-9)
    assert value(here, one, two) == pytest.approx(float(x @ tree.subgame.leaves.product(0, y)), abs=1e-9)


def test_a_best_response_earns_what_the_walk_says() -> None:
    here = game("turn", 6)
    play = random_play(here, 3)
    best = best_response(here, play)
    assert value(here, best, play) == pytest.approx(best_response_value(here, play, 0), abs=1e-12)
    assert -value(here, play, best) == pytest.approx(best_response_value(here, play, 1), abs=1e-12)


@pytest.mark.parametrize(("last", "deck"), [("turn", EIGHT), ("river", NINE), ("river", TWENTY)])
def test_boards_stand_for_all_deals(last: str, deck: Deck) -> None:
    here = holdem_game(holdem(4, last=last), "a", deck=deck)
    level, times, left = [here.boards.root], [1], len(deck.cards)
    for street in range(1, here.last + 1):
        counts = [here.boards.choices(board)[1] * n for board, n in zip(level, times, strict=True)]
        ways = np.prod([left - k for k in range(DEALT[street])]) / 6
        assert sum(map(sum, counts)) == ways
        if street < here.last:
            level = [child for board in level for child in here.boards.after(board)]
            times = np.concatenate(counts).tolist()


def test_a_board_is_turned_into_the_one_that_stands_for_it() -> None:
    here, rng = holdem_game(holdem(4), "a", deck=TWENTY), np.random.default_rng(0)
    for _ in range(30):
        board = rng.choice(TWENTY.cards, 5, replace=False)
        found, turn = here.boards.find_board(board.tolist())
        assert sorted(turn[board[:3]]) == list(found.cards[:3])
        assert tuple(turn[board[3:]]) == found.cards[3:]
        assert found.before is not None
        assert found.before.cards == found.cards[:4]
        assert (here.deck.hands[found.hand] == here.deck.hands[found.before.hand[found.up]]).all()


def test_cfr_over_all_boards_comes_to_the_value_of_the_enumerated_game() -> None:
    tree, here = listed("turn"), game("turn")
    exact = cp.solve(tree, method="cfr+", stop=cp.Stop(exploitability=1e-5)).value
    solver = Solver(here, lossless(here.boards), DCFR)
    solver.sweep(150)
    found = measure(here, solver.average())
    assert found.nash_conv < 2e-3
    assert -found.best[1] - 1e-5 <= exact <= found.best[0] + 1e-5


def test_public_chance_sampling_converges_on_four_streets() -> None:
    here = game("river")
    solver, random = Solver(here, lossless(here.boards), CFR_PLUS), np.random.default_rng(0)
    found = []
    for _ in range(3):
        solver.sample(1500, random)
        found.append(measure(here, solver.average()).nash_conv)
    assert found[0] > found[-1]
    assert found[-1] < measure(here, uniform(here)).nash_conv / 4


def test_drawn_flops_are_unbiased() -> None:
    here = game("turn")
    one, two = random_play(here, 1), random_play(here, 2)
    random, exact = np.random.default_rng(0), value(here, one, two)
    draws = [value(here, one, two, DrawnBoards(here.boards, random, (1, 1))) for _ in range(400)]
    assert abs(np.mean(draws) - exact) < 4 * np.std(draws) / 20


def test_a_strategy_against_itself_is_worth_zero_in_a_symmetric_game() -> None:
    """Both players' values on a board add up to nothing, whatever they play."""
    here = game("turn", 6)
    one, two = random_play(here, 1), random_play(here, 2)
    flop = here.boards.after(here.boards.root)[0]
    for board in (flop, here.boards.after(flop)[0]):
        ours = BoardWalk(here, 0, two, one)
        theirs = BoardWalk(here, 1, one, two)
        both = [walk._reach(board)[:, board.up] for walk in (theirs, ours)]
        worth = [(walk.hand_values(board) * reach).sum() for walk, reach in zip((ours, theirs), both, strict=True)]
        assert worth[0] == pytest.approx(-worth[1], abs=1e-9)


def test_decks_that_are_too_small_are_refused() -> None:
    with pytest.raises(InputError, match="at least 9 cards"):
        holdem_game(holdem(4), "a", deck=EIGHT)
