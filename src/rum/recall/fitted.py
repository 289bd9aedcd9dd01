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
        "bias": -3.394,
        "share": 1.001,
        "score": 0.159,
        "unknown": -1.419,
        "covered": 2.408,
        "said": 0.888,
        "rare": -0.233,
        "asked": 0.093,
        "nearest": 0.0,
        "beside": -0.412,
    },
    "words+meaning": {
        "bias": -4.006,
        "share": 1.016,
        "score": 0.069,
        "unknown": -0.555,
        "covered": 1.753,
        "said": 0.161,
        "rare": -0.124,
        "asked": 0.195,
        "nearest": 4.562,
        "beside": -0.606,
    },
    "files": {
        "bias": -2.712,
        "share": 0.764,
        "score": 0.249,
        "unknown": -0.615,
        "covered": -0.071,
        "said": 0.042,
        "rare": 0.107,
        "asked": -0.234,
        "nearest": 0.0,
        "beside": 1.093,
    },
    "files+meaning": {
        "bias": -1.902,
        "share": 0.803,
        "score": 0.215,
        "unknown": -0.528,
        "covered": -0.342,
        "said": 0.064,
        "rare": 0.089,
        "asked": -0.324,
        "nearest": -0.3,
        "beside": 0.931,
    },
}
"""The logarithm of the odds: by a memory's share among all candidates, its score, and the question itself."""

MIN_CONFIDENCE = 0.15
"""Below this a memory is not given unless a lower threshold is asked for."""
