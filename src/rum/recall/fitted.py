"""How much each signal of relevance counts, and how sure a score makes: fitted, not to be edited.

Written by `python -m benchmarks.quality.fit --write`; `docs/signals.md` tells what each signal brings.
"""

from __future__ import annotations

WEIGHTS: dict[str, dict[str, float]] = {
    "words": {
        "words": 4.631,
        "rarest": 0.587,
        "goal": 2.418,
        "paths": 2.141,
        "length": 0.322,
        "around": 5.069,
        "beside": 0.736,
        "here": 0.8,
    },
    "words+meaning": {
        "words": 3.082,
        "rarest": 0.17,
        "goal": 1.635,
        "paths": 2.046,
        "length": 0.933,
        "around": 4.325,
        "beside": 0.333,
        "here": 0.841,
        "meaning": 8.52,
        "meaning_next": 2.599,
    },
    "files": {
        "words": 3.048,
        "rarest": 1.749,
        "goal": 2.39,
        "paths": 0.859,
        "length": 0.17,
        "around": 0.0,
        "beside": 0.886,
        "files": 1.756,
        "asked_files": 0.666,
        "breadth": 0.346,
        "file_recency": 0.852,
        "recency": 6.685,
    },
    "files+meaning": {
        "words": 2.149,
        "rarest": 1.977,
        "goal": 1.553,
        "paths": 0.841,
        "length": 0.219,
        "around": 0.0,
        "beside": 0.1,
        "files": 1.456,
        "asked_files": 0.74,
        "breadth": 0.442,
        "file_recency": 0.968,
        "recency": 6.708,
        "meaning": 4.82,
        "meaning_next": 2.733,
    },
}
"""For questions with words alone or with files too, by words alone or with vectors too."""

CONFIDENCE: dict[str, dict[str, float]] = {
    "words": {
        "bias": -3.771,
        "share": 1.146,
        "score": 0.036,
        "unknown": -1.222,
        "covered": 3.533,
        "asked": 1.015,
        "nearest": 0.0,
        "said": 0.0,
        "rare": 0.0,
        "beside": 0.0,
    },
    "words+meaning": {
        "bias": -4.118,
        "share": 1.157,
        "score": -0.054,
        "unknown": -0.321,
        "covered": 2.211,
        "asked": 0.63,
        "nearest": 4.987,
        "said": 0.0,
        "rare": 0.0,
        "beside": 0.0,
    },
    "files": {
        "bias": -1.77,
        "share": 0.758,
        "score": 0.247,
        "unknown": -0.844,
        "covered": -0.302,
        "asked": -0.218,
        "nearest": 0.0,
        "said": 0.0,
        "rare": 0.0,
        "beside": 0.0,
    },
    "files+meaning": {
        "bias": -1.223,
        "share": 0.793,
        "score": 0.219,
        "unknown": -0.731,
        "covered": -0.568,
        "asked": -0.301,
        "nearest": -0.125,
        "said": 0.0,
        "rare": 0.0,
        "beside": 0.0,
    },
}
"""The logarithm of the odds: by a memory's share among all candidates, its score, and the question itself."""

MIN_CONFIDENCE = 0.15
"""Below this a memory is not given unless a lower threshold is asked for."""
