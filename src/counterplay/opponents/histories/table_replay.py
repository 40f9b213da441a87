"""The state machine of no-limit hold'em at a table of 2 to 10 seats: turns, calls, raises, deals and uncalled bets.

It compares what a text states with the betting, and never adds a step.
"""

from __future__ import annotations

from counterplay.opponents.histories.hand_record import Act, Cards, HandError, HandStep
from counterplay.opponents.histories.hand_text import HandText, Post, TextAction, TextPost, money
from counterplay.poker.betting.rules import STREETS

_DEALT = (0, 3, 1, 1)
"""Cards dealt on each street."""


class HandTable:
    """A table while a hand is replayed. Lists are by seat in the order of the deal; amounts in ten-thousandths.

    Attributes:
        seats, place: index of each seat in the text, and the reverse. names, holes: of their players.
        stacks: before the hand. left: still in front of each player.
        antes, dead, posts: antes, dead blinds, blinds that are bets.
        bets: of this street. put: bets of all streets.
        folded: whether each player has. folded_on: the street of the fold, or -1.
        big, small: blinds. button: seat on the button or -1.
        street, level, step: street, bet to match, least raise.
        turn, pending: who acts, and how many players still have to.
        steps, board: so far. silent: names of which the text states nothing.
        returned: the uncalled bet and its seat.
    """

    def __init__(
        self, seats: list[int], names: list[str], stacks: list[int], button: int, silent: tuple[str, ...],
        text: HandText,
    ) -> None:  # fmt: skip
        n = len(seats)
        self.seats, self.place = seats, {seat: k for k, seat in enumerate(seats)}
        self.names, self.holes, self.silent = names, tuple([text.holes.get(seat, ()) for seat in seats]), silent
        self.stacks, self.left = stacks, stacks.copy()
        self.antes, self.dead, self.posts, self.bets, self.put = [0] * n, [0] * n, [0] * n, [0] * n, [0] * n
        self.folded, self.folded_on = [False] * n, [-1] * n
        self.big, self.small, self.button = text.big, text.small, button
        self.street = self.level = self.step = self.turn = self.pending = self.returned = 0
        self.returned_to = -1
        self.steps, self.board = list[HandStep](), Cards()

    @property
    def one_left(self) -> bool:
        """Return whether all but one have folded."""
        return sum(self.folded) == len(self.folded) - 1

    @property
    def alive(self) -> list[int]:
        """The players who have not folded."""
        return [k for k, folded in enumerate(self.folded) if not folded]

    @property
    def pot(self) -> int:
        """All chips that players have put in."""
        return sum(self.put) + sum(self.antes) + sum(self.dead)


def play(text: HandText) -> HandTable:
    """The table at the end of a hand; a HandError for what is illegal, cut short, or does not follow from the betting."""
    # The table before the blinds: who is dealt in, in the order of the deal.
    active = {post.seat for post in text.posts} | {told.seat for told in text.actions}
    listed = text.dealt or set(range(len(text.out)))
    dealt = [seat for seat, out in enumerate(text.out) if seat in active or (not out and seat in listed)]
    silent = [name for name, seat in text.names.items() if seat in dealt and seat not in active]
    heads_up = any(post.kind == Post.SMALL and text.numbers[post.seat] == text.button for post in text.posts)
    if text.dealt or text.implied_blinds:
        silent = []
    elif silent and not (text.lists_all_folds and (len(active) > 2 or heads_up)):
        raise HandError("players", f"{silent[0]} neither posts nor acts, and the text does not say who was dealt in")
    dealt = [seat for seat in dealt if seat in active or not silent]
    if len(dealt) < 2:
        raise HandError("players", f"{len(dealt)} players are dealt in")
    first, smalls = text.button + 1, [post.seat for post in text.posts if post.kind == Post.SMALL]
    if text.button < 0:
        if text.lists_dead_button or len(smalls) != 1 or len(dealt) < 3:
            raise HandError("format", "the text does not say who has the button")
        first = text.numbers[smalls[0]]
    span = max(*text.numbers, text.button) + 1
    dealt.sort(key=lambda seat: (text.numbers[seat] - first) % span)
    names = list(text.names)
    stacks = [min(text.stacks[seat], text.cap) if text.cap else text.stacks[seat] for seat in dealt]
    button = len(dealt) - 1 if text.numbers[dealt[-1]] == text.button else -1
    table = HandTable(dealt, [names[seat] for seat in dealt], stacks, button, tuple(silent), text)
    _post(table, text)
    for told in text.actions:
        if told.seat < 0:
            if table.pending or table.one_left or table.street == len(_DEALT) - 1:
                raise HandError("betting", f"cards are dealt where {_waiting(table)}", told.line)
            if told.added >= 0 and told.added not in (table.pot, table.pot - _uncalled(table)[0]):
                raise HandError("result", f"a pot of {money(told.added)}, where the betting makes {money(table.pot)}",
                                told.line)  # fmt: skip
            table.street += 1
            if len(told.cards) != _DEALT[table.street]:
                raise HandError("cards", f"{len(told.cards)} cards are dealt on the {STREETS[table.street]}", told.line)
            table.board += told.cards
            table.steps.append(HandStep(-1, "d", len(told.cards)))
            table.bets = [0] * len(table.seats)
            table.level, table.step, table.turn = 0, table.big, len(table.seats) - 1
            table.pending = sum([1 for k, chips in enumerate(table.left) if chips and not table.folded[k]])
            if table.pending == 1:
                table.pending = 0
            _pass_turn(table)
        else:
            _act(table, told)
    if table.pending or (not table.one_left and table.street < len(_DEALT) - 1):
        raise HandError("unfinished", f"the hand stops where {_waiting(table)}{text.hint}")
    uncalled, k = _uncalled(table)
    if uncalled:
        table.returned, table.returned_to = uncalled, k
        table.put[k] -= uncalled
        table.left[k] += uncalled
    return table


