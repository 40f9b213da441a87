"""AIVAT of whole hold'em games: equal to that of listed histories, of mean zero, and with less variance."""

from __future__ import annotations

from functools import cache, partial
from itertools import combinations
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from counterplay import CHANCE, TERMINAL, match
from counterplay.agents.agent import StrategyAgent
from counterplay.agents.factory.agent_factory import PlayableGame
from counterplay.agents.worlds.whole_game import HoldemAgent
from counterplay.measure import street_walks
from counterplay.measure.holdem_aivat import HoldemAivat, Payoffs
from counterplay.measure.make_aivat import HistoryAivat, aivat_of, boards_for
from counterplay.measure.match import deal
from counterplay.measure.play_hand import Hand, play_hand
from counterplay.measure.street_walks import mean_of_run_outs, mean_payoff, shares_of_showdown, weight_of_pairs
from counterplay.poker.betting.rules import flop_holdem
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import Deck
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.boards.board import DEALT, board_of
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.values.lane_values import LaneValues, tally_lanes
from counterplay.poker.whole_game.values.measure import value
from counterplay.steps import finished
from counterplay_papers.listed_hands import random_play
from tests.support import flop_holdem as flops
from tests.support import flop_holdem_agents
from tests.support.covering import covering
from tests.support.hands import every_hand, mean_and_variance
from tests.support.whole_games import game, rules

LAST = ("turn", "river")


@cache
def agents(question: Holdem, seed: int) -> tuple[StrategyAgent, StrategyAgent]:
    here = question.game
    play = flops.random_play(here, seed) if here.last == 1 else random_play(here, seed)
    one, two = (HoldemAgent(question, play, seat, seed + seat, "random") for seat in (0, 1))
    return one, two


def positions(question: Holdem, seed: int) -> tuple[HoldemAgent, HoldemAgent]:
    one, two = agents(question, seed)
    assert isinstance(one, HoldemAgent)
    assert isinstance(two, HoldemAgent)
    return one, two


def question_deck() -> Deck:
    """Twelve cards, so that hands tie and flush."""
    return Deck(tuple(range(40, 52)))


def noise(question: Holdem, seed: int) -> dict[int, LaneValues]:
    """Random values of both players' hands."""
    found, random = {}, np.random.default_rng(seed)
    for player in (0, 1):
        known = finished(tally_lanes(question.game, player, positions(question, seed)[0].play, 1))
        tables = tuple(random.uniform(-5.0, 5.0, table.shape) for table in known.tables)
        found[player] = LaneValues(known.game, player, known.play, known.rows, tables)
    return found


def all_in_value(question: Holdem, state: Any) -> float:
    """What an all-in brings player 0: the mean over the cards to come."""
    if question.player(state) == TERMINAL:
        return question.utility(state)
    return float(np.mean([all_in_value(question, question.child(state, action)) for action in question.actions(state)]))


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
            return all_in_value(question, state)
        if node and here.betting.kind[here.betting.parent[node]] == Kind.DEAL:
            node = int(here.betting.parent[node])
        there, turn = here.boards.find_board(board)
        number = int(here.deck.numbers[turn[hand[0]], turn[hand[1]]])
        place = int(np.flatnonzero(there.hand == number)[0]) if board else int(here.boards.group[number])
        return sign * float(values.row(street, node)[values.lanes(there)[place]])

    return value


