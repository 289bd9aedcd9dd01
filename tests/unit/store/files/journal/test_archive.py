from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rum.model.errors import StorageError
from rum.model.journal import Kind, format_timestamp, problems
from rum.store.files.journal.archive import ARCHIVE, GRACE, HALF, archive, is_long, may_be_due
from rum.store.files.journal.file import JournalFile
from rum.store.files.journal.text import JournalText, reindent
from rum.store.files.yaml import load
from support.journals import HEADER

START = 1771060505.0
HOUR = 3600.0


def at(hours: float) -> str:
    return format_timestamp(START + hours * HOUR)


def discovery(number: int, hours: float, extra: str = "") -> str:
    return f"""\
  # about {number}
  - id: "discovery-{number:03}"  # kept
    timestamp: "{at(hours)}"
    type: data_model
    content: |
      Row {number}
        set in
{extra}
"""


def attempt(name: str, hours: float, result: str) -> str:
    return (
        f'  - id: {name}\n    timestamp: {at(hours)}\n    description: "Try {name}"\n    result: {result}\n'
    )


LONG = (
    HEADER
    + "discoveries:\n"
    + "".join(discovery(number, hours) for number, hours in enumerate((0, 1, 3.5, 5), 1))
    + "# attempts next\nattempts:\n"
    + attempt("old", 0.5, "failure")
    + attempt("open", 0.6, "in_progress")
    + attempt("new", 4.9, "success")
    + "mood: good # really\n"
)


def journal_at(folder: Path, text: str) -> JournalFile:
    path = folder / "s1" / "developer" / "agent-memory.yaml"
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode())
    return JournalFile(str(folder), str(path), "s1", "developer")


def values(path: str | Path) -> Any:
    return load(Path(path).read_text(encoding="utf-8"), "file")


def test_older_entries_go_to_the_archive_whole_and_the_last_two_hours_stay(tmp_path: Path) -> None:
    file = journal_at(tmp_path, LONG)
    before = values(file.path)

    done = archive(file, START + 6 * HOUR)
    assert (done.due, done.moved) == (True, {"discoveries": 2, "attempts": 1})
    assert done.path == str(Path(file.path).with_name(ARCHIVE))

    after, archived = values(file.path), values(Path(file.path).with_name(ARCHIVE))
    assert after["discoveries"] == before["discoveries"][2:]
    assert [entry["id"] for entry in after["attempts"]] == ["open", "new"]
    assert archived["discoveries"] == before["discoveries"][:2]
    assert archived["attempts"] == before["attempts"][:1]
    assert archived["agent"] == "developer"
    assert list(problems(after)) == list(problems(archived)) == []


def test_comments_go_with_their_entry_and_all_other_lines_stay(tmp_path: Path) -> None:
    file = journal_at(tmp_path, LONG)
    archive(file, START + 6 * HOUR)
    text = Path(file.path).read_text(encoding="utf-8")
    archived = Path(file.path).with_name(ARCHIVE).read_text(encoding="utf-8")

    assert discovery(2, 1).strip("\n") in archived
    assert discovery(3, 3.5) + discovery(4, 5) in text
    assert "# attempts next\nattempts:\n" in text
    assert "mood: good # really\n" in text
    assert "# about 2" not in text


def test_history_has_counts_titles_and_results(tmp_path: Path) -> None:
    file = journal_at(tmp_path, LONG)
    archive(file, START + 6 * HOUR)

    assert values(file.path)["history"] == [
        {
            "archivedAt": at(6),
            "since": at(0),
            "until": at(1),
            "counts": {"discoveries": 2, "attempts": 1},
            "entries": [
                {"id": "discovery-001", "title": "[data_model] Row 1"},
                {"id": "discovery-002", "title": "[data_model] Row 2"},
                {"id": "old", "title": "Try old", "result": "failure"},
            ],
        }
    ]


