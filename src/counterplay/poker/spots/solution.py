"""Solved spots: reports of nodes, also as tables for spreadsheets; files, archives of the spot, the facts of its solution
and both strategies; and values of both players, net and as EV (see `poker.betting.stakes`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.archive import Archive, ArchiveKind, opened, plain, write
from counterplay.arrays import F64, I64, lock_fields
from counterplay.display import brief, csv_of, labelled
from counterplay.errors import InputError, in_file
from counterplay.figures import axes_or_new
from counterplay.files import SPOT
from counterplay.memory_limit import default_memory
from counterplay.poker.betting.bet_sizes import IdleSizesError, read_sizes
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.betting.stakes import SOLUTION, Stakes
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import Deck, cards_text, compatible_weight, hand_text
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.plan_stores.compact_plans import CompactPlans
from counterplay.poker.plan_stores.spot_plans import ArraySpotPlans, SpotPlans, packed_probabilities, unpacked_choices
from counterplay.poker.public_tree.hand_treeplex import PublicNode, layer_of, part_at, path_to
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree
from counterplay.poker.public_tree.size_estimate import LARGE, READ, SINGLE, size_of
from counterplay.poker.ranges.equity import hand_equities
from counterplay.poker.ranges.grid import draw_grid, grid_html
from counterplay.poker.ranges.range import Range, write_range
from counterplay.poker.spots.spot import RULES, Spot
from counterplay.result import ResultRecord
from counterplay.solvers.cfr import Solution
from counterplay.treeplex.sweeps import behaviour_of, reach

_NUMBERS = ("probabilities0", "probabilities1")
KIND = ArchiveKind("a solved spot", 3, frozenset(_NUMBERS), packed=True, old=frozenset(("header",)))
_OLD_FORMAT = 2
"""Magic number of files without a checksum."""
_EXACT = 1e-3
"""Tolerance of the sum of a decision's probabilities: single precision needs less."""
_LARGEST = 1e300
"""The largest number that is accepted."""
_MACHINE = 2.0
"""Whole of the machine's memory, of which one half is what a solve may take by default."""


def facts_in(path: str | Path) -> dict[str, Any]:
    """The facts of the solution in a file, without building its tree; errors as in `load_spot`."""
    return question_in(path)[1]


def question_in(path: str | Path) -> tuple[Spot, dict[str, Any]]:
    """The spot of a file and the facts of its solution, without building its tree; errors as in `load_spot`."""
    with opened(path, KIND) as archive:
        try:
            return _question(archive)
        except InputError as error:
            raise in_file(path, error) from None


def _question(archive: Archive) -> tuple[Spot, dict[str, Any]]:
    """The spot and the facts, checked for version, damage and whether the spot belongs to the probabilities."""
    if archive.sealed:
        table, facts = archive.facts.get("spot"), archive.facts.get("solution")
    else:
        header = archive.old_facts("header")
        if not isinstance(header, dict) or header.get("format") != _OLD_FORMAT:
            raise InputError("this file was written in a format that this version does not read")
        table, facts = header.get("spot"), header.get("facts")
        # The checksum of old files: of the spot together with the shapes of its arrays.
        text = json.dumps([table, [list(archive.shape(name)) for name in _NUMBERS]], sort_keys=True)
        if header.get("digest") != hashlib.blake2b(text.encode(), digest_size=16).hexdigest():
            raise InputError("the spot in this file is not the one that was saved there")
    if not isinstance(facts, dict):
        raise InputError("the facts of the solution must be a table of names and values")
    for name in ("exploitability", "exploitability_percent"):
        value = facts.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= _LARGEST:  # NaN, too
            raise InputError(f"the {name.replace('_', ' in ')} of the solution must be a number")
    if facts.get("seat", 0) not in (0, 1):
        raise InputError("the seat of the answer must be 0 or 1")
    if not isinstance(table, dict):
        raise InputError("a spot must be a table of names and values")
    return stored_spot(table), facts


def stored_spot(table: Mapping[str, Any]) -> Spot:
    """The spot of a table that some version wrote: settings that do nothing were not always refused, and are left out.
    Errors as in `Spot.from_table`."""
    settings = dict(table)
    if not settings.get("rake"):
        settings.pop("rake_cap", None)
    try:
        return Spot.from_table(settings)
    except IdleSizesError:
        return Spot.from_table({**settings, "bets": str(read_sizes(settings["bets"]).without_donks)})


