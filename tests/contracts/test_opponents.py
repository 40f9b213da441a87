"""Models of the opponent: every form of the grammar, seeds, noise, observed hands, files and code, refusals."""
# ruff: noqa: ARG001, ARG005 - opponents need not look at what they are given

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay.catalogue import OPPONENTS as GRAMMAR
from counterplay.solvers.minimiser import MINIMISERS
from counterplay.strategies.strategy_makers import by_infoset, dirichlet
from tests.support import witness
from tests.support.covering import covering
from tests.support.opponent_texts import TEXTS
from tests.support.random_games import MatchUp, match_ups
from tests.support.theorems import GameOf


def check_valid(game: cp.GameTree, strategy: cp.Strategy, player: int) -> None:
    """A distribution over the right actions at every infoset of the rules."""
    infosets, table = witness.infosets(game.rules, player), strategy.table()
    assert strategy.player == player
    assert table.keys() == infosets.keys()
    for infoset, names in infosets.items():
        row = table[infoset]
        assert list(row) == names
        assert min(row.values()) >= 0.0
        assert sum(row.values()) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(("text", "spec", "player"), covering(TEXTS, ["kuhn", "liars_dice:1,3", "cdrnr_fig2"], [0, 1]))
def test_every_form_is_a_distribution_at_every_infoset(game_of: GameOf, text: str, spec: str, player: int) -> None:
    check_valid(game_of(spec), cp.opponent(game_of(spec), text, player=player), player)


@pytest.mark.parametrize(
    ("text", "spec", "player"),
    covering(
        ["s1", "s2", "s3", "s4", "passive", "aggressive"], ["leduc", "leduc:merged=true", "leduc:bets=1/2"], [0, 1]
    ),
)
def test_leduc_players_are_pure_and_play_as_described(game_of: GameOf, text: str, spec: str, player: int) -> None:
    """Passive: check, else fold. Aggressive: bet or raise, else call (S3, S4: else fold). S1, S3 attack in round 2, two
    others never or always."""
    game = game_of(spec)
    strategy = cp.opponent(game, text, player=player)
    check_valid(game, strategy, player)
    for infoset, row in strategy.table().items():
        second = len(infoset.split()) > 2  # as in 'Jh cc Qs c': card, first round, public card, second round
        played = next(action for action, q in row.items() if q == 1.0)
        attacks = text == "aggressive" or (text != "passive" and second == (text in ("s1", "s3")))
        if attacks:
            ends = "Fold" if text in ("s3", "s4") else "Call"
            assert played == ("Raise" if "Raise" in row else ends), infoset
        else:
            assert played == ("Fold" if "Fold" in row else "Call"), infoset


@pytest.mark.parametrize("player", [0, 1])
def test_a_cell_that_is_shot_at_last(game_of: GameOf, player: int) -> None:
    """Placements and all other shots are uniform."""
    game = game_of("battleships:2,2,1x1")
    strategy = cp.opponent(game, "last:A1", player=player)
    check_valid(game, strategy, player)
    for infoset, row in strategy.table().items():
        others = [action for action in row if infoset == "start" or action != "A1"]
        for action, odds in row.items():
            assert odds == pytest.approx((action in others) / len(others) if others else 1.0)
    with pytest.raises(cp.InputError, match="has no cell 'Z9'"):
        cp.opponent(game, "last:Z9", player=player)


@pytest.mark.parametrize("player", [0, 1])
def test_a_biased_blueprint_multiplies_and_scales(game_of: GameOf, player: int) -> None:
    """Leduc: the probability of folding ten times as large before scaling; where the blueprint is sure it stays so."""
    game = game_of("leduc")
    blueprint, folding = (cp.opponent(game, text, player) for text in ("random:3", "bias:f=10:random:3"))
    check_valid(game, folding, player)
    for infoset, row in blueprint.table().items():
        weight = {action: odds * (10.0 if action == "Fold" else 1.0) for action, odds in row.items()}
        told = {action: one / sum(weight.values()) for action, one in weight.items()}
        assert folding.probabilities(infoset) == pytest.approx(told)
    both = cp.opponent(game, "bias:Raise=0,call=0:random:3", player).table()
    assert all(row.get("Fold", 1.0) == 1.0 or "Fold" not in row for row in both.values())
    assert cp.opponent(game, "bias:f=0:br:uniform", player).table().keys() == blueprint.table().keys()


