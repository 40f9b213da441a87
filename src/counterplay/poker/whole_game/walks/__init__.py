"""Rules of choice on walks over boards, responses by them, and flops drawn for them.

Door: `response_on_flops.ResponseOnFlops`. Registry: `make_rule.RULES`.
"""
