"""Tables and figures of the papers, one a file with a function `experiment`."""
