"""Load on a team's memory."""
