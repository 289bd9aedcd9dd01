"""The constants of recall that are not fitted: limits, and the confidence of exact matches.

The weights of the signals are in `fitted.py`.
"""

from __future__ import annotations

CERTAIN = 1.0  # Confidence of an exact match: an id, a file or task type alone, filters alone

EARLIER_NAME = 0.9  # Confidence of a match by an earlier name of the requested file

BARE_NAME = 0.8  # Confidence of a file or folder with the requested name in any folder

SAME_FOLDER = 0.35  # Confidence of the same task type on a neighbouring file

SAME_GOAL = 0.97  # Minimum confidence if the query repeats one memory's goal; several memories share it

SURER = 0.1  # Such a match is surer than all others by this share of what is missing to 1

UNRIVALLED = 3.0  # The lead of a memory that is the only candidate

FALL = 0.5  # How fast confidence falls, at least, with the distance of the score to the best

LONGEST_QUESTION = 16  # A query with more words is a text, such as a report, and has weights of its own

# How much more the whole of a long question and its first sentence count than its error and its names.
TELLING = 2

# Vectors count if of the best FOREMOST matches by words and files the share COVERED has one.
#
# With at most FEW matches, one vector is enough.
FOREMOST, COVERED, FEW = 10, 0.6, 4

# Factor for the confidence if a query has only stop words: below the default threshold.
STOP_WORDS = 0.14

TYPO_CREDIT = 0.7  # Factor for the weight of a word that was found only with a typo corrected

# Maximum confidence of a match whose words are all corrected typos, except for a share below AS_ASKED.
RESPELT, AS_ASKED = 0.5, 0.1

# What importance adds to a score: little, as there are no labelled data to fit it.
IMPORTANCE, USUAL_IMPORTANCE = 0.5, 0.5

# The most that usefulness adds to a score, or takes away from it.
USEFULNESS = 0.4

FEW_USEFUL = 500  # Up to this many memories with evidence of their use are read in one call

YOUNG = 100  # Minimum number of memories assumed when the rarity of words is computed

# Maximum number of unknown words, and minimum share of the query, to treat them as typos at once.
STRANGE, STRANGE_SHARE = 2, 0.3

RANKED_OF_A_FILE = 200  # Maximum number of memories of the requested files that are ranked by words too

POOL = 80  # Minimum number of memories examined closely, as the confidence depends on it

SURE = 0.5  # A memory with this confidence counts as found

# With this confidence, a memory that holds every word of the question needs no search by meaning.
ANSWERED = 0.8

ENOUGH = 5  # With at least this many candidates, typos are not corrected, even if more were requested

MAX_NEAR, MIN_NEAR = 3, 0.01  # How many near misses an answer without results names, and their confidence

COMMON = 1000  # A word in at least this many memories is common: only this many of its holders are read

# A word in fewer archived memories than this leads to them; a more frequent one only adds to others.
ARCHIVED_RARE = 300

ARCHIVED = 40  # Maximum number of archived memories examined closely

SCANNED = 12_000  # Maximum number of index entries read for a query

# Maximum size of a session in which neighbours count; in longer ones they mean little.
TOGETHER = 64

SHORTEST = 8  # Minimum size of a session in which neighbours count

LINKED = 4  # Maximum number of links followed from one memory

# Size of the timeline: this many of the newest memories, and a sample of this many others.
NEWEST, SPREAD = 64, 64

SESSION_COUNTED = 10_000  # The size up to which the calling session is counted
