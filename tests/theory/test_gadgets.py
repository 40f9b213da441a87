"""Subgames cut from compiled games, with their entries: examples of the papers, safety, and agreement of the solvers."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest

import counterplay as cp
from counterplay.gadgets.gadget import full_entry, max_margin_entry, resolving_entry, unsafe_entry
from counterplay.games import leduc
from counterplay.solvers.best_response import best_response
from counterplay.solvers.equilibrium import solve_by
from counterplay.solvers.lp import FixedInfosets, SequenceFormLP
from counterplay.subgames.cut import Cut, cut
from counterplay.subgames.cut_game import CutGame, build_gadget_game
from counterplay.subgames.entry import Entry
from counterplay.treeplex.sweeps import behaviour_of
from tests.support.covering import covering
from tests.support.gadget_games import alternative_values


@cache
def load(spec: str) -> cp.GameTree:
    return cp.load(spec)


def entries(piece: Cut, blueprint: cp.Strategy) -> dict[str, Entry]:
    values = alternative_values(piece, blueprint)
    return {
        "unsafe": unsafe_entry(piece.size),
        "resolving": resolving_entry(values),
        "max-margin": max_margin_entry(values),
        "full": full_entry(piece.size),
    }


def starts(game: cp.GameTree, player: int, levels: set[int]) -> list[int]:
    """Public states of the player's infosets at these depths of moves, as entry points."""
    from counterplay.gametree.compile.levels import history_levels

    table = game.histories
    here = np.flatnonzero((table.player == player) & np.isin(history_levels(game), list(levels)))
    return sorted(set(game.public[0][table.info[0][here]].tolist()))


def pure(tree, label: str, action: str) -> np.ndarray:
    behaviour = tree.uniform()
    number = tree.labels.index[label]
    names = tree.labels.actions[number]
    behaviour[tree.sequences_of(tree.labels.lanes[number])] = [float(name == action) for name in names]
    return behaviour


def worth(problem: CutGame, player: int, behaviour: np.ndarray) -> float:
    """What a behaviour of the whole game is worth in a problem against the best answer, chips of the player."""
    tree = problem.subgame.trees[player]
    plan = problem.subgame.restrictions[player].played(tree, problem.taken(player, behaviour))
    return -best_response(problem.subgame, 1 - player, plan).value


def test_figure_3_gadgets_misjudge_a_deviation() -> None:
    """Playing P against the best deviation is worth -3; resolving says -3.5 (-1.75 normalised), max-margin -2."""
    game = load("cdrnr_fig3")
    labels = game.trees[0].labels
    (label,), (actions,) = labels.infosets, labels.actions
    assert set(actions) == {"P", "Q"}
    blueprint = cp.Strategy(game.trees[0], pure(game.trees[0], label, "Q"))
    piece = cut(game, starts(game, 0, set(range(10))), 0)
    assert piece.size == 4
    playing = pure(game.trees[0], label, "P")
    ours = {}
    for name, entry in entries(piece, blueprint).items():
        if name != "unsafe":
            ours[name] = worth(build_gadget_game(piece, entry, blueprint.plan), 0, playing)
    assert ours == pytest.approx({"resolving": -3.5, "max-margin": -2.0, "full": -3.0}, abs=1e-12)
    weight = piece.top.chance.sum()  # of all roots together; normalised, it would be 1
    assert ours["resolving"] / weight == pytest.approx(-1.75, abs=1e-12)


def test_figure_2_unsafe_resolving_leaves_an_interval() -> None:
    """Against the equilibrium range every heads probability from 1/3 to 3/4 is as good, and only 2/3 is an equilibrium."""
    game = load("cdrnr_fig2")
    nash = cp.solve(game).strategies
    (label,) = game.trees[0].labels.infosets
    heads = game.trees[0].labels.actions[0][0]
    assert nash[0].probabilities(label)[heads] == pytest.approx(2 / 3, abs=1e-9)
    piece = cut(game, starts(game, 0, set(range(10))), 0)
    problem = build_gadget_game(piece, unsafe_entry(piece.size), nash[0].plan, nash[1].plan)

    def value(p: float) -> float:
        behaviour = game.trees[0].uniform()
        behaviour[game.trees[0].sequences_of(0)] = [p, 1.0 - p]
        return worth(problem, 0, behaviour)

    best = solve_by(problem.subgame, "lp", cp.Stop()).value
    assert [value(p) for p in (1 / 3, 0.5, 2 / 3, 3 / 4)] == pytest.approx([best] * 4, abs=1e-9)
    assert value(1 / 3 - 0.01) < best - 1e-4
    assert value(3 / 4 + 0.01) < best - 1e-4


