"""Texts of poker sites: well-formed hands are read; damaged, contradictory and hostile ones are left out with a reason."""

from __future__ import annotations

import random
import re
import time
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterplay.opponents.histories import REGISTRY
from counterplay.opponents.histories.hand_record import GameHand, HandError, HoldemHand, LeftOut, TableHand
from counterplay.opponents.histories.hand_text import ONE, amount
from counterplay.opponents.histories.read_hands import read_hands, write_hands
from counterplay.opponents.villain.villain_card import villain_card
from tests.support.commands import Runner
from tests.support.site_hands import SiteHand, facts_of_record, facts_of_site_hand, random_site_hand
from tests.support.site_writers import NO_STRADDLES, WRITERS, phh

SITE = REGISTRY["site"]
SEEDS = st.integers(0, 2**32)
SEATS = st.sampled_from((2, 2, 3, 4, 6, 9))


def _read(text: str) -> list[HoldemHand | TableHand | LeftOut]:
    found = list(SITE.read(text, "x.txt", None)) if SITE.recognises(text) else []
    assert not any(isinstance(one, GameHand) for one in found)
    return found  # type: ignore[return-value]


def _one(text: str) -> HoldemHand | TableHand | LeftOut:
    (found,) = _read(text)
    return found


def _hand(text: str) -> HoldemHand:
    found = _one(text)
    assert isinstance(found, HoldemHand), found
    return found


def _drawn(rng: random.Random, seats: int, site: str) -> SiteHand:
    """A random hand that a site's texts can hold."""
    while True:
        hand = random_site_hand(rng, seats)
        if not (hand.straddle and (site in NO_STRADDLES or (site == "PartyPoker" and not hand.cash))):
            return hand


@pytest.mark.parametrize("site", WRITERS)
@given(seed=SEEDS, seats=SEATS)
def test_what_a_site_writes_is_read(site: str, seed: int, seats: int) -> None:
    """Players, stacks, posts, every action, cards, who collects what and the rake; names may be odd, and players chat."""
    rng = random.Random(seed)
    hand = _drawn(rng, seats, site)
    text = WRITERS[site](hand, chat=rng.random() < 0.3)
    for changed in (text, text.replace("\n", "\r\n"), "\ufeff" + text.strip()):
        found = _one(changed)
        assert not isinstance(found, LeftOut), found
        due = facts_of_site_hand(hand, site.removesuffix(" by mail"))
        assert facts_of_record(found) == due | {"key": found.key}
        assert found.key in (due["key"], due["key"].replace("GGPoker ", "GGPoker HD"))


@pytest.mark.parametrize("site", WRITERS)
@given(seed=SEEDS, seats=SEATS)
def test_a_line_that_is_lost_or_doubled_makes_no_other_hand(site: str, seed: int, seats: int) -> None:
    """The hand is left out, or read as it was, perhaps with fewer cards known."""
    rng = random.Random(seed)
    hand = _drawn(rng, seats, site)
    rows = WRITERS[site](hand).split("\n")
    due = facts_of_record(_one("\n".join(rows)))  # type: ignore[arg-type]
    for k in rng.sample(range(len(rows)), min(6, len(rows))):
        for changed in (rows[:k] + rows[k + 1 :], rows[:k] + rows[k : k + 1] + rows[k:]):
            for found in _read("\n".join(changed)):
                if isinstance(found, LeftOut):
                    assert len(found.about) < 300
                    continue
                if isinstance(found, TableHand) and found.silent:  # the record says so
                    assert set(found.players) | set(found.silent) == set(due["players"])
                    continue
                facts = facts_of_record(found)
                holes = facts.pop("holes")
                assert facts == {name: due[name] for name in facts} | {"key": facts["key"]}
                assert all(seen in ((), known) for seen, known in zip(holes, due["holes"], strict=True))


