"""Sampled values at the limit converge to the exact ones, are reproducible, and are cached on disk."""

# ruff: noqa: ARG001, ARG005 - opponents need not look at what they are given

from __future__ import annotations

import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import Portfolio, SampledPortfolio
from counterplay.cache_folder import FOLDER
from counterplay.games import make_game
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.build.rollouts import rollouts
from counterplay.gametree.build.step_states import states_at
from counterplay.gametree.compile.expectation import sample_walks
from counterplay.opponents.model import MODELS, Bot
from counterplay.opponents.opponent import actor
from counterplay.subgames.cut_game import Border
from counterplay.value_functions import sampled_portfolio
from counterplay.value_functions.estimates import playouts
from counterplay.value_functions.leaf_value import value_function
from counterplay.value_functions.portfolio import expected_value
from counterplay.value_functions.sampled_portfolio import PairSamples, SampleCache
from tests.support.theorems import GameOf

TEXTS = ("uniform", "last:A1")
TEXTS_OF_LEDUC = ("uniform", "passive")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path / "kept"))


def border_of(game: cp.GameTree) -> Border:
    """Every tenth history at which a player acts."""
    return Border.at(game, np.flatnonzero(game.histories.player < 2)[::10])


@pytest.mark.parametrize("samples", [100, 10_000])
def test_walks_come_to_the_exact_values_as_one_over_the_root_of_n(game_of: GameOf, samples: int) -> None:
    """The mean square of (estimate - truth) / standard error is 1, at any number of samples; so the error falls as the
    standard error does, which is the spread over the root of N. With the histories and the seed here it is from 0.7 to 1.3.
    """
    game = game_of("leduc:merged=true")
    which = border_of(game).histories
    pair = cp.opponent(game, "random:1", 0), cp.opponent(game, "random:2", 1)
    behaviours = pair[0].behaviour, pair[1].behaviour
    mean, error = sample_walks(game, which, behaviours, samples, seed=3)
    away = (mean - expected_value(game, *pair)[which])[error > 0.0] / error[error > 0.0]
    assert 0.7 < np.mean(away**2) < 1.3
    more = sample_walks(game, which, behaviours, 4 * samples, seed=3)[1]
    assert np.median(more[error > 0.0] / error[error > 0.0]) == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("texts", [("uniform", "last:A1"), ("even", "noise:0.3:odd"), ("noise:0.5:last:B2", "uniform")])
def test_games_by_the_rules_come_to_the_exact_values(game_of: GameOf, texts: tuple[str, str]) -> None:
    """What a policy does at states is what the strategy of its text does at infosets."""
    game = game_of("battleships:2,2,1x1")
    rules: Any = game.rules
    which = border_of(game).histories
    policies = tuple(MODELS.parse(text).policy(rules) for text in texts)
    states = states_at(rules, game.histories, which)
    mean, error = rollouts(rules, states, 2000, 1, policies)  # type: ignore[arg-type]
    truth = expected_value(game, cp.opponent(game, texts[0], 0), cp.opponent(game, texts[1], 1))[which]
    assert np.abs(mean - truth)[error == 0.0].max(initial=0.0) < 0.01
    away = (mean - truth)[error > 0.0] / error[error > 0.0]
    assert 0.8 < np.mean(away**2) < 1.2


