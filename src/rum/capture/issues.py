"""Issues as `gh issue list --json` and GitHub's REST API export them, and the memories made of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Annotated, Any, NamedTuple, cast

from msgspec import Meta, Struct

from rum.capture.git.message import MAX_BODY, MAX_SUBJECT, cut
from rum.capture.git.work_kind import work_kind
from rum.model.errors import InvalidQuery
from rum.model.fields import parse
from rum.model.ids import id_of
from rum.model.memory import UNVERIFIED
from rum.model.memory_layers import TaskType
from rum.text.lexicon import LABEL, task_type_in
from rum.text.shorten import without_invisible

_ADVICE = (
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
    """Both forms: gh writes `createdAt` and `author`, the REST API `created_at` and `user`."""

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
    """A comment and its author."""

    by: str
    text: str


class Issue(NamedTuple):
    """An issue of either form; `reason` is why it was closed, in GitHub's words."""

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
    """Return the issues of an export, of repeated ones the last; InvalidQuery says what is wrong."""
    found: dict[tuple[int, int], Issue] = {}
    for place, value in enumerate(_items(_documents(exported)), start=1):
        issue = _issue(value, f"Issue {place}")
        found[issue.number, issue.at] = issue
    if not found:
        raise InvalidQuery(f"There are no issues in this file. {_ADVICE}", field="file")
    return list(found.values())


def _documents(exported: bytes) -> Iterator[object]:
    """The JSON documents of a file: one, or several as `gh api --paginate` writes them."""
    try:
        text = exported.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidQuery(f"This is not UTF-8 text. {_ADVICE}", field="file") from None
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        try:
            document, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            why = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise InvalidQuery(f"This is not JSON: {why}. {_ADVICE}", field="file") from None
        yield document


def _items(documents: Iterable[object]) -> Iterator[object]:
    """The issues of documents: a document itself, the items of a list, or those of a search result."""
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


def _issue(value: object, where: str) -> Issue:
    if not isinstance(value, dict):
        raise InvalidQuery(f"{where} is not an object. {_ADVICE}", field="file")
    issue = _parse_issue(cast("dict[str, Any]", value), where)
    person = issue.author or issue.user or _Person("ghost")
    comments = issue.comments if isinstance(issue.comments, list) else []
    return Issue(
        number=issue.number,
        title=issue.title,
        body=issue.body or "",
        is_open=issue.state.lower() != "closed",
        reason=(issue.state_reason or issue.stateReason or "").lower(),
        labels=tuple(one if isinstance(one, str) else one.name for one in issue.labels or ()),
        by=person.login,
        is_bot=person.is_bot,
        at=_time(issue.created_at or issue.createdAt, where),
        comments=tuple(
            Comment((one.author or one.user or _Person("ghost")).login, one.body)
            for one in comments
            if one.body
        ),
        is_pull_request=issue.pull_request is not None,
    )


def _parse_issue(value: dict[str, Any], where: str) -> _Issue:
    try:
        return parse(value, _Issue, where)
    except InvalidQuery as error:
        raise InvalidQuery(f"{error.message} {_ADVICE}", **error.details) from None


def _time(value: str | None, where: str) -> int:
    if value is None:
        raise InvalidQuery(f"{where}: `createdAt` is required. {_ADVICE}", field="createdAt")
    try:
        at = datetime.fromisoformat(value).timestamp()
    except (ValueError, OverflowError):
        message = f"{where}: `createdAt` is not a time: {value[:40]!r}."
        raise InvalidQuery(message, field="createdAt") from None
    return max(0, int(at))


_IMPORTANCE = 0.3
_MAX_COMMENT = 800
_MAX_COMMENTS = 10  # Comments that are kept of the first ones, and again of the last ones
_MAX_TAGS = 6
_MAX_MENTIONED = 20

_HTML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ISSUE_NUMBER = re.compile(r"(?<![\w/&#])#(\d{1,9})\b")


def issue_id(issue: Issue) -> str:
    """The id of an issue's memory: the same in every import."""
    return id_of("mem", f"github issue {issue.number}", issue.at)


def issue_session(number: int | str) -> str:
    """The session of an issue's memory, by which the memory is found for a number."""
    return f"github_issue_{number}"


def memory_fields(issue: Issue) -> dict[str, Any]:
    """The fields of an issue's memory, as a caller of `store` would write them."""
    title = cut(_line(issue.title), MAX_SUBJECT) or f"Issue #{issue.number}"
    observations = [
        {"what": text, "significance": f"said by {_line(by) or 'ghost'}"}
        for by, text in _comments(issue.comments)
    ]
    tags = ["issue", *(["open"] if issue.is_open else []), *(_tag(label) for label in issue.labels)]
    return {
        "intent": {
            "goal": title,
            "task_type": _task_type(issue, title).value,
            "context": cut(_text(issue.body), MAX_BODY),
        },
        "perception": {"observations": observations},
        "outcome": _outcome(issue),
        # An open issue has no outcome yet: it must not count as a failure.
        "tags": list(dict.fromkeys(filter(None, tags)))[:_MAX_TAGS] + [UNVERIFIED] * issue.is_open,
        "importance": _IMPORTANCE,
    }


def mentioned_issues(issue: Issue) -> list[str]:
    """The numbers of other issues that an issue mentions."""
    texts = [issue.body, *(comment.text for comment in issue.comments)]
    numbers = dict.fromkeys(number for text in texts for number in _ISSUE_NUMBER.findall(text))
    return [number for number in numbers if int(number) != issue.number][:_MAX_MENTIONED]


def _outcome(issue: Issue) -> dict[str, Any]:
    last = cut(_line(issue.comments[-1].text), MAX_SUBJECT) if issue.comments else ""
    if issue.is_open:
        summary = f"#{issue.number} is still open"
        return {"success": False, "summary": summary, "follow_up_needed": [f"Resolve #{issue.number}"]}
    done = issue.reason in ("", "completed")
    words = "closed" if done else f"closed as {_line(issue.reason).replace('_', ' ')[:40]}"
    summary = f"#{issue.number} {words}" + (f": {last}" if last else "")
    return {"success": done, "summary": summary, **({} if done else {"failure_reason": last or words})}


def _comments(comments: tuple[Comment, ...]) -> list[tuple[str, str]]:
    """The first and the last comments, and how many there are in between."""
    found = [(comment.by, cut(_text(comment.text), _MAX_COMMENT)) for comment in comments]
    found = [(by, text) for by, text in found if text]
    if len(found) <= 2 * _MAX_COMMENTS:
        return found
    between = f"({len(found) - 2 * _MAX_COMMENTS} more comments)"
    return [*found[:_MAX_COMMENTS], ("others", between), *found[-_MAX_COMMENTS:]]


def _task_type(issue: Issue, title: str) -> TaskType:
    labels = " ".join(issue.labels)[:1000]
    found = task_type_in(labels, LABEL)
    return TaskType(found) if found else work_kind(title, ()).task_type


def _tag(label: str) -> str:
    return "-".join(_line(label).lower().split())[:30]


def _line(text: str) -> str:
    return " ".join(_text(text[: MAX_SUBJECT * 10]).split())


def _text(text: str) -> str:
    """A text without the hidden comments of issue templates."""
    # Ten times the limit, as hidden comments do not count; a body may be a very long pasted log.
    return _HTML_COMMENT.sub("", without_invisible(text[: MAX_BODY * 10])).strip()
