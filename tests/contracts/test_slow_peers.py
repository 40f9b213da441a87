"""A peer has one deadline for an answer, however slowly its bytes come and however much it says besides."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from counterplay import InputError, agent
from counterplay.agents.factory.agent_factory import PlayableGame
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.protocols.acpc import LOOPBACK, VERSION, Dealer, DealerMatch, LineSocket, play_at_dealer
from counterplay.protocols.slumbot import SlumbotApi

_SECONDS = 0.5
_RULES = read_holdem("holdem:deck=12,stack=2bb,bets=a,last=turn")
Talk = Callable[[socket.socket], None]


def _drop_by_drop(peer: socket.socket) -> None:
    """A byte of a line that never ends, now and then."""
    while True:
        peer.sendall(b"M")
        time.sleep(0.05)


def _chatter(peer: socket.socket) -> None:
    """Lines of the protocol that are no answer to the question."""
    while True:
        peer.sendall(b"MATCHSTATE:0:99::AcAs|:c\r\n")
        time.sleep(0.01)


def _flood(peer: socket.socket) -> None:
    """Such lines without a pause."""
    while True:
        peer.sendall(b"MATCHSTATE:0:99::AcAs|:c\r\n" * 1000)


def _silent(peer: socket.socket) -> None:
    peer.recv(1)
    time.sleep(60.0)


@contextmanager
def _talking(talk: Talk, port: int, greeting: bytes = b"") -> Iterator[None]:
    """A peer that connects and talks until the other end closes."""

    def run() -> None:
        with suppress(OSError), socket.create_connection((LOOPBACK, port)) as peer:
            peer.sendall(greeting)
            talk(peer)

    threading.Thread(target=run, daemon=True).start()
    yield


@pytest.mark.parametrize("talk", [_drop_by_drop, _chatter, _flood, _silent])
@pytest.mark.parametrize("greeting", [b"", f"{VERSION}\r\n".encode()], ids=["version", "decision"])
def test_a_player_cannot_hold_the_dealer(talk: Talk, greeting: bytes) -> None:
    if not greeting and talk in (_chatter, _flood):
        pytest.skip("another line than the version is refused at once")
    dealer = Dealer()
    try:
        with _talking(talk, dealer.ports[0], greeting), _talking(talk, dealer.ports[1], greeting):
            begin = time.monotonic()
            with pytest.raises(InputError, match=r"player did not answer within 0\.5 seconds"):
                dealer.play(DealerMatch(_RULES.limits, _RULES.deck, 1, timeout=_SECONDS))
            assert time.monotonic() - begin < 4 * _SECONDS + 2.0
    finally:
        dealer.close()


@pytest.mark.parametrize("message", ["", "# wait", "MATCHSTATE:0:0:f:AcAd|"])
def test_a_dealer_cannot_hold_a_player(message: str) -> None:
    """With comments, or with the end of a hand again and again."""
    here, there = _connected()
    with there, LineSocket(here, "the dealer", _SECONDS) as dealer:

        def repeat() -> None:
            with suppress(OSError):
                while True:
                    there.sendall(message.encode() + b"\r\n")
                    time.sleep(0.01)

        threading.Thread(target=repeat, daemon=True).start()
        begin = time.monotonic()
        ground = PlayableGame("holdem:deck=12,stack=2bb,bets=a,last=turn", 1.0)
        try:
            found = play_at_dealer(dealer, _RULES, lambda seat: agent(ground, "uniform", seat, 0))
        except InputError as error:
            failure: str | None = str(error)
        else:
            failure = found.failure
        assert failure == "the dealer did not answer within 0.5 seconds"
        assert time.monotonic() - begin < 10 * _SECONDS


def _connected() -> tuple[socket.socket, socket.socket]:
    """Both ends of a connection."""
    with socket.create_server((LOOPBACK, 0)) as server:
        here = socket.create_connection(server.getsockname())
        return here, server.accept()[0]


def test_who_reads_nothing_cannot_hold_the_sender() -> None:
    here, there = _connected()
    with there, LineSocket(here, "the peer", _SECONDS) as line:
        begin = time.monotonic()
        with pytest.raises(InputError, match="the peer"):
            all(line.send("x" * 60_000) is None for _ in range(10_000))
        assert time.monotonic() - begin < 10 * _SECONDS


def test_lines_come_whole_from_any_pieces() -> None:
    here, there = _connected()
    with there, LineSocket(here, "the peer", 5.0) as line:
        for piece in (b"on", b"e\r", b"\ntwo\r\nth", b"ree\n"):
            there.sendall(piece)
        assert [line.receive() for _ in range(3)] == ["one", "two", "three"]
        there.sendall(b"x" * 70_000 + b"\n")
        with pytest.raises(InputError, match="no line of the protocol"):
            line.receive()
    here, there = _connected()
    with LineSocket(here, "the peer", 5.0) as line:
        there.sendall(b"half")
        there.close()
        with pytest.raises(InputError, match="no line of the protocol"):
            line.receive()
        assert line.receive() is None


@pytest.mark.parametrize(
    "head", [b"", b"HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\n{"], ids=["headers", "content"]
)
def test_a_server_that_sends_byte_after_byte_has_one_deadline(head: bytes) -> None:
    """Attempts and pauses included."""
    with socket.create_server((LOOPBACK, 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=drip, args=(server.accept()[0],), daemon=True).start()

        def drip(peer: socket.socket) -> None:
            with suppress(OSError), peer:
                peer.sendall(head or b"HTTP/1.0 200 OK\r\nx: ")
                while True:
                    peer.sendall(b" ")
                    time.sleep(0.05)

        threading.Thread(target=serve, daemon=True).start()
        api = SlumbotApi(f"http://{LOOPBACK}:{server.getsockname()[1]}", pause=0.0, timeout=_SECONDS)
        begin = time.monotonic()
        with pytest.raises(InputError, match="cannot be reached: no whole answer in time"):
            api.deal_hand()
        assert time.monotonic() - begin < 4 * _SECONDS
