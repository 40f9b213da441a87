"""Whole hold'em games of any number of streets, solved by vectors of hands."""