def _numbers(archive: Archive, count: int, player: int) -> Any:
    """The probabilities of a player in a file, checked for their number and range."""
    if archive.shape(_NUMBERS[player]) != (count,):
        raise InputError("the probabilities do not fit the spot")
    numbers = archive.array(_NUMBERS[player], (count,))
    if not (numbers.min() >= 0 and numbers.max() <= 1):  # not so if one is no number
        raise InputError("the probabilities do not fit the spot")
    return numbers


def _check_sums(sums: Any) -> None:
    if (np.abs(sums - 1.0) > _EXACT).any():
        raise InputError("the probabilities of a decision do not sum to 1")


def _plan(archive: Archive, tree: PublicTree, player: int) -> Any:
    """The plan of the probabilities of a player in a file, checked for their sums."""
    own = tree.runs[player].tree
    numbers = _numbers(archive, own.sequences, player)
    behaviour = np.zeros(own.size)
    behaviour[own.real] = numbers
    inside = own.owner >= 0
    sums = np.bincount(own.owner[inside], behaviour[inside], own.lanes)[own.lane_sequences[2] > 0]
    _check_sums(sums)
    # Rows must sum to exactly 1: a plan of one step each makes the sums, and the behaviour of it divides by them.
    restriction = tree.subgame.restrictions[player]
    return reach(own, restriction.behaviour(own, behaviour_of(own, behaviour)))


@dataclass(frozen=True, eq=False)
class Node:
    """A node of a solution. Arrays run over the hands of the deck; NaN where a number is undefined.

    Attributes:
        path: full path of the node.
        board: the cards shown there.
        player: the player to act, 0 (oop) or 1 (ip); None if no player acts.
        actions: names of the player's actions.
        probabilities: (n, actions) strategy of each hand.
        ranges: two (n,): weights of both players' hands there.
        values: two (n,): EV: chips that each hand takes out of the pot from there on, less what it still puts in. Both
            players' means add up to the pot, less the rake.
        equities: two (n,): share of the pot without further bets.
        action_values: (n, actions) EV of each hand of the player to act, by action; like `values`, from the node on.
        means: of the values, over all pairs of hands.
        shares: of the equities, likewise.
        pot: chips in the middle.
    """

    path: str
    board: tuple[int, ...]
    player: int | None
    actions: tuple[str, ...]
    probabilities: F64
    ranges: tuple[F64, F64]
    values: tuple[F64, F64]
    action_values: F64
    equities: tuple[F64, F64]
    means: tuple[float, float]
    shares: tuple[float, float]
    pot: float

    def __post_init__(self) -> None:
        lock_fields(self, "probabilities", "ranges", "values", "action_values", "equities")

    def __repr__(self) -> str:
        who = "no player" if self.player is None else ("oop", "ip")[self.player]
        return brief(self, self.path or "the root", f"{who} acts", *self.actions, labelled("pot", self.pot))


def node_of(solved: SolvedSpot, part: PublicNode) -> Node:
    """The report of a node of a solution's public tree."""
    here = NodeValues(solved, part)
    found = [here.values(player) for player in (0, 1)]
    mass = [here.met(1 - player) * here.reaches[player] for player in (0, 1)]
    shares = [here.equities(player) for player in (0, 1)]
    weights = [here.spread(one, 0.0) for one in mass]
    betting = solved.tree.betting
    return Node(
        path=path_to(betting, solved.tree.boards, part),
        board=here.board,
        player=here.player,
        actions=betting.actions(part.node) if here.player is not None else (),
        probabilities=here.probabilities(),
        ranges=here.ranges,
        values=(here.spread(found[0]), here.spread(found[1])),
        action_values=here.action_values(),
        equities=(shares[0], shares[1]),
        means=(_mean(found[0], mass[0]), _mean(found[1], mass[1])),
        shares=(_mean(shares[0], weights[0]), _mean(shares[1], weights[1])),
        pot=float(betting.pot[part.node]),
    )


