"""Games and opponents of one's own by `module:name`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import counterplay as cp
from counterplay import InputError
from counterplay.games.spec_text import parameters

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
        from counterplay.value_functions.leaf_value import value_function

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
                  ("respond", "kuhn", "--to", "nash", "--method", "cdbr", "--depth", "1", "--leaf", "{}:C")],
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
