"""Issues as `gh issue list --json` and GitHub's REST API export them, read with care."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Annotated, Any, NamedTuple, cast

from msgspec import Meta, Struct

from rum.capture.git.message import BODY, SUBJECT, cut
from rum.capture.git.work_kind import kind_of
from rum.model.errors import InvalidQuery
from rum.model.ids import id_of
from rum.model.memory import UNVERIFIED
from rum.model.memory_layers import TaskType
from rum.model.parse import parse
from rum.text.invisible import without_unseen
from rum.text.lexicon import LABEL, task_type_in

ADVICE = (
    "Export them with `gh issue list --state all --limit 10000 --json "
    "number,title,body,state,stateReason,labels,author,createdAt,closedAt,comments`."
)


class _Person(Struct):
    login: str = ""
    is_bot: bool = False


class _Label(Struct):
    name: str = ""


class _Comment(Struct):
    body: str | None = None
    author: _Person | None = None
    user: _Person | None = None


class _Issue(Struct):
    """Both spellings: gh writes `createdAt` and `author`, the REST API `created_at` and `user`."""

    number: Annotated[int, Meta(ge=1, le=10**9)]
    title: str
    body: str | None = None
    state: str = "open"
    state_reason: str | None = None
    stateReason: str | None = None  # noqa: N815
    labels: list[_Label | str] | None = None
    author: _Person | None = None
    user: _Person | None = None
    created_at: str | None = None
    createdAt: str | None = None  # noqa: N815
    comments: list[_Comment] | int | None = None
    pull_request: dict[str, Any] | None = None


class Comment(NamedTuple):
    """What somebody said."""

    by: str
    text: str


class Issue(NamedTuple):
    """An issue in its one form; `reason` is why it was closed, in GitHub's words."""

    number: int
    title: str
    body: str
    is_open: bool
    reason: str
    labels: tuple[str, ...]
    by: str
    is_bot: bool
    at: int
    comments: tuple[Comment, ...]
    is_pull_request: bool


def issues_in(exported: bytes) -> list[Issue]:
    """Every issue of an export, the last where one comes twice; InvalidQuery says what is wrong."""
    found: dict[tuple[int, int], Issue] = {}
    for place, given in enumerate(_listed(_documents(exported)), start=1):
        issue = _issue(given, f"Issue {place}")
        found[issue.number, issue.at] = issue
    if not found:
        raise InvalidQuery(f"There are no issues in this file. {ADVICE}", field="file")
    return list(found.values())


def _documents(exported: bytes) -> Iterator[object]:
    """The JSON documents of a file: one, or one after the other, as paging through the API leaves them."""
    try:
        text = exported.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidQuery(f"This is not UTF-8 text. {ADVICE}", field="file") from None
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        try:
            document, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            why = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise InvalidQuery(f"This is not JSON: {why}. {ADVICE}", field="file") from None
        yield document


def _listed(documents: Iterable[object]) -> Iterator[object]:
    """The issues of documents: themselves, members of lists, or of what a search answers."""
    waiting = [*documents][::-1]
    while waiting:
        document = waiting.pop()
        inner = _members(document)
        if inner is None:
            yield document
        else:
            waiting += inner[::-1]


def _members(document: object) -> list[object] | None:
    if isinstance(document, dict) and "number" not in document:
        answer = cast("dict[str, object]", document)
        document = next((answer[name] for name in ("items", "issues", "nodes") if name in answer), None)
    return cast("list[object]", document) if isinstance(document, list) else None


def _issue(given: object, where: str) -> Issue:
    if not isinstance(given, dict):
        raise InvalidQuery(f"{where} is not an object. {ADVICE}", field="file")
    told = _told(cast("dict[str, Any]", given), where)
    person = told.author or told.user or _Person("ghost")
    comments = told.comments if isinstance(told.comments, list) else []
    return Issue(
        number=told.number,
        title=told.title,
        body=told.body or "",
        is_open=told.state.lower() != "closed",
        reason=(told.state_reason or told.stateReason or "").lower(),
        labels=tuple(one if isinstance(one, str) else one.name for one in told.labels or ()),
        by=person.login,
        is_bot=person.is_bot,
        at=_time(told.created_at or told.createdAt, where),
        comments=tuple(
            Comment((one.author or one.user or _Person("ghost")).login, one.body)
            for one in comments
            if one.body
        ),
        is_pull_request=told.pull_request is not None,
    )


def _told(given: dict[str, Any], where: str) -> _Issue:
    try:
        return parse(given, _Issue, where)
    except InvalidQuery as error:
        raise InvalidQuery(f"{error.message} {ADVICE}", **error.details) from None


def _time(told: str | None, where: str) -> int:
    if told is None:
        raise InvalidQuery(f"{where}: `createdAt` is required. {ADVICE}", field="createdAt")
    try:
        at = datetime.fromisoformat(told).timestamp()
    except (ValueError, OverflowError):
        raise InvalidQuery(f"{where}: `createdAt` is not a time: {told[:40]!r}.", field="createdAt") from None
    return max(0, int(at))


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
