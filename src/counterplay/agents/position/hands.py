"""The position of a player in a spot: from the text of an observation to a node of the tree, and a behaviour there."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.arrays import I64
from counterplay.errors import InputError
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import hand_text
from counterplay.poker.public_tree.public_terminals import PublicNode, part_at
from counterplay.poker.ranges.range import Range
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_conversion import as_spot_game
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.treeplex.nearest_infosets import check_observation


def game_of(spot: Any) -> SpotGame:
    """The game of a spot.

    Raises:
        InputError: not a spot.
    """
    game: SpotGame | None = as_spot_game(spot)
    if game is None:
        raise InputError("a player of hands needs a spot of hold'em")
    return game


def spot_of(game: SpotGame) -> Spot:
    """The spot of such a game.

    Raises:
        InputError: a public tree that is no spot.
    """
    if game.spot is None:
        raise InputError(f"agents that solve street by street are for spots of hold'em, not for {game.name}")
    return game.spot


def _number_of(game: SpotGame, text: str) -> int:
    """The number of a hand in the deck; of a public tree that is no spot, among its hands.

    Raises:
        InputError: it is not one hand.
    """
    if game.spot is None:
        names = [hand_text(hand) for hand in game.tree.boards.cards.hands.tolist()]
        found = [k for k, name in enumerate(names) if name.casefold() == text.casefold()]
    else:
        found = np.flatnonzero(Range.parse(text, game.spot.deck).weights).tolist()
    if len(found) != 1:
        raise InputError(f"'{text}' is not one hand")
    return int(found[0])


def _numbers(game: SpotGame) -> I64:
    """(n,) the numbers of the hands of a tree."""
    return np.arange(len(game.tree.boards.cards.hands)) if game.spot is None else game.spot.numbers


def seen_at(game: SpotGame, observation: str) -> tuple[PublicNode, int]:
    """The node of a player, and the number of the hand in the deck.

    Raises:
        InputError: an invalid path or hand.
    """
    check_observation(observation)
    *path, hand = observation.split("|")
    number = _number_of(game, hand.strip())
    return part_at(game.tree.betting, game.tree.boards, ", ".join(path)), number


def top_of(game: SpotGame, part: PublicNode) -> PublicNode:
    """The node at which the street of a part begins."""
    node, betting = part.node, game.tree.betting
    while node > 0 and betting.kind[betting.parent[node]] != Kind.DEAL:
        node = int(betting.parent[node])
    return PublicNode(node, part.layer, part.board)


def deal_above(game: SpotGame, top: PublicNode) -> PublicNode:
    """The deal above the beginning of a street."""
    layer = game.tree.boards.layers[top.layer]
    return PublicNode(int(game.tree.betting.parent[top.node]), top.layer - 1, int(layer.parent[top.board]))


def place_of(game: SpotGame, player: int, part: PublicNode, hand: int) -> int:
    """The index of a hand in its layer.

    Raises:
        InputError: the player does not act there, or cannot hold that hand.
    """
    if game.tree.betting.kind[part.node] != player:
        raise InputError(f"player {player} does not act at '{game.tree_path(part)}'")
    layer = game.tree.boards.layers[part.layer]
    first, end = layer.first[part.board : part.board + 2].tolist()
    at = np.flatnonzero(_numbers(game)[layer.hand[first:end]] == hand)
    if len(at) != 1:
        hands = game.tree.boards.cards.hands if game.spot is None else game.spot.deck.hands
        text = hand_text(hands[hand].tolist())
        where = f"'{path}'" if (path := game.tree_path(part)) else "the root"
        raise InputError(f"player {player} cannot hold '{text}' at {where}")
    return int(first + at[0])


def row_of(game: SpotGame, player: int, behaviour: Any, part: PublicNode, hand: int) -> dict[str, float]:
    """The probabilities of a hand's actions at a node; errors as in `place_of`."""
    betting, runs, place = game.tree.betting, game.tree.runs[player], place_of(game, player, part, hand)
    names, after = betting.actions(part.node), betting.children(part.node)
    if len(after) == 1:
        return {names[0]: 1.0}
    return {name: float(behaviour[int(runs.start[child]) + place]) for name, child in zip(names, after, strict=True)}
