"""Keep and fetch rows: `base` is the protocol, each backend a folder."""
