"""Models of a player in a spot of hold'em, whose hand is dealt from a range: what differs from other games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError, reason
from counterplay.opponents.biased import check_met, met_by
from counterplay.opponents.from_code import as_mapping
from counterplay.poker.cards.deck import hand_text
from counterplay.poker.public_tree.hand_treeplex import DEAL, layer_of
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.spots.solution import SolvedSpot, load_spot
from counterplay.poker.spots.spot_file import ENDING
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.treeplex.strategy import Strategy, checked_row

Floats = NDArray[np.float64]


def from_solution(game: SpotGame, solved: SolvedSpot, player: int) -> Strategy:
    """How a player of another solution plays: of the same spot, or of one with other ranges. Hands that the other spot does
    not have play every action alike.

    Raises:
        InputError: the other spot has another board, other chips or bets, or other rules.
    """
    tree = game.trees[player]
    if solved.tree.runs[player].tree is tree:
        return game.dealt(Strategy(tree, solved.behaviours[player], solved.facts))
    if game.spot is None:
        raise InputError(f"a solved spot is no opponent in {game.name}")
    theirs = solved.spot
    same = ("board", "pot", "stack", "bets", "raises", "min_bet", "unit", "all_in_at", "deck", "rules")
    for name in same:
        if getattr(theirs, name) != getattr(game.spot, name):
            raise InputError(f"that solution is of a spot with another {name}, so that it is no model in this one")
    behaviour = tree.uniform()
    for node, here in _decisions(game, player):
        there = solved.tree.runs[player]
        for board in range(len(game.tree.boards.layers[here].boards)):
            mine, other = (_hands(x, PublicNode(node, here, board)) for x in (game.tree, solved.tree))
            _, at, found = np.intersect1d(
                game.spot.numbers[mine[1]], theirs.numbers[other[1]], assume_unique=True, return_indices=True
            )
            for child in game.tree.betting.children(node):
                to = int(game.tree.runs[player].start[child]) + mine[0]
                behaviour[to + at] = solved.behaviours[player][int(there.start[child]) + other[0] + found]
    return game.dealt(Strategy(tree, behaviour, solved.facts))


def from_file(game: SpotGame, path: str, player: int) -> Strategy:
    """The same of a `.spot` file."""
    return from_solution(game, load_spot(path), player)


def is_file(text: str) -> bool:
    """Whether a text names a solved spot."""
    return text.endswith(ENDING)


def from_hands(game: SpotGame, function: Callable[..., Any], player: int) -> Strategy:
    """The strategy of a function `f(path, hand)` or `f(path, hand, actions)`.

    Path is text as `SolvedSpot.node` reads it ("check, bet 100, Ah"), hand is "KsKd", actions a tuple of texts. It returns
    {action: probability}, or the probabilities in the order of the actions.

    Raises:
        InputError: the function fails, or what it returns is no distribution, naming the node and the hand.
    """
    tree, layers = game.trees[player], game.tree.boards.layers
    behaviour = tree.uniform()
    short = _takes(function)
    for node, here in _decisions(game, player):
        actions = game.tree.betting.actions(node)
        starts = [int(game.tree.runs[player].start[child]) for child in game.tree.betting.children(node)]
        for board in range(len(layers[here].boards)):
            path = game.tree_path(PublicNode(node, here, board))
            first, hands = _hands(game.tree, PublicNode(node, here, board))
            for k, number in enumerate(hands):
                hand = hand_text(game.tree.boards.cards.hands[number].tolist())
                where = f"{path or 'the root'} | {hand}"
                try:
                    row = function(path, hand) if short else function(path, hand, actions)
                except Exception as error:
                    raise InputError(f"the opponent failed at '{where}': {reason(error)}") from None
                chosen = checked_row(where, actions, as_mapping(where, actions, row))
                for start, share in zip(starts, chosen.tolist(), strict=True):
                    behaviour[start + first + k] = share
    return game.dealt(Strategy(tree, behaviour))


def bias_actions(game: SpotGame, strategy: Strategy, factors: dict[str, float]) -> Strategy:
    """The strategy with the probability of some actions multiplied, as `biased.bias_actions` has it, without a list
    of texts.

    Raises:
        InputError: a beginning that no action has.
    """
    behaviour, met = strategy.behaviour.copy(), set[str]()
    runs, betting = game.tree.runs[strategy.player], game.tree.betting
    for node, here in _decisions(game, strategy.player):
        count = game.tree.boards.layers[here].places
        rows = [slice(int(runs.start[child]), int(runs.start[child]) + count) for child in betting.children(node)]
        changed = np.stack([behaviour[row] for row in rows])
        for k, name in enumerate(betting.actions(node)):
            found = met_by(name, factors)
            if found is not None:
                changed[k] *= factors[found]
                met.add(found)
        total = changed.sum(axis=0)
        some = total > 0.0
        for row, part in zip(rows, changed, strict=True):
            behaviour[row] = np.where(some, part / np.where(some, total, 1.0), behaviour[row])
    nodes = (node for node, _ in _decisions(game, strategy.player))
    check_met(factors, met, (name for node in nodes for name in game.tree.betting.actions(node)))
    return Strategy(strategy.tree, behaviour)


def _decisions(game: SpotGame, player: int) -> list[tuple[int, int]]:
    """The betting nodes where a player has a choice, and the layer of each."""
    lanes = game.tree.runs[player].lane[:DEAL]
    return [(node, layer_of(game.tree.betting, node)) for node in np.flatnonzero(lanes >= 0).tolist()]


def _hands(tree: Any, part: PublicNode) -> tuple[int, Any]:
    """Where the hands of a board begin in its layer, and their numbers."""
    layer = tree.boards.layers[part.layer]
    first, end = layer.first[part.board : part.board + 2].tolist()
    return first, layer.hand[first:end]


def _takes(function: Callable[..., Any]) -> bool:
    """Whether a function takes two arguments only."""
    import inspect

    try:
        inspect.signature(function).bind("path", "hand", ())
    except TypeError:
        return True
    except ValueError:
        return False
    return False
