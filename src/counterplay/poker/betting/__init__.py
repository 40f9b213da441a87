"""Betting rules, bet sizes and betting trees."""
