"""The steps of a turn: the events of each tool call joined, and what a shell command does to files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, cast

from rum.capture.clients.patches import files_of_patch
from rum.capture.events.event import INTERRUPTED
from rum.text.lexicon import word_set
from rum.text.shell import segments

if TYPE_CHECKING:
    from rum.capture.events.event import Event, FileAccess

_DENIED = ("The user doesn't want", "User rejected", "The user rejected", "Permission to use")
_INTERRUPTED = "[Request interrupted by user"
_STOPPED = (124, 130, 137, 143)  # Exit codes of a command that ran out of time, or was ended by a signal
_PATCH = "*** Begin Patch"


class Step(NamedTuple):
    """One call of a tool; `failed` is None where that is unknown."""

    tool: str
    at: float
    name: str = ""
    files: tuple[FileAccess, ...] = ()
    command: str = ""
    exit: int | None = None
    output: str = ""
    text: str = ""
    memories: tuple[str, ...] = ()
    failed: bool | None = None

    @property
    def changes(self) -> tuple[FileAccess, ...]:
        """The files that it changed, or tried to change."""
        return tuple(file for file in self.files if file["operation"] != "read")

    @property
    def only_looks(self) -> bool:
        """Whether it changes nothing."""
        if self.tool == "run":
            return looks_only(self.command)
        return not self.changes


def steps_of(events: Iterable[Event]) -> list[Step]:
    """Return the finished calls of a turn in their order; not those that the user denied or interrupted."""
    calls: dict[str, list[Event]] = {}
    for event in events:
        if event["kind"] in ("before", "after", "failed"):
            # If a client sends no call ids, the event before a tool call adds nothing to the one after it.
            if not event.get("call") and event["kind"] == "before":
                continue
            calls.setdefault(event.get("call") or event["id"], []).append(event)
    return [step for call in calls.values() if (step := _step(call))]


def _step(call: list[Event]) -> Step | None:
    kinds = {event["kind"] for event in call}
    ended = [event for event in call if event["kind"] != "before"]
    if not ended:
        return None  # denied, or never finished
    whole: dict[str, object] = {}
    for event in call:
        whole.update(event)
    joined = cast("Event", whole)
    output = joined.get("output", "")
    if "failed" in kinds and (_is_denied(output) or joined.get("source") == INTERRUPTED):
        return None
    code = joined.get("exit")
    is_run = joined.get("tool") == "run"
    failed: bool | None = "failed" in kinds or bool(code)
    # A command that was stopped has not failed: one stops a server, and a client ends what takes too long.
    if is_run and (code in _STOPPED or (code is None and not failed)):
        failed = None
    step = Step(
        tool=joined.get("tool", "other"),
        at=ended[-1]["at"],
        name=joined.get("tool_name", ""),
        files=tuple(
            file for file in joined.get("files", ()) if file["path"].strip() and file["path"].isprintable()
        ),
        command=joined.get("command", ""),
        exit=code,
        output=output,
        text=joined.get("text", ""),
        memories=tuple(joined.get("memories", ())),
        failed=failed,
    )
    return _recognise_shell(step)


def _is_denied(output: str) -> bool:
    return output.startswith(_DENIED) or _INTERRUPTED in output


def _recognise_shell(step: Step) -> Step:
    """Count a shell command that patches or prints files as an edit or a read, as other clients' tools do."""
    if step.tool != "run":
        return step
    if _PATCH in step.command and (patched := files_of_patch(step.command)):
        return step._replace(tool="edit", files=tuple(patched))
    read = [file for segment in segments(step.command) for file in files_read(segment)]
    return step._replace(files=tuple(read)) if read and looks_only(step.command) else step


# A redirection into a file; `2>&1` and `>/dev/null` write none.
_WRITES = re.compile(r"(?<![0-9&])>{1,2}\s*(?!&|/dev/null)[^\s>&]")
_READ_ONLY = word_set(
    """
    ls cat bat head tail less more nl wc pwd echo printf which type whoami date env printenv tree find fd rg
    grep egrep ag ack stat file du df ps jq awk cd true false test [ sleep column sort uniq cut xxd od diff
    cmp realpath basename dirname id uname hostname history man help tr rum sed readlink md5sum sha256sum
    export set source . pushd popd dir exit Get-Content Get-ChildItem Select-String
    """
)
_GIT_READ_ONLY = word_set(
    """
    status log diff show branch blame remote rev-parse ls-files ls-tree describe shortlog reflog config grep
    """
)
_PRINTS = frozenset(("cat", "bat", "head", "tail", "nl", "less", "more", "sed", "Get-Content"))
_SPAN = re.compile(r"['\"]?(\d{1,7}),(\d{1,7})p['\"]?")
_FILE_NAME = re.compile(r"[\w./~@+-]*\w\.\w{1,8}|[\w.~@+-]*/[\w./~@+-]*\w|Makefile|Dockerfile|README|LICENSE")


def looks_only(command: str) -> bool:
    """Whether a command line changes nothing, as far as its words tell."""
    # A here document may feed any program.
    if "<<" in command or _WRITES.search(command):
        return False
    return all(_is_read_only(words) for words in segments(command))


def _is_read_only(words: list[str]) -> bool:
    if words[0] == "git":
        rest = [word for word in words[1:] if not word.startswith("-")]
        return bool(rest) and (rest[0] in _GIT_READ_ONLY or rest[:2] == ["stash", "list"])
    if words[0] == "sed":
        return not any(word.startswith("-i") or word == "--in-place" for word in words)
    if words[0] in ("find", "fd"):
        return not any(word in ("-delete", "-exec", "-x", "-X", "-execdir") for word in words)
    return words[0] in _READ_ONLY


def files_read(words: list[str]) -> list[FileAccess]:
    """The files that a simple command prints, with the lines where it says so."""
    if words[0] not in _PRINTS:
        return []
    span = next((found for word in words if (found := _SPAN.fullmatch(word))), None)
    named: list[FileAccess] = []
    for word in words[1:]:
        if _FILE_NAME.fullmatch(word) and not _SPAN.fullmatch(word):
            one: FileAccess = {"path": word, "operation": "read"}
            if span:
                one["lines"] = f"{span[1]}-{span[2]}"
            named.append(one)
    return named
