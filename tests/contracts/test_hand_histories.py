"""Hand histories: every format keeps the promises of its kind, chips add up, and what cannot be used is left out by name."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from counterplay import InputError
from counterplay.opponents.histories import REGISTRY
from counterplay.opponents.histories.hand_record import GameHand, HoldemHand, LeftOut
from counterplay.opponents.histories.phh import PHH, _plain_table, read_table
from counterplay.opponents.histories.read_hands import EVERYONE, read_hands, summarise, write_hands
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
        pytest.importorskip({"openspiel": "pyspiel"}.get(name, "numpy"))
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


def test_plain_tables_are_read_as_by_the_standard_library() -> None:
    table = HEADS_UP.removeprefix("[1]\n")
    assert _plain_table(table) == read_table(table + "# a comment, so that tomllib reads it\n")


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
    facts = summarise(found).facts
    assert (facts["hands"], facts["players"], facts["shown"]) == (5, {"ada": 5, "bob": 5}, (10, 10))
    said = run("hands", str(tmp_path / "a.phhs"), str(tmp_path / "b.jsonl"), "--json")
    assert (said.json["hands"], said.json["left_out"]) == (5, {"duplicates": 2})


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
