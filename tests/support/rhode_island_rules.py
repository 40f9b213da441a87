"""Rhode Island hold'em written out card by card, in plain Python and with a ranking of its own."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import counterplay as cp

DEALS = (0, 0, 1, 2)
"""The round before which each card is dealt: two hands, the flop, the turn."""


def strength(cards: list[int]) -> tuple[Any, ...]:
    """Of three cards, numbered 4 * rank + suit."""
    ranks = sorted((card // 4 for card in cards), reverse=True)
    ranks = [1, 0, -1] if ranks == [12, 1, 0] else ranks
    one_suit, run = len({card % 4 for card in cards}) == 1, all(a == b + 1 for a, b in pairwise(ranks))
    twice = [rank for rank in ranks if ranks.count(rank) >= 2]
    order = (run and one_suit, len(twice) == 3, run, one_suit, len(twice) == 2)
    return (*order, twice, ranks)


class RhodeIslandRules:
    """A state is (cards, past): past has the words c, r, f of each round so far."""

    def __init__(self, deck: tuple[int, ...], raises: int, ante: int, bets: tuple[int, int, int]) -> None:
        self.name, self.deck, self.raises, self.ante, self.bets = "rhode island", deck, raises, ante, bets

    def root(self) -> Any:
        return (), ("",)

    def _over(self, past: tuple[str, ...]) -> bool:
        """Whether the round is over."""
        return past[-1].endswith("f") or (len(past[-1]) > 1 and past[-1].endswith("c"))

    def player(self, state: Any) -> int:
        cards, past = state
        if len(cards) < 4 and len(past) - 1 >= DEALS[len(cards)]:
            return cp.CHANCE
        return cp.TERMINAL if self._over(past) else len(past[-1]) % 2

    def actions(self, state: Any) -> list[Any]:
        cards, past = state
        if self.player(state) == cp.CHANCE:
            return [card for card in self.deck if card not in cards]
        made = past[-1].count("r")
        return ["f"] * (made > 0) + ["c"] + ["r"] * (made < self.raises)

    def chance(self, state: Any) -> list[float]:
        left = len(self.deck) - len(state[0])
        return [1.0 / left] * left

    def child(self, state: Any, action: Any) -> Any:
        cards, past = state
        if isinstance(action, int):
            return (*cards, action), past
        past = (*past[:-1], past[-1] + action)
        return cards, (*past, "") if self._over(past) and action != "f" and len(past) < 3 else past

    def infoset(self, state: Any, player: int) -> str:
        cards, past = state
        return f"{cards[player : player + 1]} {cards[2:]} {past}"

    def utility(self, state: Any) -> float:
        cards, past = state
        stake = self.ante + sum(bet * word.count("r") for bet, word in zip(self.bets, past, strict=False))
        if past[-1].endswith("f"):  # the folder has not paid the last bet
            stake -= self.bets[len(past) - 1]
            return float(stake if len(past[-1]) % 2 == 0 else -stake)
        first, second = (strength([cards[k], *cards[2:]]) for k in (0, 1))
        return float(stake * ((first > second) - (first < second)))
