"""The commands of every game on spots of hold'em: solve, respond, evaluate, resolve, frontier, match, play."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import counterplay as cp
from counterplay.commands.printing import number, say
from counterplay.poker.betting import tree as betting_tree
from counterplay.poker.locking.exploit_leak import exploit_leak
from counterplay.poker.locking.leak_text import Leaks
from counterplay.poker.locking.node_lock import lock_nodes
from counterplay.poker.spots import solve_spot as solved
from counterplay.poker.spots.solution import load_spot
from tests.support.commands import Runner

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
RIVER = """
board = "Qs Jh 2h 8d 3c"
oop = "QQ,KQs,T9s,76s"
ip = "JJ,AQs,98s,65s"
pot = 100
stack = 200
bets = "75%, a"
raises = 2
"""
TURN = """
board = "Ks 8h 8d 4c"
oop = "AKs,QJs"
ip = "QQ,JTs"
pot = 100
stack = 100
bets = "a"
raises = 1
"""


@pytest.fixture
def run(run: Runner, tmp_path: Path) -> Runner:
    """Beside river.toml and turn.toml."""
    (tmp_path / "river.toml").write_text(RIVER)
    (tmp_path / "turn.toml").write_text(TURN)
    return run


def test_solve_and_look(run: Runner) -> None:
    code, out, err = run("solve", "river.toml", "-o", "solved.spot", "--json")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    assert facts["value"] == pytest.approx(cp.solve(cp.load("river.toml")).value)
    assert load_spot("solved.spot").node("").means[0] == pytest.approx(50.0 + facts["value"], abs=1e-3)
    assert "EV" in run("spot", "--file", "solved.spot", "--node", "x")[1]
    assert run("evaluate", "solved.spot", "solved.spot", "--against", "solved.spot", "--json")[0] == 0


def test_respond_and_evaluate_agree(run: Runner) -> None:
    words = ["respond", "river.toml", "--to", "bias:fold=3:nash", "--max-exploitability", "2%", "--json"]
    code, out, _ = run(*words, "-o", "answer.spot")
    assert code == 0
    facts = json.loads(out)
    assert facts["exploitability"] == pytest.approx(2.0, abs=1e-6)
    assert facts["exploitability_percent"] == pytest.approx(2.0, abs=1e-6)
    found = json.loads(run("evaluate", "river.toml", "answer.spot", "--against", "bias:fold=3:nash", "--json")[1])
    assert found["gain"] == pytest.approx(facts["gain"], abs=1e-4)  # a file holds single precision
    assert found["exploitability"] == pytest.approx(facts["exploitability"], abs=1e-4)
    kept = json.loads(run("evaluate", "river.toml", "answer.spot", "--seat", "1", "--json")[1])
    assert kept["seat"] == 1


def test_strategies_as_text(run: Runner) -> None:
    code, _, err = run("respond", "river.toml", "--to", "uniform", "--p", "0.5", "--seat", "1", "-o", "ip.json")
    assert (code, err) == (0, "")
    table = json.loads(Path("ip.json").read_text())
    assert table["seat"] == 1
    assert set(table["strategy"]["check | JdJc"]) == {"check", "bet 75", "all-in 200"}
    assert not [text for text in table["strategy"] if text.startswith("deal")]  # the range is the spot's
    told = json.loads(run("evaluate", "river.toml", "ip.json", "--json")[1])
    table["strategy"] |= {"deal | JdJc": {"held": 1.0, "not held": 0.0}}  # as files had it before
    Path("old.json").write_text(json.dumps(table))
    assert json.loads(run("evaluate", "river.toml", "old.json", "--json")[1]) == told
    river = cp.load("river.toml")
    assert cp.evaluate(river, cp.opponent(river, Path("ip.json"), 1)).exploitability == told["exploitability"]
    code, out, _ = run("evaluate", "river.toml", "ip.json", "--json")
    assert (code, json.loads(out)["seat"]) == (0, 1)


@pytest.mark.parametrize(
    "words",
    [
        ["--method", "cdrnr", "--depth", "round", "--p", "0.5"],
        ["--method", "ses", "--depth", "round", "--alpha", "0.5"],
        ["--method", "abd", "--depth", "round", "--p", "0.5", "--leaf", "portfolio:nash;uniform"],
        ["--method", "lbr"],
    ],
)
def test_methods_on_a_turn(run: Runner, words: list[str]) -> None:
    code, out, err = run("respond", "turn.toml", "--to", "noise:0.5:nash", *words, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["exploitability"] >= 0.0


def test_resolve_a_turn(run: Runner) -> None:
    words = ["--blueprint", "cfr+:10", "--at", "round", "--gadget", "max-margin", "--only", "x x Ah", "--solver", "lp"]
    code, out, err = run("resolve", "turn.toml", *words, "--json", "-o", "better.spot")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    assert facts["states"] + facts["skipped"] == 1
    assert facts["after"] <= facts["before"] + 1e-6
    assert load_spot("better.spot").facts["method"]


def test_frontier_of_a_river(run: Runner) -> None:
    words = ["--to", "uniform", "--methods", "rnr,mix", "--points", "3", "-o", "points.csv", "--json"]
    code, out, err = run("frontier", "river.toml", *words)
    assert (code, err) == (0, "")
    points = json.loads(out)["points"]
    assert len(points) == 6
    assert points[0]["exploitability"] == pytest.approx(0.0, abs=1e-6)
    assert len(Path("points.csv").read_text().splitlines()) == 7


@pytest.mark.parametrize(
    "words",
    [
        ["--methods", "cdrnr,lbr", "--depth", "round"],
        ["--methods", "abd", "--depth", "round", "--leaf", "portfolio:nash;uniform"],
    ],
)
def test_frontier_of_look_aheads(run: Runner, words: list[str]) -> None:
    code, out, err = run("frontier", "turn.toml", "--to", "uniform", "--points", "2", *words, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["points"]


def test_a_node_where_nobody_can_be(run: Runner) -> None:
    words = ["--board", "Qs Jh 2h 8d", "--oop", "AsAh", "--ip", "KsKh", "--pot", "10", "--stack", "20", "--bets", "a"]
    code, out, _ = run("spot", *words, "--raises", "1", "--node", "x x As")
    assert code == 0
    assert "no two hands of the ranges can reach this node" in out


def test_hands_that_have_folded_are_not_in_the_grid(run: Runner) -> None:
    """Against a full house 65s has no card to hope for, and folds to the bet; 88 is quads; 99 comes at half weight."""
    ranges = ["--oop", "KhKd", "--ip", "8c8s,6h5h,6c5c,9c9d:0.5,9c9h:0.5"]
    words = ["--board", "Ks 8h 8d 4c", *ranges, "--pot", "100", "--raises", "1"]
    code, out, _ = run("spot", *words, "--stack", "60", "--bets", "turn: 50%; river: none", "--node", "b50")
    assert code == 0
    assert cell(out, "9", "9") == "f...."  # two of six pairs at half weight: a sixth of the class
    assert cell(out, "6", "5") == "fff.."  # two of four hands, both folding
    assert cell(out, "8", "8") == "ccccc"  # the board leaves one pair
    code, out, _ = run("spot", *words, "--stack", "60", "--bets", "turn: 50%; river: a", "--node", "b50 c 2c x")
    assert code == 0
    assert cell(out, "6", "5") == cell(out, "9", "9") == "....."
    assert "." not in cell(out, "8", "8")


def cell(shown: str, row: str, column: str) -> str:
    """A cell of the grid that a command has printed."""
    lines = [line for line in shown.splitlines() if line[:2] in {f"{rank} " for rank in "AKQJT98765432"}]
    return lines["AKQJT98765432".index(row)].split()[1 + "AKQJT98765432".index(column)]


def test_values_agree_and_say_which_half_of_the_pot_they_count(run: Runner) -> None:
    """One spot has one value: net of half of the pot in `value`, with it in `ev`; in all units that there are."""
    game = json.loads(run("solve", "river.toml", "--solver", "dcfr", "--exploitability", "0.01%", "--json")[1])
    spot = json.loads(run("spot", "--file", "river.toml", "--exploitability", "0.01chips", "--bb", "2", "--json")[1])
    for facts in (game, spot):
        assert facts["ev"] == pytest.approx([85.977, 14.023], abs=0.02)
        assert facts["value"] == pytest.approx(facts["ev"][0] - 50)
        assert facts["value_percent"] == pytest.approx(facts["value"])  # of a pot of 100
        assert facts["exploitability"] <= 0.01
    assert spot["value_bb_per_100"] == pytest.approx(50 * spot["value"])
    assert spot["nodes"][0]["values"] == pytest.approx(spot["ev"], abs=1e-6)
    shown = run("spot", "--file", "river.toml", "--exploitability", "0.001%")[1]
    assert "oop  EV 85.9772 chips, 86 % of the pot (35.9772 net of half of the pot)" in shown
    assert spot["nodes"][0]["whose"] == "equilibrium"
    out = run("solve", "river.toml")[1]
    assert "35.9772 chips net of half of the pot: EV oop 85.9772 chips, 86 % of the pot" in out
    assert "exploitability  0 chips, 0 % of the pot" in out
    Path("blinds.toml").write_text(RIVER + "big_blind = 2\n")
    words = ["blinds.toml", "--to", "bias:fold=3:nash"]
    told = json.loads(run("respond", *words, "--max-exploitability", "100bb/100", "--json")[1])
    assert told["exploitability"] == pytest.approx(2.0, abs=1e-6)
    assert told["gain_bb_per_100"] == pytest.approx(50 * told["gain"])
    assert told["game_ev"] == pytest.approx(50 + told["game_value"])
    assert "2 chips, 2 % of the pot, 100 bb/100" in run("respond", *words, "--max-exploitability", "1000mbb")[1]
    shown = run("frontier", *words, "--methods", "br")[1]
    assert "chips a hand; a chip is 1 % of the pot, 50 bb/100." in shown


def test_a_node_says_whose_strategy_it_shows(run: Runner) -> None:
    assert "oop plays the equilibrium\n" in run("spot", "--file", "river.toml")[1]
    run("respond", "river.toml", "--to", "uniform", "--p", "0.5", "-o", "answer.spot")
    assert "oop plays your answer\n" in run("spot", "--file", "answer.spot")[1]
    assert "ip plays the model of the opponent\n" in run("spot", "--file", "answer.spot", "--node", "x")[1]
    Path("leak.txt").write_text('at "x": always check\n')
    run("spot", "--file", "river.toml", "--lock", "leak.txt", "-o", "locked.spot")
    assert "oop plays your answer\n" in run("spot", "--file", "locked.spot")[1]
    code, out, _ = run("spot", "--file", "locked.spot", "--node", "x")
    assert (code, "ip plays as an opponent with the leak\n" in out) == (0, True)


def test_a_spot_with_a_rake_is_answered_with_the_sentence(run: Runner) -> None:
    Path("raked.toml").write_text(RIVER + "rake = 0.05\n")
    for words in (["respond", "raked.toml", "--to", "uniform", "--p", "0.5"], ["solve", "raked.toml"],
                  ["evaluate", "raked.toml", "uniform"], ["frontier", "raked.toml", "--to", "uniform", "--methods", "br"],
                  ["spot", "--file", "raked.toml"]):  # fmt: skip
        code, out, err = run(*words)
        assert (code, err) == (0, "")
        assert "no bound on the risk holds" in out
    code, out, err = run("match", "raked.toml", "uniform", "nash", "--hands", "20")
    assert (code, err) == (0, "")
    assert "chips per hand of B" in out
    assert "rake per hand" in out


def test_an_interrupted_first_solve_keeps_the_strategy_without_the_leaks(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = solved.solve_tree

    def cut_short(*given: Any, **more: Any) -> Any:
        tree, solution = real(*given, **more)
        return tree, replace(solution, interrupted=True)

    monkeypatch.setattr(solved, "solve_tree", cut_short)
    Path("leak.txt").write_text('at "x": always check\n')
    code, out, err = run("spot", "--file", "river.toml", "--lock", "leak.txt", "-o", "kept.spot")
    assert code == 0
    assert "oop plays the equilibrium" in out
    assert "the leaks are not answered: this is the strategy without them" in err
    assert load_spot("kept.spot").is_equilibrium


def test_what_is_rounding_is_printed_as_0() -> None:
    assert [number(x, span=4.0) for x in (-0.0, 2.8e-17, -7.6e-16, 1e-3, -0.5)] == ["0", "0", "0", "0.001", "-0.5"]
    assert [number(x, ".6f") for x in (-1e-9, -1e-5)] == ["0.000000", "-0.000010"]
    assert number(-2e-9, span=1e-9) == "-2e-09"  # of a game whose payoffs are that small it is no rounding


def test_lines_are_wrapped_at_words_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "  at x: the opponent goes all-in more often than in the equilibrium, and folds less often"
    say(text)
    assert capsys.readouterr().out == text + "\n"
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    say(text)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 40
    assert " ".join(" ".join(lines).split()) == " ".join(text.split())
    assert all(line.startswith("    ") for line in lines[1:])


@pytest.mark.parametrize("leaks", sorted((EXAMPLES / "leaks").glob("*.txt")), ids=lambda path: path.name)
def test_each_example_of_leaks_fits_the_spot_that_it_names(
    run: Runner, leaks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COUNTERPLAY_CACHE", "")  # a solution kept by an earlier run would be announced
    named = [line.removeprefix("# Spot: ") for line in leaks.read_text().splitlines() if line.startswith("# Spot: ")]
    assert len(named) == 1
    code, out, err = run("spot", "--file", str(EXAMPLES.parent / named[0]), "--lock", str(leaks))
    assert (code, err) == (0, "")
    assert "From this leak your strategy wins at least" in out


def test_a_match_and_a_person(run: Runner) -> None:
    code, out, err = run("match", "river.toml", "ses:alpha=0.5,to=uniform", "uniform", "--hands", "200", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["mean"] > 0.0
    code, out, err = run(
        "play", "river.toml", "--against", "cdbr:to=uniform", "--hands", "1", typed="1\n?\n" + "1\n" * 5
    )
    assert (code, err) == (0, "")
    assert "on Qs Jh 2h 8d 3c; the pot is" in out
    assert "1 hand, " in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["solve", "none.toml"], "cannot read none.toml"),
        (["solve", "none.spot"], "cannot read none.spot"),
        (["solve", "river.toml", "-o", "x.txt"], "must end in .spot or .json or .cps"),
        (["solve", "river.toml", "--memory", "1e-9"], "is the limit"),
        (["respond", "river.toml", "--to", "s1"], "play Leduc poker"),
        (
            ["respond", "river.toml", "--to", "uniform", "--max-exploitability", "x%"],
            "or one with its unit, as in 0.5%",
        ),
        (
            ["respond", "river.toml", "--to", "uniform", "--max-exploitability", "x"],
            "a non-negative number of chips, or one",
        ),
        (
            ["respond", "kuhn", "--to", "uniform", "--max-exploitability", "1mbb"],
            "1mbb needs a big blind, and none is given",
        ),
        (["respond", "river.toml", "--to", "uniform", "--method", "cdbr", "--depth", "1"], "the depth is 'round'"),
        (["frontier", "turn.toml", "--to", "uniform", "--methods", "cdrnr", "--depth", "1"], "the depth is 'round'"),
        (["spot", "--file", "turn.toml", "--node", "x x 8d", "-o", "x.spot"], "no longer in the deck"),
        (["spot", "--file", "river.toml", "--exploitability", "5mbb"], "needs a big blind, and none is given"),
        (["spot", "--file", "river.toml", "--solver", "lp"], "not by lp"),
        (["solve", "kuhn", "--exploitability", "1bb"], "needs a big blind"),
        (["solve", "kuhn", "--exploitability", "-1"], "non-negative"),
        (["blueprint", "holdem:flop", "--threads", "9999999"], "--threads is at most"),
        (["blueprint", "holdem:flop", "--exploitability", "5%"], "a share of a spot's pot"),
        (["blueprint", "holdem:flop", "--node", "jump"], "not an action"),
        (["blueprint", "holdem:flop", "--record", "toy.work"], "of measuring a blueprint in a file: give --file"),
        (["blueprint", "holdem:flop", "--workers", "2"], "give -o or --file"),
        (
            ["blueprint", "holdem:flop", "--split", "2"],
            "--split: public does not split boards of a game that ends on the flop: it floors regrets",
        ),
        (["blueprint", "holdem:deck=20,stack=4bb,bets=a,buckets=3", "--split", "0"], "1 to 4096 shares, not 0"),
        (["blueprint", "holdem:deck=20,stack=4bb,bets=a,buckets=3", "--sum-every", "8"], "give --split or --workers"),
        (["frontier", "kuhn", "--to", "uniform", "--record", "points.json"], "its name must end in .work"),
        (["match", "fhp", "blueprint", "blueprnt"], "there is no agent 'blueprnt'"),
        (["match", "fhp", "blueprint", "ses:alpha=0.5,to=shuffle:2:blueprint"], "the share must be between 0 and 1"),
        (["spot", "--file", "river.toml", "--bets", "any", "--stack", "400", "--raises", "9"], "different actions"),
        (["spot", "--file", "turn.toml", "--oop", "AA:1e-300"], "rounding would lose"),
        (["resolve", "river.toml", "--blueprint", "nash", "--at", "round"], "no later street"),
        (["match", "river.toml", "nash", "cdrnr:p=0.5"], "needs a model"),
        (["match", "river.toml", "nash", "none"], "there is no agent 'none'"),
    ],
)
def test_mistakes_are_one_sentence(
    run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.setattr(betting_tree, "MOST_WIDE", 1_000)  # what is too wide is found sooner
    before = sorted(path.name for path in tmp_path.iterdir())
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["solve", "kuhn"], "exploitability  0 chips"),
        (["evaluate", "kuhn", "uniform", "--against", "uniform"], "gain                  0.180556 chips"),
        (["resolve", "kuhn", "--blueprint", "uniform", "--at", "moves:1"], "exploitability before  0.361111 chips"),
        (["frontier", "kuhn", "--to", "uniform", "--methods", "br"], "Gain and exploitability are chips a hand."),
        (["frontier", "kuhn", "--to", "uniform", "--methods", "cdbr", "--depth", "1"], "cdbr looks ahead by level."),
    ],
)
def test_amounts_of_every_game_have_a_unit(run: Runner, words: list[str], said: str) -> None:
    code, out, _ = run(*words)
    assert code == 0
    assert said in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["solve", "kuhn", "--bogus"], "no such option: --bogus (counterplay solve -h shows all)"),
        (["respond", "kuhn"], "missing option '--to' (counterplay respond -h shows all)"),
        (["bogus"], "no such command 'bogus' (counterplay -h shows all)"),
        (["solve", "kuhn", "--iterations", "x"], "invalid value for '--iterations'"),
    ],
)
def test_words_that_no_command_knows_get_one_sentence(run: Runner, words: list[str], said: str) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err.startswith(f"counterplay: {said}")
    assert err.count("\n") == 1


def test_the_gain_of_an_answer_in_a_file_is_told_with_its_value(run: Runner, tmp_path: Path) -> None:
    """Answers of before the error of the value was kept say so."""
    (tmp_path / "leak.txt").write_text('at "a": fold 70%\n')
    spot = cp.Spot("Ks 8h 8d 4c 2s", "KhKd,7h6h", "AcAd", 100, 100, "oop: a; ip: none")  # type: ignore[arg-type]
    lock = lock_nodes(cp.solve_spot(spot, percent_of_pot=0.01), Leaks.from_file(tmp_path / "leak.txt"))
    answer = exploit_leak(lock)
    assert answer.value_gap is not None
    assert answer.edge == pytest.approx(answer.gain - answer.equilibrium_gain)
    assert answer.risk == pytest.approx(answer.exploitability - answer.equilibrium_exploitability)
    facts = answer.facts
    assert (facts["edge"], facts["risk"]) == (answer.edge, answer.risk)
    answer.answered.save(tmp_path / "new.spot")
    old = {name: fact for name, fact in facts.items() if name not in ("value_gap", "edge", "risk")}
    replace(answer.answered, facts=old).save(tmp_path / "old.spot")
    new, before = (run("spot", "--file", str(tmp_path / file)).out.splitlines()[1] for file in ("new.spot", "old.spot"))
    assert "% of the pot, from a value known to " in new
    assert before.endswith("from a value whose error this older file does not tell")
