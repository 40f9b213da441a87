"""Random hands of hold'em as records, and samples of every format."""

from __future__ import annotations

import random

from counterplay.opponents.histories.acpc_log import COMPETITION
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.histories.replay import CALL, DEAL, FOLD, RAISE, HandStep, check_cards, replay, settle
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Action, Kind, Move, act, legal, start
from counterplay.poker.whole_game.boards.board import DEALT
from tests.support.random_betting import _choose

NAMES = ("ada", "bob")


def random_rules(rng: random.Random) -> BettingRules:
    """Stacks, blinds and a smallest chip as sites have them."""
    small, big = rng.choice(((10, 25), (1, 2), (50, 100)))
    return BettingRules((rng.randint(2, 200) * big + rng.randint(0, 5), rng.randint(2, 200) * big), blinds=(big, small),
                        min_bet=big, unit=rng.choice((0.01, 1.0)))  # fmt: skip


def random_hand(rng: random.Random, rules: BettingRules = COMPETITION, *, hidden: bool = False) -> HoldemHand:
    """A random hand; hidden: the cards of a player who folded, and sometimes those of one who lost."""
    cards = tuple(rng.sample(range(52), 9))
    state, told, dealt = start(rules), list[HandStep](), 0
    while state.kind <= Kind.DEAL:
        if state.kind is Kind.DEAL:
            dealt += 1
            told.append(HandStep(None, DEAL, DEALT[dealt] - DEALT[dealt - 1]))
            state = act(rules, state, Action(Move.DEAL))
            continue
        choice = _choose(rng, legal(rules, state))
        letter = {"fold": FOLD, "call": CALL}.get(str(choice), RAISE)
        told.append(HandStep(int(state.kind), letter, choice if isinstance(choice, int) else 0))
        move = {FOLD: Move.FOLD, CALL: Move.CALL, RAISE: Move.RAISE}[letter]
        state = act(rules, state, Action(move, told[-1].number))
    if state.kind is Kind.SHOWDOWN:
        told += [HandStep(None, DEAL, DEALT[k] - DEALT[k - 1]) for k in range(dealt + 1, 4)]
    line = replay(rules, told)
    holes = [cards[:2], cards[2:4]]
    board = cards[4 : 4 + DEALT[line.end.street]]
    if hidden:
        holes = [hole if rng.random() < 0.4 else () for hole in holes]
    pair = (holes[0], holes[1])
    check_cards(line, pair, board)
    names = NAMES if rng.random() < 0.5 else NAMES[::-1]
    return HoldemHand(
        names, rules, line, pair, board, settle(rules, line, pair, board), key=f"site {rng.getrandbits(40)}"
    )


SLUMBOT = """\
{"agent": "hunl.cpb", "seat": 1, "action": "b200c/kb300c/kk/kk", "client_pos": 1, "hole_cards": ["Ac", "9d"], "board": ["2c", "7d", "9s", "Kh", "Kd"], "bot_hole_cards": ["Qs", "Qh"], "winnings": -500, "won_pot": 0}
{"agent": "hunl.cpb", "seat": 0, "action": "b300f", "client_pos": 0, "hole_cards": ["Ac", "9d"], "board": [], "bot_hole_cards": ["Qs", "Qh"], "winnings": -100}
{"agent": "hunl.cpb", "seat": 1, "action": "b20000c", "client_pos": 1, "hole_cards": ["Ac", "Ad"], "board": ["2c", "7d", "9s", "Kh", "3d"], "bot_hole_cards": ["Qs", "Qh"], "winnings": 20000}
"""  # noqa: E501 - lines as the server gives them
