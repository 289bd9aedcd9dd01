"""A note: a Markdown file of entries with frontmatter; the requests about notes, and the answers."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from rum.model.code import CodeState
from rum.model.errors import InvalidQuery
from rum.model.fields import LONGEST_PATTERN, Spoken, Time, about
from rum.model.memory_layers import Layer, Text
from rum.text.shorten import one_line

LONGEST_TITLE = 200
LONGEST_ORIGIN = 1000
MOST_PATTERNS = 50
MOST_TAGS = 50
MOST_WORDS = 2000  # How long an entry may be, in words; 200 to 500 are ideal

# A text of one line that is not blank.
Line = Annotated[str, Meta(pattern=r"\A[^\x00-\x1f\x7f]{0,199}[^\x00-\x20\x7f]\Z")]
Origin = Annotated[str, Meta(pattern=r"\S", max_length=LONGEST_ORIGIN)]


AHEAD = 24 * 3600  # Seconds by which a clock may be wrong


class Importance(StrEnum):
    """How much a note matters, least first."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Entry(Struct, frozen=True, kw_only=True):
    """One entry of a note: its frontmatter and the text below it."""

    n: int
    title: str
    content: str
    when_to_use: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    importance: Importance = Importance.MEDIUM
    discovered_at: int | None = None
    discovered_by: str = "unknown"
    discovered_in: str | None = None
    source: str | None = None
    related_memories: tuple[str, ...] = ()
    deprecated: bool = False
    superseded_by: str | None = None
    line: int = 1
    remarks: tuple[str, ...] = ()  # Problems of the frontmatter, and how they were resolved

    @property
    def retired(self) -> bool:
        """Whether it is marked as for people only, and never goes into a prompt."""
        return self.deprecated or self.superseded_by is not None

    def as_of(self, now: float) -> Entry:
        """The entry without a time in the future, which would make it always the newest."""
        if self.discovered_at is None or self.discovered_at <= now + AHEAD:
            return self
        odd = f"line {self.line}: `discoveredAt` is more than a day ahead; it is ignored."
        return replace(self, discovered_at=None, remarks=(*self.remarks, odd))


class Note(Struct, frozen=True):
    """A file of entries about one thing; its slug is its id, and `slug#n` that of an entry."""

    slug: str
    entries: tuple[Entry, ...]

    @property
    def newest(self) -> Entry:
        """The entry that stands for the note: the one discovered last; without times, the last one."""
        newest, latest = self.entries[0], -1
        for entry in self.entries:
            at = latest if entry.discovered_at is None else entry.discovered_at
            if at >= latest:
                newest, latest = entry, at
        return newest


class NoteDraft(Layer, frozen=True, kw_only=True):
    """An entry as callers write it."""

    title: Annotated[Line, about("Its title.", note="the same again: one more entry")]
    content: Annotated[Text, about("Its text; else --file or stdin.", metavar="TEXT")]
    when_to_use: Annotated[
        # `check` bounds the text, as msgspec 0.22 corrupts memory for a union of an array and a text with a
        # pattern.
        str | Annotated[tuple[Spoken, ...], Meta(min_length=1, max_length=MOST_PATTERNS)],
        about(
            "When to use it (repeat).",
            note="`auth|login`, `implement.*auth` or plain words",
            option="--when",
            metavar="PATTERN",
        ),
    ]
    tags: Annotated[
        Annotated[tuple[Line, ...], Meta(max_length=MOST_TAGS)],
        about("A tag (repeat).", option="--tag", metavar="TAG"),
    ] = ()
    importance: Annotated[Importance, about("Importance.")] = Importance.MEDIUM
    discovered_at: Annotated[Time | None, about("When it was discovered.", tool=False)] = None
    discovered_by: Annotated[
        Line | None, about("Who discovered it (default: the caller).", metavar="NAME", tool=False)
    ] = None
    discovered_in: Annotated[
        Origin | None, about("The task in which it was discovered.", metavar="TASK", tool=False)
    ] = None
    source: Annotated[Origin | None, about("Where it was found.", metavar="TEXT", tool=False)] = None
    related_memories: Annotated[
        Annotated[tuple[Line, ...], Meta(max_length=MOST_TAGS)],
        about("Another note (repeat).", option="--related", metavar="NOTE"),
    ] = ()
    deprecated: Annotated[bool, about("The note is out of date: keep it out of prompts.", tool=False)] = False
    superseded_by: Annotated[
        Line | None, about("The note is out of date: read this note instead.", metavar="NOTE")
    ] = None

    def check(self) -> None:
        """Refuse an invisible title, an empty or long pattern, and an entry that is too long."""
        if isinstance(self.when_to_use, str) and not 0 < len(self.when_to_use.strip()) <= LONGEST_PATTERN:
            raise InvalidQuery(
                f"note: `when_to_use` needs 1 to {LONGEST_PATTERN} characters.", field="when_to_use"
            )
        if not one_line(self.title):
            raise InvalidQuery("note: `title` has no visible characters.", field="title")
        if (words := len(self.content.split())) > MOST_WORDS:
            raise InvalidQuery(
                f"note: `content` has {words} words; {MOST_WORDS} are allowed and 200 to 500 are ideal. "
                "Make several notes of it.",
                field="content",
                allowed=MOST_WORDS,
            )


