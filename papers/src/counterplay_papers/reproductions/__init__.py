"""Tables and figures of the papers: one per file, with a function `experiment`."""
