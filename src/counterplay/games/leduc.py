"""Leduc poker: one private card per player, one public card, two rounds of betting, ante 1."""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.errors import InputError, quoted
from counterplay.games.game import CHANCE, TERMINAL
from counterplay.games.kernel_rules import FastGame, State, rule
from counterplay.games.spec_text import spec_of
from counterplay.texts.readers import whole_of

FOLD, CALL, RAISE = 0, 1, 2
# A state: cards of the players and the board (0 = not dealt), phase, moves in this round, raises in rounds 1 and 2,
# and for the labels all moves so far, two bits each after a leading 1, with 3 for the public card.
CARD, BOARD, PHASE, MOVES, RAISES, PAST, SIZE = 0, 2, 3, 4, 5, 7, 8
FIELDS = ("card 0", "card 1", "board", "phase", "moves", "raises 1", "raises 2", "past")
ROUND_1, ROUND_2, SHOWDOWN, FOLDED = 0, 1, 2, 3  # phases; FOLDED + i = player i folded
DEAL = 3
RANKS, SUITS = "23456789TJQK", "shdc"


class Rules(NamedTuple):
    """Parameters of Leduc poker; `merged`: chance deals ranks, not cards."""

    ranks: int
    suits: int
    bet_1: int
    bet_2: int
    cap: int
    merged: int
    size: int
    branching: int
    depth: int


def make(ranks: int = 3, suits: int = 2, *, bets: str = "2/4", cap: int = 2, merged: bool = False) -> FastGame:
    """Leduc poker.

    Args:
        ranks: number of ranks; three are J, Q, K.
        suits: cards of each rank.
        bets: the bet size of rounds 1 and 2.
        cap: the most bets in a round: a bet and `cap` - 1 raises.
        merged: deal ranks with the right probabilities instead of cards; since suits never matter, this is the same
            game in a smaller tree.
    """
    if not 2 <= ranks <= len(RANKS):
        raise InputError(f"leduc: ranks must be between 2 and {len(RANKS)}, not {ranks}")
    if not 1 <= suits <= len(SUITS) or ranks * suits < 3:
        raise InputError(f"leduc: suits must be between 1 and {len(SUITS)} and give at least 3 cards, not {suits}")
    if not 1 <= cap <= 12:
        raise InputError(f"leduc: cap must be between 1 and 12, not {cap}")
    sizes = [whole_of(word) or 0 for word in bets.split("/")]
    if len(sizes) != 2 or not all(0 < size <= 10**6 for size in sizes):
        raise InputError(f"leduc: bets must be two whole numbers of at least 1 such as 2/4, not {quoted(bets)}")
    branching = max(3, ranks if merged else ranks * suits)
    rules = Rules(ranks, suits, sizes[0], sizes[1], cap, int(merged), SIZE, branching, depth=2 * cap + 7)
    return FastGame(spec_of("leduc", make, ranks=ranks, suits=suits, bets=bets, cap=cap, merged=merged), rules)


@rule
def start(rules: Any, state: State) -> None:
    state[:] = 0
    state[PAST] = 1


@rule
def player(rules: Any, state: State) -> int:
    phase = state[PHASE]
    if phase >= SHOWDOWN:
        return TERMINAL
    if state[CARD + 1] == 0 or (phase == ROUND_2 and state[BOARD] == 0):
        return CHANCE
    return int(state[MOVES]) & 1


@rule
def _rank(rules: Any, card: int) -> int:
    return card if rules.merged else (card - 1) // int(rules.suits) + 1


@rule
def _deal(rules: Any, state: State, out: State, chance: Any) -> int:
    """Deal a card: numbers from 1, rank by rank; with merged suits a number is a whole rank."""
    kinds = rules.ranks if rules.merged else rules.ranks * rules.suits
    copies = rules.suits if rules.merged else 1
    left = float(rules.ranks * rules.suits - (state[CARD] != 0) - (state[CARD + 1] != 0))
    n = 0
    for card in range(1, kinds + 1):
        here = copies - (state[CARD] == card) - (state[CARD + 1] == card)
        if here > 0:
            out[n], chance[n] = card, here / left
            n += 1
    return n


@rule
def actions(rules: Any, state: State, out: State, chance: Any) -> int:
    phase = state[PHASE]
    if state[CARD + 1] == 0 or (phase == ROUND_2 and state[BOARD] == 0):
        return int(_deal(rules, state, out, chance))
    raises = state[RAISES + phase]
    n = 0
    if raises > 0:
        out[n] = FOLD
        n += 1
    out[n] = CALL
    n += 1
    if raises < rules.cap:
        out[n] = RAISE
        n += 1
    return n


@rule
def step(rules: Any, state: State, action: int, seen: State) -> None:
    # Private cards, player 0's first.
    if state[CARD + 1] == 0:
        seat = 0 if state[CARD] == 0 else 1
        state[CARD + seat] = action
        seen[seat] = action
        return
    # The public card; the past takes two bits for each move.
    phase = state[PHASE]
    if phase == ROUND_2 and state[BOARD] == 0:
        state[BOARD] = action
        state[PAST] = state[PAST] << 2 | DEAL
        seen[0] = seen[1] = action
        return
    # A move: player 0 opens both rounds, so the number of moves says who acts.
    actor = state[MOVES] & 1
    seen[1 - actor] = action + 1
    state[PAST] = state[PAST] << 2 | action
    if action == FOLD:
        state[PHASE] = FOLDED + actor
    elif action == CALL and state[MOVES] > 0:
        state[PHASE] = phase + 1
        state[MOVES] = 0
    else:
        state[MOVES] += 1
        state[RAISES + phase] += action == RAISE


