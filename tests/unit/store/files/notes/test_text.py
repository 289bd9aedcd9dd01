"""Reading notes that people wrote, and appending entries."""

from __future__ import annotations

from pathlib import Path

import pytest

from rum.model.errors import InvalidQuery
from rum.model.notes import Entry, Importance
from rum.store.files.notes.text import appended, clean, entries, entry_text, is_one_entry, without

EXAMPLES = Path(__file__).parents[4] / "data" / "example_notes"
HEAD = "---\ntitle: One\nwhenToUse: auth\n---\n"


def read(text: str, slug: str = "a-note") -> list[Entry]:
    return list(entries(text, slug, "notes/a-note.md"))


def contents(text: str) -> list[str]:
    return [entry.content for entry in read(text)]


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.md")), ids=lambda file: file.stem)
def test_every_example_is_read_whole(file: Path):
    (entry,) = read(file.read_text(encoding="utf-8"))
    assert entry.remarks == ()
    assert len(entry.when_to_use) == 2
    assert len(entry.tags) == 3
    assert entry.importance in (Importance.HIGH, Importance.CRITICAL)
    assert entry.discovered_at is not None
    assert entry.discovered_by in ("planner", "developer")
    text = file.read_text(encoding="utf-8").rstrip()
    assert text.endswith(entry.content)
    # The heading that repeats the title is no part of the content.
    assert entry.content.startswith("# ") == (f"\n# {entry.title}\n" not in text)


def test_every_field_of_the_frontmatter_is_read():
    (entry,) = read(
        '---\ntitle: "Auth"\nwhenToUse: "auth|login"\ntags: [a, "b c"]\nimportance: critical\n'
        "discoveredAt: 2026-01-23T10:30:00Z\ndiscoveredBy: planner\ndiscoveredIn: a task\nsource: a book\n"
        "relatedMemories: [one.md, ../two.md, three]\ndeprecated: true\nsupersededBy: four.md\n"
        "more: kept\n---\n\nText.\n"
    )
    assert entry == Entry(
        n=1,
        title="Auth",
        content="Text.",
        when_to_use=("auth|login",),
        tags=("a", "b c"),
        importance=Importance.CRITICAL,
        discovered_at=1769164200,
        discovered_by="planner",
        discovered_in="a task",
        source="a book",
        related_memories=("one", "two", "three"),
        deprecated=True,
        superseded_by="four",
        line=2,
        remarks=("line 13: unknown field `more`. It is kept in the file.",),
    )


@pytest.mark.parametrize(
    "middle",
    [
        "before\n\n---\n\nafter",  # a rule
        "before\n\n---\n\n---\n\nafter",
        "Heading\n---\ntext",
        "```\n---\n\n---\ntitle: x\nwhenToUse: y\n---\n```",
        "~~~~ yaml\n---\n\n---\ntitle: x\n---\n~~~\n~~~~",
        "  ```\n---\ntitle: x\n---\n  ```",
        "---\n\nSome prose: with a colon\n\n---",
        "---\ntitle: and then prose\nwhich is no YAML at all\n---",
        "----\n\n- - -\n\n***",
        "    ---\n    title: x\n    ---",
    ],
)
def test_a_rule_or_a_code_fence_is_no_entry(middle: str):
    text = f"{HEAD}\n{middle}\n\n---\n\n---\ntitle: One\nwhenToUse: auth\n---\n\nnewer\n"
    assert contents(text) == [middle, "newer"]


@pytest.mark.parametrize(
    "between",
    [
        "\n---\n\n---\n",
        "\n\n---\n\n\n\n---  \n",
        "---\n---\n",
        "\n---\n",  # the separator was lost
        "\n---\n# a comment\n",
    ],
)
def test_an_entry_begins_with_its_frontmatter_however_it_is_set_off(between: str):
    assert contents(f"{HEAD}older\n{between}title: One\nwhenToUse: x\n---\nnewer") == ["older", "newer"]


def test_bom_and_carriage_returns_do_not_matter():
    (older, newer) = read(f"{HEAD}\na\nb\n\n---\n\n{HEAD}\nc\n".replace("\n", "\r\n"))
    assert (older.title, older.content, newer.content) == ("One", "a\nb", "c")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# The heading\n\ntext", "The heading"),
        ("text only", "a note"),
        ("---\ntags: [x]\n---\n## Second level ##\n", "Second level"),
        ("---\ntitle: 2024\n---\n# Other", "2024"),
        ("---\ntitle:\n---\n# Other", "Other"),
        ("", "a note"),
        ("---\n---\n# Other", "Other"),
    ],
)
def test_a_note_without_a_title_is_named_by_its_heading_or_its_file(text: str, title: str):
    (entry,) = read(text)
    assert entry.title == title
    assert entry.when_to_use == ()


def test_text_before_the_first_frontmatter_is_an_entry():
    assert contents(f"Some words.\n\n---\n\n{HEAD}\ntext") == ["Some words.", "text"]


