"""Models of a bot of whole hold'em from N of its hands: gain and exploitability of responses to the models, measured against
the bot itself, on drawn flops and exact there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from counterplay import BlueprintStrategy, FlopMeasure, Holdem, Stop
from counterplay.arrays import F64
from counterplay.cache_folder import cache_folder, make_trusted
from counterplay.lookahead.search import Search
from counterplay.opponents.counts import EM, FREQUENCIES
from counterplay.opponents.opponent import seat_strategy, strategy_of
from counterplay.opponents.tilting.mapped_hands import MappedHands, draw_hands, predict_hands
from counterplay.opponents.tilting.tilted_model import (
    ROW_STRENGTH,
    ROWS,
    TENDENCIES,
    model_of_hands,
    model_of_tendencies,
)
from counterplay.poker.whole_game.blueprints.blueprint import load_training, save_training
from counterplay.poker.whole_game.blueprints.board_split import PUBLIC
from counterplay.poker.whole_game.blueprints.public_sampling import PublicSampling, SamplingProblem
from counterplay.poker.whole_game.blueprints.street_regrets import WarmStart
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy
from counterplay.poker.whole_game.strategy import BucketedStrategy
from counterplay.poker.whole_game.walks.response_on_flops import FlopDraw, Interval, ResponseOnFlops, draw_flops
from counterplay.responses.whole_game import SampledResponses, lanes_of
from counterplay_papers.experiment import Numbers
from counterplay_papers.refined_flops import search_all_flops

TRUTH = 0
"""In place of a number of hands: the bot itself is the model."""
NO_HANDS = -1
"""The prior is the model."""
_BOT = 1
_LEFT_OUT, _LEFT_OUT_SEED = 2000, 1


@dataclass(frozen=True)
class HandsSetting:
    """A game with buckets, who plays there, and how long solves and draws are.

    Attributes:
        values: text of a blueprint in them: it is the prior, plays against the bot while hands are drawn, and is that from
            which gain and exploitability are counted.
        iterations: of public chance sampling, for each response.
        draws: of flops; "all" for every one.
        left_out: hands that predictions are tested on.
        training: iterations of a blueprint that takes the place of `values`, and where each solve begins; it counts as half
            of them. 0: there is none.
        prior: text of the models' prior, where it is another one than that blueprint.
    """

    game: str
    values: Callable[[], str]
    iterations: int
    draws: int | str
    left_out: int = _LEFT_OUT
    training: int = 0
    prior: Callable[[], str] | None = None

    @property
    def rules(self) -> Holdem:
        """The game, loaded once."""
        return rules_of(self.game)

    @property
    def draw(self) -> FlopDraw:
        """The flops."""
        return draw_flops(self.rules.game.boards, self.draws)


@cache
def rules_of(game: str) -> Holdem:
    """A whole game, loaded once."""
    return read_holdem(game)


def milli_of(game: str) -> float:
    """Milli-big-blinds in a chip."""
    return 1000.0 / float(rules_of(game).stakes.big_blind or 1.0)


COVERED = "covered"
"""In place of an estimate: the bot itself, trusted only as far as the hands saw its rows. What a response then wins less is
not the fault of a model."""


class Learned(NamedTuple):
    """A model of a bot, from some of its hands (or `TRUTH`, `NO_HANDS`) of which something is revealed.

    by: `em`; `frequencies`, which leaves out all hands whose cards were not seen; `tendencies`, by street alone; or
    `COVERED`. trust: what data-biased responses rest it on, observations of the row itself or of its category. weight:
    decisions in a row that the tilted prior is worth.
    """

    bot: str
    reveal: str
    hands: int
    by: str = EM
    trust: str = ROWS
    weight: float = ROW_STRENGTH


def _base(setting: HandsSetting) -> BlueprintStrategy:
    """The blueprint of a setting."""
    return _trained(setting)[0] if setting.training else strategy_of(setting.rules.game, setting.values())


@cache
def _trained(setting: HandsSetting) -> tuple[BucketedStrategy, WarmStart]:
    """A blueprint and where it was left, from the user's cache if it is there."""
    rules, folder = setting.rules, cache_folder("blueprints")
    solver = PublicSampling(SamplingProblem(rules.game, lanes_of(rules)))
    name = f"{sha256(setting.game.encode()).hexdigest()[:16]}-{setting.training}.train"
    file = None if folder is None else folder / name
    if file is not None and file.is_file():
        load_training(file, PUBLIC, solver)
    else:
        solver.sample(setting.training)
        if file is not None:
            make_trusted(file.parent)
            save_training(file, PUBLIC, solver)
    return solver.average(), WarmStart(solver.state(), setting.training, setting.training // 2)


@cache
def _hands(setting: HandsSetting, bot: str, reveal: str, hands: int, seed: int) -> MappedHands:
    game = setting.rules.game
    return draw_hands(game, strategy_of(game, bot), _base(setting), hands, reveal, seed)


@lru_cache(maxsize=4)
def model_of(setting: HandsSetting, learned: Learned) -> BlueprintStrategy:
    """The strategy that the hands make likely."""
    game = setting.rules.game
    if learned.hands == TRUTH:
        return strategy_of(game, learned.bot)
    prior: Any = _base(setting) if setting.prior is None else strategy_of(game, setting.prior())
    if learned.hands == NO_HANDS:
        return prior  # type: ignore[no-any-return]
    mapped = _hands(setting, learned.bot, learned.reveal, learned.hands, 0)
    if learned.by == TENDENCIES:
        return model_of_tendencies(game, prior, mapped).play
    if learned.by == FREQUENCIES:
        mapped = replace(mapped, hands=tuple(hand for hand in mapped.hands if hand.hole))
    if not mapped.hands:
        return prior  # type: ignore[no-any-return]
    found = model_of_hands(game, prior, mapped, learned.trust, learned.weight)
    play: Any = strategy_of(game, learned.bot) if learned.by == COVERED else found.play
    return ObservedStrategy(play, found.counts)


def forget_bot() -> None:
    """Let go of what is kept of players: their hands and measures."""
    for kept in (_hands, _measure, restricted, search_flops):
        kept.cache_clear()


def nats(setting: HandsSetting, learned: Learned) -> float:
    """Mean log-likelihood of a decision in hands that were not seen, cards known."""
    left = _hands(setting, learned.bot, "all", setting.left_out, _LEFT_OUT_SEED)
    rows = predict_hands(setting.rules.game, {"model": model_of(setting, learned)}, left)
    return next(row.nats for row in rows if (row.name, row.street) == ("model", "all"))


class BotRisk(NamedTuple):
    """In chips a hand: what a response wins from the bot beyond what the blueprint wins, and what a best responder wins from
    it beyond what one wins from the blueprint."""

    gain: Interval
    exploitability: Interval


@cache
def _measure(setting: HandsSetting, bot: str) -> FlopMeasure:
    rules = setting.rules
    return FlopMeasure(rules, seat_strategy(rules, bot, _BOT), setting.draw)


@cache
def restricted(
    setting: HandsSetting, learned: Learned, trust: tuple[float, ...], *, by_row: bool = False
) -> tuple[BotRisk, ...]:
    """Restricted Nash responses to the model in the buckets of the game, by rows data-biased ones, at rising p; each solve
    goes on from the last, or from the blueprint's.
    """
    rules, measure = setting.rules, _measure(setting, learned.bot)
    base, model = _base(setting), model_of(setting, learned)
    stop, start = Stop(iterations=setting.iterations), _trained(setting)[1] if setting.training else None
    solves = SampledResponses(rules.game, lanes_of(rules), _BOT, model, stop, 0, start)
    risks = []
    for p in trust:
        found = solves.response(p, by_row=by_row)
        if found.interrupted:
            raise KeyboardInterrupt
        risks.append(_risk(measure, found.plan, base))
    return tuple(risks)


@cache
def search_flops(setting: HandsSetting, learned: Learned, search: Search) -> BotRisk:
    """The blueprint with every drawn flop solved again by a search that has the model, in a game that ends there."""
    rules, measure, base = setting.rules, _measure(setting, learned.bot), _base(setting)
    model, flops = model_of(setting, learned), measure.draw.numbers
    return _risk(measure, search_all_flops(rules.game, base, 1 - _BOT, model, flops, search), base)


def _risk(measure: FlopMeasure, play: BlueprintStrategy, base: BlueprintStrategy) -> BotRisk:
    interval, (mine, before) = measure.draw.interval, (measure.lost(play).upper, measure.lost(base).upper)
    return BotRisk(interval(measure.won(play) - measure.won(base)), interval(mine - before))


@cache
def best_in_cards(setting: HandsSetting, learned: Learned) -> Interval:
    """Chips a hand that the best response to the model in real cards, not in buckets, wins from the bot."""
    return setting.draw.interval(_won_in_cards(setting, learned))


def share_in_cards(setting: HandsSetting, learned: Learned) -> Interval:
    """Per cent of what the best response to the bot itself wins, on the same flops; the interval of the ratio is by its
    linearization."""
    mine, best = _won_in_cards(setting, learned), _won_in_cards(setting, Learned(learned.bot, "all", TRUTH))
    draw = setting.draw
    whole = draw.interval(best).value
    ratio = draw.interval(mine).value / whole
    return Interval(100.0 * ratio, 100.0 * draw.interval((mine - ratio * best) / whole).error)


@cache
def _won_in_cards(setting: HandsSetting, learned: Learned) -> F64:
    """(flops,) chips of the response."""
    game, draw = setting.rules.game, setting.draw
    truth = strategy_of(game, learned.bot)
    response = ResponseOnFlops(game, 1 - _BOT, model_of(setting, learned), truth=truth)
    return np.asarray(response.true_values(draw, {flop: response.on(flop) for flop in draw.numbers}))


GAIN, RISK = "gain", "exploitability"
"""Columns of an experiment."""


def share_of_curve(truth: Sequence[str], found: Numbers) -> float | None:
    """Share of the attainable gain that a response to the learned model captures, at equal exploitability, in per cent; the
    first number of each column is its own, the others are those of responses to the true player.

    None without it, and where the true model gains nothing at so small an exploitability, or was not asked for it.
    """
    gain, risk = found[GAIN], found[RISK]
    if len(gain) <= len(truth):  # this run has the true model alone
        return None
    most = gain_at(risk[0], list(zip(risk[1:], gain[1:], strict=True)))
    return None if most is None or most <= 0.0 else 100.0 * gain[0] / most


def gain_at(risk: float, points: Sequence[tuple[float, float]]) -> float | None:
    """The gain at an exploitability, on the least concave and rising curve above (0, 0) and some points (exploitability,
    gain); beyond the last of them its gain, and below the first None."""
    hull: list[tuple[float, float]] = []
    for point in sorted([(0.0, 0.0), *points], key=lambda one: (one[0], -one[1])):  # the best of equal risks first
        if hull and point[1] <= hull[-1][1]:
            continue
        while len(hull) > 1 and _slope(hull[-2], point) >= _slope(hull[-2], hull[-1]):
            hull.pop()
        hull.append(point)
    risks, gains = np.array(hull).T
    return None if risk < risks[0] else float(np.interp(risk, risks, gains))


def _slope(one: tuple[float, float], two: tuple[float, float]) -> float:
    return (two[1] - one[1]) / max(two[0] - one[0], 1e-12)
