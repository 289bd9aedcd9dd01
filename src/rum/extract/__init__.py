"""From a finished run to what is worth keeping of it: a note, facts and rules."""
