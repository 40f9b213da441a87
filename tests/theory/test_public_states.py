"""Public states are computed from what players know; here they are counted against what the rules say."""

from __future__ import annotations

import pytest

import counterplay as cp
from counterplay.games import goofspiel, leduc


def _public(game: cp.GameTree, chosen) -> set[int]:
    """The public states of all histories whose state is chosen."""
    found = set()
    for history in range(len(game.histories)):
        if game.histories.player[history] in (0, 1) and chosen(game.state(history), game.histories.player[history]):
            found.add(int(game.public[0][game.histories.info[0][history]]))
    return found


@pytest.mark.parametrize("cards", [3, 4, pytest.param(5, marks=pytest.mark.slow)])
def test_goofspiel_after_one_turn(cards: int) -> None:
    """A win, a loss, and one for each bid that both made: who drew knows the other's bid, and both know that."""
    game = cp.load(f"goofspiel:{cards}")
    assert len(_public(game, lambda state, _: state[goofspiel.TURN] == 0)) == 1
    assert len(_public(game, lambda state, _: state[goofspiel.TURN] == 1)) == cards + 2


@pytest.mark.parametrize(("spec", "count"), [("leduc", 30), ("leduc:merged=true", 15)])
def test_leduc_has_five_ways_to_each_board(spec: str, count: int) -> None:
    """Five ways of betting in round 1 lead to round 2, times six cards or three ranks."""
    game = cp.load(spec)

    def opens(state, _) -> bool:
        return state[leduc.PHASE] == leduc.ROUND_2 and state[leduc.MOVES] == 0

    assert len(_public(game, opens)) == count


@pytest.mark.parametrize("spec", ["kuhn", "leduc:merged=true", "goofspiel:4", "liars_dice:1,3"])
def test_public_states_are_closed_and_agree_between_the_players(spec: str) -> None:
    game = cp.load(spec)
    table = game.histories
    inner = table.info[0] >= 0
    first, second = (game.public[i][table.info[i][inner]] for i in (0, 1))
    assert (first == second).all()
    assert set(first.tolist()) == set(range(game.public_states))


def test_openspiel_and_own_rules_have_the_same_public_states() -> None:
    pytest.importorskip("pyspiel")
    ours, theirs = cp.load("leduc"), cp.load("openspiel:leduc_poker")
    decisions = [
        {int(g.public[0][i]) for i, p in zip(g.histories.info[0], g.histories.player, strict=True) if p in (0, 1)}
        for g in (ours, theirs)
    ]
    assert len(decisions[0]) == len(decisions[1])
