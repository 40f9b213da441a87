"""Agents of each world: where a hand stands, what is played there, what the other seat could hold."""
