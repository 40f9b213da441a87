"""Walks over boards with other backup rules than the best response, and flops drawn for them.

Door: `response_on_flops.ResponseOnFlops`. Registry: `make_rule.RULES`.
"""
