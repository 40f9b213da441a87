"""Learned policies: what a network sees is the infoset, kernels compute the layers, and copies are as good as they say.

Networks come from committed files, so that no test here needs torch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import CHANCE, TERMINAL
from counterplay.games import make_game
from counterplay.games.kernel_rules import module_of
from counterplay.games.policy import Even, Policy
from counterplay.gametree.compile.policy_behaviour import decisions_of, observations
from counterplay.jit import plain
from counterplay.learning.learn_by_play import advantages, play_games, policy_of_text
from counterplay.learning.learn_policy import lessons_of
from counterplay.networks.network import KIND
from counterplay.networks.policy_network import load_policy_network, save_policy_network
from counterplay.solvers.best_response import gap
from tests.support.archives import parts_of, sealed

FILES = Path(__file__).parent.parent / "files"
GOOFSPIEL, KUHN = FILES.parent.parent / "examples" / "goofspiel5.cpn", FILES / "kuhn-policy.cpn"


@pytest.fixture(scope="module")
def goofspiel() -> cp.GameTree:
    return cp.load("goofspiel:5")


SEEN = ["kuhn", "leduc:2,2,cap=1", "leduc:merged=true", "goofspiel:3", "liars_dice:2,2", "rps"]
SEEN += ["battleships:2,2,1x1/1x2,shots=2", "battleships:1,4,1x1/1x2,shots=2,placing=ships"]


@pytest.mark.parametrize("spec", SEEN)
def test_a_network_sees_exactly_the_infoset(spec: str) -> None:
    """Equal infosets look alike, different ones differ, and codes of actions stay below their bound."""
    game: Any = make_game(spec)
    observe, (numbers, moves) = plain(module_of(game.rules).observe), game.network_sizes
    seen: dict[tuple[int, str], bytes] = {}

    def walk(state: Any) -> None:
        who = game.player(state)
        if who == TERMINAL:
            return
        if who != CHANCE:
            out = np.zeros(numbers, np.float32)
            observe(game.rules, state, who, out)
            assert seen.setdefault((who, game.infoset(state, who)), out.tobytes()) == out.tobytes()
            assert max(game.actions(state)) < moves
        for action in game.actions(state):
            walk(game.child(state, action))

    walk(game.root())
    assert len(set(seen.values())) == len(seen)


def test_a_network_sees_exactly_the_infoset_of_tictactoe() -> None:
    """The same along drawn games, of which there are too many to list."""
    game: Any = make_game("tictactoe")
    observe, (numbers, moves) = plain(module_of(game.rules).observe), game.network_sizes
    seen, rng = dict[tuple[int, str], bytes](), np.random.default_rng(0)
    for _ in range(200):
        state = game.root()
        while (who := game.player(state)) != TERMINAL:
            out = np.zeros(numbers, np.float32)
            observe(game.rules, state, who, out)
            assert seen.setdefault((who, game.infoset(state, who)), out.tobytes()) == out.tobytes()
            assert max(game.actions(state)) < moves
            state = game.child(state, int(rng.choice(game.actions(state))))
    assert len(set(seen.values())) == len(seen)


@pytest.mark.parametrize("player", [0, 1])
def test_kernels_compute_the_layers_of_a_network(goofspiel: cp.GameTree, player: int) -> None:
    """The behaviour of `net:FILE` is the softmax, in NumPy, of the network's outputs at every infoset."""
    net, strategy = load_policy_network(GOOFSPIEL), cp.opponent(goofspiel, f"net:{GOOFSPIEL}", player)
    inputs, codes = observations(goofspiel, goofspiel.rules, player)  # type: ignore[arg-type]
    outputs = net.network.answer(np.zeros(len(inputs), np.int64), inputs).astype(np.float64)
    first, stride, actions = goofspiel.trees[player].lane_sequences
    for row, lane in enumerate(decisions_of(goofspiel, player)[1].tolist()):
        count = int(actions[lane])
        odds = np.exp(outputs[row, codes[row, :count]])
        found = strategy.behaviour[first[lane] + stride[lane] * np.arange(count)]
        assert found == pytest.approx(odds / odds.sum(), abs=1e-5)


def test_the_committed_policy_is_as_good_as_its_file_says(goofspiel: cp.GameTree) -> None:
    """It is a small fraction of the game's table, and its NashConv is below 0.005."""
    plans = [cp.opponent(goofspiel, f"net:{GOOFSPIEL}", player).plan for player in (0, 1)]
    found = gap(goofspiel.subgame, (plans[0], plans[1]))[0]
    assert found == pytest.approx(load_policy_network(GOOFSPIEL).about["figures"]["NashConv"], rel=1e-3)
    assert found < 0.005
    assert GOOFSPIEL.stat().st_size < 200_000


def test_a_saved_policy_reads_back_bit_for_bit(tmp_path: Path) -> None:
    save_policy_network(tmp_path / "again.cpn", load_policy_network(GOOFSPIEL))
    assert (tmp_path / "again.cpn").read_bytes() == GOOFSPIEL.read_bytes()