class NodeValues:
    """A betting node of a solution on one board, and the hands that reach it.

    Attributes:
        hands: indices of the board's hands among those of all boards of their layer.
        cards: (hands,) their numbers among the hands dealt.
        reaches: two (hands,): the players' reaches at the node.
    """

    def __init__(self, solved: SolvedSpot, part: PublicNode) -> None:
        self._solved, self.part, self._tree = solved, part, solved.tree
        self._layer = layer = solved.tree.boards.layers[part.layer]
        self.board: tuple[int, ...] = layer.boards[part.board]
        kind = int(solved.tree.betting.kind[part.node])
        self.player = kind if kind <= Kind.PLAYER1 else None
        self.hands = slice(int(layer.first[part.board]), int(layer.first[part.board + 1]))
        self.cards: I64 = layer.hand[self.hands]
        self.reaches = self._reach(0), self._reach(1)

    @cached_property
    def ranges(self) -> tuple[F64, F64]:
        """Two (n,), over the hands of the deck: weights of both players' hands there."""
        return self.spread(self.reaches[0], 0.0), self.spread(self.reaches[1], 0.0)

    def spread(self, numbers: F64, fill: float = np.nan) -> F64:
        """(hands of the deck, ...) numbers (hands of the board, ...), `fill` for hands that the board leaves out."""
        spot = self._solved.spot
        out = np.full((len(spot.deck.hands), *numbers.shape[1:]), fill)
        out[spot.numbers[self.cards]] = numbers
        return out

    def met(self, player: int) -> F64:
        """(hands,) the weight of a player's hands that share no card with each."""
        return compatible_weight(self._tree.boards.cards.hands[self.cards], self.reaches[player])

    def values(self, player: int) -> F64:
        """(hands,) EV of a player's hands in chips; NaN if they meet no opposing hand."""
        return self._chips(player, self._solved.plans.values_at(player, self.part))

    def action_values(self) -> F64:
        """(n, actions) EV in chips of every hand of the deck, for the player to act; no columns if no player acts."""
        if self.player is None:
            return self.spread(np.ones((len(self.cards), 0)))
        below = self._solved.plans.action_values_at(self.part)
        return self.spread(np.stack([self._chips(self.player, column) for column in below.T], axis=1))

    def _chips(self, player: int, below: F64) -> F64:
        """(hands,) CFVs as chips out of the pot; NaN for hands that meet no opposing hand."""
        unit = self._tree.leaves.unit * self._layer.chance
        mass = self.met(1 - player)
        own = float(self._tree.betting.committed[self.part.node, player]) + 0.5 * self._solved.spot.pot
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(mass > 1e-12 * mass.max(initial=0.0), below / (unit * mass) + own, np.nan)

    def equities(self, player: int) -> F64:
        """(n,) the share of the pot of every hand of the deck against the other player's range there."""
        spot, against = self._solved.spot, self.ranges[1 - player]
        if not against.any():
            return np.full(len(against), np.nan)
        return hand_equities(Range(np.minimum(against, 1.0), spot.deck), self.board, rules=RULES[spot.rules])

    def probabilities(self) -> F64:
        """(n, actions) the strategy of every hand of the deck; no columns if no player acts."""
        after = [] if self.player is None else self._tree.betting.children(self.part.node)
        if self.player is None or len(after) <= 1:  # the only action is no decision, and has no place in the plan
            return self.spread(np.ones((len(self.cards), len(after))))
        at = np.arange(self.hands.start, self.hands.stop)
        starts = [int(self._tree.runs[self.player].start[child]) for child in after]
        behaviour = self._solved.plans.behaviour(self.player)
        return self.spread(np.stack([behaviour[start + at] for start in starts], axis=1))

    def _reach(self, player: int) -> F64:
        came = self._tree.sequences_to(player, self.part.node, self.part.layer)[self.hands]
        return np.asarray(np.maximum(self._solved.plans.reach(player)[came], 0.0), np.float64)


def _mean(numbers: F64, mass: F64) -> float:
    held = (mass > 0.0) & np.isfinite(numbers)
    return float(numbers[held] @ mass[held] / mass[held].sum()) if held.any() else np.nan


_SHARES = 4
"""Decimals of a weight in a range that is written for other programs."""


def action_ranges(node: Node, deck: Deck, notation: str) -> dict[str, str]:
    """For each action of a node the range of hands that take it, in a notation of `notation.NOTATIONS`,
    weighted by reach and probability to a hundredth of a per cent; no actions where no player acts."""
    if node.player is None:
        return {}
    weights = node.ranges[node.player]
    taken = np.nan_to_num(weights[:, None] * node.probabilities).round(_SHARES)
    return {action: write_range(column, deck, notation) for action, column in zip(node.actions, taken.T, strict=True)}


def write_ranges(node: Node, deck: Deck, notation: str) -> bytes:
    """The same as a text: a line that names the node, the player and the action, then the range; errors as of
    `action_ranges`."""
    who = "" if node.player is None else PLAYERS[node.player]
    found = action_ranges(node, deck, notation).items()
    return "\n\n".join(f"{node.path or 'root'}: {who}'s range for {action}\n{text}" for action, text in found).encode()