def test_somebody_s_code_plays_the_same_games(game_of: GameOf) -> None:
    """A function, and a bot that only draws, give the same results as the compiled policy."""
    game = game_of("battleships:2,2,1x1")
    rules: Any = game.rules
    states = states_at(rules, game.histories, border_of(game).histories[::150])

    def shoot(infoset: str, names: tuple[str, ...]) -> dict[str, float]:
        first = names if infoset == "start" else [name for name in names if name != "A1"] or names
        return {name: 1.0 / len(first) for name in first}

    class Shooting:
        def sample(self, state: Any, rng: random.Random) -> Any:
            row = shoot(
                rules.infoset(state, rules.player(state)),
                tuple(rules.action_name(state, a) for a in rules.actions(state)),
            )
            return rng.choice(list(row))

    uniform = actor(rules, "uniform")
    fast = playouts(rules, states, (uniform, actor(rules, "last:A1")), 4000, 0)
    for source in (shoot, Shooting()):
        mean, error = playouts(rules, states, (uniform, actor(rules, source)), 200, 0)
        away = np.abs(mean - fast[0]) / np.sqrt(np.maximum(error, 0.01) ** 2 + fast[1] ** 2)
        assert away.max() < 4.0
    small = game_of("battleships:1,3,1x1")
    rules = small.rules
    labels, asked = small.trees[1].labels, cp.opponent(small, Shooting(), 1)
    found = [one for one in zip(labels.infosets, labels.actions, strict=True) if "A1" in one[1] and len(one[1]) > 1]
    assert {len(names) for _, names in found} == {2, 3}
    for infoset, names in found:
        wanted = dict.fromkeys(names, 0.0) | shoot(infoset, names)
        assert asked.probabilities(infoset) == pytest.approx(wanted, abs=0.12)


@pytest.mark.parametrize("seat", [0, 1])
def test_states_have_the_shapes_and_numbers_of_the_exact_portfolio(game_of: GameOf, seat: int) -> None:
    game = game_of("battleships:2,2,1x1")
    border, model = border_of(game), cp.opponent(game, "last:A2", 1 - seat)
    exact = Portfolio((TEXTS, TEXTS)).states(border, seat, model)
    found = SampledPortfolio((TEXTS, TEXTS), samples=2000).states(border, seat, model)
    assert found.error is not None
    assert found.model_error is not None
    assert found.chips.shape == exact.chips.shape == found.error.shape
    for ours, truth, error in ((found.chips, exact.chips, found.error), (found.model, exact.model, found.model_error)):
        assert ours is not None
        assert truth is not None
        assert (np.abs(ours - truth) <= 5.0 * error + 0.01).all()


def test_equal_seeds_are_equal_values_and_pairs_are_independent(game_of: GameOf) -> None:
    game = game_of("leduc:merged=true")
    border = border_of(game)
    same = [
        SampledPortfolio((("uniform", "uniform"), ("uniform",)), samples=5, seed=s).states(border, 0, None).chips
        for s in (1, 1, 2)
    ]
    np.testing.assert_array_equal(same[0], same[1])
    assert (same[0] != same[2]).any()
    assert (same[0][:, 0] != same[0][:, 1]).any()


@pytest.mark.parametrize("whole", [True, False])
def test_another_process_samples_the_same_values(game_of: GameOf, whole: bool) -> None:
    """What a worker makes of the pickled work: walks through a game in memory, and random games by the rules."""
    game = game_of("leduc:merged=true" if whole else "battleships:2,2,1x1")
    rules, which = game.rules, border_of(game).histories[:20]
    assert isinstance(rules, FastGame)
    if whole:
        mine, theirs = (cp.opponent(game, f"random:{player}", player) for player in (0, 1))
        work = PairSamples(game, which, 20, 3, [(mine.behaviour, theirs.behaviour)], 7)
    else:
        states = states_at(rules, game.histories, which)
        pair = actor(rules, "uniform"), actor(rules, "noise:0.2:last:A1")
        work = PairSamples(rules, states, 20, 3, [pair], 7)
    again = pickle.loads(pickle.dumps(work))
    assert again.keys() == work.keys() == ["7"]
    np.testing.assert_array_equal(again.compute("7"), work.compute("7"))


@pytest.mark.slow
def test_values_are_equal_with_any_number_of_workers(game_of: GameOf) -> None:
    border = border_of(game_of("leduc:merged=true"))
    one, two = (
        SampledPortfolio((TEXTS_OF_LEDUC, TEXTS_OF_LEDUC), samples=5, keep=False, workers=workers).states(
            border, 0, None
        )
        for workers in (1, 2)
    )
    np.testing.assert_array_equal(one.chips, two.chips)


