"""Agents in a spot of hold'em: a fixed strategy, and a search street by street."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from counterplay.agents.agent_archive import SPOT, search_facts, write
from counterplay.agents.draws import draws_state, restore_draws
from counterplay.agents.player import Player, Source, cut_short
from counterplay.agents.position.hands import deal_above, game_of, place_of, row_of, seen_at, spot_of, top_of
from counterplay.agents.unfinished_solves import trim
from counterplay.budget import limited_seconds, time_left
from counterplay.errors import InputError
from counterplay.lookahead.search import Search
from counterplay.lookahead.solve import Posed
from counterplay.lookahead.tremble import share_of
from counterplay.opponents.opponent import opponent
from counterplay.poker.cards.deck import hand_text
from counterplay.poker.plan_stores.spot_plans import SpotPlans
from counterplay.poker.plan_stores.stored_strategy import StoredStrategy
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.spot import Spot
from counterplay.responses.matchup.stored_lookahead import street_responder
from counterplay.responses.matchup.street_lookahead import check_search
from counterplay.strategies.strategy_makers import strategies_of
from counterplay.treeplex.strategy import Strategy


class Decided(NamedTuple):
    """The solves of a player so far: both strategies, the largest gap, and the streets and boards."""

    plans: SpotPlans
    gap: float
    done: set[PublicNode]


class StrategyPlayer(Player):
    """Plays a strategy of the spot.

    Args:
        spot: the spot, solved or not.
        strategy: strategy of the agent's seat.
        seed: of its draws.
        name: for messages.
    """

    def __init__(self, spot: Any, strategy: Strategy, seed: int = 0, name: str = "") -> None:
        super().__init__(strategy.player, name or str(strategy.facts.get("method", "strategy")))
        self._game = game_of(spot)
        if not strategies_of(self._game).owns(strategy, self.seat):
            raise InputError(f"this is not a strategy of {self._game.name}")
        self.strategy, self._draw = strategy, random.Random(seed)

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:  # noqa: ARG002 - the strategy knows
        """An action, drawn; errors as in `policy`."""
        return _drawn(self.policy(observation), self._draw)

    def policy(self, observation: str) -> dict[str, float]:
        """The probability of each action.

        Args:
            observation: betting, cards and hand, such as "check, bet 100, call, river | Ah | KsKd" or "x b100 c Ah | KsKd".

        Raises:
            InputError: an invalid betting path, or an impossible hand.
        """
        part, hand = seen_at(self._game, observation)
        return row_of(self._game, self.seat, self.strategy.behaviour, part, hand)


class SearchingPlayer(Player):
    """Solves each street when it is reached, with the range of its own earlier play: continual re-solving, CDBR, CDRNR,
    SES or ABD.

    The first street is solved at its first decision; a later one after the gadget for the card dealt or, with the full
    gadget, for all cards at once. Solutions are kept from hand to hand.

    Args:
        spot: the spot, solved or not.
        seat: 0 (oop) or 1 (ip).
        search: the search; its depth is the street.
        model: model of the opponent, if p or alpha is above 0.
        seed: of its draws.
        name: for messages.

    Attributes:
        log: lines about its solves.
    """

    def __init__(
        self, spot: Any, seat: int, search: Search, model: Strategy | None = None, *, seed: int = 0, name: str = ""
    ) -> None:
        if seat not in (0, 1):
            raise InputError(f"the seat must be 0 or 1, not {seat}")
        super().__init__(seat, name or "street by street")
        self.game = game_of(spot)
        spot_of(self.game)  # refuses a public tree without ranges of its own
        self._draw = random.Random(seed)
        self._begin(search.in_game(self.game), model)
        self._spare = self.chain.overhead() if isfinite(search.stop.seconds) else 0.0

    def _begin(self, search: Search, model: Strategy | None) -> None:
        """Begin without solutions."""
        _check_model(self.seat, search, model)
        self.search, self._model, self._next = search, model, (search, model)
        self.chain = street_responder(self.game, self.seat, search, model)
        self.done: set[PublicNode] = set()
        self._final: Decided | None = None
        self._unfinished: dict[PublicNode, Posed] = {}

    def new_hand(self) -> None:
        """Keep the solutions, except those that depend on an unfinished solve; a new model or p applies from now on."""
        self._change()
        if self._final is not None:
            self.chain.plans, self.chain.gap, self.done = self._final
            self._final = None

    def _change(self) -> None:
        """Begin with the new search and model."""
        if self._next[0] is not self.search or self._next[1] is not self._model:
            self._begin(*self._next)

    @property
    def final(self) -> Decided:
        """The finished solutions, without those that depend on unfinished ones."""
        chain = self.chain
        return self._final or Decided(chain.plans, chain.gap, set(self.done))

    @property
    def model(self) -> Source:
        """The model of the opponent; a new one, anything that `opponent` takes, applies from the next hand."""
        return self._next[1]

    @model.setter
    def model(self, source: Source) -> None:
        self._ask(self._next[0], None if source is None else opponent(self.game, source, 1 - self.seat))

    @property
    def p(self) -> float:
        """The probability that the opponent is the model; a new value applies from the next hand."""
        return self._next[0].p

    @p.setter
    def p(self, p: float) -> None:
        self._ask(replace(self._next[0], p=share_of("p", p)), self._next[1])
        self.log.append(f"p = {p:g} from the next hand on")

    @property
    def alpha(self) -> float:
        """The exploitation level of SES, likewise."""
        return self._next[0].alpha

    @alpha.setter
    def alpha(self, alpha: float) -> None:
        self._ask(self._next[0].tilted(share_of("alpha", alpha)).looking(normalised=True), self._next[1])
        self.log.append(f"alpha = {alpha:g} from the next hand on")

    def _ask(self, search: Search, model: Strategy | None) -> None:
        check_search(self.game, search)
        _check_model(self.seat, search, model)
        self._next = search, model

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:  # noqa: ARG002 - it knows the rules
        """An action, drawn; errors as in `policy`."""
        return _drawn(self.policy(observation), self._draw)

    def policy(self, observation: str) -> dict[str, float]:
        """The probability of each action; the deciding look-ahead is solved first if needed.

        Args:
            observation: as in `StrategyPlayer.policy`.

        Raises:
            InputError: an invalid betting path, or an impossible hand.
        """
        part, hand = seen_at(self.game, observation)
        place_of(self.game, self.seat, part, hand)  # refused before anything is solved
        with limited_seconds(self.search.stop.seconds):
            self._decide(part)
        return row_of(self.game, self.seat, self.chain.behaviour, part, hand)

    def belief(self, observation: str) -> dict[str, float]:
        """The probability of each hand of the opponent, by their play in the look-aheads, or by the model.

        Args:
            observation: the agent's infoset, also where the opponent acts.
        """
        part, hand = seen_at(self.game, observation)
        plans, deck = self.chain.plans, self.spot.deck
        if (model := self.chain.model_plans) is not None:
            plans = plans.facing(1 - self.seat, model)
        came = SolvedSpot(self.spot, self.game.tree, plans, {}).node_ranges(part)[1 - self.seat]
        odds = np.where(np.isin(deck.hands, deck.hands[hand]).any(axis=1), 0.0, came)
        total = odds.sum()
        return {hand_text(deck.hands[k].tolist()): float(odds[k] / total) for k in np.flatnonzero(odds).tolist()}

    def save(self, path: Any) -> None:
        """Save the agent to a file with the ending `.cpa`, from which `resume` restores it."""
        final = self.final  # what is unfinished is begun anew
        facts = {
            "kind": SPOT,
            "seat": self.seat,
            "name": self.name,
            "search": search_facts(self.search),
            "spot": self.spot.table(),
            "done": sorted(final.done),
            "gap": final.gap,
            "log": list(self.log),
            "draws": self.state(),
        }
        numbers = strategies_of(self.game).numbers
        both = (("behaviour", self.seat), ("other", 1 - self.seat))
        arrays = {name: numbers(final.plans.behaviour(player), player) for name, player in both}
        if isinstance(self.model, Strategy | StoredStrategy):
            arrays["model"] = numbers(self.model.behaviour, 1 - self.seat)
        write(path, facts, arrays)

    def state(self) -> list[Any]:
        """The state of its draws, as plain numbers."""
        return draws_state(self._draw)

    def restore(self, state: list[Any]) -> None:
        """Restore the state of the draws."""
        restore_draws(self._draw, state)

    @property
    def spot(self) -> Spot:
        """The spot."""
        return spot_of(self.game)

    @property
    def strategy(self) -> Strategy:
        """The strategy of decisions and plans."""
        return self.chain.strategy

    def _decide(self, part: PublicNode) -> None:
        top = top_of(self.game, part)
        if part.layer > 0:
            self._decide(deal_above(self.game, top))
        one = part.layer > 0 and self.chain.by_part
        unit = top if one else PublicNode(0, part.layer, 0)
        if unit not in self.done:
            self._solve(unit, one, self.game.tree_path(top) or "the root")

    def _solve(self, unit: PublicNode, one: bool, where: str) -> None:
        """Solve or continue the look-ahead that decides a street on one board or on all."""
        begun, standing = self._unfinished.get(unit) if self._final is None else None, self.final
        posed = begun or (self.chain.pose_part(unit) if one else self.chain.pose(unit.layer, self._spare))
        if posed is not None and not posed.solve.iterations and not time_left():
            if self._final is None:
                self._unfinished[unit] = posed
                trim(self._unfinished)
            self.log.append(f"no time was left to solve from {where}: what was planned before stands")
            return
        solution = None if posed is None else self.chain.take(posed)
        self.done.add(unit)
        if posed is None or posed.solve.finished:
            self._unfinished.pop(unit, None)
            visits = f" at visit {posed.solve.calls}" if posed is not None and begun else ""
            self.log.append(f"solved from {where}{visits}, largest gap so far {self.chain.gap:.3g} chips")
            return
        assert solution is not None
        keeps = self._final is None
        if keeps:
            self._final, self._unfinished[unit] = standing, posed
            trim(self._unfinished)
        done = posed.solve.iterations
        self.log.append(cut_short(f"from {where}", solution.interrupted, done, self.chain.gap, keeps))
        if solution.interrupted:
            raise KeyboardInterrupt


def _drawn(row: dict[str, float], draw: random.Random) -> str:
    return draw.choices(list(row), list(row.values()))[0]


def _check_model(seat: int, search: Search, model: Strategy | None) -> None:
    if (search.p > 0.0 or search.alpha > 0.0) and (model is None or model.player == seat):
        raise InputError("p and alpha need a model of the other player")
