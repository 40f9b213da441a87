"""Tendencies by street, and restricted Nash responses to a deviation: the linear program of the listed game is a witness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError
from counterplay.card_abstraction.card_abstraction import lossless
from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.card_abstraction.moments import Moments
from counterplay.opponents.opponent import strategy_of
from counterplay.opponents.reference_players import bias_actions
from counterplay.opponents.tilting.mapped_hands import MappedHands, draw_hands
from counterplay.opponents.tilting.spot_tilt import FrequencyRow
from counterplay.opponents.tilting.tilted_model import model_of_tendencies
from counterplay.poker.whole_game.blueprints.public_sampling import PublicSampling, SamplingProblem
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.poker.whole_game.strategy import BucketedStrategy, Deviation, ModelMixture
from counterplay.responses.matchup import Matchup
from counterplay.responses.whole_game import SampledResponses
from counterplay_papers.listed_hands import enumerated
from tests.support.commands import Runner
from tests.support.whole_games import assert_same_tables, game, listed, rules

GAME = "holdem:deck=20,stack=10bb,bets=fcpa,buckets=4"
PRIOR = "blueprint:buckets=4,iterations=200"
CALLER = f"bias:fold=0.2:{PRIOR}"


@cache
def deviation() -> Deviation:
    """A poor player, and one who folds a tenth as often."""
    solver = PublicSampling(SamplingProblem(game("turn"), lossless(game("turn").boards), seed=5))
    solver.sample(20)
    known = solver.average()
    return Deviation(bias_actions(game("turn"), known, {"fold": 0.1}), known)


def regrets_after(trust: ModelMixture, before: Sequence[Any] = ()) -> list[Any]:
    """Of the responder, before the flop and on each street, after the first board: from `before`, or from random ones."""
    here, random = game("turn"), np.random.default_rng(0)
    solver = PublicSampling(SamplingProblem(here, lossless(here.boards), seed=7), trust=trust)
    regrets = [solver.regrets[0], *(street.regrets[0] for street in solver.streets)]
    for k, table in enumerate(regrets):
        table[...] = before[k] if before else random.normal(size=table.shape)
    solver.sample(1)
    return [table.copy() for table in regrets]


def test_what_is_earned_against_the_reference_is_taken_off() -> None:
    """On one board: what the model adds to the regrets, less what the reference would add to them then."""
    known = deviation()
    model, reference = (ModelMixture(1, one, 1.0) for one in (known.play, known.reference))
    both = regrets_after(replace(model, reference=known.reference))
    first = regrets_after(model)
    second = regrets_after(reference, first)
    for found, one, two in zip(both, first, second, strict=True):
        np.testing.assert_allclose(found, 2.0 * one - two, atol=1e-12)
        assert np.abs(found - one).max() > 1e-3


@pytest.mark.slow
def test_a_response_to_a_deviation_is_that_of_the_linear_program() -> None:
    """The most of (1 - p) times the guarantee plus p times what the change alone brings."""
    here, p, known = rules("turn"), 0.95, deviation()
    solves = SampledResponses(game("turn"), lossless(game("turn").boards), 1, known, cp.Stop(iterations=6400), 1)
    response = enumerated(listed("turn"), here, game("turn"), solves.response(p).plan, 0).plan
    changed, before = (
        Matchup(listed("turn"), enumerated(listed("turn"), here, game("turn"), one, 1))
        for one in (known.play, known.reference)
    )
    gain = p * (changed.rewards - before.rewards)

    def worth(plan: Any) -> float:
        return float(gain @ plan) + (1.0 - p) * changed.guarantee(plan)

    best = changed.program.maximise(gain, 1.0 - p).plan
    assert worth(best) - 0.03 < worth(response) <= worth(best) + 1e-6
    assert worth(response) > worth(changed.equilibrium().plan) + 0.03


def test_a_reference_has_the_buckets_of_the_response_and_takes_no_trust_by_row() -> None:
    known = deviation()
    trust = ModelMixture(1, known.play, 0.5, reference=known.reference)
    with pytest.raises(InputError, match="row by row has no reference"):
        replace(trust, by_row=True)
    few = make_buckets(game("turn").boards, Moments((2, 2)))
    with pytest.raises(InputError, match="must have the buckets of the response"):
        PublicSampling(SamplingProblem(game("turn"), few), trust=trust)
    with pytest.raises(InputError, match="has no reference"):
        VectorCFR(game("turn"), lossless(game("turn").boards), trust=trust)


@cache
def prior() -> BucketedStrategy:
    found: Any = strategy_of(read_holdem(GAME).game, PRIOR)
    return found  # type: ignore[no-any-return]


@cache
def drawn(player: str, reveal: str, hands: int) -> MappedHands:
    here = read_holdem(GAME).game
    return draw_hands(here, strategy_of(here, player), prior(), hands, reveal, 3)


def by_name(rows: Sequence[FrequencyRow]) -> dict[str, FrequencyRow]:
    return {row.name: row for row in rows}


@pytest.mark.parametrize("reveal", ["all", "none"])
def test_hands_move_what_they_support_to_the_near_end_and_nothing_else(reveal: str) -> None:
    here = read_holdem(GAME).game
    found = model_of_tendencies(here, prior(), drawn(CALLER, reveal, 600))
    rows = by_name(found.rows)
    assert rows["preflop: fold"].target is not None
    for row in rows.values():
        assert row.counted is not None
        assert row.known is not None
        assert row.achieved is not None
        assert row.low - 1e-3 <= row.achieved <= row.high + 1e-3
        if row.target is not None:
            assert row.target == (row.high if row.high < row.known else row.low)
            assert row.achieved == pytest.approx(row.target, abs=1e-3)
    folds = [row for row in rows.values() if "fold" in row.name and row.target is not None]
    assert all(row.target < row.known for row in folds if row.target is not None and row.known is not None)
    assert found.play.reference is prior()


def test_who_plays_as_the_prior_is_left_as_the_prior() -> None:
    """Where nothing is moved, bit for bit."""
    here = read_holdem(GAME).game
    mapped = drawn(PRIOR, "all", 100)
    found = model_of_tendencies(here, prior(), replace(mapped, hands=mapped.hands[:1]))
    assert all(row.target is None for row in found.rows)
    assert_same_tables(found.play.play, prior())
    many = model_of_tendencies(here, prior(), drawn(PRIOR, "all", 600))
    assert sum(row.target is not None for row in many.rows) <= 3  # of ten and more intervals of 95 %


def test_tendencies_are_a_model_everywhere(tmp_path: Path, run: Runner) -> None:
    log = tmp_path / "match.jsonl"
    run("match", GAME, "passive", PRIOR, "--hands", "60", "--log", str(log))
    model = f"hands:{log},player=passive,prior=[{PRIOR}],trust=tendencies"
    said = run(
        "respond", GAME, "--to", model, "--flops", "2", "--method", "rnr", "--p", "0.8", "--json", "--seconds", "1"
    )
    assert not said.code, said.err
    assert np.isfinite(said.json["edge"])
    refused = run("respond", GAME, "--to", model, "--flops", "2", "--method", "dbr", "--p", "0.8", "--seconds", "1")
    assert (refused.code, "row by row has no reference" in refused.err) == (2, True)
    weighed = run("respond", GAME, "--to", f"{model},weight=3", "--flops", "2", "--method", "br")
    assert (weighed.code, "have no weight of the prior" in weighed.err) == (2, True)
    assert "trust is for whole games" in run("respond", "kuhn", "--to", f"hands:{log},player=bob,trust=tendencies").err
