"""Learned policies of whole games: what networks see, strategies by them, and what boards say that actions earn.

Networks are random, so that no test here needs torch.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import counterplay as cp
from counterplay.learning.hand_response import earnings_on
from counterplay.networks.network import Network
from counterplay.networks.policy_network import HandPolicy, load_hand_policy, save_hand_policy
from counterplay.opponents.opponent import strategy_of
from counterplay.poker.whole_game.boards.board import RunOutDraws
from counterplay.poker.whole_game.holdem import question_of
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.learned_hands import LearnedHands, numbers_of, sizes_of
from counterplay.poker.whole_game.strategy import uniform
from counterplay.poker.whole_game.values.measure import best_response_value, value

GAME = "holdem:deck=20,stack=4bb,bets=fcpa"


@pytest.fixture(scope="module")
def rules() -> Holdem:
    found: Holdem = cp.load(GAME)
    return found


@pytest.fixture(scope="module")
def policy(rules: Holdem) -> HandPolicy:
    """Random networks."""
    rng = np.random.default_rng(0)
    sizes, inputs = sizes_of(rules.game)

    def network(entries: int, out: int) -> Network:
        wide = [entries, 6, 5, out]
        weights = tuple(rng.normal(size=(a, b)).astype(np.float32) for a, b in pairwise(wide))
        return Network(weights, (np.zeros((1, 6), np.float32), *(np.zeros(b, np.float32) for b in wide[2:])))

    nets = tuple(tuple(network(inputs[k], n) for k, n in enumerate(one)) for one in sizes)
    return HandPolicy(question_of(rules.game), nets, {})


def test_odds_of_a_decision_sum_to_one(rules: Holdem, policy: HandPolicy) -> None:
    """On every street; hands that renamings of suits turn into each other share a lane."""
    play, board = LearnedHands(rules.game, policy.networks), rules.game.boards.root
    run_out = RunOutDraws(rules.game.boards, rules.game.last, 1)[0]
    for street in range(1, rules.game.last + 1):
        board = run_out.after(board)[0][0]
        numbers = play.numbers(board)
        assert numbers.shape == (board.lanes, numbers_of(street))
        assert np.isfinite(numbers).all()
        for seat in (0, 1):
            table, lane = play.on(seat, board)
            assert table.shape[1] == int(lane.max()) + 1
            for _, _, first, count in rules.game.sides[seat].decisions[street].tolist():
                assert table[first : first + count].sum(axis=0) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("seat", [0, 1])
def test_what_actions_earn_adds_up_to_the_value(rules: Holdem, policy: HandPolicy, seat: int) -> None:
    """The first sequence before the flop earns the policy's value on the run-out, as the walk computes it."""
    game, play = rules.game, LearnedHands(rules.game, policy.networks)
    run_out = RunOutDraws(game.boards, game.last, 2)[0]
    theirs = uniform(game)
    _, _, earned = next(iter(earnings_on(game, seat, theirs, play, run_out)))
    pair = (play, theirs) if seat == 0 else (theirs, play)
    sign = 1.0 if seat == 0 else -1.0
    assert earned[0].sum() / game.deals == pytest.approx(sign * value(game, *pair, run_out), rel=1e-4)


def test_a_policy_wins_at_most_what_a_best_response_does(rules: Holdem, policy: HandPolicy) -> None:
    """On the same boards."""
    game, play = rules.game, LearnedHands(rules.game, policy.networks)
    run_out, theirs = RunOutDraws(game.boards, game.last, 3)[0], uniform(game)
    assert value(game, play, theirs, run_out) <= best_response_value(game, theirs, 0, run_out)


def test_a_file_is_an_opponent_of_its_game_alone(rules: Holdem, policy: HandPolicy, tmp_path: Path) -> None:
    save_hand_policy(tmp_path / "a.cpn", policy)
    save_hand_policy(tmp_path / "b.cpn", load_hand_policy(tmp_path / "a.cpn"))
    assert (tmp_path / "a.cpn").read_bytes() == (tmp_path / "b.cpn").read_bytes()
    run_out = RunOutDraws(rules.game.boards, rules.game.last, 4)[0]
    play, text = LearnedHands(rules.game, policy.networks), f"net:{tmp_path / 'a.cpn'}"
    found = value(rules.game, strategy_of(rules.game, text), uniform(rules.game), run_out)
    assert found == value(rules.game, play, uniform(rules.game), run_out)
    other: Holdem = cp.load("holdem:deck=20,stack=5bb,bets=fcpa")
    with pytest.raises(cp.InputError, match=r"a\.cpn does not fit: the network was learned in a game with other cards"):
        strategy_of(other.game, text)
