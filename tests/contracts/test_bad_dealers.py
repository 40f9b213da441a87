"""A dealer whose messages fit no hand is refused in one sentence, and only finished hands count, each once."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from counterplay.agents.agent import Player, UniformAgent
from counterplay.errors import InputError
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.protocols.acpc import LOOPBACK, ClientResult, connect_to, play_at_dealer
from tests.support.commands import Runner

TEXT = "holdem:stack=20,blinds=1/2,bets=a"
GAME = read_holdem(TEXT)
BEGIN = "MATCHSTATE:0:0:c:AcAd|"
FLOP = "MATCHSTATE:0:0:cc/:AcAd|/2c7d9s"
FOLD = "MATCHSTATE:0:0:cc/r4f:AcAd|/2c7d9s"
SHOWDOWN = "MATCHSTATE:0:0:cc/cc/cc/cc:AcAd|KcKd/2c7d9s/Th/3h"
NEXT = "MATCHSTATE:1:1::|QcQd"


@contextmanager
def _dealer(*messages: str) -> Iterator[int]:
    """The port of a dealer that says this to its player, whatever it hears, and leaves."""

    def deal() -> None:
        connection, _ = server.accept()
        with connection:
            connection.sendall("".join(f"{message}\r\n" for message in messages).encode())
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4096):
                pass

    with socket.create_server((LOOPBACK, 0)) as server:
        thread = threading.Thread(target=deal)
        thread.start()
        yield server.getsockname()[1]
        thread.join()


def _uniform(seat: int) -> Player:
    return UniformAgent(seat, seat)


def _played(*messages: str) -> ClientResult:
    with _dealer(*messages) as port, connect_to(LOOPBACK, port, 5.0) as dealer:
        return play_at_dealer(dealer, GAME, _uniform)


@pytest.mark.parametrize(
    ("messages", "culprit"),
    [
        (["MATCHSTATE:0:0:cc/cc/cc/cc:AcAd|KcKd"], "the dealer shows impossible cards: a board of 0 cards, not 5"),
        ([FLOP.removesuffix("/2c7d9s")], "impossible cards: a board of 0 cards, not 3"),
        ([FLOP + "/Th"], "impossible cards: a board of 4 cards, not 3"),
        (["MATCHSTATE:0:0:cc/cc/:AcAd|/2c7d/9sTh"], "does not show three cards, one and one by street"),
        (["MATCHSTATE:0:0::AcXx|"], "does not show cards: 'Xx' is not a card"),
        ([BEGIN, FLOP.replace("AcAd", "AcAh")], "the agent's cards within a hand: 'Ac Ah' does not continue 'Ac Ad'"),
        ([BEGIN, "MATCHSTATE:1:0:c:|AcAd"], "the agent's seat within a hand: '1' does not continue '0'"),
        ([FLOP, FOLD.replace("cc/r4", "r6c/r9")], "the betting within a hand: 'r6c/r9f' does not continue 'cc/'"),
        ([FLOP, FOLD.replace("9s", "9h")], "the board within a hand: '2c 7d 9h' does not continue '2c 7d 9s'"),
        ([BEGIN, NEXT], "goes on to hand 1 before the end of hand 0"),
    ],
)
def test_a_message_that_fits_no_hand_is_refused(messages: list[str], culprit: str) -> None:
    with pytest.raises(InputError, match=culprit):
        _played(*messages)


@pytest.mark.parametrize(
    ("after", "failure"),
    [
        ([SHOWDOWN.replace("KcKd", "KcKh")], "changed the other hand within a hand: 'Kc Kh' does not continue 'Kc Kd'"),
        ([NEXT.replace("1:1:", "1:1:f"), BEGIN], "goes back to hand 0 after hand 1"),
    ],
)
def test_an_error_after_some_hands_comes_with_their_result(after: list[str], failure: str) -> None:
    found = _played(FLOP, SHOWDOWN, *after)
    assert (found.won[0], found.failure, found.unfinished) == (2.0, f"the dealer {failure}", None)


def test_the_end_of_a_hand_told_twice_counts_once() -> None:
    assert _played(BEGIN, FLOP, FLOP, SHOWDOWN, SHOWDOWN).won == [2.0]


def test_a_dealer_that_leaves_within_a_hand_leaves_it_unfinished() -> None:
    found = _played(BEGIN, FOLD, NEXT)
    assert (len(found.won), found.unfinished, found.failure) == (1, 1, None)
    assert _played(BEGIN, FOLD).unfinished is None


def test_the_command_says_what_is_unfinished_and_what_failed(run: Runner) -> None:
    words = ("acpc-client", TEXT, "uniform", "--at")
    with _dealer(BEGIN) as port:
        done = run(*words, f"{LOOPBACK}:{port}")
    assert (done.code, done.err) == (0, "hand 0 was not finished, and does not count\n")
    with _dealer(FLOP, SHOWDOWN, SHOWDOWN.replace("KcKd", "")) as port:
        done = run(*words, f"{LOOPBACK}:{port}", "--json")
    assert (done.code, done.json["hands"], done.json["chips"]) == (2, 1, 2.0)
    assert done.err == f"counterplay: {done.json['failure']}\n"
