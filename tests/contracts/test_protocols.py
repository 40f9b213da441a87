"""Programs of others: every hand is played to its end by the rules, whatever they bet, and chips add up."""

from __future__ import annotations

import errno
import io
import json
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import counterplay as cp
from counterplay import InputError
from counterplay.agents.agent import Player, UniformAgent
from counterplay.measure.play_hand import TranslatedHand
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.poker.betting.line_notation import ACPC, SLUMBOT, replay_line, write_action
from counterplay.poker.betting.state import Action, Kind, Move, start
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.protocols import acpc
from counterplay.protocols.acpc import (
    LOOPBACK,
    ClientResult,
    Dealer,
    DealerMatch,
    DealerResult,
    LineSocket,
    MatchState,
    connect_to,
    nearest_action,
    play_at_dealer,
    read_match_state,
)
from counterplay.protocols.slumbot import SlumbotApi, play_slumbot
from tests.support.slumbot_server import RULES, SlumbotStandIn, any_action, serve

GAME = read_holdem("holdem:stack=200bb,bets=fcpa")
SMALL = read_holdem("holdem:stack=20,blinds=1/2,bets=fcpa,deck=24")


def _uniform(seat: int) -> Player:
    return UniformAgent(seat, seat)


class AnySize:
    """A client of the protocol that bets any size, and says now and then what is forbidden."""

    def __init__(self, seed: int, rude: float = 0.0) -> None:
        self._draws, self._rude = random.Random(seed), rude

    def play(self, dealer: LineSocket) -> None:
        dealer.send("VERSION:2.0.0")
        while (line := dealer.receive()) is not None:
            told = read_match_state(line)
            state = replay_line(SMALL.limits, told.line, ACPC).end
            if state.kind == told.position:
                action = write_action(SMALL.limits, state, any_action(SMALL.limits, state, self._draws), ACPC)
                dealer.send(f"{line}:{'r1' if self._draws.random() < self._rude else action}")


def _match(
    hands: int,
    other: AnySize | None = None,
    hear: Callable[[int], Player] | None = None,
    log: io.StringIO | None = None,
) -> tuple[DealerResult, list[ClientResult], str]:
    """A match of two uniform agents, or of one against a client of any size; the log."""
    dealer, log, clients = Dealer(), log or io.StringIO(), []

    def sit(place: int) -> None:
        with connect_to(LOOPBACK, dealer.ports[place], 20.0) as table:
            if place and other is not None:
                other.play(table)
            else:
                clients.append(play_at_dealer(table, SMALL, hear or _uniform))

    threads = [threading.Thread(target=sit, args=(place,)) for place in (0, 1)]
    for thread in threads:
        thread.start()
    found = dealer.play(DealerMatch(SMALL.limits, SMALL.deck, hands, timeout=20.0), log)
    dealer.close()
    for thread in threads:
        thread.join()
    return found, clients, log.getvalue()


def test_a_match_between_two_clients_adds_up_and_its_log_is_replayed() -> None:
    found, clients, log = _match(60)
    assert not found.replaced
    sums = sorted(sum(client.won) for client in clients)
    assert sums == pytest.approx(sorted([sum(found.won), -sum(found.won)]))
    *hands, score = log.splitlines()
    for number, line in enumerate(hands):
        head, hand, betting, cards, won, names = line.split(":")
        assert (head, int(hand)) == ("STATE", number)
        end = replay_line(SMALL.limits, betting, ACPC).end
        assert end.kind > Kind.DEAL
        results = [float(one) for one in won.split("|")]
        assert sum(results) == 0.0
        assert abs(results[0]) in (0.0, SMALL.limits.chips(end.put[0]))
        assert results[names.split("|").index("first")] == found.won[number]
        assert read_match_state(f"MATCHSTATE:0:{hand}:{betting}:{cards}").holes != ((), ())
    assert score == f"SCORE:{sum(found.won):.12g}|{-sum(found.won):.12g}:first|second"


