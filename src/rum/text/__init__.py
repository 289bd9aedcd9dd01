"""Words and sentences: terms, stems, patterns, fences, claims. Pure functions of strings."""
