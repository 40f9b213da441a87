"""What boards solved again change, on drawn boards: over all of them it is what the whole game says."""

from __future__ import annotations

import pickle
from functools import cache
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError, LookAhead, Stop
from counterplay.lookahead.search import Search
from counterplay.measure.resolved_boards import (
    EDGE,
    LEAST,
    MOST,
    BoardDraw,
    ResolvedBoardsWork,
    foreseen_values,
    responder_on,
)
from counterplay.poker.whole_game.strategy import HoldemStrategy
from counterplay_papers.listed_hands import random_play
from tests.support.commands import Runner
from tests.support.whole_games import rules

TOY = "holdem:deck=12,stack=2bb,bets=a,last=turn"


@cache
def strategies() -> tuple[Any, Any, Any]:
    """A table, and a model, at random."""
    here = rules("turn")
    return here, *(HoldemStrategy(here, 1 - k, random_play(here.game, k + 1)) for k in (0, 1))


@pytest.mark.parametrize(("gadget", "p"), [
    ("resolving", 0.0), *(pytest.param(*one, marks=pytest.mark.slow) for one in (("unsafe", 1.0), ("max-margin", 0.5))),
])  # fmt: skip
def test_over_all_boards_the_changes_are_those_of_the_whole_game(gadget: str, p: float) -> None:
    """Gains exactly; a best responder's between the bounds; behind a safe gadget no more than the table loses."""
    here, table, model = strategies()
    found = cp.resolve_on_boards(
        here, table, "turn", "all", seat=1, model=model, p=p, gadget=gadget, stop=Stop(iterations=12)
    )
    gain, risk = resolved_everywhere(gadget, p)
    assert found.edge == pytest.approx(gain, abs=1e-5)
    assert found.least - 1e-5 < risk < found.most + 1e-5
    if gadget == "resolving":
        assert found.most < 0.02
    if p == 1.0:
        assert gain > 0.02


def resolved_everywhere(gadget: str, p: float) -> tuple[float, float]:
    """What all boards together change: value against the model, and what a best responder wins."""
    from counterplay.blueprints.whole_game.as_strategy import BoardSearches
    from counterplay.poker.whole_game.values.measure import best_response_value, value

    here, table, model = strategies()
    game, search = here.game, asked(gadget, p)
    boards = [child for flop in game.boards.after(game.boards.root) for child in game.boards.after(flop)]
    work = BoardSearches(game, table.play, 1, model.play, boards, search)
    solved = work.finish({key: work.compute(key) for key in work.keys()})  # noqa: SIM118
    won = [-value(game, model.play, play) for play in (solved, table.play)]
    lost = [best_response_value(game, play, 0) for play in (solved, table.play)]
    return won[0] - won[1], lost[0] - lost[1]


def asked(gadget: str, p: float) -> Search:
    from counterplay.gadgets import gadget_of

    return Search(LookAhead(gadget=gadget_of(gadget)), p, 0.0, "cfr+", Stop(iterations=12))


def test_drawn_boards_estimate_the_whole() -> None:
    """The mean over many draws of two boards; each of 40 boards is solved once."""
    here, table, model = strategies()
    every = ResolvedBoardsWork(here, table.play, model.play, 1, asked("unsafe", 1.0), BoardDraw(2, "all", 0))
    results = {key: every.compute(key) for key in every.keys()}  # noqa: SIM118
    met = responder_on(every)
    whole = {part: float(chips.sum()) for part, chips in every.changes(results, met).items()}
    drawn = ResolvedBoardsWork(here, table.play, model.play, 1, asked("unsafe", 1.0), BoardDraw(2, 600, 3))
    assert set(drawn.keys()) <= set(results)
    for part, chips in drawn.changes(results, met).items():
        near = 600 * chips
        assert abs(near.mean() - whole[part]) < 3.5 * near.std() / np.sqrt(600), part
    assert set(whole) == {EDGE, LEAST, MOST}


def test_who_foresees_the_board_wins_the_best_plan_of_each_hand() -> None:
    """By all pure plans of a hand before a turn, at random values."""
    here = rules("turn").game
    board = here.boards.after(here.boards.after(here.boards.root)[0])[0]
    entries = len(here.roots[2])
    more = np.random.default_rng(1).normal(size=(entries, len(board.hand)))
    side = here.sides[0]

    def best(street: int, sequence: int) -> Any:
        """Of a sequence of a street: every decision after it once, and the entries of the next street that it comes to."""
        total = np.zeros(len(board.hand))
        for _, before, first, count in side.decisions[street].tolist():
            if before == sequence:
                total += np.max([best(street, first + k) for k in range(count)], axis=0)
        for entry, before in enumerate(side.entries[street + 1].tolist()):
            if before == sequence:
                total += more[entry] if street == 1 else best(1, entry)
        return total

    np.testing.assert_allclose(foreseen_values(here, 0, board, more), best(0, 0))


def test_the_command_prints_the_bounds_and_refuses_what_cannot_be(run: Runner) -> None:
    common = ("resolve", TOY, "--blueprint", "uniform", "--at", "turn", "--iterations", "5", "--json")
    found = run(*common, "--boards", "3", "--to", "passive", "--p", "1", "--gadget", "unsafe").json
    assert found["boards"] == 3
    assert found["least"] <= found["most"]
    assert found["edge_mbb"] == pytest.approx(10.0 * found["edge"])
    for more, said in (
        (("--p", "0.5"), "--p goes with --boards"),
        (("--boards", "3", "--p", "0.5"), "need a model"),
        (("--boards", "1"), "a number from 2"),
        (("--boards", "3", "--gadget", "full"), "no drawn ones"),
        (("--boards", "3", "--interval"), "have no interval"),
        (("--boards", "x"), "a number or all"),
    ):
        ended = run(*common, *more)
        assert (ended.code, ended.out) == (2, "")
        assert said in ended.err
    with pytest.raises(InputError, match="one street, flop or turn, not 'river'"):
        cp.resolve_on_boards(cp.load(TOY), "uniform", "river", 3)
    with pytest.raises(InputError, match="whole games"):
        cp.resolve_on_boards(cp.load("kuhn"), "uniform", "round", 3)


def test_another_process_solves_the_same() -> None:
    here = cp.load(TOY)
    made: Any = cp.opponent(here, "uniform", player=0)
    work = ResolvedBoardsWork(
        here, made.play, None, 0, asked("resolving", 0.0), BoardDraw(2, 2, 1), texts=("uniform", None)
    )
    there, key = pickle.loads(pickle.dumps(work)), work.keys()[0]
    assert (there.identity(), there.keys()) == (work.identity(), work.keys())
    np.testing.assert_array_equal(there.compute(key)["lost"], work.compute(key)["lost"])