def test_values_are_kept_under_everything_that_they_depend_on(game_of: GameOf, tmp_path: Path) -> None:
    """Game, portfolios, samples, seed, histories: another one of them is another file; the same one is found again."""
    game, folder = game_of("leduc:merged=true"), tmp_path / "kept"
    border = Border.at(game, np.flatnonzero(game.histories.player < 2))

    def ask(
        texts: tuple[str, ...] = ("uniform", "passive"), samples: int = 50, seed: int = 0, where: Border = border
    ) -> Any:
        return SampledPortfolio((texts, texts), samples=samples, seed=seed).states(where, 0, None).chips

    first = ask()
    assert len(list(folder.iterdir())) == 1
    np.testing.assert_array_equal(ask(), first)
    assert len(list(folder.iterdir())) == 1
    ask(seed=1), ask(samples=51), ask(("uniform", "aggressive")), ask(where=Border.at(game, border.histories[:-1]))
    assert len(list(folder.iterdir())) == 5


@pytest.mark.parametrize("harm", ["cut", "other", "empty", "swapped"])
def test_a_damaged_or_stale_file_is_made_again(game_of: GameOf, tmp_path: Path, harm: str) -> None:
    game = game_of("leduc:merged=true")
    border = Border.at(game, np.flatnonzero(game.histories.player < 2))
    kept = SampledPortfolio((("uniform",), ("uniform", "passive")), samples=50)
    first = kept.states(border, 0, None).chips
    path = next((tmp_path / "kept").iterdir())
    whole = path.read_bytes()
    swapped = SampleCache({"of": "another key"})
    swapped.keep("0", [np.ones(len(border.histories))] * 2)
    assert swapped.path is not None
    harmed = {"cut": whole[:-200], "other": b"something else", "empty": b"", "swapped": swapped.path.read_bytes()}
    path.write_bytes(harmed[harm])
    np.testing.assert_array_equal(kept.states(border, 0, None).chips, first)
    assert harm == "cut" or path.read_bytes() == whole
    np.testing.assert_array_equal(kept.states(border, 0, None).chips, first)


