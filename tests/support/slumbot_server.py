"""A server on the loopback address that speaks Slumbot's interface, and plays at random with bets of any size."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from counterplay import InputError
from counterplay.poker.betting.line_notation import SLUMBOT, replay_line, write_action
from counterplay.poker.betting.rules import BettingRules, holdem
from counterplay.poker.betting.state import Action, BettingState, Kind, Move, all_in, chips_won, legal
from counterplay.poker.cards.deck import FULL, card_text

RULES = holdem(20_000, blinds=(50, 100))


class SlumbotStandIn:
    """The hands of one session. Attributes: requests: what was posted. broken: answers the next request with a failure."""

    def __init__(self, seed: int = 0) -> None:
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.broken = 0
        self.bad_user_agents = 0
        self._draws, self._hands, self._line = random.Random(seed), 0, ""
        self._cards: list[int] = []

    def answer(self, what: str, content: dict[str, Any]) -> dict[str, Any]:
        self.requests.append((what, content))
        if self._hands and content.get("token") != f"token{self._hands}":
            return {"error_msg": "Missing or old token"}
        if what == "new_hand":
            self._hands, self._line = self._hands + 1, ""
            self._cards = self._draws.sample(FULL.cards, 9)
        elif what == "act":
            try:
                replay_line(RULES, self._line + content["incr"], SLUMBOT)
            except InputError as error:
                return {"error_msg": f"Illegal action: {error}"}
            self._line += content["incr"]
        else:
            return {"error_msg": "Bad password"}
        self._play_on()
        return self._seen()

    @property
    def _client(self) -> int:
        return self._hands % 2

    def _play_on(self) -> None:
        """Deal streets and act for the server until the client has to."""
        while (state := replay_line(RULES, self._line, SLUMBOT).end).kind <= Kind.DEAL and state.kind != self._client:
            action = Action(Move.DEAL) if state.kind is Kind.DEAL else any_action(RULES, state, self._draws)
            self._line += write_action(RULES, state, action, SLUMBOT)

    def _seen(self) -> dict[str, Any]:
        state = replay_line(RULES, self._line, SLUMBOT).end
        over = state.kind is Kind.SHOWDOWN
        line = self._line + "/" * (RULES.last - state.street) * over
        holes, board = (tuple(self._cards[:2]), tuple(self._cards[2:4])), tuple(self._cards[4:])
        shown = board if over else board[: (0, 3, 4, 5)[state.street]]
        answer = {
            "token": f"token{self._hands}", "action": line, "client_pos": self._client,
            "hole_cards": list(map(card_text, holes[self._client])), "board": list(map(card_text, shown)),
        }  # fmt: skip
        if state.kind <= Kind.DEAL:
            return answer
        won = chips_won(RULES, state, holes, board, FULL)
        shown_cards = list(map(card_text, holes[1 - self._client]))
        return answer | {
            "winnings": won if self._client == 0 else -won, "baseline_winnings": self._hands % 2 or None,
            "bot_hole_cards": shown_cards,
        }  # fmt: skip


def any_action(rules: BettingRules, state: BettingState, draws: random.Random) -> Action:
    """A legal action drawn at random: a raise has any size, and is often small."""
    can = legal(rules, state)
    top = min(can.most, all_in(rules, state))
    moves = [Move.CALL if can.call else Move.CHECK] * 3 + [Move.FOLD] * can.fold + [Move.BET] * 2 * bool(can.most)
    move = draws.choice(moves)
    if move is not Move.BET:
        return Action(move)
    least = min(can.least, top)
    to = top if draws.random() < 0.1 else least + int((top - least) * draws.random() ** 6)
    return Action(Move.RAISE if max(state.put) > state.base else Move.BET, to)


@contextmanager
def serve(stand_in: SlumbotStandIn) -> Iterator[str]:
    """The address of the server while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            stand_in.bad_user_agents += not self.headers["User-Agent"].startswith("counterplay/")
            if stand_in.broken:
                stand_in.broken -= 1
                self.send_error(503)
                return
            body = json.dumps(stand_in.answer(self.path.rpartition("/")[2], content)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Tests print nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/api"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
