"""Reproductions of published tables and figures: our numbers beside the printed ones.

Door: `reproduce.reproduce`, `experiment.Experiment`, `runner.run`.

Registry: `catalogue.REPRODUCTIONS`, the names of the files in `papers`.
"""
