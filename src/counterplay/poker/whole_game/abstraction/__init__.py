"""Card abstractions: features of hands, and clusters of them."""
