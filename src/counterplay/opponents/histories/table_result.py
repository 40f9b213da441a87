"""Statements of a text about the end of a hand, compared with the betting: pots, uncalled bets, winners, rake, cards."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay.opponents.histories.amounts import money
from counterplay.opponents.histories.hand_record import Cards, HandError
from counterplay.opponents.histories.hand_text import HandText, StatedAmount
from counterplay.opponents.histories.table_replay import HandTable
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.cards.hand_rank import ranks as hand_ranks

_MOST_RAKE = 0.11
"""The largest share of a pot that may have gone to the house where a text does not state the rake."""


class TableResult(NamedTuple):
    """Chips that each seat collected, after the rake and without uncalled bets; the rake; cards. By seat as in the table."""

    collected: tuple[int, ...]
    rake: int
    holes: tuple[Cards, ...]


def settle_table(text: HandText, table: HandTable) -> TableResult:
    """The result of a hand.

    Raises:
        HandError: a statement of the text does not follow from the betting and the cards.
    """
    place = {seat: k for k, seat in enumerate(table.seats)}
    holes = tuple(text.holes.get(seat, ()) for seat in table.seats)
    _check_cards(text, table, holes)
    _check_returned(text, table, place)
    pot = sum(table.put) + sum(table.antes) + sum(table.dead) + text.bonus
    collected, rake = _collected(text, table, place, pot)
    _check_pot(text, table, pot, rake)
    if text.won_pots and len(text.won_pots) < len(
        _pots(text, table, [k for k, out in enumerate(table.folded) if not out])
    ):
        raise HandError("result", "the text does not say who collects each of the pots", text.collected[-1].line)
    _check_folds(text, table, place)
    _check_bets(text, table, place)
    _check_finals(text, table, place, collected)
    return TableResult(tuple(collected), rake, holes)


def _check_cards(text: HandText, table: HandTable, holes: tuple[Cards, ...]) -> None:
    known = [card for hole in holes for card in hole] + list(table.board)
    if len(set(known)) < len(known):
        raise HandError("cards", "a card is dealt twice")
    for line, board, whole in text.boards:
        if set(board) != set(table.board[: len(board)]) or (whole and len(board) != len(table.board)):
            raise HandError("cards", "this board is not the one that was dealt", line)


def _check_returned(text: HandText, table: HandTable, place: dict[int, int]) -> None:
    if len(text.returned) > 1:
        raise HandError("result", "an uncalled bet is returned twice", text.returned[1].line)
    for line, seat, chips in text.returned:
        if place.get(seat) != table.returned_to or chips != table.returned:
            raise HandError("result", f"an uncalled bet of {money(chips)} is returned, where the betting leaves "
                                      f"{money(table.returned)}", line)  # fmt: skip


def _collected(text: HandText, table: HandTable, place: dict[int, int], pot: int) -> tuple[list[int], int]:
    """Chips that each seat collected, without its uncalled bet, and the rake."""
    got = _sums(text.collected or text.wins, table, place)
    if text.collected and text.wins and got != _sums(text.wins, table, place):
        raise HandError("result", "the summary states other wins than the lines before it", text.wins[0].line)
    line = (text.collected or text.wins or [StatedAmount(0, 0, 0)])[-1].line
    if table.returned and not text.returned and any(got):
        taken = text.rake[1] if text.rake else 0
        with_it = text.wins_include_uncalled or sum(got) + taken == pot + table.returned or sum(got) > pot
        if text.states_uncalled and not with_it:
            raise HandError("result", f"an uncalled bet of {money(table.returned)} is not returned to "
                                      f"{table.names[table.returned_to]}")  # fmt: skip
        if with_it and got[table.returned_to] >= table.returned:
            got[table.returned_to] -= table.returned
    alone = [k for k, folded in enumerate(table.folded) if not folded]
    rake = text.rake[1] if text.rake else pot - sum(got) if any(got) else 0
    states_wins = text.wins_include_uncalled or (text.states_rake and len(table.seats) > 2)
    if not any(got) and text.rake is None and states_wins:  # cut short
        raise HandError("result", f"the text does not say who collects the pot{text.hint}")
    if not any(got):
        got = _by_cards(text, table, alone) if len(alone) > 1 else got
        got[alone[0]] += 0 if len(alone) > 1 else pot - rake
    most = max(_MOST_RAKE * pot, smallest_chip(text)) if table.board and not text.states_rake else 0
    if sum(got) + rake != pot or (text.rake is None and not 0 <= rake <= most):
        raise HandError("result", f"{money(sum(got))} are collected and {money(rake)} go to the house, of a pot of "
                                  f"{money(pot)}", line)  # fmt: skip
    return got, rake


def _sums(stated: list[StatedAmount], table: HandTable, place: dict[int, int]) -> list[int]:
    """Wins by seat."""
    got = [0] * len(table.seats)
    for line, seat, chips in stated:
        k = place.get(seat, -1)
        if k < 0 or table.folded[k]:
            raise HandError("result", "somebody collects who is not in the hand", line)
        got[k] += chips
    return got


def _check_pot(text: HandText, table: HandTable, pot: int, rake: int) -> None:
    if text.pot is not None:
        line, stated = text.pot
        if stated != pot and (text.returned or stated != pot + table.returned):
            raise HandError("result", f"a total pot of {money(stated)}, where the betting makes {money(pot)}", line)
    if text.parts is not None:
        line, stated = text.parts
        if stated not in (pot, pot - rake) and (text.returned or stated - table.returned not in (pot, pot - rake)):
            raise HandError("result", f"main and side pots of {money(stated)}, where the betting makes "
                                      f"{money(pot)}", line)  # fmt: skip


def _check_folds(text: HandText, table: HandTable, place: dict[int, int]) -> None:
    for line, seat, street in text.folds:
        k = place.get(seat, -1)
        if k < 0 or table.folded_on[k] != street:
            raise HandError("betting", f"a fold on the {STREETS[street]} that did not happen", line)


def _check_bets(text: HandText, table: HandTable, place: dict[int, int]) -> None:
    for line, seat, chips in text.bets:
        k = place.get(seat, -1)
        due = 0 if k < 0 else table.put[k] + table.antes[k] + table.dead[k]
        back, ante = table.returned if k == table.returned_to else 0, 0 if k < 0 else table.antes[k]
        if chips not in (due, due + back, due + back + ante, due + back - ante):  # antes of all-ins: twice, or never
            raise HandError("result", f"{money(chips)} are put in, where the betting makes {money(due)}", line)


def _check_finals(text: HandText, table: HandTable, place: dict[int, int], collected: list[int]) -> None:
    for line, seat, chips in text.finals:
        k = place.get(seat, -1)
        due = text.stacks[seat] if k < 0 else text.stacks[seat] - table.stacks[k] + table.left[k] + collected[k]
        if chips != due:
            raise HandError("result", f"a stack of {money(chips)} at the end, where the betting leaves "
                                      f"{money(due)}", line)  # fmt: skip


def _ranks(table: HandTable, holes: tuple[Cards, ...], alive: list[int]) -> dict[int, int]:
    """Ranks of the known hands at a showdown; {} where there are fewer than two."""
    known = [k for k in alive if holes[k]]
    if len(known) < 2 or len(table.board) < 5:
        return {}
    return dict(zip(known, hand_ranks(np.array([holes[k] + table.board for k in known])).tolist(), strict=True))


def _by_cards(text: HandText, table: HandTable, alive: list[int]) -> list[int]:
    """Chips that each seat collects by the cards, where all are known and there is no rake."""
    holes = tuple(text.holes.get(seat, ()) for seat in table.seats)
    ranks = _ranks(table, holes, alive)
    if len(ranks) < len(alive) or (text.rake is not None and text.rake[1]):
        raise HandError("result", f"the text does not say who collects the pot{text.hint}")
    got = [0] * len(table.seats)
    for chips, players in _pots(text, table, alive):
        winners = [k for k in players if ranks[k] == max(ranks[j] for j in players)]
        for k in winners:
            got[k] += chips // len(winners)
        got[winners[0]] += chips % len(winners)
    return got


def check_shares(text: HandText, table: HandTable, settled: TableResult) -> None:
    """Reject winners that the cards contradict: in each pot the best of the known hands wins, unless a hidden one does.

    Raises:
        HandError: see above.
    """
    alive = [k for k, folded in enumerate(table.folded) if not folded]
    ranks = _ranks(table, settled.holes, alive)
    least, most = [0] * len(table.seats), [0] * len(table.seats)
    for chips, players in _pots(text, table, alive):
        best = max([ranks[k] for k in players if k in ranks], default=-1)
        winners = [k for k in players if k not in ranks or ranks[k] == best]
        for k in winners:
            most[k] += chips if len(winners) == 1 or len(ranks) < len(alive) else -(-chips // len(winners))
            if len(ranks) == len(alive) or len(winners) == 1:
                least[k] += chips // len(winners)
    spread = len(alive) * smallest_chip(text)
    for k in alive:
        got, taken = settled.collected[k], settled.rake if text.rake is not None else int(_MOST_RAKE * least[k])
        if not least[k] - taken - spread <= got <= most[k] + spread:
            line = text.collected[-1].line if text.collected else 0
            raise HandError("result", f"{table.names[k]} collects {money(got)}, where the cards give "
                                      f"{money(most[k] if got > most[k] else least[k])}", line)  # fmt: skip


def smallest_chip(text: HandText) -> int:
    """The smallest chip that pots are split into, in ten-thousandths: a hundredth, or the small blind's power of ten."""
    return 100 if any(stack % 10_000 for stack in text.stacks) or text.currency else 10_000


def _pots(text: HandText, table: HandTable, alive: list[int]) -> list[tuple[int, list[int]]]:
    """Main and side pots with the players who may win them. Dead blinds belong to the main pot."""
    paid = [put + ante for put, ante in zip(table.put, table.antes, strict=True)]
    levels = sorted({paid[k] for k in alive})
    pots, below = list[tuple[int, list[int]]](), 0
    for level in levels:
        chips = sum([min(put, level) - min(put, below) for put in paid])
        if level == levels[-1]:
            chips += sum([put - level for put in paid if put > level])
        pots.append((chips, [k for k in alive if paid[k] >= level]))
        below = level
    chips, players = pots[0]
    pots[0] = chips + sum(table.dead) + text.bonus, players
    return pots
