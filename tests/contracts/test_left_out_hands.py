"""Hands that cannot be used: damaged, cut short, three-handed, there already, of other stakes and currencies, with cards or
bets that cannot be. Each is left out, counted and named by file, line and reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterplay import InputError
from counterplay.opponents.histories import REGISTRY
from counterplay.opponents.histories.hand_record import HoldemHand, LeftOut
from counterplay.opponents.histories.phh import PHH
from counterplay.opponents.histories.read_hands import read_hands
from counterplay.opponents.model import MODELS
from tests.support.commands import Runner
from tests.support.hand_history_text import HEADS_UP
from tests.support.histories import OPENSPIEL, SLUMBOT


@pytest.mark.parametrize(
    ("old", "new", "reason", "about"),
    [
        ("[5.70, 21.55]", "[5.70, 21.55, 9]", "players", "3 stacks, 2 blinds, 2 antes and 2 players"),
        ("variant = 'NT'", "variant = 'PO'", "game", "no-limit hold'em"),
        ("p2 cbr 0.75", "p2 cbr 0.30", "betting", "0.3 is not between"),
        ("'p2 cbr 0.75', ", "", "betting", "out of turn"),
        ("p2 cbr 1.00', 'p1 f'", "p2 cbr 1.00'", "unfinished", "stops where a player is to act on the flop"),
        ("9h7d3h", "9h7d9h", "cards", "twice"),
        ("9h7d3h", "9h7dXh", "cards", "not a card"),
        ("9h7d3h", "9h7d3h2c", "cards", "4 cards are dealt on the flop"),
        ("9h7d3h", "9h7d??", "cards", "hidden"),
        ("[0.10, 0.25]", "[0.25, 0]", "stakes", "not those of a heads-up hand"),
        ("[0.10, 0.25]", "[0.10, -0.25]", "stakes", "not those of a heads-up hand"),
        ("'p1 f'", "'p1 f', 'p2 f'", "betting", "the hand is over"),
        ("'p1 f'", "'p1 fold'", "format", "not an action"),
        ("0.75", "0.7.5", "format", "not an amount"),
        ("'a']", "'b+/x']", "players", "two names"),
        ("min_bet = 0.25", "min_bet =", "format", "TOML"),
        ("winnings = [0, 0]", "finishing_stacks = [5.70, 21.55]", "result", "do not follow"),
        ("winnings = [0, 0]", "finishing_stacks = [4.95, 22.35]", "result", "do not follow"),
        ("winnings = [0, 0]", "finishing_stacks = [4.90, 22.30]", "result", "do not follow"),
        ("winnings = [0, 0]", "finishing_stacks = [4.95]", "format", "1 amounts"),
        ("winnings = [0, 0]", "winnings = [1.45, 0]", "result", "the rules say -0.75"),
        ("winnings = [0, 0]", "winnings = [0, 9]", "result", "in a pot of 1.5"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_left_out_with_its_reason(old: str, new: str, reason: str, about: str) -> None:
    (found,) = PHH().read(HEADS_UP.replace(old, new), "x.phhs", None)
    assert isinstance(found, LeftOut)
    assert (found.reason, about in found.about) == (reason, True)


@pytest.mark.parametrize("finish", ["[4.95, 22.30]", "[4.95, 22.25]"], ids=["no rake", "a rake"])
def test_stacks_at_the_end_of_a_hand_may_be_less_a_rake(finish: str) -> None:
    (found,) = PHH().read(HEADS_UP.replace("winnings = [0, 0]", f"finishing_stacks = {finish}"), "x.phhs", None)
    assert isinstance(found, HoldemHand)
    assert found.won == -0.75


def test_chips_that_do_not_add_up_are_refused() -> None:
    wrong = SLUMBOT.replace('"winnings": -500', '"winnings": 500')
    left = [one for one in REGISTRY["slumbot"].read(wrong, "s", None) if isinstance(one, LeftOut)]
    assert [(one.reason, one.place.line) for one in left] == [("result", 1)]


def test_every_number_that_a_log_states_is_compared() -> None:
    """The other player's result of the competition's logs, and the pot that Slumbot's interface says was won."""
    line = "STATE:0:r300c/r900f:Ac9d|KhQs/2c7d9s:{}:ann|bob\n"
    (fine,) = REGISTRY["acpc"].read(line.format("300|-300"), "a.log", None)
    assert isinstance(fine, HoldemHand)
    for results in ("300|-299", "300|", "300", "300|x", "300|300", "nan|nan"):
        (left,) = REGISTRY["acpc"].read(line.format(results), "a.log", None)
        assert isinstance(left, LeftOut), results
    wrong = SLUMBOT.replace('"won_pot": 0', '"won_pot": 1000')
    left_out = [one for one in REGISTRY["slumbot"].read(wrong, "s", None) if isinstance(one, LeftOut)]
    assert [(one.reason, one.place.line) for one in left_out] == [("result", 1)]


