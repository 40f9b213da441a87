"""Optimal continuation, equilibria, bounds and full gadget of whole games, against the game listed history by history."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError, LookAhead, MaxMargin
from counterplay.blueprints.report import ses_bounds
from counterplay.blueprints.resolve import StreetSubtrees, parts_of
from counterplay.blueprints.resolved_blueprint import Baseline, BlueprintInputs, ResolveSettings
from counterplay.blueprints.whole_game import resolve as whole_resolve
from counterplay.blueprints.whole_game.resolve import subtrees_on
from counterplay.blueprints.whole_game.whole_game_plans import WholeGamePlans, in_memory, listed_game
from counterplay.poker.betting.rules import holdem
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import HoldemStrategy
from counterplay.poker.whole_game.values.measure import best_response_value, value
from counterplay_papers.listed_hands import EIGHT, enumerated, random_play

EXACT: Any = {"solver": "lp", "continuation": True, "interval": True, "bounds": True}


class Double(Holdem):
    """In double precision."""

    @property
    def game(self) -> HoldemGame:
        return _game(self.sizes)


SIZES = {"flop": "a", "turn": "none; turn: a", "both": "none; flop: a; turn: a"}


@cache
def rules(name: str) -> Double:
    """Eight cards, blinds 1 and 2, stacks of 4, all-in or not on some streets."""
    return Double(holdem(4, blinds=(1, 2), last="flop" if name == "flop" else "turn"), SIZES[name], EIGHT, "toy")


@cache
def _game(sizes: str) -> HoldemGame:
    name = next(name for name, one in SIZES.items() if one == sizes)
    return holdem_game(rules(name).limits, sizes, deck=EIGHT, dtype=np.float64)


def plans(last: str, seed: int) -> WholeGamePlans:
    return WholeGamePlans(rules(last), random_play(rules(last).game, seed))


@cache
def listed(last: str) -> Any:
    return cp.load(rules(last), say=lambda _: None)


def halves(last: str, seed: int) -> list[cp.Strategy]:
    """A random strategy of both players in the listed game."""
    play = plans(last, seed).play
    return [enumerated(listed(last), rules(last), rules(last).game, play, player) for player in (0, 1)]


@pytest.mark.parametrize("last", ["flop", "both"])
def test_a_whole_game_in_memory_is_the_game(last: str) -> None:
    """The public tree from before the flop on has the values of the walks over boards."""
    here, store = rules(last).game, plans(last, 1)
    listing = listed_game(rules(last))
    assert listing is not None
    arrays = in_memory(rules(last), listing, store)
    assert arrays is not None
    assert arrays.value(0) == pytest.approx(value(here, store.play, store.play), abs=1e-12)
    for player in (0, 1):
        assert arrays.best_value(player) == pytest.approx(best_response_value(here, store.play, player), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("last", "at", "seat"), [("flop", "flop", 0), ("flop", "flop", 1), ("turn", "turn", 1)])
def test_further_measures_are_those_of_the_listed_game(last: str, at: str, seat: int) -> None:
    """But for what exploitability is counted from: the value of the game there."""
    store, model = plans(last, 1), plans(last, 2)
    asked: Any = EXACT if last == "flop" else {"solver": "lp", "continuation": True}
    full = cp.resolve(
        listed(last), tuple(halves(last, 1)), "round", seat=seat, model=halves(last, 2)[1 - seat], **asked
    )
    mine, faced = (HoldemStrategy(rules(last), player, one.play) for player, one in ((seat, store), (1 - seat, model)))
    found = cp.resolve(rules(last), mine, at, seat=seat, model=faced, **asked)
    more = found.game_value - full.game_value
    assert found.before - full.before == pytest.approx(more, abs=1e-9)
    assert found.continuation - full.continuation == pytest.approx(more, abs=1e-9)
    if found.equilibria is None:
        return
    for end in ("best", "worst", "bound"):
        assert getattr(found.equilibria, end) - getattr(full.equilibria, end) == pytest.approx(more, abs=1e-9)
    assert found.equilibria.best <= found.after + 1e-9
    assert found.after <= found.equilibria.bound + 1e-9
    assert found.safety.epsilon == full.safety.epsilon == 0.0


def boards_on(here: HoldemGame, street: int) -> Any:
    found = [here.boards.root]
    for _ in range(street):
        found = [child for board in found for child in here.boards.after(board)]
    return found


@pytest.mark.parametrize("seat", [0, 1])
def test_bounds_of_ses_are_read_board_by_board(seat: int) -> None:
    """By branches of a store without arrays, one of isomorphic boards each, as by arrays on all boards."""
    listing, toy = listed_game(rules("flop")), rules("flop")
    assert listing is not None
    stores = [plans("flop", seed) for seed in (1, 2, 3, 4)]
    base, way = Baseline("toy", 0.0, known=False), ResolveSettings(LookAhead(gadget=MaxMargin()), alpha=0.2)
    branches = subtrees_on(toy.game, boards_on(toy.game, 1), seat)
    before, model, best, after = stores
    found = ses_bounds(base, BlueprintInputs(before, seat, model), after, best, branches, way)
    pieces = [*filter(None, StreetSubtrees(listing, parts_of(listing, 1), seat))]
    arrays: Any = [in_memory(toy, listing, one) for one in stores]
    known = ses_bounds(base, BlueprintInputs(arrays[0], seat, arrays[1]), arrays[3], arrays[2], pieces, way)
    for name, number in vars(known).items():
        assert getattr(found, name) == pytest.approx(number, abs=1e-9), name


@pytest.mark.parametrize(
    ("street", "beside", "seat"),
    [
        pytest.param(*case, marks=[pytest.mark.slow] * (case not in ((1, True, 1), (2, False, 0))))
        for case in product((1, 2), (False, True), (0, 1))
    ],
)
def test_all_boards_of_a_street_at_once_are_the_linear_program(street: int, beside: bool, seat: int) -> None:
    """The full gadget at flop and turn and the optimal continuation, within the gap that is stated."""
    toy, before = rules("both"), plans("both", 1)
    listing = listed_game(toy)
    assert listing is not None
    arrays = in_memory(toy, listing, before)
    pieces = [*filter(None, StreetSubtrees(listing, parts_of(listing, street), seat))]
    assert arrays is not None
    exact = arrays.solved(seat, pieces, "lp", cp.Stop(), beside=beside)[0].best_value(1 - seat)
    branches = subtrees_on(toy.game, boards_on(toy.game, street)[:1], seat)
    found, told = before.solved(seat, branches, "dcfr:1.5,0,4", cp.Stop(0.005, 600), beside=beside)
    assert told.gap <= 0.005
    assert exact - 1e-9 <= found.best_value(1 - seat) <= exact + told.gap + 1e-9
    rough, known = before.solved(seat, branches, "cfr+", cp.Stop(iterations=5), beside=beside)
    assert rough.best_value(1 - seat) <= exact + known.gap + 1e-9  # the gap is also known if none is asked for
    assert (before.best_value(1 - seat) - exact > 0.01) == (exact < before.best_value(1 - seat))
    for board in boards_on(toy.game, 1) if street == 2 and not beside else []:
        first, second = (one.play.on(seat, board) for one in (before, found))
        np.testing.assert_array_equal(first[0][1:][:, first[1]], second[0][1:][:, second[1]])
    if not beside:
        np.testing.assert_array_equal(found.play.preflop[seat][1:], before.play.preflop[seat][1:])


def test_a_game_too_large_for_the_linear_program_is_solved_by_the_solver_of_blueprints(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: Any = {"model": "passive", "gadget": "max-margin", "alpha": 0.02, "continuation": True, "bounds": True}
    exact = cp.resolve(rules("flop"), "uniform", "flop", stop=cp.Stop(iterations=150), **asked)
    monkeypatch.setattr(whole_resolve, "listed_game", lambda _: None)
    found = cp.resolve(rules("flop"), "uniform", "flop", stop=cp.Stop(iterations=150), **asked)
    assert found.continuation == pytest.approx(exact.continuation, abs=0.01)
    assert exact.continuation <= found.after + 1e-9
    for one in (exact, found):
        assert one.after <= one.safety.exploitability + 1e-6
        assert one.safety.measured >= one.safety.reward - 1e-3
    with pytest.raises(InputError, match="toy is too large for the interval"):
        cp.resolve(rules("flop"), "uniform", "flop", interval=True)


def test_the_mixture_that_ses_is_compared_with_is_measured() -> None:
    asked: Any = {"alpha": 0.3, "stop": cp.Stop(iterations=8)}
    model = plans("flop", 2).play
    told: list[tuple[int, int]] = []
    watched: Any = {**asked, "watch": lambda *counts: told.append(counts)}
    found = cp.resolve(rules("flop"), "uniform", "flop", model=HoldemStrategy(rules("flop"), 1, model), **watched)
    assert told[-1][0] == told[-1][1] > 0  # what comes after is no solving any more
    full = cp.resolve(listed("flop"), "uniform", "round", model=halves("flop", 2)[1], **asked)
    assert found.gain_mixing - full.gain_mixing == pytest.approx(full.game_value - found.game_value, abs=1e-5)
    assert found.mixing - full.mixing == pytest.approx(found.game_value - full.game_value, abs=1e-5)
    assert full.note is None
    assert "value of this game is not known" in found.note
