"""The fitted weights of the ranking signals and the confidence; never edited by hand.

Written by `python -m benchmarks.quality.fit --write`; `docs/signals.md` describes the signals.
"""

from __future__ import annotations

WEIGHTS: dict[str, dict[str, float]] = {
    "words": {
        "words": 3.827,
        "rarest": 0.874,
        "goal": 2.653,
        "paths": 2.422,
        "length": 0.315,
        "around": 4.887,
        "beside": 0.832,
        "here": 0.706,
    },
    "words+meaning": {
        "words": 2.631,
        "rarest": 0.729,
        "goal": 1.845,
        "paths": 2.481,
        "length": 0.754,
        "around": 4.282,
        "beside": 0.387,
        "here": 0.726,
        "meaning": 7.198,
        "meaning_next": 3.722,
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
"""The weight of each signal, for queries without and with files, by words alone and with vectors."""

FIRST: dict[str, dict[str, tuple[float, float, float, float]]] = {
    "words": {
        "bias": (-99.0, 99.0, -4.045, 0.0),
        "share": (-99.0, 99.0, 2.004, 0.0),
        "score": (-99.0, 99.0, -0.0538, 0.0),
        "unknown": (0.0, 0.9098, -0.3677, -1.546),
        "covered": (0.07191, 1.0, 5.677, -1.075),
        "said": (1.271, 4.93, 3.792, -0.5993),
        "rare": (2.354, 8.083, -0.5572, 0.04322),
        "asked": (1.386, 4.174, -0.4799, 0.1786),
        "nearest": (0.0, 0.0, 0.0, 0.0),
        "beside": (0.0, 2.666, -1.74, 0.5545),
        "lead": (0.009483, 7.115, -0.02262, -0.0008601),
        "candidates": (0.0, 5.075, -0.36, 0.06599),
    },
    "words+meaning": {
        "bias": (-99.0, 99.0, -7.669, 0.0),
        "share": (-99.0, 99.0, 1.577, 0.0),
        "score": (-99.0, 99.0, -0.1267, 0.0),
        "unknown": (0.0, 1.0, 0.1697, 0.2269),
        "covered": (0.0, 1.0, 5.889, -1.925),
        "said": (0.0, 4.898, 1.299, -0.3181),
        "rare": (0.0, 8.081, -0.1225, 0.01483),
        "asked": (1.286, 4.174, 0.09446, 0.09083),
        "nearest": (0.05878, 0.9645, 24.836, -16.04),
        "beside": (0.0, 2.233, -2.163, 0.7446),
        "lead": (0.01167, 8.924, 0.1359, -0.005905),
        "candidates": (0.0, 5.328, -1.017, 0.1087),
    },
    "files": {
        "bias": (-99.0, 99.0, 2.022, 0.0),
        "share": (-99.0, 99.0, 1.035, 0.0),
        "score": (-99.0, 99.0, -0.05561, 0.0),
        "unknown": (0.0, 0.5163, -2.088, 1.571),
        "covered": (0.133, 1.0, -3.681, 0.4581),
        "said": (2.09, 5.325, 1.8, -0.1908),
        "rare": (3.58, 8.099, -0.4394, 0.02746),
        "asked": (1.386, 4.174, -2.045, 0.1947),
        "nearest": (0.0, 0.0, 0.0, 0.0),
        "beside": (0.0, 0.0, 0.0, 0.0),
        "lead": (0.02108, 8.129, 0.2126, 0.006745),
        "candidates": (3.56, 5.594, 1.069, -0.09541),
    },
    "files+meaning": {
        "bias": (-99.0, 99.0, 0.0531, 0.0),
        "share": (-99.0, 99.0, 1.475, 0.0),
        "score": (-99.0, 99.0, -0.1503, 0.0),
        "unknown": (0.0, 0.5163, -0.9055, 0.5214),
        "covered": (0.133, 1.0, -2.842, 0.3427),
        "said": (2.09, 5.325, 1.686, -0.1797),
        "rare": (3.61, 8.099, -0.6535, 0.04168),
        "asked": (1.386, 4.174, -1.459, 0.1217),
        "nearest": (0.4154, 0.9849, 8.906, -7.108),
        "beside": (0.0, 0.0, 0.0, 0.0),
        "lead": (0.01585, 8.283, 0.1882, 0.006109),
        "candidates": (4.426, 5.783, 0.9446, -0.04672),
    },
}
"""The log odds that the best candidate is right: by its share among all, its score, and the query.

For each input: minimum and maximum in the fitted data (values beyond are clamped), slope and curvature.
"""

OTHERS: dict[str, dict[str, float]] = {
    "words": {
        "bias": -2.627,
        "share": 0.6692,
        "score": 0.2972,
        "unknown": -1.352,
        "covered": 0.9863,
        "said": 1.594,
        "rare": -0.1645,
        "asked": -0.7599,
        "nearest": 0.0,
        "beside": 0.1709,
        "lead": 0.08714,
        "candidates": -0.6327,
    },
    "words+meaning": {
        "bias": 0.3598,
        "share": 0.746,
        "score": 0.1589,
        "unknown": -0.5735,
        "covered": 0.1432,
        "said": 1.055,
        "rare": -0.03466,
        "asked": -0.8853,
        "nearest": 4.178,
        "beside": 0.08665,
        "lead": 0.1078,
        "candidates": -1.239,
    },
    "files": {
        "bias": -4.441,
        "share": 0.664,
        "score": 0.2082,
        "unknown": -1.109,
        "covered": 0.2879,
        "said": 0.2206,
        "rare": 0.04402,
        "asked": -0.6076,
        "nearest": 0.0,
        "beside": -0.04331,
        "lead": 0.1169,
        "candidates": 0.5377,
    },
    "files+meaning": {
        "bias": -4.506,
        "share": 0.6231,
        "score": 0.2154,
        "unknown": -1.235,
        "covered": 0.08112,
        "said": 0.08818,
        "rare": 0.047,
        "asked": -0.6503,
        "nearest": 0.9258,
        "beside": -0.009067,
        "lead": 0.04699,
        "candidates": 0.4382,
    },
}
"""The log odds of the other candidates: the slope of each input."""

MIN_CONFIDENCE = 0.15
"""The default threshold: results with a lower confidence are not returned."""
