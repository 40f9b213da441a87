"""Further measures of a re-solved blueprint of a whole game: exact where the game fits the linear program, else by the
solver of blueprints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from counterplay.blueprints.baseline import Baseline
from counterplay.blueprints.further_measures import check_further, further_measures
from counterplay.blueprints.resolve_request import ResolveRequest
from counterplay.blueprints.resolve_streets import StreetSubtrees, parts_of
from counterplay.blueprints.resolved_blueprint import BlueprintInputs, MeasuredBlueprint
from counterplay.blueprints.ses_bounds import ses_bounds
from counterplay.blueprints.settings import ResolveSettings
from counterplay.blueprints.whole_game.as_strategy import RefinedBlueprint, put_in
from counterplay.blueprints.whole_game.board_subtree import BoardSubtree, board_subtree
from counterplay.blueprints.whole_game.whole_game_plans import WholeGamePlans
from counterplay.errors import InputError
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.whole_game.board_problem import whole_tree
from counterplay.poker.whole_game.boards.board import DEALT, Board, deals_to_come, pairs_of_hands
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import BlueprintStrategy, normalise_rows
from counterplay.solvers.cfr import Stop
from counterplay.solvers.equilibrium import LP_UP_TO
from counterplay.subgames.plan_store import ArrayPlans, SolvedGap
from counterplay.treeplex.strategy import Strategy

_JOINT = "dcfr:1.5,0,4"
"""Solver of a game that is too large for the linear program."""


def check_measures(game: Holdem, asked: ResolveRequest) -> None:
    """Reject further measures that this game does not have (see `check_further`)."""
    if asked.measures_further:
        fits = listed_game(game) is not None
        check_further(game.name, asked, both=True, entries=0 if fits else LP_UP_TO + 1)


def measure_further(
    game: Holdem,
    base: Baseline,
    blueprint: MeasuredBlueprint,
    found: WholeGamePlans,
    boards: Sequence[Board],
    way: ResolveSettings,
    asked: ResolveRequest,
) -> dict[str, Any]:
    """The measures that were asked for, with all boards of a street solved again."""
    if not asked.measures_further:
        return {}
    listed, me, plans = listed_game(game), blueprint.resolver, blueprint.plans
    if listed is not None:
        mine, after, model = (in_memory(game, listed, one) for one in (plans, found, blueprint.model))
        assert mine is not None
        assert after is not None
        inputs = BlueprintInputs(mine, me, model)
        pieces = [*filter(None, StreetSubtrees(listed, parts_of(listed, boards[0].street), me))]
        joint = way.gadget.keeps_path
        return further_measures(listed, base, inputs, after, pieces, way, asked, joint=joint)
    extra: dict[str, Any] = {}
    solver, subtrees = _JOINT if way.solver == "lp" else way.solver, subtrees_on(game.game, boards, me)
    if asked.continuation:
        best, _ = plans.solved(me, subtrees, solver, way.stop, beside=True)
        extra["continuation"] = base.shown(base.exploitability(best, me))
    if asked.bounds:
        least, _ = plans.solved(me, subtrees, solver, way.stop)
        extra["safety"] = ses_bounds(base, blueprint, found, least, subtrees, way, asked.seed)
    return extra


def subtrees_on(game: HoldemGame, boards: Sequence[Board], me: int) -> list[BoardSubtree]:
    """The subtrees of boards of one street, after every betting that leads there and goes on."""
    lines = [entry for entry, node in enumerate(game.roots[boards[0].street].tolist()) if game.betting.children(node)]
    return [board_subtree(game, entry, board.cards, me) for board in boards for entry in lines]


def solved_in_memory(plans: WholeGamePlans, me: int, street: int) -> tuple[WholeGamePlans, SolvedGap]:
    """A game solved again from a street on by linear program, with the decisions before it fixed."""
    game, listed = plans.rules, listed_game(plans.rules)
    if listed is None:
        raise InputError(f"{game.name} is too large for the linear program; solve by cfr, cfr+ or dcfr")
    known = in_memory(game, listed, plans)
    assert known is not None
    branches = [*filter(None, StreetSubtrees(listed, parts_of(listed, street), me))]
    found, gap = known.solved(me, branches, "lp", Stop())
    tables: dict[tuple[int, ...], Any] = {}
    put_in(tables, _whole_subtree(game, listed, me), me, found.behaviour(me))
    ready = {cards: normalise_rows(table, game.game.sides[me].decisions[DEALT.index(len(cards))])
             for cards, table in tables.items()}  # fmt: skip
    return plans.facing(me, replace(plans, play=RefinedBlueprint(plans.play, me, ready, 0.0))), gap


def listed_game(game: Holdem) -> SpotGame | None:
    """A whole game on all its boards in memory, as a spot that begins before the flop; None if it is too large for the
    linear program."""
    if pairs_of_hands(game.deck) * deals_to_come(game.deck, 0, game.limits.last) > LP_UP_TO:  # of one showdown
        return None
    tree = whole_tree(game.game)
    if tree.leaves.entries > LP_UP_TO:
        return None
    return SpotGame(game.name, tree, game.betting.rules.pot, 0.0)


def in_memory(game: Holdem, listed: SpotGame, plans: WholeGamePlans | Any) -> ArrayPlans | None:
    """Strategies of a whole game as arrays of the game in memory; None for None."""
    if plans is None:
        return None
    first, second = (listed_strategy(game, listed, plans.play, player) for player in (0, 1))
    return ArrayPlans.of(listed.subgame, first, second)


def listed_strategy(game: Holdem, listed: SpotGame, play: BlueprintStrategy, player: int) -> Strategy:
    """A player's strategy in the game in memory."""
    found = Strategy(listed.trees[player], _whole_subtree(game, listed, player).behaviour(play, player))
    return listed.dealt(found)


def _whole_subtree(game: Holdem, listed: SpotGame, player: int) -> BoardSubtree:
    """The game in memory as the rest of a hand that begins before the flop."""
    return BoardSubtree(listed.tree, PublicNode(), listed.tree, 1 - player, game.game, 0, ())