@pytest.mark.parametrize("text", ["bias:{}:random:3", "incentive:{}:uniform"])
@pytest.mark.parametrize("words", ["1=2,1-4=3", "1-4=3,1=2"])
def test_the_longest_beginning_of_an_action_counts(game_of: GameOf, text: str, words: str) -> None:
    """In liar's dice `1` is every claim of one die but the one that is named in full, in either order."""
    found, told = (cp.opponent(game_of("liars_dice:1,4"), text.format(one), 1) for one in (words, "1-2=2,1-3=2,1-4=3"))
    assert np.array_equal(found.behaviour, told.behaviour)


def test_a_best_response_is_one(game_of: GameOf) -> None:
    game = game_of("leduc")
    found = cp.opponent(game, "br:cfr+:5", 0)
    answer = cp.respond(game, cp.opponent(game, "cfr+:5", 1), method="br")
    worth = found.plan @ game.subgame.leaves.product(0, cp.opponent(game, "cfr+:5", 1).plan)
    assert worth == pytest.approx(answer.value_against_model)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("br:", "lacks the opponent"),
        ("bias:f=2", "lacks the opponent"),
        ("bias:f:nash", "ACTION=FACTOR"),
        ("bias:f=x:nash", "must be a number"),
        ("bias:f=-1:nash", "at least 0"),
        ("bias:z=1:nash", "no action begins with 'z'; they are Call, Fold, Raise"),
        ("bias:r=2,raise=5:nash", "'r' changes nothing: every action that begins with it begins with 'raise' too"),
        ("bias:raise=5,r=2:nash", "'r' changes nothing: every action that begins with it begins with 'raise' too"),
        ("bias:raise=5,Raise=2:nash", "bias: duplicate action 'Raise'"),
        ("incentive:call=1,c=2:nash", "'c' changes nothing: every action that begins with it begins with 'call' too"),
        ("incentive:call=1,Call=2", "incentive: duplicate action 'Call'"),
        ("incentive:call=nan", "incentive takes a number of chips, or one with its unit, .* not 'nan'"),
        ("incentive:call=--1", "incentive takes a number of chips, .* not '--1'"),
        ("incentive:call=-2e100", r"incentive is at most 1e\+100 in size, not '-2e100'"),
    ],
)
def test_variants_that_are_none(game_of: GameOf, text: str, message: str) -> None:
    with pytest.raises(cp.InputError, match=message):
        cp.opponent(game_of("leduc"), text)


def test_the_grammar_is_covered() -> None:
    """A new form must come into the lists above."""
    heads = {re.split(r"[:\[,. ]", form)[0] for form in GRAMMAR}
    tested = {text.split(":")[0] for text in TEXTS} | {
        "s1",
        "passive",
        "even",
        "bias",
        "net",
        "hands",
        "incentive",
        "lock",
        "profile",
        "FILE",
        "MODULE",
        "METHOD",
    }
    assert heads <= tested
    assert set(MINIMISERS) <= tested


def test_uniform_and_nash(kuhn: cp.GameTree) -> None:
    assert set(cp.opponent(kuhn, "uniform").table()["0p"].values()) == {0.5}
    for player in (0, 1):
        nash = cp.opponent(kuhn, "nash", player=player)
        assert witness.best_response(kuhn.rules, 1 - player, nash.table())[0] == pytest.approx((-1) ** player / 18)