def test_a_second_time_there_is_nothing_to_move_and_later_more_is_added(tmp_path: Path) -> None:
    file = journal_at(tmp_path, LONG)
    archive(file, START + 6 * HOUR)
    text = Path(file.path).read_bytes()
    assert archive(file, START + 6 * HOUR)[:2] == (True, {})
    assert Path(file.path).read_bytes() == text

    new = {"timestamp": at(8), "description": "Try again", "result": "success"}
    file.add(Kind.ATTEMPT, None, new, START + 8 * HOUR)
    assert archive(file, START + 8 * HOUR).moved == {"discoveries": 2, "attempts": 1}
    assert values(file.path)["discoveries"] == []
    assert [period["counts"] for period in values(file.path)["history"]] == [
        {"discoveries": 2, "attempts": 1},
        {"discoveries": 2, "attempts": 1},
    ]
    assert len(values(Path(file.path).with_name(ARCHIVE))["discoveries"]) == 4


def test_an_interruption_between_the_two_files_duplicates_no_entry(tmp_path: Path) -> None:
    file = journal_at(tmp_path, LONG)
    archive(file, START + 6 * HOUR)
    Path(file.path).write_text(LONG, encoding="utf-8")
    archive(file, START + 6 * HOUR)

    ids = [entry["id"] for entry in values(Path(file.path).with_name(ARCHIVE))["discoveries"]]
    assert ids == ["discovery-001", "discovery-002"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(LONG.replace("\n", "\r\n"), id="other line ends"),
        pytest.param(LONG.replace("\n  ", "\n"), id="dashes at the edge"),
        pytest.param(
            f"{HEADER}discoveries: [{{id: a, timestamp: {at(0)}}}, {{id: b, timestamp: {at(5)}}}]\n",
            id="brackets",
        ),
        pytest.param(LONG.replace("    content: |\n", "    content: |+\n", 1), id="kept blank lines"),
        pytest.param(LONG.rstrip("\n"), id="no newline at the end"),
    ],
)
def test_archiving_a_journal_of_any_form_loses_nothing(tmp_path: Path, text: str) -> None:
    file = journal_at(tmp_path, text)
    before = values(file.path)
    assert archive(file, START + 6 * HOUR).moved

    after, archived = values(file.path), values(Path(file.path).with_name(ARCHIVE))
    for section in ("discoveries", "attempts"):
        both = archived.get(section, []) + after.get(section, [])
        assert sorted(both, key=str) == sorted(before.get(section, []), key=str)


def test_a_journal_is_long_by_size_or_by_time(tmp_path: Path) -> None:
    short = HEADER + "discoveries:\n" + discovery(1, 0) + discovery(2, 3.9)
    assert not is_long(JournalText(short, "file"))
    assert is_long(JournalText(short + discovery(3, 4.1), "file"))
    large = short + discovery(3, 3.9, "    note: " + "x" * 100 * 1024)
    assert is_long(JournalText(large, "file"))
    assert may_be_due(JournalText(large, "file"))
    assert not may_be_due(JournalText(large.replace(at(0), at(1.6)), "file"))
    recent = HEADER + "discoveries:\n" + discovery(1, 3, "    note: " + "x" * 100 * 1024)
    assert is_long(JournalText(recent, "file"))
    assert not may_be_due(JournalText(recent, "file"))
    assert archive(journal_at(tmp_path, short), START)[:2] == (False, {})


