"""Tables of card abstractions by board: features of hands, clusters of features, and the file of the tables."""