def _post(table: HandTable, text: HandText) -> None:
    """Antes, blinds and straddles, and who acts first."""
    place, posts = table.place, _implied(table, text) if text.implied_blinds else text.posts
    whole = [chips for _, seat, kind, chips in text.posts if kind == Post.BIG and chips < table.stacks[place[seat]]]
    if not table.big or (text.level_may_lag and any(chips != table.big for chips in whole)):
        table.big, table.small = _posted(table, posts, Post.BIG), 0
    table.small = table.small or _posted(table, posts, Post.SMALL)
    straddle, small = -1, False
    for post in posts:
        k = place[post.seat]
        if post.kind == Post.SMALL:
            if small:
                post = post._replace(kind=Post.OTHER if text.late_small_is_live else Post.DEAD)
            small = True
        if post.amount > table.left[k]:
            raise HandError("stakes", f"{table.names[k]} posts more than their stack", post.line)
        table.left[k] -= post.amount
        if post.kind == Post.ANTE:
            if table.antes[k]:
                raise HandError("stakes", f"{table.names[k]} posts two antes", post.line)
            table.antes[k] = post.amount
            continue
        live = _live(table, post, k)
        if (live and table.posts[k]) or (live < post.amount and table.dead[k]):
            raise HandError("stakes", f"{table.names[k]} posts twice", post.line)
        table.dead[k] += post.amount - live
        table.posts[k] += live
        if post.kind == Post.STRADDLE:
            straddle = k
        elif table.posts[k] > table.big:
            raise HandError("stakes", f"{table.names[k]} posts {money(table.posts[k])}", post.line)
    # Antes are equal. One that a player posts for all is a dead chip, which short stacks may win as well.
    posted, due = sum(map(bool, table.antes)), text.ante or max(table.antes)
    for k, ante in enumerate(table.antes):
        if posted > 1 and ante != due and (table.left[k] or not ante):
            raise HandError("stakes", f"{table.names[k]} posts an ante of {money(ante)}, where it is {money(due)}")
    if posted == 1:
        table.dead = [dead + ante for dead, ante in zip(table.dead, table.antes, strict=True)]
        table.antes = [0] * len(table.antes)
    table.bets, table.put = table.posts.copy(), table.posts.copy()
    n, blind = len(table.seats), _big_blind(table, posts)
    table.level = max(table.bets) if n == 2 else max(table.big, *table.bets)
    table.step = table.big  # sites differ in the least raise above a straddle
    table.turn = blind if straddle < 0 else straddle
    table.pending = sum(map(bool, table.left))
    _pass_turn(table)


def _posted(table: HandTable, posts: list[TextPost], kind: int) -> int:
    """A blind that the header does not state: the largest that is posted, unless a whole stack is less."""
    amounts = {post.seat: post.amount for post in posts if post.kind == kind}
    blind = max(amounts.values(), default=0)
    whole = [
        sum(post.amount for post in posts if post.seat == seat) == table.stacks[table.place[seat]] for seat in amounts
    ]
    if whole and all(whole):
        raise HandError("stakes", "the text states no blinds, and who posts one is all-in with it")
    return blind


