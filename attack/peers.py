"""Attack on connections: players at the dealer and dealers at a player that are slow, talk much, or send nonsense."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from attack.judge import LONGEST
from attack.part import Outcome
from attack.program import blame, is_plain
from attack.words import JUNK

_PATIENCE, _SLACK = 0.2, 3.0
"""Seconds for an answer, and what a loaded machine may add."""
_GAME = "holdem:deck=12,stack=2bb,bets=a,last=turn"
_LINES = (
    "MATCHSTATE:0:0::AcAs|", "MATCHSTATE:1:0:c:|KcKs", "MATCHSTATE:0:0:c:AcAs|:c", "MATCHSTATE:0:99::|", "#x", ";", "",
    "VERSION:2.0.0", "MATCHSTATE:0:0:r99999999999:AcAs|", "MATCHSTATE:-1:x:y:z|w", "MATCHSTATE" + ":" * 70_000,
)  # fmt: skip
Talk = Callable[[socket.socket, random.Random], None]


def _drip(peer: socket.socket, draw: random.Random) -> None:
    """Byte by byte, never a whole line."""
    while True:
        peer.sendall(bytes([draw.choice(b"MATCHSTATE:0 cr/|\r\xff\x00")]))
        time.sleep(0.02)


def _chatter(peer: socket.socket, draw: random.Random) -> None:
    """Lines of all kinds."""
    while True:
        peer.sendall(draw.choice((*_LINES, *JUNK)).encode("utf-8", "replace") + b"\r\n")
        time.sleep(draw.choice((0.0, 0.0, 0.01)))


def _flood(peer: socket.socket, draw: random.Random) -> None:
    """One line that is skipped, as fast as it can be sent."""
    line = draw.choice((b"#\r\n", b"\r\n", b"MATCHSTATE:0:99::|\r\n"))
    while True:
        peer.sendall(line * 1000)


def _silence(peer: socket.socket, draw: random.Random) -> None:
    """Nothing is said or read."""
    time.sleep(10.0)


def _goes(peer: socket.socket, draw: random.Random) -> None:
    """A part of a line, and the end."""
    peer.sendall(draw.choice(_LINES).encode()[: draw.randrange(30)])


_TALKS: tuple[Talk, ...] = (_drip, _chatter, _flood, _silence, _goes)


class Peers:
    """Each case is one connection with one such peer."""

    about = "slow and talkative peers: the end within the time of an answer, in one sentence"
    cases, few = 120, 4
    cpu = 20.0

    def prepare(self, folder: Path) -> None:
        from counterplay.agents.agent import UniformAgent
        from counterplay.poker.whole_game.rules import read_holdem

        self.game, self.agent = read_holdem(_GAME), UniformAgent

    def enter(self, folder: Path) -> None:
        """Nothing is written."""

    def attempt(self, number: int, draw: random.Random) -> Outcome:
        from counterplay.errors import InputError

        talk, greets = draw.choice(_TALKS), draw.random() < 0.7
        name, way = draw.choice((("dealer", self._at_dealer), ("player", self._at_player), ("server", self._at_server)))
        begin, problems = time.monotonic(), list[str]()
        try:
            way(talk, greets, random.Random(draw.random()))
        except InputError as error:
            if not is_plain(str(error)) or len(str(error)) > LONGEST:
                problems.append(f"no sentence: {str(error)[:100]!r}")
        except Exception as error:
            problems.append(blame(error))
        took = time.monotonic() - begin
        if took > 4 * _PATIENCE + _SLACK:  # a version, an answer, what is sent, and the other player
            problems.append(f"{took:.1f} seconds with {_PATIENCE} for an answer")
        return Outcome(tuple(problems), f"{name}: {talk.__name__.strip('_')}, greeting {greets}", kind=name)

    def _at_dealer(self, talk: Talk, greets: bool, draw: random.Random) -> None:
        """Both players at a dealer."""
        from counterplay.protocols.acpc import Dealer, DealerMatch

        dealer = Dealer()
        try:
            for port in dealer.ports:
                threading.Thread(target=_connected, args=(port, talk, greets, draw), daemon=True).start()
            dealer.play(DealerMatch(self.game.limits, self.game.deck, 3, timeout=_PATIENCE))
        finally:
            dealer.close()

    def _at_player(self, talk: Talk, greets: bool, draw: random.Random) -> None:
        """The dealer of a player."""
        from counterplay.protocols.acpc import connect_to, play_at_dealer

        with socket.create_server(("127.0.0.1", 0)) as server:
            threading.Thread(target=_accepted, args=(server, talk, b"", draw), daemon=True).start()
            with connect_to("127.0.0.1", server.getsockname()[1], _PATIENCE) as dealer:
                play_at_dealer(dealer, self.game, lambda seat: self.agent(seat, seat))

    def _at_server(self, talk: Talk, greets: bool, draw: random.Random) -> None:
        """A server in Slumbot's place."""
        from counterplay.protocols.slumbot import SlumbotApi

        head = b"HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n" if greets else b""
        with socket.create_server(("127.0.0.1", 0)) as server:
            threading.Thread(target=_accepted, args=(server, talk, head, draw), daemon=True).start()
            SlumbotApi(f"http://127.0.0.1:{server.getsockname()[1]}", pause=0.0, timeout=_PATIENCE).deal_hand()


def _connected(port: int, talk: Talk, greets: bool, draw: random.Random) -> None:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port)) as peer:
        peer.sendall(b"VERSION:2.0.0\r\n" if greets else b"")
        talk(peer, draw)


def _accepted(server: socket.socket, talk: Talk, greeting: bytes, draw: random.Random) -> None:
    """Talk to each that comes."""
    with suppress(OSError):
        while True:
            peer = server.accept()[0]
            threading.Thread(target=_greeted, args=(peer, talk, greeting, draw), daemon=True).start()


def _greeted(peer: socket.socket, talk: Talk, greeting: bytes, draw: random.Random) -> None:
    with suppress(OSError), peer:
        peer.sendall(greeting)
        talk(peer, draw)
