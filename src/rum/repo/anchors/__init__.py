"""Anchors: make them, and check whether the code that they stand for is still there."""
