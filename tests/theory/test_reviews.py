"""Reviews of hands: costs add up to what a best response wins more, and ranges are posteriors."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import CHANCE, agent
from counterplay.agents.factory.agent_factory import PlayableGame
from counterplay.measure import holdem_pricer
from counterplay.measure.hand_review import HandReview, PlayedMove, SpotPricer, TreePricer, review_hand, steps_of
from counterplay.measure.holdem_pricer import HoldemPricer, SearchedPlay
from counterplay.measure.match import deal
from counterplay.measure.play_hand import Hand, play_hand
from counterplay.measure.running_result import PlayedMatch
from counterplay.opponents.opponent import strategy_of
from counterplay.poker.whole_game.boards.board import board_of
from counterplay.solvers.best_response import best_response
from counterplay_papers.listed_hands import enumerated
from tests.support import whole_games
from tests.support.hands import every_hand, mean_and_variance
from tests.support.spots import river

WORDS = ("", "")


def pricer(spec: str, seat: int, them: str = "random:8,0.3", me: str = "random:3") -> tuple[Any, TreePricer, Any]:
    game = cp.load(spec)
    other, own = cp.opponent(game, them, 1 - seat), cp.opponent(game, me, seat)
    return game, TreePricer(game, other, own, WORDS), own


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("spec", ["kuhn", pytest.param("leduc:2", marks=pytest.mark.slow), "goofspiel:3"])
def test_costs_add_up_to_what_a_best_response_wins_more(spec: str, seat: int) -> None:
    """The performance difference (Kakade and Langford 2002, lemma 6.1)."""
    game, found, own = pricer(spec, seat)
    other = cp.opponent(game, "random:8,0.3", 1 - seat)
    pair = (own, other) if seat == 0 else (other, own)
    hands = list(every_hand(game.rules, (pair[0].probabilities, pair[1].probabilities)))
    won, _ = mean_and_variance([(hand.won(seat), odds) for hand, odds in hands])
    cost, _ = mean_and_variance(
        [(review_hand(game.rules, hand, seat, found).cost or 0.0, odds) for hand, odds in hands]
    )
    best = best_response(game.subgame, seat, other.plan).value
    assert found.best == pytest.approx(best, abs=1e-12)
    assert won == pytest.approx(best - cost, abs=1e-9)


@pytest.mark.parametrize("spec", ["kuhn", pytest.param("leduc:2", marks=pytest.mark.slow)])
def test_a_range_is_the_posterior_of_what_was_held(spec: str) -> None:
    """After the last decision of a hand, among all hands that the other cannot tell from it."""
    game, found, own = pricer(spec, 0)
    other, shares = cp.opponent(game, "random:8,0.3", 1), {}
    for hand, odds in every_hand(game.rules, (own.probabilities, other.probabilities)):
        steps = list(steps_of(game.rules, hand.moves))
        k, last = [(k, step) for k, step in enumerate(steps) if step.who == 0][-1]
        seen = [_seen(step, game.rules) for step in steps[: k + 1]]
        key = (tuple(seen), last.action)
        row = shares.setdefault(key, ({}, found.beliefs(steps)[-1]))
        text = game.rules.infoset(last.state, 0)
        row[0][text] = row[0].get(text, 0.0) + odds
    for counted, belief in shares.values():
        total = sum(counted.values())
        assert {text: odds / total for text, odds in counted.items()} == pytest.approx(
            {text: share for text, share in belief.items() if share > 1e-6}, abs=1e-6
        )


def _seen(step: PlayedMove, rules: Any) -> str:
    return str(rules.infoset(step.state, 1)) + ("" if step.who == CHANCE else step.action)


def test_an_agent_s_own_belief_is_shown_where_it_has_one() -> None:
    ground = PlayableGame("leduc")
    other = agent(ground, "resolve:depth=1,iterations=20", 1)
    match, person = PlayedMatch(ground, other), agent(ground, "uniform", 0)
    review = _reviewed(ground, match, person, other, 0)
    assert review.assumed == "as resolve believes, before the action"
    assert review.against == "what resolve has decided so far, exactly"
    assert review.decisions[0].belief
    assert match.corrected_by == ""


def test_a_spot_s_costs_add_up_likewise() -> None:
    """Drawn hands against uniform play: the mean of best less cost is the value, far within what luck would allow."""
    ground = PlayableGame(river())
    other, person = agent(ground, "uniform", 1), agent(ground, "cfr+:5", 0)
    match = PlayedMatch(ground, other)
    for number in range(60):
        _reviewed(ground, match, person, other, number)
    game, own = ground.compiled, person.strategy  # type: ignore[attr-defined]
    plans = game.dealt(own).plan, game.dealt(cp.opponent(game, "uniform", 1)).plan
    exact = float(plans[0] @ game.payoff.product(0, plans[1]))
    spread = np.std(match.result.corrected, ddof=1) / len(match.result.corrected) ** 0.5
    assert np.mean(match.result.corrected) == pytest.approx(exact, abs=4.0 * spread)
    assert np.std(match.result.corrected) < np.std(match.result.won)


def _reviewed(ground: PlayableGame, match: PlayedMatch, person: Any, other: Any, number: int) -> HandReview:
    pair = (person, other) if person.seat == 0 else (other, person)
    return match.finish(play_hand(ground.rules, pair, deal(5, number)))


@pytest.mark.parametrize("seat", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("last", ["flop"])
def test_prices_in_whole_games_are_those_of_the_listed_game(last: str, seat: int) -> None:
    rules, tree = whole_games.rules(last), whole_games.listed(last)
    play = strategy_of(whole_games.game(last), "random:5")
    found = HoldemPricer(rules, seat, play, play, WORDS)
    other = enumerated(tree, rules, whole_games.game(last), play, 1 - seat)
    mine = enumerated(tree, rules, whole_games.game(last), play, seat)
    known = TreePricer(tree, other, mine, WORDS)
    compared = 0
    for hand in _hands(rules, seat, 8):
        steps = [step for step in steps_of(rules, hand.moves) if step.who == seat]
        for step, one, two in zip(
            steps, found.beliefs(steps), known.beliefs(list(steps_of(rules, hand.moves))), strict=True
        ):
            here, there = found.worth(step.state), known.worth(step.state)
            assert here is not None
            assert there is not None
            assert dict(here.values) == pytest.approx(dict(there.values), rel=1e-4, abs=1e-4)  # the walk is in float32
            assert one is not None
            assert two is not None
            assert max(one.values()) == pytest.approx(max(two.values()), rel=1e-4)
            compared += 1
    assert compared >= 8


def _hands(rules: Any, seat: int, hands: int) -> list[Hand]:
    pair: Any = agent(rules, "passive", 0), agent(rules, "uniform", 1)
    if seat == 0:
        pair = agent(rules, "uniform", 0), agent(rules, "passive", 1)
    return [play_hand(rules, pair, deal(3, number)) for number in range(hands)]


@pytest.mark.parametrize("last", ["turn"])
def test_an_agent_asked_row_by_row_has_the_prices_of_its_strategy(last: str) -> None:
    """On real boards, which stand for others with renamed suits."""
    rules = whole_games.rules(last)
    position: Any = agent(rules, "random:5", 1)
    plain = HoldemPricer(rules, 0, position.play, position.play, WORDS)
    asked = HoldemPricer(rules, 0, position.play, position.play, WORDS)
    for hand in _hands(rules, 0, 10):
        steps = [step for step in steps_of(rules, hand.moves) if step.who == 0]
        board = board_of(next(reversed(list(steps_of(rules, hand.moves)))).after.cards)
        asked.begin_hand(SearchedPlay(position, [step.state.node for step in steps], board))
        for step in steps:
            one, two = plain.worth(step.state), asked.worth(step.state)
            assert one is not None
            assert two is not None
            assert dict(one.values) == pytest.approx(dict(two.values), rel=1e-5, abs=1e-5)


def test_drawn_boards_come_near_the_values_over_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the flop the mean over boards is within its interval, mostly, of the value over all of them."""
    rules = whole_games.rules("turn")
    play = strategy_of(rules.game, "random:5")
    monkeypatch.setattr(holdem_pricer, "is_walked", lambda _: False)
    monkeypatch.setattr(holdem_pricer, "first_walked_street", lambda _: 2)
    drawn = HoldemPricer(rules, 1, play, play, WORDS, seed=1)
    everything = holdem_pricer._DrawnValues(rules.game, 1, play, play, 1, 0)
    everything._seen = None
    inside, asked = 0, 0
    draw = random.Random(0)
    for _ in range(20):
        state: Any = rules.root()
        while rules.player(state) == CHANCE:
            state = rules.child(state, draw.choice(rules.actions(state)))
        found, hand = drawn.worth(state), rules.game.deck.hand(*state.cards[2:4])
        assert found is not None
        assert found.errors is not None
        exact = everything.values(state.node, hand)[0]
        names = rules.betting.actions(state.node)
        other = min(names, key=lambda name: found.values[name])
        best = max(found.values, key=lambda name: found.values[name])
        gap = (exact[names.index(best)] - exact[names.index(other)]) / _met(rules, play, state)
        asked += 1
        inside += abs(found.values[best] - found.values[other] - gap) <= 1.5 * found.errors[other] + 1e-9
    assert inside >= 0.8 * asked
    assert "drawn boards" in drawn.against