def _implied(table: HandTable, text: HandText) -> list[TextPost]:
    """The posts of a hand whose text states blinds and button alone."""
    n = len(table.seats)
    small, big = (1, 0) if n == 2 else (0, 1)
    paid = {post.seat: post.amount for post in text.posts}
    blinds = []
    for k, kind, chips in ((small, Post.SMALL, table.small), (big, Post.BIG, table.big)):
        left = table.stacks[k] - paid.get(table.seats[k], 0)
        if left:
            blinds.append(TextPost(0, table.seats[k], kind, min(chips, left)))
    return [*text.posts, *blinds]


def _live(table: HandTable, post: TextPost, k: int) -> int:
    """The part of a post that counts as a bet."""
    kind, amount = post.kind, post.amount
    if kind in (Post.SMALL, Post.BIG):
        due = table.small if kind == Post.SMALL else table.big
        if due and amount != due and table.left[k]:
            raise HandError("stakes", f"{table.names[k]} posts {money(amount)}, where the blind is {money(due)}",
                            post.line)  # fmt: skip
        return amount
    if kind == Post.DEAD:
        return 0
    if kind == Post.STRADDLE:
        if len(table.seats) == 2 or table.posts[k] or (amount < 2 * table.big and table.left[k]):
            raise HandError("stakes", f"a straddle of {money(amount)} by {table.names[k]}: straddles are read at "
                                      "three or more seats, of players who post nothing else", post.line)  # fmt: skip
        return amount
    if kind == Post.OTHER and amount not in (table.big, table.small, table.big + table.small) and table.left[k]:
        raise HandError("stakes", f"{table.names[k]} posts {money(amount)}", post.line)
    return min(amount, table.big)  # BOTH, OTHER


def _big_blind(table: HandTable, posts: list[TextPost]) -> int:
    """The seat of the big blind: the first that posts it, after the small blind or the button."""
    n = len(table.seats)
    big = [table.place[post.seat] for post in posts if post.kind == Post.BIG]
    small = [table.place[post.seat] for post in posts if post.kind == Post.SMALL]
    after = small[0] if small else -1
    if not big and table.big and small and not table.left[(after + 1) % n]:  # all-in with the ante
        return (after + 1) % n
    if not big:
        raise HandError("stakes", "nobody posts a big blind")
    if n == 2:
        return big[0]
    blind = min(big, key=lambda k: (k - after - 1) % n)
    if after not in (-1, 0) or blind != after + 1:
        raise HandError("stakes", f"the blinds of {table.names[after]} and {table.names[blind]} do not follow the button"
                        if small else f"the big blind of {table.names[blind]} does not follow the button")  # fmt: skip
    return blind


def _pass_turn(table: HandTable) -> None:
    """Go to the next player with chips, or end the betting where nobody has a decision left."""
    if not table.pending:
        return
    left, folded, n = table.left, table.folded, len(table.left)
    active = [k for k in range(n) if left[k] and not folded[k]]
    if not active or (len(active) == 1 and table.bets[active[0]] >= _bet_of_others(table, active[0])):
        table.pending = 0
        return
    turn = table.turn
    while True:
        turn = turn + 1 if turn + 1 < n else 0
        if left[turn] and not folded[turn]:
            break
    table.turn = turn


def _bet_of_others(table: HandTable, me: int) -> int:
    """The largest bet of the other players of this street."""
    return max([bet for k, bet in enumerate(table.bets) if k != me], default=0)


