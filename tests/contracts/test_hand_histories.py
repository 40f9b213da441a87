"""Hand histories: every format keeps the promises of its kind, chips add up, and what cannot be used is left out by name."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from counterplay.errors import InputError
from counterplay.opponents.histories import REGISTRY
from counterplay.opponents.histories.hand_record import GameHand, HoldemHand, LeftOut
from counterplay.opponents.histories.hand_summary import summarise
from counterplay.opponents.histories.phh import PHH
from counterplay.opponents.histories.phh_table import _plain_table, read_table
from counterplay.opponents.histories.read_hands import EVERYONE, read_hands, write_hands
from counterplay.opponents.model import MODELS
from counterplay.opponents.villain.villain_card import villain_card
from counterplay.poker.betting.state import Kind
from tests.support.commands import Runner
from tests.support.hand_history_text import HEADS_UP
from tests.support.histories import OPENSPIEL, SITE, SLUMBOT, random_hand, random_rules
from tests.support.suites import check_hand_history

WRITTEN = {"slumbot": SLUMBOT, "site": SITE * 2, "openspiel": OPENSPIEL * 3}
"""Samples of formats that are only read."""


def _sample(name: str) -> str:
    rng = random.Random(name)
    if name in WRITTEN:
        pytest.importorskip({"site": "pokerkit", "openspiel": "pyspiel"}.get(name, "numpy"))
        return WRITTEN[name]
    if name == "acpc":
        return REGISTRY[name].write([random_hand(rng) for _ in range(8)])  # type: ignore[attr-defined,no-any-return]
    hands = [random_hand(rng, random_rules(rng), hidden=True) for _ in range(8)]
    return REGISTRY[name].write(hands)  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize("name", REGISTRY)
def test_formats(name: str) -> None:
    check_hand_history(REGISTRY[name], _sample(name))


@pytest.mark.parametrize("name", REGISTRY)
def test_a_file_is_recognised_by_what_is_in_it(name: str) -> None:
    fits = [other for other, form in REGISTRY.items() if form.recognises(_sample(name))]
    assert fits == [name]


def test_a_hand_of_a_site_is_read_in_its_smallest_chip() -> None:
    (hand,) = PHH().read(HEADS_UP, "site.phhs", None)
    assert list(PHH().read(HEADS_UP.removeprefix("[1]\n"), "site.phh", None)) == [hand]
    assert isinstance(hand, HoldemHand)
    assert hand.players == ("b+/x", "a")  # the big blind is listed first
    assert (hand.rules.stacks, hand.rules.blinds, hand.rules.unit) == ((570, 2155), (25, 10), 0.01)
    assert (hand.won, hand.currency, hand.key, str(hand.place)) == (-0.75, "$", "Site 60035281090", "site.phhs:1")


@pytest.mark.parametrize(
    ("old", "new", "reason", "about"),
    [
        ("[5.70, 21.55]", "[5.70, 21.55, 9]", "players", "3 players"),
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
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_left_out_with_its_reason(old: str, new: str, reason: str, about: str) -> None:
    (found,) = PHH().read(HEADS_UP.replace(old, new), "x.phhs", None)
    assert isinstance(found, LeftOut)
    assert (found.reason, about in found.about) == (reason, True)


def test_plain_tables_are_read_as_by_the_standard_library() -> None:
    table = HEADS_UP.removeprefix("[1]\n")
    assert _plain_table(table) == read_table(table + "# a comment, so that tomllib reads it\n")


def test_chips_that_do_not_add_up_are_refused() -> None:
    wrong = SLUMBOT.replace('"winnings": -500', '"winnings": 500')
    left = [one for one in REGISTRY["slumbot"].read(wrong, "s", None) if isinstance(one, LeftOut)]
    assert [(one.reason, one.place.line) for one in left] == [("result", 1)]


def test_random_hands_end_as_in_pokerkit() -> None:
    kit = pytest.importorskip("pokerkit")
    rng = random.Random(5)
    for _ in range(12):
        hand = random_hand(rng, random_rules(rng))
        text = re.sub(r"^\[1\]\n", "", PHH().write([hand]))
        *_, end = kit.HandHistory.loads(text)
        assert not end.status
        start = hand.rules.chips(hand.rules.stacks[0])
        assert hand.won is not None
        assert float(end.stacks[0]) == pytest.approx(start + hand.won)


def test_files_duplicates_and_the_command(tmp_path: Path, run: Runner) -> None:
    rng = random.Random(3)
    hands = [random_hand(rng, random_rules(rng)) for _ in range(5)]
    write_hands(tmp_path / "a.phhs", hands)
    write_hands(tmp_path / "b.jsonl", hands[:2])
    found = read_hands([tmp_path / "a.phhs", tmp_path / "b.jsonl"])
    assert found.holdem == tuple(hands)
    assert [one.reason for one in found.left_out] == ["duplicate", "duplicate"]
    facts = summarise(found).facts()
    assert (facts["hands"], facts["players"], facts["shown"]) == (5, {"ada": 5, "bob": 5}, (10, 10))
    said = run("hands", str(tmp_path / "a.phhs"), str(tmp_path / "b.jsonl"), "--json")
    assert (said.json["hands"], said.json["left_out"]) == (5, {"duplicates": 2})


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


def _numbered(hands: list[str]) -> list[str]:
    """The tables of one `.phhs` file."""
    return [hand.replace("[1]", f"[{number}]", 1) for number, hand in enumerate(hands, 1)]


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
    pytest.importorskip({"site": "pokerkit", "openspiel": "pyspiel"}.get(form, "numpy"))
    (found,) = REGISTRY[form].read(text, "x", None)
    assert isinstance(found, LeftOut)
    assert "SpielError" not in found.about


@pytest.mark.parametrize(
    ("words", "least"),
    [
        (["leduc", "cfr:3", "uniform"], 0),
        (["holdem:deck=20,stack=4bb,bets=fcpa", "uniform", "uniform"], 10),
        (
            ["holdem:deck=20,stack=4bb,bets=a", "uniform", "passive", "--game-b", "holdem:deck=20,stack=4bb,bets=fcpa"],
            10,
        ),
    ],
    ids=["leduc", "hold'em", "two trees"],
)
def test_a_match_is_read_from_its_log(words: list[str], least: int, tmp_path: Path, run: Runner) -> None:
    log = tmp_path / "match.jsonl"
    said = run("match", *words, "--hands", "60", "--log", str(log), "--json").json
    found = read_hands([log])
    assert not found.left_out
    assert len(found.hands) == 60
    name = found.hands[0].players[0]
    won = [hand.won if hand.players[0] == name else -hand.won for hand in found.hands if hand.won is not None]
    assert sum(won) / 60 == pytest.approx(said["mean"])
    assert sum(len(hand.board) == 5 for hand in found.holdem) >= least


def test_hands_of_a_site_and_of_openspiel() -> None:
    pytest.importorskip("pokerkit")
    (hand,) = REGISTRY["site"].read(SITE, "s.txt", None)
    assert isinstance(hand, HoldemHand)
    assert (hand.players, hand.won, hand.key) == (("villain", "hero"), -2.5, "PokerStars 255012345678")
    pytest.importorskip("pyspiel")
    one, left = REGISTRY["openspiel"].read(OPENSPIEL + OPENSPIEL.replace("\n1\n1\n", "\n7\n"), "s", None)
    assert isinstance(one, GameHand)
    assert (one.game, one.won, [who for who, _ in one.moves]) == ("openspiel:kuhn_poker", -2.0, [2, 2, 0, 1, 0])
    assert isinstance(left, LeftOut)
    assert (left.reason, left.place.line) == ("betting", 14)


def test_a_match_that_fails_at_its_start_leaves_the_log_that_was_there(
    run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Agents are made, and the first hand is played, before the file is touched; then it is written anew."""
    log = tmp_path / "log.jsonl"

    def fail(*_: object, **__: object) -> None:
        raise InputError("no such agent today")

    for old in ("", "what was there\n"):
        if old:
            log.write_text(old)
        for failing in ("agents.factory.make_agent.agent", "measure.match.play_hand"):
            with monkeypatch.context() as broken:
                broken.setattr(f"counterplay.{failing}", fail)
                done = run("match", "kuhn", "nash", "uniform", "--hands", "4", "--log", str(log))
            assert (done.code, "no such agent today" in done.err) == (2, True)
            assert (log.read_text() if log.exists() else "") == old
        assert run("match", "kuhn", "nash", "uniform", "--hands", "0", "--log", str(log)).code == 2
        assert log.exists() == bool(old)
    assert run("match", "kuhn", "nash", "uniform", "--hands", "4", "--log", str(log)).code == 0
    assert len(read_hands([log]).hands) == 4
    assert [path.name for path in tmp_path.iterdir()] == ["log.jsonl"]


