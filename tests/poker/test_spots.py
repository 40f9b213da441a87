"""Spots of hold'em: answers that can be derived by hand, symmetries, models, files, the command, and bad input."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterplay import InputError, SolvedSpot, Spot, Stop, solve_spot
from counterplay.poker.cards.deck import FULL, SIX_PLUS, Deck
from counterplay.poker.public_tree.public_tree import public_tree
from counterplay.poker.public_tree.size_estimate import size_of
from counterplay.poker.ranges.range import Range
from counterplay.poker.spots.solution import KIND
from counterplay.poker.spots.solution import load_spot as load
from counterplay.poker.spots.spot_game import as_spot_game
from counterplay.solvers.best_response import best_response
from counterplay.solvers.cfr import solve_cfr
from counterplay.solvers.lp import solve_lp
from counterplay.solvers.minimiser import minimiser
from counterplay.treeplex.restriction import Restriction
from tests.support.archives import OLD, changed, parts_of, sealed
from tests.support.commands import Runner

RIVER, BLANK = "Qs Jh 2h 8d 3c", "Ks 8h 8d 4c 2s"


def spot(board: str, oop: str, ip: str, pot: float = 100, stack: Any = 100, bets: str = "a", **more: Any) -> Spot:
    return Spot(board, oop, ip, pot, stack, bets, **more)  # type: ignore[arg-type]


def hand(text: str) -> int:
    return int(np.flatnonzero(Range.parse(text).weights)[0])


def solved(asked: Spot, percent: float = 0.01) -> SolvedSpot:
    return solve_spot(asked, percent_of_pot=percent, iterations=100_000)


@pytest.mark.parametrize("board", [BLANK, "Ks 8h 8d 4c", "Ks 8h 8d"])
def test_who_always_wins_takes_the_pot(board: str) -> None:
    top = solved(spot(board, "KhKd,8c8s" if len(board) < 14 else "KhKd", "6h5h", bets="50%, a", raises=1)).node()
    exact = len(board) == 14
    assert top.shares[0] == pytest.approx(1.0, abs=0.02 if not exact else 1e-12)
    assert top.means[0] == pytest.approx(100.0, abs=3.0 if not exact else 0.05)
    assert sum(top.means) == pytest.approx(100.0, abs=1e-9 if len(board) > 8 else 1e-5)  # on flops in float32


def test_who_always_loses_gets_nothing() -> None:
    top = solved(spot(BLANK, "6h5h,7h6h", "AcAd,KhKd")).node()
    assert top.means == pytest.approx((0.0, 100.0), abs=0.05)
    assert top.shares == pytest.approx((0.0, 1.0), abs=1e-12)


def test_who_always_ties_splits() -> None:
    top = solved(spot(BLANK, "AhQd", "AsQc", bets="50%, a")).node()
    assert top.means == pytest.approx((50.0, 50.0), abs=0.05)
    assert top.equities[0][hand("AhQd")] == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("bet", [25, 50, 100, 300])
def test_nuts_and_air_against_a_bluff_catcher(bet: int) -> None:
    """A bet b into a pot P: b / (P + b) bluffs for a value bet, and P / (P + b) calls."""
    asked = spot(BLANK, "KhKd,7h6h", "AcAd", stack=bet, bets="ip: none; oop: a; ip raise: none; oop raise: a")
    found = solved(asked, 0.001)
    top, faced = found.node(), found.node("a")
    nuts, air, caller = hand("KhKd"), hand("7h6h"), hand("AcAd")
    assert top.actions == ("check", f"all-in {bet}")
    assert top.probabilities[nuts, 1] == pytest.approx(1.0, abs=0.02)
    assert top.probabilities[air, 1] == pytest.approx(bet / (100 + bet), abs=0.02)
    assert faced.probabilities[caller, 1] == pytest.approx(100 / (100 + bet), abs=0.02)
    assert top.means[0] == pytest.approx(50 * (1 + bet / (100 + bet)), abs=0.01)
    assert top.values[0][air] == pytest.approx(0.0, abs=0.1)
    assert faced.values[1][caller] == pytest.approx(0.0, abs=0.5)


def test_an_all_in_before_the_river_is_worth_its_equity() -> None:
    found = solve_spot(spot("Qs Jh 2h 8d", "QQ+,AKs,KhTh,JTs", "22+,AQ,KQ,9h8h", 200, 900), iterations=20)
    called = found.node("a c")
    assert called.player is None
    assert called.pot == 2000.0
    assert called.means == pytest.approx([2000.0 * share for share in called.shares], abs=1e-6)
    live = called.ranges[0] > 0.0
    np.testing.assert_allclose(called.values[0][live], 2000.0 * called.equities[0][live], atol=1e-6)


def test_turn_nodes_hang_together() -> None:
    found = solve_spot(spot("Qs Jh 2h 8d", "QQ,AKs,JTs,A5s", "TT,AQ,KQ,9h8h", 200, 900, "75%, a"), iterations=50)
    for path in ("", "x", "b150", "b150 c", "x x", "x x Ah", "b150 c Kd x", "x b150 a", "x x 2c x b150 c"):
        node = found.node(path)
        assert sum(node.means) == pytest.approx(node.pot, abs=1e-6), path
        assert sum(node.shares) == pytest.approx(1.0, abs=1e-9), path
        _check_action_values(found, path)
    dealt = [card for card in FULL.cards if card not in found.spot.board]
    name = [f"{'23456789TJQKA'[card // 4]}{'cdhs'[card % 4]}" for card in dealt]
    below = [found.node(f"x x {card}") for card in name]
    k = hand("AdQd")
    above = found.node("x x")
    rivers = [one.values[1][k] for one in below if one.ranges[1][k] > 0.0]
    assert len(rivers) == 46
    assert min(rivers) <= above.values[1][k] <= max(rivers)


def _check_action_values(found: SolvedSpot, path: str) -> None:
    """An action is worth what the node after it is worth, less the chips put in; and a hand is worth its mixture of them."""
    node = found.node(path)
    if node.player is None:
        return
    live = np.isfinite(node.values[node.player])
    mixed = (node.probabilities * node.action_values).sum(axis=1)
    np.testing.assert_allclose(mixed[live], node.values[node.player][live], atol=1e-6, err_msg=path)
    for number, action in enumerate(node.actions):
        after = found.node(f"{path}, {action}" if path else action)
        put = (after.pot - node.pot) if action != "fold" else 0.0
        worth = 0.0 if action == "fold" else after.values[node.player] - put
        same = np.broadcast_to(worth, live.shape)
        shown = live & np.isfinite(same)
        np.testing.assert_allclose(
            node.action_values[shown, number], same[shown], atol=1e-6, err_msg=f"{path} {action}"
        )


def test_both_sides_sum_to_zero_and_suits_do_not_matter() -> None:
    found = solve_spot(spot("Qs Js 2s 8s 3s", "random", "random", 200, 550, "50%, 100%, a"), iterations=40)
    assert found.plans.value(0) == pytest.approx(-found.plans.value(1), abs=1e-5 * 200)
    for path in ("", "x", "b100"):
        table = found.node(path).probabilities
        for one, other in (("AcKc", "AdKd"), ("AcKd", "AhKc"), ("9c9d", "9d9h"), ("AsKc", "AsKh")):
            np.testing.assert_allclose(table[hand(one)], table[hand(other)], atol=1e-6)


def test_narrow_ranges_are_the_full_problem_with_zeros() -> None:
    """Hands of weight 0 have no effect, even if the other player can hold them."""
    narrow = solve_spot(spot(RIVER, "QQ,AK,T9", "JJ,KQ,98", 100, 300, "50%, a"), iterations=200)
    spread = Range(Range.parse("QQ,AK,T9").weights * 1.0 + 1e-300 * (Range.parse("random").weights > 0))
    padded = solve_spot(Spot(RIVER, spread, narrow.spot.ip, 100, 300, "50%, a"), iterations=200)  # type: ignore[arg-type]
    assert padded.node().means == pytest.approx(narrow.node().means, abs=1e-4)


@pytest.fixture(scope="module")
def modelled() -> Any:
    """A small river problem, and an opponent (ip) who plays at random."""
    asked = spot(RIVER, "QQ,KQs,T9s,76s", "JJ,AQs,98s,65s", 100, 200, "75%, a", raises=2)
    subgame = public_tree(asked.betting, asked.cards).subgame
    tree = subgame.trees[1]
    return subgame, subgame.restrictions[1].behaviour(tree, tree.uniform())


def outcome(modelled: Any, plan: Any) -> tuple[float, float]:
    """What a plan of oop wins from the model, and from a best responder."""
    subgame, behaviour = modelled
    model = subgame.restrictions[1].played(subgame.trees[1], behaviour)
    return float(plan @ subgame.leaves.product(0, model)), -best_response(subgame, 1, plan).value


def test_trust_in_a_model_runs_from_equilibrium_to_best_response(modelled: Any) -> None:
    subgame, behaviour = modelled
    tree, value = subgame.trees[1], solve_lp(subgame).value
    found = []
    for p in (0.0, 0.2, 0.5, 0.8, 0.99):
        problem = subgame.bound(1, Restriction.of_plan(tree, behaviour, p))
        exact = solve_lp(problem)
        iterated = solve_cfr(problem, minimiser("dcfr"), Stop(exploitability=0.01))
        assert iterated.value == pytest.approx(exact.value, abs=0.011)
        found.append(outcome(modelled, exact.plans[0]))
        gain, guarantee = found[-1]
        assert p * gain + (1.0 - p) * guarantee == pytest.approx(exact.value, abs=1e-6)
    assert found[0][1] == pytest.approx(value, abs=1e-6)
    won, kept = zip(*found, strict=True)
    assert all(np.diff(won) >= -1e-6)
    assert all(np.diff(kept) <= 1e-6)
    model = subgame.restrictions[1].played(tree, behaviour)
    most = best_response(subgame, 0, model).value
    assert won[-1] <= most + 1e-9
    everything = subgame.bound(1, Restriction.local(tree, behaviour, np.ones(tree.lanes)))  # p = 1: nothing is free
    assert solve_lp(everything, 0).value == pytest.approx(most, abs=1e-6)
    assert most > value + 1.0


def test_trust_per_decision(modelled: Any) -> None:
    """A local restriction is applied on top of the range."""
    subgame, behaviour = modelled
    trust = np.full(subgame.trees[1].lanes, 0.5)
    problem = subgame.bound(1, Restriction.local(subgame.trees[1], behaviour, trust))
    exact, value = solve_lp(problem).value, solve_lp(subgame).value
    assert value < exact < outcome(modelled, solve_lp(subgame).plans[0])[0] + 100.0
    found = solve_cfr(problem, minimiser("cfr+"), Stop(exploitability=0.02))
    assert found.value == pytest.approx(exact, abs=0.021)
    model = problem.bound(1, Restriction.of_plan(subgame.trees[1], behaviour, 0.5))
    with pytest.raises(InputError, match="one model"):
        model.bound(1, Restriction())


def test_files(tmp_path: Path) -> None:
    found = solve_spot(spot("Qs Jh 2h 8d", "QQ,AKs:0.5", "TT,AQ", 200, (900, 700), "75%, a", rake=0.05), iterations=30)
    found.save(tmp_path / "x.spot")
    again = load(tmp_path / "x.spot")
    assert again.facts == found.facts
    for path in ("", "x b150", "x x Ah x"):
        one, other = found.node(path), again.node(path)
        assert one.actions == other.actions
        assert other.means == pytest.approx(one.means, abs=1e-3)
        np.testing.assert_allclose(one.probabilities, other.probabilities, atol=1e-6)
    (tmp_path / "bad.spot").write_bytes((tmp_path / "x.spot").read_bytes()[:500])
    with pytest.raises(InputError, match="not a solved spot"):
        load(tmp_path / "bad.spot")
    with pytest.raises(InputError, match="must end in"):
        found.save(tmp_path / "x.json")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of a solved spot."""
    path = tmp_path_factory.mktemp("written") / "x.spot"
    solve_spot(spot(RIVER, "QQ,AK", "JJ,KQ", stack=(100, 120)), iterations=5).save(path)
    return path


