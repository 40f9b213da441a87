"""Rules to arrays: the histories of a game, and the compiled game."""
