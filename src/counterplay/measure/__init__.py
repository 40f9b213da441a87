"""Evaluation of strategies and models, the frontier of gain against exploitability, numbers on drawn boards, matches and
their results with the luck taken out (AIVAT), and reviews of finished hands.

Door: `evaluate.evaluate`, `frontier.frontier`, `flop_responses.respond_on_flops`, `match.match`, `make_aivat.aivat_of`,
`running_result.PlayedMatch`, `openspiel_bots.openspiel_bot`.
"""
