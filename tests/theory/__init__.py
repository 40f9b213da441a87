"""What theory says of solvers, gadgets, look-aheads and responses, each number found in two ways."""
