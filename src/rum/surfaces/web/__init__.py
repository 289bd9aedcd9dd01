"""The page of `rum web` and `rum serve`: its files, a JSON API, and who may use them."""
