"""Measures of models from hands: coverage, the shares of a player's decisions where enough was seen, little, or
nothing; log-likelihood of unseen hands under a model, its prior, the betting line alone and uniform play; and the
cross-fitted gain, of responses to models of one half of the hands, measured on the other half."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.display import brief
from counterplay.errors import InputError
from counterplay.games.game import TERMINAL
from counterplay.intervals import HALF_95
from counterplay.opponents.counting.estimate import (
    Observations,
    nats_a_decision,
    public_state_of_lanes,
    split_hands,
    street_of_sequences,
    up_to_street,
)
from counterplay.opponents.counting.terminal_infosets import SHOWN, classes_of_hands, span_of
from counterplay.opponents.counts import Counts
from counterplay.opponents.spot_counts import SpotCounts
from counterplay.opponents.tilting.evidence import Categories
from counterplay.opponents.tilting.mapped_hands import draw_hands
from counterplay.opponents.tilting.tilted_model import TiltedModel, counts_passed
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.problem.solvable_game import as_compiled
from counterplay.result import ResultRecord
from counterplay.solvers.equilibrium import equilibrium_of
from counterplay.texts.arguments import FUNCTION, SEED, instance, takes
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import ENOUGH, reach, visits

HANDS = 2000
"""Drawn hands that the shares of a whole game are taken from."""


@dataclass(frozen=True)
class Blank:
    """An infoset of the opponent where little was seen. share: of the opponent's decisions. count: effective
    observations there."""

    infoset: str
    share: float
    count: float


@dataclass(frozen=True, repr=False)
class Coverage(ResultRecord):
    """Shares of the opponent's decisions by what was seen there, if the model is right and the other seat plays an
    equilibrium. seen: with `ENOUGH` effective observations, where a data-biased response trusts the model most. little:
    with fewer. unseen: with none. blanks: the infosets with most decisions that are not covered, most first."""

    KIND = "coverage"
    LACKS = dict.fromkeys(("value", "exploitability", "strategies"), "`respond` and `evaluate` have those")

    seen: float
    little: float
    unseen: float
    blanks: tuple[Blank, ...]

    @property
    def facts(self) -> dict[str, Any]:
        return {**vars(self), "blanks": [vars(blank) for blank in self.blanks]}

    def __repr__(self) -> str:
        told = (f"{100 * share:.0f} % {word}" for share, word in ((self.seen, "seen"), (self.unseen, "unseen")))
        return brief(self, "", *told)


@dataclass(frozen=True)
class RowCoverage:
    """The same shares in whole hold'em, of one street. street: its name, or `all`. decisions: how many were drawn."""

    street: str
    decisions: int
    seen: float
    little: float
    unseen: float


@takes(model=instance("a Strategy", Strategy), blanks=SEED)
def coverage(game: Any, model: Strategy, blanks: int = 10) -> Coverage:
    """The coverage of a model.

    Raises:
        InputError: a model without counts, or of another game.
    """
    game = as_compiled(game)
    if game.enters_boards_alone or not model.is_of(game):
        raise InputError(f"coverage is that of a model of {game.name} as a whole game in memory")
    if model.counts is None:
        raise InputError("this model has no counts: it was not made from hands")
    other, ends = 1 - model.player, np.flatnonzero(game.histories.player == TERMINAL)
    own = equilibrium_of(game).plans[other][game.sequences[other][ends]]
    last = game.sequences[model.player][ends]
    odds = game.histories.reach[ends] * own * model.plan[last]
    by_lane = visits(model.tree, np.bincount(last, odds, model.tree.size).astype(np.float64))[1]
    share = by_lane / max(by_lane.sum(), 1e-300)
    blank = share * (1.0 - np.minimum(1.0, model.counts / ENOUGH))
    texts = {lane: text for text, lane in zip(model.tree.labels.infosets, model.tree.labels.lanes, strict=True)}
    found = tuple(
        Blank(texts[lane], float(share[lane]), float(model.counts[lane]))
        for lane in np.argsort(-blank, kind="stable")[:blanks].tolist()
        if blank[lane] > 0.0
    )
    return Coverage(*_shares(model.counts, share), found)


def row_coverage(
    game: HoldemGame, model: TiltedModel | ObservedStrategy, other: BlueprintStrategy, hands: int = HANDS, seed: int = 0
) -> Sequence[RowCoverage]:
    """The coverage of a model of whole hold'em on so many drawn hands against another strategy: all streets, then each
    that was reached."""
    drawn = draw_hands(game, model.play, other, hands, SHOWN, seed)
    found = list(counts_passed(Categories(game, model.play), model.counts, drawn.hands))
    street, counts = np.array([one for one, _ in found]), np.array([count for _, count in found])
    parts = [("all", street >= 0), *((STREETS[at], street == at) for at in np.unique(street).tolist())]
    return [
        RowCoverage(name, int(here.sum()), *_shares(counts[here], np.ones(here.sum()), float(here.sum())))
        for name, here in parts
        if here.any()
    ]