def write_csv(nodes: Iterable[Node], deck: Deck) -> bytes:
    """CSV of nodes: of each hand in a player's range there weight, EV in chips and equity; of the hands of the player
    to act also the probability and the EV of each action. A column of an action that a node lacks is empty."""
    listed, rows = list(nodes), list[dict[str, str | float]]()
    names = dict.fromkeys(f"{what} {action}" for what in ("p", "EV") for one in listed for action in one.actions)
    head = ["node", "player", "hand", "weight", "EV", "equity", *names]
    for node in listed:
        for player in (0, 1):
            for k in (node.ranges[player] > 0.0).nonzero()[0].tolist():
                numbers = (float(column[player][k]) for column in (node.ranges, node.values, node.equities))
                texts = node.path or "root", PLAYERS[player], hand_text(deck.hands[k])
                row: dict[str, str | float] = dict(zip(head, (*texts, *numbers), strict=False))
                for number, action in enumerate(node.actions if player == node.player else ()):
                    row[f"p {action}"] = float(node.probabilities[k, number])
                    row[f"EV {action}"] = float(node.action_values[k, number])
                rows.append(row)
    return csv_of(head, ([row.get(name, "") for name in head] for row in rows))


@dataclass(frozen=True, eq=False, repr=False)
class SolvedSpot(ResultRecord):
    """An (approximate) equilibrium of a spot, or a response in it, with reports of its nodes. Facts are method, iterations,
    seconds, exploitability in chips and in per cent of the pot, value and EV (see `worth_facts`), ..."""

    KIND = "spot"

    spot: Spot
    tree: PublicTree
    plans: SpotPlans
    facts: dict[str, Any]

    @property
    def value(self) -> float:
        """Chips of oop, net of half of the pot."""
        return float(self.facts["value"])

    @property
    def exploitability(self) -> float:
        """Half of NashConv, in chips."""
        return float(self.facts["exploitability"])

    @property
    def strategies(self) -> tuple[Any, Any]:
        """The strategies of oop and ip."""
        return self.plans.strategy(0), self.plans.strategy(1)

    def plot(self, ax: Any = None, path: str = "") -> Any:
        """Draw the range grid of a node, by default the root, into axes of matplotlib, by default new ones, which are
        returned: each class of hands by its actions, as wide as its share of the range."""
        here = NodeValues(self, self.find(path))
        if here.player is None:
            raise InputError(f"no player acts at {path or 'the root'}, so there is no range to draw")
        actions, ax = self.tree.betting.actions(here.part.node), axes_or_new(ax, 7.0, 7.0)
        draw_grid(ax, here.probabilities(), actions, here.ranges[here.player], board=here.board, deck=self.spot.deck)
        ax.set_title(f"{cards_text(here.board)}: {PLAYERS[here.player]} acts")
        return ax

    def __repr__(self) -> str:
        facts = [str(self.facts.get("method", ""))]
        facts += [labelled(name, self.facts[name]) for name in ("value", "exploitability") if name in self.facts]
        return brief(self, cards_text(self.spot.board), labelled("pot", self.spot.pot), *facts)

    def _repr_html_(self) -> str:
        here, betting = NodeValues(self, self.find("")), self.tree.betting
        player = int(betting.kind[0])  # who acts first
        return grid_html(
            f"{cards_text(self.spot.board)}: {('oop', 'ip')[player]} acts", here.probabilities(), betting.actions(0),
            here.ranges[player], board=self.spot.board, deck=self.spot.deck,
        )  # fmt: skip

    @property
    def is_equilibrium(self) -> bool:
        """Return whether it is an equilibrium, not an answer to leaks (fact `opponent`) or to a model (fact `seat`)."""
        return not {"opponent", "seat"} & self.facts.keys()

    def whose(self, player: int) -> str:
        """The kind of a player's strategy: "equilibrium", or for an answer "answer", and "model" or "leak" of the other
        player."""
        facts = self.facts
        if "seat" in facts:
            return "answer" if facts["seat"] == player else "model"
        if "opponent" in facts:
            return "leak" if facts["opponent"] == ("oop", "ip")[player] else "answer"
        return "equilibrium"

    def node(self, path: str = "") -> Node:
        """The node at the end of a path such as "x b100 c Ah x": actions as `tree.node_at` reads them, and cards.

        Raises:
            InputError: an unknown or illegal step, an impossible card, or a wrong number of cards.
        """
        return node_of(self, self.find(path))

    def find(self, path: str) -> PublicNode:
        """The end of a path, as a part of the public tree; errors as in `node`."""
        return part_at(self.tree.betting, self.tree.boards, path)

    def node_ranges(self, part: PublicNode) -> tuple[F64, F64]:
        """Two (n,), over the hands of the deck: weights of both players' hands at a node of the tree."""
        return NodeValues(self, part).ranges

    def save(self, path: str | Path) -> None:
        """Write it to a path that ends in `.spot`, whole or not at all; probabilities in single precision. An `InputError`
        if it cannot be written."""
        if Path(path).suffix != SPOT:
            raise InputError(f"cannot write {path}: the name of a solved spot must end in {SPOT}")
        numbers = [packed_probabilities(self.tree, player, self.plans.behaviour(player)) for player in (0, 1)]
        known = self.facts.get("exploitability")  # whoever reads a file may count on it
        measured = 0.5 * self.plans.gap()[0] if known is None else float(known)
        shares = {"exploitability": measured, "exploitability_percent": 100.0 * measured / self.spot.pot}
        facts = {"spot": self.spot.table(), "solution": dict(plain({**shares, **self.facts}))}
        write(Path(path), KIND, facts, dict(zip(_NUMBERS, numbers, strict=True)))