def _met(rules: Any, play: Any, state: Any) -> float:
    game = rules.game
    met = holdem_pricer.reach(game, play, 0, state.node, ())
    free = ~np.isin(game.deck.hands, state.cards[2:4]).any(axis=1)
    return float(met[free].sum() * game.deals_after(0))


def test_a_hand_of_another_game_is_refused() -> None:
    hand = Hand(1.0, ((CHANCE, "Deal:9"),), (0, 0), (0.0, 0.0), (0.0, 0.0))
    with pytest.raises(cp.InputError, match="not a hand of kuhn"):
        review_hand(cp.load("kuhn").rules, hand, 0, None)


def test_nothing_is_priced_where_the_game_is_not_in_memory() -> None:
    ground = PlayableGame("battleships:5,5,2x2/2x2")
    other, person = agent(ground, "uniform", 1), agent(ground, "uniform", 0)
    match = PlayedMatch(ground, other)
    review = _reviewed(ground, match, person, other, 0)
    assert review.cost is None
    assert review.decisions
    assert match.result.facts["hands"] == 1


def test_a_known_spot_is_priced_as_its_report_says() -> None:
    """Against the equilibrium of a solved spot, the best action is worth what the report of the node says of it."""
    solved = cp.solve_spot(river(), percent_of_pot=0.001)
    ground = PlayableGame(solved)
    game, pair = ground.compiled, (agent(ground, "nash", 0), agent(ground, "nash", 1))
    found = SpotPricer(game, cp.opponent(game, "nash", 1), cp.opponent(game, "nash", 0), WORDS)
    node = solved.node("")
    for number in range(8):
        hand = play_hand(game.rules, pair, deal(0, number))
        step = next(step for step in steps_of(game.rules, hand.moves) if step.who == 0)
        worth, held = found.worth(step.state), int(solved.spot.numbers[step.state.held[0]])
        assert worth is not None
        assert max(worth.values.values()) == pytest.approx(float(node.action_values[held].max()), abs=0.05)
