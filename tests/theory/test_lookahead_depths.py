"""Depths of look-aheads: rounds, numbers of moves, the game's own; without a limit they are the whole game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import counterplay as cp
from counterplay.errors import quoted
from counterplay.gametree.compile.levels import Depth, history_levels
from tests.support.covering import covering
from tests.support.random_games import MatchUp, Wrapped, match_ups
from tests.support.seats import seats_in_turn
from tests.support.theorems import FEW, OPPONENTS, SAFE, SMALL, GameOf, same, slack, weighed


class Stopping(Wrapped):
    """A game that says itself where a look-ahead stops: as a function has it."""

    def __init__(self, game: Any, stop: Callable[[Any], bool]) -> None:
        super().__init__(game)
        self.stop = stop


def states_at_level(game: cp.GameTree, level: int) -> frozenset[int]:
    """The public states with a decision or a chance event at this level."""
    table = game.histories
    here = np.flatnonzero((history_levels(game) == level) & (table.player != cp.TERMINAL))
    return frozenset(game.public[0][table.info[0][here]].tolist())


def test_a_round_of_leduc_ends_at_the_first_public_states_behind_the_card(game_of: GameOf) -> None:
    """Depth `round` is the depth that is given by those public states, for every method and both ways."""
    game = game_of("leduc:merged=true")
    table = game.histories
    up = table.parent
    card = np.flatnonzero((table.player[up] == cp.CHANCE) & (table.player[up[up]] != cp.CHANCE) & (up > 0))
    depth: Any = Depth(states=frozenset(game.public[0][table.info[0][card]].tolist()))
    model = cp.opponent(game, "random:2", player=1)
    for words in ({"method": "cdbr"}, {"method": "cdrnr", "p": 0.4}, {"method": "cdbr", "solve": "per-state"}):
        by_round, by_states = (cp.respond(game, model, depth=far, **words) for far in ("round", depth))
        same(by_round, by_states)
        assert (by_round.depth, by_states.depth) == ("round", "states")


@FEW
@given(match_ups(), st.integers(1, 3))
def test_the_game_s_own_depth_is_that_of_the_states_it_names(match: MatchUp, level: int) -> None:
    """What a game's member `stop` marks, and the same public states given one by one, limit alike."""
    states = states_at_level(match.game, level)
    table = match.game.histories
    inner = np.flatnonzero(table.info[0] >= 0)
    marked = {id(match.game.state(h)) for h in inner.tolist() if int(match.game.public[0][table.info[0][h]]) in states}
    game = cp.load(Stopping(match.rules, lambda state: id(state) in marked))
    model = cp.opponent(game, match.table.__getitem__, player=1 - match.seat)
    own = cp.respond(game, model, method="cdbr", depth="game")
    given_one_by_one: Any = Depth(states=states) if states else 100
    by_states = cp.respond(match.game, match.model, method="cdbr", depth=given_one_by_one)
    assert own.gain == pytest.approx(by_states.gain, abs=slack(game))
    assert own.depth == "game"


@pytest.mark.parametrize("depth", [0, -1, 1.5, True, "", "rounds", "1e3", "-1", 10**12, "1" * 5000, [1], {}, "²"])
def test_a_depth_that_is_none_is_named(kuhn: cp.GameTree, depth: Any) -> None:
    """Any text but a number of levels from 1 on, or a word for one, is rejected in one line that repeats it."""
    for method in ("cdbr", "resolve"):
        with pytest.raises(cp.InputError) as refused:
            cp.respond(kuhn, cp.opponent(kuhn, "uniform"), method=method, depth=depth)
        message = str(refused.value)
        assert message.startswith("the depth must be")
        assert message.endswith(f"not {quoted(str(depth))}")
        assert "\n" not in message


@pytest.mark.parametrize(("depth", "why"), [("round", "has no rounds"), ("game", "no member 'stop'")])
def test_a_depth_that_the_game_does_not_have_is_refused(kuhn: cp.GameTree, depth: str, why: str) -> None:
    """Kuhn poker has neither rounds nor states of its own, and the message names Kuhn poker."""
    with pytest.raises(cp.InputError, match=f"^kuhn .*{why}"):
        cp.respond(kuhn, cp.opponent(kuhn, "uniform"), method="cdbr", depth=depth)


@pytest.mark.parametrize(
    "words", [{"levels": -2}, {"levels": 0}, {"states": frozenset([999])}, {"states": frozenset()}]
)
def test_a_depth_made_by_hand_is_checked_as_well(leduc: cp.GameTree, words: Any) -> None:
    """Levels below 1 and public states that the game lacks are rejected too."""
    with pytest.raises(cp.InputError, match=r"-2|0|999|at least one"):
        cp.respond(leduc, cp.opponent(leduc, "uniform"), method="cdbr", depth=Depth(**words))


@pytest.mark.parametrize(("spec", "seat"), covering(SMALL, [0, 1]))
def test_without_a_limit_look_aheads_are_the_whole_game(game_of: GameOf, spec: str, seat: int) -> None:
    """CDRNR has RNR's objective at every p, CDBR the best response's gain, whichever way it is solved."""
    game = game_of(spec)
    for opponent in OPPONENTS:
        model = cp.opponent(game, opponent, player=1 - seat)
        for p in (0.0, 0.4):
            whole, ahead = (cp.respond(game, model, p=p, **words) for words in ({}, {"method": "cdrnr", "depth": 99}))
            assert weighed(ahead, p) == pytest.approx(weighed(whole, p), abs=slack(game))
        best = cp.respond(game, model).gain
        for solve in ("joint", "per-state"):
            ahead = cp.respond(game, model, method="cdbr", depth=99, solve=solve)
            assert ahead.gain == pytest.approx(best, abs=slack(game))


@pytest.mark.parametrize(("solve", "gadget"), covering(["joint", "per-state"], ["full", "unsafe", *SAFE]))
@given(match=match_ups(), depth=st.integers(1, 3))
@settings(max_examples=8)
def test_full_trust_needs_no_gadget(solve: str, gadget: str, match: MatchUp, depth: int) -> None:
    """CDRNR with p = 1 is CDBR to the last digit, whatever the gadget."""
    words: dict[str, Any] = {"depth": depth, "solve": solve}
    full = cp.respond(match.game, match.model, method="cdrnr", p=1.0, gadget=gadget, **words)
    same(full, cp.respond(match.game, match.model, method="cdbr", **words))


@pytest.mark.parametrize(("spec", "seat"), seats_in_turn((spec,) for spec in SMALL))
def test_against_the_model_alone_public_states_do_not_touch(game_of: GameOf, spec: str, seat: int) -> None:
    """CDBR wins the same whether a level's public states are solved together or each alone."""
    game = game_of(spec)
    model = cp.opponent(game, "random:2", player=1 - seat)
    for depth in (1, 2):
        both = [cp.respond(game, model, method="cdbr", depth=depth, solve=way).gain for way in ("joint", "per-state")]
        assert both[0] == pytest.approx(both[1], abs=slack(game))