@given(seed=SEEDS, seats=SEATS)
def test_phh_of_any_number_of_seats_is_read(seed: int, seats: int) -> None:
    hand = random_site_hand(random.Random(seed), seats)
    text = phh(hand)
    (found,) = REGISTRY["phh"].read(text, "x.phh", None)
    assert isinstance(found, HoldemHand | TableHand), found
    assert facts_of_record(found) == facts_of_site_hand(hand, "PHH")
    (changed,) = REGISTRY["phh"].read(re.sub(r"finishing_stacks = \[\d", "finishing_stacks = [77", text), "x.phh", None)
    assert isinstance(changed, LeftOut)
    if not hand.cash:
        at = text.index("winnings = ")
        (changed,) = REGISTRY["phh"].read(text[:at] + re.sub(r"[1-9]", "7", text[at:], count=1), "x.phh", None)
        assert isinstance(changed, LeftOut) or facts_of_record(changed) == facts_of_record(found)  # type: ignore[arg-type]


_ACTED = re.compile(
    r"(?:calls|bets|raises|posts|antes|Uncalled|collected|returned|wins|Calls|Bets|Raises|All-In|Collects|Total|balance)"
)


@pytest.mark.parametrize("site", ["PokerStars", "GGPoker", "Full Tilt Poker", "Absolute Poker", "PartyPoker by mail"])
@given(seed=SEEDS, seats=SEATS)
def test_an_amount_that_is_changed_makes_no_other_hand(site: str, seed: int, seats: int) -> None:
    """The betting, the pot, the uncalled bet and what is collected hold each other; other sites do not state all of them."""
    rng = random.Random(seed)
    rows = WRITERS[site](_drawn(rng, seats, site)).split("\n")
    due = facts_of_record(_one("\n".join(rows)))  # type: ignore[arg-type]
    acted = [k for k, row in enumerate(rows) if _ACTED.search(row) and not row.startswith("Seat ") and "[" not in row]
    for k in rng.sample(acted, min(5, len(acted))):
        amounts = re.search(r"\d[\d,.]*\d|\d(?![\d,.]*\d)", rows[k][::-1])
        if amounts is None:
            continue
        at = len(rows[k]) - 1 - amounts.start()
        digit = rng.choice([one for one in "0123456789" if one != rows[k][at]])
        changed = [*rows[:k], rows[k][:at] + digit + rows[k][at + 1 :], *rows[k + 1 :]]
        for found in _read("\n".join(changed)):
            assert isinstance(found, LeftOut) or facts_of_record(found) == due, (rows[k], changed[k])


@given(seed=SEEDS, seats=st.sampled_from((2, 3, 6)))
def test_pokerkit_reads_the_chips_alike(seed: int, seats: int) -> None:
    """Where it reads a text: without antes, straddles, rake and odd names."""
    kit = pytest.importorskip("pokerkit")
    rng = random.Random(seed)
    hand = random_site_hand(rng, seats, cash=True)
    if hand.ante or hand.straddle or hand.rake:
        return
    plain = SiteHand(**{**vars(hand), "names": tuple("abcdefghi"[:seats])})
    text = WRITERS["PokerStars"](plain)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (read,) = kit.HandHistory.from_pokerstars(text, error_status=True)
        *_, end = read
    found = _one(text)
    stacks = dict(zip(read.players, map(float, end.stacks), strict=True))
    if isinstance(found, HoldemHand):
        changes = dict(zip(found.players, (found.won, -(found.won or 0.0)), strict=True))
        ends = {
            name: found.rules.chips(x) + changes[name]
            for name, x in zip(found.players, found.rules.stacks, strict=True)
        }
    else:
        assert isinstance(found, TableHand)
        ends = {
            name: (stack - put + won) * found.unit
            for name, stack, put, won in zip(found.players, found.stacks, found.put, found.collected, strict=True)
        }
    assert stacks == pytest.approx(ends)


def _stars(
    play: str,
    *,
    head: str = "Hand #1001: ",
    stakes: str = "($1/$2 USD)",
    seats: str = "",
    posts: str = "",
    number: str = "1",
) -> str:
    """A heads-up text of PokerStars. play: from the cards on, one line each."""
    seats = seats or "Seat 1: moss ($150 in chips)\nSeat 2: fern ($170 in chips)\n"
    posts = posts or "moss: posts small blind $1\nfern: posts big blind $2\n"
    return (
        f"PokerStars {head.replace('1001', '100' + number)} Hold'em No Limit {stakes} - 2024/03/09 21:10:44 ET\n"
        f"Table 'Quill' 2-max Seat #1 is the button\n{seats}{posts}*** HOLE CARDS ***\nDealt to moss [Ah Qd]\n{play}"
    )