def _shares(counts: F64, weights: F64, total: float = 1.0) -> tuple[float, float, float]:
    """The shares of decisions with enough observations, with fewer, and with none."""
    full, none = (float(weights[chosen].sum()) / total for chosen in (counts >= ENOUGH, counts == 0.0))
    return full, max(0.0, 1.0 - full - none), none


Scored = Sequence[tuple[Observations, Strategy]]
"""Parts of the hands, and the strategy that predicts each."""


@dataclass(frozen=True)
class Nats:
    """The log-likelihood of a strategy in nats a decision, and its 95 % interval over hands."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.4f} ({self.low:.4f} to {self.high:.4f})"


@dataclass(frozen=True)
class StreetNats:
    """The log-likelihood of the decisions of one street, from 1, given those before it; the next street begins where
    chance moves after a player."""

    street: int
    decisions: float
    model: Nats
    prior: Nats
    line: Nats
    uniform: Nats


@dataclass(frozen=True)
class Prediction:
    """How well strategies predict the decisions of a player, each with 1 % of uniform play, so that one impossible
    action does not decide. `line` knows what is public and not the player's cards (see `line_alone`). streets: those
    with a decision, none in a game of one street."""

    hands: int
    decisions: float
    model: Nats
    prior: Nats
    line: Nats
    uniform: Nats
    streets: tuple[StreetNats, ...] = ()

    def __repr__(self) -> str:
        return brief(self, f"{self.hands:,} hands", f"model {self.model}", f"prior {self.prior}")


def predict(
    data: Observations, model: Strategy, prior: Strategy, where: Any, fitted: Observations | None = None
) -> Prediction:
    """Score a model on observed hands; where cards are hidden, by the mean over those that the player may have held.

    Args:
        data: hands that the model has not seen, as `Counts.observations`.
        model, prior: of their player, and what it is compared with.
        where: the compiled game of the hands, or the `SpotCounts` that counted them in a spot.
        fitted: the hands that the model was made from, to which `line_alone` is fitted, too; None: the halves of `data`
            predict each other.
    """
    if fitted is None:
        halves = [data.weighted(part) for part in split_hands(data.hands, 2, 0)]
        line = [(one, line_alone(where, other)) for one, other in zip(halves, halves[::-1], strict=True)]
    else:
        line = [(data, line_alone(where, fitted))]
    plays: dict[str, Scored] = {
        "model": [(data, model)], "prior": [(data, prior)], "line": line,
        "uniform": [(data, Strategy.uniform(model.tree))],
    }  # fmt: skip
    by_sequence = where.streets if isinstance(where, SpotCounts) else street_of_sequences(where, model.player)
    streets, found = int(by_sequence.max()) + 1, list[StreetNats]()

    def nats(first: int, end: int) -> dict[str, Nats]:
        """The log-likelihoods of the decisions from one street to before another, given those before."""
        scores = dict[str, Nats]()
        for name, scored in plays.items():
            parts = list[tuple[F64, F64, F64]]()
            for observed, strategy in scored:
                before, until = (up_to_street(observed, by_sequence, last) for last in (first - 1, end - 1))
                logs = until.softened_logs(strategy.behaviour) - before.softened_logs(strategy.behaviour)
                parts.append((observed.hands, logs, until.decisions - before.decisions))
            mean, error = nats_a_decision(*map(np.concatenate, zip(*parts, strict=True)))
            scores[name] = Nats(mean, mean - HALF_95 * error, mean + HALF_95 * error)
        return scores

    for street in range(streets if streets > 1 else 0):
        before, until = (up_to_street(data, by_sequence, last).decisions for last in (street - 1, street))
        if (total := float(data.hands @ (until - before))) > 0.0:
            found.append(StreetNats(street + 1, total, **nats(street, street + 1)))
    decisions = data.score(model.behaviour)[2]
    return Prediction(round(float(data.hands.sum())), decisions, **nats(0, streets), streets=tuple(found))


def line_alone(where: Any, data: Observations) -> Strategy:
    """Frequencies of actions at each public state, whatever cards the player holds; each action counts once more."""
    tree = data.tree
    lanes = where.public_states if isinstance(where, SpotCounts) else public_state_of_lanes(where, tree.player)
    inner = np.flatnonzero(tree.owner >= 0)
    of_lane, (seen, counts) = tree.owner[inner], data.visits(reach(tree, tree.uniform()))
    actions = np.bincount(of_lane, minlength=tree.lanes)
    order = np.zeros(tree.size, np.int64)  # the number of each sequence's action
    for offset, width, n, _, _ in tree.arrays.groups.tolist():
        order[offset : offset + n * width] = np.repeat(np.arange(n), width)
    # a cell is a public state with so many actions, and the number of one of them
    places = np.unique(np.stack([lanes, actions]), axis=1, return_inverse=True)[1].ravel()
    cells = places[of_lane] * (int(order.max()) + 1) + order[inner]
    pooled, totals = np.bincount(cells, seen[inner])[cells], np.bincount(places, counts)[places]
    behaviour = tree.uniform().copy()
    behaviour[inner] = (pooled + 1.0) / (totals + actions)[of_lane]
    return Strategy(tree, behaviour)


FEWEST = 40
"""Hands, and effective hands in each half, below which nothing is said."""


@dataclass(frozen=True, repr=False)
class CrossFit(ResultRecord):
    """Mean gain of two responses, each to a model of one half of the hands, in chips a hand.

    Attributes:
        hands: in both halves.
        claimed: the mean gain against the two models.
        low, high: the interval of 95 % of the mean gain against the player; None if it is not known.
        reason: why it is not known; None if it is.
        effective: hands of the half that weigh about alike, fewer than all where a few decide; the smaller number counts.
    """

    KIND = "cross fit"
    LACKS = {  # noqa: RUF012
        "value": "`low` and `high` are the interval of the gain",
        **dict.fromkeys(("exploitability", "strategies"), "two responses were made, and neither is the answer"),
    }

    hands: int
    claimed: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    effective: float | None = None

    def __repr__(self) -> str:
        shown = "gain not known" if self.low is None else f"gain {self.low:.4g} to {self.high:.4g}"
        return brief(self, f"{self.hands:,} hands", shown)


@takes(counts=instance("a Counts", Counts), model=FUNCTION, respond=FUNCTION, seed=SEED)
def cross_fit(
    counts: Counts, model: Callable[[Counts], Strategy], respond: Callable[[Strategy], Strategy], seed: int = 0
) -> CrossFit:
    """The cross-fitted gain of a way to respond.

    The value of each response is estimated from the other half by weights that are right on average whoever the player is
    (see `opponents.counting.terminal_infosets`). The interval holds if the player's strategy is fixed and hands are
    independent; how often the other seat took each action is estimated from all hands.

    Args:
        counts: hands of the player.
        model: makes the model of hands.
        respond: makes the response to a model.
        seed: of the halves.
    """
    hands = round(float(counts.hands))
    if hands < 2 * FEWEST:
        return CrossFit(hands, reason=f"{hands} hands are too few: {2 * FEWEST} are the fewest")
    found = classes_of_hands(counts.game, counts.seat, counts.ends)
    if found is None:
        return CrossFit(hands, reason="hands hide the cards of both players, or their result")
    classes, label = found
    parts = split_hands(counts.observations.hands, 2, seed)
    halves = [np.bincount(label, part, classes.count).astype(np.float64) for part in parts]
    own = classes.own_plan(halves[0] + halves[1])
    made = [model(counts.part(part)) for part in parts]
    claims, spans, bounds, errors, effective = list[float](), list[Any](), list[Any](), list[Any](), float("inf")
    for half, hands_of_other in zip(made, halves[::-1], strict=True):
        chips = classes.values_by_sequence(respond(half))
        weights = classes.weights(chips, half.behaviour, own, float(hands_of_other.sum()))
        both = [weight.estimate(hands_of_other) for weight in weights]
        claims.append(float(chips @ half.plan))
        spans.append(span_of(half.tree, chips))
        bounds.append([one[0] for one in both])
        errors.append([one[1] for one in both])
        effective = min(effective, both[0][2])
    value = equilibrium_of(counts.game).bound(1 - counts.seat)
    claimed = float(np.mean(claims)) - value
    if effective < FEWEST:
        reason = f"the value rests on {effective:.0f} effective hands of a half, and {FEWEST} are the fewest"
        return CrossFit(hands, claimed, reason=reason, effective=effective)
    ends, (least, most) = np.mean(bounds, axis=0), np.mean(spans, axis=0).tolist()
    spread = np.linalg.norm(errors, axis=0) / 2.0
    low, high = float(ends[0] - HALF_95 * spread[0]), float(ends[1] + HALF_95 * spread[1])
    if low <= least:
        reason = "the hands leave open that the player wins as much as a best responder"
        return CrossFit(hands, claimed, reason=reason, effective=effective)
    return CrossFit(hands, claimed, low - value, min(high, most) - value, effective=effective)
