"""Kinds of strategies of whole games beside a table of lanes: others', mixtures, one seat's, models trusted row by row."""
