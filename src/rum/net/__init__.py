"""The one room that speaks HTTP to others: what embedders and language models share."""
