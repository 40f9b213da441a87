"""Leaks of opponents in hold'em spots: the language, and the shares of a range that take an action."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import InputError, SolvedSpot, Spot, solve_spot
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.locking.exploit_leak import exploit_leak
from counterplay.poker.locking.leak_text import ACTIONS, RELATIONS, Leak, LeakPlace, Leaks, Order
from counterplay.poker.locking.node_lock import allocate_share, apply_frequencies, lock_nodes
from counterplay.poker.locking.report import report_leak
from tests.support.leak_spots import EXAMPLES, TREE, hand, locked, told


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


@cache
def hardly_solved() -> SolvedSpot:
    """A turn for texts that name no leak of it."""
    asked = Spot("Qs Jh 2h 8d", "QQ,AK", "QQ,JJ", 200, 900, "50%, 100%, a")  # type: ignore[arg-type]
    return solve_spot(asked, iterations=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no leak"),
        ("\n  # nothing\n", "no leak"),
        ('\nat "x b90": fold 70%', "^line 2: .*'bet 90' is not an action here"),
        ('at "x": fold 70%', "^line 1: 'fold 70%' is not an action at 'check', where there is check, bet 100"),
        ('at "b200": fold 70%, call 60%', "^line 1: the shares add up to 130 %"),
        ('at "b200": fold 70%, call 10%, raise 5%', "^line 1: .* add up to 100 %, not 85 %"),
        ('at "b200": fold 10%, fold 20%', "^line 1: 'fold 20%' names an action twice"),
        ('at "b200": fold', "^line 1: 'fold' does not say how often"),
        ('at "b200": fold 170%', "^line 1: .*not '170%'"),
        ('at "b200": fold 10% 20%', "^line 1: cannot read '10%'"),
        ('at "b200": fold 200 20%', "^line 1: .*a fold takes no amount"),
        ('at "b200": jump 20%', "^line 1: 'jump 20%' does not begin with an action"),
        ('at "b200": raise 333 10%', "^line 1: 'raise 333 10%' is not an action at 'bet 200'"),
        ('at "b200" with : fold 10%', "^line 1: 'with' names no hands"),
        ("at any fold 70%", "^line 1: 'at any fold 70%' is no place"),
        ("opponent ip\nsometimes: fold 7%", "^line 2: 'sometimes' is no place"),
        ("on rver: fold 7%", "^line 1: 'rver' is not a street"),
        ("facing a bet of at least 2x: fold 7%", "^line 1: the size of a bet .*not '2x'"),
        ("on turn", "^line 1: 'on turn' needs a colon"),
        ("opponent bb", "^line 1: the opponent must be 'oop' or 'ip', not 'bb'"),
        ("opponent ip\nopponent oop", "^line 2: a text has one opponent"),
        ("at any: fold 10%", "^line 1: no line names the player with the leak"),
        ('opponent oop\nat "b200": fold 10%', "^line 2: at 'b200' ip acts, not oop"),
        ("opponent ip\nfirst: bet 3%", "^line 2: ip has no such decision"),
        ('at "x x x x": fold 10%', "^line 1: no player has a choice"),
        ('trust 2 at "b200": fold 1', "^line 1: trust must be from 0 to 1"),
        ('at "b200" with QQ, 7x: fold 10%', "^line 1: cannot read '7x' in a range"),
        ('at "b200" with QQ, A2o: fold 10%', "^line 1: ip has no hand 'A2o': it is not in the range"),
        ('at "b200" with 8d8h: fold 10%', "^line 1: ip has no hand '8d8h': the board Qs Jh 2h 8d blocks it"),
        ('at "x x Qs": bet 10%', "^line 1: the cards of 'x x Qs' cannot be dealt there"),
    ],
)
def test_what_is_no_leak_is_refused_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        lock_nodes(hardly_solved(), Leaks.from_text(text))
    assert "\n" not in str(error.value)


_SHARES = st.floats(0.0, 1.0) | st.integers(0, 100).map(lambda percent: percent / 100.0)
_SIZES = (st.floats(1e-3, 1e4) | st.integers(1, 500)).map(lambda percent: percent / 100.0)
_CHIPS = st.none() | st.floats(1e-3, 1e6) | st.integers(1, 1000).map(float)


@st.composite
def _places(draw: st.DrawFn) -> LeakPlace:
    if draw(st.booleans()):
        return LeakPlace(" ".join(draw(st.lists(st.sampled_from(["x", "b100", "c", "Ah", "r 300"])))))
    facing, size = draw(st.sampled_from([None, "bet", "raise", "all-in"])), {}
    if facing is not None and draw(st.booleans()):
        size = {draw(st.sampled_from(["least", "most"])): draw(_SIZES)}
    street = draw(st.none() | st.integers(1, 3))
    return LeakPlace(None, street, draw(st.booleans()), draw(st.booleans()), facing, **size)


@st.composite
def _orders(draw: st.DrawFn) -> tuple[Order, ...]:
    actions = draw(st.lists(st.sampled_from(ACTIONS), min_size=1, max_size=4, unique=True))
    orders, left = [], 1.0
    for action in actions:
        amount = None if action in ACTIONS[:3] else draw(_CHIPS)
        if draw(st.booleans()):
            orders.append(Order(action, amount, factor=draw(st.floats(0.0, 1e6))))
        else:
            orders.append(Order(action, amount, min(left, draw(_SHARES)), relation=draw(st.sampled_from(RELATIONS))))
            left = max(0.0, left - (orders[-1].share or 0.0))
    return tuple(orders)


_LEAKS = st.builds(
    Leak, _places(), _orders(), hands=st.sampled_from([None, "QQ+, AKs", "AhKs"]), evenly=st.booleans(), trust=_SHARES
)


@given(st.builds(Leaks, st.integers(0, 1), st.lists(_LEAKS, min_size=1, max_size=3).map(tuple)))
def test_leaks_and_their_text_are_inverse(leaks: Leaks) -> None:
    assert Leaks.from_text(str(leaks)) == leaks


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.txt")), ids=lambda path: path.name)
def test_examples_mean_the_same_as_their_shortest_text(path: Path) -> None:
    leaks = Leaks.from_file(path)
    assert Leaks.from_text(str(leaks)) == leaks


def test_the_text_of_a_leak_is_its_notation() -> None:
    place = LeakPlace(street=3, facing="bet", least=0.75)
    leak = Leak(place, (Order("fold", share=0.7), Order("raise", 300.0, factor=2.0)), "QQ+", evenly=True, trust=0.8)
    assert str(leak) == "trust 80% on river facing a bet of at least 75% with QQ+: fold 70%, raise 300 x2 evenly"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Order("jump", share=0.5), "'jump' is no action"),
        (lambda: Order("fold"), "a share or a factor"),
        (lambda: Order("fold", 100.0, 0.5), "a fold takes no amount"),
        (lambda: LeakPlace("x", street=2), "a path or a kind"),
        (lambda: LeakPlace(facing="check"), "not 'check'"),
        (lambda: LeakPlace(least=0.5), "faces a bet"),
        (lambda: Leaks(0, ()), "no leak"),
    ],
)
def test_records_of_leaks_refuse_what_has_no_text(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "leak.txt"
    path.write_text('\nat "b200": fold 700%\n')
    with pytest.raises(InputError, match=r"leak.txt: line 2: "):
        Leaks.from_file(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is not a text"):
        Leaks.from_file(path)
    with pytest.raises(InputError, match="cannot read"):
        Leaks.from_file(tmp_path / "none.txt")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.txt")), ids=lambda path: path.name)
def test_examples_fit_a_river(path: Path) -> None:
    asked = Spot("Qs Jh 2h 8d 3c", "random", "random", 200, 550, "50%, 100%, a")  # type: ignore[arg-type]
    found = lock_nodes(solve_spot(asked, iterations=20), Leaks.from_file(path))
    assert len(found.locked)


@settings(max_examples=50)
@given(seed=st.integers(0, 10**6), share=st.floats(0, 1), second=st.floats(0, 1), evenly=st.booleans())
def test_a_share_of_the_range_takes_the_action(seed: int, share: float, second: float, evenly: bool) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.random((12, 4)) * (rng.random((12, 4)) < 0.6) + 1e-3
    rows /= rows.sum(axis=1, keepdims=True)
    weights, worth = rng.random(12) * (rng.random(12) < 0.8) + 1e-6, rng.normal(size=(12, 4))
    second *= 1.0 - share
    orders = [((0,), Order("fold", share=share)), ((2, 3), Order("bet", share=second))]
    found = apply_frequencies(rows, orders, weights, worth, rng.random(12), [False, False, True, True], evenly=evenly)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-9)
    assert found.min() >= -1e-12
    assert weights @ found[:, 0] / weights.sum() == pytest.approx(share, abs=1e-9)
    assert weights @ found[:, 2:].sum(axis=1) / weights.sum() == pytest.approx(second, abs=1e-9)
    if evenly:
        np.testing.assert_allclose(found[:, 0], share, atol=1e-9)


@settings(max_examples=50)
@given(seed=st.integers(0, 10**6), share=st.floats(0, 1), evenly=st.booleans())
def test_bounds_and_steps_start_from_the_present_frequency(seed: int, share: float, evenly: bool) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.ones(3), 12)
    weights, worth = rng.random(12) + 1e-6, rng.normal(size=(12, 3))
    present = rows[:, 0] if evenly else np.array([weights @ rows[:, 0] / weights.sum()])
    wanted = {
        "at least": np.maximum(present, share), "at most": np.minimum(present, share),
        "+": np.minimum(present + share, 1.0), "-": np.maximum(present - share, 0.0),
    }  # fmt: skip
    for relation, asked in wanted.items():
        orders = [((0,), Order("fold", share=share, relation=relation))]
        found = apply_frequencies(rows, orders, weights, worth, rng.random(12), [False] * 3, evenly=evenly)
        reached = found[:, 0] if evenly else np.array([weights @ found[:, 0] / weights.sum()])
        np.testing.assert_allclose(reached, asked, atol=1e-9)
        np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-9)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("fold at least 65%", Order("fold", None, 0.65, relation="at least")),
        ("bet 100 at most 0.3", Order("bet", 100.0, 0.3, relation="at most")),
        ("fold +15%", Order("fold", None, 0.15, relation="+")),
        ("raise 300 -10%", Order("raise", 300.0, 0.1, relation="-")),
    ],
)
def test_bounds_and_steps_are_read(text: str, order: Order) -> None:
    assert Order.from_text(text) == order
    assert Order.from_text(str(order)) == order


def test_the_worst_hands_come_first() -> None:
    """Three hands alike but in what folding costs them: 3, 1, 2 chips; then in strength alone."""
    rows, weights = np.full((3, 2), 0.5), np.array([1.0, 1.0, 2.0])
    worth = np.array([[0.0, 3.0], [0.0, 1.0], [0.0, 2.0]])
    for share, wanted in ((0.5, [0.5, 0.5, 0.5]), (0.75, [0.5, 1.0, 0.75]), (0.25, [0.0, 0.5, 0.25]), (1.0, [1, 1, 1])):
        found = apply_frequencies(
            rows, [((0,), Order("fold", share=share))], weights, worth, np.zeros(3), [False, True]
        )
        np.testing.assert_allclose(found[:, 0], wanted)
    tied = apply_frequencies(
        rows, [((0,), Order("fold", share=0.625))], weights, np.zeros((3, 2)), np.array([0.9, 0.1, 0.5]), [False, True]
    )
    np.testing.assert_allclose(tied[:, 0], [0.5, 1.0, 0.5])
    np.testing.assert_allclose(allocate_share(rows[:, 0], rows[:, 1], weights, 0.5, np.arange(3)), rows[:, 0])


def test_a_factor_multiplies_and_the_rest_keeps_its_proportions() -> None:
    rows = np.array([[0.2, 0.2, 0.6], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])
    found = apply_frequencies(
        rows, [((0,), Order("fold", factor=3.0))], np.ones(3), np.zeros((3, 3)), np.zeros(3), [False] * 3
    )
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
    assert node.probabilities[hand("8c8s"), 1] <= 0.5  # free with probability 0.5, and calls then
    assert sorted(set(found.trust.trust.tolist())) == [0.5, 1.0]
    assert [river.tree.betting.path(n) for n in found.nodes] == ["bet 150"]


def blocked(oop: str, ip: str, board: str = "Qs Jh 2h 8d") -> SolvedSpot:
    asked = Spot(board, oop, ip, 10, 20, "a", raises=1)  # type: ignore[arg-type]
    return solve_spot(asked, percent_of_pot=0.1)


def test_boards_without_the_named_hands_are_left_out() -> None:
    solved = blocked("AsAh,7c6c", "KK,TT")
    found = locked(solved, "opponent oop\non river with AsAh: always check")
    assert len(found.locked) == 46  # cards that are neither on the board nor in the hand
    with pytest.raises(InputError, match=r"^line 1: the board Qs Jh 2h 8d As leaves oop none of these hands$"):
        locked(solved, 'at "x x As" with AsAh: always check')
    both = locked(solved, 'at "x x As" with AsAh,7c6c: always check')
    assert len(both.locked) == 1


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
        here = np.arange(first, end) + int(runs.lane[node])
        assert np.isin(here, found.locked).any() == (cards_text(board[-1:]) not in dead.split())
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
    hands = layer.hand[layer.first[number] : layer.first[number + 1]]
    assert len(one.locked) == (turn.tree.boards.cards.weights[0][hands] > 0.0).sum()
    assert len(one.locked) < len(every.locked) / 40
    before, after, both = (plans.behaviour(0)[:] for plans in (turn.plans, one.plans, every.plans))
    np.testing.assert_array_equal(after[after != before], both[after != before])
