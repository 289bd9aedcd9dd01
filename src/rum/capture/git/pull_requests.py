"""The pull requests of merges, and which commits each of them brought in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from rum.capture.git.message import cut, parse_message
from rum.repo.history import Commit

_MAX_TEXT = 1500  # Characters of a pull request's text that each of its commits gets
_FEW = 20  # A pull request with more commits than this gives them only its number and title
_MERGE = re.compile(
    r"Merge pull request #(?P<github>\d{1,9}) from \S+"
    r"|Merged in .{1,200} \(pull request #(?P<bitbucket>\d{1,9})\)"
    r"|Auto merge of #(?P<bors>\d{1,9}) .*|Merged PR (?P<azure>\d{1,9}): (?P<title>.+)"
    r"|Merge branch '.{1,200}"
)
_GITLAB = re.compile(r"^See merge request \S{0,200}!(\d{1,9})$", re.MULTILINE)


class PullRequest(NamedTuple):
    """A pull request: its number with the sign that the forge writes before it, its title and its text."""

    number: str
    title: str
    text: str = ""

    def paragraph(self, subject: str) -> str:
        """What a commit that it brought in says about it, without a title that is its own subject."""
        kind = "Merge request" if self.number.startswith("!") else "Pull request"
        title = "" if self.title.casefold() in subject.casefold() else f": {self.title}"
        return "\n\n".join(filter(None, (f"{kind} {self.number}{title}", self.text)))


def pull_request_of(message: str) -> PullRequest | None:
    """The pull request that a merge's message names."""
    first = message.strip().partition("\n")[0].strip()
    found = _MERGE.fullmatch(first)
    if not found:
        return None
    names = found.groupdict()
    title, _, text = parse_message(message).body.partition("\n")
    number = next((f"#{names[one]}" for one in ("github", "bitbucket", "bors", "azure") if names[one]), None)
    if number is None:
        in_gitlab = _GITLAB.search(message)
        if not in_gitlab:
            return None
        number, text = f"!{in_gitlab[1]}", _GITLAB.sub("", text)
    if names["title"]:
        title, text = names["title"], parse_message(message).body
    return PullRequest(number, " ".join(title.split()), cut(text.strip(), _MAX_TEXT))


def brought_in(commits: Iterable[Commit]) -> dict[str, PullRequest]:
    """The pull request of each commit that a merge brought in; of nested ones, the inner one.

    A commit belongs to the oldest merge that has it on a side other than that of its first parent.
    """
    by_sha = {commit.sha: commit for commit in commits}
    if not by_sha:
        return {}
    found: dict[str, PullRequest] = {}
    seen: set[str] = set()
    members: dict[PullRequest, list[str]] = {}
    # Lines of first parents that are still to be read, each with the pull request that it belongs to.
    waiting: list[tuple[str, PullRequest | None]] = [(next(reversed(by_sha)), None)]
    while waiting:
        tip, request = waiting.pop()
        line: list[Commit] = []
        while (commit := by_sha.get(tip)) and tip not in seen:
            seen.add(tip)
            line.append(commit)
            if request:
                members.setdefault(request, []).append(tip)
            tip = commit.parents[0] if commit.parents else ""
        for commit in line:  # the oldest one is read first, as it is the last one here
            if len(commit.parents) > 1:
                inner = pull_request_of(commit.message) or request
                waiting += [(parent, inner) for parent in commit.parents[1:]]
    for request, shas in members.items():
        given = request if len(shas) <= _FEW else request._replace(text="")
        found.update(dict.fromkeys(shas, given))
    return found
