"""What clients write down of their sessions, read into the same events that their hooks tell."""
