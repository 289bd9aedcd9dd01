"""The text of a note: parsed into entries, and written from an entry."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple, cast

from msgspec.structs import replace

from rum.model.errors import InvalidQuery
from rum.model.notes import LONGEST_ORIGIN, LONGEST_TITLE, MOST_TAGS, Entry
from rum.store.files import yaml
from rum.store.files.notes.fields import Frontmatter, PatternCheck, no_check
from rum.text.sentences import fenced_lines, open_fence
from rum.text.shorten import one_line

MOST_ENTRIES = 500
LONGEST_FRONTMATTER = 16 * 1024
ALL_FRONTMATTER = 256 * 1024  # Maximum characters of frontmatter in one file: parsing YAML is slow
_WHERE = "frontmatter"
_NO_FRONTMATTER = "line 1: it has no frontmatter with `whenToUse`, so no task asks for it."
_HEADING = re.compile(r"#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_PLAIN = re.compile(r"[A-Za-z][\w.-]{0,60}", re.ASCII)
_NOT_PLAIN = re.compile(r"(?i)true|false|null|yes|no|on|off|y|n")
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_ENDS = re.compile(r"\r\n?")


def split(text: str) -> list[Section]:
    """Where the entries of a note begin and end."""
    return sections(text, _is_mapping)


def entries(text: str, slug: str, where: str, check_pattern: PatternCheck = no_check) -> tuple[Entry, ...]:
    """The entries of a note; InvalidQuery names the line of `where` that cannot be understood.

    `check_pattern` says what to know of a pattern, if anything; that and what else is odd is remarked on.
    """
    found = checked(text, where)
    read = [_entry(text, section, slug, n, where, check_pattern) for n, section in enumerate(found, start=1)]
    if len(read) == 1 and found[0].frontmatter is None and read[0].content.strip():
        return (replace(read[0], remarks=(_NO_FRONTMATTER,)),)
    return tuple(read)


def titles(text: str, slug: str, where: str) -> set[str]:
    """The titles of the first and the last entry, without parsing those between them."""
    found = checked(text, where)
    return {_entry(text, section, slug, 1, where).title for section in (found[0], found[-1])}


def checked(text: str, where: str) -> list[Section]:
    """The sections of a note; an error if its frontmatter is too long or has no end."""
    found = split(text)
    lengths = [end - start for start, end in (one.frontmatter for one in found if one.frontmatter)]
    if len(found) > MOST_ENTRIES:
        problem = f"it has {len(found)} entries; {MOST_ENTRIES} are allowed"
    elif max(lengths, default=0) > LONGEST_FRONTMATTER or sum(lengths) > ALL_FRONTMATTER:
        problem = f"its frontmatter is longer than {LONGEST_FRONTMATTER // 1024} kB"
    elif found[0].frontmatter is None and unclosed_frontmatter(text):
        raise InvalidQuery(
            f"{where}, line 1: the frontmatter that begins here never ends; close it with a line of `---`.",
            file=where,
            line=1,
        )
    else:
        return found
    raise InvalidQuery(f"{where}: {problem}. Make several notes of it.", file=where)


def _is_mapping(frontmatter: str) -> bool:
    if len(frontmatter) > LONGEST_FRONTMATTER:
        return False
    try:
        value = _loaded(frontmatter).value
    except InvalidQuery:
        return False
    return isinstance(value, dict)


@lru_cache(maxsize=256)
def _loaded(frontmatter: str) -> yaml.Located:
    return yaml.locate(frontmatter, _WHERE)


def _frontmatter(text: str, section: Section, where: str, check_pattern: PatternCheck) -> Frontmatter:
    if section.frontmatter is None:
        return Frontmatter({}, lambda _: section.line, check_pattern)
    try:
        located = _loaded(text[slice(*section.frontmatter)])
    except InvalidQuery as error:
        raise _placed(error, section, where) from None
    value = located.value
    if not isinstance(value, dict):
        line = section.line
        raise InvalidQuery(f"{where}, line {line}: not a list of `name: value`.", file=where, line=line)
    fields = cast("dict[str, object]", value)
    return Frontmatter(fields, lambda path: section.line + located.line(path) - 1, check_pattern)


def _placed(error: InvalidQuery, section: Section, where: str) -> InvalidQuery:
    """An error in frontmatter with its place in the file."""
    within = cast("int", error.details.get("line", 1))
    line = section.line + within - 1
    problem = error.message.removeprefix(f"{_WHERE}, line {within}").removeprefix(_WHERE)
    return InvalidQuery(
        f"{where}, line {line}{problem}", file=where, line=line, field=error.details.get("field")
    )


def _entry(
    text: str, section: Section, slug: str, n: int, where: str, check_pattern: PatternCheck = no_check
) -> Entry:
    given = _frontmatter(text, section, where, check_pattern)
    content = _ENDS.sub("\n", text[section.body : section.end]).strip("\n")
    heading = _HEADING.search(content)
    named = given.line("title")
    title = named or (heading[1] if heading else slug.replace("-", " "))[:LONGEST_TITLE]
    entry = Entry(
        n=n,
        title=title,
        content=_without_title(content, named) if named else content,
        when_to_use=given.patterns(),
        tags=tuple(tag for one in given.list("tags", MOST_TAGS) for tag in _tags(one)),
        importance=given.importance(),
        discovered_at=given.time("discoveredAt"),
        discovered_by=given.line("discoveredBy") or "unknown",
        discovered_in=given.line("discoveredIn", LONGEST_ORIGIN),
        source=given.line("source", LONGEST_ORIGIN),
        related_memories=tuple(map(slug_from_name, given.list("relatedMemories", MOST_TAGS))),
        deprecated=given.flag("deprecated"),
        superseded_by=slug_from_name(by) if (by := given.line("supersededBy")) else None,
        line=section.line,
    )
    remarks = given.remarks(retired=entry.retired) if section.frontmatter else ()
    return replace(entry, remarks=remarks)


def _tags(text: str) -> list[str]:
    return [tag for tag in (part.strip() for part in text.split(",")) if tag]


def slug_from_name(name: str) -> str:
    """The slug of a file name."""
    return name.replace("\\", "/").rpartition("/")[2].strip().removesuffix(".md")


def entry_text(entry: Entry) -> str:
    """An entry as it is written into a file."""
    fields = [f"title: {_quoted(entry.title)}", "whenToUse:"]
    fields += [f"  - {_quoted(pattern)}" for pattern in entry.when_to_use]
    fields.append(f"tags: [{', '.join(map(_word, entry.tags))}]")
    fields.append(f"importance: {entry.importance.value}")
    if entry.discovered_at is not None:
        at = datetime.fromtimestamp(entry.discovered_at, UTC)
        fields.append(f"discoveredAt: {at:%Y-%m-%dT%H:%M:%SZ}")
    fields.append(f"discoveredBy: {_word(entry.discovered_by)}")
    fields += [
        f"{name}: {_quoted(value)}"
        for name, value in (("discoveredIn", entry.discovered_in), ("source", entry.source))
        if value
    ]
    if entry.related_memories:
        fields.append(
            f"relatedMemories: [{', '.join(_word(f'{slug}.md') for slug in entry.related_memories)}]"
        )
    fields += ["deprecated: true"] if entry.deprecated else []
    fields += [f"supersededBy: {_word(entry.superseded_by)}"] if entry.superseded_by else []
    content = clean(entry.content)
    heading = [] if content.startswith("# ") else [f"# {entry.title}", ""]
    return "\n".join(["---", *fields, "---", "", *heading, content, ""])


def _without_title(content: str, title: str) -> str:
    """A text without the heading that only repeats the title, as everything that shows a note has it."""
    first, _, rest = content.lstrip("\n").partition("\n")
    return rest.strip("\n") if one_line(first) == f"# {one_line(title)}" and rest.strip() else content


def clean(content: str) -> str:
    """Text for a file: one kind of line end, no control characters, no open code fence."""
    text = _CONTROL.sub("", _ENDS.sub("\n", content)).strip("\n")
    fence = open_fence(text)
    return f"{text}\n{fence}" if fence else text


def _quoted(text: str) -> str:
    """A text as a double-quoted scalar: JSON, with escapes for what YAML cannot hold."""
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def _word(text: str) -> str:
    return text if _PLAIN.fullmatch(text) and not _NOT_PLAIN.fullmatch(text) else _quoted(text)


def appended(old: str, entry: str) -> str:
    """A note's text with one more entry; an open code fence before it is closed."""
    missing = "" if old.endswith("\n") or not old else "\n"
    if not old.strip():
        return old + missing + entry
    ends = "\r\n" if "\r\n" in old[: old.find("\n") + 1] else "\n"
    fence = open_fence(old[split(old)[-1].body :])
    more = f"{missing}{fence + chr(10) if fence else ''}\n---\n\n{entry}"
    return old + more.replace("\n", ends)