def test_agents_are_told_of_their_hands_by_both_clients() -> None:
    """The cards of the other as the dealer or the server shows them: at showdowns, and always."""
    told: list[HoldemHand] = []

    class Hearing(UniformAgent):
        def end_hand(self, result: float, shown: Any) -> None:
            assert result == pytest.approx(-shown.won if self.seat else shown.won)
            assert len(shown.holes[self.seat]) == 2
            assert {*shown.holes[0], *shown.holes[1]}.isdisjoint(shown.board)
            told.append(shown)

    def hear(seat: int) -> Player:
        return Hearing(seat, seat)

    _match(20, hear=hear)
    assert len(told) == 40
    assert all(
        (len(hand.holes[0]) == len(hand.holes[1]) == 2) == (hand.line.end.kind is Kind.SHOWDOWN) for hand in told
    )
    told.clear()
    with serve(SlumbotStandIn()) as url:
        play_slumbot(_quick(url), GAME, hear, 10)
    assert len(told) == 10
    assert all(len(hand.holes[0]) == len(hand.holes[1]) == 2 for hand in told)


def test_a_dealer_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acpc, "PATIENCE", 0.01)
    dealer = Dealer()
    with pytest.raises(InputError, match="the first player has not come"):
        dealer.play(DealerMatch(SMALL.limits, SMALL.deck, 1))
    dealer.close()


def test_a_player_who_leaves_ends_the_match_with_its_result() -> None:
    """The score in the log is of the hands before, too."""

    class Leaving(AnySize):
        def play(self, dealer: LineSocket) -> None:
            dealer.send("VERSION:2.0.0")
            while (line := dealer.receive()) is not None:
                told = read_match_state(line)
                if replay_line(SMALL.limits, told.line, ACPC).end.kind == told.position:
                    if told.hand > 2:
                        return
                    dealer.send(f"{line}:c")

    found, (client,), log = _match(60, Leaving(0))
    hands = len(found.won)
    assert found.failure == f"the second player left in hand {hands}"
    assert hands == len(client.won) == client.unfinished == len(log.splitlines()) - 1 > 2
    assert sum(client.won) == pytest.approx(sum(found.won))
    assert log.splitlines()[-1].startswith(f"SCORE:{sum(found.won):.12g}|")


def test_a_log_that_cannot_be_written_ends_the_match_with_its_result() -> None:
    class Full(io.StringIO):
        name = "full.log"

        def flush(self) -> None:
            if len(self.getvalue().splitlines()) > 4:
                raise OSError(errno.ENOSPC, "No space left on device")

    found, clients, _ = _match(60, log=Full())
    assert (len(found.won), found.failure) == (5, "cannot write full.log: No space left on device")
    assert sorted(sum(client.won) for client in clients) == pytest.approx(sorted([sum(found.won), -sum(found.won)]))


def test_a_deal_is_played_in_both_positions() -> None:
    *_, log = _match(8)
    cards = [line.split(":")[3].split("/")[0] for line in log.splitlines()[:-1]]
    assert cards[::2] == cards[1::2]
    assert len(set(cards)) == 4


def test_bets_of_any_size_are_followed_and_forbidden_ones_replaced() -> None:
    found, (client,), _ = _match(60, AnySize(3, rude=0.05))
    assert found.replaced
    assert sum(client.won) == pytest.approx(sum(found.won))


def test_a_raise_is_replaced_by_the_nearest_and_anything_else_by_a_call() -> None:
    state = start(RULES)
    assert nearest_action(RULES, state, "r1") == Action(Move.RAISE, 200)
    assert nearest_action(RULES, state, "r999999") == Action(Move.RAISE, 20_000)
    assert nearest_action(RULES, state, "hello") == Action(Move.CALL)


NO_MESSAGES = ("", "MATCHSTATE:2:0::AsKs|", "MATCHSTATE:0:0::|AsKs", "MATCHSTATE:0:0::AsAs|", "MATCHSTATE:0:0::AsK|",
               "MATCHSTATE:0:0::AsKs|/AsKd2c", "MATCHSTATE:0:x::AsKs|")  # fmt: skip


@pytest.mark.parametrize("text", NO_MESSAGES)
def test_what_is_no_message_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_match_state(text)


