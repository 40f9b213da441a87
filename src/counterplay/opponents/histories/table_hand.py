"""Records of hands from the statements of a text. At two seats the betting rules replay the hand as a second witness."""

from __future__ import annotations

from counterplay.opponents.histories.amounts import ONE, money
from counterplay.opponents.histories.hand_record import Cards, FileLine, HandError, HoldemHand, TableHand
from counterplay.opponents.histories.hand_text import HandText
from counterplay.opponents.histories.replay import CALL, DEAL, FOLD, RAISE, HandStep, check_cards, replay, settle
from counterplay.opponents.histories.table_replay import HandTable, play
from counterplay.opponents.histories.table_result import TableResult, check_shares, settle_table, smallest_chip
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Kind

_LETTERS = {"f": FOLD, "c": CALL, "r": RAISE, "d": DEAL}


def hand_of(text: HandText, place: FileLine) -> HoldemHand | TableHand:
    """The hand of a text, reconciled with all that it states.

    Raises:
        HandError: a statement that does not fit, or a hand that no record holds.
    """
    table = play(text)
    settled = settle_table(text, table)
    return (
        _two_seats(text, table, settled, place) if len(table.seats) == 2 else _more_seats(text, table, settled, place)
    )


def _scale(amounts: list[int]) -> int:
    """Ten-thousandths in the smallest chip of a hand: the largest power of ten that divides all amounts."""
    scale = ONE
    while scale > 1 and any(chips % scale for chips in amounts):
        scale //= 10
    return scale


def _two_seats(text: HandText, table: HandTable, settled: TableResult, place: FileLine) -> HoldemHand:
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
    raised = [step.number for step in table.steps if step.letter == "r"]
    scale = _scale([*table.stacks, table.big, small, ante, *raised])
    big, small, ante = table.big // scale, small // scale, ante // scale
    stacks = table.stacks[0] // scale, table.stacks[1] // scale
    rules = BettingRules(stacks, blinds=(big, small), ante=ante, min_bet=big, unit=scale / ONE)
    line = replay(rules, [_step(letter, seat, number, scale) for seat, letter, number in table.steps])
    holes = settled.holes[0], settled.holes[1]
    check_cards(line, holes, table.board)
    stake = min(line.end.put)
    for put, paid in zip(table.put, table.antes, strict=True):
        if put + paid != stake * scale:
            raise HandError("betting", f"{money(put + paid)} are put in, where the rules say {money(stake * scale)}")
    first, second = settled.collected
    if first and second and abs(first - second) > 2 * smallest_chip(text):
        raise HandError("result", f"{money(first)} and {money(second)} are collected of one pot")
    won = settle(rules, line, holes, table.board, _stated(settled, rules.chips(stake)))
    if won is None and line.end.kind is Kind.SHOWDOWN:
        raise HandError("result", "the text does not say who collects the pot")
    names = table.names[0], table.names[1]
    return HoldemHand(names, rules, line, holes, table.board, won, text.currency, _key(text), place)


def _step(letter: str, seat: int, number: int, scale: int) -> HandStep:
    return HandStep(None if seat < 0 else seat, _LETTERS[letter], number if letter == "d" else number // scale)


def _stated(settled: TableResult, stake: float) -> float | None:
    """Chips that seat 0 won, by the chips collected: all, nothing, or half of the pot."""
    first, second = settled.collected
    return stake * ((first > 0) - (second > 0)) if first or second else None


def _more_seats(text: HandText, table: HandTable, settled: TableResult, place: FileLine) -> TableHand:
    check_shares(text, table, settled)
    small = min(table.small, table.big)
    scale = _scale([*table.stacks, table.big, small, settled.rake, text.bonus, *settled.collected, *table.put, *table.antes,
                    *table.dead, *[step.number for step in table.steps if step.letter == "r"]])  # fmt: skip

    def chips(amounts: list[int] | tuple[int, ...]) -> tuple[int, ...]:
        return tuple([one // scale for one in amounts])

    dead = [one + ante for one, ante in zip(table.dead, table.antes, strict=True)]
    put = [one + paid for one, paid in zip(table.put, dead, strict=True)]
    steps = tuple([step if step.letter == "d" else step._replace(number=step.number // scale) for step in table.steps])
    holes: tuple[Cards, ...] = settled.holes
    return TableHand(
        tuple(table.names), chips(table.stacks), (table.big // scale, small // scale), chips(dead), chips(table.posts),
        table.button, steps, holes, table.board, chips(put), chips(settled.collected), settled.rake // scale,
        text.bonus // scale, scale / ONE, text.currency, _key(text), place, table.silent,
    )  # fmt: skip


def _key(text: HandText) -> str:
    return f"{text.site} {text.number}" if text.number else ""
