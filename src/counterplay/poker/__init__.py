"""Poker, from cards to whole games of hold'em; no file stands here itself.

Door: `spots.spot.Spot`, `spots.solve_spot.solve_spot`, `spots.load.load`, `locking.exploit_leak.exploit_leak`.
"""
