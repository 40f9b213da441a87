"""What answers to models of few hands win from the players themselves: two bots that share nothing with the package, 200 big
blinds, cards at showdown only."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import counterplay as cp
from counterplay.poker.cards.hand_rank import ranks
from counterplay.poker.whole_game.blueprints import blueprint as usual_blueprint
from counterplay.poker.whole_game.strategies.lines import line_at
from tests.support.foreign_bots import betting_tree, score
from tests.support.true_edges import (
    BLUEPRINT_ITERATIONS,
    BOTS,
    DRAWS,
    TENDENCIES,
    TILT,
    answered,
    interval,
    true_edge,
)


@pytest.fixture(scope="module", autouse=True)
def _short_blueprint() -> Iterator[None]:
    """Of few iterations."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(usual_blueprint, "ITERATIONS", BLUEPRINT_ITERATIONS)
        yield


@pytest.mark.slow
@pytest.mark.parametrize("how", [TILT, TENDENCIES])
@pytest.mark.parametrize("name", BOTS)
def test_an_answer_to_a_thousand_hands_is_no_worse_than_the_blueprint(name: str, how: tuple[str, float]) -> None:
    """In none of three draws below -2 standard errors."""
    for seed in range(DRAWS):
        found = interval(true_edge(answered(name, 1000, seed, how), name))
        assert found.value >= -2.0 * found.error / 1.96


@pytest.mark.slow
def test_ten_thousand_hands_of_who_folds_too_much_pay() -> None:
    """The mean edge of three draws is above 0 by its interval."""
    edges = [true_edge(answered("rule", 10_000, seed, TILT), "rule") for seed in range(DRAWS)]
    found = interval(np.mean(edges, axis=0))
    assert found.value > found.error


def test_the_bots_share_the_betting_of_the_game_and_order_hands_as_it_does() -> None:
    """Their own tree and their own scores; the game's are the second witness."""
    game = cp.load("holdem:stack=200bb,bets=fcpa,buckets=blind").game  # type: ignore[attr-defined]
    known = {
        line_at(game.betting, int(node)): (player, int(count))
        for player, side in enumerate(game.sides)
        for decisions in side.decisions
        for node, _, _, count in decisions
    }
    assert {node.line: (node.player, len(node.children)) for node in betting_tree() if node.player >= 0} == known
    random = np.random.default_rng(0)
    for count in (5, 6, 7):
        cards = np.stack([random.permutation(52)[:count] for _ in range(600)])
        mine, theirs = np.array([score(row) for row in cards]), ranks(cards)
        pairs = np.triu_indices(len(cards), 1)
        np.testing.assert_array_equal(
            np.sign(mine[pairs[0]] - mine[pairs[1]]),
            np.sign(theirs[pairs[0]].astype(np.int64) - theirs[pairs[1]].astype(np.int64)),
        )
