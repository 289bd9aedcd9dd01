"""Which words say that a commit reverts another one, wholly or in part."""

from __future__ import annotations

import pytest

from rum.capture.git.message import Naming, mentions
from rum.capture.git.revert_words import reverted_numbers, says_revert

WHOLE = """
This reverts commit ID.
Revert ID, it was never needed.
Reverts: https://example.org/gate/gate/commit/ID
gate: revert needless commit ID
Reverted the bad fix from ID.
So, let's revert ID and paint it again.
Undo the change introduced in ID, which let burglars in.
Back out ID for now.
Remove the old hinge by reverting ID.
It also reverts ID.
This reverts gate-1.2-34-gID
Hence, revert ID in favour of a lock.
Revert the mistaken change brought in commit ID.
"""
MOSTLY = """
Mostly reverts ID, but keeps the test.
This commit effectively reverts ID.
This is essentially a revert of ID.
This reverts the main part of commit ID.
So let's revert most of ID and keep the lock.
"""
PARTLY = """
Partial revert of ID #12
This partially reverts commit ID.
gate: partly revert ID
Resolve it by a partial-revert of ID.
Revert part of ID (Paint the gate, 2020-01-01)
Revert some of the changes made in ID.
It also undoes part of the later ID.
Undo ID's decision about the lock.
Revert this hunk of commit ID.
Revert: ID partially
Reverts the commit ID changes from this file.
This reverts commit ID in part.
Reverts the logic from ID when there is no lock.
"""
NOT = """
The fix was later reverted in ID.
It was reverted by ID.
We may revert ID if it does not help.
If we revert ID, the test passes.
I verified that by reverting ID.
Do not revert ID.
Since the revert of ID it leaks.
Retake of the revert in ID
Update the notes for revert of ID.
This un-reverts ID.
To see it, run: git revert ID
This reverts to the behaviour before the gate; see ID.
Revert to using the old lock. Regression from ID.
Brought back from ID.
"""
CASES = [
    (line, extent)
    for text, extent in ((WHOLE, "whole"), (MOSTLY, "mostly"), (PARTLY, "partly"), (NOT, None))
    for line in text.strip().splitlines()
]


@pytest.mark.parametrize(("text", "extent"), CASES)
def test_words_tell_whether_a_named_commit_is_reverted(text: str, extent: str | None):
    (found,) = mentions(text.replace("ID", "0a1b2c3d4e"))
    assert found.extent == extent
    assert (found.naming is Naming.REVERTS) == (extent is not None)


@pytest.mark.parametrize(
    "text",
    [
        "0a1b2c3d4e reverted 5f6a7b8c9d by accident",
        "0a1b2c3d4e (Paint the gate) partially reverted the changes from 5f6a7b8c9d",
        "This reverts commit 0a1b2c3d4e (Revert 5f6a7b8c9d and more).",
    ],
)
def test_what_another_commit_reverted_is_not_reverted_by_this_one(text: str):
    assert mentions(text)[1].naming is not Naming.REVERTS


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Reverts #6809", {"6809": "whole"}),
        ("Reverts example/gate#6809", {"6809": "whole"}),
        ("Partially reverts #7841", {"7841": "partly"}),
        ("Revert part of the change for issue 3675", {"3675": "partly"}),
        ("Revert the fix for bug 12.", {"12": "whole"}),
        ("This reverts merge request !12", {"12": "whole"}),
        ("It was reverted in #12", {}),
        ("Revert to the old lock. Closes #12", {}),
        ("See #12 for the revert", {}),
        ("Paint it #5", {}),
    ],
)
def test_pull_requests_and_issues_are_reverted_by_number(text: str, numbers: dict[str, str]):
    assert reverted_numbers(text) == numbers


def test_many_numbers_take_linear_time():
    assert len(reverted_numbers("revert #1 " * 6000)) == 1


@pytest.mark.parametrize(
    ("subject", "says"),
    [
        ("Revert last change, it is wrong", True),
        ("gate: undo the night lock", True),
        ("Back out some changes of last week", True),
        ("Reverted the lock--what was I thinking?", True),
        ("gate: close at night (revert)", True),
        ("Revert to the old lock", False),
        ("revert back to the iron lock", False),
        ("revert: write the state", False),
        ("Do not revert on errors", False),
        ("Reverting is slow: make it fast", True),  # only what also undoes another commit exactly counts
        ("Undocumented options", False),
    ],
)
def test_a_subject_may_say_that_something_is_reverted(subject: str, says: bool):
    assert says_revert(subject) == says
