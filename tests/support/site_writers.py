"""Texts of hands as seven poker sites write them, for tests of their readers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from xml.sax.saxutils import quoteattr

from counterplay.opponents.histories.hand_record import Cards
from counterplay.poker.cards.deck import card_text
from tests.support.site_hands import SiteAction, SiteHand

_STREETS = ("FLOP", "TURN", "RIVER")
_ON = ("before Flop", "on the Flop", "on the Turn", "on the River")


def _cards(cards: Sequence[int], between: str = " ") -> str:
    return between.join(map(card_text, cards))


def _listed(hand: SiteHand) -> list[int]:
    """Seats by their numbers."""
    return sorted(range(hand.seats), key=lambda k: hand.numbers[k])


def _role(hand: SiteHand, seat: int) -> str:
    posts = hand.posts()
    words = " (button)" if seat == hand.seats - 1 else ""
    return words + (" (small blind)" if seat == posts[0][0] else " (big blind)" if seat == posts[1][0] else "")


def _boards(hand: SiteHand) -> list[tuple[int, Cards, Cards]]:
    """Street, cards before and cards dealt, of each deal."""
    ends = [0, 3, 4, 5]
    dealt = sum(one.seat < 0 for one in hand.actions)
    return [(k, hand.board[: ends[k]], hand.board[ends[k] : ends[k + 1]]) for k in range(dealt)]


def _winners(hand: SiteHand) -> list[int]:
    return [k for k in range(hand.seats) if hand.collected[k]]


def _showdown(hand: SiteHand) -> bool:
    return sum(street < 0 for street in hand.folds) > 1


def pokerstars(hand: SiteHand, head: str = "PokerStars Hand #", chat: bool = False) -> str:
    """As PokerStars writes."""
    stakes = f"{hand.money(hand.small)}/{hand.money(hand.big)}"
    game = (
        f" Hold'em No Limit ({stakes} USD)" if hand.cash
        else f" Tournament #77, $4.60+$0.40 USD Hold'em No Limit - Level VI ({stakes})"
    )  # fmt: skip
    rows = [f"{head}{hand.number}: {game} - 2024/03/09 21:10:44 ET"]
    rows.append(f"Table 'Quill II' 9-max Seat #{hand.numbers[-1]} is the button")
    rows += [f"Seat {hand.numbers[k]}: {hand.names[k]} ({hand.money(hand.stacks[k])} in chips)" for k in _listed(hand)]
    if hand.ante:
        rows += [f"{name}: posts the ante {hand.money(hand.ante)}" for name in hand.names]
    for (seat, chips), word in zip(
        hand.posts(), ("posts small blind", "posts big blind", "posts straddle"), strict=False
    ):
        rows.append(f"{hand.names[seat]}: {word} {hand.money(chips)}")
    rows += ["*** HOLE CARDS ***", f"Dealt to {hand.names[hand.hero]} [{_cards(hand.holes[hand.hero])}]"]
    rows += _stars_play(hand, chat)
    if hand.returned[1]:
        rows.append(f"Uncalled bet ({hand.money(hand.returned[1])}) returned to {hand.names[hand.returned[0]]}")
    if _showdown(hand):
        rows.append("*** SHOW DOWN ***")
        for k in range(hand.seats):
            if hand.folds[k] < 0:
                shown = f"shows [{_cards(hand.holes[k])}] (a pair of Tens)"
                rows.append(f"{hand.names[k]}: {shown if k in hand.shown else 'mucks hand'}")
    rows += [f"{hand.names[k]} collected {hand.money(hand.collected[k])} from pot" for k in _winners(hand)]
    rows += ["*** SUMMARY ***", f"Total pot {hand.money(hand.pot)} | Rake {hand.money(hand.rake)}"]
    if hand.board:
        rows.append(f"Board [{_cards(hand.board)}]")
    rows += [f"Seat {hand.numbers[k]}: {hand.names[k]}{_role(hand, k)} {_stars_end(hand, k)}" for k in _listed(hand)]
    return "\n".join(rows) + "\n\n\n"


def _stars_play(hand: SiteHand, chat: bool) -> list[str]:
    rows, streets = list[str](), iter(_boards(hand))
    for one in hand.actions:
        if one.seat < 0:
            street, before, dealt = next(streets)
            shown = f"[{_cards(before)}] " if before else ""
            rows.append(f"*** {_STREETS[street]} *** {shown}[{_cards(dealt)}]")
            continue
        name, full = hand.names[one.seat], " and is all-in" if one.all_in else ""
        if chat:
            rows.append(f'{name} said, "{hand.names[0]}: folds"')
        amounts = {
            "call": f" {hand.money(one.added)}", "bet": f" {hand.money(one.to)}",
            "raise": f" {hand.money(one.over)} to {hand.money(one.to)}",
        }  # fmt: skip
        rows.append(f"{name}: {one.kind}s{amounts.get(one.kind, '')}{full}")
    return rows


def _stars_end(hand: SiteHand, seat: int) -> str:
    if hand.folds[seat] >= 0:
        return f"folded {_ON[hand.folds[seat]]}"
    won = hand.collected[seat]
    if not _showdown(hand):
        return f"collected ({hand.money(won)})"
    if seat in hand.shown:
        end = f"won ({hand.money(won)}) with a pair" if won else "lost with a pair"
        return f"showed [{_cards(hand.holes[seat])}] and {end}"
    return f"mucked [{_cards(hand.holes[seat])}]" if seat in hand.mucked else "mucked"


def ggpoker(hand: SiteHand, chat: bool = False) -> str:  # noqa: ARG001 - GGPoker's texts have no chat
    """As GGPoker writes: mostly as PokerStars."""
    text = pokerstars(hand, "Poker Hand #").replace(f"Poker Hand #{hand.number}", f"Poker Hand #HD{hand.number}")
    text = text.replace("SHOW DOWN", "SHOWDOWN").replace("posts straddle", "straddle").replace(" USD)", ")")
    rake = hand.money(hand.rake)
    return text.replace(f"| Rake {rake}\n", f"| Rake {rake} | Jackpot {hand.money(0)} | Bingo {hand.money(0)}\n")


def full_tilt(hand: SiteHand, chat: bool = False) -> str:
    """As Full Tilt wrote."""
    ante = f" Ante {hand.money(hand.ante)}" if hand.ante else ""
    rows = [f"Full Tilt Poker Game #{hand.number}: Table Dune (deep) - {hand.money(hand.small)}/{hand.money(hand.big)}{ante}"
            " - No Limit Hold'em - 10:00:01 ET - 2010/03/04"]  # fmt: skip
    rows += [f"Seat {hand.numbers[k]}: {hand.names[k]} ({hand.money(hand.stacks[k])})" for k in _listed(hand)]
    if hand.ante:
        rows += [f"{name} antes {hand.money(hand.ante)}" for name in hand.names]
    words = ("posts the small blind of", "posts the big blind of", "posts a straddle of")
    rows += [
        f"{hand.names[k]} {word} {hand.money(chips)}" for (k, chips), word in zip(hand.posts(), words, strict=False)
    ]
    rows += [f"The button is in seat #{hand.numbers[-1]}", "*** HOLE CARDS ***"]
    rows.append(f"Dealt to {hand.names[hand.hero]} [{_cards(hand.holes[hand.hero])}]")
    streets = iter(_boards(hand))
    pots = hand.ante * hand.seats + sum(chips for _, chips in hand.posts())
    for number, one in enumerate(hand.actions):
        pots += one.added
        if one.seat < 0:
            street, before, dealt = next(streets)
            later = any(after.added for after in hand.actions[number:])
            pot = pots - (0 if later else hand.returned[1])
            shown = f"[{_cards(before)}] " if before else ""
            rows.append(
                f"*** {_STREETS[street]} *** {shown}[{_cards(dealt)}] (Total Pot: {hand.money(pot)}, 2 Players)"
            )
            continue
        if chat:
            rows.append(f"{hand.names[one.seat]}: {hand.names[0]} folds")
        full = ", and is all in" if one.all_in else ""
        amounts = {
            "call": f" {hand.money(one.added)}",
            "bet": f" {hand.money(one.to)}",
            "raise": f" to {hand.money(one.to)}",
        }
        rows.append(f"{hand.names[one.seat]} {one.kind}s{amounts.get(one.kind, '')}{full}")
    if hand.returned[1]:
        rows.append(f"Uncalled bet of {hand.money(hand.returned[1])} returned to {hand.names[hand.returned[0]]}")
    if _showdown(hand):
        rows.append("*** SHOW DOWN ***")
        for k in range(hand.seats):
            if hand.folds[k] < 0:
                rows.append(f"{hand.names[k]} " + (f"shows [{_cards(hand.holes[k])}]" if k in hand.shown else "mucks"))
    for k in _winners(hand):
        rows.append(f"{hand.names[k]} wins the pot ({hand.money(hand.collected[k])})")
    rows += ["*** SUMMARY ***", f"Total pot {hand.money(hand.pot)} | Rake {hand.money(hand.rake)}"]
    if hand.board:
        rows.append(f"Board: [{_cards(hand.board)}]")
    ends = {k: _stars_end(hand, k).replace("before Flop", "before the Flop") for k in range(hand.seats)}
    rows += [f"Seat {hand.numbers[k]}: {hand.names[k]}{_role(hand, k)} {ends[k]}" for k in _listed(hand)]
    return "\n".join(rows) + "\n\n\n\n"


def absolute(hand: SiteHand, chat: bool = False) -> str:
    """As Absolute Poker wrote."""
    ante = f", {hand.money(hand.ante)} ante" if hand.ante else ""
    rows = [f"Stage #{hand.number}: Holdem  No Limit {hand.money(hand.big)}{ante} - 2009-11-30 15:50:12 (ET)"]
    rows.append(f"Table: QUAIL AVE (Real Money) Seat #{hand.numbers[-1]} is the dealer")
    rows += [f"Seat {hand.numbers[k]} - {hand.names[k]} ({hand.money(hand.stacks[k])} in chips)" for k in _listed(hand)]
    if hand.ante:
        rows += [f"{name} - Ante {hand.money(hand.ante)}" for name in hand.names]
    words = ("Posts small blind", "Posts big blind")
    rows += [
        f"{hand.names[k]} - {word} {hand.money(chips)}" for (k, chips), word in zip(hand.posts(), words, strict=False)
    ]
    rows += ["*** POCKET CARDS ***", f"Dealt to {hand.names[hand.hero]} [{_cards(hand.holes[hand.hero])}]"]
    streets = iter(_boards(hand))
    for one in hand.actions:
        if one.seat < 0:
            street, before, dealt = next(streets)
            shown = f"[{_cards(before)}] " if before else ""
            rows.append(f"*** {_STREETS[street]} *** {shown}[{_cards(dealt)}]")
            continue
        if chat:
            rows.append(f"{hand.names[one.seat]} chats: {hand.names[0]} folds")
        rows.append(f"{hand.names[one.seat]} - {_absolute_action(hand, one)}")
    if hand.returned[1]:
        rows.append(f"{hand.names[hand.returned[0]]} - returned ({hand.money(hand.returned[1])}) : not called")
    rows.append("*** SHOW DOWN ***")
    for k in range(hand.seats):
        if hand.folds[k] < 0:
            rows.append(
                f"{hand.names[k]} - " + (f"Shows [{_cards(hand.holes[k])}] (Pair)" if k in hand.shown else "Mucks")
            )
    rows += [f"{hand.names[k]} Collects {hand.money(hand.collected[k])} from main pot" for k in _winners(hand)]
    rake = f" | Rake ({hand.money(hand.rake)})" if hand.rake else ""
    rows += ["*** SUMMARY ***", f"Total Pot({hand.money(hand.pot)}){rake}"]
    if hand.board:
        rows.append(f"Board [{_cards(hand.board)}]")
    for k in _listed(hand):
        street = ("POCKET CARDS", "FLOP", "TURN", "RIVER")[max(0, hand.folds[k])]
        mucked = f"HI: [{_cards(hand.holes[k])} - B:]" if k in hand.mucked else "HI: "
        end = f"Folded on the {street}" if hand.folds[k] >= 0 else mucked
        rows.append(f"Seat {hand.numbers[k]}: {hand.names[k]}{_role(hand, k)} {end}")
    return "\n".join(rows) + "\n\n\n"


def _absolute_action(hand: SiteHand, one: SiteAction) -> str:
    words = {"fold": "Folds", "check": "Checks", "call": "Calls", "bet": "Bets", "raise": "Raises"}
    if one.kind == "raise":
        return f"{'All-In(Raise)' if one.all_in else 'Raises'} {hand.money(one.added)} to {hand.money(one.to)}"
    word = "All-In" if one.all_in else words[one.kind]
    return word + (f" {hand.money(one.added)}" if one.added else "")


def ongame(hand: SiteHand, chat: bool = False) -> str:  # noqa: ARG001 - Ongame's texts have no chat
    """As Ongame wrote."""
    ante = f" ante: {hand.money(hand.ante)}" if hand.ante else ""
    rows = [f"***** History for hand {hand.number} *****", "Start hand: Mon Jan 06 08:55:00 CET 2014"]
    money = "Real money" if hand.cash else "TC"
    stakes = f"{hand.money(hand.small)}/{hand.money(hand.big)}"
    rows.append(f"Table: Bnei Brak [79836934] (NO_LIMIT TEXAS_HOLDEM {stakes}{ante}, {money})")
    rows += [f"Button: seat {hand.numbers[-1]}", f"Players in round: {hand.seats}"]
    rows += [f"Seat {hand.numbers[k]}: {hand.names[k]} ({hand.money(hand.stacks[k])})" for k in _listed(hand)]
    if hand.ante:
        rows += [f"{name} posts ante {hand.money(hand.ante)}" for name in hand.names]
    words = ("posts small blind", "posts big blind")
    rows += [
        f"{hand.names[k]} {word} ({hand.money(chips)})" for (k, chips), word in zip(hand.posts(), words, strict=False)
    ]
    rows += [
        "---",
        "Dealing pocket cards",
        f"Dealing to {hand.names[hand.hero]}: [{_cards(hand.holes[hand.hero], ', ')}]",
    ]
    streets = iter(_boards(hand))
    for one in hand.actions:
        if one.seat < 0:
            street, _, dealt = next(streets)
            rows.append(f"--- Dealing {_STREETS[street].lower()} [{_cards(dealt, ', ')}]")
            continue
        full = " [all in]" if one.all_in else ""
        amounts = {"call": f" {hand.money(one.added)}", "bet": f" {hand.money(one.to)}",
                   "raise": f" {hand.money(one.added)} to {hand.money(one.to)}"}  # fmt: skip
        rows.append(f"{hand.names[one.seat]} {one.kind}s{amounts.get(one.kind, '')}{full}")
    winners = ", ".join(f"{hand.names[k]} ({hand.money(hand.collected[k])})" for k in _winners(hand))
    rows += [
        "---",
        "Summary:",
        f"Main pot: {hand.money(hand.pot)} won by {winners}",
        f"Rake taken: {hand.money(hand.rake)}",
    ]
    for k in _listed(hand):
        end = hand.stacks[k] - _put(hand, k) + hand.collected[k]
        cards = f", [{_cards(hand.holes[k], ', ')}]" if k in (*hand.shown, *hand.mucked) else ""
        rows.append(f"Seat {hand.numbers[k]}: {hand.names[k]} ({hand.money(end)}), net: +{hand.money(0)}{cards}")
    return "\n".join([*rows, f"***** End of hand {hand.number} *****"]) + "\n\n\n"


def _put(hand: SiteHand, seat: int) -> int:
    """All chips that a seat puts in, without an uncalled bet."""
    added = sum(one.added for one in hand.actions if one.seat == seat)
    return hand.ante + dict(hand.posts()).get(seat, 0) + added - (hand.returned[1] if hand.returned[0] == seat else 0)


def partypoker(hand: SiteHand, chat: bool = False) -> str:
    """As PartyPoker wrote: an uncalled bet is part of what is won, and tournaments do not list the blinds."""
    code = {"$": " USD", "€": " EUR", "£": " GBP", "": ""}[hand.currency]
    stakes = f"{hand.money(hand.small)}/{hand.money(hand.big)}"
    game = f"{stakes}{code} NL Texas Hold'em" if hand.cash else "NL Texas Hold'em $20 USD Buy-in Trny: 77 Level: 3"
    rows = [f"Game #{hand.number} starts.", "", f"***** Hand History for Game {hand.number} *****"]
    rows += [f"{game} - Sunday, January 10, 18:03:02 CET 2016", "Table HU Dune (Real Money)"]
    rows += [f"Seat {hand.numbers[-1]} is the button", f"Total number of players : {hand.seats}/9 "]
    rows += [f"Seat {hand.numbers[k]}: {hand.names[k]} ( {hand.money(hand.stacks[k])}{code} )" for k in _listed(hand)]
    if not hand.cash:
        rows += ["Trny: 77 Level: 3 ", f"Blinds({hand.small}/{hand.big})"]
    if hand.ante:
        rows += [f"{name} posts ante [{hand.money(hand.ante)}{code}]" for name in hand.names]
    words = ("small blind", "big blind", "straddle")
    for (k, chips), word in zip(hand.posts() if hand.cash else (), words, strict=False):
        rows.append(f"{hand.names[k]} posts {word} [{hand.money(chips)}{code}].")
    rows += ["** Dealing down cards **", f"Dealt to {hand.names[hand.hero]} [  {_cards(hand.holes[hand.hero])} ]"]
    streets = iter(_boards(hand))
    for one in hand.actions:
        if one.seat < 0:
            street, _, dealt = next(streets)
            rows.append(f"** Dealing {_STREETS[street].title()} ** [ {_cards(dealt, ', ')} ]")
            continue
        if chat:
            rows.append(f"{hand.names[one.seat]}: {hand.names[0]} folds")
        word = "is all-In " if one.all_in else f"{one.kind}s"
        rows.append(f"{hand.names[one.seat]} {word}" + (f" [{hand.money(one.added)}{code}]" if one.added else ""))
    if _showdown(hand):
        for k in range(hand.seats):
            if hand.folds[k] < 0 and k in (*hand.shown, *hand.mucked):
                verb = "shows" if k in hand.shown else "doesn't show"
                rows.append(f"{hand.names[k]} {verb} [ {_cards(hand.holes[k], ', ')} ]a pair of Tens.")
    for k in range(hand.seats):
        if won := hand.collected[k] + (hand.returned[1] if hand.returned[0] == k else 0):
            rows.append(f"{hand.names[k]} wins {hand.money(won)}{code or ' chips'}")
    return "\n".join(rows) + "\n\n\n\n"


def partypoker_mail(hand: SiteHand, chat: bool = False) -> str:  # noqa: ARG001 - these texts have no chat
    """As PartyPoker wrote by mail: with a summary of all stacks, bets and wins."""

    def plain(chips: int) -> str:
        return hand.money(chips).removeprefix(hand.currency)

    kind = "" if hand.cash else "Tourney "
    tail = "" if hand.cash else " (MTT Tournament #77) (Buyin $3.0 + $0.3)"
    rows = [f"***** Hand History For Game {hand.number} *****"]
    rows.append(f"{plain(hand.small)}/{plain(hand.big)} {kind}Texas Hold'em Game Table (NL){tail} - Mon Jul 12 2010")
    rows.append(f"Table Dune (Real Money) -- Seat {hand.numbers[-1]} is the button")
    rows.append(f"Total number of players : {hand.seats}/9")
    rows += [f"Seat {hand.numbers[k]}: {hand.names[k]} ({hand.money(hand.stacks[k])})" for k in _listed(hand)]
    if hand.ante:
        rows += [f"{name} posts ante ({plain(hand.ante)})" for name in hand.names]
    for (k, chips), word in zip(hand.posts(), ("small blind", "big blind"), strict=True):
        rows.append(f"{hand.names[k]} posts {word} ({plain(chips)})")
    rows += ["** Dealing down cards **", f"Dealt to {hand.names[hand.hero]} [ {_cards(hand.holes[hand.hero], ', ')} ]"]
    streets = iter(_boards(hand))
    for one in hand.actions:
        if one.seat < 0:
            street, _, dealt = next(streets)
            rows.append(f"** Dealing {_STREETS[street].title()} ** :  [ {_cards(dealt, ', ')} ]")
            continue
        chips = f" ({plain(one.added)})" if one.added else ""
        if one.kind == "raise":
            chips = f" {plain(one.added)} to {plain(one.to)}"
        rows.append(f"{hand.names[one.seat]} {one.kind}s{chips}")
        if one.all_in:
            rows.append(f"{hand.names[one.seat]} is all-In.")
    rows += ["** Summary **", f"Main Pot: {hand.money(hand.pot - hand.rake)} Rake: {hand.money(hand.rake)}"]
    if hand.board:
        rows.append(f"Board: [ {_cards(hand.board, ', ')} ]")
    for k in _listed(hand):
        back = hand.returned[1] if hand.returned[0] == k else 0
        won, put = hand.collected[k] + back, _put(hand, k)
        end = f"{hand.names[k]} balance {hand.money(hand.stacks[k] - put + hand.collected[k])}, "
        if won:
            end += (
                f"bet {hand.money(put + back)}, collected {hand.money(won)}, net +{hand.money(abs(won - put - back))}"
            )
        else:
            end += f"lost {hand.money(put)}" if put else "didn't bet"
            end += " (folded)" if hand.folds[k] >= 0 else ""
        rows.append(end + (f"[ {_cards(hand.holes[k], ', ')} ] [ a pair ]" if k in (*hand.shown, *hand.mucked) else ""))
    return "\n".join(rows) + "\n\n\n\n"


def ipoker(hand: SiteHand, chat: bool = False) -> str:  # noqa: ARG001 - iPoker's files have no chat
    """As iPoker writes: a session of one game."""
    stakes = f" {hand.money(hand.small)}/{hand.money(hand.big)}" if hand.cash else ""
    rows = ['<?xml version="1.0" encoding="utf-8"?>', '<session sessioncode="1">', " <general>"]
    rows += [
        f"  <gametype>Holdem NL{stakes}</gametype>",
        " </general>",
        f' <game gamecode="{hand.number}">',
        "  <general>",
    ]
    rows.append("   <players>")
    for k in _listed(hand):
        back = hand.returned[1] if hand.returned[0] == k else 0
        rows.append(
            f'    <player seat="{hand.numbers[k]}" name={quoteattr(hand.names[k])} chips="{hand.money(hand.stacks[k])}" '
            f'dealer="{int(k == hand.seats - 1)}" win="{hand.money(hand.collected[k] + back)}" '
            f'bet="{hand.money(_put(hand, k) + back)}" rebuy="0" addon="0"/>'
        )
    rows += ["   </players>", "  </general>", '  <round no="0">']
    number = 0

    def action(seat: int, kind: int, chips: int) -> str:
        nonlocal number
        number += 1
        return (f'   <action no="{number}" player={quoteattr(hand.names[seat])} type="{kind}" '
                f'sum="{hand.money(chips)}" cards=""/>')  # fmt: skip

    if hand.ante:
        rows += [action(k, 15, hand.ante) for k in range(hand.seats)]
    rows += [action(k, kind, chips) for (k, chips), kind in zip(hand.posts(), (1, 2), strict=False)]
    rows += ["  </round>", '  <round no="1">']
    for k in range(hand.seats):
        rows.append(
            f'   <cards type="Pocket" player={quoteattr(hand.names[k])}>{_ipoker_cards(hand.known(k)) or "X X"}</cards>'
        )
    streets = iter(_boards(hand))
    for one in hand.actions:
        if one.seat < 0:
            street, _, dealt = next(streets)
            rows += ["  </round>", f'  <round no="{street + 2}">']
            rows.append(f'   <cards type="{_STREETS[street].title()}" player="">{_ipoker_cards(dealt)}</cards>')
            continue
        kind = {"fold": 0, "check": 4, "call": 3, "bet": 5, "raise": 23}[one.kind]
        chips = one.to if one.kind == "raise" else one.added
        rows.append(
            action(one.seat, 7, one.added) if one.all_in and one.kind != "raise" else action(one.seat, kind, chips)
        )
    return "\n".join([*rows, "  </round>", " </game>", "</session>"]) + "\n"


def phh(hand: SiteHand) -> str:
    """As PHH, with what the seats won and the stacks at the end."""

    def listed(amounts: Sequence[int]) -> str:
        return f"[{', '.join(f'{chips / hand.unit:.12g}' for chips in amounts)}]"

    posts, known = dict(hand.posts()), [_cards(hand.known(k), "") or "????" for k in range(hand.seats)]
    actions = [f"d dh p{k + 1} {cards}" for k, cards in enumerate(known)]
    for one in hand.actions:
        word = {"fold": "f", "check": "cc", "call": "cc"}.get(one.kind, f"cbr {one.to / hand.unit:.12g}")
        actions.append(f"d db {_cards(one.cards, '')}" if one.seat < 0 else f"p{one.seat + 1} {word}")
    ends = [hand.stacks[k] - _put(hand, k) + hand.collected[k] for k in range(hand.seats)]
    blinds = [posts.get(k, 0) for k in range(hand.seats)]
    fields = {
        "variant": "'NT'", "antes": listed([hand.ante] * hand.seats),
        "blinds_or_straddles": listed(sorted(blinds) if hand.seats == 2 else blinds), "min_bet": f"{hand.big / hand.unit:g}",
        "starting_stacks": listed(hand.stacks), "actions": repr(actions), "venue": "'PHH'", "hand": str(hand.number),
        "players": json.dumps(hand.names, ensure_ascii=False), "winnings": listed(hand.collected),
        "finishing_stacks": listed(ends), "currency_symbol": repr(hand.currency),
    }  # fmt: skip
    return "".join(f"{name} = {value}\n" for name, value in fields.items())


def _ipoker_cards(cards: Cards) -> str:
    return " ".join(f"{text[1].upper()}{text[0].replace('T', '10')}" for text in map(card_text, cards))


WRITERS: dict[str, Callable[..., str]] = {
    "PokerStars": pokerstars, "GGPoker": ggpoker, "PartyPoker": partypoker,
    "PartyPoker by mail": partypoker_mail, "iPoker Network": ipoker,
    "Ongame Network": ongame,
    "Full Tilt Poker": full_tilt, "Absolute Poker": absolute,
}  # fmt: skip
"""By venue, as keys of hands name it."""
NO_STRADDLES = ("PartyPoker by mail", "iPoker Network", "Ongame Network", "Absolute Poker")
"""Sites whose texts have none here."""
