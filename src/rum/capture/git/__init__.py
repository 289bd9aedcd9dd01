"""From commits to memories."""
