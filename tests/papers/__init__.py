"""Published numbers, reproductions of papers, and their pictures."""