@pytest.mark.slow
def test_history_names_the_newest_entries_and_only_counts_the_oldest(tmp_path: Path) -> None:
    file = journal_at(tmp_path, HEADER)
    for batch in range(3):
        hours = [batch * 10 + number / 1000 for number in range(90)]
        lines = [attempt(f"{batch}-{number}", hour, "success") for number, hour in enumerate(hours)]
        lines.append(attempt(f"{batch}-last", batch * 10 + 9, "success"))
        text = JournalText(Path(file.path).read_text(encoding="utf-8"), "file")
        new = text.with_entry_lines("attempts", reindent("".join(lines), -2).rstrip())
        Path(file.path).write_text(new, encoding="utf-8")
        assert archive(file, START + 99 * HOUR).moved == {"attempts": 90 if batch == 0 else 91}

    history = values(file.path)["history"]
    assert [len(period.get("entries", [])) for period in history] == [18, 91, 91]
    assert history[0]["entries"][-1]["id"] == "0-89"
    assert [period["counts"]["attempts"] for period in history] == [90, 91, 91]
    assert list(problems(values(file.path))) == []


def test_a_newer_journal_is_not_archived(tmp_path: Path) -> None:
    file = journal_at(tmp_path, LONG.replace('version: "1"', 'version: "2"'))
    with pytest.raises(StorageError, match="version 2"):
        archive(file, START)
    assert not Path(file.path).with_name(ARCHIVE).exists()


def test_there_need_be_no_journal(tmp_path: Path) -> None:
    file = JournalFile(str(tmp_path), str(tmp_path / "s" / "a" / "agent-memory.yaml"), "s", "a")
    assert archive(file, START)[:2] == (False, {})
    assert list(tmp_path.iterdir()) == []


def test_an_entry_with_the_id_of_one_that_went_before_is_archived_too(tmp_path: Path) -> None:
    file = journal_at(tmp_path, HEADER)
    for day, said in enumerate(("the first", "the second"), 1):
        entry = {"timestamp": at(24 * day), "type": "data_model", "content": said}
        file.add(Kind.DISCOVERY, "mine", entry, START + 24 * day * HOUR)
        late = {"timestamp": at(24 * day + 9), "description": "Later", "result": "success"}
        file.add(Kind.ATTEMPT, None, late, START + (24 * day + 9) * HOUR)
        archive(file, START + (24 * day + 9) * HOUR)
    archived = values(Path(file.path).with_name(ARCHIVE))["discoveries"]
    assert [entry["content"] for entry in archived] == ["the first", "the second"]


def test_a_clock_that_ran_ahead_sends_no_fresh_entry_away(tmp_path: Path) -> None:
    file = journal_at(tmp_path, LONG)
    ahead = {"timestamp": at(24 * 365 * 70), "type": "data_model", "content": "From afar"}
    file.add(Kind.DISCOVERY, "ahead", ahead, START)
    fresh = {"timestamp": at(6), "type": "data_model", "content": "Fresh"}
    file.add(Kind.DISCOVERY, "fresh", fresh, START + 6 * HOUR)
    archive(file, START + 6 * HOUR)
    assert {"ahead", "fresh"} <= {entry["id"] for entry in values(file.path)["discoveries"]}


def test_entries_slightly_over_the_limit_wait_until_there_are_more(tmp_path: Path) -> None:
    file = journal_at(tmp_path, HEADER + "attempts:\n" + attempt("open", 0, "in_progress"))

    def add(hours: float) -> dict[str, int]:
        entry = {"timestamp": at(hours), "type": "data_model", "content": "x"}
        file.add(Kind.DISCOVERY, None, entry, START + hours * HOUR)
        return archive(file, START + hours * HOUR, GRACE).moved

    moved = [add(number / 5) for number in range(50)]
    assert len([one for one in moved if one]) == 10
    assert sum(one.get("discoveries", 0) for one in moved) >= 50 - 5 * 2.5 - 1
    assert [entry["id"] for entry in values(file.path)["attempts"]] == ["open"]