_FOLD = """\
moss: raises $4 to $6
fern: folds
Uncalled bet ($4) returned to moss
moss collected $4 from pot
*** SUMMARY ***
Total pot $4 | Rake $0
"""
_FLOP = """\
moss: raises $4 to $6
fern: calls $4
*** FLOP *** [3c 8d Qs]
fern: checks
moss: bets $9
fern: folds
Uncalled bet ($9) returned to moss
moss collected $12 from pot
*** SUMMARY ***
Total pot $12 | Rake $0
"""


def test_antes_are_read() -> None:
    """Also where all are all-in before the flop: the streets that follow are no decisions."""
    seats = "Seat 1: moss (1985 in chips)\nSeat 2: fern (2600 in chips)\n"
    posts = "moss: posts the ante 20\nfern: posts the ante 20\nmoss: posts small blind 75\nfern: posts big blind 150\n"
    stakes = "- Level VI (75/150)"
    text = _stars(
        "moss: raises 1815 to 1965 and is all-in\nfern: calls 1815\n*** FLOP *** [4c 8d Js]\n*** TURN *** [4c 8d Js] [2h]\n"
        "*** RIVER *** [4c 8d Js 2h] [2d]\n*** SHOW DOWN ***\nfern: shows [Kh Kc] (a pair)\nmoss: shows [Ah Qd] (a pair)\n"
        "fern collected 3970 from pot\n*** SUMMARY ***\nTotal pot 3970 | Rake 0\n",
        head="Hand #1001: Tournament #4411, $4.60+$0.40 USD", stakes=stakes, seats=seats, posts=posts,
    )  # fmt: skip
    hand = _hand(text)
    assert (hand.rules.ante, hand.won, hand.currency) == (20, 1985, "")
    assert [action.move.name for _, action in hand.line.steps] == ["RAISE", "CALL"]
    card = {row.name: row.counted for row in villain_card([hand], "moss").rows}
    assert (card["c-bet flop"].k, card["c-bet flop"].n) == (0, 0)
    for damaged in (text.replace("moss: posts the ante 20\n", ""), text.replace("Total pot 3970", "Total pot 3930")):
        assert isinstance(_one(damaged), LeftOut)


@pytest.mark.parametrize(
    ("old", "new", "reason", "line", "about"),
    [
        ("moss: bets $9\n", "*** TURN *** [3c 8d Qs] [2c]\n", "betting", 13, "moss is to act on the flop"),
        ("raises $4 to $6", "raises $8 to $12", "betting", 9, "raises by 8 above the bet to 12, which is 10"),
        ("calls $4", "calls $40", "betting", 10, "calls 40 where 4 is to call"),
        ("fern: calls $4\n", "fern: calls $4 and is all-in\n", "betting", 10, "said to be all-in with 164 left"),
        ("posts big blind $2\n", "posts big blind $2\nfern: posts straddle $4\n", "stakes", 7, "straddle of 4"),
        ("Uncalled bet ($9)", "Uncalled bet ($8)", "result", 15, "returned, where the betting leaves 9"),
        ("collected $12", "collected $11", "result", 16, "11 are collected and 0 go to the house, of a pot of 12"),
        ("Total pot $12", "Total pot $13", "result", 18, "total pot of 13, where the betting makes 12"),
        ("moss collected", "fern collected", "result", 16, "somebody collects who is not in the hand"),
        ("[3c 8d Qs]", "[3c 8d Qd]", "cards", 1, "twice"),
        ("fern: checks", "ivy: checks", "players", 12, "'ivy' acts and is not in the list of players"),
        ("Seat #1 is", "Seat one is", "format", 1, "who has the button"),
        ("Hold'em No Limit", "Omaha Pot Limit", "game", 1, "only no-limit hold'em is read"),
        ("*** FLOP *** [3c", "*** FIRST FLOP *** [3c", "game", 11, "run more than once"),
        ("fern: folds\n", "", "betting", 0, ""),
    ],
)  # fmt: skip
def test_what_does_not_follow_from_the_betting_is_left_out_with_its_line(
    old: str, new: str, reason: str, line: int, about: str
) -> None:
    text = _stars(_FLOP)
    assert old in text
    found = _one(text.replace(old, new, 1) if "folds" not in old else text.replace(old, new))
    assert isinstance(found, LeftOut), found
    if line:
        assert (found.reason, found.place.line) == (reason, line), found
    assert about in found.about


