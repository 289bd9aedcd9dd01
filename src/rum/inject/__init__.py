"""Memories into the prompt: which, how deep, in how many tokens."""
