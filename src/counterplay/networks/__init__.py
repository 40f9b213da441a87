"""Learned functions as plain arrays, asked in NumPy: the network, its file, and what it is a function of.

Door: `value_network.load_value_network` reads a file of learned values; the value function `net:FILE` puts it behind the
limit of a look-ahead. Networks are trained in `learning`.
"""
