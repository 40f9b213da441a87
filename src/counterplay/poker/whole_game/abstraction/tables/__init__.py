"""Tables of card abstractions by board: features of hands, clusters of them, and the file in which they are kept."""
