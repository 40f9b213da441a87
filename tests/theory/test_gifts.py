"""Gifts: no more than was given, and margins that only rise."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay import CHANCE, TERMINAL, LookAhead
from counterplay.gadgets.gadget import max_margin_entry
from counterplay.lookahead.decisions import DecisionGroup, SearchState, decision_groups
from counterplay.lookahead.search import Search
from counterplay.lookahead.step import decide_group
from counterplay.solvers.lp import solve_lp
from counterplay.subgames.cut import Cut, Place, cut, subgames_at
from counterplay.subgames.cut import gifts as gifts_at
from counterplay.subgames.cut_game import build_gadget_game
from counterplay.subgames.plan_store import ArrayPlans
from tests.support.gadget_games import alternative_values
from tests.support.random_games import MatchUp, Node, RandomGame, match_ups
from tests.support.theorems import FEW, GameOf, slack, torn


def entered(chain: SearchState) -> Iterator[tuple[Cut, DecisionGroup, np.ndarray, np.ndarray]]:
    """Each later unit of a chain that is solved per state, before it is: its cut, what it is, alternative values, gifts."""
    for unit in decision_groups(chain.game, chain.seat, chain.search.depth, joint=False):
        if unit.before is not None:
            piece = cut(chain.game, unit.tops, chain.seat)
            own = cp.Strategy(chain.game.trees[chain.seat], chain.behaviour)
            claims, plan = chain.claims.sequences, chain.plan
            given = gifts_at(piece.top, piece.opponent, claims, plan, unit.since)
            yield piece, unit, alternative_values(piece, own), given
        decide_group(chain, unit)


def offered(chain: SearchState, piece: Cut, plan: np.ndarray) -> float:
    """What an opponent with this plan gave away at the actions on the way to a cut: at each, the best claim less its own."""
    game, player = chain.game, piece.opponent
    table, tree, claims = game.histories, game.trees[player], chain.claims.sequences
    passed = set()
    for history in piece.top.histories.tolist():
        while history > 0:
            passed.add(int(game.sequences[player][history]))
            history = int(table.parent[history])
    given = 0.0
    for sequence in passed - {0}:
        best = claims[tree.sequences_of(int(tree.owner[sequence]))]
        given += 0.0 if np.isnan(best).any() else float(plan[sequence] * (best.max() - claims[sequence]))
    return given


def margin(piece: Cut, values: np.ndarray, chain: SearchState) -> float:
    """The least by which the resolver can beat all of the opponent's claims at once."""
    problem = build_gadget_game(piece, max_margin_entry(values), chain.plan)
    return solve_lp(problem.subgame).value * (1.0 if chain.seat == 0 else -1.0)


class InOrOut(RandomGame):
    """With probability 1/2 the game is over. Else player 0 takes 2 chips, or goes in, is dealt one of two hands with
    probability 1/4 and 3/4, and wins 1 chip if player 1 folds, and loses 3 if not."""

    augmented = True

    def __init__(self) -> None:
        self.name = "in or out"

        def end(chips: float) -> Node:
            return Node(TERMINAL, ("", ""), utility=chips)

        hands = tuple(Node(1, (hand, "in"), ("fold", "call"), (), (end(1.0), end(-3.0))) for hand in ("low", "high"))
        dealt = Node(CHANCE, ("in", "in"), ("low", "high"), (0.25, 0.75), hands)
        choice = Node(0, ("play", "play"), ("out", "in"), (), (end(2.0), dealt))
        self.tree = Node(CHANCE, ("start", "start"), ("over", "play"), (0.5, 0.5), (end(0.0), choice))


def test_a_gift_is_shared_by_the_weight_of_the_infosets_that_follow() -> None:
    """Who goes in gives 2 - 1 chips away, half of the time: 1/2, of which each hand may take back its share, all in all
    what was given."""
    game = cp.load(InOrOut())
    (piece,) = subgames_at(game, Place.of("moves:1"), 1)
    plans = ArrayPlans.of(game.subgame, cp.opponent(game, lambda _: {"fold": 1.0, "call": 0.0}, player=1))
    assert sorted(piece.gifts(plans)) == pytest.approx([0.25 * 0.5, 0.75 * 0.5])


@FEW
@given(match_ups(), st.integers(1, 3), st.sampled_from((0.0, 0.5)), st.integers(0, 96))
def test_gifts_are_no_more_than_was_given(match: MatchUp, depth: int, p: float, seed: int) -> None:
    """No gift is negative; whatever the opponent does, the gifts at a public state are together at most what was given away
    on the way there; and the alternative values are what a best response gets."""
    game = match.game
    chain = SearchState(game, match.seat, Search(LookAhead(depth, gadget="reach-max-margin"), p), match.model)
    for piece, _, known, gifts in entered(chain):
        assert np.isfinite(gifts).all()
        assert (gifts >= 0.0).all()
        assert gifts.max(initial=0.0) <= game.span * len(match.model.tree.labels.infosets) + slack(game)
        for opponent in (match.model, cp.opponent(game, f"random:{seed}", player=piece.opponent)):
            claimed = float(piece.top.range(piece.opponent, opponent.plan) @ gifts)
            assert claimed <= offered(chain, piece, opponent.plan) + slack(game)
        noted = chain.claims.infosets[piece.top.infosets[piece.opponent]]
        both = ~np.isnan(noted)
        if not torn(game):
            np.testing.assert_allclose(noted[both], known[both], atol=10.0 * slack(game))


@FEW
@given(match_ups(), st.integers(1, 2))
def test_gifts_only_raise_margins(match: MatchUp, depth: int) -> None:
    """Margins are not negative, with gifts not smaller, and larger by no more than the largest gift."""
    game = match.game
    chain = SearchState(game, match.seat, Search(LookAhead(depth, gadget="max-margin")), match.model)
    for piece, _, known, gifts in entered(chain):
        plain, reaching = margin(piece, known, chain), margin(piece, known + gifts, chain)
        assert plain >= -slack(game)
        assert plain - slack(game) <= reaching <= plain + float(gifts.max(initial=0.0)) + slack(game)


@pytest.mark.parametrize("seat", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_leduc_has_gifts(game_of: GameOf, seat: int) -> None:
    """In Leduc poker an opponent who folds less well than possible leaves something to take; where nothing was played
    since the last look-ahead there is no gift."""
    game = game_of("leduc:merged=true")
    chain = SearchState(game, seat, Search(LookAhead("round", gadget="reach-max-margin")))
    most = 0.0
    for piece, _, known, gifts in entered(chain):
        most = max(most, float(gifts.max()))
        plain, reaching = margin(piece, known, chain), margin(piece, known + gifts, chain)
        assert -slack(game) <= plain <= reaching + slack(game)
        here = {int(state): int(h) for state, h in zip(piece.top.public, piece.top.histories, strict=True)}
        fresh = gifts_at(piece.top, piece.opponent, chain.claims.sequences, chain.plan, here)
        np.testing.assert_array_equal(fresh, 0.0)
    assert most > 0.01
