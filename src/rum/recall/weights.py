"""How much each sign of relevance counts: provisional constants, in one table, until they are fitted."""

from __future__ import annotations

CERTAIN = 1.0
"""What was asked for literally: an id, a file or task type alone, filters alone."""

FILE_WITH_WORDS = 0.45
"""A file that fits, where words were asked for too."""

FILTERED_WITH_WORDS = 0.3
"""What passes the filters, where words were asked for too, but may only rank (strategy `exact`)."""

BARE_NAME = 0.8
"""A file or folder of that name somewhere, where only the name was given."""

SAME_FOLDER = 0.35
"""The same kind of task on a neighbouring file."""

SAME_GOAL = 0.97
"""The question repeats the goal word for word."""

ALL_WORDS = 0.9
"""Every word of the question is there; fewer words count less."""

FIELD_CREDIT = (1.0, 0.95, 0.95, 0.95, 0.9, 0.9, 0.85, 0.95, 0.9)
"""What a word is worth in goal, intent, outcome, learnings, reasoning, perception, actions, tags, paths."""

TYPO_CREDIT = 0.7
"""What a word is worth that was only found one typing error away."""

UNKNOWN = 0.5
"""How much a word counts that no memory holds: it tells little about which of them is meant."""

STOP_WORDS = 0.2
"""What words are worth that say nothing, where a question has no others."""

TEXT_SCORE = 0.15
"""The share of BM25 (how often, how rare, in how short a text) beside the share of words found."""

RECENCY = 0.02
IMPORTANCE = 0.04
HALF_LIFE = 30 * 86400
"""Seconds after which a memory counts half as recent."""

MIN_CONFIDENCE = 0.25
"""Below this a memory is not given unless a lower threshold is asked for."""

RANKED_OF_A_FILE = 200
"""So many of a file's memories are ranked by the words asked for too."""

COMMON = 1000
"""Words in at least so many memories are common: not counted further, and never ranked by."""

SAMPLE = 200
"""So many of the newest memories with a common word tell how common it is."""

AFFORDABLE = 200
"""So many rows may be ranked for a question without looking for a stricter one."""
