"""What recall goes by that is not fitted: limits on how much is looked at, and what is certain by itself.

The weights of the signals are in `fitted.py`.
"""

from __future__ import annotations

CERTAIN = 1.0  # What was asked for literally: an id, a file or task type alone, filters alone

EARLIER_NAME = 0.9  # The file asked for, when it had another name

BARE_NAME = 0.8  # A file or folder of that name somewhere, where only the name was given

SAME_FOLDER = 0.35  # The same kind of task on a neighbouring file

SAME_GOAL = 0.97  # The question repeats the goal word for word

SURER = 0.1  # By such a share of what is missing to certainty, that is surer than anything else

UNRIVALLED = 3.0  # By how much a memory leads that is the only candidate

FALL = 0.5  # How fast a memory is at least less sure than the best, by how far its score lies behind

# Vectors count once such a share of the best so many by words and files have one; of a few, any will do.
FOREMOST, COVERED, FEW = 10, 0.6, 4

# The most that words are worth that say nothing, where a question has no others: less than is given.
STOP_WORDS = 0.14

TYPO_CREDIT = 0.7  # What a word is worth that was only found one typing error away

# How sure at most is what less than such a share speaks for of words that were not respelt.
RESPELT, AS_ASKED = 0.5, 0.1

# What importance adds to a score: little, as no labelled data tell how much it should.
IMPORTANCE, USUAL_IMPORTANCE = 0.5, 0.5

# What it adds at most that a memory proved useful when it was offered, or takes away that it did not.
USEFULNESS = 0.4

FEW_USEFUL = 500  # Of up to so many memories with evidence of their use all is read at once

YOUNG = 100  # In a store with fewer memories than this a word is as rare as in one with so many

# Up to so many unknown words that are at least such a share of the question are taken for typing errors.
STRANGE, STRANGE_SHARE = 2, 0.3

RANKED_OF_A_FILE = 200  # So many memories of the files asked for are ranked by the words asked for too

POOL = 80  # So many memories are looked at closely, however few are asked for: how sure one is depends on it

SURE = 0.5  # Where as many memories as are asked for are so sure, the next level is left out

COMMON = 1000  # Words in at least so many memories are common: which others hold them is not looked up

# A word that fewer archived memories hold leads to them; of another one only those who hold it besides.
ARCHIVED_RARE = 300

ARCHIVED = 40  # So many archived memories are looked at closely

SCANNED = 12_000  # So many entries of the index are read for a question

# A session of up to so many memories is one piece of work; in a longer one neighbours mean little.
TOGETHER = 64

SHORTEST = 8  # In a session with fewer memories than this it says little that two stand next to each other

LINKED = 4  # So many of the memories one is linked to are looked at

# How many memories tell the order of time: the newest exactly, the others by so many of them.
NEWEST, SPREAD = 64, 64

SESSION_COUNTED = 10_000  # The size up to which the asking session is counted

# Seconds a question may spend on vectors that are missing: the first that meets any, and those after it.
CATCH_UP, CATCH_UP_LATER = 0.4, 0.1
