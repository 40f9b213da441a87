"""Evaluation of strategies and models, the frontier of gain against exploitability, numbers on drawn boards, and matches.

Door: `evaluate.evaluate`, `frontier.frontier`, `flop_responses.respond_on_flops`, `match.match`,
`openspiel_bots.openspiel_bot`.
"""