def _act(table: HandTable, told: TextAction) -> None:
    k = table.turn
    if told.letter == Act.FOLD and table.seats[k] != told.seat and _folds_all_in(table, told):
        return
    if not table.pending or table.seats[k] != told.seat:
        who = table.names[table.place[told.seat]] if told.seat in table.place else "somebody who is not dealt in"
        raise HandError("betting", f"{who} acts where {_waiting(table)}", told.line)
    letter, bet, left = told.letter, table.bets[k], table.left[k]
    level = table.level
    due = min(max(level - bet, 0), left)
    if letter == Act.ALL_IN:
        if told.added >= 0 and told.added != left:
            raise HandError("betting", f"{table.names[k]} goes all-in with {money(told.added)}, and has {money(left)}",
                            told.line)  # fmt: skip
        letter = Act.CALL if left <= due else Act.RAISE
        told = TextAction(told.line, told.seat, letter, added=left, all_in=True)
    elif letter == Act.CHECK_CALL:
        letter = Act.CALL if due else Act.CHECK
    if letter == Act.FOLD:
        table.folded[k] = True
        table.folded_on[k] = table.street
        table.steps.append(HandStep(k, "f", bet))
    elif letter == Act.CHECK:
        if due:
            raise HandError("betting", f"{table.names[k]} checks where {money(due)} is to call", told.line)
        table.steps.append(HandStep(k, "c", bet))
    elif letter == Act.CALL:
        _call(table, told, k, due)
    else:
        _raise(table, told, k)
    if told.all_in and table.left[k]:
        raise HandError("betting", f"{table.names[k]} is said to be all-in with {money(table.left[k])} left", told.line)
    table.pending -= 1
    if table.one_left:
        table.pending = 0
    _pass_turn(table)


def _folds_all_in(table: HandTable, told: TextAction) -> bool:
    """Return whether a player who sits out, all-in with an ante or blind, folds."""
    k = table.place[told.seat]
    if table.street or table.left[k] or table.folded[k] or table.one_left:
        return False
    table.folded[k], table.folded_on[k] = True, 0
    table.steps.append(HandStep(k, "f", table.bets[k]))
    if table.one_left:
        table.pending = 0
    return True


def _call(table: HandTable, told: TextAction, k: int, due: int) -> None:
    if told.added >= 0 and told.added != due:
        short = min(max(_bet_of_others(table, k) - table.bets[k], 0), table.left[k])
        if told.added != short or table.street:  # a big blind who is all-in for less may be all there is to call
            raise HandError("betting", f"{table.names[k]} calls {money(told.added)} where {money(due)} is to call",
                            told.line)  # fmt: skip
        due = short
    if not due:
        raise HandError("betting", f"{table.names[k]} calls where nothing is to call", told.line)
    table.bets[k] += due
    table.put[k] += due
    table.left[k] -= due
    table.steps.append(HandStep(k, "c", table.bets[k]))


def _raise(table: HandTable, told: TextAction, k: int) -> None:
    """A bet or raise, in whichever of three ways the text states its amount; all that it states must agree."""
    level, bet, left = table.level, table.bets[k], table.left[k]
    if told.to >= 0:
        to = told.to
    elif told.added >= 0:
        to = bet + told.added
    else:
        to = level + told.over
    added = to - bet
    above = to - level
    if told.over != above and not table.street and told.over == to - max(table.bets):
        above = told.over  # a big blind who is all-in for less may be the bet that is raised
    stated = ((told.added, added, "chips more"), (told.over, above, "above the bet"))
    for said, is_so, what in stated:
        if said >= 0 and said != is_so:
            raise HandError("betting", f"{table.names[k]} raises by {money(said)} {what} to {money(to)}, which is "
                                       f"{money(is_so)}", told.line)  # fmt: skip
    if told.letter == Act.BET and level:
        raise HandError("betting", f"{table.names[k]} bets where a bet is to call", told.line)
    if added > left or to <= level:
        raise HandError("betting", f"{table.names[k]} raises to {money(to)}, with {money(bet + left)} at most and a "
                                   f"bet of {money(level)}", told.line)  # fmt: skip
    if to - level < table.step and added < left:
        raise HandError("betting", f"{table.names[k]} raises to {money(to)}, less than the least raise to "
                                   f"{money(level + table.step)}", told.line)  # fmt: skip
    table.step = max(table.step, to - level)
    table.level = table.bets[k] = to
    table.put[k] += added
    table.left[k] -= added
    table.steps.append(HandStep(k, "r", to))
    table.pending = 1 + sum([1 for j, chips in enumerate(table.left) if chips and not table.folded[j] and j != k])


def _uncalled(table: HandTable) -> tuple[int, int]:
    """The part of the largest bets that nobody has called, and its seat."""
    most = max(table.put)
    k = table.put.index(most)
    return most - max([chips for j, chips in enumerate(table.put) if j != k]), k


def _waiting(table: HandTable) -> str:
    if table.pending:
        return f"{table.names[table.turn]} is to act on the {STREETS[table.street]}"
    if table.one_left or table.street == len(_DEALT) - 1:
        return "the hand is over"
    return f"the {STREETS[table.street + 1]} is to be dealt"
