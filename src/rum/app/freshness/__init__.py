"""Compare memories with the code: make anchors, check them, and confirm what changed."""
