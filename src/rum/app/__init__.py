"""The use cases, one folder a feature; every interface calls them."""
