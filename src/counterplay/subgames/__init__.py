"""Subgames of a compiled game: cut out, entered by a gadget, continued by portfolios."""
