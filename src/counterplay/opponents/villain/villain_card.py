"""The villain card of a player: every statistic as k of n with its interval, beside the figure of a known strategy; and the
report on a player, with coverage and mapped bet sizes.

Rows are ranked by `worth`: opportunities per 100 hands × the difference to the known figure × the mean pot at these
decisions, in big blinds. That is how much of the pots is decided otherwise, in bb/100: a guide to where the player differs
most, not a gain that is promised (`respond` says that). `sure` is the same with the end of the interval that is nearer to
the known figure: 0 where the hands do not tell the two apart.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import fsum
from typing import Any

from counterplay.errors import InputError, unknown
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.villain.seen_decisions import (
    ENOUGH,
    LATER,
    STATISTICS,
    ObservedShare,
    hands_in_seat,
    place_of,
    places_of,
    seen_decisions,
    walk_tree,
)
from counterplay.poker.betting.line_notation import Step, TranslatedStep, raise_share, translate_line, translate_street
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.betting.state import Action, BettingState, Kind, Move, all_in
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.locking.leak_text import LeakPlace
from counterplay.poker.spots.solution import SolvedSpot, odds_of
from counterplay.poker.whole_game.boards.board import DEALT


def hand_steps(hand: HoldemHand) -> dict[str, Any]:
    """Players, stakes in chips, cards as far as they are known, and steps of a hand: street and board, the seat that acts
    (None for a deal), the action in words, chips put in and the pot before it; `end` is the state after the last step."""
    rules, end = hand.rules, hand.line.end
    return {
        "file": hand.place.file, "line": hand.place.line, "players": list(hand.players), "currency": hand.currency,
        "stacks": [rules.chips(one) for one in rules.stacks], "blinds": [rules.chips(one) for one in rules.blinds],
        "big_blind": hand.big_blind, "holes": [cards_text(hole) if hole else None for hole in hand.holes],
        "board": cards_text(hand.board), "won": hand.won,
        "steps": [_step(hand, state, action) for state, action in hand.line.steps],
        "end": {"street": STREETS[end.street], "board": cards_text(hand.board), **_chips(hand, end)},
    }  # fmt: skip


def _step(hand: HoldemHand, state: BettingState, action: Action) -> dict[str, Any]:
    is_deal = action.move is Move.DEAL
    street = state.street + is_deal
    return {
        "street": STREETS[street], "board": cards_text(hand.board[: DEALT[street]]),
        "seat": None if is_deal else int(state.kind), "action": _words(hand, state, action), **_chips(hand, state),
    }  # fmt: skip


def _chips(hand: HoldemHand, state: BettingState) -> dict[str, Any]:
    chips = hand.rules.chips
    return {"put": [chips(one) for one in state.put], "pot": chips(hand.rules.pot + sum(state.put))}


def _words(hand: HoldemHand, state: BettingState, action: Action) -> str:
    """The action as a player says it, such as "raise to 300"; a deal is its street."""
    move, to = action
    if move is Move.DEAL:
        return STREETS[state.street + 1]
    if move in (Move.FOLD, Move.CHECK):
        return move.name.lower()
    if move is Move.CALL:
        return f"call {hand.rules.chips(max(state.put) - state.put[state.kind]):g}"
    amount = f"{hand.rules.chips(to):g}"
    if to >= all_in(hand.rules, state):
        return f"all-in {amount}"
    return f"raise to {amount}" if max(state.put) > state.base else f"bet {amount}"


ALL_IN, NONE = "all-in", "none"
_BetKind = tuple[int, str, str]
"""Street, "bet" or "raise", and what it is mapped to."""


@dataclass(frozen=True)
class MappedSize:
    """Bets or raises of a street that become one action of the tree. street: index in STREETS. kind: "bet" or "raise".
    to: size in the tree, per cent of the pot after a call, or "all-in"; "none" if the tree has no bet there. n: how
    many. mapped: how many of them have another size than the tree. sizes: those seen, in whole per cent, each with its
    number; the most frequent first."""

    street: int
    kind: str
    to: str
    n: int
    mapped: int
    sizes: tuple[tuple[str, int], ...]

    @property
    def facts(self) -> dict[str, Any]:
        return vars(self) | {"street": STREETS[self.street], "sizes": [list(size) for size in self.sizes]}


def map_sizes(tree: BettingTree, hands: Iterable[HoldemHand], player: str, seat: int | None = None) -> list[MappedSize]:
    """The bets and raises of both players in a player's hands, by what they become in a tree, street by street."""
    sizes, mapped = defaultdict[_BetKind, Counter[str]](Counter), Counter[_BetKind]()
    for hand, _ in hands_in_seat(hands, player, seat):
        for (state, action), step in follow_hand(tree, hand) if hand.rules.bets is None else ():
            if step.share is None:
                continue
            to, kind = NONE, "raise" if max(state.put) > state.base else "bet"
            if step.child is not None:  # without chips, since pots differ
                is_all_in = tree.move[step.child] == Move.ALL_IN
                to = ALL_IN if is_all_in else f"{100.0 * raise_share(tree, step.child):.0f} %"
            size = ALL_IN if action.to >= all_in(hand.rules, state) else f"{100.0 * step.share:.0f} %"
            sizes[state.street, kind, to][size] += 1
            mapped[state.street, kind, to] += step.mapped
    last = {ALL_IN: 1e9, NONE: 2e9}
    order = sorted(sizes, key=lambda bet: (*bet[:2], last.get(bet[2]) or float(bet[2][:-2])))
    return [MappedSize(*bet, sizes[bet].total(), mapped[bet], tuple(sizes[bet].most_common())) for bet in order]


