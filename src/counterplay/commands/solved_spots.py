"""The commands on solved spots in files: walk through one, line by line of input, and compare two."""

from __future__ import annotations

import sys
from collections.abc import Callable
from os.path import exists
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import counterplay as cp
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import ShownFlags
from counterplay.commands.printing import number, say, show_json, with_units
from counterplay.commands.spot import SOLUTION_LINES, show_node
from counterplay.display import aligned
from counterplay.errors import InputError
from counterplay.option import Option
from counterplay.poker.betting.rules import PLAYERS

if TYPE_CHECKING:
    from counterplay.poker.spots.solution import Node

HELP = """\
x, c, f, b100, a, bet 100 ...   an action, or several: x b100 c
Ah                              the card that is dealt
back, top                       one step back; to the root
show                            the node again
values                          the EV of each action, class by class
hands [QQ+,AhKs]                hand by hand: weight, EV, equity, frequencies and EVs
ranges [gto+ | pio | percent]   both ranges here, as text
help, quit"""
_MOST = 40
"""The most hands that are listed."""


@takes_records("walk river.spot")
def walk(
    *,
    file: Annotated[
        Path, Option("A solved spot or an answer, as -o of spot keeps it.", metavar="FILE.spot", positional=True)
    ],
) -> None:
    """Walk through a solved spot: actions and cards lead on, `back` leads back, `hands` and `ranges` show more. Lines are
    read from the terminal or from a pipe, until `quit` or their end."""
    from counterplay.poker.spots.solution import load_spot

    if sys.stdin.isatty():
        print(f"loading {file}", file=sys.stderr, flush=True)
    solved = load_spot(file)
    facts, names = with_units(solved.facts, [n for n in SOLUTION_LINES if n in solved.facts], solved.spot)
    say([f"{name:15} {number(facts[name]) if isinstance(facts[name], float) else facts[name]}" for name in names])
    place = WalkedPath(solved, ("",))
    place.show()
    while True:
        try:
            line = input("> " if sys.stdin.isatty() else "")
        except EOFError:
            return
        word, rest = [*line.split(maxsplit=1), "", ""][:2]
        if word.lower() in ("quit", "exit", "q"):
            return
        try:
            place = place.after(line.strip(), word.lower(), rest) if word else place
        except InputError as error:
            print(error)


class WalkedPath(NamedTuple):
    """A node on a walk. solved: the solution. paths: those of the nodes from the root to here."""

    solved: cp.SolvedSpot
    paths: tuple[str, ...]

    def node(self) -> Node:
        return self.solved.node(self.paths[-1])

    def after(self, line: str, word: str, rest: str) -> WalkedPath:
        """The place after a line, which has shown what it asks for."""
        moves = {"back": self.paths[:-1] or self.paths, "top": ("",)}
        tells: dict[str, Callable[[], None]] = {
            "help": lambda: print(HELP), "h": lambda: print(HELP), "?": lambda: print(HELP),
            "show": self.show, "values": lambda: self.show(values=True),
            "hands": lambda: self._list_hands(rest), "ranges": lambda: self._write_ranges(rest or "plain"),
        }  # fmt: skip
        if word in tells:
            tells[word]()
            return self
        if word in moves:
            place = WalkedPath(self.solved, moves[word])
        else:
            try:
                node = self.solved.node(f"{self.paths[-1]}, {line}" if self.paths[-1] else line)
            except InputError as error:
                raise InputError(f"{error}; help lists the commands") from None
            place = WalkedPath(self.solved, (*self.paths, node.path))
        place.show()
        return place

    def show(self, values: bool = False) -> None:
        """Values and strategy, and where the walk may go on."""
        from counterplay.poker.betting.state import Kind

        node, betting = self.node(), self.solved.tree.betting
        show_node(self.solved, node, values)
        kind = int(betting.kind[self.solved.find(self.paths[-1]).node])
        if node.player is not None:
            print(f"actions: {', '.join(node.actions)}")
        elif kind == Kind.DEAL:
            print("a card is dealt: name one, as in Ah")
        else:
            print("showdown" if kind == Kind.SHOWDOWN else "the hand is over")

    def _list_hands(self, text: str) -> None:
        """A line for each hand of the player to act, or of both; the heaviest first."""
        from counterplay.poker.cards.deck import hand_text
        from counterplay.poker.ranges.range import Range

        node, deck = self.node(), self.solved.spot.deck
        chosen = Range.parse(text, deck).weights > 0.0 if text else None
        for player in (0, 1) if node.player is None else (node.player,):
            weights = node.ranges[player]
            listed = (weights > 0.0) if chosen is None else (weights > 0.0) & chosen
            order = sorted(listed.nonzero()[0].tolist(), key=lambda k: -weights[k])
            acts = player == node.player
            table = [(PLAYERS[player], "weight", "EV", "equity", *(node.actions if acts else ()))]
            for k in order[:_MOST]:
                plays = zip(node.probabilities[k], node.action_values[k], strict=True)
                shares = [f"{100.0 * p:.1f} % ({ev:.4g})" for p, ev in plays] if acts else []
                numbers = (
                    f"{weights[k]:.3g}",
                    f"{node.values[player][k]:.4g}",
                    f"{100.0 * node.equities[player][k]:.1f} %",
                )
                table.append((hand_text(deck.hands[k].tolist()), *numbers, *shares))
            widths = [max(len(row[c]) for row in table) for c in range(len(table[0]))]
            say(aligned([f"<{widths[0]}", *(f">{width + 2}" for width in widths[1:])], table))
            if len(order) > _MOST:
                print(f"... and {len(order) - _MOST} more: name some, as in hands QQ+,AKs")

    def _write_ranges(self, notation: str) -> None:
        from counterplay.poker.ranges.range import Range

        node = self.node()
        for player, name in enumerate(PLAYERS):
            held = node.ranges[player]
            text = Range(held.clip(0.0, 1.0), self.solved.spot.deck).text(notation) if held.any() else "nothing"
            print(f"{name}: {text}")


@takes_records("compare mine.spot yours.spot")
def compare(
    *,
    first: Annotated[Path, Option("A solved spot.", metavar="A.spot", positional=True)],
    second: Annotated[
        str,
        Option(
            "Another, of the same board, chips and bets; or an opponent in A, such as lock:FILE.", metavar="B.spot",
            positional=True,
        ),
    ],
    nodes: Annotated[int, Option("Nodes shown of each player, by what the change wins.", least=0)] = 5,
    shown: ShownFlags,
) -> None:  # fmt: skip
    """Compare two solutions of a spot: the error of each, what each wins from the other, and where they differ."""
    from counterplay.measure.solution_comparison import compare_solutions, comparison_lines, played_by
    from counterplay.opponents.model import MODELS
    from counterplay.poker.spots.solution import load_spot

    one = load_spot(first)
    model = None if exists(second) else MODELS.parse(second)
    if model is None or isinstance(model, cp.StrategyFile):
        other, name = load_spot(second), Path(second).name
    else:
        other, name = played_by(one, model, shown.seed), second
    try:
        compared = compare_solutions(one, other)
    except InputError as error:
        raise InputError(f"{first} and {second} cannot be compared: {error}") from None
    if shown.as_json:
        show_json({**compared.facts, "files": [str(first), second], "seed": shown.seed})
        return
    names = (str(first), second) if first.name == name else (first.name, name)  # whole ones where short ones are equal
    say(comparison_lines(compared, names, nodes))
