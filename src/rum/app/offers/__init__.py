"""Offers: what was offered, and the outcome."""
