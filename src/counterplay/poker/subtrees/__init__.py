"""Public subtrees cut out of a spot, after a gadget, or up to a street's end."""