def best_on_last_street(question: Holdem, known: Any, seat: int, otherwise: Any) -> Any:
    """On the last street, what a best response of the other side is worth to player 0 against the hands that the known side
    in a seat may hold there, each by its probability of having come; `otherwise` before it."""
    deck, them = question.game.deck, 1 - seat

    def dealt(state: Any, hand: tuple[int, ...]) -> Any:
        """The same line where the known side holds another hand, and the probability of its actions on the way."""
        cards = [*state.cards[: 2 * seat], *hand, *state.cards[2 * seat + 2 :]]
        here, weight, way = question.root(), 1.0, []
        node = state.node
        while node:
            way.append(node)
            node = int(question.betting.parent[node])
        for card in cards[:4]:
            here = question.child(here, card)
        for node in reversed(way):
            while question.player(here) == CHANCE and len(here.cards) < len(cards):
                here = question.child(here, cards[len(here.cards)])
            if question.betting.kind[int(question.betting.parent[node])] == Kind.DEAL:
                continue
            action = next(a for a in question.actions(here) if question.child(here, a).node in (node, *below(node)))
            if question.player(here) == seat:
                weight *= known[seat].policy(question.infoset(here, seat))[question.action_name(here, action)]
            here = question.child(here, action)
        while question.player(here) == CHANCE and len(here.cards) < len(cards):
            here = question.child(here, cards[len(here.cards)])
        return here, weight

    def below(node: int) -> tuple[int, ...]:
        children = question.betting.children(node)
        return (children[0],) if question.betting.kind[node] == Kind.DEAL and children else ()

    def worth(states: list[Any]) -> float:
        """Sum of chips of the other side, weighted."""
        one = states[0][0]
        who = question.player(one)
        if who == TERMINAL:
            return sum(weight * question.utility(state) * (1.0 if them == 0 else -1.0) for state, weight in states)
        by_action = []
        for action in question.actions(one):
            name = question.action_name(one, action)
            after = [
                (question.child(state, action),
                 weight * (known[seat].policy(question.infoset(state, seat))[name] if who == seat else 1.0))
                for state, weight in states
            ]  # fmt: skip
            by_action.append(worth(after))
        return sum(by_action) if who == seat else max(by_action)

    def value(state: Any) -> float:
        shown = DEALT.index(len(state.cards) - 4) if len(state.cards) - 4 in DEALT else 0
        if len(state.cards) < 4 or shown < question.game.last or question.player(state) == TERMINAL:
            return float(otherwise(state))
        if question.betting.street[state.node] < question.game.last and question.betting.kind[state.node] != Kind.DEAL:
            return float(otherwise(state))
        gone = set(state.cards) - set(state.cards[2 * seat : 2 * seat + 2])
        hands = [hand for hand in combinations(deck.cards, 2) if not gone & set(hand)]
        states = [dealt(state, hand) for hand in hands]
        found = worth(states) / sum(weight for _, weight in states)
        return found if them == 0 else -found

    return value


@pytest.mark.parametrize(("last", "seat"), covering(LAST, [0, 1]))
def test_ranges_correct_every_hand_as_sets_of_histories_do(last: str, seat: int) -> None:
    question = rules(last)
    known, other = agents(question, 1), agents(question, 2)
    values = noise(question, 1)
    aivat = HoldemAivat(question, positions(question, 1), values)
    policies = known[0].policy, known[1].policy
    value = best_on_last_street(question, known, seat, value_of_state(question, values[1 - seat]))
    twin = HistoryAivat(question, policies, value)
    table = (known[0], other[1]) if seat == 0 else (other[0], known[1])
    for number in range(4):
        hand = play_hand(question, table, deal(5, number))
        assert aivat.chips(hand, seat) == pytest.approx(twin.chips(hand, seat), abs=1e-5)  # walks are float32


@pytest.mark.parametrize(("seat", "both"), covering([0, 1], [False, True]))
def test_the_mean_over_all_hands_is_the_exact_value_for_any_value_function(seat: int, both: bool) -> None:
    question = Holdem(flop_holdem(0), deck=flop_holdem_agents.SEVEN)
    known, other = agents(question, 1), agents(question, 2)
    table = (known[0], other[1]) if seat == 0 else (other[0], known[1])
    aivat = HoldemAivat(question, positions(question, 1), noise(question, 1), positions(question, 2) if both else None)
    hands = list(every_hand(question, (table[0].policy, table[1].policy)))
    assert len(hands) > 400
    exact, _ = mean_and_variance([(hand.won(seat), odds) for hand, odds in hands])
    found, _ = mean_and_variance([(aivat.chips(hand, seat), odds) for hand, odds in hands])
    assert found == pytest.approx(exact, abs=1e-9)


def last_streets(question: Holdem, cards: list[int]) -> list[Hand]:
    """All hands with given cards that are checked and called down to the last street."""
    found: list[Hand] = []

    def walk(state: Any, moves: tuple[tuple[int, str], ...]) -> None:
        who, dealt = question.player(state), len(state.cards)
        if who == TERMINAL:
            found.append(Hand(question.utility(state), moves, (0, 0), (0.0, 0.0), (0.0, 0.0)))
            return
        for action in question.actions(state):
            name = question.action_name(state, action)
            dealing = who == CHANCE and action == cards[dealt]
            if dealing or (who != CHANCE and (dealt == len(cards) or name in ("call", "check"))):
                walk(question.child(state, action), (*moves, (who, name)))

    walk(question.root(), ())
    return found


