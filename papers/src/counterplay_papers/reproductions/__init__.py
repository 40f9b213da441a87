"""Tables and figures of the papers, by paper: `registry.REPRODUCTIONS` names the functions."""
