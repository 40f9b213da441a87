"""Agents of spots of hold'em: of a known strategy, and of a search street by street.

An observation is the betting, the cards dealt and the own hand, such as "check, bet 100, call, river | Ah | KsKd" or
"x b100 c Ah | KsKd".
"""

from __future__ import annotations

from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from counterplay.agents.agent import ContinualAgent, Source, StrategyAgent
from counterplay.agents.agent_archive import SPOT, Saved, checked_array, limit_of, search_facts
from counterplay.archive import Archive
from counterplay.arrays import F64
from counterplay.budget import time_left
from counterplay.errors import InputError
from counterplay.lookahead.search import Search
from counterplay.lookahead.step import trusts
from counterplay.opponents.opponent import opponent
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import Deck, hand_text
from counterplay.poker.plan_stores.spot_plans import SpotPlans
from counterplay.poker.public_tree.hand_treeplex import PublicNode, part_at
from counterplay.poker.ranges.range import Range
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.spot_game import SpotGame, as_spot_game
from counterplay.responses.street_lookahead import check_search, street_responder
from counterplay.strategies.strategy_makers import strategies_of
from counterplay.treeplex.strategy import Strategy, check_observation


class SpotAgent(StrategyAgent):
    """Plays a strategy of a spot, solved or not; one of another spot is refused."""

    def __init__(self, spot: Any, strategy: Strategy, seed: int = 0, name: str = "") -> None:
        self.game, self._strategy = spot_game_of(spot), strategy
        if not strategies_of(self.game).owns(strategy, strategy.player):
            raise InputError(f"this is not a strategy of {self.game.name}")
        super().__init__(strategy.player, seed, name)

    def row(self, observation: str) -> dict[str, float]:
        part, hand = read_observation(self.game, observation)
        return hand_row(self.game, self.seat, self._strategy.behaviour, part, hand)


def spot_game_of(spot: Any) -> SpotGame:
    """The game of a spot; anything else is refused."""
    game: SpotGame | None = as_spot_game(spot)
    if game is None:
        raise InputError("a player of hands needs a spot of hold'em")
    return game


def read_observation(game: SpotGame, observation: str) -> tuple[PublicNode, int]:
    """The node of a player, and the number of the hand in the deck; of a public tree that is no spot, among its
    hands."""
    check_observation(observation)
    *path, text = observation.split("|")
    text = text.strip()
    if game.spot is None:
        names = [hand_text(hand) for hand in game.tree.boards.cards.hands.tolist()]
        found = [k for k, name in enumerate(names) if name.casefold() == text.casefold()]
    else:
        found = np.flatnonzero(Range.parse(text, game.spot.deck).weights).tolist()
    if len(found) != 1:
        raise InputError(f"'{text}' is not one hand")
    return part_at(game.tree.betting, game.tree.boards, ", ".join(path)), int(found[0])


def _place(game: SpotGame, player: int, part: PublicNode, hand: int) -> int:
    """The index of a hand in its layer; refused where the player does not act, or cannot hold that hand."""
    if game.tree.betting.kind[part.node] != player:
        raise InputError(f"player {player} does not act at '{game.tree_path(part)}'")
    layer, hands = game.tree.boards.layers[part.layer], game.tree.boards.cards.hands
    numbers = np.arange(len(hands)) if game.spot is None else game.spot.numbers
    first, end = layer.first[part.board : part.board + 2].tolist()
    at = np.flatnonzero(numbers[layer.hand[first:end]] == hand)
    if len(at) != 1:
        text = hand_text((hands if game.spot is None else game.spot.deck.hands)[hand].tolist())
        where = f"'{path}'" if (path := game.tree_path(part)) else "the root"
        raise InputError(f"player {player} cannot hold '{text}' at {where}")
    return int(first + at[0])


def hand_row(game: SpotGame, player: int, behaviour: Any, part: PublicNode, hand: int) -> dict[str, float]:
    """The probabilities of a hand's actions at a node; refused where the player does not act, or cannot hold that
    hand."""
    betting, runs, place = game.tree.betting, game.tree.runs[player], _place(game, player, part, hand)
    names, after = betting.actions(part.node), betting.children(part.node)
    if len(after) == 1:
        return {names[0]: 1.0}
    return {name: float(behaviour[int(runs.start[child]) + place]) for name, child in zip(names, after, strict=True)}


def shares_of_hands(deck: Deck, odds: F64, held: Any) -> dict[str, float] | None:
    """The probability of each hand, by its text, from the weights of all hands of the deck, (hands,), less those that
    share a card of `held`; None if no weight is left."""
    odds = np.where(np.isin(deck.hands, held).any(axis=1), 0.0, odds)
    total = float(odds.sum())
    if not total > 0.0:
        return None
    return {hand_text(deck.hands[k].tolist()): float(odds[k]) / total for k in np.flatnonzero(odds).tolist()}


class Decided(NamedTuple):
    """The solves so far: both strategies, the largest gap, and the streets and boards."""

    plans: SpotPlans
    gap: float
    done: set[PublicNode]


