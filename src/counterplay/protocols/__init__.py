"""Play against other programs: the protocol of the Annual Computer Poker Competition, and Slumbot's interface.

Doors: `acpc_client.play_at_dealer`, `acpc_dealer.Dealer`, `slumbot.play_slumbot`.
"""