def follow_hand(tree: BettingTree, hand: HoldemHand) -> Iterator[tuple[Step, TranslatedStep]]:
    """The steps of a hand and what they become in a tree, as in `map_sizes`."""
    steps, rules = hand.line.steps, hand.rules
    if tree.rules.first == 0:
        yield from zip(steps, translate_line(tree, steps, rules), strict=False)
        return
    played = (step for step in steps if step.state.kind <= Kind.PLAYER1)
    for street, part in groupby(played, key=lambda step: step.state.street):
        here = list(part)
        if tree.rules.first <= street <= tree.rules.last:
            yield from zip(here, translate_street(tree, here, rules), strict=False)


SEEN, LITTLE, GUESSED = BASES = ("seen", "little", "guessed")


@dataclass(frozen=True)
class PlaceCoverage:
    """A place of decisions. place: street, and what is faced. n: decisions of the player that were seen there. share:
    of the player's decisions in the spot; None without a spot. basis: "seen" from `ENOUGH` decisions on, "little"
    below, "guessed" without any."""

    place: LeakPlace
    n: int
    share: float | None

    @property
    def basis(self) -> str:
        return SEEN if self.n >= ENOUGH else LITTLE if self.n else GUESSED


@dataclass(frozen=True)
class VillainCoverage:
    """Places of decisions after the flop is dealt, in the order of the play."""

    places: tuple[PlaceCoverage, ...]

    def share(self, basis: str) -> float | None:
        """The share of the player's decisions in the spot on a basis; None without a spot."""
        if any(one.share is None for one in self.places):
            return None
        return fsum(one.share or 0.0 for one in self.places if one.basis == basis)

    @property
    def facts(self) -> dict[str, Any]:
        rows = [{"place": str(one.place), "n": one.n, "share": one.share, "basis": one.basis} for one in self.places]
        return {**{basis: self.share(basis) for basis in BASES}, "places": rows}


def villain_coverage(
    hands: Iterable[HoldemHand], player: str, solved: SolvedSpot | None = None, seat: int | None = None
) -> VillainCoverage:
    """The coverage of a player's play by the player's hands. solved: a spot; the shares are those of both players'
    strategies there. None: all streets, without shares. seat: the player's, 0 (out of position) or 1: in the spot, and
    of the hands that count. None: of all hands, which goes without a spot only."""
    if solved is not None and seat is None:
        raise InputError("the coverage of a spot is that of a seat: oop or ip")
    seen = Counter[LeakPlace]()
    for hand, here in hands_in_seat(hands, player, seat):
        seen.update(one.place for one in seen_decisions(hand, here) if one.place is not None)
    if solved is None or seat is None:
        return VillainCoverage(tuple(PlaceCoverage(one, seen[one], None) for one in places_of(range(1, len(STREETS)))))
    betting, odds = solved.tree.betting, dict[LeakPlace, float]()
    for node, state, _ in walk_tree(betting):
        place = place_of(state)
        if place is not None and state.kind == seat and solved.tree.runs[seat].lane[node] >= 0:
            odds[place] = odds.get(place, 0.0) + odds_of(solved, node)
    total = sum(odds.values())
    shares = {one: odds[one] / total for one in places_of(range(1, len(STREETS))) if one in odds and total > 0.0}
    return VillainCoverage(tuple(PlaceCoverage(place, seen[place], share) for place, share in shares.items()))


