"""Manners: help, names that were meant, messages in one line, results that show themselves, and what the wheel says."""

from __future__ import annotations

import ast
import dataclasses
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import counterplay as cp
from counterplay import catalogue
from counterplay.display import LONGEST
from counterplay.errors import InputError, UnknownError, check_nesting, escaped, nearest, quoted, reason, unknown
from counterplay.games.parameters import parameters
from counterplay.poker.spots.spot_game import as_spot_game

ROOT = Path(__file__).parent.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
Run = Callable[..., subprocess.CompletedProcess[str]]


def shell(*words: str, columns: int = 100, folder: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    """`python -m counterplay WORDS` in a process of its own."""
    env = {**os.environ, "COLUMNS": str(columns), **more}
    command = [sys.executable, "-m", "counterplay", *words]
    return subprocess.run(command, capture_output=True, text=True, env=env, cwd=folder, check=False)


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., str]:
    """A function that runs `counterplay WORDS`, sees it end with code 2, and returns its sentence."""
    from counterplay.cli import main

    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["counterplay", *words])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ending:
            main()
        shown = capsys.readouterr()
        assert ending.value.code == 2
        assert shown.out == ""
        return shown.err.splitlines()[-1]

    return call


@pytest.fixture
def helped(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """A function that returns the help of a command, for a terminal of some columns."""
    from counterplay.cli import main

    def call(command: str, columns: int = 100) -> str:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(sys, "argv", ["counterplay", command, "--help"])
        capsys.readouterr()
        with pytest.raises(SystemExit):
            main()
        return capsys.readouterr().out

    return call


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
            for table in (catalogue.AGENTS, catalogue.OPPONENTS, catalogue.FHP_OPPONENTS):
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

    def test_examples_are_listed_and_copied(self, tmp_path: Path) -> None:
        assert "leaks/station.txt" in shell("examples").stdout
        assert shell("examples", str(tmp_path / "mine")).returncode == 0
        theirs = {
            path.relative_to(ROOT / "examples") for path in (ROOT / "examples").rglob("*.*") if "cache" not in str(path)
        }
        assert {path.relative_to(tmp_path / "mine") for path in (tmp_path / "mine").rglob("*.*")} == theirs
        again = shell("examples", str(tmp_path / "mine"))
        assert again.returncode == 2
        assert "exists already; nothing was copied" in again.stderr


class TestTheCatalogue:
    """What is listed is what there is."""

    def test_methods_solvers_gadgets_and_priors(self) -> None:
        from counterplay.lookahead.priors import PRIORS
        from counterplay.responses import METHODS
        from counterplay.solvers.minimiser import MINIMISERS
        from counterplay.subgames.gadgets import GADGETS

        assert list(METHODS) == list(catalogue.METHODS)
        assert all(name == method.HEAD for name, method in METHODS.items())
        assert set(catalogue.SOLVERS) == {"lp", "auto", *MINIMISERS}
        assert tuple(catalogue.GADGETS) == tuple(GADGETS)
        assert tuple(catalogue.PRIORS) == (*PRIORS, "FILE.json")

    def test_agents(self) -> None:
        from counterplay.agents import REGISTRY
        from counterplay.agents.factory.whole_game_agents import LBR
        from counterplay.agents.whole_game.search_settings import SEARCHES

        heads = catalogue.heads(form for form in catalogue.AGENTS if not form.startswith("any"))
        assert set(heads) == set(REGISTRY) == set(catalogue.METHODS)
        assert set(catalogue.FHP_AGENTS) == {*SEARCHES, LBR}

    def test_options_of_commands_are_the_fields_of_records(self) -> None:
        from counterplay.blueprints.resolve import ResolveOptions
        from counterplay.commands.options.shared_options import DialFlags, LookFlags
        from counterplay.commands.options.spot_options import SpotFlags
        from counterplay.commands.resolve import ResolveFlags
        from counterplay.responses import METHODS
        from counterplay.responses.method_options import MethodOptions
        from counterplay.texts.record import keys_of

        def names(*records: Any) -> set[str]:
            return {field.name for record in records for field in dataclasses.fields(record)}

        of_methods = {key for method in METHODS.values() for key in keys_of(method)}
        assert names(DialFlags, LookFlags) | {"value"} == of_methods | {"method"}
        assert set(get_type_hints(MethodOptions)) == of_methods
        assert names(SpotFlags) <= names(cp.Spot)
        assert names(ResolveFlags) <= set(get_type_hints(ResolveOptions))

    def test_reproductions_are_the_modules_of_papers(self) -> None:
        from counterplay.experiments.registry import reproduction

        found = {name for name in catalogue.REPRODUCTIONS if reproduction(name).name == name}
        assert found == set(catalogue.REPRODUCTIONS)
        papers = Path(cp.__file__).parent / "experiments" / "papers"
        with_experiment = {
            path.stem for path in papers.glob("*.py") if re.search(r"^def experiment\(", path.read_text(), re.M)
        }
        assert with_experiment == {name.replace("-", "_") for name in catalogue.REPRODUCTIONS}

    def test_every_head_of_an_opponent_is_known_where_they_are_made(self) -> None:
        heads = set(catalogue.heads([*catalogue.OPPONENTS, *catalogue.FHP_OPPONENTS]))
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
    (("respond", "kuhn", "--to", "uniform", "--method", "cdrnr", "--p", "1", "--depth", "1", "--value", "exat"),
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
    ("match", "goofspiel:5", "nash", "abd:p=1,value=portfolio:unform,to=uniform"),
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
        from counterplay.opponents.whole_game import strategy_of

        nobody: Any = object()
        with pytest.raises(InputError, match="nests too many"):
            strategy_of(nobody, "shuffle:0.1:" * 10_000 + "uniform")

    def test_a_bias_for_a_player_without_decisions_is_a_whole_sentence(self) -> None:
        game = cp.load("matrix:1 -1/-1 1")
        with pytest.raises(InputError, match=r"no action begins with 'x'; they are .+"):
            cp.opponent(game, "bias:x=1:uniform")
        from counterplay.opponents.bias import check_met

        with pytest.raises(InputError, match="for the player has no decision here"):
            check_met({"x": 1.0}, (), ())


PLUGIN = """
class Two:
    def __init__(self, size, pot=1, deep=False, label="a"):
        self.told = (size, pot, deep, label)

class Coin:
    name = "coin"
    def __init__(self, pot=1.0): self.pot = pot
    def root(self): return ()
    def player(self, state): return (0, 3)[len(state)]
    def actions(self, state): return ["head", "tail"]
    def chance(self, state): return []
    def child(self, state, action): return (*state, action)
    def infoset(self, state, player): return str(player)
    def utility(self, state): return self.pot * (state[0] == "head")

def coin(pot=3): return Coin(pot)
def always(wanted):
    return lambda infoset, actions: {action: float(action == wanted) for action in actions}
def worth(scale): return lambda state: scale
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with modules of a user's, which is the current one."""
    files = {"my_plugin": PLUGIN, "my_broken": "raise ValueError('one\\ntwo')", "my_needy": "import no_such_thing"}
    for name, text in {**files, "my_exit": "import sys; sys.exit(0)"}.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in (*files, "my_exit"):
        sys.modules.pop(name, None)


class TestPlugins:
    def test_parameters_reach_a_game(self, plugin: Path) -> None:
        assert cp.solve(cp.load("my_plugin:Coin:4")).value == pytest.approx(4.0)
        assert cp.solve(cp.load("my_plugin:Coin:pot=2.5")).value == pytest.approx(2.5)
        assert cp.solve(cp.load("my_plugin:coin")).value == pytest.approx(3.0)
        with pytest.raises(InputError, match="has no parameter 'pott'; did you mean 'pot'"):
            cp.load("my_plugin:Coin:pott=4")
        with pytest.raises(InputError, match=r"pot must be like 1\.0, not 'x'"):
            cp.load("my_plugin:Coin:x")

    def test_parameters_reach_an_opponent_and_a_value_function(self, plugin: Path) -> None:
        kuhn = cp.load("kuhn")
        assert cp.opponent(kuhn, "my_plugin:always:Bet").probabilities("0p") == {"Pass": 0.0, "Bet": 1.0}
        assert cp.opponent(kuhn, "noise:1:my_plugin:always:Bet").table() == cp.opponent(kuhn, "uniform").table()
        from counterplay.leaf_values.value_function import value_function

        made: Any = value_function("my_plugin:worth:2.5")
        assert made.function(None) == 2.5

    def test_parameters_are_read_as_numbers_words_and_switches(self) -> None:
        scope: dict[str, Any] = {}
        exec(PLUGIN, scope)
        read = parameters("Two", "4,pot=2.5,deep=yes,label=7", scope["Two"], exact=False)
        assert read == {"size": 4, "pot": 2.5, "deep": True, "label": "7"}
        assert parameters("Two", "x", scope["Two"], exact=False) == {"size": "x"}
        with pytest.raises(InputError, match="Two needs the parameter size"):
            parameters("Two", "", scope["Two"], exact=False)
        with pytest.raises(InputError, match="one parameter too many"):
            parameters("Two", "1,2,no,b,5", scope["Two"], exact=False)

    @pytest.mark.parametrize(
        "words", [("solve", "{}:C"), ("respond", "kuhn", "--to", "{}:C"),
                  ("respond", "kuhn", "--to", "nash", "--method", "cdbr", "--depth", "1", "--value", "{}:C")],
        ids=["game", "opponent", "value function"],
    )  # fmt: skip
    def test_an_error_of_an_import_says_what_it_is(
        self, plugin: Path, refused: Callable[..., str], words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def said(module: str) -> str:
            return refused(*(word.format(module) for word in words))

        monkeypatch.chdir(plugin)
        assert said("absent_module").endswith(
            "cannot import 'absent_module': No module named 'absent_module'; plug-ins are looked for in the current folder "
            "and on PYTHONPATH"
        )
        assert said("my_broken").endswith("cannot import 'my_broken': ValueError: one two")
        assert said("my_needy").endswith("cannot import 'my_needy': it needs the module 'no_such_thing'")
        assert said("my_exit").endswith("cannot import 'my_exit': SystemExit: 0")
        assert said("my_plugin").endswith("the module 'my_plugin' has no 'C'")


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    """Something of every public class that can be made, by the class's name."""
    game = cp.load("leduc")
    model = cp.opponent(game, "uniform")
    spot = cp.Spot("Qs Jh 2h 8d 3c", "QQ+,AKs,A2s:0.5", "JJ+,KQ", 200, 900, "100%", raises=1)
    solved = cp.solve_spot(spot, iterations=20)
    answer, exact = cp.respond(game, model, p=0.5), cp.solve(game)
    kuhn = cp.load("kuhn")
    look, end = cp.LookAhead(depth=1), cp.LookAhead(1, "portfolio:uniform;nash", cp.MaxMargin(), "uniform", 0.01)
    made = [
        game, game.rules, game.histories, model, spot, solved, solved.node(), as_spot_game(solved), spot.oop, answer, exact,
        exact.solution, cp.evaluate(game, answer.strategy, against=model), cp.Stop(seconds=1.0),
        cp.frontier(kuhn, cp.opponent(kuhn, "uniform"), ["rnr", "bne"], points=2)[0],
        cp.resolve(kuhn, "uniform", at="moves:1"), cp.value_error(kuhn, "cfr:10", samples=1),
        cp.agent(kuhn, "nash", 0), cp.agent(kuhn, "resolve", 1),
        cp.match(kuhn, lambda seat: cp.agent(kuhn, "nash", seat), lambda seat: cp.agent(kuhn, "uniform", seat), 10),
        cp.BR(), cp.Mix(0.5), cp.DBR(0.5), cp.RNR(0.5), cp.Safe("1%"), cp.BNE(), cp.LBR(), look, cp.CDBR(look),
        cp.CDRNR(0.5, look), cp.CDBRNE(0.5, look), cp.Resolve(look), cp.SES(0.5, look), cp.ABD(0.5, end),
        cp.BestResponseTo(cp.Uniform()), cp.Bias((("fold", 2.0),), cp.Nash()), cp.Checkpoint(cp.Minimiser("cfr"), 5),
        cp.Nash(), cp.GamePlayer("even"), cp.LeducPlayer("s1"), cp.Noise(0.5, cp.Nash()), cp.Observed(5, cp.Nash()),
        cp.Random(7), cp.Shuffle(0.5, cp.Nash()), cp.StrategyFile("a.json"), cp.Uniform(), cp.UserCode("mine:player"),
        cp.SearchBot(cp.Resolve()), cp.ResponseBot(cp.RNR(0.5), "uniform"), cp.StrategyBot("nash"),
        cp.Minimiser("cfr"), cp.SolvedValue(), cp.Rollouts(5), cp.Equity(), cp.Portfolio(["nash"]), cp.TrainedBlueprint(),
        cp.SampledPortfolio(["nash"], 5),
        cp.Unsafe(), cp.Resolving(), cp.MaxMargin(), cp.ReachMaxMargin(), cp.FullGadget(),
    ]  # fmt: skip
    return {type(one).__name__: one for one in made}


class TestResultsShowThemselves:
    def test_every_public_object_in_one_line(self, shown: dict[str, Any]) -> None:
        classes = {name for name in cp.__all__ if isinstance(getattr(cp, name), type)}
        protocols_and_errors = {"Agent", "Gadget", "Game", "InputError", "OpponentModel"}
        assert classes - protocols_and_errors <= set(shown)
        for one in shown.values():
            line = repr(one)
            assert len(line) <= LONGEST
            assert line.isprintable()
            assert "array(" not in line
            assert " object at 0x" not in line

    def test_the_lines_say_what_it_is(self, shown: dict[str, Any]) -> None:
        assert repr(shown["GameTree"]) == "<GameTree leduc: 9,457 histories, 468+468 infosets>"
        assert repr(shown["Spot"]) == "<Spot Qs Jh 2h 8d 3c: pot 200, stack 900, 22+30 hands>"
        assert repr(shown["Stop"]) == "Stop(seconds=1)"
        assert repr(shown["CDRNR"]) == "CDRNR(p=0.5, look=LookAhead(depth='1'))"

    def test_a_frontier_and_a_spot_are_pictures_in_a_notebook(self, shown: dict[str, Any]) -> None:
        kuhn = cp.load("kuhn")
        points = cp.frontier(kuhn, cp.opponent(kuhn, "uniform"), ["rnr", "bne"], points=3)
        page = points._repr_html_()
        assert page.count("<circle") == len(points) == 4
        assert "rnr" in page
        grid = shown["SolvedSpot"]._repr_html_()
        assert grid.count("<td") == 169
        assert grid.count("linear-gradient") == 5  # AA, KK, QQ, AKs, A2s: only what is there
        assert "50.0% no-repeat" in grid  # A2s stands at half its height

    def test_texts_in_pictures_are_escaped(self) -> None:
        import numpy as np

        from counterplay.display import html_table
        from counterplay.poker.ranges.html_grid import grid_html

        assert "<b>" not in html_table(["<b>"], [["<b>"]])
        flat = np.full((1326, 1), 1.0)
        assert "<b>" not in grid_html("<b>", flat, ["bet <b>"], np.ones(1326))


class TestTheWheel:
    def test_metadata(self) -> None:
        project = PROJECT["project"]
        assert (project["license"], project["license-files"]) == ("MIT", ["LICENSE"])
        assert "Typing :: Typed" in project["classifiers"]
        assert not any(line.startswith("License ::") for line in project["classifiers"])  # the expression says it
        assert {"poker", "game theory"} <= set(project["keywords"])

    def test_the_marker_of_types_is_there(self) -> None:
        assert (Path(cp.__file__).parent / "py.typed").exists()
        assert "mypy --strict tests/typing/client.py" in (ROOT / "Makefile").read_text()

    def test_the_page_of_an_index_has_no_links_that_die_there_and_says_what_readme_says(self) -> None:
        page, readme = ((ROOT / name).read_text() for name in (PROJECT["project"]["readme"], "README.md"))
        assert not re.search(r"\]\((?!https?:)|<img|!\[", page)
        for begin, end in (("**Given a model", "```sh"), ("```python", "```\n"), ("## What is in it", "\n\n")):
            part = readme[readme.index(begin) :]
            assert part[: part.index(end, len(begin) + 3)] in page

    def test_the_demo_needs_no_developers_tools(self) -> None:
        rules = dict(re.findall(r"^(\S+): .*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.M))
        assert "dev" not in rules["$(INSTALLED)"]
        assert "dev" in rules["$(DEVELOPED)"]

    @pytest.mark.slow
    def test_a_built_wheel_holds_examples_types_and_licence(self, tmp_path: Path) -> None:
        import zipfile

        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(tmp_path), str(ROOT)]
        if subprocess.run(pip, capture_output=True, text=True, check=False).returncode:
            pytest.skip("the build's own requirements cannot be had here")
        names = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist()
        wanted = ("counterplay/py.typed", "counterplay/examples/leaks/station.txt", "licenses/LICENSE")
        assert all(any(name.endswith(one) for name in names) for one in wanted)

    @pytest.mark.slow
    def test_the_client_passes_mypy(self) -> None:
        pytest.importorskip("mypy")
        command = [sys.executable, "-m", "mypy", "--strict", "tests/typing/client.py"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout

    def test_a_spot_declares_every_field_to_clients(self) -> None:
        from counterplay.poker.spots import spot

        made = next(
            node for node in ast.walk(ast.parse(Path(spot.__file__).read_text()))
            if isinstance(node, ast.FunctionDef) and node.name == "__init__"
        )  # fmt: skip
        assert [one.arg for one in made.args.args[1:]] == [one.name for one in dataclasses.fields(cp.Spot)]