@rule
def utility(rules: Any, state: State) -> float:
    stake: float = 1.0 + rules.bet_1 * state[RAISES] + rules.bet_2 * state[RAISES + 1]
    phase = state[PHASE]
    if phase >= FOLDED:  # the folder has not paid the last bet
        lost: float = stake - (rules.bet_2 if state[BOARD] != 0 else rules.bet_1)
        return -lost if phase == FOLDED else lost
    first, second = _rank(rules, state[CARD]), _rank(rules, state[CARD + 1])
    board = _rank(rules, state[BOARD])
    if first == second:
        return 0.0
    return stake if first == board or (second != board and first > second) else -stake


def card_name(rules: Rules, card: int) -> str:
    """A card as text: `Js`, or only the rank with merged suits."""
    rank, suit = (card - 1, -1) if rules.merged else divmod(card - 1, rules.suits)
    return RANKS[len(RANKS) - rules.ranks + rank] + ("" if suit < 0 else SUITS[suit])


def infoset_label(rules: Rules, state: State, player: int) -> str:
    """The player's card, the moves of round 1 (fold, call or check, raise), the board, round 2: `Js crc Kh r`."""
    if state[CARD + player] == 0:
        return "start"
    return " ".join([card_name(rules, int(state[CARD + player])), *_public(rules, state)])


def public_label(rules: Rules, state: State) -> str:
    """The moves of round 1, the board, round 2: `crc Kh r`."""
    return " ".join(_public(rules, state)) or "start"


def _public(rules: Rules, state: State) -> list[str]:
    past = int(state[PAST])
    moves = "".join("fcr."[past >> 2 * i & 3] for i in reversed(range((past.bit_length() - 1) // 2)))
    first, dealt, second = moves.partition(".")
    board = card_name(rules, int(state[BOARD])) if dealt else ""
    return [word for word in (first, board, second) if word]


def action_label(rules: Rules, state: State, action: int) -> str:
    if player(rules, state) == CHANCE:
        return f"Deal:{card_name(rules, action)}"
    return ("Fold", "Call", "Raise")[action]


def network_sizes(rules: Rules) -> tuple[int, int]:
    """The seat; card and rank of both own and public card; a pair; each move of both rounds."""
    cards = rules.ranks * (1 if rules.merged else rules.suits)
    return 2 + 2 * (cards + rules.ranks) + 1 + 2 * 3 * (rules.cap + 1), 3


@rule
def observe(rules: Any, state: State, player: int, out: Any) -> None:
    out[player] = 1.0
    kinds, place = rules.ranks * (1 if rules.merged else rules.suits), 2
    own, board = state[CARD + player], state[BOARD]
    for card in (own, board):
        if card > 0:
            out[place + card - 1] = 1.0
            out[place + kinds + _rank(rules, card) - 1] = 1.0
        place += kinds + rules.ranks
    if own > 0 and board > 0 and _rank(rules, own) == _rank(rules, board):
        out[place] = 1.0
    place += 1
    # The past holds two bits a move, the latest lowest, behind a leading 1.
    moves = 0
    while state[PAST] >> 2 * moves > 1:
        moves += 1
    turn, base = 0, place
    for k in range(moves - 1, -1, -1):
        move = state[PAST] >> 2 * k & 3
        if move == DEAL:
            turn, base = 0, place + 3 * (rules.cap + 1)
        elif turn <= rules.cap:
            out[base + 3 * turn + move] = 1.0
            turn += 1


def value_sizes(rules: Rules) -> tuple[int, int]:
    """Return whether the public card is dealt; the bets of each round, the moves of the present one; the own card."""
    return 1 + 2 * (rules.cap + 1) + rules.cap + 2, 1 + rules.ranks * (1 if rules.merged else rules.suits)


def public_numbers(rules: Rules, state: State) -> list[float]:
    """Neither suits nor ranks of the public card matter, since private cards are numbered by what they are beside it."""
    raises = [[float(state[RAISES + turn] == k) for k in range(rules.cap + 1)] for turn in (0, 1)]
    moves = [float(state[MOVES] == k) for k in range(rules.cap + 2)]
    return [float(state[BOARD] != 0), *raises[0], *raises[1], *moves]


def private_number(rules: Rules, state: State, player: int) -> int:
    """The own card, from 1; beside a public card, lower ranks, higher ranks, and pairs last; 0 before the deal."""
    card, board, suits = int(state[CARD + player]), int(state[BOARD]), 1 if rules.merged else rules.suits
    if card == 0 or board == 0:
        return card
    (rank, suit), (other, used) = divmod(card - 1, suits), divmod(board - 1, suits)
    if rank == other:
        return 1 + (rules.ranks - 1) * suits + suit - int(suit > used)
    return 1 + (rank - int(rank > other)) * suits + suit
