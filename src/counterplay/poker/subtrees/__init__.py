"""Public subtrees cut out of a spot, behind a gadget or up to a street's end."""
