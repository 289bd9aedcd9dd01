"""Properties of notes and patterns for any text."""

from __future__ import annotations

import re
import tempfile
from itertools import pairwise
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rum.inject.notes import cut
from rum.model.errors import RumError
from rum.model.notes import Entry, Importance
from rum.store.files.notes.folder import NoteFolder, slug_of
from rum.store.files.notes.text import clean, entries, entry_text, is_one_entry, split, without
from rum.text import patterns as match
from rum.text.claim_comparison import contradict
from rum.text.claims import claims_in
from rum.text.patterns import LITERAL, Text, best, compiled
from rum.text.sentences import open_fence
from rum.text.shorten import one_line

lines = st.one_of(
    st.sampled_from(
        [
            "---",
            "---  ",
            "",
            "",
            "```",
            "```py",
            "~~~",
            "````",
            "title: x",
            "whenToUse: [a]",
            "tags: [",
            "# head",
        ]
    ),
    st.sampled_from(
        ["...", "\ttabbed", "- item", "  ---", "key: value", "* * *", "\ufeff---", "a: *b", "text"]
    ),
    st.text(max_size=20),
)
documents = st.builds(
    lambda parts, end: end.join(parts), st.lists(lines, max_size=25), st.sampled_from(["\n", "\r\n"])
)
printable = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=60)
titles = printable.filter(lambda text: bool(one_line(text)))


@given(documents)
def test_any_text_is_read_or_refused_with_file_or_line(text: str):
    found, problem = [], "notes/slug.md"
    try:
        found = entries(text, "slug", "notes/slug.md", match.pattern_error)
    except RumError as error:
        problem = error.message
    assert [entry.n for entry in found] == list(range(1, len(found) + 1))
    last = text.count("\n") + 1
    for remark in (remark for entry in found for remark in entry.remarks):
        told = re.match(r"line (\d+): .", remark)
        assert told, remark
        assert 1 <= int(told[1]) <= last
    assert "notes/slug.md" in problem


@given(documents)
def test_entries_follow_each_other_without_a_gap(text: str):
    found = split(text)
    assert found[-1].end == len(text)
    for one, following in pairwise(found):
        assert one.separator <= one.start <= one.body <= one.end == following.separator
    assert text[: found[0].start].strip(" \t\r\n-") == "" or found[0].start == 0


@settings(max_examples=60)
@given(documents, documents.filter(str.strip), st.sampled_from(["x", "head"]) | titles)
@example("text\n```", "```\n---\ntitle: x", "text")
def test_adding_an_entry_only_adds_lines(old: str, content: str, title: str):
    entry = entry_text(Entry(n=1, title=title, content=clean(content), when_to_use=("a",)))
    with tempfile.TemporaryDirectory() as folder:
        notes = NoteFolder(folder)
        slug = slug_of(title)
        path = Path(notes.file(slug))
        path.write_bytes(old.encode(errors="ignore"))
        before = path.read_bytes()
        try:
            known = len(notes.note(slug).entries)
        except RumError:
            known = 0
        if not is_one_entry(entry):
            return
        added = notes.add(title, entry)
        if added.slug != slug:
            assert path.read_bytes() == before
            return
        assert path.read_bytes().startswith(before)
        if known:
            assert added.n == known + 1 or not before.strip()


@given(
    titles,
    documents.filter(str.strip),
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40), max_size=4),
    st.lists(printable.filter(lambda tag: bool(one_line(tag)) and "," not in tag), max_size=4),
    st.sampled_from(Importance),
    st.integers(0, 253_402_300_799) | st.none(),
    st.booleans(),
)
def test_a_written_note_reads_back_the_same(
    title: str,
    content: str,
    patterns: list[str],
    tags: list[str],
    importance: Importance,
    at: int | None,
    deprecated: bool,
):
    entry = Entry(
        n=1,
        title=one_line(title),
        content=clean(content),
        when_to_use=tuple(pattern.strip() for pattern in patterns if pattern.strip()),
        tags=tuple(map(one_line, tags)),
        importance=importance,
        discovered_at=at,
        discovered_by="somebody",
        deprecated=deprecated,
        line=2,
    )
    text = entry_text(entry)
    if is_one_entry(text):
        (again,) = entries(text, "slug", "x.md")
        assert replace(again, remarks=()) == entry
        assert bool(again.remarks) == (not entry.when_to_use and not deprecated)


@given(documents)
def test_removing_an_entry_keeps_the_others(text: str):
    found = split(text)
    if len(found) > 1 and not open_fence(text):
        kept = without(text, len(found))
        assert text.startswith(kept)


@given(st.text(), st.integers(20, 600))
def test_a_shortened_text_is_short_and_starts_like_the_original(text: str, most: int):
    short = cut(text, most)
    assert len(short) <= most
    same = next((n for n, (a, b) in enumerate(zip(short, text, strict=False)) if a != b), len(short))
    assert set(short[same:]) <= set("…\n`~")
    assert not open_fence(short)


patterns = st.one_of(
    st.text(max_size=40), st.text(alphabet="ab |*.", max_size=30), st.lists(st.text(max_size=8)).map("|".join)
)
texts = st.one_of(st.text(max_size=200), st.text(alphabet="ab \n", max_size=60))


@given(patterns, texts)
def test_matching_never_fails_and_case_does_not_matter(pattern: str, text: str):
    found = best([compiled(pattern)], Text(text))
    folded = best([compiled(pattern.casefold())], Text(text.casefold()))
    assert (found and found.kind) == (folded and folded.kind) or not text.isascii() or not pattern.isascii()


@given(
    st.lists(st.text(alphabet="ab*c ", min_size=1, max_size=6), min_size=2, max_size=5), texts, st.randoms()
)
def test_the_order_of_alternatives_does_not_matter(parts: list[str], text: str, random: object):
    shuffled = list(parts)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = (best([compiled("|".join(order))], Text(text)) for order in (parts, shuffled))
    assert (one and one.kind) == (other and other.kind)


@given(
    st.lists(st.text(alphabet="abc", max_size=3), min_size=1, max_size=5),
    st.text(alphabet="abc ", max_size=60),
)
def test_a_wildcard_matches_any_characters(pieces: list[str], text: str):
    pattern = ".*".join(pieces)
    meant = re.search(".*".join(map(re.escape, pieces)), " ".join(text.split()), re.DOTALL)
    assert bool(best([compiled(pattern)], Text(text))) == (bool(meant) and bool(pattern))


@given(st.text(alphabet="abc|*", min_size=1, max_size=12), texts, texts)
def test_more_text_never_removes_a_match(pattern: str, text: str, more: str):
    if best([compiled(pattern)], Text(text)):
        assert best([compiled(pattern)], Text(text, more))


@given(st.text(min_size=1, max_size=20), texts)
def test_a_word_in_the_text_is_a_literal_match(pattern: str, text: str):
    if pattern.strip() and not {"|", "*"} & set(pattern.casefold()):
        found = best([compiled(pattern)], Text(f"{text} {pattern} {text}"))
        assert found is not None
        assert found.kind == LITERAL


@given(documents, documents)
def test_contradiction_is_symmetric_and_nothing_contradicts_itself(one: str, other: str):
    for mine in claims_in(one):
        assert not contradict(mine, mine)
        for theirs in claims_in(other):
            assert contradict(mine, theirs) == contradict(theirs, mine)
