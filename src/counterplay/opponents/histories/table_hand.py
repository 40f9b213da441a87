"""Records of hands from the statements of a text: all that it states about the end of a hand is compared with the betting.

At two seats the betting rules replay the hand as a second witness.
"""

from __future__ import annotations

import numpy as np

from counterplay.opponents.histories.hand_record import Act, FileLine, HandError, HandStep, HoldemHand, TableHand
from counterplay.opponents.histories.hand_text import ONE, HandText, StatedAmount, money
from counterplay.opponents.histories.replay import check_cards, replay, settle
from counterplay.opponents.histories.table_replay import HandTable, play
from counterplay.poker.betting.rules import STREETS, BettingRules
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.hand_rank import ranks as hand_ranks

_MOST_RAKE = 0.11
"""The largest share of a pot that may have gone to the house where a text does not state the rake."""


def hand_of(text: HandText, place: FileLine) -> HoldemHand | TableHand:
    """The hand of a text; a HandError for a statement that does not fit, or a hand that no record holds."""
    table = play(text)
    known = [card for hole in table.holes for card in hole] + list(table.board)
    if len(set(known)) < len(known):
        raise HandError("cards", "a card is dealt twice")
    for line, board, whole in text.boards:
        if set(board) != set(table.board[: len(board)]) or (whole and len(board) != len(table.board)):
            raise HandError("cards", "this board is not the one that was dealt", line)
    if len(text.returned) > 1:
        raise HandError("result", "an uncalled bet is returned twice", text.returned[1].line)
    for line, seat, chips in text.returned:
        if table.place.get(seat) != table.returned_to or chips != table.returned:
            raise HandError("result", f"an uncalled bet of {money(chips)} is returned, where the betting leaves "
                                      f"{money(table.returned)}", line)  # fmt: skip
    pot = table.pot + text.bonus
    collected, rake = _collected(text, table, pot)
    if text.pot is not None:
        line, chips = text.pot
        if chips != pot and (text.returned or chips != pot + table.returned):
            raise HandError("result", f"a total pot of {money(chips)}, where the betting makes {money(pot)}", line)
    if text.parts is not None:
        line, chips = text.parts
        if chips not in (pot, pot - rake) and (text.returned or chips - table.returned not in (pot, pot - rake)):
            raise HandError("result", f"main and side pots of {money(chips)}, where the betting makes "
                                      f"{money(pot)}", line)  # fmt: skip
    if text.won_pots and len(text.won_pots) < len(_pots(text, table)):
        raise HandError("result", "the text does not say who collects each of the pots", text.collected[-1].line)
    _check_seats(text, table, collected)
    key = f"{text.site} {text.number}" if text.number else ""
    if len(table.seats) == 2:
        return _two_seats(text, table, collected, key, place)
    _check_shares(text, table, collected, rake)
    return _more_seats(text, table, collected, rake, key, place)


def scale_of(amounts: list[int]) -> int:
    """Ten-thousandths in the smallest chip of a hand: the largest power of ten that divides all amounts."""
    scale = ONE
    while scale > 1 and any(chips % scale for chips in amounts):
        scale //= 10
    return scale


