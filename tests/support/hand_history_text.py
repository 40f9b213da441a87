"""A hand history of a poker site in PHH."""

HEADS_UP = """\
[1]
variant = 'NT'
ante_trimming_status = false
antes = [0, 0]
blinds_or_straddles = [0.10, 0.25]
min_bet = 0.25
starting_stacks = [5.70, 21.55]
actions = ['d dh p1 ????', 'd dh p2 ????', 'p2 cbr 0.75', 'p1 cc', 'd db 9h7d3h', 'p1 cc', 'p2 cbr 1.00', 'p1 f']
venue = 'Site'
time = 12:15:10
hand = 60035281090
players = ['b+/x', 'a']
winnings = [0, 0]
currency_symbol = '$'
"""