def test_missing_lines_are_no_checks() -> None:
    """A call that is lost, and a whole street."""
    for lost in (
        "fern: calls $4\n",
        "fern: checks\n",
        "fern: checks\nmoss: bets $9\nfern: folds\n",
        "moss: raises $4 to $6\n",
    ):
        assert isinstance(_one(_stars(_FLOP).replace(lost, "")), LeftOut), lost


@pytest.mark.parametrize(
    ("text", "chips"),
    [
        ("$1,234.56", 1234.56), ("1.234,56 €", 1234.56), ("1 234,56€", 1234.56), ("1'234.56", 1234.56), ("€8,75", 8.75),
        ("$1,200", 1200), ("1.200", 1200), ("1,234,567", 1234567), ("1.234.567", 1234567), ("1\u00a0234\u00a0567", 1234567),
        ("0.005", 0.005), ("$.5", None), ("RSD45.70", 45.7), ("12 USD", 12), ("$0", 0), ("1,2,3", None), ("1,234.5.6", None),
        ("500K", 500_000), ("", None), ("$", None), ("1,23,456", None), ("9" * 40, None), ("-5", None), ("1.23456", None),
    ],
)  # fmt: skip
def test_amounts(text: str, chips: float | None) -> None:
    if chips is None:
        with pytest.raises(HandError, match="is not an amount"):
            amount(text)
    else:
        assert amount(text) == round(chips * ONE)


def test_a_decimal_comma_is_no_end_of_an_amount() -> None:
    text = _stars(_FLOP.replace("$9", "€8,75"), stakes="(€1/€2 EUR)").replace("$", "€")
    hand = _hand(text)
    raised = [hand.rules.chips(action.to) for _, action in hand.line.steps if action.to]
    assert (raised, hand.currency) == ([6, 8.75], "€")


