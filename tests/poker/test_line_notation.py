"""Betting lines of protocols: what is written is read again, and replays by the rules; bets off the tree are translated."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterplay import InputError
from counterplay.poker.betting.line_notation import (
    ACPC,
    SLUMBOT,
    LineNotation,
    lower_probability,
    raise_share,
    replay_line,
    translate_raise,
    write_action,
)
from counterplay.poker.betting.rules import BettingRules, holdem, limit_holdem
from counterplay.poker.betting.state import Action, Kind, Move, act, start
from counterplay.poker.betting.tree import build
from tests.support.slumbot_server import RULES, any_action

FINE = holdem(20, blinds=(0.5, 1), unit=0.25)


@given(st.integers(0, 10**9), st.sampled_from([ACPC, SLUMBOT]), st.sampled_from([RULES, FINE, limit_holdem()]))
def test_any_hand_is_written_and_replayed(seed: int, notation: LineNotation, rules: BettingRules) -> None:
    draws, state, text, actions = random.Random(seed), start(rules), "", []
    while state.kind <= Kind.DEAL:
        action = Action(Move.DEAL) if state.kind is Kind.DEAL else any_action(rules, state, draws)
        text += write_action(rules, state, action, notation)
        state = act(rules, state, action)
        actions.append(action)
    replayed = replay_line(rules, text, notation)
    assert replayed.end == state
    assert [step.action for step in replayed.steps] == actions
    rest = rules.last - state.street if state.kind is Kind.SHOWDOWN else 0
    assert replay_line(rules, text + "/" * rest, notation).end.put == state.put


def test_amounts_count_the_chips_of_the_hand_or_of_the_street() -> None:
    acpc = replay_line(RULES, "r300c/cr900", ACPC).end
    assert acpc == replay_line(RULES, "b300c/kb600", SLUMBOT).end
    assert acpc.put == (300, 900)


@pytest.mark.parametrize(
    "line", ["x", "r100c", "r99999", "cc/r50", "cc/cc/cc/cc/", "r", "r300.5", "c5", "r300cf", "//", "r20000c/c"]
)
def test_what_the_rules_forbid_is_refused_by_the_step(line: str) -> None:
    with pytest.raises(InputError, match="ACPC line"):
        replay_line(RULES, line, ACPC)


@given(st.floats(0.0, 5.0), st.floats(0.01, 5.0), st.floats(0.0, 1.0))
def test_the_pseudo_harmonic_mapping_is_one_below_and_falls_to_zero_above(low: float, gap: float, part: float) -> None:
    high = low + gap
    size = low + part * gap
    assert lower_probability(low, high, low) == pytest.approx(1.0)
    assert lower_probability(low, high, high) == pytest.approx(0.0)
    assert -1e-9 <= lower_probability(low, high, size) <= 1.0 + 1e-9
    even = (low + high + 2.0 * low * high) / (low + high + 2.0)  # solved by hand for a probability of one half
    assert lower_probability(low, high, even) == pytest.approx(0.5)


def test_sizes_of_the_tree_are_taken_for_themselves() -> None:
    tree, draws = build(holdem(20, last="flop"), "50%, 100%, a"), random.Random(0)
    for node in range(tree.nodes):
        for child in tree.children(node):
            if tree.kind[node] <= Kind.PLAYER1 and tree.move[child] >= Move.BET:
                whole = tree.move[child] == Move.ALL_IN
                assert translate_raise(tree, node, raise_share(tree, child), all_in=whole, draws=draws) == child


def test_a_size_between_two_is_drawn_with_the_mapped_probability() -> None:
    tree, draws = build(holdem(40, last="flop"), "50%, 100%, a"), random.Random(1)
    half, pot, _ = (child for child in tree.children(0) if tree.move[child] >= Move.BET)
    taken = [translate_raise(tree, 0, 0.75, all_in=False, draws=draws) for _ in range(4000)]
    assert set(taken) == {half, pot}
    assert taken.count(half) / 4000 == pytest.approx(lower_probability(0.5, 1.0, 0.75), abs=0.03)
