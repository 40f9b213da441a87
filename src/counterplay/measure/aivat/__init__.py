"""AIVAT: results of hands with the luck taken out (Burch, Schmid, Moravčík and Bowling 2018).

Door: `make_aivat.aivat_of`.
"""