def test_where_both_are_known_nothing_of_the_last_street_is_left() -> None:
    """The last card, both hands and what is done after it change no corrected result: values are exact there."""
    question = rules("river")
    aivat = HoldemAivat(question, positions(question, 1), noise(question, 1), positions(question, 2))
    *board, one, two, three, four, five = question.deck.cards
    hands = [
        hand
        for order in ((one, two, three, four, five), (five, one, three, two, four), (two, three, five, four, one))
        for hand in last_streets(question, [*order[:4], *board, order[4]])
    ]
    assert len({hand.utility for hand in hands}) == 3
    for seat in (0, 1):
        found = [aivat.chips(hand, seat) for hand in hands]
        assert found == pytest.approx([found[0]] * len(found), abs=1e-4)  # values are float32


def test_run_outs_that_are_drawn_average_to_what_all_of_them_bring() -> None:
    deck, draws = question_deck(), np.random.default_rng(1)
    ranges = draws.uniform(size=len(deck.hands)), draws.uniform(size=len(deck.hands)) ** 4
    pays = Payoffs(7.0, -5.0, 0.5, shown=True)
    exact = mean_of_run_outs(deck, pays, (), 4, ranges, draws)
    boards = list(combinations(deck.cards, 4))
    worth = [mean_payoff(deck, pays, board, *ranges) for board in boards]
    odds = [weight_of_pairs(deck, *(reach * deck.live(board) for reach in ranges)) for board in boards]
    assert exact == pytest.approx(np.average(worth, weights=odds), abs=1e-9)
    with patch.object(street_walks, "MOST_BOARDS", 0):
        drawn = [mean_of_run_outs(deck, pays, (), 4, ranges, draws) for _ in range(5)]
    assert np.mean(drawn) == pytest.approx(exact, abs=4 * np.std(drawn) / 2 + 0.05)


@pytest.mark.parametrize("seed", range(3))
def test_shares_of_a_showdown_are_those_of_all_pairs(seed: int) -> None:
    deck, draws = question_deck(), np.random.default_rng(seed)
    mine, theirs = draws.uniform(size=(2, len(deck.hands)))
    board = deck.cards[seed : seed + 5]
    live = np.flatnonzero(deck.live(board))
    ranks = hand_ranks(board, deck.hands[live], deck=deck)
    held = [(set(deck.hands[k].tolist()), rank, k) for k, rank in zip(live, ranks, strict=True)]
    sums = np.zeros(3)
    for one, high, k in held:
        for two, low, j in held:
            if not one & two:
                sums[0 if high > low else 1 if high < low else 2] += mine[k] * theirs[j]
    assert shares_of_showdown(deck, board, mine, theirs) == pytest.approx(tuple(sums), abs=1e-9)


def test_values_of_the_blueprint_take_out_most_of_the_variance() -> None:
    question = rules("turn")
    known, other = agents(question, 1), agents(question, 2)
    play = positions(question, 1)[0].play
    aivat = HoldemAivat(question, positions(question, 1), {1: finished(tally_lanes(question.game, 1, play, None))})
    hands = [play_hand(question, (known[0], other[1]), deal(1, number)) for number in range(150)]
    plain, corrected = [hand.won(0) for hand in hands], [aivat.chips(hand, 0) for hand in hands]
    assert np.var(corrected) <= 0.5 * np.var(plain)


def test_values_of_hands_are_exact_where_all_boards_are_seen() -> None:
    """The value of a random strategy against itself, before the hands are dealt, is the mean over the hands' values."""
    here = game("turn")
    play = random_play(here, 3)
    for player in (0, 1):
        found = finished(tally_lanes(here, player, play, None))
        mean = float(found.row(0, 0) @ here.boards.sizes) / float(here.boards.sizes.sum())
        assert mean == pytest.approx(value(here, play, play) * (1 if player == 0 else -1), abs=1e-9)


def test_a_match_tells_both_results() -> None:
    question = rules("turn")
    known, other = agents(question, 1), agents(question, 2)
    ground = PlayableGame(question)
    found = match(question, lambda s: other[s], lambda s: known[s], 40, aivat=partial(aivat_of, ground, boards=20))
    assert found.aivat is not None
    assert found.aivat.interval is not None
    assert found.aivat.known == "A and B"
    assert found.aivat.interval[0] < found.aivat.mean < found.aivat.interval[1]
    assert found.facts["aivat"]["mean"] == found.aivat.mean
    plain = match(question, lambda s: other[s], lambda s: known[s], 40)
    assert plain.aivat is None


def test_long_matches_have_values_by_more_boards_up_to_where_they_help_no_more() -> None:
    assert [boards_for(hands) for hands in (1, 500, 1000, 2000, 10**6)] == [100, 100, 200, 400, 400]