class SpotSearch(ContinualAgent):
    """Solves each street when it is reached, with the range of its own earlier play. Arguments after `search` are those
    of `ContinualAgent`.

    The first street is solved at its first decision; a later one after the gadget for the card dealt or, with the full
    gadget, for all cards at once. Solutions are kept from hand to hand; another model or search counts from the next
    hand.

    chain: the look-aheads of the streets. done: streets and boards that are solved."""

    changes_at_once = False

    def __init__(self, spot: Any, seat: int, search: Search, model: Source = None, **settings: Any) -> None:
        if seat not in (0, 1):
            raise InputError(f"the seat must be 0 or 1, not {seat}")
        self.game = spot_game_of(spot)
        if self.game.spot is None:
            raise InputError(f"agents that solve street by street are for spots of hold'em, not for {self.game.name}")
        self.spot = self.game.spot
        super().__init__(seat, search.in_game(self.game), model, **settings)

    @property
    def strategy(self) -> Any:
        return self.chain.strategy

    @property
    def final(self) -> Decided:
        """The finished solutions, without those that depend on unfinished ones."""
        return self._final or Decided(self.chain.plans, self.chain.gap, set(self.done))

    def begin(self, source: Source) -> None:
        self.take(source)
        self._restart()
        self._spare = self.chain.overhead() if isfinite(self.seconds) else 0.0

    def take(self, source: Source) -> None:
        model = None if source is None else opponent(self.game, source, 1 - self.seat)
        self._check(self.search, model)
        self._model = model

    def search_as(self, search: Search) -> None:
        check_search(self.game, search)
        self._check(search, self.model)
        self.search = search

    def _check(self, search: Search, model: Any) -> None:
        if trusts(search) and (model is None or model.player == self.seat):
            raise InputError("p and alpha need a model of the other player")

    def _restart(self) -> None:
        self._begun: tuple[Search, Any] = self.search, self.model
        self.chain = street_responder(self.game, self.seat, *self._begun)
        self.done: set[PublicNode] = set()
        self._final: Decided | None = None
        self.unfinished.clear()

    def new_hand(self) -> None:
        """Keep the solutions, except those that depend on an unfinished solve."""
        self.hands += 1
        if self._begun[0] is not self.search or self._begun[1] is not self.model:
            self._restart()
        if self._final is not None:
            self.chain.plans, self.chain.gap, self.done = self._final
            self._final = None

    def row(self, observation: str) -> dict[str, float]:
        part, hand = read_observation(self.game, observation)
        _place(self.game, self.seat, part, hand)  # refused before anything is solved
        self._decide(part)
        return hand_row(self.game, self.seat, self.chain.behaviour, part, hand)

    def belief(self, observation: str) -> dict[str, float]:
        part, hand = read_observation(self.game, observation)
        plans, deck = self.chain.plans, self.spot.deck
        if (model := self.chain.model_plans) is not None:
            plans = plans.facing(1 - self.seat, model)
        ranges = SolvedSpot(self.spot, self.game.tree, plans, {}).node_ranges(part)[1 - self.seat]
        return shares_of_hands(deck, ranges, deck.hands[hand]) or {}

    def _decide(self, part: PublicNode) -> None:
        """Solve or continue the look-aheads that decide at a node, from the first street on."""
        node, betting, boards = part.node, self.game.tree.betting, self.game.tree.boards
        while node > 0 and betting.kind[betting.parent[node]] != Kind.DEAL:
            node = int(betting.parent[node])
        top = PublicNode(node, part.layer, part.board)
        if part.layer > 0:
            above = int(boards.layers[part.layer].parent[part.board])
            self._decide(PublicNode(int(betting.parent[node]), part.layer - 1, above))
        alone = part.layer > 0 and self.chain.by_part
        unit, where = top if alone else PublicNode(0, part.layer, 0), self.game.tree_path(top) or "the root"
        if unit in self.done:
            return
        begun, standing = self.unfinished.get(unit) if self._final is None else None, self.final
        anew = self.chain.pose_part if alone else lambda unit: self.chain.pose(unit.layer, self._spare)
        posed = begun.posed if begun else anew(unit)
        if posed is not None and not posed.solve.iterations and not time_left():
            if self._final is None:
                self.unfinished.keep(unit, posed)
            self.note(f"no time was left to solve from {where}: what was planned before stands")
            return
        solution = None if posed is None else self.chain.take(posed)
        self.done.add(unit)
        if posed is None or posed.solve.finished:
            self.unfinished.pop(unit, None)
            visits = f" at visit {posed.solve.calls}" if posed is not None and begun else ""
            self.note(f"solved from {where}{visits}, largest gap so far {self.chain.gap:.3g} chips")
            return
        assert solution is not None
        keeps = self._final is None
        if keeps:
            self._final = standing
            self.unfinished.keep(unit, posed)
        iterations, gap = posed.solve.iterations, self.chain.gap
        self.note_cut(f"from {where}", solution.interrupted, iterations, gap, goes_on=keeps)

    def saved(self) -> Saved:
        final = self.final  # what is unfinished is begun anew
        facts = {
            "kind": SPOT, "seat": self.seat, "name": self.name, "search": search_facts(self._begun[0]),
            "spot": self.spot.table(), "done": sorted(final.done), "gap": final.gap, "log": list(self.log),
            "draws": self.draws.getstate(),
        }  # fmt: skip
        numbers = strategies_of(self.game).numbers
        both = (("behaviour", self.seat), ("other", 1 - self.seat))
        arrays = {name: numbers(final.plans.behaviour(player), player) for name, player in both}
        model: Any = self.model
        if model is not None:
            arrays["model"] = numbers(model.behaviour, 1 - self.seat)
        return facts, arrays

    def restore(self, archive: Archive, facts: dict[str, Any]) -> None:
        """Continue from the solutions of a file."""
        both = (("behaviour", self.seat), ("other", 1 - self.seat))
        self.chain.restore(*(saved_strategy(self.game, archive, name, player) for name, player in both))
        self.chain.gap = limit_of(facts["gap"])
        self.done = {PublicNode(*map(int, part)) for part in facts["done"]}


def saved_strategy(game: SpotGame, archive: Archive, name: str, player: int) -> Any:
    """A strategy of a player in a file of an agent; None if the file has none."""
    made = strategies_of(game)
    if name not in archive:
        return None
    return made.from_numbers(player, checked_array(archive, name, (made.size(player),), game.name), {"method": "saved"})