def resolved(
    game: cp.GameTree, blueprint: cp.Strategy, other: cp.Strategy, states: list[int], name: str
) -> cp.Strategy:
    """The blueprint with every subgame re-solved after the named entry, one after the other."""
    seat, now = blueprint.player, blueprint
    for state in states:
        piece = cut(game, [state], seat)
        # The full gadget knows what was solved before; the others compare with the blueprint.
        against = now if name == "full" else blueprint
        problem = build_gadget_game(piece, entries(piece, against)[name], against.plan, other.plan)
        solution = solve_by(problem.subgame, "lp", cp.Stop())
        behaviour = behaviour_of(problem.subgame.trees[seat], solution.plans[seat])
        now = cp.Strategy(game.trees[seat], problem.splice(seat, behaviour, now.behaviour))
    return now


def round_two(game: cp.GameTree) -> list[int]:
    table = game.histories
    found = set()
    for history in np.flatnonzero(table.player == 0).tolist():
        state = game.state(history)
        if state[leduc.PHASE] == leduc.ROUND_2 and state[leduc.MOVES] == 0:
            found.add(int(game.public[0][table.info[0][history]]))
    return sorted(found)


@pytest.mark.parametrize(
    ("way", "spec", "seat"),
    covering(
        [*product(("uniform", "cfr+:10", "random:3"), ("resolving", "max-margin", "full"))],
        ("leduc:merged=true", "goofspiel:4"),
        (0, 1),
    ),
)
def test_a_safe_entry_never_raises_exploitability(way: tuple[str, str], spec: str, seat: int) -> None:
    blueprint, name = way
    game = load(spec)
    states = round_two(game) if spec.startswith("leduc") else starts(game, 0, {2})
    assert len(states) == {"leduc:merged=true": 15, "goofspiel:4": 6}[spec]
    before, other = (cp.opponent(game, blueprint, player) for player in (seat, 1 - seat))
    after = resolved(game, before, other, states, name)
    assert cp.evaluate(game, after).exploitability <= cp.evaluate(game, before).exploitability + 1e-6
    assert not np.allclose(after.behaviour, before.behaviour)


@pytest.mark.parametrize("name", ["unsafe", "resolving", "max-margin", "full"])
def test_cfr_and_lp_agree_behind_every_entry(name: str) -> None:
    game = load("leduc:merged=true")
    blueprint, other = (cp.opponent(game, "cfr+:10", player) for player in (0, 1))
    piece = cut(game, round_two(game)[3:4], 0)
    problem = build_gadget_game(piece, entries(piece, blueprint)[name], blueprint.plan, other.plan)
    exact = solve_by(problem.subgame, "lp", cp.Stop())
    iterated = solve_by(problem.subgame, "cfr+", cp.Stop(exploitability=1e-6, iterations=20_000))
    assert exact.nash_conv == pytest.approx(0.0, abs=1e-9)
    assert iterated.value == pytest.approx(exact.value, abs=1e-5)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_full_gadget_is_the_whole_game_with_the_rest_fixed(seat: int) -> None:
    """Cutting with the full entry gives the same value as the linear program with all other own infosets fixed."""
    game = load("goofspiel:4")
    blueprint = cp.opponent(game, "random:9", seat)
    for state in starts(game, 0, {2})[:3]:
        piece = cut(game, [state], seat)
        problem = build_gadget_game(piece, full_entry(piece.size), blueprint.plan)
        value = solve_by(problem.subgame, "lp", cp.Stop()).value * (1.0 if seat == 0 else -1.0)
        outside = np.ones(game.trees[seat].lanes, np.bool_)
        outside[problem.lanes[seat][problem.lanes[seat] >= 0]] = False
        whole = SequenceFormLP(game.subgame, seat, fixed=FixedInfosets(outside, blueprint.behaviour)).maximise(
            None, 1.0
        )
        assert value == pytest.approx(whole.objective, abs=1e-9)


def test_the_whole_game_as_a_subgame_is_the_game() -> None:
    """Cut at the root, every entry has the value of the game; max-margin counts from the alternative value."""
    game = load("kuhn")
    nash = cp.solve(game)
    piece = cut(game, [int(game.public[0][game.histories.info[0][0]])], 0)
    for name, entry in entries(piece, nash.strategies[0]).items():
        problem = build_gadget_game(piece, entry, nash.strategies[0].plan, nash.strategies[1].plan)
        value = solve_by(problem.subgame, "lp", cp.Stop()).value
        shift = {"max-margin": nash.value}.get(name, 0.0)
        assert value + shift == pytest.approx(nash.value, abs=1e-9)


def test_no_such_public_state() -> None:
    with pytest.raises(cp.InputError, match="no public state"):
        cut(load("kuhn"), [99], 0)
