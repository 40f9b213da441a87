"""AIVAT of whole hold'em games: equal to that of listed histories, of mean zero, and with less variance."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
import pytest

from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.whole_game.agents import BlueprintAgent
from counterplay.experiments.listed_hands import random_play
from counterplay.games.game import TERMINAL
from counterplay.measure.aivat.hand_events import payoffs_in_tree
from counterplay.measure.aivat.histories import HistoryAivat
from counterplay.measure.aivat.holdem_hands import HoldemAivat
from counterplay.measure.aivat.make_aivat import aivat_of
from counterplay.measure.match import deal, match
from counterplay.measure.play_hand import play_hand
from counterplay.poker.betting.rules import flop_holdem
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.boards.deal import board_of
from counterplay.poker.whole_game.continuation.lane_values import LaneValues, lane_values
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.values.measure import value
from tests.support import flop_holdem as flops
from tests.support import flop_holdem_agents
from tests.support.hands import every_hand, mean_and_variance
from tests.support.whole_games import game, rules

LAST = ("turn", "river")


@cache
def agents(question: Holdem, seed: int) -> tuple[BlueprintAgent, BlueprintAgent]:
    here = question.game
    play = flops.random_play(here, seed) if here.last == 1 else random_play(here, seed)
    one, two = (BlueprintAgent(question, play, seat, seed + seat, "random") for seat in (0, 1))
    return one, two


def noise(question: Holdem, seed: int) -> dict[int, LaneValues]:
    """Random values of both players' hands."""
    found, random = {}, np.random.default_rng(seed)
    for player in (0, 1):
        known = lane_values(question.game, player, agents(question, seed)[0].play, 1)
        tables = tuple(random.uniform(-5.0, 5.0, table.shape) for table in known.tables)
        found[player] = LaneValues(known.game, player, known.play, known.rows, tables)
    return found


def all_in_value(question: Holdem, state: Any, board: tuple[int, ...]) -> float:
    """What an all-in brings player 0: the mean over the last card, or by who is ahead where more are to come."""
    if DEALT[question.game.last] - len(board) == 1:
        ends = [question.child(state, action) for action in question.actions(state)]
        return float(np.mean([question.utility(end) for end in ends]))
    pays = payoffs_in_tree(question.game.betting, state.node, 0)
    one, two = hand_ranks(board, np.array([state.cards[:2], state.cards[2:4]]), deck=question.game.deck).tolist()
    paid = pays.win if one > two else pays.lose if one < two else pays.tie
    middle = 0.5 * (pays.win + pays.lose)
    return float(middle + 0.7 * (paid - middle))


def value_of_state(question: Holdem, values: LaneValues) -> Any:
    """The same values as a function of a history."""
    here, sign = question.game, 1.0 if values.player == 0 else -1.0

    def value(state: Any) -> float:
        if question.player(state) == TERMINAL:
            return question.utility(state)
        if len(state.cards) < 4:  # while the hands are dealt: by the player's own, if it is out
            hand, board = state.cards[2 * values.player :][:2], ()
            if len(hand) < 2:
                return 0.0
        else:
            hand, board = state.cards[2 * values.player :][:2], board_of(state.cards)
        node, street = state.node, DEALT.index(len(board))
        if here.betting.kind[node] == Kind.SHOWDOWN and street > here.betting.street[node]:
            return all_in_value(question, state, board)
        if node and here.betting.kind[here.betting.parent[node]] == Kind.DEAL:
            node = int(here.betting.parent[node])
        there, turn = here.boards.find_board(board)
        number = int(here.deck.numbers[turn[hand[0]], turn[hand[1]]])
        place = int(np.flatnonzero(there.hand == number)[0]) if board else int(here.boards.group[number])
        return sign * float(values.row(street, node)[values.lanes(there)[place]])

    return value


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("last", LAST)
def test_ranges_correct_every_hand_as_sets_of_histories_do(last: str, seat: int) -> None:
    question = rules(last)
    known, other = agents(question, 1), agents(question, 2)
    values = noise(question, 1)
    aivat = HoldemAivat(question, known, values)
    policies = known[0].policy, known[1].policy
    twin = HistoryAivat(question, policies, value_of_state(question, values[1 - seat]))
    table = (known[0], other[1]) if seat == 0 else (other[0], known[1])
    for number in range(4):
        hand = play_hand(question, table, deal(5, number))
        assert aivat.chips(hand, seat) == pytest.approx(twin.chips(hand, seat), abs=1e-9)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_mean_over_all_hands_is_the_exact_value_for_any_value_function(seat: int) -> None:
    question = Holdem(flop_holdem(0), deck=flop_holdem_agents.SEVEN)
    known, other = agents(question, 1), agents(question, 2)
    table = (known[0], other[1]) if seat == 0 else (other[0], known[1])
    aivat = HoldemAivat(question, known, noise(question, 1))
    hands = list(every_hand(question, (table[0].policy, table[1].policy)))
    assert len(hands) > 400
    exact, _ = mean_and_variance([(hand.won(seat), odds) for hand, odds in hands])
    found, _ = mean_and_variance([(aivat.chips(hand, seat), odds) for hand, odds in hands])
    assert found == pytest.approx(exact, abs=1e-9)


def test_values_of_the_blueprint_take_out_most_of_the_variance() -> None:
    question = rules("turn")
    known, other = agents(question, 1), agents(question, 2)
    play = known[0].play
    aivat = HoldemAivat(question, known, {1: lane_values(question.game, 1, play, None)})
    hands = [play_hand(question, (known[0], other[1]), deal(1, number)) for number in range(150)]
    plain, corrected = [hand.won(0) for hand in hands], [aivat.chips(hand, 0) for hand in hands]
    assert np.var(corrected) <= 0.5 * np.var(plain)


def test_values_of_hands_are_exact_where_all_boards_are_seen() -> None:
    """The value of a random strategy against itself, before the hands are dealt, is the mean over the hands' values."""
    here = game("turn")
    play = random_play(here, 3)
    for player in (0, 1):
        found = lane_values(here, player, play, None)
        mean = float(found.row(0, 0) @ here.boards.sizes) / float(here.boards.sizes.sum())
        assert mean == pytest.approx(value(here, play, play) * (1 if player == 0 else -1), abs=1e-9)


def test_a_match_tells_both_results() -> None:
    question = rules("turn")
    known, other = agents(question, 1), agents(question, 2)
    ground = PlayableGame(question)
    found = match(question, lambda s: other[s], lambda s: known[s], 40, aivat=partial(aivat_of, ground, boards=20))
    assert found.aivat is not None
    assert found.aivat.interval is not None
    assert found.aivat.known == "A"
    assert found.aivat.interval[0] < found.aivat.mean < found.aivat.interval[1]
    assert found.facts()["aivat"]["mean"] == found.aivat.mean
    plain = match(question, lambda s: other[s], lambda s: known[s], 40)
    assert plain.aivat is None
