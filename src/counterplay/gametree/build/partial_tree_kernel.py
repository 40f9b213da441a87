"""Kernel that expands a partial game tree: depth first, from each history of the limit in turn."""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.games import kernel_rules as hooks
from counterplay.games.game import CHANCE, LIMIT, TERMINAL
from counterplay.gametree.build.generate import INFOS, Path, Table, is_sound, next_infoset
from counterplay.gametree.build.replay_kernels import ReplayState, visit
from counterplay.jit import kernel

_player, _actions, _step, _utility = hooks.player, hooks.actions, hooks.step, hooks.utility
# Places of the cursor: histories in the new table, the depth below the history that is being expanded (-1: none is), how
# many have been expanded. The numbers of infosets come last, where the generator has them.
H, D, DONE = 0, 1, 2
FAULT = -2
"""Value of the depth where a history is no sound one of a game; it is then the first one of the path."""


class Front(NamedTuple):
    """The histories to expand. player: who acts there, filled in on the way. reach, info0, info1: columns of the old
    table, for these histories only. parent, action: whole columns of the old table, for replays."""

    which: Any
    player: Any
    reach: Any
    info0: Any
    info1: Any
    parent: Any
    action: Any


@kernel(inline=True)
def _open(rules: Any, path: Path, d: int, history: int, who: int, state: Any, trail: ReplayState) -> bool:
    """Put `history` with `state` at depth d, no action tried yet; returns whether its player, actions and odds are
    valid."""
    size, width = rules.size, rules.branching
    path.index[d], path.actor[d], path.tried[d] = history, who, 0
    n = _actions(rules, state, trail.legal, trail.odds) if 0 <= who <= CHANCE else 0
    path.count[d] = n
    for i in range(size):
        path.states[d * size + i] = state[i]
    for k in range(n):
        path.moves[d * width + k] = trail.legal[k]
    if who == CHANCE:
        for k in range(n):
            path.odds[d * width + k] = trail.odds[k]
    if is_sound(who, n, trail.odds):
        return True
    path.index[0] = history
    return False


@kernel(inline=True)
def _begin(rules: Any, path: Path, front: Front, trail: ReplayState, at: int) -> bool:
    """Put a history of the limit at depth 0; returns what `_open` does."""
    visit(rules, front.parent, front.action, front.which[at], trail)
    front.player[at] = _player(rules, trail.state)
    path.known[0], path.known[1], path.reach[0] = front.info0[at], front.info1[at], front.reach[at]
    return bool(_open(rules, path, 0, front.which[at], front.player[at], trail.state, trail))


@kernel(inline=True)
def _learn(known: Any, d: int, who: int, k: int, seen: Any, keys: Any, ids: Any, cursor: Any) -> None:
    """Set `known` at depth d + 1: both players' infosets after action k of `who` at depth d."""
    for i in range(2):
        now = known[2 * d + i]
        if who == i:
            now = next_infoset(keys, ids, cursor, i, now, 2 * k + 1)
        if seen[i] != 0:
            now = next_infoset(keys, ids, cursor, i, now, 2 * seen[i])
        known[2 * d + 2 + i] = now


@kernel
def expand(
    rules: Any,
    path: Path,
    level: Any,
    levels: int,
    front: Front,
    trail: ReplayState,
    table: Table,
    keys: Any,
    ids: Any,
    spare: int,
) -> None:
    """Continue until everything is expanded, the table is full or the hash table half full. `level` is the level at
    each depth; `spare` is the number of infosets less the number of entries of the hash table."""
    # Taken out of the records once: inside the loop that would cost reference counts, half of the time.
    cursor, state, states, moves, odds, count, tried, index, actor, known, reach = path
    parents, steps, players, reaches, info0, info1, utilities = table
    size, width, old, seen = rules.size, rules.branching, len(front.parent), trail.seen
    h, d, done = cursor[H], cursor[D], cursor[DONE]
    while d >= 0 or (d == -1 and done < len(front.which)):
        if d < 0:
            d = 0 if _begin(rules, path, front, trail, done) else FAULT
            done += 1
            continue
        if tried[d] == count[d]:
            d -= 1
            continue
        if h == len(parents) or 2 * (cursor[INFOS] + cursor[INFOS + 1] - spare + 4) > len(keys):
            break
        # Play the next action at depth d, whose rows are d * size.. of states and d * width.. of moves and odds.
        k = tried[d]
        tried[d] += 1
        for i in range(size):
            state[i] = states[d * size + i]
        seen[0], seen[1] = 0, 0
        _step(rules, state, moves[d * width + k], seen)
        chance = actor[d] == CHANCE
        reach[d + 1] = reach[d] * odds[d * width + k] if chance else reach[d]
        level[d + 1] = level[d] + (not chance or (seen[0] != 0 and seen[1] != 0))  # private deals are no level
        # Note the history to which it leads; depth d + 1 holds the infosets of both players at 2 * d + 2 and 2 * d + 3.
        who = _player(rules, state)
        parents[h], steps[h], reaches[h] = index[d], k, reach[d + 1]
        if who == TERMINAL:
            players[h], utilities[h], info0[h], info1[h] = TERMINAL, _utility(rules, state), -1, -1
        else:
            _learn(known, d, actor[d], k, seen, keys, ids, cursor)
            opened = level[d + 1] < levels
            players[h], utilities[h] = who if opened else LIMIT, 0.0
            info0[h], info1[h] = known[2 * d + 2], known[2 * d + 3]
            if opened:
                d = d + 1 if _open(rules, path, d + 1, old + h, who, state, trail) else FAULT
        h += 1
    cursor[H], cursor[D], cursor[DONE] = h, d, done