def test_messages_are_read_as_they_are_written() -> None:
    told = MatchState(1, 7, "r300c/cr900", ((), (51, 46)), (0, 5, 10))
    assert read_match_state(str(told)) == told


def test_the_tree_is_followed_exactly_where_the_bets_are_its_own() -> None:
    agent = cp.agent("holdem:stack=20,blinds=1/2,bets=fcpa,deck=24", "uniform", 0)
    hand = TranslatedHand(SMALL, agent, (51, 50), random.Random(0))
    tree = SMALL.betting
    for node in range(tree.nodes):
        if tree.kind[node] == 0 and tree.street[node] == 0:
            line = "".join(_step(step) for step in tree.path(node).split(", "))
            hand = TranslatedHand(SMALL, agent, (51, 50), random.Random(0))
            hand.follow(replay_line(SMALL.limits, line, ACPC))
            assert hand.steps[-1].node == node


def _step(label: str) -> str:
    word, _, amount = label.partition(" ")
    return {"fold": "f", "check": "c", "call": "c"}.get(word) or f"r{amount or 20}"


def test_slumbot_hands_are_kept_and_gone_on_with(tmp_path: Path) -> None:
    log, server = tmp_path / "hands.jsonl", SlumbotStandIn()
    with serve(server) as url:
        first = play_slumbot(_quick(url), GAME, _uniform, 10, log=log, name="uniform")
        with log.open("a") as stream:
            stream.write('{"agent": "uni')  # a line that was cut short
        server = SlumbotStandIn(1)
    with serve(server) as url:
        found = play_slumbot(_quick(url), GAME, _uniform, 60, log=log, name="uniform")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert (first.hands, found.hands, len(lines)) == (10, 60, 60)
    assert found.mbb == pytest.approx(sum(line["winnings"] for line in lines) / 60 * 10)
    assert {line["seat"] for line in lines} == {0, 1}
    assert not any("token" in line for line in lines)
    assert server.bad_user_agents == 0
    for line in lines:
        end = replay_line(RULES, line["action"].rstrip("/"), SLUMBOT).end
        assert end.kind > Kind.DEAL


def test_a_dealer_that_cannot_listen_holds_no_port() -> None:
    """Neither of its two, if the second is in use."""
    taken = Dealer()
    try:
        free = Dealer()
        free.close()
        with pytest.raises(InputError, match="cannot listen on port"):
            Dealer((free.ports[0], taken.ports[0]))
        Dealer((free.ports[0], free.ports[1])).close()
    finally:
        taken.close()


def test_a_server_that_fails_for_a_moment_is_asked_again_but_no_action_twice() -> None:
    waits: list[float] = []
    server = SlumbotStandIn()
    server.broken = 2
    with serve(server) as url:
        api = SlumbotApi(url, 0.25, wait=waits.append)
        api.deal_hand()
        assert waits == [0.5, 1.0]
        server.broken = 1
        with pytest.raises(InputError, match="cannot be reached: 503"):
            api.act("c")
    assert [what for what, _ in server.requests] == ["new_hand"]


def test_a_log_of_another_agent_and_a_refusing_server_are_named(tmp_path: Path) -> None:
    log = tmp_path / "hands.jsonl"
    log.write_text('{"agent": "nash", "winnings": 100}\n')
    with serve(SlumbotStandIn()) as url, pytest.raises(InputError, match="is a log of nash, not of uniform"):
        play_slumbot(_quick(url), GAME, _uniform, 5, log=log, name="uniform")
    with serve(SlumbotStandIn()) as url, pytest.raises(InputError, match="Bad password"):
        _quick(url).log_in("me", "wrong")
    with pytest.raises(InputError, match="is not Slumbot's game"):
        play_slumbot(_quick("http://127.0.0.1:9"), SMALL, _uniform, 5)
    with pytest.raises(InputError, match="cannot be reached"):
        play_slumbot(_quick("http://127.0.0.1:9"), GAME, _uniform, 5)


def _quick(url: str) -> SlumbotApi:
    return SlumbotApi(url, pause=0.0)
