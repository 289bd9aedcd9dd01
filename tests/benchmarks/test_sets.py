"""The readers of the question sets: commits, causes, conversations."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from benchmarks.quality import build_coding_set, candidate_signals, causes, history, locomo, strangers
from benchmarks.quality.cases import Case, Piece, Question
from benchmarks.quality.history import Commit


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    return tmp_path


def git(folder: Path, *arguments: str) -> str:
    author = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ("git", "-C", folder, *author, *arguments), check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit(folder: Path, message: str, **files: str) -> str:
    for name, text in files.items():
        (folder / f"{name}.c").write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def test_commits_come_oldest_first_with_files_and_without_merges(repository: Path):
    first = commit(repository, "Begin", one="1")
    git(repository, "checkout", "-q", "-b", "side")
    second = commit(repository, "Add two\n\nIt was missing.", two="2", **{"with space": "3"})
    git(repository, "checkout", "-q", "-")
    git(repository, "merge", "-q", "--no-ff", "-m", "Merge side", "side")
    found = history.read(str(repository))
    assert [(one.sha, one.subject, one.body) for one in found] == [
        (first[:12], "Begin", ""),
        (second[:12], "Add two", "It was missing."),
    ]
    assert found[1].files == ["two.c", "with space.c"]
    assert found[0].author == "Ann"


def test_trailers_are_removed_from_a_message():
    body = """Bug in the parser, see below.

