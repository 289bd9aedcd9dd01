"""The text of chapters and wisdom, and the evidence for each claim."""