def load_spot(path: str | Path) -> SolvedSpot:
    """Read a solved spot; an `InputError` for a missing or damaged file, or one of another version."""
    with opened(path, KIND) as archive:
        try:
            spot, facts = _question(archive)
            size = size_of(spot.betting, spot.cards, precision=READ)
            lengths = [archive.shape(name) for name in _NUMBERS]
            if not all(len(length) == 1 for length in lengths) or size.sequences > sum(length[0] for length in lengths):
                raise InputError("the probabilities do not fit the spot")
            size.check(_MACHINE * default_memory())
            tree = public_tree(spot.betting, spot.cards)
            if tree.sequences(0) + tree.sequences(1) <= LARGE:
                plans = ArraySpotPlans.of_tree(tree, (_plan(archive, tree, 0), _plan(archive, tree, 1)))
                return SolvedSpot(spot, tree, plans, facts)
            averages = Averages(CompactLayout(tree.betting, tree.tables), SINGLE, ((), ()))
            for player in (0, 1):
                choices = unpacked_choices(tree, player, _numbers(archive, tree.sequences(player), player))

                def read(node: int, lanes: Any, choices: Callable[[int, Any], Any] = choices) -> Any:
                    probabilities = choices(node, lanes)
                    _check_sums(probabilities.sum(axis=0))
                    return probabilities

                averages = averages.playing(player, averages.written(player, read, keep=False))
            return SolvedSpot(spot, tree, CompactPlans(tree, averages), facts)
        except InputError as error:
            raise in_file(path, error) from None


def value_of(tree: PublicTree, player: int, solution: Solution) -> float:
    """What a player wins by the strategies of a solution, in net chips."""
    return float(solution.plans[player] @ tree.leaves.product(player, solution.plans[1 - player]))


def worth_facts(
    values: tuple[float, float], exploitability: float, stakes: Stakes, pot: float, *, raked: bool
) -> dict[str, Any]:
    """As facts, from what both players win in net chips: what oop wins, the EV of both, as at the root, both and
    exploitability in other units, and the effect of a rake."""
    told: dict[str, Any] = {"value": values[0], "ev": [0.5 * pot + value for value in values]}
    told |= {"pot": stakes.pot, "big_blind": stakes.big_blind}
    told |= stakes.facts({"value": values[0], "exploitability": exploitability})
    if raked:
        told |= {"rake": -sum(values), "note": SOLUTION}
    return told


def reach_at(solved: SolvedSpot, player: int, node: int) -> F64:
    """(places,) a player's reach of a node, all boards one after the other."""
    return np.maximum(solved.plans.reach(player)[solved.tree.sequences_to(player, node)], 0.0)  # type: ignore[no-any-return]


def met_at(solved: SolvedSpot, player: int, node: int, *, always: bool = False) -> F64:
    """(places,) the reach of the other player's hands that can be dealt beside each hand of the player, times chance:
    times the own reach it is the probability per deal. always: as if the other player always came there."""
    tree = solved.tree
    layer = tree.boards.layers[layer_of(tree.betting, node)]
    dealt = tree.boards.cards.weights[1 - player]
    against, mass = dealt[layer.hand] if always else reach_at(solved, 1 - player, node), np.zeros(layer.places)
    for begin, end in zip(layer.first, layer.first[1:], strict=False):
        mass[begin:end] = compatible_weight(tree.boards.cards.hands[layer.hand[begin:end]], against[begin:end])
    mass *= tree.leaves.unit * layer.chance
    return mass


def odds_of(solved: SolvedSpot, node: int) -> float:
    """The probability per deal of reaching a decision."""
    player = int(solved.tree.betting.kind[node])
    return float(reach_at(solved, player, node) @ met_at(solved, player, node))