@pytest.mark.parametrize("form", ["random:{}", "random:{},0.3", "shuffle:0.5,{}:nash", "observed:30,{}:uniform"])
def test_seeds_reproduce(leduc: cp.GameTree, form: str) -> None:
    first, again, other = (cp.opponent(leduc, form.format(seed)).behaviour for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.allclose(first, other)


@pytest.mark.parametrize("form", ["random", "shuffle:0.5:nash", "observed:30:uniform"])
def test_a_text_without_a_seed_takes_the_callers(leduc: cp.GameTree, form: str) -> None:
    given_, again, other = (cp.opponent(leduc, form, seed=seed).behaviour for seed in (5, 5, 6))
    assert np.array_equal(given_, again)
    assert not np.allclose(given_, other)
    assert np.array_equal(cp.opponent(leduc, "random:5").behaviour, cp.opponent(leduc, "random", seed=5).behaviour)


def test_a_seed_means_the_same_with_and_without_forced_moves(game_of: GameOf) -> None:
    """Liar's dice with and without the forced last call has the same choices, drawn in the same order."""
    tables = [cp.opponent(game_of(f"liars_dice:1,3{end}"), "random:3").table() for end in ("", ",top=end")]
    with_call, without = ({text: row for text, row in table.items() if len(row) > 1} for table in tables)
    assert len(tables[0]) > len(tables[1])
    assert with_call == without


def test_random_is_dirichlet(leduc: cp.GameTree) -> None:
    """Mean 1/n; variance of one coordinate of Dirichlet(α, ..., α) is (n-1) / (n² (nα + 1))."""
    for alpha in (0.2, 1.0, 5.0):
        draws = [cp.opponent(leduc, f"random:{seed},{alpha}") for seed in range(15)]
        for n in (2, 3):
            rows = [list(row.values()) for one in draws for row in one.table().values() if len(row) == n]
            values = np.array(rows)
            assert values.mean(axis=0) == pytest.approx(np.full(n, 1 / n), abs=0.03)
            assert values[:, 0].var() == pytest.approx((n - 1) / (n**2 * (n * alpha + 1)), rel=0.12)


@pytest.mark.parametrize("alpha", [0.05, 0.1, 1.0, 5.0])
def test_random_rows_drawn_at_once_are_those_drawn_in_turn(leduc: cp.GameTree, alpha: float) -> None:
    """So that a seed means what NumPy's Dirichlet draws say, whichever way they are made."""
    tree, rng = leduc.trees[1], np.random.default_rng(3)
    in_turn = by_infoset(tree, lambda n, _: rng.dirichlet(np.full(n, alpha)))
    np.testing.assert_array_equal(dirichlet(tree, 3, alpha).behaviour, in_turn)


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_rows_shuffled_at_once_are_those_shuffled_in_turn(leduc: cp.GameTree, share: float) -> None:
    plain, rng = cp.opponent(leduc, "random:3", player=1).behaviour, np.random.default_rng(5)

    def row(n: int, where: slice) -> np.ndarray:
        chosen, factors = rng.random() < share, 1.0 - rng.random(n)
        changed = plain[where] * factors
        return np.asarray(changed / changed.sum() if chosen else plain[where])

    shuffled = cp.opponent(leduc, f"shuffle:{share},5:random:3", player=1)
    np.testing.assert_array_equal(shuffled.behaviour, by_infoset(leduc.trees[1], row))


@given(match_ups(), st.floats(0.0, 1.0))
def test_noise_is_a_mixture_with_uniform(match: MatchUp, weight: float) -> None:
    player = 1 - match.seat
    text = f"noise:{weight!r}:random:3"
    noisy, plain = (cp.opponent(match.game, t, player=player).table() for t in (text, "random:3"))
    for infoset, row in plain.items():
        for action, q in row.items():
            expected = (1.0 - weight) * q + weight / len(row)
            assert noisy[infoset][action] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_shuffle_changes_the_right_share_and_leaves_the_rest(leduc: cp.GameTree, share: float) -> None:
    plain = cp.opponent(leduc, "random:1").table()
    counts = []
    for seed in range(5):
        changed = cp.opponent(leduc, f"shuffle:{share},{seed}:random:1").table()
        counts.append(sum(changed[infoset] != row for infoset, row in plain.items()))
    assert np.mean(counts) / len(plain) == pytest.approx(share, abs=0.0 if share in (0.0, 1.0) else 0.05)


def test_shuffle_multiplies_and_keeps_zeros(leduc: cp.GameTree) -> None:
    """The factors are uniform on (0, 1): the ratio of two shuffled probabilities over their old ratio is U/V, which is
    below 1 as often as above and below 1/2 with probability 1/4."""
    plain, ratios = cp.opponent(leduc, "noise:0.3:random:1").table(), []
    for seed in range(4):
        changed = cp.opponent(leduc, f"shuffle:1,{seed}:noise:0.3:random:1").table()
        for infoset, row in plain.items():
            a, b = list(row)[:2]
            ratios.append(changed[infoset][a] / changed[infoset][b] * row[b] / row[a])
    assert np.mean(np.array(ratios) < 1.0) == pytest.approx(0.5, abs=0.04)
    assert np.mean(np.array(ratios) < 0.5) == pytest.approx(0.25, abs=0.04)
    pure, shuffled = (cp.opponent(leduc, text).table() for text in ("s1", "shuffle:1:s1"))
    assert shuffled == pure


@pytest.mark.parametrize("method", MINIMISERS)
def test_checkpoints_are_what_the_solver_returns(leduc: cp.GameTree, method: str) -> None:
    """`METHOD:N` is the average after N iterations: with more of them exploitability falls towards 0."""
    losses = [cp.evaluate(leduc, cp.opponent(leduc, f"{method}:{n}")).exploitability for n in (1, 10, 100, 1000)]
    assert losses[0] > losses[1] > losses[2] > losses[3] > 0.0
    assert losses[3] < 0.05
    average, current = (cp.opponent(leduc, f"{method}:10{flag}").behaviour for flag in ("", ",current"))
    both = cp.opponent(leduc, f"{method}:10,simultaneous").behaviour
    assert not np.allclose(average, current)
    assert not np.allclose(average, both)


def passing_rates(game: cp.GameTree, player: int, strategy: cp.Strategy) -> dict[str, float]:
    """The probability that a hand against a uniform player passes each infoset, from the rules alone."""
    rates: Counter[str] = Counter()
    table = strategy.table()

    def visit(state: Any, weight: float) -> None:
        rules = game.rules
        who = rules.player(state)
        if who == cp.TERMINAL:
            return
        actions = rules.actions(state)
        odds = [1.0 / len(actions)] * len(actions)
        if who == cp.CHANCE:
            odds = list(rules.chance(state))
        elif who == player:
            infoset = rules.infoset(state, player)
            rates[infoset] += weight
            odds = [table[infoset][witness.name_of(rules, state, action)] for action in actions]
        for q, action in zip(odds, actions, strict=True):
            if q > 0.0:
                visit(rules.child(state, action), weight * q)

    visit(game.rules.root(), 1.0)
    return rates


@pytest.mark.parametrize("spec", ["kuhn", "liars_dice:1,2", "cdrnr_fig10", "leduc:merged=true"])
@pytest.mark.parametrize("player", [0, 1])
def test_observed_counts_are_those_of_a_simulation(game_of: GameOf, spec: str, player: int) -> None:
    game, hands = game_of(spec), 200_000
    player_of = cp.opponent(game, "noise:0.2:random:9", player=player)
    model = cp.opponent(game, f"observed:{hands},1:noise:0.2:random:9", player=player)
    rates, labels = passing_rates(game, player, player_of), game.trees[player].labels
    assert model.counts is not None
    for infoset, lane in zip(labels.infosets, labels.lanes, strict=True):
        if lane < 0:
            continue
        q = rates[infoset]
        assert abs(model.counts[lane] - hands * q) <= 6.0 * np.sqrt(hands * q * (1.0 - q)) + 1e-9, infoset
        truth, n = player_of.probabilities(infoset), model.counts[lane]
        for action, frequency in model.probabilities(infoset).items():
            deviation = np.sqrt(truth[action] * (1.0 - truth[action]) / n)
            assert abs(frequency - truth[action]) <= 6.0 * deviation, (infoset, action)
            # Frequencies are whole numbers of hands.
            assert frequency * n == pytest.approx(round(frequency * n), abs=1e-6)


def test_observed_converges_to_the_player(kuhn: cp.GameTree) -> None:
    truth = cp.opponent(kuhn, "noise:0.1:nash").behaviour
    errors = [
        np.abs(cp.opponent(kuhn, f"observed:{hands},2:noise:0.1:nash").behaviour - truth).max()
        for hands in (100, 10_000, 1_000_000)
    ]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.005


def test_few_hands_leave_infosets_unseen_and_uniform(leduc: cp.GameTree) -> None:
    model = cp.opponent(leduc, "observed:5:s1")
    assert model.counts is not None
    labels, unseen = leduc.trees[1].labels, 0
    for infoset, lane in zip(labels.infosets, labels.lanes, strict=True):
        if lane >= 0 and model.counts[lane] == 0.0:
            unseen += 1
            assert len(set(model.probabilities(infoset).values())) == 1
    assert 400 < unseen < 468
    assert model.counts.max() <= 5.0
    # Every hand passes one of the first decisions of player 1.
    first = [lane for text, lane in labels.index.items() if model.counts[labels.lanes[lane]] > 0]
    assert first


def test_noise_and_shuffle_keep_the_counts(kuhn: cp.GameTree) -> None:
    model = cp.opponent(kuhn, "observed:40:uniform")
    for text in ("noise:0.2:observed:40:uniform", "shuffle:0.5:observed:40:uniform"):
        changed = cp.opponent(kuhn, text)
        assert changed.counts is not None
        assert model.counts is not None
        assert np.array_equal(changed.counts, model.counts)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_files_may_be_changed_by_noise(kuhn: cp.GameTree, folder: Path) -> None:
    for ending in (".json", ".cps"):
        cp.opponent(kuhn, "random:3").save(folder / f"model{ending}")
        noisy = cp.opponent(kuhn, f"noise:0.25:model{ending}").behaviour
        assert np.allclose(noisy, cp.opponent(kuhn, "noise:0.25:random:3").behaviour)
        cp.opponent(kuhn, f"observed:10:{folder}/model{ending}")
        cp.opponent(kuhn, f"shuffle:0.5,2:model{ending}")


def test_functions_with_one_and_two_parameters(kuhn: cp.GameTree, folder: Path) -> None:
    (folder / "mymodels.py").write_text(
        "def bold(infoset):\n    return {'Pass': 0.1, 'Bet': 0.9}\n"
        "def even(infoset, actions):\n    return [1 / len(actions)] * len(actions)\n"
        "broken = 3\n"
    )
    assert cp.opponent(kuhn, "mymodels:bold").probabilities("0p") == {"Pass": 0.1, "Bet": 0.9}
    assert cp.opponent(kuhn, "mymodels:even").table() == cp.opponent(kuhn, "uniform").table()
    assert cp.opponent(kuhn, "noise:1:mymodels:bold").table() == cp.opponent(kuhn, "uniform").table()
    with pytest.raises(cp.InputError, match="function"):
        cp.opponent(kuhn, "mymodels:broken")
    with pytest.raises(cp.InputError, match="'absent'"):
        cp.opponent(kuhn, "mymodels:absent")
    with pytest.raises(cp.InputError, match="cannot import 'nomodule'"):
        cp.opponent(kuhn, "nomodule:f")


RESULTS: list[Any] = [
    lambda infoset: {"Pass": 0.25, "Bet": 0.75},
    lambda infoset: {"Bet": 0.75, "Pass": 0.25},
    lambda infoset: [0.25, 0.75],
    lambda infoset: (0.25, 0.75),
    lambda infoset: np.array([0.25, 0.75]),
    lambda infoset: iter((0.25, 0.75)),
    lambda infoset, actions: dict(zip(actions, (0.25, 0.75), strict=True)),
    lambda *args: [0.25, 0.75],
    {text: {"Pass": 0.25, "Bet": 0.75} for text in ("0p", "0b", "1p", "1b", "2p", "2b")}.__getitem__,
]


@pytest.mark.parametrize("function", RESULTS)
def test_results_of_functions(kuhn: cp.GameTree, function: Any) -> None:
    assert set(map(str, cp.opponent(kuhn, function).table().values())) == {str({"Pass": 0.25, "Bet": 0.75})}


def test_a_function_is_asked_once_for_each_infoset_with_its_actions(game_of: GameOf) -> None:
    game, asked = game_of("liars_dice:1,2"), []

    def note(infoset: str, actions: tuple[str, ...]) -> list[float]:
        asked.append((infoset, list(actions)))
        return [1.0] + [0.0] * (len(actions) - 1)

    cp.opponent(game, note, player=0)
    assert len(asked) == len(dict(asked))
    assert dict(asked) == witness.infosets(game.rules, 0)


WRONG: dict[str, tuple[Any, str]] = {
    "raises": (lambda infoset: 1 / 0, "ZeroDivisionError"),
    "None": (lambda infoset: None, "None"),
    "number": (lambda infoset: 0.5, "0.5"),
    "too short": (lambda infoset: [1.0], "1 probabilities for 2 actions"),
    "too long": (lambda infoset: [0.5, 0.25, 0.25], "3 probabilities for 2 actions"),
    "other action": (lambda infoset: {"Pass": 0.5, "Fold": 0.5}, "'Fold'"),
    "missing action": (lambda infoset: {"Pass": 1.0}, "'Bet'"),
    "sum": (lambda infoset: [0.5, 0.6], "1.1"),
    "NaN": (lambda infoset: [float("nan"), 1.0], "numbers"),
    "negative": (lambda infoset: [-0.5, 1.5], "0 to 1"),
    "text": (lambda infoset: ["a", "b"], "not a number"),
    "three parameters": (lambda a, b, c: [0.5, 0.5], "TypeError"),
}


@pytest.mark.parametrize(("function", "culprit"), WRONG.values(), ids=WRONG)
def test_wrong_functions_are_refused_naming_the_infoset(kuhn: cp.GameTree, function: Any, culprit: str) -> None:
    with pytest.raises(cp.InputError) as caught:
        cp.opponent(kuhn, function)
    assert re.search(r"'[012][pb]'", str(caught.value))
    assert culprit in str(caught.value)


BAD = {
    "": "no opponent ''",
    "nobody": "no opponent 'nobody'",
    "random:x": "seed",
    "random:-1": "seed",
    "random:1.5": "seed",
    "random:1,2,3": "one word too many; it takes seed, alpha",
    "random:1,0": "alpha",
    "random:1,-1": "alpha",
    "random:1,nan": "alpha",
    "random:1,inf": "alpha",
    "random:1,x": "alpha",
    "random:" + "9" * 5000: "digits",
    "cfr": "iterations",
    "cfr:": "iterations",
    "cfr+:-5": "iterations",
    "cfr+:ten": "iterations",
    "cfr+:1e3": "iterations",
    "cfr+:" + "9" * 30: "digits",
    "cfr+:5,now": "'now'",
    "cfr:3,simultaneous,simultaneous": "cfr:3: duplicate flag 'simultaneous'",
    "cfr:3,current,simultaneous,current": "cfr:3: duplicate flag 'current'",
    "cfr:simultaneous:3,simultaneous": "cfr:simultaneous:3: duplicate flag 'simultaneous'",
    "noise": "lacks the opponent",
    "noise:0.2": "lacks the opponent",
    "noise:0.2:": "lacks the opponent",
    "noise:2:uniform": "weight",
    "noise:-0.1:uniform": "weight",
    "noise:nan:uniform": "weight",
    "noise:x:uniform": "weight",
    "noise:0.2:nobody": "no opponent 'nobody'",
    "noise:0.2:absent.json": "absent.json",
    "shuffle:0.5": "lacks the opponent",
    "shuffle:1.5:uniform": "share",
    "shuffle:0.5,x:uniform": "seed",
    "observed:uniform": "lacks the opponent",
    "observed:0:uniform": "hands",
    "observed:1.5:uniform": "hands",
    "observed:5,x:uniform": "seed",
    "observed:" + "9" * 30 + ":uniform": "digits",
    "absent.json": "absent.json",
    "absent.cps": "absent.cps",
    "uniform:3": "uniform: '3' is one word too many; it takes none",
    "s1": "not kuhn",
    "not a module:f": "no opponent",
    "lp:5": "no opponent",
}


@pytest.mark.parametrize(("text", "culprit"), BAD.items(), ids=[text[:30] or "nothing" for text in BAD])
def test_bad_texts_give_one_sentence(kuhn: cp.GameTree, folder: Path, text: str, culprit: str) -> None:
    with pytest.raises(cp.InputError) as caught:
        cp.opponent(kuhn, text)
    assert culprit in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", [5, None, ["uniform"]])
def test_other_things_are_no_opponents(kuhn: cp.GameTree, source: Any) -> None:
    with pytest.raises(cp.InputError, match="must be a text"):
        cp.opponent(kuhn, source)


def test_seats_and_strategies_of_other_games(kuhn: cp.GameTree) -> None:
    for seat in (2, -1):
        with pytest.raises(cp.InputError, match="player must be 0 or 1"):
            cp.opponent(kuhn, "uniform", player=seat)
    mine = cp.opponent(kuhn, "uniform", player=1)
    assert cp.opponent(kuhn, mine, player=1) is mine
    with pytest.raises(cp.InputError, match="player 0"):
        cp.opponent(kuhn, mine, player=0)
    assert cp.opponent(cp.load("kuhn"), mine, player=1) is mine
    with pytest.raises(cp.InputError, match="player 1"):
        cp.opponent(cp.load("kuhn:5"), mine, player=1)