def piece_range(text: str, n: int) -> tuple[int, int]:
    """Where entry `n` and one separator beside it begin and end, so that other entries stay as they are."""
    found = split(text)
    if n == 1:
        return 0, found[1].start if len(found) > 1 else len(text)
    return found[n - 1].separator, found[n - 1].end


def without(text: str, n: int) -> str:
    """A note's text without its entry `n`; every other byte stays. Empty if it was the only one."""
    start, end = piece_range(text, n)
    return text[:start] + text[end:]


def inserted(text: str, n: int, piece: str) -> str:
    """A note's text with what `without` took out of it."""
    at = split(text)[n - 2].end if n > 1 else 0
    return text[:at] + piece + text[at:]


def is_one_entry(text: str) -> bool:
    """Whether a text is one entry and stays one, whatever is appended to it."""
    return len(split(text)) == 1 and len(split(appended(text, "---\ntitle: next\n---\n"))) == 2


RULE = "---"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_KEY = re.compile(r"""["']?[A-Za-z_][\w -]*["']?[ \t]*:(?:[ \t]|$)""")
_OURS = re.compile(r"""["']?(?:title|whenToUse)["']?[ \t]*:(?:[ \t]|$)""")
_LONGEST_FRONTMATTER = 1000  # Maximum lines of frontmatter