def damaged(written: Path, path: Path, probabilities: Any = None, form: int = KIND.format, **header: Any) -> Path:
    """The file with other things in its header, or with other probabilities of oop."""
    facts, arrays = parts_of(written)
    if probabilities is not None:
        arrays["probabilities0"] = probabilities(arrays["probabilities0"])
    return sealed(path, replace(KIND, format=form), {**facts, **header}, arrays)


DAMAGES: list[tuple[dict[str, Any], str]] = [
    ({"solution": {}}, "exploitability of the solution must be a number"),
    ({"solution": []}, "facts of the solution must be a table"),
    ({"solution": {"exploitability": "low", "exploitability_percent": 1.0}}, "must be a number"),
    (
        {"solution": {"exploitability": 1.0, "exploitability_percent": float("nan")}},
        "in percent of the solution must be",
    ),
    ({"solution": {"exploitability": 1.0, "exploitability_percent": 1.0, "seat": "oop"}}, "seat"),
    ({"spot": "QQ"}, "table of names and values"),
    ({"form": 1}, "does not read"),
    ({"probabilities": lambda x: x.astype(str)}, "not plain numbers"),
    ({"probabilities": lambda x: x.astype(int)}, "does not fit"),
    ({"probabilities": lambda x: x[:-1]}, "do not fit"),
    ({"probabilities": lambda x: 0.0 * x}, "do not sum to 1"),
    ({"probabilities": lambda x: x + np.nan}, "do not fit"),
    ({"probabilities": lambda x: 2.0 * x}, "do not fit"),
    ({"probabilities": lambda x: 0.998 * x}, "do not sum to 1"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGES)
def test_damaged_files_are_refused_in_a_sentence(
    written: Path, tmp_path: Path, damage: dict[str, Any], message: str
) -> None:
    assert load(damaged(written, tmp_path / "same.spot")).facts == load(written).facts
    path = damaged(written, tmp_path / "bad.spot", **damage)
    with pytest.raises(InputError, match=message) as error:
        load(path)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("board", ["Qs Jh 2h 8d 4c", "Qs Jh 2h 8d 3c"])
def test_the_solution_of_another_spot_of_the_same_size_is_refused(written: Path, tmp_path: Path, board: str) -> None:
    """In new files the checksum detects it, in old ones a digest of the spot."""
    text = np.load(written)["manifest"].tobytes().replace(b"Qs Jh 2h 8d 3c", board.encode())
    path = changed(written, tmp_path / "bad.spot", manifest=np.frombuffer(text, np.uint8))
    text = np.load(OLD / "river.spot")["header"].tobytes().replace(b"Qs Jh 2h 8d 3c", board.encode())
    old = changed(OLD / "river.spot", tmp_path / "old.spot", header=np.frombuffer(text, np.uint8))
    if board.endswith("3c"):
        assert load(path).spot.table() == load(old).spot.table()
        return
    with pytest.raises(InputError, match="checksum does not fit"):
        load(path)
    with pytest.raises(InputError, match="not the one that was saved"):
        load(old)


@pytest.mark.parametrize("header", [[], {"format": 2}, "x"])
def test_files_without_a_spot_are_refused(tmp_path: Path, header: Any) -> None:
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    with pytest.raises(InputError, match=r"bad.spot: "):
        load(changed(OLD / "river.spot", tmp_path / "bad.spot", header=text))
    with (tmp_path / "array.spot").open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(InputError, match=r"array.spot is not a solved spot"):
        load(tmp_path / "array.spot")


def test_files_tell_how_exact_they_are_even_if_nobody_measured_it(written: Path, tmp_path: Path) -> None:
    found = load(written)
    replace(found, facts={}).save(tmp_path / "x.spot")
    facts = load(tmp_path / "x.spot").facts
    assert facts["exploitability"] == pytest.approx(found.facts["exploitability"], abs=1e-4)
    assert facts["exploitability_percent"] == pytest.approx(facts["exploitability"], abs=1e-12)  # of a pot of 100


def test_short_decks_have_their_own_rules() -> None:
    asked = Spot("Qs Jh 9h 8d 6c", "AhKh,AsKs", "TT", 100, 100, "a", deck=SIX_PLUS, rules="six-plus")  # type: ignore[arg-type]
    assert solved(asked, 0.1).node().means[1] == pytest.approx(100.0, abs=0.2)
    assert Spot.from_table(asked.table()).table() == asked.table()
    odd = Deck(tuple(card for card in FULL.cards if card != 5))
    with pytest.raises(InputError, match="decks"):
        Spot(RIVER, Range.full(odd), Range.full(odd), 10, 10, deck=odd).table()  # type: ignore[arg-type]


BAD = {
    "given twice": {"board": "Qs Qs 2h 8d 3c"},
    "3, 4 or 5 cards": {"board": "Qs Jh"},
    "is not a card": {"board": "Qs Jh 2h 8d 3x"},
    "is empty": {"oop": "QQ:0"},
    "blocks every hand": {"ip": "QsJh"},
    "together": {"oop": "AhAd", "ip": "AhAd"},
    "pot must be above 0": {"pot": 0},
    "beyond the stack": {"bets": "200c"},
    "not a size": {"bets": "50%, huge"},
    "share must be": {"rake": 2.0},
    "rules must be": {"rules": "omaha"},
    "rake_cap of a spot does nothing without a rake": {"rake_cap": 3},
    "'donk' does nothing where the river is the only street": {"bets": "33%; donk: 20%"},
    "'initiative: kept' .* does nothing without 'donk'": {"bets": "33%; initiative: kept"},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_spots_are_refused_in_a_sentence(message: str) -> None:
    table = {"board": RIVER, "oop": "QQ+", "ip": "AK", "pot": 100, "stack": 100, "bets": "a"}
    with pytest.raises(InputError, match=message) as error:
        Spot.from_table({**table, **BAD[message]})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("board", "bets"),
    [
        (RIVER, "33%; turn: 75%; turn river donk: 20%; initiative: kept"),  # as for spots that begin before
        ("Qs Jh 2h 8d", "33%; donk: 20%"),
        ("Qs Jh 2h", "33%; donk: none; initiative: kept"),
    ],
)
def test_sizes_may_name_streets_of_other_spots(board: str, bets: str) -> None:
    assert (
        Spot.from_table({"board": board, "oop": "QQ", "ip": "AK", "pot": 100, "stack": 100, "bets": bets}).bets == bets
    )


def test_files_with_settings_that_do_nothing_still_load(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were not always refused."""
    found = load(written)
    idle = {**found.spot.table(), "rake_cap": 3.0, "bets": f"{found.spot.bets}; donk: 20%; initiative: kept"}
    monkeypatch.setattr(Spot, "table", lambda _: idle)
    found.save(tmp_path / "x.spot")
    monkeypatch.undo()
    again = load(tmp_path / "x.spot")
    assert again.spot.rake_cap is None
    assert (again.spot.betting.parent == found.spot.betting.parent).all()
    np.testing.assert_array_equal(again.node().probabilities, found.node().probabilities)


WRONG = [
    {"stack": "100"}, {"stack": [100]}, {"stack": (100, 100, 100)}, {"stack": [[1, 2], [3, 4]]}, {"stack": None},
    {"stack": [100, "200"]}, {"stack": np.array(["a", "b"])}, {"pot": "100"}, {"pot": None}, {"pot": 10**400},
    {"pot": float("nan")}, {"pot": True}, {"pot": np.zeros((2, 2))}, {"raises": "2"}, {"raises": 2.0},
    {"raises": ("1", 2)}, {"bets": None}, {"bets": {"river": 50}}, {"bets": {1: "50%"}}, {"bets": ["50%", "a"]},
    {"board": None}, {"board": 7}, {"oop": None}, {"ip": 7}, {"deck": 2}, {"rules": []}, {"rake": "5%"}, {"unit": None},
    {"min_bet": "x"}, {"all_in_at": "80%"},
]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_values_of_another_kind_are_refused_in_a_sentence(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"^the {next(iter(wrong))} of a spot cannot be ") as error:
        Spot(**{"board": RIVER, "oop": "QQ+", "ip": "AK", "pot": 100, "stack": 100, "bets": "a", **wrong})
    assert "\n" not in str(error.value)


def test_values_that_mean_the_same_make_the_same_spot() -> None:
    """Two stacks as a list or an array, sizes as a mapping, numbers of NumPy: the spot keeps what can be hashed."""
    ranges = Range.parse("QQ+"), Range.parse("AK")
    plain = Spot(tuple(FULL.held(RIVER)), *ranges, 100, (100, 200), "river: 50%, a", 2)
    bets: Any = {"river": "50%, a"}
    for stack in ([100, 200], np.array([100, 200]), (np.int64(100), 200.0)):
        one = Spot(np.array(plain.board), *ranges, np.float32(100), stack, bets, np.int64(2))  # type: ignore[arg-type]
        assert one == plain
        assert hash(one) == hash(plain)
        assert json.loads(json.dumps(one.table())) == plain.table()
    assert as_spot_game(plain).tree is as_spot_game(replace(plain, bets=bets)).tree
    with pytest.raises(InputError, match="table of names"):
        Spot.from_table([])  # type: ignore[arg-type]


def test_spots_too_large_are_refused_with_their_estimate() -> None:
    asked = spot("Qs Jh 2h", "random", "random", 200, 900, "33%, 75%, a")
    assert size_of(asked.betting, asked.cards).memory > 2**35
    with pytest.raises(InputError, match="GiB is the limit"):
        solve_spot(asked, memory=2**30)


@pytest.mark.parametrize(
    ("path", "message"), [("x b99", "not an action here"), ("x x Ah", "needs 0"), ("y", "not an action")]
)
def test_wrong_paths(path: str, message: str) -> None:
    found = solve_spot(spot(RIVER, "QQ+", "AK", bets="50%, a"), iterations=5)
    with pytest.raises(InputError, match=message):
        found.node(path)


def test_command(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(
        f'board = "{RIVER}"\noop = "QQ+,AK"\nip = "JJ+,KQ"\npot = 200\nstack = 900\nbets = "50%, a"\n'
    )
    shown = run("spot", "--file", str(tmp_path / "s.toml"), "--node", "x b100", "-o", str(tmp_path / "x.spot"))
    assert shown.code == 0, shown.err
    assert all(word in shown.out for word in ("GiB", "% of the pot", "f = fold"))
    again = run("spot", "--file", str(tmp_path / "x.spot"), "--json")
    facts = again.json
    assert facts["exploitability_percent"] <= 0.5
    assert sum(facts["nodes"][0]["values"]) == pytest.approx(200.0)
    assert facts["nodes"][0]["hands"]["QdQc"]["ranges"][0] == 1.0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--board", RIVER], "lacks its oop"),
        (["--board", RIVER, "--oop", "QQ", "--ip", "AK", "--pot", "10", "--stack", "x"], "--stack takes"),
        (["--board", RIVER, "--oop", "QQ", "--ip", "AK", "--pot", "10", "--stack", "9", "-o", "x.json"], "must end in"),
        (
            ["--board", RIVER, "--oop", "QQ", "--ip", "AK", "--pot", "10", "--stack", "9", "--node", "y"],
            "not an action",
        ),
        (["--file", "nowhere.toml"], "cannot read"),
    ],
)
def test_bad_commands(run: Runner, words: list[str], message: str) -> None:
    shown = run("spot", *words)
    assert shown.code == 2
    assert message in shown.err
    assert shown.err.count("\n") == 1
