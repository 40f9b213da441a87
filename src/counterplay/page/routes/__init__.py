"""The routes of the page over HTTP: each calls one function and answers with plain data."""
