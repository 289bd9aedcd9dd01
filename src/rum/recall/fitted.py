"""How much each signal of relevance counts, and how sure a score makes: fitted, not to be edited.

Written by `python -m benchmarks.quality.fit --write`; `docs/signals.md` tells what each signal brings.
"""

from __future__ import annotations

WEIGHTS: dict[str, dict[str, float]] = {
    "words": {
        "words": 3.85,
        "rarest": 0.877,
        "goal": 2.638,
        "paths": 2.418,
        "length": 0.294,
        "around": 4.895,
        "beside": 0.802,
        "here": 0.706,
    },
    "words+meaning": {
        "words": 2.62,
        "rarest": 0.725,
        "goal": 1.863,
        "paths": 2.481,
        "length": 0.765,
        "around": 4.288,
        "beside": 0.415,
        "here": 0.726,
        "meaning": 7.12,
        "meaning_next": 3.527,
    },
    "files": {
        "words": 2.362,
        "rarest": 2.081,
        "goal": 2.582,
        "paths": 0.809,
        "length": 0.172,
        "files": 1.448,
        "asked_files": 0.756,
        "breadth": 0.395,
        "file_recency": 1.13,
        "recency": 5.664,
    },
    "files+meaning": {
        "words": 1.487,
        "rarest": 2.353,
        "goal": 1.851,
        "paths": 0.828,
        "length": 0.209,
        "files": 1.195,
        "asked_files": 0.832,
        "breadth": 0.487,
        "file_recency": 1.213,
        "recency": 5.631,
        "meaning": 4.285,
    },
}
"""For questions with words alone or with files too, by words alone or with vectors too."""

CONFIDENCE: dict[str, dict[str, float]] = {
    "words": {
        "bias": -2.928,
        "share": 1.011,
        "score": 0.122,
        "unknown": -1.696,
        "covered": 1.919,
        "said": 1.625,
        "rare": -0.147,
        "asked": -0.756,
        "nearest": 0.0,
        "beside": -0.127,
        "lead": 0.14,
        "candidates": -0.186,
    },
    "words+meaning": {
        "bias": -2.5,
        "share": 0.997,
        "score": 0.03,
        "unknown": -0.823,
        "covered": 1.121,
        "said": 0.793,
        "rare": -0.03,
        "asked": -0.63,
        "nearest": 5.069,
        "beside": -0.298,
        "lead": 0.17,
        "candidates": -0.368,
    },
    "files": {
        "bias": 0.278,
        "share": 0.89,
        "score": 0.044,
        "unknown": -1.003,
        "covered": -1.031,
        "said": 0.019,
        "rare": -0.031,
        "asked": -0.454,
        "nearest": 0.0,
        "beside": 0.534,
        "lead": 0.211,
        "candidates": 0.323,
    },
    "files+meaning": {
        "bias": 0.784,
        "share": 0.908,
        "score": 0.018,
        "unknown": -0.839,
        "covered": -1.057,
        "said": 0.017,
        "rare": -0.052,
        "asked": -0.455,
        "nearest": 0.262,
        "beside": 0.545,
        "lead": 0.199,
        "candidates": 0.265,
    },
}
"""The logarithm of the odds: by a memory's share among all candidates, its score, and the question itself."""

MIN_CONFIDENCE = 0.15
"""Below this a memory is not given unless a lower threshold is asked for."""
