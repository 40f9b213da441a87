"""One file for each table or figure of a paper."""
