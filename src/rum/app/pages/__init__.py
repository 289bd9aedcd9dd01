"""Lists in pages and overviews for people: what the page shows beside the answers of the calls."""