@pytest.mark.slow
def test_a_full_archive_is_followed_by_another_and_each_can_be_checked(tmp_path: Path) -> None:
    file = journal_at(tmp_path, HEADER)
    extra = "\n".join(f"    f{number}: {'x' * 7000}" for number in range(10))
    for batch in range(3):
        rows = [discovery(batch * 9 + number, batch * 10 + number / 100, extra) for number in range(9)]
        text = JournalText(Path(file.path).read_text(encoding="utf-8"), "file")
        lines = reindent("".join(rows) + discovery(999 + batch, batch * 10 + 9), -2).rstrip()
        Path(file.path).write_text(text.with_entry_lines("discoveries", lines), encoding="utf-8")
        archive(file, START + 99 * HOUR)
    files = sorted(Path(file.path).parent.glob("agent-memory-archive*.yaml"))
    assert [path.name for path in files] == [
        "agent-memory-archive-2.yaml",
        "agent-memory-archive-3.yaml",
        "agent-memory-archive.yaml",
    ]
    assert all(path.stat().st_size < 2 * HALF for path in files)
    ids = [entry["id"] for path in files for entry in values(path)["discoveries"]]
    assert len(ids) == len(set(ids)) == 29
    assert all(list(problems(values(path))) == [] for path in files)


@pytest.mark.slow
def test_a_journal_over_the_limit_is_brought_back_below_it(tmp_path: Path) -> None:
    extra = "\n".join(f"    f{number}: {'x' * 9000}" for number in range(10))
    rows = "".join(discovery(number, number / 100, extra) for number in range(14)) + discovery(99, 30)
    file = journal_at(tmp_path, HEADER + "discoveries:\n" + rows)
    assert Path(file.path).stat().st_size > 2 * HALF
    assert archive(file, START + 30 * HOUR).moved == {"discoveries": 14}
    assert [entry["id"] for entry in values(file.path)["discoveries"]] == ["discovery-099"]
    assert [period["counts"] for period in values(file.path)["history"]] == [
        {"discoveries": number} for number in (5, 5, 4)
    ]


@pytest.mark.slow
def test_periods_that_name_nothing_any_more_are_counted_together(tmp_path: Path) -> None:
    file = journal_at(tmp_path, HEADER)
    for batch in range(5):
        rows = [attempt(f"{batch}-{number}", batch * 10 + number / 1000, "success") for number in range(120)]
        rows.append(attempt(f"{batch}-last", batch * 10 + 9, "success"))
        text = JournalText(Path(file.path).read_text(encoding="utf-8"), "file")
        new = text.with_entry_lines("attempts", reindent("".join(rows), -2).rstrip())
        Path(file.path).write_text(new, encoding="utf-8")
        archive(file, START + 99 * HOUR)
    history = values(file.path)["history"]
    assert [len(period.get("entries", [])) for period in history] == [0, 79, 121]
    assert history[0]["counts"] == {"attempts": 120 + 121 + 121}
    assert (history[0]["since"], history[0]["until"]) == (at(0), at(20.119))
    assert list(problems(values(file.path))) == []


@pytest.mark.parametrize(
    ("duration", "stays"), [("18000000", True), ('"18000000"', True), ("1000", False), ("long", False)]
)
def test_an_attempt_is_as_old_as_its_end(tmp_path: Path, duration: str, stays: bool) -> None:
    long = attempt("long", 0, "failure") + f"    duration_ms: {duration}\n"
    file = journal_at(tmp_path, HEADER + "attempts:\n" + long + attempt("new", 5, "success"))
    archive(file, START + 5 * HOUR)
    assert [entry["id"] for entry in values(file.path)["attempts"]] == ["long", "new"][not stays :]


def test_a_comment_far_in_does_not_become_part_of_the_block_that_now_stands_before_it(tmp_path: Path) -> None:
    text = (
        HEADER
        + "discoveries:\n"
        + discovery(1, 5)
        + discovery(2, 0)
        + discovery(3, 1)
        + "            # far in\n"
    )
    file = journal_at(tmp_path, text)
    before = values(file.path)["discoveries"]
    assert archive(file, START + 6 * HOUR).moved == {"discoveries": 2}
    assert values(file.path)["discoveries"] == before[:1]
    assert values(Path(file.path).with_name(ARCHIVE))["discoveries"] == before[1:]