@pytest.mark.parametrize(
    ("field", "taken", "remark"),
    [
        ("importance: urgent", {"importance": Importance.MEDIUM}, "one of low, medium, high, critical"),
        ("importance: HIGH", {"importance": Importance.HIGH}, None),
        ("tags: a, b", {"tags": ("a", "b")}, None),
        ("tags: {a: b}", {"tags": ()}, "list of texts"),
        ("discoveredAt: yesterday", {"discovered_at": None}, "a time such as"),
        ("discoveredAt: 2026-01-23", {"discovered_at": 1769126400}, None),
        ("discoveredAt: 1769164200", {"discovered_at": 1769164200}, None),
        ("discoveredAt: 1769164200000", {"discovered_at": 1769164200}, None),
        ("discoveredAt: 1e300", {"discovered_at": None}, "a time such as"),
        ("discoveredBy: [a]", {"discovered_by": "unknown"}, "a text"),
        ("deprecated: 'yes'", {"deprecated": True}, None),
        ("deprecated: no", {"deprecated": False}, None),
        ("deprecated: since May", {"deprecated": False}, "true or false"),
        ("source: " + "x" * 1001, {"source": "x" * 1000}, "at most 1000 characters"),
        ("relatedMemories: one.md", {"related_memories": ("one",)}, None),
    ],
)
def test_unusual_values_are_read_by_their_likely_meaning(
    field: str, taken: dict[str, object], remark: str | None
):
    (entry,) = read(f"---\ntitle: One\nwhenToUse: auth\n# a comment\n{field}\n---\ntext")
    assert {name: getattr(entry, name) for name in taken} == taken
    assert len(entry.remarks) == (remark is not None)
    assert all((remark or "") in one and one.startswith("line 5: ") for one in entry.remarks)


@pytest.mark.parametrize(
    ("fields", "remarks"),
    [
        ("whentouse: auth", ["line 3: unknown field `whentouse`. Did you mean `whenToUse`?"]),
        ("when_to_use: [auth]", ["line 3: unknown field `when_to_use`. Did you mean `whenToUse`?"]),
        (
            "whenToUse: auth\nimport: high",
            ["line 4: unknown field `import`. Did you mean `importance`?"],
        ),
        (
            "tags: [a]\n\nowner:\n  team: web\nwhenToUse: auth",
            ["line 5: unknown field `owner`. It is kept in the file."],
        ),
        ("when: auth", ["line 3: unknown field `when`. Did you mean `whenToUse`?"]),
        (
            "whenToUse: auth\ncreated: today",
            ["line 4: unknown field `created`. It is kept in the file."],
        ),
        ("whenToUse: []", ["line 3: `whenToUse` has no pattern, so no task asks for this entry."]),
        ("tags: [a]\nwhenToUse:", ["line 4: `whenToUse` has no pattern, so no task asks for this entry."]),
        ('whenToUse: ["", " "]', ["line 3: `whenToUse` has no pattern, so no task asks for this entry."]),
        ("tags: [a]", ["line 2: `whenToUse` is missing, so no task asks for this entry."]),
        (
            "whenToUse:\n  - auth\n  - odd one\n  - login",
            ["line 5: `odd one` is odd."],
        ),
        ("whenToUse: [auth,\n  odd one]", ["line 4: `odd one` is odd."]),
        ("whenToUse: odd one", ["line 3: `odd one` is odd."]),
        (
            "tags: [a, {b: c}]\nwhenToUse:\n- x\n- [y]\nwhentouse: z",
            [
                "line 3: `tags` should be a text or a list of texts; it is ignored.",
                "line 6: `whenToUse` should be a text or a list of texts; it is ignored.",
                "line 7: unknown field `whentouse`. Did you mean `whenToUse`?",
            ],
        ),
        ("deprecated: true", []),
        ("supersededBy: other", []),
    ],
)
def test_empty_and_never_matching_patterns_are_reported_with_their_line(fields: str, remarks: list[str]):
    def check_pattern(pattern: str) -> str | None:
        return "is odd" if pattern.startswith("odd") else None

    (entry,) = entries(f"---\ntitle: One\n{fields}\n---\ntext", "a-note", "a-note.md", check_pattern)
    assert list(entry.remarks) == remarks


def test_remarks_on_a_later_entry_name_the_line_in_the_file():
    (_, entry) = read(f"{HEAD}\ntext\n\n---\n\n---\ntitle: One\nwhentouse: auth\n---\nmore")
    assert entry.remarks == ("line 12: unknown field `whentouse`. Did you mean `whenToUse`?",)


def test_a_note_without_frontmatter_is_remarked_on():
    (entry,) = read("# The heading\n\ntext")
    assert entry.remarks == ("line 1: it has no frontmatter with `whenToUse`, so no task asks for it.",)
    assert [one.remarks for one in read(f"Before.\n\n---\n\n{HEAD}\ntext")] == [(), ()]