class MatchRequest(Layer, frozen=True):
    """Request the notes for a task of an agent; missing fields come from the agent's settings."""

    task: Annotated[Text, about("The task.", metavar="TEXT")]
    plan: Annotated[str | None, about("The plan.", metavar="TEXT")] = None
    agent: str | None = None
    max_injected: Annotated[
        Annotated[int, Meta(ge=0, le=50)] | None,
        about("Maximum number of notes.", option="--max", tool=False),
    ] = None
    min_importance: Annotated[Importance | None, about("Minimum importance.", tool=False)] = None


class ShowNote(Layer, frozen=True):
    """One note by its slug, or one entry by `slug#n`."""

    id: Annotated[Text, about("A note, or one entry of it.", note="show: slug or slug#n")]


class ListNotes(Layer, frozen=True):
    """All notes."""


class Broken(Struct, frozen=True):
    """A file that could not be read as a note, and why; it is not changed."""

    file: str
    problem: str


class NoteAdded(Struct, frozen=True):
    """The answer to an entry that was added; `created` says whether it is the first of a new note."""

    id: str
    path: str
    created: bool
    remarks: tuple[str, ...] | UnsetType = UNSET  # Patterns that rarely match, or match something unexpected


class ListedNote(CodeState, frozen=True, kw_only=True):
    """One line of the list of notes; `retired` says why it is put into no prompt any more."""

    id: str
    title: str
    importance: Importance
    tags: tuple[str, ...]
    entries: int
    discovered_at: int | None
    discovered_by: str
    retired: str | UnsetType = UNSET
    remarks: tuple[str, ...] | UnsetType = UNSET


class NoteList(Struct, frozen=True):
    """All notes by file name, and the files that could not be read; NO_RESULTS if there is no note."""

    notes: list[ListedNote]
    broken: list[Broken] | UnsetType = UNSET
    code: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET


class NoteShown(CodeState, frozen=True, kw_only=True):
    """A note with all entries, oldest first, or with the one asked for; `newest` stands for it."""

    id: str
    path: str
    newest: int
    entries: list[Entry]
    related: list[str] | UnsetType = UNSET  # Notes that it names, or that name it
    missing: list[str] | UnsetType = UNSET  # Notes that it names and that do not exist
    contradictions: list[Contradiction] | UnsetType = UNSET


class Contradiction(Struct, frozen=True):
    """Two contradictory statements: one of the note itself, one of another entry."""

    said: str
    id: str
    says: str
    discovered_at: int | None = None


class MatchedNote(CodeState, frozen=True, kw_only=True):
    """A note that matters to a task: its points, by factor and in words, and how it matched."""

    id: str
    title: str
    importance: Importance
    discovered_by: str
    discovered_at: int | None
    score: float
    points: dict[str, float]
    match: str
    pattern: str
    why: list[str]
    content: str
    related: list[str] | UnsetType = UNSET
    contradictions: list[Contradiction] | UnsetType = UNSET
    gone: list[str] | UnsetType = UNSET  # The files it names, if none of them exists and nobody confirmed it


class NotesMatched(Struct, frozen=True, kw_only=True):
    """The notes for a prompt, best first, the fenced text for it, and the number that `matched`."""

    notes: list[MatchedNote]
    text: str
    matched: int
    broken: list[Broken] | UnsetType = UNSET
    code: str | UnsetType = UNSET  # NO_RESULTS, with a hint, if no note matches
    hint: str | UnsetType = UNSET
