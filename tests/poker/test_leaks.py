"""Leaks of opponents in hold'em spots: the language, answers that can be derived by hand, bounds, and the report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay.errors import InputError
from counterplay.poker.betting.rules import spot as limits
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.betting.tree import build
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.locking import leak_response
from counterplay.poker.locking.exploit_leak import LeakAnswer, chips, exploit_leak
from counterplay.poker.locking.frequency import allocate_share, apply_frequencies
from counterplay.poker.locking.leak_match import LeakMatch, match_leak, opponent_of
from counterplay.poker.locking.leak_text import load_leaks, read_leaks
from counterplay.poker.locking.node_lock import NodeLock, lock_nodes
from counterplay.poker.locking.report import report_leak
from counterplay.poker.locking.strategy_diff import diff_strategies
from counterplay.poker.ranges.range import Range
from counterplay.poker.spots.solution import SolvedSpot, load_spot, solve_spot
from counterplay.poker.spots.spot import Spot
from counterplay.problem.two_opponents import two_opponents
from counterplay.solvers.best_response import best_response, gap
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.equilibrium import solve_lp
from counterplay.solvers.lp import SequenceFormLP
from counterplay.solvers.lp_assembly import FixedInfosets
from counterplay.solvers.minimiser import minimiser
from tests.support.commands import Runner

BLANK, RIVER = "Ks 8h 8d 4c 2s", "Qs Jh 2h 8d 3c"
TREE = build(limits("turn", 200, 900), "50%, 100%, a")
EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "leaks"


def hand(text: str) -> int:
    return int(np.flatnonzero(Range.parse(text).weights)[0])


@pytest.fixture(scope="module")
def catcher() -> SolvedSpot:
    """Oop has the nuts or nothing and may go all-in for the pot of 100; ip has a hand between, and calls or folds."""
    bets = "ip: none; oop: a; ip raise: none; oop raise: a"
    return solve_spot(Spot(BLANK, "KhKd,7h6h", "AcAd", 100, 100, bets), exploitability=0.001)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def river() -> SolvedSpot:
    """Many hands, small enough for the linear program."""
    asked = Spot(RIVER, "QQ,AJs,KTs,T9s,A5s,99", "KK,AQs,J9s,T9s,65s,88", 200, 550, "75%, a")  # type: ignore[arg-type]
    return solve_spot(asked, exploitability=0.005)


@pytest.fixture(scope="module")
def turn() -> SolvedSpot:
    asked = Spot("Qs Jh 2h 8d", "QQ,AKs,JTs,A5s", "TT,AQ,KQ,9h8h", 200, 400, "75%, a", raises=1)  # type: ignore[arg-type]
    return solve_spot(asked, exploitability=0.2)


def locked(solved: SolvedSpot, text: str) -> NodeLock:
    return lock_nodes(solved, read_leaks(text))


def answered(solved: SolvedSpot, text: str, **dials: Any) -> LeakAnswer:
    return exploit_leak(locked(solved, text), accuracy=0.002, **dials)


# The language


def told(text: str) -> list[list[LeakMatch]]:
    leaks = read_leaks(text)
    return [match_leak(leak, TREE, opponent_of(leaks, TREE)) for leak in leaks.lines]


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ('at "x b200": fold 70%', ["check, bet 200"]),
        ("at 'x b200' fold 0.7 evenly  # a comment", ["check, bet 200"]),
        ('at "x x": never bet', ["check, check, river"]),
        ('at "b200" with QQ+, AKs: raise 500 60%, call 40%', ["bet 200"]),
        ("opponent ip\non turn after a check: bet 20%, all-in 5%", ["check"]),
        ("opponent oop\non turn first: always check", [""]),
        ("opponent ip\non turn facing an all-in of at least 300%: fold 1.0", ["all-in 900"]),
    ],
)
def test_places(text: str, nodes: list[str]) -> None:
    found = [TREE.path(one.node) for line in told(text) for one in line]
    assert found == nodes


def test_places_of_a_kind_are_those_by_definition() -> None:
    facing, raised = (
        {one.node for one in told(f"opponent oop\nfacing a {what}: call 50%")[0]} for what in ("bet", "raise")
    )
    for node in range(TREE.nodes):
        labels = TREE.actions(node) if TREE.kind[node] == 0 else ()
        assert (node in facing) == ("fold" in labels)
        path = TREE.path(node).split("river")[-1]
        bets = sum(path.count(word) for word in ("bet", "raise", "all-in"))
        assert (node in raised) == ("fold" in labels and bets >= 2)


def test_sizes_of_bets_are_shares_of_the_pot() -> None:
    """A raise counts as a share of the pot after the call: 300 over a bet of 100 into 200 is half of 400."""
    small, large = (
        {TREE.path(one.node) for one in told(f"opponent ip\non turn facing a bet of at {end} 50%: call 1.0")[0]}
        for end in ("most", "least")
    )
    assert {"bet 100", "check, bet 100, raise 300"} <= small & large
    assert {"bet 200", "check, bet 100, raise 500"} <= large - small


def test_an_action_named_alone_belongs_to_no_other_order() -> None:
    assert told("opponent oop\non turn first: bet 20%, all-in 5%, bet 200 1%")[0][0].groups == ((1,), (3,), (2,))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no leak"),
        ("\n  # nothing\n", "no leak"),
        ('\nat "x b90": fold 70%', "^line 2: .*'bet 90' is no action here"),
        ('at "x": fold 70%', "^line 1: 'fold 70%' is no action at 'check', where there is check, bet 100"),
        ('at "b200": fold 70%, call 60%', "^line 1: the shares add up to 130 %"),
        ('at "b200": fold 70%, call 10%, raise 5%', "^line 1: .* add up to 100 %, not 85 %"),
        ('at "b200": fold 10%, fold 20%', "^line 1: 'fold 20%' names an action for the second time"),
        ('at "b200": fold', "^line 1: 'fold' does not say how often"),
        ('at "b200": fold 170%', "^line 1: .*not '170%'"),
        ('at "b200": fold 10% 20%', "^line 1: cannot read '10%'"),
        ('at "b200": fold 200 20%', "^line 1: .*a fold takes no amount"),
        ('at "b200": jump 20%', "^line 1: 'jump 20%' begins with no action"),
        ('at "b200": raise 333 10%', "^line 1: 'raise 333 10%' is no action at 'bet 200'"),
        ('at "b200" with : fold 10%', "^line 1: 'with' names no hands"),
        ("at any fold 70%", "^line 1: 'at any fold 70%' is no place"),
        ("opponent ip\nsometimes: fold 7%", "^line 2: 'sometimes' is no place"),
        ("on rver: fold 7%", "^line 1: 'rver' is no street"),
        ("facing a bet of at least 2x: fold 7%", "^line 1: the size of a bet .*not '2x'"),
        ("on turn", "^line 1: a colon must stand"),
        ("opponent bb", "^line 1: the opponent is 'oop' or 'ip', not 'bb'"),
        ("opponent ip\nopponent oop", "^line 2: a text has one opponent"),
        ("at any: fold 10%", "^line 1: no line says whose leak it is"),
        ('opponent oop\nat "b200": fold 10%', "^line 2: at 'b200' it is ip who acts, not oop"),
        ("opponent ip\nfirst: bet 3%", "^line 2: ip never decides at such a place"),
        ('at "x x x x": fold 10%', "^line 1: nobody has a choice"),
        ('trust 2 at "b200": fold 1', "^line 1: trust must be from 0 to 1"),
        ('at "b200" with QQ, 7x: fold 10%', "^line 1: cannot read '7x' in a range"),
        ('at "b200" with QQ, A2o: fold 10%', "^line 1: ip has no hand 'A2o': it is not in the range"),
        ('at "b200" with 8d8h: fold 10%', "^line 1: ip has no hand '8d8h': the board Qs Jh 2h 8d blocks it"),
        ('at "x x Qs": bet 10%', "^line 1: the cards of 'x x Qs' cannot come there"),
    ],
)
def test_what_is_no_leak_is_refused_in_one_sentence(text: str, message: str) -> None:
    asked = Spot("Qs Jh 2h 8d", "QQ,AK", "QQ,JJ", 200, 900, "50%, 100%, a")  # type: ignore[arg-type]
    solved = solve_spot(asked, iterations=1)
    with pytest.raises(InputError, match=message) as error:
        lock_nodes(solved, read_leaks(text))
    assert "\n" not in str(error.value)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "leak.txt"
    path.write_text('\nat "b200": fold 700%\n')
    with pytest.raises(InputError, match=r"leak.txt: line 2: "):
        load_leaks(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is not a text"):
        load_leaks(path)
    with pytest.raises(InputError, match="cannot read"):
        load_leaks(tmp_path / "none.txt")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.txt")), ids=lambda path: path.name)
def test_examples_fit_a_river(path: Path) -> None:
    asked = Spot("Qs Jh 2h 8d 3c", "random", "random", 200, 550, "50%, 100%, a")  # type: ignore[arg-type]
    found = lock_nodes(solve_spot(asked, iterations=20), load_leaks(path))
    assert found.locked.any()


# Shares of a range


@settings(max_examples=50)
@given(seed=st.integers(0, 10**6), share=st.floats(0, 1), second=st.floats(0, 1), evenly=st.booleans())
def test_a_share_of_the_range_takes_the_action(seed: int, share: float, second: float, evenly: bool) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.random((12, 4)) * (rng.random((12, 4)) < 0.6) + 1e-3
    rows /= rows.sum(axis=1, keepdims=True)
    weights, worth = rng.random(12) * (rng.random(12) < 0.8) + 1e-6, rng.normal(size=(12, 4))
    second *= 1.0 - share
    orders = [((0,), share, None), ((2, 3), second, None)]
    found = apply_frequencies(rows, orders, weights, worth, rng.random(12), [False, False, True, True], evenly=evenly)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-9)
    assert found.min() >= -1e-12
    assert weights @ found[:, 0] / weights.sum() == pytest.approx(share, abs=1e-9)
    assert weights @ found[:, 2:].sum(axis=1) / weights.sum() == pytest.approx(second, abs=1e-9)
    if evenly:
        np.testing.assert_allclose(found[:, 0], share, atol=1e-9)


def test_the_worst_hands_come_first() -> None:
    """Three hands alike but in what folding costs them: 3, 1, 2 chips; then in strength alone."""
    rows, weights = np.full((3, 2), 0.5), np.array([1.0, 1.0, 2.0])
    worth = np.array([[0.0, 3.0], [0.0, 1.0], [0.0, 2.0]])
    for share, wanted in ((0.5, [0.5, 0.5, 0.5]), (0.75, [0.5, 1.0, 0.75]), (0.25, [0.0, 0.5, 0.25]), (1.0, [1, 1, 1])):
        found = apply_frequencies(rows, [((0,), share, None)], weights, worth, np.zeros(3), [False, True])
        np.testing.assert_allclose(found[:, 0], wanted)
    tied = apply_frequencies(
        rows, [((0,), 0.625, None)], weights, np.zeros((3, 2)), np.array([0.9, 0.1, 0.5]), [False, True]
    )
    np.testing.assert_allclose(tied[:, 0], [0.5, 1.0, 0.5])
    np.testing.assert_allclose(allocate_share(rows[:, 0], rows[:, 1], weights, 0.5, np.arange(3)), rows[:, 0])


def test_a_factor_multiplies_and_the_rest_keeps_its_proportions() -> None:
    rows = np.array([[0.2, 0.2, 0.6], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])
    found = apply_frequencies(rows, [((0,), None, 3.0)], np.ones(3), np.zeros((3, 3)), np.zeros(3), [False] * 3)
    np.testing.assert_allclose(found, [[0.6 / 1.4, 0.2 / 1.4, 0.6 / 1.4], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])


@pytest.mark.parametrize("order", ["fold 70%", "fold 5%", "fold 33%, raise 40%", "never call", "raise 100%"])
@pytest.mark.parametrize("evenly", ["", " evenly"])
def test_a_lock_does_what_it_says(river: SolvedSpot, order: str, evenly: str) -> None:
    found = exploit_leak(locked(river, f'at "b150": {order}{evenly}'), p=0.0).answered.node("b150")
    weights = found.ranges[1]
    held = weights > 0.0
    share = dict(zip(found.actions, weights[held] @ found.probabilities[held] / weights.sum(), strict=True))
    for part in order.split(", "):
        word = part.split()
        wanted = {"never": 0.0, "always": 1.0}.get(word[0], float(word[-1].rstrip("%")) / 100 if "%" in part else 0.0)
        action = word[1] if word[0] in ("never", "always") else word[0]
        done = sum(
            x for name, x in share.items() if name.startswith(action) or (action == "raise" and "all-in" in name)
        )
        assert done == pytest.approx(wanted, abs=1e-9)


def test_hands_and_later_lines(river: SolvedSpot) -> None:
    text = 'at "b150": fold 50%\nat "b150" with KcKh: fold 0.25, call 0.75\ntrust 0.5 at "b150" with 88: call x0'
    found = locked(river, text)
    node = replace(river, plans=exploit_leak(found, p=0.0).answered.plans).node("b150")
    np.testing.assert_allclose(node.probabilities[hand("KcKh"), :2], [0.25, 0.75], atol=1e-12)
    assert node.probabilities[hand("8c8s"), 1] == pytest.approx(0.0, abs=1e-12)
    assert sorted(set(found.trust[found.locked].tolist())) == [0.5, 1.0]
    assert [river.tree.betting.path(n) for n in found.nodes] == ["bet 150"]


def blocked(oop: str, ip: str, board: str = "Qs Jh 2h 8d") -> SolvedSpot:
    asked = Spot(board, oop, ip, 10, 20, "a", raises=1)  # type: ignore[arg-type]
    return solve_spot(asked, exploitability=0.1)


def test_boards_without_the_named_hands_are_left_out() -> None:
    solved = blocked("AsAh,7c6c", "KK,TT")
    found = locked(solved, "opponent oop\non river with AsAh: always check")
    assert found.locked.sum() == 46  # cards that are neither on the board nor in the hand
    with pytest.raises(InputError, match=r"^line 1: the board Qs Jh 2h 8d As leaves oop none of these hands$"):
        locked(solved, 'at "x x As" with AsAh: always check')
    both = locked(solved, 'at "x x As" with AsAh,7c6c: always check')
    assert both.locked.sum() == 1


@pytest.mark.parametrize(
    ("oop", "ip", "text", "dead"),
    [
        ("AhKh,AhTh", "QQ,JJ,88,KQ", "opponent ip\nfacing a bet: fold 70%", "Ah"),
        ("AsAh", "KsKh", "opponent oop\non river: always check", "Ks Kh As Ah"),
    ],
)
def test_nothing_is_locked_on_boards_that_leave_somebody_no_hand(oop: str, ip: str, text: str, dead: str) -> None:
    solved = blocked(oop, ip)
    found = locked(solved, text)
    layer, runs = solved.tree.boards.layers[1], solved.tree.runs[found.opponent]
    node = next(n for n in found.nodes if solved.tree.betting.street[n] == 3)
    for board, first, end in zip(layer.boards, layer.first, layer.first[1:], strict=False):
        here = found.locked[int(runs.lane[node]) + int(first) : int(runs.lane[node]) + int(end)]
        assert here.any() == (cards_text(board[-1:]) not in dead.split())
    for dials in ({}, {"p": 0.5}, {"max_exploitability": "5%"}, {"elsewhere": "solved"}):
        told = exploit_leak(found, **dials)  # type: ignore[arg-type]
        assert np.isfinite([told.gain, told.exploitability]).all()
        assert report_leak(told)


def test_cards_that_leave_the_other_player_no_hand_are_refused() -> None:
    with pytest.raises(InputError, match=r"^line 1: the board Qs Jh 2h 8d Ah leaves oop no hand$"):
        locked(blocked("AhKh,AhTh", "QQ,JJ,88,KQ"), 'at "x x Ah a": fold 100%')


def test_boards_of_a_path(turn: SolvedSpot) -> None:
    one, every = locked(turn, 'at "x x Ah": never bet'), locked(turn, 'at "x x": never bet')
    layer = turn.tree.boards.layers[1]
    number = layer.boards.index((*turn.spot.board, 4 * 12 + 2))
    assert one.locked.sum() == int(((layer.first[number + 1] - layer.first[number]) > 0) and one.locked.sum())
    assert one.locked.sum() < every.locked.sum() / 40
    np.testing.assert_array_equal(
        one.behaviour[one.behaviour != turn.plans.behaviour(0)[:]],
        every.behaviour[one.behaviour != turn.plans.behaviour(0)[:]],
    )


# Answers by hand


@pytest.mark.parametrize("elsewhere", ["free", "solved"])
@pytest.mark.parametrize("fold", [0.0, 0.2, 0.7, 0.9])
def test_the_plain_lock_by_hand(catcher: SolvedSpot, fold: float, elsewhere: str) -> None:
    """Ip folds a share f to a bet of the pot. The nuts bet and get 200 - 100 f; nothing bets for 100 (2 f - 1) if that is
    above 0, so as soon as f > 1/2. Equilibrium is worth 75, half of the time nuts: the gain is 50 |f - 1/2|. Who always
    bets is called, who never bluffs meets a fold: 25 come back."""
    found = answered(catcher, f'at "a": fold {100 * fold}%', elsewhere=elsewhere)
    top = found.answered.node()
    assert top.probabilities[hand("KhKd"), 1] == pytest.approx(1.0, abs=1e-3)
    assert top.probabilities[hand("7h6h"), 1] == pytest.approx(float(fold > 0.5), abs=1e-3)
    assert found.value == pytest.approx(75.0 - 50.0, abs=0.01)
    assert found.gain == pytest.approx(50 * abs(fold - 0.5), abs=0.01)
    assert found.exploitability == pytest.approx(25.0, abs=0.05)
    assert found.equilibrium_gain == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize(("p", "gain", "loss"), [(0.0, 0, 0), (0.6, 0, 0), (0.8, 10, 25), (1.0, 10, 25)])
def test_the_restricted_response_by_hand(catcher: SolvedSpot, p: float, gain: float, loss: float) -> None:
    """With f = 0.7, one bluff more in a hand of nothing wins 20 from the leak and loses 50: it is made from p = 5/7 on."""
    for elsewhere in ("free", "solved"):
        found = answered(catcher, 'at "a": fold 70%', p=p, elsewhere=elsewhere)
        assert (found.gain, found.exploitability) == pytest.approx((gain, loss), abs=0.05)


@pytest.mark.parametrize("epsilon", [1.0, 5.0, 20.0, 60.0])
def test_the_safe_answer_by_hand(catcher: SolvedSpot, epsilon: float) -> None:
    """The same bluffs: 20 won for 50 lost, until nothing always bets."""
    found = answered(catcher, 'at "a": fold 70%', max_exploitability=epsilon)
    assert found.exploitability <= epsilon
    assert found.gain == pytest.approx(min(0.4 * epsilon, 10.0), abs=0.02)
    assert found.most == pytest.approx(min(0.4 * epsilon, 10.0), abs=0.05)
    assert found.gain <= found.most + 1e-9


@pytest.mark.parametrize(("trust", "gain"), [(0.0, 0.0), (0.5, 0.0), (0.8, 3.0), (0.9, 6.5), (1.0, 10.0)])
def test_trust_by_hand(catcher: SolvedSpot, trust: float, gain: float) -> None:
    """The rest of the time ip is free, and calls: it folds 0.7 t, as long as that is more than half."""
    found = answered(catcher, f'trust {trust} at "a": fold 70%')
    assert found.gain == pytest.approx(gain, abs=0.02)
    if trust <= 0.5:
        assert found.exploitability == pytest.approx(0.0, abs=0.5)
    if trust == 1.0:
        plain = answered(catcher, 'at "a": fold 70%')
        np.testing.assert_array_equal(found.plan, plain.plan)


# Answers of the linear program


LEAKS = ['at "b150": fold 70%', 'at "x b150": never fold', 'trust 0.6 at "b150": fold 70% evenly',
         "opponent oop\nfacing a bet: call x3\nfirst: bet 10%", 'at "x": always bet']  # fmt: skip


def program(found: NodeLock, elsewhere: str) -> tuple[SequenceFormLP, int]:
    """The program of our seat against two copies: who has the leak, and everybody."""
    subgame, us = found.solved.tree.subgame, 1 - found.opponent
    own = subgame.restrictions[us]
    free = subgame.restrictions[found.opponent]
    restriction = found.restriction(elsewhere_free=elsewhere == "free")
    leaky = subgame.bound(found.opponent, restriction).restrictions[found.opponent]
    return SequenceFormLP(subgame, us, [leaky, free], FixedInfosets(own.keep == 0.0, own.mix)), us


@pytest.mark.parametrize("elsewhere", ["free", "solved"])
@pytest.mark.parametrize("text", LEAKS)
def test_answers_equal_the_linear_program(river: SolvedSpot, text: str, elsewhere: str) -> None:
    found = locked(river, text)
    exact, us = program(found, elsewhere)
    value = (1 - 2 * us) * solve_lp(river.tree.subgame).value
    for p in (0.3, 0.8):
        wanted = exact.maximise(None, [p, 1.0 - p]).objective
        ours = exploit_leak(found, p=p, elsewhere=elsewhere, accuracy=0.005)
        reached = p * (ours.gain + ours.value) + (1.0 - p) * (ours.value - ours.exploitability)
        assert wanted - 0.05 <= reached <= wanted + 1e-6
    plain = exploit_leak(found, elsewhere=elsewhere, accuracy=0.005)
    wanted = exact.maximise(None, [1.0, 0.0]).objective
    assert plain.gain + plain.value == pytest.approx(wanted, abs=0.05)
    assert plain.most is not None
    assert plain.most + plain.value >= wanted - 1e-6
    assert plain.value == pytest.approx(value, abs=0.02)
    for epsilon in (1.0, 10.0):
        safe = exploit_leak(found, max_exploitability=epsilon, elsewhere=elsewhere, accuracy=0.005)
        wanted = exact.maximise(None, [1.0, 0.0], [-np.inf, safe.value - epsilon]).guarantees[0]
        assert safe.exploitability <= epsilon
        assert safe.gain + safe.value == pytest.approx(wanted, abs=0.15)
        assert safe.most is not None
        assert safe.most + safe.value >= wanted - 1e-6


@pytest.mark.parametrize("text", LEAKS)
def test_dials_from_nothing_to_everything(river: SolvedSpot, text: str) -> None:
    found = locked(river, text)
    plain = exploit_leak(found, accuracy=0.005)
    nothing, nearly = exploit_leak(found, p=0.0, accuracy=0.005), exploit_leak(found, p=0.9999, accuracy=0.005)
    assert nothing.exploitability == pytest.approx(0.0, abs=0.03)
    np.testing.assert_array_equal(nothing.plan, nothing.solved.plans.reach(nothing.player)[:])
    assert nearly.gain == pytest.approx(plain.gain, abs=0.05)
    gains = [exploit_leak(found, max_exploitability=share, accuracy=0.005).gain for share in ("0.5%", "2%", "10%")]
    assert all(one <= two + 0.05 for one, two in zip([-0.03, *gains], [*gains, plain.gain], strict=True))
    solved = exploit_leak(found, elsewhere="solved", accuracy=0.005)
    assert solved.gain >= plain.gain - 0.05  # who plays on as solved does not defend himself


@pytest.mark.parametrize("p", [None, 0.5, 0.95])
def test_an_answer_is_no_worse_than_equilibrium_play(p: float | None) -> None:
    """What the leak costs is given away by equilibrium play here, and a solve is less exact than that."""
    asked = Spot(RIVER, "AA,KQ", "KK,22", 10, 20)  # type: ignore[arg-type]
    found = exploit_leak(locked(solve_spot(asked, exploitability=0.02), 'at "x": always check'), p=p)
    weight = 1.0 if p is None else p
    ours, theirs = (
        weight * gain - (1.0 - weight) * loss
        for gain, loss in (
            (found.gain, found.exploitability), (found.equilibrium_gain, found.equilibrium_exploitability)
        )
    )  # fmt: skip
    assert ours >= theirs
    assert found.exploitability < 0.01


def test_no_trust_is_no_lock(river: SolvedSpot) -> None:
    found = exploit_leak(locked(river, 'trust 0 at "b150": fold 100%'), accuracy=0.005)
    assert (found.gain, found.exploitability) == pytest.approx((0.0, 0.0), abs=0.05)


def test_two_opponents_in_compiled_loops_and_out_of_them(river: SolvedSpot) -> None:
    found = locked(river, LEAKS[0])
    problem = two_opponents(river.tree.subgame, found.opponent, found.restriction(), 0.3)
    ours, us = solve_cfr(problem, minimiser("cfr+"), Stop(iterations=50)), 1 - found.opponent
    total = sum(best_response(problem, player, ours.plans[1 - player]).value for player in (0, 1))
    assert gap(problem, ours.plans)[0] == pytest.approx(total, abs=1e-9)
    together = problem.leaves.mixed(ours.plans[found.opponent])  # type: ignore[attr-defined]
    pair = (ours.plans[us], together) if us == 0 else (together, ours.plans[us])
    assert problem.leaves.value(*ours.plans) == pytest.approx(river.tree.leaves.value(*pair), abs=1e-9)
    listed = replace(river.tree.subgame, leaves=river.tree.leaves.explicit)
    again = solve_cfr(
        two_opponents(listed, found.opponent, found.restriction(), 0.3), minimiser("cfr+"), Stop(iterations=50)
    )
    assert again.value == pytest.approx(ours.value, abs=1e-6)
    labels = problem.trees[found.opponent].labels
    assert len(set(labels.infosets)) == len(labels.infosets) == problem.trees[found.opponent].infosets


# Turn, dials, report


def test_a_turn_spot(turn: SolvedSpot) -> None:
    found = exploit_leak(
        locked(turn, "opponent ip\non river facing a bet: fold 80%"), accuracy=0.2, max_exploitability="2%"
    )
    assert found.exploitability <= 4.0
    assert found.gain > 5.0
    assert len(found.lock.nodes) == 4
    for path in ("x x Ah b150", "b150 c 2c a"):
        node = found.answered.node(path)
        held = node.ranges[1] > 0.0
        assert node.ranges[1][held] @ node.probabilities[held, 0] / node.ranges[1].sum() == pytest.approx(0.8, abs=1e-9)


def test_shares_are_of_the_range_that_the_lines_before_leave(turn: SolvedSpot) -> None:
    text = "opponent ip\non turn facing a bet: call x3\nfacing a bet: fold 40%"
    node = exploit_leak(locked(turn, text), p=0.0, accuracy=0.2).answered.node("b150 c 2c a")
    held = node.ranges[1] > 0.0
    assert node.ranges[1][held] @ node.probabilities[held, 0] / node.ranges[1].sum() == pytest.approx(0.4, abs=1e-9)


def test_dials_are_checked(river: SolvedSpot) -> None:
    found = locked(river, LEAKS[0])
    for dials, message in (
        ({"p": 0.5, "max_exploitability": 1.0}, "not both"),
        ({"p": 1.5}, "p must be between"),
        ({"max_exploitability": 0.0}, "above 0"),
        ({"max_exploitability": "0%"}, "above 0"),
        ({"max_exploitability": "-1"}, "not '-1'"),
        ({"max_exploitability": "a lot"}, "not 'a lot'"),
        ({"max_exploitability": "200%"}, "at most 100% of the pot, not 200%"),
        ({"elsewhere": "home"}, "not 'home'"),
        ({"accuracy": 0.0}, "accuracy"),
    ):
        with pytest.raises(InputError, match=message):
            exploit_leak(found, **dials)  # type: ignore[arg-type]
    assert chips("1%", Stakes(200)) == 2.0
    assert chips("2.5", Stakes(200)) == 2.5
    assert chips("20bb/100", Stakes(200, 5)) == 1.0
    raked = solve_spot(replace(river.spot, rake=0.05), iterations=5)
    with pytest.raises(InputError, match="no bound on the risk holds"):
        exploit_leak(locked(raked, LEAKS[0]), max_exploitability="5%")


def test_solves_are_counted_and_no_more_than_said(river: SolvedSpot) -> None:
    begun: list[int] = []
    exploit_leak(locked(river, LEAKS[0]), max_exploitability="2%", accuracy=0.5, phase=begun.append)
    assert begun == list(range(1, len(begun) + 1))
    assert 1 <= len(begun) <= leak_response.MOST_SOLVES


@pytest.mark.parametrize("dials", [{}, {"p": 0.5}, {"max_exploitability": "1%"}])
def test_after_ctrl_c_no_further_solve_begins_and_the_numbers_are_right(
    catcher: SolvedSpot, monkeypatch: pytest.MonkeyPatch, dials: dict[str, Any]
) -> None:
    """The first solve makes the equilibrium exact enough, and is cut short: what it has is the answer."""
    real, solves = leak_response.solve_cfr, []

    def cut_short(problem: Any, method: Any, *_: Any) -> Any:
        solves.append(problem)
        return replace(real(problem, method, Stop(iterations=1)), interrupted=True)

    monkeypatch.setattr(leak_response, "solve_cfr", cut_short)
    found = exploit_leak(locked(catcher, 'trust 0.8 at "a": fold 70%'), accuracy=1e-9, **dials)
    assert len(solves) == 1
    assert found.interrupted
    assert found.most is None
    kept = -best_response(found.solved.tree.subgame, 1, found.plan).value
    assert found.exploitability == pytest.approx(max(0.0, found.value - kept))
    text = "\n".join(report_leak(found))
    assert "Ctrl-C ended the work early" in text
    late = "max_exploitability" in dials and found.exploitability > 1.0
    assert ("is not there yet" in text) == late


def test_the_report_says_it_in_words(catcher: SolvedSpot) -> None:
    found = answered(catcher, 'at "a": fold 70%', max_exploitability="5%")
    text = "\n".join(report_leak(found, grid=True))
    for words in (
        "at all-in 100: fold 50 % -> 70 %, call 50 % -> 30 %",
        "wins at least 2 chips a hand, 2 % of the pot, more",
        "takes no notice of it would win nothing more",
        "wins back at most 5 chips a hand, 5 % of the pot",
        "all-in 100 more: 76s 50 -> 60 %",
        "+10",
    ):
        assert words in text, text
    one = diff_strategies(found.solved, found.answered, 0)[0]
    assert one.size == pytest.approx(0.05, abs=1e-3)  # a tenth more, half of the time
    assert one.facts()["hands"]["76s"] == ["all-in 100", pytest.approx(0.5, abs=0.01), pytest.approx(0.6, abs=0.01)]
    unchanged = "\n".join(report_leak(answered(catcher, 'trust 0 at "a": fold 70%', p=0.0)))
    assert "play on as in the equilibrium" in unchanged
    assert found.facts()["gain_percent"] == pytest.approx(2.0, abs=0.05)


ASKED = (
    "spot", "--board", "KsQhJd7c2s", "--oop", "AA,T9s,65s", "--ip", "KQ,A7s", "--pot", "100", "--stack", "100",
    "--bets", "a",
)  # fmt: skip


def test_the_command(run: Runner, tmp_path: Path) -> None:
    file, out = tmp_path / "leak.txt", tmp_path / "answer.spot"
    file.write_text('at "x a": fold 10%\n')
    ran = run(
        *ASKED, "--lock", str(file), "--max-exploitability", "2%", "--grid", "--node", "x", "-o", str(out), "--json"
    )
    assert ran.code == 0, ran.err
    told = ran.json
    assert told["exploitability"] <= 2.0
    assert 0.0 < told["gain"] <= told["most"]
    assert (told["method"], told["opponent"]) == ("safe", "oop")
    assert told["changes"][0]["hands"]
    assert told["nodes"][0]["path"] == "check"
    kept = load_spot(out)
    np.testing.assert_allclose(kept.node("x").means, told["nodes"][0]["values"], atol=1e-3)
    again = run("spot", "--file", str(out), "--lock", str(file))
    assert "already an answer to a model" in again.err


@pytest.mark.parametrize(
    ("leak", "words", "message"),
    [
        ('at "x b50": fold 10%', [], "leak.txt: line 1: betting path 'x b50'"),
        ('at "x a" with QQ: fold 10%', [], "leak.txt: line 1: oop has no hand 'QQ'"),
        ('at "x a": fold 10%', ["--p", "1.5"], "p must be between"),
        ('at "x a": fold 10%', ["--p", "0.5", "--max-exploitability", "1"], "not both"),
        ('at "x a": fold 10%', ["--max-exploitability", "0"], "above 0"),
        ('at "x a": fold 10%', ["--rake", "0.1", "--max-exploitability", "1%"], "no bound on the risk"),
        (None, ["--p", "0.5"], "--p needs a --lock"),
    ],
)
def test_the_command_refuses_before_it_solves(
    run: Runner, tmp_path: Path, leak: str | None, words: list[str], message: str
) -> None:
    file, out = tmp_path / "leak.txt", tmp_path / "answer.spot"
    if leak is not None:
        file.write_text(leak)
        words = [*words, "--lock", str(file)]
    ran = run(*ASKED, *words, "-o", str(out))
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert not ran.out
    assert not out.exists()