def _scaled(steps: list[HandStep], scale: int) -> tuple[HandStep, ...]:
    return tuple([step if step.letter == Act.DEAL else step._replace(number=step.number // scale) for step in steps])


def _two_seats(text: HandText, table: HandTable, collected: list[int], key: str, place: FileLine) -> HoldemHand:
    ante = max(table.antes)
    if any(table.dead) or any(paid != min(ante, stack) for paid, stack in zip(table.antes, table.stacks, strict=True)):
        raise HandError("stakes", f"antes of {' and '.join(map(money, table.antes))} and dead chips of "
                                  f"{money(sum(table.dead))}: heads-up hands have equal antes")  # fmt: skip
    if text.bonus:
        raise HandError("stakes", f"the house adds {money(text.bonus)} to the pot")
    if table.button != 1 or min(table.stacks) <= ante:
        raise HandError("stakes", "the button is at an empty seat, or an ante takes a whole stack")
    small = min(table.small, table.big)
    due = [min(blind, stack - ante) for blind, stack in zip((table.big, small), table.stacks, strict=True)]
    if table.posts != due or not small:
        raise HandError("stakes", f"{table.names[0]} posts {money(table.posts[0])} and {table.names[1]} "
                                  f"{money(table.posts[1])}, where the blinds are {money(table.big)} and "
                                  f"{money(small)} on the button; straddles are not read heads-up")  # fmt: skip
    raised = [step.number for step in table.steps if step.letter == Act.RAISE]
    scale = scale_of([*table.stacks, table.big, small, ante, *raised])
    big, small, ante = table.big // scale, small // scale, ante // scale
    stacks = table.stacks[0] // scale, table.stacks[1] // scale
    rules = BettingRules(stacks, blinds=(big, small), ante=ante, min_bet=big, unit=scale / ONE)
    line = replay(rules, _scaled(table.steps, scale))
    holes = table.holes[0], table.holes[1]
    check_cards(line, holes, table.board)
    stake = min(line.end.put)
    for put, paid in zip(table.put, table.antes, strict=True):
        if put + paid != stake * scale:
            raise HandError("betting", f"{money(put + paid)} are put in, where the rules say {money(stake * scale)}")
    first, second = collected
    if first and second and abs(first - second) > 2 * _smallest_chip(text):
        raise HandError("result", f"{money(first)} and {money(second)} are collected of one pot")
    stated = rules.chips(stake) * ((first > 0) - (second > 0)) if first or second else None
    won = settle(rules, line, holes, table.board, stated)
    if won is None and line.end.kind is Kind.SHOWDOWN:
        raise HandError("result", "the text does not say who collects the pot")
    names = table.names[0], table.names[1]
    return HoldemHand(names, rules, line, holes, table.board, won, text.currency, key, place)


def _more_seats(
    text: HandText, table: HandTable, collected: list[int], rake: int, key: str, place: FileLine
) -> TableHand:
    small = min(table.small, table.big)
    scale = scale_of([*table.stacks, table.big, small, rake, text.bonus, *collected, *table.put, *table.antes,
                    *table.dead, *[step.number for step in table.steps if step.letter == Act.RAISE]])  # fmt: skip

    def chips(amounts: list[int] | tuple[int, ...]) -> tuple[int, ...]:
        return tuple([one // scale for one in amounts])

    dead = [one + ante for one, ante in zip(table.dead, table.antes, strict=True)]
    put = [one + paid for one, paid in zip(table.put, dead, strict=True)]
    return TableHand(
        tuple(table.names), chips(table.stacks), (table.big // scale, small // scale), chips(dead), chips(table.posts),
        table.button, _scaled(table.steps, scale), table.holes, table.board, chips(put), chips(collected), rake // scale,
        text.bonus // scale, scale / ONE, text.currency, key, place, table.silent,
    )  # fmt: skip


def _collected(text: HandText, table: HandTable, pot: int) -> tuple[list[int], int]:
    """Chips that each seat collected, without its uncalled bet, and the rake."""
    got = _sums(text.collected or text.wins, table)
    if text.collected and text.wins and got != _sums(text.wins, table):
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
    rake = text.rake[1] if text.rake else pot - sum(got) if any(got) else 0
    states_wins = text.wins_include_uncalled or (text.states_rake and len(table.seats) > 2)
    if not any(got) and text.rake is None and states_wins:  # cut short
        raise HandError("result", f"the text does not say who collects the pot{text.hint}")
    if not any(got):
        if table.one_left:
            got[table.alive[0]] = pot - rake
        else:
            # Chips that each seat collects by the cards, where all are known and there is no rake.
            ranks = _ranks(table)
            if len(ranks) < len(table.alive) or (text.rake is not None and text.rake[1]):
                raise HandError("result", f"the text does not say who collects the pot{text.hint}")
            got = [0] * len(table.seats)
            for chips, players in _pots(text, table):
                winners = [k for k in players if ranks[k] == max(ranks[j] for j in players)]
                for k in winners:
                    got[k] += chips // len(winners)
                got[winners[0]] += chips % len(winners)
    most = max(_MOST_RAKE * pot, _smallest_chip(text)) if table.board and not text.states_rake else 0
    if sum(got) + rake != pot or (text.rake is None and not 0 <= rake <= most):
        raise HandError("result", f"{money(sum(got))} are collected and {money(rake)} go to the house, of a pot of "
                                  f"{money(pot)}", line)  # fmt: skip
    return got, rake


def _sums(stated: list[StatedAmount], table: HandTable) -> list[int]:
    """Wins by seat."""
    got = [0] * len(table.seats)
    for line, seat, chips in stated:
        k = table.place.get(seat, -1)
        if k < 0 or table.folded[k]:
            raise HandError("result", "somebody collects who is not in the hand", line)
        got[k] += chips
    return got


def _check_seats(text: HandText, table: HandTable, collected: list[int]) -> None:
    """Reject folds, chips put in and stacks at the end of seats that the betting does not lead to."""
    for line, seat, street in text.folds:
        k = table.place.get(seat, -1)
        if k < 0 or table.folded_on[k] != street:
            raise HandError("betting", f"a fold on the {STREETS[street]} that did not happen", line)
    for line, seat, chips in text.bets:
        k = table.place.get(seat, -1)
        due = 0 if k < 0 else table.put[k] + table.antes[k] + table.dead[k]
        back, ante = table.returned if k == table.returned_to else 0, 0 if k < 0 else table.antes[k]
        if chips not in (due, due + back, due + back + ante, due + back - ante):  # antes of all-ins: twice, or never
            raise HandError("result", f"{money(chips)} are put in, where the betting makes {money(due)}", line)
    for line, seat, chips in text.finals:
        k = table.place.get(seat, -1)
        due = text.stacks[seat] if k < 0 else text.stacks[seat] - table.stacks[k] + table.left[k] + collected[k]
        if chips != due:
            raise HandError("result", f"a stack of {money(chips)} at the end, where the betting leaves "
                                      f"{money(due)}", line)  # fmt: skip


def _ranks(table: HandTable) -> dict[int, int]:
    """Ranks of the known hands at a showdown; {} where there are fewer than two."""
    known = [k for k in table.alive if table.holes[k]]
    if len(known) < 2 or len(table.board) < 5:
        return {}
    return dict(zip(known, hand_ranks(np.array([table.holes[k] + table.board for k in known])).tolist(), strict=True))


def _check_shares(text: HandText, table: HandTable, collected: list[int], rake: int) -> None:
    """Reject winners that the cards contradict: in each pot the best of the known hands wins, unless a hidden one does."""
    alive, ranks = table.alive, _ranks(table)
    least, most = [0] * len(table.seats), [0] * len(table.seats)
    for chips, players in _pots(text, table):
        best = max([ranks[k] for k in players if k in ranks], default=-1)
        winners = [k for k in players if k not in ranks or ranks[k] == best]
        for k in winners:
            most[k] += chips if len(winners) == 1 or len(ranks) < len(alive) else -(-chips // len(winners))
            if len(ranks) == len(alive) or len(winners) == 1:
                least[k] += chips // len(winners)
    spread = len(alive) * _smallest_chip(text)
    for k in alive:
        got, taken = collected[k], rake if text.rake is not None else int(_MOST_RAKE * least[k])
        if not least[k] - taken - spread <= got <= most[k] + spread:
            line = text.collected[-1].line if text.collected else 0
            raise HandError("result", f"{table.names[k]} collects {money(got)}, where the cards give "
                                      f"{money(most[k] if got > most[k] else least[k])}", line)  # fmt: skip


def _smallest_chip(text: HandText) -> int:
    """The smallest chip that pots are split into, in ten-thousandths: a hundredth, or the small blind's power of ten."""
    return 100 if any(stack % 10_000 for stack in text.stacks) or text.currency else 10_000


def _pots(text: HandText, table: HandTable) -> list[tuple[int, list[int]]]:
    """Main and side pots with the players who may win them. Dead blinds belong to the main pot."""
    alive, paid = table.alive, [put + ante for put, ante in zip(table.put, table.antes, strict=True)]
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