def test_a_policy_stands_wherever_an_opponent_does(kuhn: cp.GameTree) -> None:
    """As model, in a portfolio with shifted logits, and as agent."""
    text = f"net:{KUHN}"
    plain_odds, shifted = (cp.opponent(kuhn, one).probabilities("1b") for one in (text, f"bias:Bet=3:{text}"))
    assert shifted["Bet"] / shifted["Pass"] == pytest.approx(3.0 * plain_odds["Bet"] / plain_odds["Pass"])
    answer = cp.respond(kuhn, cp.opponent(kuhn, text), "cdbr", depth=1, leaf=f"portfolio:{text};bias:Bet=9:{text}")
    assert answer.gain > -1e-3
    assert cp.agent(kuhn, text, 1).policy("1b") == pytest.approx(plain_odds)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("leduc", "kuhn-policy.cpn does not fit|learned in 'kuhn', not in leduc"),
        ("cdrnr_fig2", "is not written as rules"),
    ],
)
def test_a_policy_is_refused_elsewhere(spec: str, sentence: str) -> None:
    with pytest.raises(cp.InputError, match=sentence):
        cp.opponent(cp.load(spec), f"net:{KUHN}")


def test_a_file_of_something_else_is_refused(tmp_path: Path, kuhn: cp.GameTree) -> None:
    with pytest.raises(cp.InputError, match="holds a network of kind 'value', and policy is needed"):
        cp.opponent(kuhn, f"net:{FILES / 'kuhn.cpn'}")
    facts, arrays = parts_of(KUHN)
    wide = {**arrays, "weight0": np.zeros((99, arrays["weight0"].shape[1]), np.float32)}
    with pytest.raises(cp.InputError, match="has other inputs or outputs than kuhn has now"):
        cp.opponent(kuhn, f"net:{sealed(tmp_path / 'odd.cpn', KIND, facts, wide)}")
    with pytest.raises(cp.InputError, match="there is no such file"):
        cp.LearnedPlayer("nowhere.cpn").check()


def test_lessons_are_the_teachers_odds(kuhn: cp.GameTree) -> None:
    """One row for each infoset, on average of weight 1."""
    pair = cp.opponent(kuhn, "random:1", 0), cp.opponent(kuhn, "random:2", 1)
    found = lessons_of(kuhn, kuhn.rules, pair)  # type: ignore[arg-type]
    assert sorted(found.targets[:, 1]) == pytest.approx(
        sorted(row["Bet"] for one in pair for row in one.table().values())
    )
    assert found.weight.mean() == pytest.approx(1.0)
    assert found.legal.all()


def test_played_games_follow_the_policies(kuhn: cp.GameTree) -> None:
    """Mean outcome and frequencies are those of the strategies, within five standard errors."""
    rules: Any = kuhn.rules
    even, net = Policy("uniform", Even()), policy_of_text(rules, f"net:{KUHN}")
    played = play_games(rules, (net, even), (True, False), 20_000, seed=1)
    assert not played.player.any()
    own, other = cp.opponent(kuhn, f"net:{KUHN}", 0).plan, cp.opponent(kuhn, "uniform", 1).plan
    ends = played.worth[played.last]
    assert abs(ends.mean() - kuhn.payoff.value(own, other)) < 5.0 * ends.std() / len(ends) ** 0.5
    first = played.known[:, 0, 5:].sum(axis=1) == 0.0
    bets = played.odds[first & (played.code == 1)]
    assert len(bets) / first.sum() == pytest.approx(
        np.mean([cp.opponent(kuhn, f"net:{KUHN}", 0).probabilities(card)["Bet"] for card in "012"]), abs=0.03
    )


def test_advantages_add_up_to_what_is_left_of_a_game(kuhn: cp.GameTree) -> None:
    """Against the definition, in plain loops; where the critic is right about every decision nothing is a surprise."""
    rules, even = kuhn.rules, Policy("uniform", Even())
    played = play_games(rules, (even, even), (True, True), 200, seed=2)  # type: ignore[arg-type]
    expected = np.random.default_rng(0).normal(size=len(played.code))
    found, ahead = advantages(played, expected, 2.0), 0.0
    for row in range(len(expected) - 1, -1, -1):
        last = bool(played.last[row])
        surprise = (played.worth[row] / 2.0 if last else expected[row + 1]) - expected[row]
        ahead = surprise + (0.0 if last else 0.9 * ahead)
        assert found[row] == pytest.approx(ahead)
    assert not advantages(played, played.worth / 2.0, 2.0).any()


def test_games_are_played_against_policies_only(kuhn: cp.GameTree) -> None:
    with pytest.raises(cp.InputError, match="copy it first: counterplay learn policy kuhn --teacher nash -o"):
        policy_of_text(kuhn.rules, "nash")  # type: ignore[arg-type]
