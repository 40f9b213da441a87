"""Games of OpenSpiel as games of ours."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import CHANCE, TERMINAL, InputError
from counterplay.games import make_game
from counterplay.games.formats.openspiel import OpenSpielGame, from_openspiel
from counterplay.gametree.build.enumerate_game import enumerate_histories

pyspiel = pytest.importorskip("pyspiel")

GOOFSPIEL = "goofspiel(imp_info=True,num_cards={},points_order=descending)"
SIZES = [
    ("kuhn_poker", 58, 30, (6, 6)),
    ("leduc_poker", 9457, 5520, (468, 468)),
    (GOOFSPIEL.format(4), 1077, 576, (81, 81)),
    (GOOFSPIEL.format(5), 26931, 14400, (1062, 1062)),
    ("liars_dice(numdice=1,dice_sides=4)", 8181, 4080, (512, 512)),
    ("matrix_rps", 13, 9, (1, 1)),
]


def slow_copy(game: OpenSpielGame) -> OpenSpielGame:
    """The same game without its fast way in."""
    copy = OpenSpielGame(game.name, game.game)
    copy.expand = None  # type: ignore[assignment]
    return copy


@pytest.mark.parametrize(("text", "histories", "terminals", "infosets"), SIZES)
def test_sizes(text: str, histories: int, terminals: int, infosets: tuple[int, int]) -> None:
    table = enumerate_histories(from_openspiel(text), 0, 10**6)
    assert len(table) == histories
    assert (table.player == TERMINAL).sum() == terminals
    for who in (0, 1):
        assert len(set(table.info[who][table.player == who].tolist())) == infosets[who]
    for h in np.flatnonzero(table.player == CHANCE):
        assert table.reach[table.parent == h].sum() == pytest.approx(table.reach[h], rel=1e-12)


@pytest.mark.parametrize("text", ["kuhn_poker", "liars_dice(numdice=1,dice_sides=3)", GOOFSPIEL.format(3)])
def test_the_fast_way_in_changes_nothing(text: str) -> None:
    game = from_openspiel(text)
    fast, slow = enumerate_histories(game, 0, 10**6), enumerate_histories(slow_copy(game), 0, 10**6)
    for column in ("parent", "action", "player", "reach", "utility"):
        assert np.array_equal(getattr(fast, column), getattr(slow, column)), column
    for who in (0, 1):
        assert np.array_equal(fast.info[who], slow.info[who])


def test_kuhn_is_our_kuhn() -> None:
    ours, theirs = (
        enumerate_histories(make_game("kuhn"), 0, 100),
        enumerate_histories(from_openspiel("kuhn_poker"), 0, 100),
    )
    for column in ("parent", "action", "player", "reach", "utility"):
        assert np.allclose(getattr(ours, column), getattr(theirs, column)), column


def test_texts_are_those_of_openspiel() -> None:
    game = from_openspiel("leduc_poker")
    state = game.root()
    for action in (0, 3):
        state = game.child(state, action)
    assert game.name == "openspiel:leduc_poker"
    assert game.infoset(state, 0) == state.information_state_string(0)
    assert [game.action_name(state, a) for a in game.actions(state)] == ["Call", "Raise"]


def test_takes_a_loaded_game() -> None:
    game = from_openspiel(pyspiel.load_game("kuhn_poker"))
    assert game.name == "openspiel:kuhn_poker()"
    assert len(enumerate_histories(from_openspiel(game.name.partition(":")[2]), 0, 100)) == 58


def test_constant_sums_are_shifted_to_zero() -> None:
    rows, columns = ["a", "b"], ["c", "d"]
    matrix = pyspiel.create_matrix_game("one", "one", rows, columns, [[1, 0], [0, 1]], [[0, 1], [1, 0]])
    table = enumerate_histories(from_openspiel(matrix), 0, 100)
    assert table.utility[table.player == TERMINAL].tolist() == [0.5, -0.5, -0.5, 0.5]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nonsense", "OpenSpiel has no game 'nonsense'"),
        ("kuhn_poker(cards=9)", "OpenSpiel cannot load 'kuhn_poker(cards=9)': Unknown parameter 'cards'"),
        ("nfg_game", "OpenSpiel cannot load 'nfg_game': IndexError: map::at"),
        ("turn_based_simultaneous_game(game=nfg_game())", "(game=nfg_game())': IndexError: map::at"),
        ("kuhn_poker(players=3)", "has 3 players, and not 2"),
        ("matrix_pd", "is not zero-sum: OpenSpiel says GENERAL_SUM"),
        ("tiny_hanabi", "is not zero-sum: OpenSpiel says IDENTICAL"),
        ("catch", "has 1 players, and not 2"),
        ("pig", "has no information_state_string, so its infosets are not known"),
    ],
)
def test_refuses(text: str, reason: str) -> None:
    with pytest.raises(InputError) as error:
        from_openspiel(text)
    assert reason in str(error.value)
    assert "\n" not in str(error.value)


def test_refuses_imperfect_recall() -> None:
    with pytest.raises(InputError, match="player 0 has imperfect recall, since the infoset 'P0 1 "):
        enumerate_histories(from_openspiel("liars_dice_ir(numdice=1,dice_sides=3)"), 0, 10**6)


class Fixed:
    """As much of an OpenSpiel game as the checks ask for."""

    def __init__(self, **kind: Any) -> None:
        self.kind = pyspiel.load_game("kuhn_poker").get_type()
        self.changed = kind

    def get_type(self) -> Any:
        known = {name: getattr(self.kind, name) for name in ("utility", "chance_mode", "dynamics")}
        known["provides_information_state_string"] = True
        return type("Kind", (), known | self.changed)

    def num_players(self) -> int:
        return 2

    def __str__(self) -> str:
        return "fixed()"


def test_refuses_sampled_chance_and_mean_fields() -> None:
    types = pyspiel.GameType
    with pytest.raises(InputError, match=r"openspiel:fixed\(\) samples its chance events"):
        from_openspiel(Fixed(chance_mode=types.ChanceMode.SAMPLED_STOCHASTIC))
    with pytest.raises(InputError, match="is a mean field game"):
        from_openspiel(Fixed(dynamics=types.Dynamics.MEAN_FIELD))


def test_returns_are_checked_at_every_end() -> None:
    game = slow_copy(from_openspiel("kuhn_poker"))
    state = game.root()
    for action in (0, 1, 0, 0):
        state = game.child(state, action)
    assert game.utility(state) == -1.0

    class Odd:
        def returns(self) -> list[float]:
            return [1.0, -0.5]

        def history_str(self) -> str:
            return "0, 1"

    with pytest.raises(InputError, match=r"the returns are 1\.0 and -0\.5 after '0, 1'"):
        game.utility(Odd())


def test_says_how_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(InputError, match=r"pip install counterplay\[openspiel\]"):
        from_openspiel("kuhn_poker")


def test_strategies_are_policies_of_openspiel_with_the_same_values() -> None:
    """OpenSpiel's NashConv of both is ours."""
    game = cp.load("openspiel:kuhn_poker")
    pair = [cp.opponent(game, f"random:{seed}", seat) for seat, seed in enumerate((3, 4))]
    policy = cp.to_openspiel(game, *pair)
    ours = sum(cp.evaluate(game, one).exploitability for one in pair)
    assert pyspiel.nash_conv(pyspiel.load_game("kuhn_poker"), policy) == pytest.approx(ours, abs=1e-8)
    with pytest.raises(InputError, match="needs a game loaded as openspiel"):
        cp.to_openspiel(cp.load("kuhn"))
    with pytest.raises(InputError, match="not a strategy of player 0"):
        cp.to_openspiel(game, cp.opponent(cp.load("kuhn"), "uniform", 0))
