"""Walks over boards with other backup rules than the best response: look-ahead of limited depth and local best response;
flops drawn for them, and what the draws say.

Door: `response_on_flops.ResponseOnFlops`. Registry: `make_rule.RULES`.
"""
