"""Agents in a spot of hold'em, who know their own hand: a fixed strategy, and one who searches street by street."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.agents.agent_archive import SPOT, search_facts, write
from counterplay.agents.player import Player, Source, cut_short
from counterplay.agents.position.hands import deal_above, game_of, place_of, row_of, seen_at, spot_of, top_of
from counterplay.agents.unfinished_solves import trim
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.lookahead.search import Search
from counterplay.lookahead.solve import Posed
from counterplay.lookahead.tremble import share_of
from counterplay.opponents.opponent import opponent
from counterplay.poker.cards.deck import hand_text
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.responses.matchup.street_lookahead import StreetResponder
from counterplay.responses.matchup.street_parts import check_search
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import reach

_SWEEPS = 20
"""What a solve of a whole tree does besides iterating takes about so many sweeps (14 million sequences were measured)."""


class Decided(NamedTuple):
    """What a player has solved: both behaviours, the largest gap, and the streets and boards."""

    behaviour: NDArray[np.float64]
    other: NDArray[np.float64]
    gap: float
    done: set[PublicNode]


class StrategyPlayer(Player):
    """Plays a strategy of the spot.

    Args:
        spot: the spot, solved or not.
        strategy: of the seat that is taken.
        seed: of its draws.
        name: for messages.
    """

    def __init__(self, spot: Any, strategy: Strategy, seed: int = 0, name: str = "") -> None:
        super().__init__(strategy.player, name or str(strategy.facts.get("method", "strategy")))
        self._game = game_of(spot)
        if strategy.tree is not self._game.trees[self.seat]:
            raise InputError(f"that is not a strategy of {self._game.name}")
        self.strategy, self._draw = strategy, random.Random(seed)

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:  # noqa: ARG002 - the strategy knows
        """An action, drawn; errors as in `policy`."""
        return _drawn(self.policy(observation), self._draw)

    def policy(self, observation: str) -> dict[str, float]:
        """The probability of each action.

        Args:
            observation: betting, cards and hand, such as "check, bet 100, call, river | Ah | KsKd" or "x b100 c Ah | KsKd".

        Raises:
            InputError: the betting leads elsewhere, or nobody can hold that hand.
        """
        part, hand = seen_at(self._game, observation)
        return row_of(self._game, self.seat, self.strategy.behaviour, part, hand)


class SearchingPlayer(Player):
    """Solves each street anew on coming to it, with the range that its own play left it: continual re-solving, CDBR,
    CDRNR, SES or ABD.

    The first street is solved at its first decision; a later one, for the card that came, behind the gadget, or, with the
    full gadget, for all cards at once. What is solved is kept from hand to hand.

    Args:
        spot: the spot, solved or not.
        seat: 0 (oop) or 1 (ip).
        search: how; its depth is the street.
        model: of the opponent, where p or alpha is above 0.
        seed: of its draws.
        name: for messages.

    Attributes:
        log: lines on what was solved.
    """

    def __init__(
        self, spot: Any, seat: int, search: Search, model: Strategy | None = None, *, seed: int = 0, name: str = ""
    ) -> None:
        if seat not in (0, 1):
            raise InputError(f"the seat must be 0 or 1, not {seat}")
        super().__init__(seat, name or "street by street")
        self.game = game_of(spot)
        self._draw = random.Random(seed)
        self._spare = _SWEEPS * _sweep(self.game) if isfinite(search.stop.seconds) else 0.0
        self._begin(search, model)

    def _begin(self, search: Search, model: Strategy | None) -> None:
        """Nothing is solved yet."""
        _check_model(self.seat, search, model)
        self.search, self._model, self._next = search, model, (search, model)
        self.chain = StreetResponder(self.game, self.seat, search, model)
        self.done: set[PublicNode] = set()
        self._final: Decided | None = None
        self._unfinished: dict[PublicNode, Posed] = {}

    def new_hand(self) -> None:
        """What is solved stays, but for what rests on a solve that was cut short; another model or p counts from now on."""
        self._change()
        if self._final is not None:
            self.chain.behaviour, self.chain.other, self.chain.gap, self.done = self._final
            self._final = None

    def _change(self) -> None:
        """Begin with the search and the model that were asked for."""
        if self._next[0] is not self.search or self._next[1] is not self._model:
            self._begin(*self._next)

    @property
    def final(self) -> Decided:
        """What is solved to its end, and nothing that rests on anything else."""
        chain = self.chain
        return self._final or Decided(chain.behaviour, chain.other, chain.gap, set(self.done))

    @property
    def model(self) -> Source:
        """The model of the opponent; another one, anything that `opponent` takes, counts from the next hand on."""
        return self._next[1]

    @model.setter
    def model(self, source: Source) -> None:
        self._ask(self._next[0], None if source is None else opponent(self.game, source, 1 - self.seat))

    @property
    def p(self) -> float:
        """The probability with which the opponent is the model; another one counts from the next hand on."""
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
        """The probability of each action; the look-ahead that decides here is solved first, if it is not yet.

        Args:
            observation: as `StrategyPlayer.policy` has it.

        Raises:
            InputError: the betting leads elsewhere, or nobody can hold that hand.
        """
        part, hand = seen_at(self.game, observation)
        place_of(self.game, self.seat, part, hand)  # refused before anything is solved
        self._decide(part)
        return row_of(self.game, self.seat, self.chain.behaviour, part, hand)

    def belief(self, observation: str) -> dict[str, float]:
        """How likely the opponent holds each hand, as the look-aheads have seen it play, or as the model does.

        Args:
            observation: of the own seat, also where the opponent acts.
        """
        part, hand = seen_at(self.game, observation)
        theirs = self.chain.other if self._model is None else self._model.behaviour
        plans = [reach(self.game.trees[i], self.chain.behaviour if i == self.seat else theirs) for i in (0, 1)]
        deck = self.spot.deck
        came = _shown(self.game, (plans[0], plans[1])).node_ranges(part)[1 - self.seat]
        odds = np.where(np.isin(deck.hands, deck.hands[hand]).any(axis=1), 0.0, came)
        total = odds.sum()
        return {hand_text(deck.hands[k].tolist()): float(odds[k] / total) for k in np.flatnonzero(odds).tolist()}

    def save(self, path: Any) -> None:
        """Write it to a file that ends in `.cpa`, from which `resume` brings it back."""
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
        arrays = {"behaviour": final.behaviour, "other": final.other}
        if isinstance(self.model, Strategy):
            arrays["model"] = self.model.behaviour
        write(path, facts, arrays)

    def state(self) -> list[Any]:
        """Of its draws, as plain numbers."""
        version, numbers, rest = self._draw.getstate()
        return [version, list(numbers), rest]

    def restore(self, state: list[Any]) -> None:
        """Go on drawing from there."""
        version, numbers, rest = state
        self._draw.setstate((version, tuple(numbers), rest))

    @property
    def spot(self) -> Spot:
        """Where it plays."""
        return spot_of(self.game)

    @property
    def strategy(self) -> Strategy:
        """What is decided so far, and planned."""
        return Strategy(self.game.trees[self.seat], self.chain.behaviour)

    def _decide(self, part: PublicNode) -> None:
        top = top_of(self.game, part)
        if part.layer > 0:
            self._decide(deal_above(self.game, top))
        one = part.layer > 0 and self.chain.by_part
        unit = top if one else PublicNode(0, part.layer, 0)
        if unit not in self.done:
            self._solve(unit, one, self.game.tree_path(top) or "the root")

    def _solve(self, unit: PublicNode, one: bool, where: str) -> None:
        """Solve what decides a street on one board or on all, or go on with it."""
        begun, standing = self._unfinished.get(unit) if self._final is None else None, self.final
        posed = begun or (self.chain.pose_part(unit) if one else self.chain.pose(unit.layer, self._spare))
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


def _sweep(game: SpotGame) -> float:
    """Seconds of a sweep down both treeplexes."""
    begin = run_time()
    for tree in game.trees:
        reach(tree, tree.uniform())
    return run_time() - begin


def _shown(game: SpotGame, plans: tuple[Any, Any]) -> SolvedSpot:
    return SolvedSpot(spot_of(game), game.tree, plans, {})


def _check_model(seat: int, search: Search, model: Strategy | None) -> None:
    if (search.p > 0.0 or search.alpha > 0.0) and (model is None or model.player == seat):
        raise InputError("p and alpha need a model of the other player")
