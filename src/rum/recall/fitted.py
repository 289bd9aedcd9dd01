"""How much each signal of relevance counts, and how sure a score makes: fitted, not to be edited.

Written by `python -m benchmarks.quality.fit --write`; `docs/signals.md` tells what each signal brings.
"""

from __future__ import annotations

WEIGHTS: dict[str, dict[str, float]] = {
    "words": {
        "words": 4.197,
        "rarest": 0.762,
        "goal": 2.425,
        "paths": 2.314,
        "length": 0.328,
        "around": 4.847,
        "beside": 0.805,
        "here": 0.791,
    },
    "words+meaning": {
        "words": 2.964,
        "rarest": 0.515,
        "goal": 1.679,
        "paths": 2.356,
        "length": 0.851,
        "around": 4.358,
        "beside": 0.37,
        "here": 0.828,
        "meaning": 7.588,
        "meaning_next": 3.069,
    },
    "files": {
        "words": 2.994,
        "rarest": 1.774,
        "goal": 2.375,
        "paths": 0.929,
        "length": 0.182,
        "around": 0.0,
        "beside": 0.703,
        "files": 1.737,
        "asked_files": 0.487,
        "breadth": 0.338,
        "file_recency": 0.948,
        "recency": 6.648,
    },
    "files+meaning": {
        "words": 2.103,
        "rarest": 1.999,
        "goal": 1.547,
        "paths": 0.927,
        "length": 0.224,
        "around": 0.174,
        "beside": 0.0,
        "files": 1.443,
        "asked_files": 0.563,
        "breadth": 0.432,
        "file_recency": 1.05,
        "recency": 6.681,
        "meaning": 4.761,
        "meaning_next": 2.612,
    },
}
"""For questions with words alone or with files too, by words alone or with vectors too."""

CONFIDENCE: dict[str, dict[str, float]] = {
    "words": {
        "bias": -3.237,
        "share": 1.046,
        "score": 0.151,
        "unknown": -1.463,
        "covered": 2.463,
        "said": 0.835,
        "rare": -0.225,
        "asked": 0.135,
        "nearest": 0.0,
        "beside": -0.416,
    },
    "words+meaning": {
        "bias": -3.851,
        "share": 1.046,
        "score": 0.063,
        "unknown": -0.658,
        "covered": 1.665,
        "said": 0.181,
        "rare": -0.13,
        "asked": 0.179,
        "nearest": 4.7,
        "beside": -0.602,
    },
    "files": {
        "bias": -2.644,
        "share": 0.771,
        "score": 0.25,
        "unknown": -0.661,
        "covered": -0.034,
        "said": -0.015,
        "rare": 0.107,
        "asked": -0.193,
        "nearest": 0.0,
        "beside": 0.943,
    },
    "files+meaning": {
        "bias": -1.718,
        "share": 0.824,
        "score": 0.205,
        "unknown": -0.567,
        "covered": -0.334,
        "said": 0.081,
        "rare": 0.079,
        "asked": -0.324,
        "nearest": -0.245,
        "beside": 0.935,
    },
}
"""The logarithm of the odds: by a memory's share among all candidates, its score, and the question itself."""

MIN_CONFIDENCE = 0.15
"""Below this a memory is not given unless a lower threshold is asked for."""
