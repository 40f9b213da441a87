"""The gadget of one subgame as a picture needs it: the opponent's roots, the branches there, and how they are used."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.blueprints.resolve import inputs_of, subtrees_at
from counterplay.blueprints.resolve_request import ResolveRequest
from counterplay.errors import InputError
from counterplay.lookahead.resolver import ResolvedSubtree, resolve_subtree, root_of
from counterplay.problem.solvable_game import SolvableGame
from counterplay.subgames.entry import Entry
from counterplay.subgames.plan_store import Root

ENTER, LEAVE, CHOOSE, DEALT, PATH = "enter", "leave", "choose", "dealt", "path"
KINDS = {
    ENTER: "the opponent enters the subgame",
    LEAVE: "the opponent leaves, and gets their alternative value",
    CHOOSE: "the opponent chooses this root for the subgame, and pays their alternative value there",
    DEALT: "the opponent is dealt in with their range",
    PATH: "the opponent comes by the whole path from the root of the game",
}
"""Branches, and what each is."""


@dataclass(frozen=True)
class GadgetBranch:
    """A branch at a root: a key of `KINDS`; chips that it pays the opponent, given that chance and the resolver come
    here, None for nothing; its probability at its root, for `choose` among all roots."""

    kind: str
    pays: float | None
    odds: float


@dataclass(frozen=True)
class GadgetRoot:
    """A root: an augmented infoset of the opponent at the top of the subgame.

    Attributes:
        share: chance's and the resolver's reach, as a share of all roots.
        before, after: the opponent's best value there against the blueprint, and against the new strategy; chips, given
            that chance and the resolver come here. None where they never do."""

    name: str
    share: float
    before: float | None
    after: float | None
    branches: tuple[GadgetBranch, ...]


@dataclass(frozen=True)
class GadgetDrawing:
    """The gadget of a subgame.

    Attributes:
        game, at, gadget: texts.
        resolver: seat of the player who solves the subgame again.
        number, subgames: of the subgame, from 1, and how many there are.
        one_choice: whether the opponent has one decision over all roots, not one at each.
        gap: NashConv of the solution, chips of the whole game.
    """

    game: str
    at: str
    gadget: str
    resolver: int
    number: int
    subgames: int
    one_choice: bool
    roots: tuple[GadgetRoot, ...]
    gap: float
    interrupted: bool = False

    @property
    def facts(self) -> dict[str, Any]:
        return {**asdict(self), "kinds": KINDS}


def draw_gadget(game: SolvableGame, blueprint: Any, at: str, number: int = 1, **options: Any) -> GadgetDrawing:
    """The gadget of a subgame of a blueprint, solved."""
    asked = ResolveRequest.of(options)  # type: ignore[arg-type]
    known = inputs_of(game, blueprint, asked)
    way = asked.settings(both=known.plans.knows(known.opponent))
    subtrees = subtrees_at(game, [at], known.resolver, asked)
    if not 1 <= number <= len(subtrees):
        raise InputError(f"{game.name} has {len(subtrees)} subgames at {at}: there is no subgame {number}")
    subtree, knowledge = subtrees[number - 1], known.knowledge(way)
    found = None if subtree is None else root_of(subtree, way.search, knowledge)
    solved = resolve_subtree(subtree, way.search, knowledge)
    if subtree is None or found is None or solved is None:
        raise InputError(f"the blueprint never reaches subgame {number} at {at}")
    root, gadget = found
    after = subtree.alternative_values(solved.put_into(known.plans, known.resolver))
    weight, before = root.weight * root.unit, root.values * root.unit
    share = weight / weight.sum()

    def given(cfv: F64, k: int) -> float | None:
        return float(cfv[k] / weight[k]) if weight[k] > 0.0 else None

    roots = [
        GadgetRoot(name, float(share[k]), given(before, k), given(after, k), _branches(root, solved, k))
        for k, name in enumerate(subtree.names())
    ]
    one = bool(gadget.chooses_one) or (
        solved.game.entry.can_tremble and len(solved.game.entry.actions) == 1 < root.size
    )
    return GadgetDrawing(
        game.name, at, str(gadget), known.resolver, number, len(subtrees), one, tuple(roots), solved.gap,
        solved.interrupted,
    )  # fmt: skip


def _branches(root: Root, solved: ResolvedSubtree, k: int) -> tuple[GadgetBranch, ...]:
    """The branches at a root, read from the entry alone, so that a user's gadget is drawn, too."""
    game, entry = solved.game, solved.game.entry
    if entry.full:
        return (GadgetBranch(PATH, None, 1.0),)
    if entry.possible is not None and not entry.possible[k]:
        return ()
    plan = solved.solution.plans[game.opponent]
    odds = float(plan[game.choices[game.opponent][k]])
    pays = _paid(entry, root, int(entry.choice[k]), k)
    if entry.fixed:
        return (GadgetBranch(DEALT, pays, odds),)
    if entry.follows is not None:  # decisions that stand for the path, and may lead to several roots
        return (GadgetBranch(ENTER, pays, odds),)
    if entry.declines is None:
        return (GadgetBranch(CHOOSE, pays, odds),)
    out = GadgetBranch(LEAVE, _paid(entry, root, int(entry.declines[k]), k), float(plan[game.declines[k]]))
    return GadgetBranch(ENTER, pays, odds), out


def _paid(entry: Entry, root: Root, sequence: int, k: int) -> float | None:
    """Chips that a raw sequence of the entry pays the opponent, given that root k is reached; None for nothing."""
    here = np.flatnonzero(entry.at == sequence)
    weight = float(root.weight[k] * (1.0 if entry.scale is None else entry.scale[k]))
    return float(entry.constant[here].sum()) / weight if len(here) and weight > 0.0 else None
