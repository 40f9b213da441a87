"""Real hands as decisions of a betting tree: bets of any size become those of the tree (Ganzfried and Sandholm 2013).

Hands are compared in big blinds. Hands whose stacks are too different from the game's, and what is played after a hand has
left the tree, are left out and counted.

Strategies predict hands with so many nats a decision over {fold, check or call, bet or raise}, sizes pooled; beside
them stand the frequencies of each betting line alone, and uniform play. A strategy predicts in order, knowing what was
public before. Where the player's cards are known in every hand it predicts for these; else for its range, which Bayes'
rule carries from decision to decision. Cards that only some hands show are not used: they are shown because of how the
hand was played. Every prediction is mixed with a little of the uniform one, so that none is impossible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import log
from typing import Any

import numpy as np

from counterplay.arrays import F64, Flags
from counterplay.errors import InputError
from counterplay.intervals import half_interval
from counterplay.opponents.counting.estimate import nats_a_decision
from counterplay.opponents.counting.terminal_infosets import HIDDEN, SHOWN, checked_reveal
from counterplay.opponents.histories.hand_record import Cards, HoldemHand
from counterplay.opponents.villain.seen_decisions import hands_in_seat
from counterplay.poker.betting.line_notation import translate_line
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.betting.state import Kind, Move
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.row_models import HandDraw
from counterplay.poker.whole_game.strategy import BlueprintStrategy, probabilities

STACKS = 2.0
"""The most by which the effective stack may differ from the game's, as a factor."""
_NEVER = 1e-300


@dataclass(frozen=True, slots=True)
class MappedDecision:
    """A decision of the player. node: of the betting tree. choice: number of the action. board: its cards."""

    node: int
    choice: int
    board: Cards


@dataclass(frozen=True, slots=True)
class MappedHand:
    """A hand of a player. seat: the player's. decisions: in order; at least one. hole: the player's cards; () if they
    are hidden. dead: cards that the player cannot have: the final board, and what the other showed. beaten: the other's
    cards where the player's hidden ones lost to them or tied; else (). board: the final one."""

    seat: int
    decisions: tuple[MappedDecision, ...]
    hole: Cards
    dead: Cards
    beaten: Cards
    board: Cards


@dataclass
class MappedHands:
    """Hands of a player in a tree. hands: those with a decision. left_out: hands and decisions that were not used, by
    reason. mapped: bets by both players that the tree does not have. bets: all bets by both players."""

    hands: tuple[MappedHand, ...]
    left_out: Counter[str] = field(default_factory=Counter)
    mapped: int = 0
    bets: int = 0

    @property
    def decisions(self) -> int:
        return sum(len(hand.decisions) for hand in self.hands)

    @property
    def all_shown(self) -> bool:
        """Return whether the player's cards are known in every hand."""
        return all(hand.hole for hand in self.hands)

    @property
    def about(self) -> str:
        """How many hands and decisions, and in how many the player's cards are known."""
        known = "all cards known" if self.all_shown else f"cards known in {sum(bool(h.hole) for h in self.hands):,}"
        return f"{len(self.hands):,} hands, {self.decisions:,} decisions, {known}"


def map_hands(game: HoldemGame, hands: Iterable[HoldemHand], player: str) -> MappedHands:
    """The hands of a player in a no-limit game; those of other players are passed over. An InputError if there are none that
    the game can hold."""
    seen = MappedHands(())
    mapped = [map_hand(game, hand, seat, seen) for hand, seat in hands_in_seat(hands, player)]
    seen.hands = tuple(hand for hand in mapped if hand is not None)
    if not seen.hands:
        why = ", ".join(f"{count:,} {reason}" for reason, count in seen.left_out.items()) or "there are no hands"
        raise InputError(f"no hands of {player!r} fit the game: {why}")
    return seen


def misfit(game: HoldemGame, hand: HoldemHand) -> str:
    """Why a game cannot hold a hand, as a kind of hands; "" if it can."""
    if hand.deck != game.deck or hand.rules.last != game.last or hand.rules.bets is not None:
        return "hands of another deck, last street or of limit hold'em"
    own, stack = (min(rules.stacks) / max(rules.blinds) for rules in (game.betting.rules, hand.rules))
    if not own / STACKS <= stack <= own * STACKS:
        return f"hands with stacks not within a factor of {STACKS:g} of the game's"
    return ""


def map_hand(game: HoldemGame, hand: HoldemHand, seat: int, seen: MappedHands) -> MappedHand | None:
    """A hand of the player in a seat; None if it has no decision in the tree. seen: counts bets and what is left out."""
    if why := misfit(game, hand):
        seen.left_out[why] += 1
        return None
    tree, steps, decisions = game.betting, hand.line.steps, list[MappedDecision]()
    for (state, _), one in zip(steps, translate_line(tree, steps, hand.rules), strict=False):
        seen.bets += one.share is not None
        seen.mapped += one.mapped
        if one.child is None:
            seen.left_out["hands that leave the tree, from there on"] += 1
        elif state.kind == seat:
            cards = hand.board[: DEALT[state.street]]
            board = (*sorted(cards[: DEALT[1]]), *cards[DEALT[1] :])
            decisions.append(MappedDecision(one.node, int(tree.action[one.child]), board))
    if not decisions:
        seen.left_out["hands without a decision of the player"] += 1
        return None
    hole, other = hand.holes[seat], hand.holes[1 - seat]
    beaten = other if hand.line.end.kind is Kind.SHOWDOWN and not hole else ()
    return MappedHand(seat, tuple(decisions), hole, tuple(sorted((*hand.board, *other))), beaten, hand.board)


