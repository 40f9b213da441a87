"""Manners: help, names that were meant, and messages in one line."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import counterplay as cp
from counterplay import InputError, catalogue
from counterplay.errors import UnknownError, check_nesting, escaped, nearest, quoted, reason, unknown
from tests.support.commands import Runner
from tests.support.pages import ROOT
from tests.support.shell import shell


class TestTheCommandLine:
    def test_the_module_runs_and_says_its_version(self) -> None:
        shown = shell("--version")
        assert (shown.returncode, shown.stdout) == (0, f"counterplay {cp.__version__}\n")

    @pytest.mark.parametrize("columns", [60, 110, 300])
    def test_help_is_as_wide_as_the_terminal(self, helped: Callable[..., str], columns: int) -> None:
        widths = [len(line) for line in helped("respond", columns).splitlines()]
        assert min(columns, 120) - 25 < max(widths) <= min(columns, 120)

    def test_help_lists_everything_that_a_text_may_name(self, helped: Callable[..., str]) -> None:
        shown = {name: helped(name) for name in ("respond", "frontier", "match", "play", "resolve", "solve")}
        for name in ("respond", "frontier"):
            for table in (
                catalogue.METHODS,
                catalogue.OPPONENTS,
                catalogue.SOLVERS,
                catalogue.GADGETS,
                catalogue.VALUES,
            ):
                assert all(re.search(rf"^ +{re.escape(word)}( |$)", shown[name], re.MULTILINE) for word in table)
        for name in ("match", "play"):
            for table in (catalogue.AGENTS, catalogue.OPPONENTS, catalogue.WHOLE_GAME_OPPONENTS):
                assert all(word in shown[name] for word in table)
        for table in (catalogue.PLACES, catalogue.GADGETS, catalogue.PRIORS):
            assert all(word in shown["resolve"] for word in table)
        assert all(word in shown["solve"] for word in catalogue.SOLVERS)

    def test_shells_complete_commands(self) -> None:
        script = shell("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
        assert "complete" in script.stdout
        code = "import sys; sys.argv[0] = 'counterplay'; from counterplay.cli import main; main()"
        words = {"_COUNTERPLAY_COMPLETE": "complete_bash", "COMP_WORDS": "counterplay resp", "COMP_CWORD": "1"}
        done = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, **words}, capture_output=True, text=True, check=False
        )
        assert done.stdout.split() == ["respond"]

    def test_examples_are_listed_and_copied(self, run: Runner, tmp_path: Path) -> None:
        assert "leaks/station.txt" in run("examples").out
        assert run("examples", str(tmp_path / "mine")).code == 0
        theirs = {
            path.relative_to(ROOT / "examples") for path in (ROOT / "examples").rglob("*.*") if "cache" not in str(path)
        }
        assert {path.relative_to(tmp_path / "mine") for path in (tmp_path / "mine").rglob("*.*")} == theirs
        again = run("examples", str(tmp_path / "mine"))
        assert again.code == 2
        assert "exists already; nothing was copied" in again.err


class TestTheCatalogue:
    """What is listed is what there is."""

    def test_methods_solvers_gadgets_and_priors(self) -> None:
        from counterplay.gadgets import GADGETS
        from counterplay.lookahead.tremble import PRIORS
        from counterplay.responses import METHODS
        from counterplay.solvers.minimiser import MINIMISERS

        assert list(METHODS) == list(catalogue.METHODS)
        assert all(name == method.HEAD for name, method in METHODS.items())
        assert set(catalogue.SOLVERS) == {"lp", "auto", *MINIMISERS}
        assert tuple(catalogue.GADGETS) == tuple(GADGETS)
        assert tuple(catalogue.PRIORS) == (*PRIORS, "FILE.json")

    def test_agents(self) -> None:
        from counterplay.agents import REGISTRY
        from counterplay.agents.factory.whole_games import COMPUTED, SEARCHES

        heads = catalogue.heads(form for form in catalogue.AGENTS if not form.startswith("any"))
        assert set(heads) == set(REGISTRY) == {*catalogue.METHODS, "learn", "switch"}
        assert set(catalogue.WHOLE_GAME_AGENTS) == {*SEARCHES, "cdbr-ne", *COMPUTED}

    def test_options_of_commands_are_the_fields_of_records(self) -> None:
        from counterplay.blueprints.resolve_fields import ResolveFields
        from counterplay.blueprints.resolve_request import ResolveOptions, ResolveRequest
        from counterplay.commands.parsing.program import load_command
        from counterplay.poker.spots.spot_fields import SpotFields
        from counterplay.responses import METHODS
        from counterplay.responses.methods import MethodOptions
        from counterplay.texts.record import keys_of

        def names(*records: Any) -> set[str]:
            return {field.name for record in records for field in dataclasses.fields(record)}

        of_methods = {key for method in METHODS.values() for key in keys_of(method)}
        options = {name: set(signature(load_command(name)).parameters) for name in ("respond", "spot", "resolve")}
        assert options["respond"] > of_methods | {"method"}
        assert set(get_type_hints(MethodOptions)) == of_methods
        assert names(SpotFields) == names(cp.Spot)
        assert len(options["spot"] & names(cp.Spot)) == 10
        assert options["resolve"] > names(ResolveFields)
        assert {(one.name, one.default) for one in dataclasses.fields(ResolveFields)} <= {
            (one.name, one.default) for one in dataclasses.fields(ResolveRequest)
        }
        assert get_type_hints(ResolveOptions) == get_type_hints(ResolveRequest)

    def test_reproductions_are_the_functions_of_papers(self) -> None:
        import counterplay_papers
        from counterplay_papers.registry import REPRODUCTIONS, reproduction

        found = {name for name in REPRODUCTIONS if reproduction(name).name == name}
        assert found == set(REPRODUCTIONS)
        papers = Path(counterplay_papers.__file__).parent / "reproductions"
        with_experiment = {
            name
            for path in papers.glob("*.py")
            for name in re.findall(r"^def (\w+)\(\) -> Experiment:", path.read_text(), re.M)
        }
        assert with_experiment == {name.replace("-", "_") for name in REPRODUCTIONS}

    def test_every_head_of_an_opponent_is_known_where_they_are_made(self) -> None:
        heads = set(catalogue.heads([*catalogue.OPPONENTS, *catalogue.WHOLE_GAME_OPPONENTS]))
        from counterplay.opponents import REGISTRY

        assert heads == set(REGISTRY)


MEANT = [
    (("solve", "leduk"), "game 'leduk'; did you mean 'leduc'?"),
    (("solve", "leduc:betz=1/2"), "parameter 'betz'; did you mean 'bets'?"),
    (("solve", "openspeil:leduc_poker"), "did you mean 'openspiel:leduc_poker'?"),
    (("respond", "kuhn", "--to", "cf+:10"), "there is no opponent 'cf+:10'; did you mean 'cfr+:10'?"),
    (("respond", "kuhn", "--to", "noise:0.2:unifrm"), "opponent 'unifrm'; did you mean 'uniform'?"),
    (("respond", "kuhn", "--to", "lst:A1"), "cannot import 'lst'"),
    (("respond", "kuhn", "--to", "uniform", "--method", "saef"), "method 'saef'; did you mean 'safe'?"),
    (("respond", "kuhn", "--to", "uniform", "--solver", "crf"), "method 'crf'; did you mean 'cfr'?"),
    (("respond", "kuhn", "--to", "uniform", "--method", "cdrnr", "--p", "1", "--depth", "1", "--gadget", "fll"),
     "gadget 'fll'; did you mean 'full'?"),
    (("respond", "kuhn", "--to", "uniform", "--method", "cdrnr", "--p", "1", "--depth", "1", "--leaf", "exat"),
     "value function 'exat'; did you mean 'exact'?"),
    (("respond", "kuhn", "--to", "uniform", "--method", "cdrnr", "--p", "1", "--depth", "1", "--prior", "unform"),
     "prior 'unform'; did you mean 'uniform'?"),
    (("resolve", "kuhn", "--blueprint", "uniform", "--at", "moevs:1"), "did you mean 'moves:1'?"),
    (("reproduce", "cdbr-tabel1"), "reproduction 'cdbr-tabel1'; did you mean 'cdbr-table1'?"),
    (("match", "kuhn", "nash", "nahs"), "there is no agent 'nahs'; did you mean 'nash'?"),
    (("match", "kuhn", "nash", "cdrnr:dept=1,p=0.5,to=uniform"), "cdrnr has no option 'dept'; did you mean 'depth'?"),
    (("solve", "zzzzzz"), "there is no game 'zzzzzz'; there are battleships, "),
    (("respond", "kuhn", "--to", "zzzzzz"), "there is no opponent 'zzzzzz'; there are uniform, random"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "sentence"), MEANT, ids=lambda value: value[-1] if isinstance(value, tuple) else "")
def test_a_misspelt_name_gets_the_one_that_was_meant(
    refused: Callable[..., str], words: tuple[str, ...], sentence: str
) -> None:
    assert sentence in refused(*words)


LATE = [
    ("match", "goofspiel:5", "cdrnr:max_exploitability=0.01,depth=1,to=cfr:5", "cdrnr:dpth=1,p=0.5,to=uniform"),
    ("match", "goofspiel:5", "nash", "noise:2:uniform"),
    ("match", "goofspiel:5", "nash", "cdbr:to=missing.json"),
    ("match", "goofspiel:5", "nash", "abd:p=1,leaf=portfolio:unform,to=uniform"),
    ("play", "goofspiel:5", "--against", "cdrnr:gadget=ful,p=1,to=nash"),
    ("respond", "goofspiel:5", "--to", "random:1,-1"),
    ("frontier", "goofspiel:5", "--to", "nash;bias:x:nash"),
    ("evaluate", "goofspiel:5", "nash", "--against", "shuffle:0.1"),
    ("resolve", "goofspiel:5", "--blueprint", "nash", "--at", "moves:1", "--to", "br:"),
]


@pytest.mark.parametrize("words", LATE, ids=lambda words: " ".join(words)[:60])
def test_a_bad_text_is_refused_before_a_game_is_loaded(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    def loaded(*_: Any, **__: Any) -> None:
        raise AssertionError("a game was loaded for a text that nobody can read")

    monkeypatch.setattr("counterplay.gametree.compile.load.find_game", loaded)
    monkeypatch.setattr("counterplay.poker.spots.load.find_game", loaded)
    assert refused(*words).startswith("counterplay: ")


class TestMessages:
    def test_a_message_is_one_printable_line_whoever_wrote_its_parts(self) -> None:
        error = InputError("first\nsecond\x1b[31m\u2028 third")
        assert str(error) == "first\\nsecond\\x1b[31m\\u2028 third"
        assert len(str(InputError("x" * 10_000))) < 1_100

    def test_texts_of_the_user_are_cut(self) -> None:
        assert quoted("short") == "'short'"
        assert len(quoted("x" * 5_000)) < 70
        assert quoted("a\nb") == "'a\\nb'"
        assert escaped("≤ é") == "≤ é"

    def test_somebody_elses_exception_becomes_one_line(self) -> None:
        assert reason(ValueError("one\n  two")) == "ValueError: one two"
        assert reason(KeyError()) == "KeyError"

    def test_the_nearest_name_keeps_what_stands_behind_the_colon(self) -> None:
        assert nearest("cf+:10", ["cfr", "cfr+"]) == "cfr+:10"
        assert nearest("NASH", ["nash"]) == "nash"
        assert nearest("q", ["nash"]) is None
        error = unknown("hat", "cap", ["hood"], lacks="the wardrobe")
        assert isinstance(error, UnknownError)
        assert str(error) == "the wardrobe has no hat 'cap'; it has hood"

    @pytest.mark.parametrize(
        "words",
        [
            ("solve", "{}"), ("solve", "leduc:{}"), ("respond", "kuhn", "--to", "{}"),
            ("respond", "kuhn", "--to", "noise:{}:nash"), ("respond", "kuhn", "--to", "bias:{}=1:uniform"),
            ("respond", "kuhn", "--to", "uniform", "--method", "{}"),
            ("match", "kuhn", "nash", "cdrnr:{}=1,to=uniform"), ("match", "kuhn", "resolve:depth={}", "nash"),
            ("resolve", "kuhn", "--blueprint", "nash", "--at", "{}"), ("reproduce", "{}"),
        ],
    )  # fmt: skip
    def test_a_long_text_with_line_breaks_is_told_in_one_short_line(
        self, refused: Callable[..., str], words: tuple[str, ...]
    ) -> None:
        sentence = refused(*(word.format("y\n\x1b" * 1_600) for word in words))
        assert len(sentence) < 800
        assert sentence.isprintable()

    @pytest.mark.parametrize("head", ["noise:0.5:", "br:", "observed:5:", "bias:Bet=2:"])
    def test_deep_nesting_is_one_sentence(self, refused: Callable[..., str], head: str) -> None:
        text = head * 10_000 + "uniform"
        assert "nests too many opponents" in refused("respond", "kuhn", "--to", text)
        with pytest.raises(InputError, match="nests too many"):
            cp.opponent(cp.load("kuhn"), text)
        assert check_nesting("br:" * 40 + "uniform") is None

    def test_deep_nesting_in_flop_holdem(self) -> None:
        from counterplay.opponents.opponent import strategy_of

        nobody: Any = object()
        with pytest.raises(InputError, match="nests too many"):
            strategy_of(nobody, "shuffle:0.1:" * 10_000 + "uniform")

    def test_a_bias_for_a_player_without_decisions_is_a_whole_sentence(self) -> None:
        game = cp.load("matrix:1 -1/-1 1")
        with pytest.raises(InputError, match=r"no action begins with 'x'; they are .+"):
            cp.opponent(game, "bias:x=1:uniform")
        from counterplay.opponents.reference_players import ByPrefix

        with pytest.raises(InputError, match="since the player has no decision here"):
            ByPrefix({"x": 1.0}, 1.0).check()
