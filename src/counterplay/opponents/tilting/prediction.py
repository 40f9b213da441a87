"""How well strategies predict a player's hands: nats a decision over {fold, check or call, bet or raise}, sizes pooled;
beside them the frequencies of each betting line alone, and uniform play.

A strategy is asked in order, knowing what was public before. Where the player's cards are known in every hand it is asked
for these; else for its range, which Bayes' rule carries from decision to decision. Cards that only some hands show are not
used: they are shown because of how the hand was played. Every prediction is mixed with a little of the uniform one, so that
none is impossible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.intervals import half_interval
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.tilting.mapped_hands import MappedDecision, MappedHand, MappedHands, map_hands
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.betting.state import Move
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.lookup import probabilities
from counterplay.poker.whole_game.strategy import BlueprintStrategy

MIXED = 1e-3
"""The weight of the uniform prediction."""
UNIFORM, LINE = "uniform", "line alone"
ALL = "all"
FEWEST = 10
"""Hands from which on a mean has an interval."""
_LEAST = 1e-9


@dataclass(frozen=True)
class HandPrediction:
    """The mean log-likelihood of decisions.

    Attributes:
        name: of the strategy.
        street: or "all".
        decisions: their number.
        nats: mean log-likelihood a decision; 0 is perfect.
        error: half of the 95 % interval, over hands with such a decision; None for fewer than `FEWEST`.
        better: nats a decision more than the first strategy, and `better_error` half of its interval, decision by decision.
    """

    name: str
    street: str
    decisions: int
    nats: float
    error: float | None
    better: float
    better_error: float | None


def predict_hands(
    game: HoldemGame,
    plays: Mapping[str, BlueprintStrategy],
    hands: Iterable[HoldemHand],
    player: str,
    fitted: Iterable[HoldemHand] | None = None,
) -> list[HandPrediction]:
    """The predictions of each strategy, of the betting line alone and of the uniform strategy, by street and over all.
    fitted: hands whose frequencies are the prediction by the betting line alone, such as those that the model was made
    from; None: the halves of `hands` predict each other."""
    lines = None if fitted is None else map_hands(game, fitted, player)
    return predict_mapped(game, plays, map_hands(game, hands, player), lines)


def predict_mapped(
    game: HoldemGame, plays: Mapping[str, BlueprintStrategy], mapped: MappedHands, fitted: MappedHands | None = None
) -> list[HandPrediction]:
    """`predict_hands` of hands in the tree."""
    logs = {name: [_logs(game, play, hand, mapped.all_shown) for hand in mapped.hands] for name, play in plays.items()}
    logs[LINE] = _line_logs(game, mapped.hands, None if fitted is None else fitted.hands)
    logs[UNIFORM] = [_logs(game, None, hand, mapped.all_shown) for hand in mapped.hands]
    streets = [np.array([int(game.betting.street[one.node]) for one in hand.decisions]) for hand in mapped.hands]
    base = next(iter(logs.values()))
    out = []
    for name, found in logs.items():
        for street in (None, *range(game.last + 1)):
            chosen = [np.ones(len(row), bool) if street is None else row == street for row in streets]
            one = [log[mask] for log, mask in zip(found, chosen, strict=True)]
            if not (count := sum(map(len, one))):
                continue
            nats, error = _mean(one)
            better, spread = _mean([log - first[mask] for log, first, mask in zip(one, base, chosen, strict=True)])
            label = ALL if street is None else STREETS[street]
            out.append(HandPrediction(name, label, count, nats, error, better, spread))
    return out


def _mean(rows: list[F64]) -> tuple[float, float | None]:
    """The mean over decisions, and half of its 95 % interval by Student's t, hands being independent of each other."""
    sums, sizes = np.array([row.sum() for row in rows]), np.array([len(row) for row in rows])
    mean, hands = float(sums.sum() / sizes.sum()), int(np.count_nonzero(sizes))
    if hands < FEWEST:
        return mean, None
    error = sqrt(float(((sums - mean * sizes) ** 2).sum()) * hands / (hands - 1)) / float(sizes.sum())
    return mean, half_interval(error, hands)


def _logs(game: HoldemGame, play: BlueprintStrategy | None, hand: MappedHand, cards: bool) -> F64:
    """(decisions,) the log-likelihood of each decision."""
    out, deck = np.zeros(len(hand.decisions)), game.deck
    odds = np.ones(len(deck.hands))
    for k, one in enumerate(hand.decisions):
        kinds = kinds_at(game, one.node)
        if play is None:
            out[k] = -np.log(kinds.any(axis=1).sum())
            continue
        rows: Any = probabilities(game, play, one.node, one.board)
        held = np.zeros(len(odds)) if cards else odds * deck.live(one.board)
        if cards:
            held[deck.hand(*hand.hole)] = 1.0
        by_kind = kinds @ (rows @ held) / max(float(held.sum()), _LEAST)
        by_kind = (1.0 - MIXED) * by_kind / by_kind.sum() + MIXED * kinds.any(axis=1) / kinds.any(axis=1).sum()
        out[k] = np.log(by_kind[np.argmax(kinds[:, one.choice])])
        odds = odds * (rows[one.choice] + _LEAST)
        odds /= odds.sum()
    return out


def _line_logs(game: HoldemGame, hands: Sequence[MappedHand], fitted: Sequence[MappedHand] | None) -> list[F64]:
    """Per hand (decisions,): log-likelihood by the frequencies of kinds of actions at each node, whatever the cards; each
    kind that a node has counts once more. fitted: the hands of the frequencies; None: even and odd hands, the others each.
    """
    parts = [fitted] if fitted is not None else [hands[1::2], hands[::2]]
    seen = [Counter((one.node, _kind(game, one)) for hand in part for one in hand.decisions) for part in parts]
    found = list[F64]()
    for number, hand in enumerate(hands):
        counts, logs = seen[number % len(parts)], list[float]()
        for one in hand.decisions:
            legal = kinds_at(game, one.node).any(axis=1)
            times = np.array([counts[one.node, kind] + 1 for kind in range(len(legal))]) * legal
            logs.append(float(np.log(times[_kind(game, one)] / times.sum())))
        found.append(np.array(logs))
    return found


def _kind(game: HoldemGame, decision: MappedDecision) -> int:
    return int(np.argmax(kinds_at(game, decision.node)[:, decision.choice]))


def kinds_at(game: HoldemGame, node: int) -> Any:
    """(3, actions) whether each action of a decision folds, checks or calls, bets or raises."""
    moves = np.array([int(game.betting.move[child]) for child in game.betting.children(node)])
    passive = np.isin(moves, (Move.CHECK, Move.CALL))
    return np.stack([moves == Move.FOLD, passive, moves >= Move.BET])