def test_hands_in_another_currency_than_most_are_counted_and_not_used(tmp_path: Path, run: Runner) -> None:
    """Also across files, whatever their order; what names no currency is not taken for dollars."""
    dollars = [HEADS_UP.replace("60035281090", str(number)) for number in (1, 2, 3)]
    euros = [HEADS_UP.replace("60035281090", str(number)).replace("'$'", "'€'") for number in (4, 5)]
    unnamed = HEADS_UP.replace("60035281090", "6").replace("currency_symbol = '$'\n", "")
    first, second = tmp_path / "first.phhs", tmp_path / "second.phhs"
    first.write_text("".join(_numbered([*euros, dollars[0], unnamed])), encoding="utf-8")
    second.write_text("".join(_numbered(dollars[1:])), encoding="utf-8")
    for files in ([first, second], [second, first]):
        found = read_hands(files)
        assert {hand.currency for hand in found.holdem} == {"$"}
        assert (len(found.hands), [one.reason for one in found.left_out]) == (3, ["currency"] * 3)
    said = run("hands", str(first), str(second), "--json").json
    assert said["left_out"] == {"in another currency than most": 3}
    assert said["games"] == {"hold'em 0.1/0.25 $": 3}
    lines = [one.partition(": ") for one in said["reports"]]
    assert [place.rpartition(":")[0] for place, *_ in lines] == [str(first)] * 3
    assert lines[0][2] == "its chips are in '€', those of most hands in '$'"
    assert lines[2][2] == "its chips are in none that is named, those of most hands in '$'"
    card = run("villain", str(first), str(second), "--player", "a", "--json")
    assert next(row["n"] for row in card.json["rows"] if row["statistic"] == "VPIP button") == 3
    assert "left out: 3 in another currency than most; the first: " in card.err
    assert len(read_hands([first]).hands) == 2  # euros are most there


def test_the_text_of_an_opponent_says_once_what_it_leaves_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """As the commands do that take files: in the line of which logging makes stderr."""
    file = tmp_path / "mixed.phhs"
    kinds = [HEADS_UP.replace("60035281090", str(number)) for number in (1, 2, 3)]
    file.write_text("".join(_numbered([*kinds[:2], kinds[2].replace("'$'", "'€'")])), encoding="utf-8")
    model = MODELS.record(f"hands:{file},player=a")
    for _ in range(2):
        assert len(model.hands().hands) == 2
    place = read_hands([file]).left_out[0].place
    said = f"left out: 1 in another currency than most; the first: {place}: its chips are in '€', those of most hands in '$'"
    assert [one.getMessage() for one in caplog.records if one.name == "counterplay.hands"] == [said]


def test_files_of_which_no_hand_can_be_used_say_why(tmp_path: Path, run: Runner) -> None:
    """Not that the player has none."""
    file = tmp_path / "wrong.phhs"
    file.write_text(HEADS_UP.replace("p2 cbr", "p2 raises"), encoding="utf-8")
    ended = run("villain", str(file), "--player", "a")
    assert (ended.code, "no hand can be used; the first of 1 left out: " in ended.err) == (2, True)
    assert f"{file}:1: " in ended.err


def _numbered(hands: list[str]) -> list[str]:
    """The tables of one `.phhs` file."""
    return [hand.replace("[1]", f"[{number}]", 1) for number, hand in enumerate(hands, 1)]


def test_numbers_without_a_venue_do_not_make_hands_alike(tmp_path: Path) -> None:
    """Each file may count from 1: a hand is there twice if all of it is; with a venue the number says so."""
    files = [tmp_path / f"{name}.phhs" for name in "abcd"]
    bare = "\n".join(line for line in HEADS_UP.splitlines() if not line.startswith(("venue", "hand "))) + "\nhand = 7\n"
    other = bare.replace("players = ['", "players = ['x")
    for file, text in zip(files, (bare, other, bare, "\n".join([other, "venue = 'here'"])), strict=True):
        file.write_text(text, encoding="utf-8")
    found = read_hands(files)
    assert [hand.place.file for hand in found.hands] == [str(file) for file in (files[0], files[1], files[3])]
    assert [(str(one.place.file), one.reason) for one in found.left_out] == [(str(files[2]), "duplicate")]
    files[0].write_text("\n".join([bare, "venue = 'here'"]), encoding="utf-8")
    assert len(read_hands([files[0], files[3]]).hands) == 1


def test_a_folder_is_said_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it is a folder"):
        MODELS.parse(f"net:{tmp_path}").check()


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"\xff\xfe\x00", "not text"), (b"hello\n", "no hand history"), (None, "no such file")],
)
def test_files_that_are_none(tmp_path: Path, content: bytes | None, says: str) -> None:
    path = tmp_path / "x.phhs"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=says):
        read_hands([path])


_KUHN = '{"counterplay": "hands", "version": 1, "game": "kuhn", "agents": ["a", "b"]}\n'
_SPIEL = OPENSPIEL.partition("[Game]\n")[0] + "[Game]\n"


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("match", _KUHN + f'{{"players": [0, 1], "moves": [[0, "Pass"]], "won": 1{"0" * 400}}}\n'),
        ("slumbot", f'{{"hole_cards": [], "action": "f", "client_pos": 0, "winnings": 1{"0" * 400}}}\n'),
        ("acpc", "STATE:0:f:AcAd|:nan|nan:a|b\n"),
        ("acpc", f"STATE:0:r{'9' * 400}f:AcAd|:1|-1:a|b\n"),
        ("openspiel", f"{_SPIEL}kuhn_poker()\n[State]\n{'1' * 5000}\n"),
        ("openspiel", f"{_SPIEL}efg_game(filename=/dev/null)\n[State]\n1\n"),
        ("openspiel", f"{_SPIEL}liars_dice(numdice=1,dice_sides=2000000000)\n[State]\n1\n"),
        ("site", "\ufeffPokerStars Hand #1: nothing\n"),
    ],
    ids=["log", "slumbot", "nan", "raise", "digits", "file", "size", "mark"],
)
def test_absurd_numbers_and_texts_are_left_out(form: str, text: str) -> None:
    """No error of Python, no result that is no number, and no file that a hand names."""
    pytest.importorskip({"openspiel": "pyspiel"}.get(form, "numpy"))
    (found,) = REGISTRY[form].read(text, "x", None)
    assert isinstance(found, LeftOut)
    assert "SpielError" not in found.about
