"""Reproductions of published numbers: what is computed, beside what was printed.

Door: `reproduce.reproduce`, `experiment.Experiment`, `runner.run`.

Registry: `catalogue.REPRODUCTIONS`, the names of the files in `papers`.
"""