def test_the_first_of_many_unknown_fields_are_named_and_the_rest_counted():
    fields = "\n".join(f"x{number}zzz: 1" for number in range(100))
    (entry,) = read(f"---\ntitle: One\nwhenToUse: auth\n{fields}\n---\n")
    assert len(entry.remarks) == 21
    assert entry.remarks[0].startswith("line 4: unknown field `x0zzz`")
    assert entry.remarks[-1] == "line 2: and 80 more."


def test_patterns_beyond_all_measure_are_left_out():
    (entry,) = read(f"---\ntitle: One\nwhenToUse: [{'a' * 501}, b]\n---\n")
    assert entry.when_to_use == ("b",)
    assert len(entry.remarks) == 1


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("---\ntitle: [a\n---\n", 3, "not valid YAML"),
        ("---\ntitle: One\ntitle: Two\n---\n", 3, "twice"),
        ("---\ntitle: One\nwhenToUse: *auth\n---\n", 3, "alias"),
        ("---\na: &a [x]\n---\n", 2, "anchor"),
        ("---\ntitle: !!python/object x\n---\n", 2, "tag"),
        ("---\ntitle: One\n\ttags: x\n---\n", 3, "tab"),
        (f"{HEAD}\ntext\n\n---\n\n---\ntitle: [a\n---\n", 12, "not valid YAML"),
        ("---\ntitle: One\n\ntext that goes on", 1, "never ends"),
        ("---\ntitle: One\n\n# Text\n\nProse.\n\n---\n\nmore", 8, "not valid YAML"),
        (HEAD + "text\n\n---\n\n" + "---\ntitle: x\n---\n" * 600, None, "500 are allowed"),
        (f"---\ntitle: {'x' * 17000}\n---\n", None, "16 kB"),
    ],
)
def test_what_cannot_be_understood_is_an_error_that_names_the_line(text: str, line: int | None, word: str):
    with pytest.raises(InvalidQuery) as raised:
        read(text)
    assert word in raised.value.message
    assert raised.value.details["file"] == "notes/a-note.md"
    assert raised.value.details.get("line") == line


def test_an_entry_is_written_as_it_is_read():
    entry = Entry(
        n=1,
        title='A "title": with # signs',
        content="text\n\n```\n---\ntitle: x\n---\n```",
        when_to_use=("auth|login", "it's *", "C:\\path"),
        tags=("plain", "two words", "no", "a,b"),
        importance=Importance.HIGH,
        discovered_at=1769164200,
        discovered_by="agent one",
        discovered_in="Task: x",
        source="[link](y)",
        related_memories=("one",),
        deprecated=True,
        superseded_by="two",
        line=2,
    )
    text = entry_text(entry)
    assert "discoveredAt: 2026-01-23T10:30:00Z\n" in text
    assert "relatedMemories: [one.md]\n" in text
    (again,) = read(text)
    assert again == Entry(
        **{name: getattr(entry, name) for name in entry.__struct_fields__}
        | {"tags": ("plain", "two words", "no", "a", "b")}
    )


def test_appending_changes_nothing_that_was_there():
    old = "\n".join(["# By hand", "", "text"])
    new = appended(old, entry_text(read(HEAD + "newer")[0]))
    assert new.startswith(old)
    assert contents(new) == ["# By hand\n\ntext", "newer"]


def test_appending_keeps_the_files_line_ends():
    old = (HEAD + "text\n").replace("\n", "\r\n")
    new = appended(old, HEAD + "newer\n")
    assert new.startswith(old)
    assert new.count("\n") == new.count("\r\n")


def test_a_fence_left_open_is_closed_before_the_next_entry():
    old = HEAD + "````python\ncode"
    new = appended(old, HEAD + "newer\n")
    assert contents(new) == ["````python\ncode\n````", "newer"]


def test_text_is_cleaned_of_what_no_file_should_hold():
    assert clean("\n\na\r\nb\rc\x00\x1b[31m\td\n\n") == "a\nb\nc[31m\td"
    assert clean("```\ncode") == "```\ncode\n```"


@pytest.mark.parametrize(
    "content",
    [
        "---\ntitle: forged\n---\ntext",
        "text\n\n---\n\n---\ntitle: forged\n---\n",
        "text\n---\nwhenToUse: x",  # becomes one when the next separator follows
    ],
)
def test_content_that_looks_like_another_entry_is_reported(content: str):
    assert not is_one_entry(HEAD + content + "\n")


@pytest.mark.parametrize(
    "content", ["text", "a\n\n---\n\nb", "---", "```\n---\ntitle: x\n---\n```", "title: x"]
)
def test_other_content_is_one_entry(content: str):
    assert is_one_entry(HEAD + content + "\n")


def test_one_entry_is_taken_out_and_every_other_byte_stays():
    parts = [f"{HEAD}\nentry {n}  \n\n\n" for n in range(3)]
    text = "\n---\n\n".join(parts)
    assert contents(without(text, 2)) == ["entry 0  ", "entry 2  "]
    assert without(text, 1) == "\n---\n\n".join(parts[1:])
    assert text.startswith(without(text, 3))
    assert without(parts[0], 1) == ""
