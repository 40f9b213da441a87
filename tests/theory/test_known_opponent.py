"""Against a model that is certain: the backward pass from the own infoset equals the general solve of the look-ahead."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import counterplay as cp
from counterplay import GameTree, LookAhead, Portfolio
from counterplay.gametree.compile.levels import Depth
from counterplay.lookahead import step
from counterplay.lookahead.decisions import DecisionGroup, SearchState, decision_groups
from counterplay.lookahead.search import Search
from counterplay.lookahead.step import decide_group, respond_from
from counterplay.subgames.cut_game import Border
from counterplay.value_functions.estimates import Heuristic
from tests.support.covering import covering
from tests.support.random_games import Knobs, RandomGame
from tests.support.theorems import GameOf

SMALL = ["kuhn", "leduc:merged=true", "goofspiel:3", "liars_dice:1,3", "battleships:1,3,1x1", "rps:2", "cdrnr_fig10"]


def worth(chain: SearchState, unit: DecisionGroup, behaviour: np.ndarray, search: Search) -> float:
    """The value of a behaviour against the model in a look-ahead, with a best response after the limit."""
    game, seat, model = chain.game, chain.seat, chain.model
    assert model is not None
    assert isinstance(search.value, Portfolio)
    until = step.seen_until(chain, unit, search)
    clock = search.depth.whole_clock(game)
    table, own = game.histories, cp.Strategy(game.trees[seat], behaviour).plan
    weight = table.reach * model.plan[game.sequences[1 - seat]] * (1.0 if seat == 0 else -1.0)
    inside = np.zeros(len(table), np.bool_)
    for decision in unit.decisions:
        for history in np.flatnonzero(table.player == seat):
            if game.lanes[seat][table.info[seat][history]] in decision.lanes:
                inside[history] = True
    total, behind = 0.0, {}
    for history in range(len(table)):
        up = int(table.parent[history])
        inside[history] |= up >= 0 and inside[up] and clock[up] <= until
        if not inside[history]:
            continue
        reach = weight[history] * own[game.sequences[seat][history]]
        if table.player[history] == 3:
            total += reach * table.utility[history]
        elif clock[history] > until:
            chips = search.value.against(Border.at(game, np.array([history])), seat, model).model
            assert chips is not None
            key = int(table.info[seat][history])
            behind[key] = behind.get(key, 0.0) + reach * chips[0]
    return total + sum(float(np.max(row)) for row in behind.values())


@pytest.mark.parametrize(("spec", "seat", "joint"), covering(SMALL, [0, 1], [True, False]))
def test_the_backward_pass_is_worth_what_the_general_solve_is(
    game_of: GameOf, spec: str, seat: int, joint: bool
) -> None:
    """Every look-ahead of every own decision, by linear program and by backward pass, to 1e-9."""
    game = game_of(spec)
    check(game, seat, joint, Depth(levels=1), Portfolio((("uniform", "nash"), ("uniform", "random:4"))))


def check(game: GameTree, seat: int, joint: bool, depth: Depth, value: Portfolio) -> None:
    search = Search(LookAhead(depth, value, solve="joint" if joint else "per-state"), 1.0)
    chain = SearchState(game, seat, search, cp.opponent(game, "random:3", 1 - seat))
    for unit in decision_groups(game, seat, depth, joint)[:12]:
        posed = step._cut(chain, unit, search)
        general = posed.read(chain, posed.solve.advance())
        lanes = np.concatenate([decision.lanes for decision in unit.decisions])
        ours = respond_from(chain, lanes, search, step.seen_until(chain, unit, search))
        here = np.zeros(game.trees[seat].lanes, np.bool_)
        here[lanes] = True
        sequences = here[game.trees[seat].owner] & (game.trees[seat].owner >= 0)
        found = [
            worth(chain, unit, np.where(sequences, one, general.behaviour), search) for one in (ours, general.behaviour)
        ]
        assert found[0] == pytest.approx(found[1], abs=1e-9 * game.span)
        decide_group(chain, unit)


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.integers(0, 1), st.integers(1, 2))
def test_in_random_games_too(seed: int, seat: int, depth: int) -> None:
    game = cp.load(RandomGame(Knobs(depth=3, seed=seed, lonely=2, named=False, utilities="whole")))
    check(game, seat, True, Depth(levels=depth), Portfolio((("uniform", "random:5"), ("uniform",))))


def test_an_estimate_has_no_opponent_behind_the_limit_either(game_of: GameOf) -> None:
    """At p = 1 a heuristic is a portfolio of one strategy."""
    game = game_of("leduc:merged=true")
    model = cp.opponent(game, "cfr:5", 1)
    value = Heuristic(lambda state: float(np.sum(state) % 3))
    answer = cp.respond(game, model, method="cdbr", depth=2, leaf=value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(step, "is_model_only", lambda _: False)
        general = cp.respond(game, model, method="cdbr", depth=2, leaf=value)
    assert answer.gain == pytest.approx(general.gain, abs=1e-9)


@pytest.mark.parametrize(
    ("spec", "seat", "model"),
    covering(["kuhn", "leduc:merged=true", "goofspiel:4"], [0, 1], ["uniform", "s1", "random:2"]),
)
def test_in_play_as_offline(game_of: GameOf, spec: str, seat: int, model: str) -> None:
    """The agent looks from its infoset, `respond` from whole public states."""
    if model == "s1" and not spec.startswith("leduc"):
        model = "cfr:3"
    game = game_of(spec)
    value = "portfolio:uniform;nash"
    agent = cp.agent(game, f"abd:p=1,depth=1,solver=lp,leaf={value},to={model}", seat)
    other = cp.opponent(game, model, 1 - seat)
    offline = cp.respond(game, other, method="abd", p=1.0, depth=1, leaf=value, solve="per-state")
    for infoset in game.trees[seat].labels.infosets:
        agent.new_hand()
        found = agent.policy(infoset)  # type: ignore[attr-defined]
        assert found == pytest.approx(offline.strategy.probabilities(infoset), abs=1e-6), infoset
