"""How well a model predicts a bot's held-out decisions, in nats over {fold, check or call, bet or raise}: beside the
frequencies of lines alone, and of lines by ten classes of equity, fitted on the same hands, and beside the bot itself.

    python benchmarks/predict_bot.py [HANDS]                  # the packaged bot plays, all cards seen
    python benchmarks/predict_bot.py FILE... --player NAME    # hands of a file with the player's cards; no bot to compare

Of files three quarters are fitted and the others predicted, in the game at 200 big blinds.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from common import table
from counterplay.intervals import HALF_95
from counterplay.opponents.histories.read_hands import read_hands
from counterplay.opponents.opponent import strategy_of
from counterplay.opponents.tilting.mapped_hands import (
    ALL,
    MappedHand,
    MappedHands,
    draw_hands,
    kinds_at,
    map_hands,
    predict_hands,
)
from counterplay.opponents.tilting.tilted_model import model_of_hands
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay_papers.files import BOT
from counterplay_papers.reproductions.slumbot_hands import FULL as SETTING

CLASSES, RUN_OUTS, LEFT_OUT = 10, 10, 2000
STRENGTHS = (1.0, 3.0, 10.0, 30.0)
"""Decisions that a line is worth in each of its classes; the best on the left-out hands is shown, in their favour."""


class Equities:
    """The share of other hands that a hand beats on the boards that come, by drawn run-outs."""

    def __init__(self, hands: np.ndarray) -> None:
        self._hands, self._rng = hands, np.random.default_rng(0)
        self._known: dict[Any, float] = {}

    def of(self, hole: tuple[int, ...], board: tuple[int, ...]) -> float:
        """From 0 to 1."""
        low, high = sorted(card // 4 for card in hole)
        key = (hole, board) if board else (low, high, hole[0] % 4 == hole[1] % 4)
        if key not in self._known:
            draws = 1 if len(board) == 5 else RUN_OUTS if board else 10 * RUN_OUTS
            self._known[key] = float(np.mean([self._one(hole, board) for _ in range(draws)]))
        return self._known[key]

    def _one(self, hole: tuple[int, ...], board: tuple[int, ...]) -> float:
        gone = {*hole, *board}
        free = [card for card in range(52) if card not in gone]
        full = (*board, *self._rng.choice(free, 5 - len(board), replace=False).tolist())
        live = self._hands[~np.isin(self._hands, [*hole, *full]).any(axis=1)]
        ranks = hand_ranks(full, np.vstack([live, [sorted(hole)]]))
        return float((ranks[:-1] < ranks[-1]).mean() + 0.5 * (ranks[:-1] == ranks[-1]).mean())


class Lines:
    """Counts of kinds of actions by line of betting, and by line and class of equity."""

    def __init__(self, game: Any, equities: Equities) -> None:
        self.game, self._equities = game, equities
        self._kinds: dict[int, np.ndarray] = {}
        self.alone: dict[Any, np.ndarray] = {}
        self.classes: dict[Any, np.ndarray] = {}

    def decisions(self, hands: Sequence[MappedHand]) -> list[tuple[int, int, int, int]]:
        """Hand, node, class and kind of each decision."""
        found = []
        for number, hand in enumerate(hands):
            for one in hand.decisions:
                level = min(CLASSES - 1, int(CLASSES * self._equities.of(hand.hole, one.board)))
                found.append((number, one.node, level, int(np.argmax(self._at(one.node)[:, one.choice]))))
        return found

    def _at(self, node: int) -> np.ndarray:
        if node not in self._kinds:
            self._kinds[node] = kinds_at(self.game, node)
        return self._kinds[node]

    def count(self, decisions: Sequence[tuple[int, int, int, int]]) -> None:
        """Learn from decisions."""
        for _, node, level, kind in decisions:
            for counts, key in ((self.alone, node), (self.classes, (node, level))):
                counts.setdefault(key, np.zeros(3))[kind] += 1.0

    def of_line(self, node: int) -> np.ndarray:
        """(3,) probabilities by the line alone; a line is worth one more decision of each kind that it has."""
        legal = self._at(node).any(axis=1).astype(float)
        seen = self.alone.get(node, np.zeros(3))
        return (seen + legal) / (seen + legal).sum()

    def of_class(self, node: int, level: int, strength: float) -> np.ndarray:
        """(3,) by the line and the class."""
        seen = self.classes.get((node, level), np.zeros(3))
        return (seen + strength * self.of_line(node)) / (seen.sum() + strength)


def row(name: str, decisions: Sequence[tuple[int, int, int, int]], logs: Sequence[float]) -> list[str]:
    """Mean and interval, over hands."""
    number, log = np.array([one[0] for one in decisions]), np.array(logs)
    sums, sizes, mean = np.bincount(number, log), np.bincount(number), log.mean()
    error = HALF_95 * sqrt(float(((sums - mean * sizes) ** 2).sum())) / len(log)
    return [name, f"{-mean:.3f} ± {error:.3f}"]


def compare(fitted: MappedHands, left: MappedHands, bot: Any) -> list[list[str]]:
    """A row for each way to predict."""
    game, prior = SETTING.rules.game, strategy_of(SETTING.rules.game, SETTING.values())
    lines = Lines(game, Equities(game.deck.hands))
    lines.count(lines.decisions(fitted.hands))
    asked = lines.decisions(left.hands)
    rows = [row("line alone", asked, [float(np.log(lines.of_line(n)[k])) for _, n, _, k in asked])]
    by_class = [
        row(
            f"line by {CLASSES} classes of equity",
            asked,
            [float(np.log(lines.of_class(n, c, w)[k])) for _, n, c, k in asked],
        )
        for w in STRENGTHS
    ]
    rows.append(min(by_class, key=lambda one: one[1]))
    plays = {"model": model_of_hands(game, prior, fitted).play, "prior": prior}
    plays |= {} if bot is None else {"the bot itself": bot}
    told = predict_hands(game, plays, left)
    return rows + [[one.name, f"{-one.nats:.3f} ± {one.error or 0.0:.3f}"] for one in told if one.street == ALL]


def main() -> None:
    """The table."""
    asked = argparse.ArgumentParser()
    asked.add_argument("files", nargs="*")
    asked.add_argument("--player")
    found, game = asked.parse_args(), SETTING.rules.game
    if found.player:
        hands = map_hands(game, read_hands([Path(name) for name in found.files]).hands, found.player).hands
        shown = [hand for hand in hands if hand.hole]
        cut = 3 * len(shown) // 4
        rows = compare(MappedHands(tuple(shown[:cut])), MappedHands(tuple(shown[cut:])), None)
    else:
        count = int(found.files[0]) if found.files else 3000
        bot, prior = strategy_of(game, str(BOT.path())), strategy_of(game, SETTING.values())
        drawn = [draw_hands(game, bot, prior, number, "all", seed) for number, seed in ((count, 0), (LEFT_OUT, 1))]
        rows = compare(drawn[0], drawn[1], bot)
    table("nats a decision, smaller is better", ["", "nats"], rows)


if __name__ == "__main__":
    main()
