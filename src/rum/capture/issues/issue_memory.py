"""An issue as a memory: the wish or trouble is its intent, what was said its perception."""

from __future__ import annotations

import re
from typing import Any

from rum.capture.git.message import BODY, SUBJECT, cut
from rum.capture.git.work_kind import kind_of
from rum.capture.issues.export import Comment, Issue
from rum.model.ids import id_of
from rum.model.memory import UNVERIFIED
from rum.model.memory_layers import TaskType
from rum.text.invisible import without_unseen
from rum.text.lexicon import LABEL, task_type_in

IMPORTANCE = 0.3
COMMENT = 800
COMMENTS = 10
"""So many of the first, and of the last, comments are kept."""
TAGS = 6
MENTIONED = 20

_UNSAID = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NAMED = re.compile(r"(?<![\w/&#])#(\d{1,9})\b")


def issue_id(issue: Issue) -> str:
    """The id of an issue's memory: the same in every import."""
    return id_of("mem", f"github issue {issue.number}", issue.at)


def issue_session(number: int | str) -> str:
    """The session that an issue's memory stands in, by which its number finds it."""
    return f"github_issue_{number}"


def memory_fields(issue: Issue) -> dict[str, Any]:
    """What an issue's memory says, as a caller of `store` would write it."""
    title = cut(_line(issue.title), SUBJECT) or f"Issue #{issue.number}"
    observations = [
        {"what": text, "significance": f"said by {_line(by) or 'ghost'}"}
        for by, text in _kept(issue.comments)
    ]
    tags = ["issue", *(["open"] if issue.is_open else []), *(_tag(label) for label in issue.labels)]
    return {
        "intent": {
            "goal": title,
            "task_type": _task_type(issue, title).value,
            "context": cut(_text(issue.body), BODY),
        },
        "perception": {"observations": observations},
        "outcome": _outcome(issue),
        # How an open issue ends nobody said yet: it is nothing that was tried in vain.
        "tags": [*list(dict.fromkeys(filter(None, tags)))[:TAGS], *([UNVERIFIED] if issue.is_open else [])],
        "importance": IMPORTANCE,
    }


def mentioned(issue: Issue) -> list[str]:
    """The numbers of other issues that are spoken of."""
    texts = [issue.body, *(comment.text for comment in issue.comments)]
    numbers = dict.fromkeys(number for text in texts for number in _NAMED.findall(text))
    return [number for number in numbers if int(number) != issue.number][:MENTIONED]


def _outcome(issue: Issue) -> dict[str, Any]:
    last = cut(_line(issue.comments[-1].text), SUBJECT) if issue.comments else ""
    if issue.is_open:
        summary = f"#{issue.number} is still open"
        return {"success": False, "summary": summary, "follow_up_needed": [f"Resolve #{issue.number}"]}
    done = issue.reason in ("", "completed")
    words = "closed" if done else f"closed as {_line(issue.reason).replace('_', ' ')[:40]}"
    summary = f"#{issue.number} {words}" + (f": {last}" if last else "")
    return {"success": done, "summary": summary, **({} if done else {"failure_reason": last or words})}


def _kept(comments: tuple[Comment, ...]) -> list[tuple[str, str]]:
    """The first and the last comments; in between it is said how many there are."""
    told = [(comment.by, cut(_text(comment.text), COMMENT)) for comment in comments]
    told = [(by, text) for by, text in told if text]
    if len(told) <= 2 * COMMENTS:
        return told
    between = f"({len(told) - 2 * COMMENTS} more comments)"
    return [*told[:COMMENTS], ("others", between), *told[-COMMENTS:]]


def _task_type(issue: Issue, title: str) -> TaskType:
    labels = " ".join(issue.labels)[:1000]
    found = task_type_in(labels, LABEL)
    return TaskType(found) if found else kind_of(title, ()).task_type


def _tag(label: str) -> str:
    return "-".join(_line(label).lower().split())[:30]


def _line(text: str) -> str:
    return " ".join(_text(text[: SUBJECT * 10]).split())


def _text(text: str) -> str:
    """What people read: without what templates hide in it."""
    return _UNSAID.sub("", without_unseen(text[: BODY * 10])).strip()