_LETTERS = re.compile(r"[^a-z0-9$]")


@dataclass(frozen=True)
class ShownDecision:
    """A decision that counts. seat: the player's. step: number of the step in the hand's line; that after the last if
    the end of the hand counts. hit: whether it counts in favour; None for a place, where it only counts."""

    hand: HoldemHand
    seat: int
    step: int
    hit: bool | None

    @property
    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts, the hand told step by step."""
        return {"seat": self.seat, "step": self.step, "hit": self.hit, **hand_steps(self.hand)}


@dataclass(frozen=True)
class ShownHands:
    """The decisions behind a number. what: its names; decisions: in the order of the hands."""

    what: tuple[str, ...]
    decisions: tuple[ShownDecision, ...]

    @property
    def counted(self) -> ObservedShare:
        """k of n; without favour k is 0."""
        return ObservedShare(sum(bool(one.hit) for one in self.decisions), len(self.decisions))

    @property
    def facts(self) -> dict[str, Any]:
        return {
            "what": list(self.what), "k": self.counted.k, "n": self.counted.n,
            "decisions": [one.facts for one in self.decisions],
        }  # fmt: skip


def hands_behind(hands: Iterable[HoldemHand], player: str, text: str, seat: int | None = None) -> ShownHands:
    """The decisions of a player behind a number. text: a statistic, as the card has it or with hyphens ("fold to c-bet
    flop", "fold-to-cbet" for those of all streets), or a place ("on river facing a bet"). seat: only hands in which the
    player sits there; None for both."""
    names = statistics_named(text)
    if not names:
        try:
            place = LeakPlace.from_text(text)
        except InputError:
            place = None
        if place not in places_of(range(1, len(STREETS))):
            raise unknown("statistic or place", text, STATISTICS)
        names = (str(place),)
    found = list[ShownDecision]()
    for hand, here in hands_in_seat(hands, player, seat):
        for one in seen_decisions(hand, here):
            hits = [hit for name, hit in (*one.counted, (str(one.place), None)) if name in names]
            if hits:
                found.append(ShownDecision(hand, here, one.step, hits[0]))
    return ShownHands(names, tuple(found))


def statistics_named(text: str) -> tuple[str, ...]:
    """The statistics that a text names: the one, or all that begin so."""
    plain = _plain(text)
    exact = tuple(name for name in STATISTICS if _plain(name) == plain)
    return exact or tuple(name for name in STATISTICS if plain and _plain(name).startswith(plain))


def _plain(text: str) -> str:
    return _LETTERS.sub("", text.lower())


@dataclass(frozen=True)
class CardRow:
    """A statistic of a player. counted: k of n. known: the figure of the known strategy; None without one. figure: the
    figure to use, and `basis` where it is from (see `ObservedShare.estimate`). pot: mean pot at these decisions, in big
    blinds. worth, sure: in bb/100; None without a known strategy."""

    name: str
    counted: ObservedShare
    known: float | None
    figure: float | None
    basis: str
    pot: float
    worth: float | None
    sure: float | None

    @property
    def facts(self) -> dict[str, Any]:
        low, high = self.counted.interval
        return {
            "statistic": self.name, "k": self.counted.k, "n": self.counted.n, "share": self.counted.share, "low": low,
            "high": high, "known": self.known, "figure": self.figure, "basis": self.basis, "pot_bb": self.pot,
            "worth_bb100": self.worth, "sure_bb100": self.sure,
        }  # fmt: skip


@dataclass(frozen=True)
class VillainCard:
    """The statistics of a player. rows: statistics, the most certain difference first; without a known strategy in the
    usual order. unknown: showdowns that W$SD leaves out, since the file does not say who collected."""

    player: str
    hands: int
    rows: tuple[CardRow, ...]
    unknown: int = 0

    @property
    def _after_flop(self) -> list[ObservedShare]:
        """Frequencies after the flop that were seen: those of `ENOUGH` observations if there are any."""
        after = [row.counted for row in self.rows if row.name.endswith(LATER) and row.counted.n]
        return [one for one in after if one.n >= ENOUGH] or after

    @property
    def spread(self) -> float | None:
        """The median half width of the intervals of frequencies after the flop; None if none was seen."""
        halves = sorted((high - low) / 2.0 for low, high in (one.interval for one in self._after_flop))
        return halves[len(halves) // 2] if halves else None

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about how much the hands say."""
        found, after, spread = list[str](), self._after_flop, self.spread
        if spread is not None:
            width = "±1 point" if spread < 0.015 else f"±{100 * spread:.0f} points"
            most = max(one.n for one in after)
            if most >= ENOUGH:
                part = f"Of the frequencies after the flop with {ENOUGH} observations"
                found.append(f"{part} half are known to {width} or better.")
            else:
                part = f"No frequency after the flop has {ENOUGH} observations; the most is {most}"
                found.append(f"{part}, and half are wider than {width}.")
        if self.unknown:
            found.append(f"W$SD leaves out {self.unknown:,} of the showdowns: the files do not say who collected.")
        return tuple(found)

    @property
    def facts(self) -> dict[str, Any]:
        return {
            "player": self.player, "hands": self.hands, "spread_after_flop": self.spread,
            "notes": list(self.notes), "unknown_showdowns": self.unknown, "rows": [row.facts for row in self.rows],
        }  # fmt: skip


def villain_card(hands: Iterable[HoldemHand], player: str, known: Mapping[str, float] | None = None) -> VillainCard:
    """The card of a player; hands of others are passed over. known: figures of a strategy, as of `StrategyFigures`."""
    own = list(hands_in_seat(hands, player))
    sums: dict[str, tuple[int, int, float]] = dict.fromkeys(STATISTICS, (0, 0, 0.0))
    for hand, seat in own:
        for one in seen_decisions(hand, seat):
            for name, hit in one.counted:
                k, n, pots = sums[name]
                sums[name] = k + hit, n + 1, pots + one.pot
    rows = []
    for name, (k, n, pots) in sums.items():
        counted, base, pot = ObservedShare(k, n), None if known is None else known.get(name), pots / n if n else 0.0
        worth = sure = None
        if base is not None and n:
            chances = 100.0 * n / len(own) * pot
            worth, sure = chances * abs(k / n - base), chances * abs(counted.nearest(base) - base)
        rows.append(CardRow(name, counted, base, *counted.estimate(base), pot, worth, sure))
    if known is not None:
        rows.sort(key=lambda row: (-(row.sure or 0.0), -(row.worth or 0.0)))
    unknown = sum(hand.line.end.kind is Kind.SHOWDOWN and hand.won is None for hand, _ in own)
    return VillainCard(player, len(own), tuple(rows), unknown)


@dataclass(frozen=True)
class VillainReport:
    """What hands say. card: statistics. coverage: of the places of decisions. sizes: empty without a betting tree."""

    card: VillainCard
    coverage: VillainCoverage
    sizes: tuple[MappedSize, ...]

    @property
    def facts(self) -> dict[str, Any]:
        return {**self.card.facts, "coverage": self.coverage.facts, "sizes": [one.facts for one in self.sizes]}


def report_villain(
    hands: Sequence[HoldemHand], player: str, known: Mapping[str, float] | None = None,
    solved: SolvedSpot | None = None, seat: int | None = None, tree: BettingTree | None = None,
) -> VillainReport:  # fmt: skip
    """The report on a player."""
    tree = tree if solved is None else solved.tree.betting
    return VillainReport(
        villain_card(hands, player, known),
        villain_coverage(hands, player, solved, seat),
        tuple(map_sizes(tree, hands, player, seat)) if tree is not None else (),
    )