def test_a_full_disk_ends_a_match_in_one_sentence(run: Runner, tmp_path: Path) -> None:
    """`/dev/full` takes no byte."""
    log = tmp_path / "log.jsonl"
    log.symlink_to("/dev/full")
    done = run("match", "kuhn", "nash", "uniform", "--hands", "4", "--log", str(log))
    assert done.code == 2
    assert f"cannot write {log}: No space left on device" in done.err


REAL = Path(__file__).parents[2] / "examples" / "hands" / "heads_up.phhs"


def test_real_hands_are_read_to_the_last_and_everyone_is_the_sum_of_all_players() -> None:
    """Between two hands at a table, whoever folded has what is left by the replay: chips add up from hand to hand, too."""
    found = read_hands([REAL])
    assert (len(found.hands), len(found.left_out)) == (212, 0)
    assert sum(hand.line.end.kind is Kind.SHOWDOWN for hand in found.holdem) == 24
    names, everyone = list(found.players()), villain_card(found.holdem_of(EVERYONE), EVERYONE)
    cards = [villain_card(found.holdem_of(name), name) for name in names]
    for k, row in enumerate(everyone.rows):
        assert row.counted.k == sum(card.rows[k].counted.k for card in cards)
        assert row.counted.n == sum(card.rows[k].counted.n for card in cards)
    left: dict[str, float] = {}
    fits = 0
    for hand in found.holdem:
        stacks = dict(zip(hand.players, hand.rules.stacks, strict=True))
        fits += any(stacks.get(name) == chips for name, chips in left.items())
        left = {name: chips for name, chips in left.items() if name not in stacks}
        if hand.line.end.kind in (Kind.FOLD0, Kind.FOLD1):
            lost = int(hand.line.end.kind is Kind.FOLD1)
            left[hand.players[lost]] = hand.rules.stacks[lost] - hand.line.end.put[lost]
    assert fits > 100
