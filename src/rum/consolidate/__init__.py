"""From memories to knowledge."""