def test_pairs_that_are_sampled_are_kept_before_the_others_are(
    game_of: GameOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in the second pair loses the second pair alone."""
    game = game_of("leduc:merged=true")
    border = Border.at(game, np.flatnonzero(game.histories.player < 2))
    kept, played = SampledPortfolio((("uniform", "passive"), ("uniform",)), samples=50), []

    def walks(*given: Any) -> Any:
        played.append(given)
        if len(played) == 2:
            raise KeyboardInterrupt
        return sample_walks(*given)

    monkeypatch.setattr(sampled_portfolio, "sample_walks", walks)
    with pytest.raises(KeyboardInterrupt):
        kept.states(border, 0, None)
    first = kept.states(border, 0, None).chips
    assert len(played) == 3
    monkeypatch.setenv(FOLDER, "")
    np.testing.assert_array_equal(kept.states(border, 0, None).chips, first)


def test_nothing_is_kept_of_code_or_where_there_is_no_place(
    game_of: GameOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = game_of("leduc:merged=true")
    border = Border.at(game, np.flatnonzero(game.histories.player < 2))
    SampledPortfolio(((lambda infoset, names: [1.0 / len(names)] * len(names),), ("uniform",)), samples=50).states(
        border, 0, None
    )
    assert not (tmp_path / "kept").exists()
    monkeypatch.setenv(FOLDER, "")
    assert SampleCache({"a": 1}).path is None
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(FOLDER, str(tmp_path / "file"))
    SampledPortfolio((("uniform",), ("uniform", "passive")), samples=50).states(border, 0, None)


@pytest.mark.parametrize("solver", ["lp", pytest.param("cfr+", marks=pytest.mark.slow)])
def test_abd_by_samples_is_abd_with_many_of_them(solver: str, game_of: GameOf) -> None:
    """p between 0 and 1, in respond and in play."""
    game = game_of("battleships:2,2,1x1")
    model = cp.opponent(game, "last:A1", 1)
    exact = cp.respond(game, model, method="abd", p=0.7, depth=2, leaf="portfolio:uniform;last:A1;last:B2")
    found = cp.respond(
        game, model, method="abd", p=0.7, depth=2, leaf="sampled:4000:uniform;last:A1;last:B2", solver=solver
    )
    assert 0.7 * found.gain - 0.3 * found.exploitability == pytest.approx(
        0.7 * exact.gain - 0.3 * exact.exploitability, abs=0.03
    )
    agent = cp.agent(game, "abd:p=0.7,depth=2,leaf=sampled:500:uniform;last:A1;last:B2,to=last:A1", 0)
    assert sum(agent.policy("start").values()) == pytest.approx(1.0)  # type: ignore[attr-defined]


@pytest.mark.parametrize("p", [0.0, 0.5])
def test_a_game_expanded_on_the_way_samples_by_its_rules(p: float) -> None:
    """With p below 1 public states are expanded; what is beyond them is played out by policies."""
    game = make_game("battleships:2,3,1x1")
    agent = cp.agent(game, f"abd:p={p},depth=2,leaf=sampled:50:uniform;even;odd,expand=way,to=last:A1", 0)
    first = agent.policy("start")  # type: ignore[attr-defined]
    assert sum(first.values()) == pytest.approx(1.0)
    if p == 0.5:
        assert first["A1"] > 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sampled:0:uniform", "whole number of at least 1"),
        ("sampled:10:", "at least one strategy"),
        ("sampled:10", "at least one strategy"),
        ("sampled:x:uniform", "whole number"),
        ("sampled:10,y:uniform", "whole number"),
        ("sampled:10:uniform|", "at least one strategy"),
        ("sampled:10:last:A1", "plays battleships, not kuhn"),
        ("portfolio:bias:z=2:nash", "no action begins with 'z'"),
    ],
)
def test_sampled_portfolios_that_are_none(kuhn: cp.GameTree, text: str, message: str) -> None:
    with pytest.raises(cp.InputError, match=message):
        cp.respond(kuhn, cp.opponent(kuhn, "uniform"), method="abd", p=0.5, depth=1, leaf=text)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"Z1": 1.0}, "plays 'Z1' at"),
        ({"A1": 0.7}, "must be at least 0 and sum to 1"),
        ({"A1": -1.0, "A2": 2.0}, "must be at least 0"),
        ({"A1": float("nan")}, "must be at least 0"),
    ],
)
def test_models_that_say_what_is_no_distribution(row: dict[str, float], message: str) -> None:
    game = make_game("battleships:2,2,1x1")
    assert isinstance(game, FastGame)
    with pytest.raises(cp.InputError, match=message):
        actor(game, lambda infoset, names: row).odds(game, game.root())


def test_bots_that_answer_nonsense_or_fail() -> None:
    game = make_game("battleships:2,2,1x1")

    def wrong(state: Any, rng: random.Random) -> Any:
        return 99

    with pytest.raises(cp.InputError, match="answered 99 at 'start'"):
        Bot("bot", wrong).odds(game, game.root())
    with pytest.raises(cp.InputError, match="failed at 'start': ZeroDivisionError"):
        Bot("bot", lambda state, rng: 1 // 0).odds(game, game.root())
    with pytest.raises(cp.InputError, match="needs all of"):
        actor(game, "nash")


def test_both_players_may_have_their_own_portfolio() -> None:
    value = value_function("sampled:7,3:uniform;even|odd")
    assert isinstance(value, SampledPortfolio)
    assert (value.samples, value.seed, value.sources) == (7, 3, (("uniform", "even"), ("odd",)))