def test_hands_of_one_file_may_be_of_several_sites(tmp_path: Path) -> None:
    """With one blank line between them, or three, and the last without any."""
    rng = random.Random(4)
    texts = [WRITERS[site](_drawn(rng, 2, site)).strip() for site in WRITERS]
    for between in ("\n\n", "\n\n\n\n", "\r\n\r\n"):
        path = tmp_path / "mixed.txt"
        path.write_text(between.join(texts), encoding="utf-8-sig", newline="")
        found = read_hands([path])
        read = len(found.hands) + sum(one.reason == "currency" for one in found.left_out)
        assert (read, len(found.tables)) == (len(texts), 0), found.left_out


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_files_of_other_encodings_and_zoom_hands_that_are_there_twice(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "zoom.txt"
    zoom = _stars(_FOLD, head="Zoom Hand #1001: ")
    path.write_text(f"{zoom}\n\n\n{zoom}", encoding=encoding)
    found = read_hands([path, path])
    assert (len(found.hands), [one.reason for one in found.left_out]) == (1, ["duplicate"] * 3)
    write_hands(tmp_path / "copy.phhs", found.holdem)
    assert len(read_hands([path, tmp_path / "copy.phhs"]).hands) == 1


def test_who_collects_has_won_though_cards_are_mucked(run: Runner, tmp_path: Path) -> None:
    """The mucked cards of the summary are read, too."""
    play = (
        "moss: calls $1\nfern: checks\n*** FLOP *** [3c 8d Qs]\nfern: checks\nmoss: bets $2\nfern: calls $2\n"
        "*** TURN *** [3c 8d Qs] [5h]\nfern: checks\nmoss: checks\n*** RIVER *** [3c 8d Qs 5h] [2d]\nfern: checks\n"
        "moss: checks\n*** SHOW DOWN ***\nmoss: shows [Ah Qd] (a pair of Queens)\nfern: mucks hand\n"
        "moss collected $7.60 from pot\n*** SUMMARY ***\nTotal pot $8 | Rake $0.40\nBoard [3c 8d Qs 5h 2d]\n"
        "Seat 1: moss (button) (small blind) showed [Ah Qd]\nSeat 2: fern (big blind) mucked"
    )
    path = tmp_path / "mucked.txt"
    for told, known in (("", 1), (" [8h 9h]", 2)):
        path.write_text(_stars(play + told) + "\n")
        (hand,) = read_hands([path]).holdem
        assert (hand.won, sum(map(bool, hand.holes))) == (-4, known)
        rows = run("villain", str(path), "--player", "moss", "--json").json["rows"]
        assert next((row["k"], row["n"]) for row in rows if row["statistic"] == "W$SD") == (1, 1)
    assert isinstance(_one(_stars(play.replace("moss collected", "fern collected") + " [8h 9h]")), LeftOut)


def test_a_chat_line_is_no_action() -> None:
    for said in (
        'fern said, "moss: folds?"',
        f'fern said, "{"moss: folds " * 200}"',
        'fern said, "x: folds"',
        "moss is sitting out",
    ):
        hand = _hand(_stars(_FLOP.replace("moss: bets", f"{said}\nmoss: bets")))
        assert (hand.won, len(hand.line.steps)) == (-6, 6)
    one_card = _hand(_stars(_FLOP.replace("*** SUMMARY", "fern: shows [Kh]\n*** SUMMARY")))
    assert one_card.holes[0] == ()


def test_a_fold_for_free_is_legal_and_comes_back_from_every_file(tmp_path: Path) -> None:
    text = _stars(
        "moss: calls $1\nfern has timed out while disconnected\nfern: folds\nmoss collected $4 from pot\n*** SUMMARY ***\n"
        "Total pot $4 | Rake $0\n"
    )
    hand = _hand(text)
    assert hand.won == -2
    for name in ("free.phhs", "free.jsonl"):
        write_hands(tmp_path / name, [hand])
        assert read_hands([tmp_path / name]).holdem == (hand,)


def test_hands_of_more_seats_are_read_and_counted_apart(run: Runner, tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    rng = random.Random(8)
    hands = [random_site_hand(rng, seats) for seats in (6, 6, 9)]
    path.write_text("".join(map(WRITERS["PokerStars"], hands)), encoding="utf-8")
    found = read_hands([path])
    assert [len(hand.players) for hand in found.tables] == [6, 6, 9]
    assert (found.hands, found.left_out) == ((), ())
    assert "larger tables  2 of 6 seats, 1 of 9 seats: not used by heads-up models" in run("hands", str(path)).out
    said = run("villain", str(path), "--player", "ann")
    assert (said.code, "all hands read have more than two players: 3" in said.err) == (2, True)
    for hand in found.tables:
        assert sum(hand.put) + hand.bonus == sum(hand.collected) + hand.rake
        assert all(0 <= put <= stack for put, stack in zip(hand.put, hand.stacks, strict=True))


@pytest.mark.parametrize("seats", [3, 4])
def test_a_seat_of_which_a_text_states_nothing_is_named(seats: int) -> None:
    """PartyPoker lists seats that are not dealt in: at three others the record names them, else the hand is left out."""
    names = ("moss", "fern", "ivy", "oak")[:seats]
    listed = "".join(f"Seat {k}: {name} ( $20 USD )\n" for k, name in enumerate(names, 1))
    found = _one(
        "***** Hand History for Game 8001 *****\n$0.10/$0.20 USD NL Texas Hold'em - Sunday, January 10, 18:03:02 CET 2016\n"
        f"Seat 1 is the button\nTotal number of players : {seats}/6 \n{listed}fern posts small blind [$0.10 USD].\n"
        "ivy posts big blind [$0.20 USD].\n** Dealing down cards **\n"
        + ("moss folds\n" if seats == 4 else "") + "fern folds\nivy does not show cards.\nivy wins $0.30 USD\n"
    )  # fmt: skip
    if seats == 4:
        assert isinstance(found, TableHand), found
        assert (found.players, found.silent, found.collected) == (("fern", "ivy", "moss"), ("oak",), (0, 2, 0))
    else:
        assert isinstance(found, LeftOut)
        assert "moss neither posts nor acts" in found.about


def test_dead_blinds_caps_and_side_pots() -> None:
    seats = "".join(f"Seat {k}: {name} ($200 in chips)\n" for k, name in enumerate(("moss", "fern", "ivy", "oak"), 1))
    posts = "fern: posts small blind $1\nivy: posts big blind $2\noak: posts small & big blinds $3\n"
    play = (
        "oak: checks\nmoss: calls $2\nfern: raises $8 to $10\nivy: folds\noak: folds\nmoss: folds\n"
        "Uncalled bet ($8) returned to fern\nfern collected $9 from pot\n*** SUMMARY ***\nTotal pot $9 | Rake $0\n"
    )
    found = _one(_stars(play, seats=seats, posts=posts))
    assert isinstance(found, TableHand), found
    assert (found.players, found.dead, found.posts) == (("fern", "ivy", "oak", "moss"), (0, 0, 1, 0), (1, 2, 2, 0))
    assert (found.button, found.put, found.collected) == (3, (2, 2, 3, 2), (9, 0, 0, 0))
    capped = _stars(
        "moss: raises $18 to $20 and has reached the $20 cap\nfern: calls $18\n*** FLOP *** [3c 8d Qs]\n"
        "*** TURN *** [3c 8d Qs] [5h]\n*** RIVER *** [3c 8d Qs 5h] [2d]\n*** SHOW DOWN ***\nmoss: shows [Ah Qd] (a pair)\n"
        "fern: mucks hand\nmoss collected $40 from pot\n*** SUMMARY ***\nTotal pot $40 | Rake $0\n",
        stakes="($1/$2 - $20 Cap -  USD)",
    )
    hand = _hand(capped)
    assert (hand.rules.stacks, hand.won) == ((20, 20), -20)


@pytest.mark.parametrize("site", WRITERS)
def test_hostile_lines_cost_milliseconds(site: str) -> None:
    """Names and numbers of 16,000 letters, and what makes expressions run back and forth."""
    text = WRITERS[site](_drawn(random.Random(2), 2, site))
    rows = text.split("\n")
    begin = time.process_time()
    for bait in (
        "a" * 16_000,
        "1,1" * 5_000,
        " (" * 8_000,
        ": " * 8_000,
        "[" * 16_000,
        "$1 to " * 160,
        "9" * 450,
        "1 " * 240,
        "((" * 240,
    ):
        for k in range(0, len(rows), 4):
            row = rows[k]
            for changed in (bait, row + bait, bait + row, row[: len(row) // 2] + bait + row[len(row) // 2 :]):
                for found in _read("\n".join([*rows[:k], changed, *rows[k + 1 :]])):
                    if isinstance(found, LeftOut):
                        assert len(found.about) < 300
    assert time.process_time() - begin < 4


def test_xml_declares_nothing() -> None:
    """A document type, an entity, inside or before the hand; text that is no XML."""
    text = WRITERS["iPoker Network"](_drawn(random.Random(2), 2, "iPoker Network"))
    bomb = '<!DOCTYPE game [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    inside = _one(text.replace("  <general>\n   <players>", f"{bomb}  <general>\n   <players>"))
    assert isinstance(inside, LeftOut)
    before = _one(text.replace("<session", f"{bomb}\n<session").replace("X X", "&b;"))
    assert isinstance(before, LeftOut)
    entity = _one(text.replace("</cards>", "&b;</cards>", 1))
    assert isinstance(entity, LeftOut)
    assert entity.reason == "format"
    assert isinstance(_one(text.replace("<round", "<<round", 1)), LeftOut)
    assert isinstance(_one(text.replace("</game>", "")), LeftOut)


_PARTY = """\
***** Hand History for Game 8001 *****
$25 USD NL Texas Hold'em - Sunday, January 10, 18:03:02 CET 2016
Seat 1 is the button
Total number of players : 3/6
Seat 1: ann ( $26 USD )
Seat 2: bob ( $20 USD )
Seat 3: cy ( $21 USD )
bob posts small blind [$0.10 USD].
cy posts big blind [$0.25 USD].
** Dealing down cards **
ann calls [$0.25 USD]
bob is all-In [$19.90 USD]
cy is all-In [$20.75 USD]
ann calls [$20.75 USD]
** Dealing Flop ** [ Th, Qd, As ]
** Dealing Turn ** [ 8h ]
** Dealing River ** [ 6c ]
"""


@pytest.mark.parametrize("between", ["\n", ""])
def test_wins_on_one_line_are_all_read(between: str) -> None:
    """Texts of the Macintosh client lack the end of the line; a side pot of 3 % of the chips would pass for the rake."""
    found = _one(
        f"{_PARTY}bob wins $59 USD from the main pot with a pair of Twos.{between}cy wins $2 USD from the side pot 1 "
        "with a pair of Twos.\n"
    )
    assert isinstance(found, TableHand), found
    assert (found.collected, found.rake, found.unit) == ((5900, 200, 0), 100, 0.01)


def test_two_players_are_dealt_in_where_the_button_posts_the_small_blind() -> None:
    """Of the third player of the list PartyPoker states nothing."""
    text = _PARTY.split("bob posts")[0] + (
        "ann posts small blind [$0.10 USD].\ncy posts big blind [$0.25 USD].\n** Dealing down cards **\n"
        "ann raises [$0.40 USD]\ncy folds\nann does not show cards.\nann wins $0.75 USD\n"
    )
    hand = _hand(text)
    assert (hand.players, hand.won, hand.rules.chips(hand.rules.blinds[0])) == (("cy", "ann"), -0.25, 0.25)
    assert isinstance(_one(text.replace("Seat 1 is", "Seat 2 is")), LeftOut)


def test_a_blind_that_only_an_all_in_tells_is_unknown() -> None:
    """The header states none, and who posts the big blind has less than it."""
    text = _PARTY.replace("$21 USD )", "$0.15 USD )").replace("blind [$0.25", "blind [$0.15").split("ann calls")[0] + (
        "ann folds\nbob calls [$0.05 USD]\n** Dealing Flop ** [ Th, Qd, As ]\n** Dealing Turn ** [ 8h ]\n"
        "** Dealing River ** [ 6c ]\nbob wins $0.30 USD\n"
    )
    found = _one(text)
    assert isinstance(found, LeftOut)
    assert "the text states no blinds" in found.about
    stated = _one(text.replace("$25 USD NL", "$0.10/$0.25 USD NL"))
    assert isinstance(stated, TableHand), stated
    assert (stated.unit, stated.blinds, stated.posts) == (0.01, (25, 10), (10, 15, 0))


def test_one_pot_is_not_shared_unequally() -> None:
    """At two seats there are no side pots."""
    streets = "".join(
        f"{street}\nfern: checks\nmoss: checks\n"
        for street in ("*** FLOP *** [3c 8d Qs]", "*** TURN *** [3c 8d Qs] [5h]", "*** RIVER *** [3c 8d Qs 5h] [2d]")
    )
    for first, second in ((2, 2), (3, 1)):
        found = _one(_stars(
            f"moss: calls $1\nfern: checks\n{streets}*** SHOW DOWN ***\nmoss: shows [Ah Qd] (a pair)\nfern: mucks hand\n"
            f"moss collected ${first} from pot\nfern collected ${second} from pot\n"
        ))  # fmt: skip
        assert isinstance(found, HoldemHand if first == second else LeftOut), found


@pytest.mark.parametrize(
    "head",
    [
        "Winamax Poker - CashGame - HandId: #12-3-4 - Holdem no limit (1€/2€)",
        "PokerStars Mano #25555555555: Hold'em No Limit ($1/$2 USD)",
        "Main PokerStars n°25555555555 : Hold'em No Limit (1 €/2 €)",
        "***** 888poker Hand History for Game 255555555 *****",
        "Ignition Hand #3555555555: HOLDEM No Limit",
        "Hand #55555555 - Holdem (No Limit) - $1.00/$2.00",
    ],
)
def test_hands_of_other_sites_and_languages_are_left_out_with_this_reason(head: str) -> None:
    """They are no part of the hand before them."""
    other = _stars(_FOLD).replace(_stars(_FOLD).split("\n")[0], head)
    first, unread, last = _read(f"{_stars(_FOLD)}\n{other}\n{_stars(_FOLD, number='2')}")
    assert [type(one) for one in (first, unread, last)] == [HoldemHand, LeftOut, HoldemHand]
    assert isinstance(unread, LeftOut)
    assert (unread.reason, "of this site, or in this language" in unread.about) == ("game", True)


def test_a_button_of_an_empty_seat_is_not_listed_by_ipoker() -> None:
    """The deal begins with the small blind; at two seats, and elsewhere, a text without a button is not read."""
    for seats in (2, 6):
        hand = _drawn(random.Random(5), seats, "iPoker Network")
        due = facts_of_site_hand(hand, "iPoker Network")
        found = _one(WRITERS["iPoker Network"](hand).replace('dealer="1"', 'dealer="0"'))
        if seats == 2:
            assert isinstance(found, LeftOut)
        else:
            assert isinstance(found, TableHand), found
            assert (facts_of_record(found), found.button) == (due, -1)


def test_a_hand_without_a_winner_names_the_line_that_was_not_understood() -> None:
    found = _one(_PARTY + "Table 5 (Real Money)\nbob gewinnt $61 USD\n")
    assert isinstance(found, LeftOut)
    assert "line 19 is not understood: 'bob gewinnt $61 USD'" in found.about


def test_a_pot_that_nobody_is_said_to_win_is_no_rake() -> None:
    """Texts that end between the lines about two pots: PokerStars states the rake, PartyPoker names the pots."""
    seats = "".join(f"Seat {k}: {name} ($200 in chips)\n" for k, name in enumerate(("moss", "fern", "ivy"), 1))
    stars = _stars(
        "moss: raises $198 to $200 and is all-in\nfern: calls $199 and is all-in\nivy: calls $7 and is all-in\n"
        "*** FLOP *** [3c 8d Js]\n*** TURN *** [3c 8d Js] [5h]\n*** RIVER *** [3c 8d Js 5h] [2d]\n*** SHOW DOWN ***\n"
        "moss collected $382 from side pot\nivy collected $27 from main pot\n*** SUMMARY ***\nTotal pot $409 | Rake $0\n",
        seats=seats.replace("ivy ($200", "ivy ($9"), posts="fern: posts small blind $1\nivy: posts big blind $2\n",
    )  # fmt: skip
    whole = _one(stars)
    assert isinstance(whole, TableHand), whole
    assert whole.collected == (0, 27, 382)
    cut = _one(stars[: stars.index("ivy collected")])
    assert isinstance(cut, LeftOut)
    ended = _one(stars[: stars.index("moss collected")].replace("*** SHOW", "moss: shows [Ah Qd]\nfern: shows [9c 9d]\n"
                 "ivy: shows [Kc Kd]\n*** SHOW"))  # fmt: skip
    assert isinstance(ended, LeftOut)
    party = (
        _PARTY + "bob wins $60 USD from the main pot with a pair.\ncy wins $2 USD from the side pot 1 with a pair.\n"
    )
    assert isinstance(_one(party), TableHand)
    unsaid = _one(party[: party.index("cy wins")])
    assert isinstance(unsaid, LeftOut)
    assert "who collects each of the pots" in unsaid.about


def test_a_street_that_is_lost_is_not_another() -> None:
    """The river is no turn, though all lines of the turn are missing."""
    text = _PARTY + "bob wins $62 USD from the main pot with a pair.\n"
    swapped = (
        text.replace("Dealing Turn", "Dealing X").replace("Dealing River", "Dealing Turn").replace("g X", "g River")
    )
    found = _one(swapped)
    assert isinstance(found, LeftOut)
    assert "the river is out of its order" in found.about
