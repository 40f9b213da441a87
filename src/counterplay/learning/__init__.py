"""Training of networks: samples from our own solvers, ranges that searches ask for, and the fit.

Door: `learn_value.learn_value`. Training needs torch (`counterplay[learn]`), which only functions that train import; the
networks themselves are in `networks`, which do without.
"""