class Section(NamedTuple):
    """The positions of one entry: its separator, its frontmatter (if it has one) and its body."""

    separator: int
    start: int
    frontmatter: tuple[int, int] | None
    body: int
    end: int
    line: int  # The line of the frontmatter's first field, from 1; of the entry if it has no frontmatter


class _Block(NamedTuple):
    """The lines of frontmatter: its first `---`, its last one, and where its separator begins."""

    separator: int
    first: int
    last: int


class _Lines:
    """The lines of a text without their ends, and where each begins."""

    def __init__(self, text: str) -> None:
        found = list(_LINE.finditer(text))
        self.starts = [match.start() for match in found] + [len(text)]
        self.texts = [match[0].rstrip("\r\n") for match in found]
        self.rules = [number for number, line in enumerate(self.texts) if line.rstrip() == RULE]
        self.first = next((number for number, line in enumerate(self.texts) if line.strip()), -1)

    def blank(self, first: int, end: int) -> bool:
        return not any(line.strip() for line in self.texts[first:end])


def sections(text: str, is_mapping: Callable[[str], bool]) -> list[Section]:
    """The entries of a note.

    Frontmatter stands between two rules, and names a title or when to use it. It follows a rule of its own,
    the separator; where that was lost it must also be valid, as `is_mapping` says, or else the rules around
    it are plain ones. A rule in a code fence is none. Text before the first frontmatter is an entry too.
    """
    lines = _Lines(text)
    blocks = list(_blocks(text, lines, is_mapping))
    found: list[Section] = []
    first = lines.starts[blocks[0].separator] if blocks else len(text)
    if not blocks or text[:first].strip():
        found.append(Section(0, 0, None, 0, first, 1))
    ends = [lines.starts[block.separator] for block in blocks[1:]] + [len(text)]
    for block, end in zip(blocks, ends, strict=False):
        inner = lines.starts[block.first + 1], lines.starts[block.last]
        start, body = lines.starts[block.first], lines.starts[block.last + 1]
        found.append(Section(lines.starts[block.separator], start, inner, body, end, block.first + 2))
    return found


def _blocks(text: str, lines: _Lines, is_mapping: Callable[[str], bool]) -> Iterator[_Block]:
    fenced, after = fenced_lines(lines.texts), 0
    rules = [number for number in lines.rules if number not in fenced]
    for before, rule, closing in zip([-1, *rules], rules, rules[1:], strict=False):
        if rule < after:
            continue
        at_top = rule == lines.first
        separated = before >= after and lines.blank(before + 1, rule)
        if not _is_frontmatter(lines.texts[rule + 1 : closing], at_top=at_top):
            continue
        if at_top or separated or is_mapping(text[lines.starts[rule + 1] : lines.starts[closing]]):
            yield _Block(before if separated else rule, rule, closing)
            after = closing + 1


def _is_frontmatter(inner: list[str], *, at_top: bool) -> bool:
    """Whether lines between two `---` are frontmatter."""
    lines = [line for line in inner if line.strip() and not line.startswith("#")]
    if not lines or len(inner) > _LONGEST_FRONTMATTER or not _KEY.match(lines[0]):
        return False
    return at_top or any(_OURS.match(line) for line in lines)


def unclosed_frontmatter(text: str) -> bool:
    """Whether a text begins with frontmatter that has no end."""
    lines = [line for line in text.split("\n", _LONGEST_FRONTMATTER) if line.strip()]
    return len(lines) > 1 and lines[0].rstrip() == RULE and _KEY.match(lines[1]) is not None
