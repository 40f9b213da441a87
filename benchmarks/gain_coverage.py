"""How often the spread of a posterior and the cross-fitted interval hold the true gain of a response to a model from hands.

    python benchmarks/gain_coverage.py [DRAWS]    # ten minutes; DRAWS of Leduc, eight times as many of Kuhn

The hands are drawn between a known player and the other seat's play, and show cards at showdown only. Models are made by EM
with a prior of weight 10, responses may lose 0.1 chips. The spread is that of the middle 95 % of 30 draws of the posterior;
the true gain beside it is that of the response to all hands. The cross-fitted interval is about the two responses to halves,
and compared with their true mean gain.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

import counterplay as cp
from common import table
from counterplay.opponents.counting.terminal_infosets import SHOWDOWN, TerminalInfosets
from counterplay.solvers.equilibrium import equilibrium_of

HANDS = (300, 3000, 30_000)
CASES = (
    ("kuhn", "noise:0.2:nash", "noise:0.5:nash", "nash"),
    ("kuhn", "noise:0.2:nash", "random:2", "nash"),
    ("kuhn", "noise:0.2:nash", "random:1", "uniform"),
    ("kuhn", "uniform", "cfr+:5", "noise:0.2:nash"),
    ("leduc", "nash", "bias:fold=3:nash", "noise:0.2:nash"),
    ("leduc", "noise:0.2:nash", "noise:0.4:nash", "nash"),
    ("leduc", "noise:0.2:nash", "noise:0.4:nash", "noise:0.2:nash"),
    ("leduc", "noise:0.2:nash", "random:1", "uniform"),
    ("leduc", "noise:0.2:nash", "cfr+:5", "nash"),
)
"""Game, play of the seat that looks, the player, the prior of the model."""
WEIGHT, RISK, SAMPLES, SHARE = 10, 0.1, 30, 0.95


@dataclass(frozen=True)
class Draw:
    """One draw of the hands.

    Attributes:
        claimed: gain of the response to all hands against its model.
        gain: its gain against the player.
        spread: whether the spread of the posterior holds that.
        fitted: the cross-fitted gain.
        halves: the mean gain of the two responses to halves against the player.
    """

    claimed: float
    gain: float
    spread: bool
    fitted: cp.CrossFit
    halves: float

    @property
    def held(self) -> bool | None:
        """Whether the cross-fitted interval holds the gain of the halves; None if it is not known."""
        low, high = self.fitted.low, self.fitted.high
        return None if low is None or high is None else low <= self.halves <= high


def one_draw(
    game: cp.GameTree, own: cp.Strategy, player: cp.Strategy, prior: cp.Strategy, hands: int, seed: int
) -> Draw:
    """Hands, a model, a response, and what is said of its gain."""
    sight = TerminalInfosets(game, own.player, SHOWDOWN)
    plans, odds = (own.plan, player.plan), game.histories.reach[sight.ends]
    for seat in (0, 1):
        odds = odds * plans[seat][game.sequences[seat][sight.ends]]
    counts = cp.Counts(game, player.player)
    counts.see_sampled(sight, np.random.default_rng(seed).multinomial(hands, odds / odds.sum()))
    value, responses = equilibrium_of(game).bound(0), list[cp.Strategy]()

    def model(part: cp.Counts) -> cp.Strategy:
        return part.strategy(prior, WEIGHT)

    def respond(to: cp.Strategy) -> cp.Strategy:
        responses.append(cp.respond(game, to, "safe", max_exploitability=RISK).strategy)
        return responses[-1]

    known = model(counts)
    answer = respond(known)
    fitted = cp.cross_fit(counts, model, respond, seed)
    claimed = game.payoff.value(answer.plan, known.plan) - value
    gain, *halves = (game.payoff.value(one.plan, player.plan) - value for one in responses)
    spread = counts.posterior(SAMPLES, prior, WEIGHT, seed=seed).gain(answer, SHARE)
    held = spread.spread_low <= gain <= spread.spread_high
    return Draw(claimed, gain, held, fitted, float(np.mean(halves or [np.nan])))


def row(draws: list[Draw]) -> list[str]:
    """The cells of some draws."""
    known = [one for one in draws if one.held is not None]
    ends = [f"{np.mean([getattr(one.fitted, end) for one in known]):.2f}" for end in ("low", "high")] if known else []
    return [
        f"{np.mean([one.claimed for one in draws]):.2f}", f"{np.mean([one.gain for one in draws]):.2f}",
        f"{sum(one.spread for one in draws)} of {len(draws)}", f"{len(known)} of {len(draws)}",
        f"{sum(bool(one.held) for one in known)} of {len(known)}" if known else "", " to ".join(ends),
    ]  # fmt: skip


def cell(case: tuple[str, str, str, str], hands: int, draws: int) -> list[Draw]:
    """The draws of a case."""
    name, own, player, prior = case
    game = cp.load(name)
    plays = (cp.opponent(game, own, player=0), cp.opponent(game, player, player=1), cp.opponent(game, prior, player=1))
    return [one_draw(game, *plays, hands, seed) for seed in range(draws)]


def main() -> None:
    """The table, and the sums over all cases of a number of hands."""
    draws, rows, sums = int(sys.argv[1]) if len(sys.argv) > 1 else 6, list[list[str]](), dict[int, list[Draw]]()
    for case in CASES:
        for hands in HANDS:
            found = cell(case, hands, draws if case[0] == "leduc" else 8 * draws)
            sums.setdefault(hands, []).extend(found)
            rows.append([*case, f"{hands:,}", *row(found)])
            print("  ".join(rows[-1]), file=sys.stderr, flush=True)
    rows += [["all", "", "", "", f"{hands:,}", "", "", *row(found)[2:5], ""] for hands, found in sums.items()]
    head = [
        "game",
        "own play",
        "player",
        "prior",
        "hands",
        "claimed",
        "true",
        "spread held",
        "known",
        "interval held",
        "interval",
    ]
    table("gains in chips a hand", head, rows)


if __name__ == "__main__":
    main()