Fixes #12
Closes https://example.org/13
Reported-by: Bob <bob@example.org>
Co-Authored By: Eve
Fixes: 0123456789ab ("older")
Mail to <ann@example.org> told us."""
    assert history.plain(body) == (
        'Bug in the parser, see below.\n\nFixes: 0123456789ab ("older")\nMail to  told us.'
    )


def test_a_corpus_has_each_message_once_and_all_reverts():
    def made(sha: str, subject: str, author: str = "Ann", body: str = "") -> Commit:
        return Commit(sha, 0, author, subject, body, [])

    commits = [
        made("a", "Make the parser accept an empty file"),
        made("b", "Make the parser accept an empty file"),
        made("c", "Fix typo"),
        made("d", "Revert it"),
        made("e", "Bump several dependencies of the whole project", "dependabot[bot]"),
        made("f", "Fix it", body="Because the lexer never saw the end " + "x" * 2_000),
    ]
    kept = list(build_coding_set.telling(commits, 6))
    assert [one.sha for one in kept] == ["a", "d", "f"]
    assert len(kept[-1].body) == build_coding_set.LONGEST_BODY
    assert build_coding_set.packed(kept) == build_coding_set.packed(kept)


def test_causes_are_the_earlier_commits_that_a_message_names(repository: Path):
    broken = commit(repository, "Cache the answers of the resolver", cache="1")
    commit(repository, "Write a page about caching", page="2")
    fixed = commit(
        repository,
        f"Drop stale answers after a minute\n\nFollow-up to {broken[:9]}\nThey lived on.",
        cache="3",
    )
    taken_back = (
        f'Revert "Drop stale answers after a minute"\n\nThis reverts commit {fixed}.\n\nIt broke lookups.'
    )
    commit(repository, taken_back, cache="4")
    (case,) = causes.cases({"mine": str(repository)}, newest=10, most=10)
    asked = {question.kind: question for question in case.questions}
    assert asked["follows up"].answers == {broken[:12]}
    assert asked["follows up"].place == 2
    assert asked["follows up"].files == ("cache.c",)
    assert asked["reverts"].answers == {fixed[:12]}
    assert asked["reverts"].text == '" "\nIt broke lookups.'
    assert not case.foreign


def test_the_id_of_a_cause_is_neither_in_the_question_nor_in_the_memory(repository: Path):
    older = commit(repository, "Read the whole file at once", one="1")
    commit(
        repository, f'Read in blocks again because memory ran out\n\nFixes: {older[:10]} ("Read")', one="2"
    )
    (case,) = causes.cases({"mine": str(repository)}, newest=10, most=10)
    assert older[:7] not in case.questions[0].text
    assert not any(older[:7] in piece.text for piece in case.pieces)


def test_two_repositories_are_foreign_to_each_other(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
):
    other = tmp_path_factory.mktemp("other")
    git(other, "init", "-q")
    for folder in (repository, other):
        older = commit(folder, "Count the visitors of a page", one="1")
        commit(folder, f"Count each visitor once a day only\n\nFollow-up to {older}", one="2")
    one, two = causes.cases({"one": str(repository), "two": str(other)}, newest=10, most=10)
    assert one.foreign == two.questions
    assert two.foreign == one.questions


def conversation(name: str) -> dict[str, object]:
    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bob",
            "session_1_date_time": "1 May",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "I adopted\na puppy", "blip_caption": "a photo"},
                {"speaker": "Bob", "dia_id": "D1:2", "text": "How nice"},
            ],
            "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "He eats shoes"}],
            "session_2_date_time": "2 May",
        },
        "qa": [
            {"question": "When did Ann adopt a puppy?", "evidence": ["D1:1"], "category": 1},
            {"question": "What does the dog destroy?", "evidence": ["D1:1; D2:1", "D9:9"], "category": 2},
            {"question": "Is there more?", "evidence": [], "category": 3},
        ],
    }


def test_a_conversation_becomes_turns_by_session_and_questions_with_evidence(tmp_path: Path):
    file = tmp_path / "talk.json"
    file.write_text(json.dumps([conversation("one"), conversation("two")]))
    first, second = locomo.cases(str(file))
    assert [(piece.key, piece.goal, piece.session) for piece in first.pieces] == [
        ("D1:1", "Ann: I adopted a puppy [shares a photo]", "one-1"),
        ("D1:2", "Bob: How nice", "one-1"),
        ("D2:1", "Ann: He eats shoes", "one-2"),
    ]
    assert [(question.kind, sorted(question.answers)) for question in first.questions] == [
        (locomo.SHARED, ["D1:1"]),
        (locomo.APART, ["D1:1", "D2:1"]),
    ]
    assert first.foreign == second.questions


def test_strangers_ask_about_files_of_the_store_in_words_of_another_project():
    pieces = [Piece(f"p{number}", f"Work {number}", files=(f"{number}.c",)) for number in range(60)]
    own = [
        Question("fixes", f"own {number}", frozenset({f"p{number}"}), (f"{number}.c",), 5)
        for number in range(9)
    ]
    case = Case("shop", pieces, own, [])
    foreign = [f"foreign {number}" for number in range(5)]
    assert {one.text for one in strangers.asked(case, foreign).questions} == set(foreign)
    for one, asked in zip(own, strangers.about_files(case, foreign).questions, strict=True):
        assert (asked.files, asked.place, asked.answers) == (one.files, one.place, frozenset())
        assert asked.text in foreign
    for young in strangers.young_with_files(case, foreign):
        keys = {piece.key for piece in young.pieces}
        files = {file for piece in young.pieces for file in piece.files}
        assert len(keys) in strangers.FILE_SIZES
        for one in young.questions:
            assert one.answers <= keys
            assert (one.kind == strangers.FOREIGN) == (not one.answers)
            assert one.text not in foreign or set(one.files) <= files
        assert young == next(
            again for again in strangers.young_with_files(case, foreign) if again.name == young.name
        )


def test_an_interrupted_fit_goes_on_with_its_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pieces = [Piece("a", "Return closed connections to the pool"), Piece("b", "Paint the logo green")]
    case = Case("mine", pieces, [Question("words", "closed connections", frozenset("a"))], [])
    vectors = candidate_signals.CachedEmbedder(":memory:")
    first = candidate_signals.sights([("coding", case)], 5, vectors, str(tmp_path))
    assert [(one.column, one.source) for one in first] == [("words", "mine"), ("words+meaning", "mine")]
    assert all(one.right.tolist()[0] for one in first)
    monkeypatch.setattr(candidate_signals, "_looked", None)  # nothing is asked again
    again = candidate_signals.sights([("coding", case)], 5, vectors, str(tmp_path))
    assert [one.about for one in again] == [one.about for one in first]