def draw_hands(
    game: HoldemGame, player: BlueprintStrategy, other: BlueprintStrategy, hands: int, reveal: str, seed: int = 0
) -> MappedHands:
    """Hands of a player, who sits in both seats in turn, as the other player sees them: for experiments with models."""
    checked_reveal(reveal)
    draw, found = HandDraw(game, seed), list[MappedHand]()
    for number in range(hands):
        seat = number % 2
        one = draw.hand((player, other) if seat == 0 else (other, player))
        decisions = tuple(MappedDecision(at.node, at.choice, at.board) for at in one.choices if at.player == seat)
        if decisions:
            down = game.betting.kind[one.ended] == Kind.SHOWDOWN
            hole = one.holes[seat] if reveal == SHOWN or (down and reveal != HIDDEN) else ()
            dead = tuple(sorted((*one.board, *one.holes[1 - seat])))
            found.append(MappedHand(seat, decisions, hole, dead, (), one.board))
    return MappedHands(tuple(found))


def holdings(game: HoldemGame, hand: MappedHand) -> Flags:
    """(hands of the deck,) what the player may hold: no card that is seen elsewhere, and after a lost showdown nothing that
    would have won."""
    may = game.deck.live(hand.dead)
    if hand.beaten:
        live = np.flatnonzero(may)
        ranks = hand_ranks(hand.board, np.vstack([game.deck.hands[live], [hand.beaten]]), deck=game.deck)
        may = may.copy()
        may[live[ranks[:-1] > ranks[-1]]] = False
    return may


def log_likelihood(game: HoldemGame, play: BlueprintStrategy, hand: MappedHand, soft: float = 0.0) -> float:
    """The logarithm of the probability of a player's actions in a hand, and of the cards as far as they are known, up to a
    number that all strategies share; hidden cards are summed over. soft: share of uniform play that is mixed in, so that
    nothing is impossible."""
    if hand.hole:
        odds = np.zeros(len(game.deck.hands))
        odds[game.deck.hand(*hand.hole)] = 1.0
    else:
        odds = holdings(game, hand).astype(np.float64)
    for one in hand.decisions:
        rows = np.asarray(probabilities(game, play, one.node, one.board), np.float64)
        odds = odds * ((1.0 - soft) * np.nan_to_num(rows[one.choice]) + soft / len(rows))
    return log(max(float(odds.sum()), _NEVER))


MIXED = 1e-3
"""The weight of the uniform prediction."""
UNIFORM, LINE = "uniform", "line alone"
ALL = "all"
FEWEST = 10
"""Hands from which on a mean has an interval."""
_LEAST = 1e-9


@dataclass(frozen=True)
class HandPrediction:
    """The mean log-likelihood of decisions. street: or "all". decisions: their number. nats: mean log-likelihood a
    decision; 0 is perfect. error: half of the 95 % interval, over hands with such a decision; None for fewer than
    `FEWEST`. better: nats a decision more than the first strategy, and `better_error` half of its interval, decision by
    decision."""

    name: str
    street: str
    decisions: int
    nats: float
    error: float | None
    better: float
    better_error: float | None


def predict_hands(
    game: HoldemGame, plays: Mapping[str, BlueprintStrategy], mapped: MappedHands, fitted: MappedHands | None = None
) -> list[HandPrediction]:
    """The predictions of each strategy, of the betting line alone and of the uniform strategy, by street and over all.
    fitted: hands whose frequencies are the prediction by the betting line alone, such as those that the model was made
    from; None: the halves of `mapped` predict each other."""
    logs = {name: [_logs(game, play, hand, mapped.all_shown) for hand in mapped.hands] for name, play in plays.items()}
    # By the frequencies of kinds of actions at each node, whatever the cards; each kind that a node has counts once more.
    parts = [fitted.hands] if fitted is not None else [mapped.hands[1::2], mapped.hands[::2]]
    seen = [Counter((at.node, _kind(game, at)) for hand in part for at in hand.decisions) for part in parts]
    logs[LINE] = []
    for number, hand in enumerate(mapped.hands):
        counts, line = seen[number % len(parts)], list[float]()
        for at in hand.decisions:
            legal = kinds_at(game, at.node).any(axis=1)
            times = np.array([counts[at.node, kind] + 1 for kind in range(len(legal))]) * legal
            line.append(float(np.log(times[_kind(game, at)] / times.sum())))
        logs[LINE].append(np.array(line))
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
    mean, error = nats_a_decision((sizes > 0).astype(np.float64), sums, sizes)
    hands = int(np.count_nonzero(sizes))
    return mean, half_interval(error, hands) if hands >= FEWEST else None


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


def _kind(game: HoldemGame, decision: MappedDecision) -> int:
    return int(np.argmax(kinds_at(game, decision.node)[:, decision.choice]))


def kinds_at(game: HoldemGame, node: int) -> Any:
    """(3, actions) whether each action of a decision folds, checks or calls, bets or raises."""
    moves = np.array([int(game.betting.move[child]) for child in game.betting.children(node)])
    passive = np.isin(moves, (Move.CHECK, Move.CALL))
    return np.stack([moves == Move.FOLD, passive, moves >= Move.BET])
