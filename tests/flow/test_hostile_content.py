"""Any text, path, id or list is stored unchanged or refused with a clear error."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rum import InvalidQuery, NotFound, Rum, RumError
from support.builders import HandClock, make_draft, make_intent, make_outcome
from support.processes import Place, make_place

Call = Callable[[Rum, str], Any]

KEPT: dict[str, Call] = {
    "goal": lambda rum, text: rum.store(intent=make_intent(text), outcome=make_outcome()),
    "context": lambda rum, text: rum.store(intent=make_intent(context=text), outcome=make_outcome()),
    "constraint": lambda rum, text: rum.store(intent=make_intent(constraints=[text]), outcome=make_outcome()),
    "summary": lambda rum, text: rum.store(**make_draft(summary=text)),
    "learning": lambda rum, text: rum.store(intent=make_intent(), outcome=make_outcome(learnings=[text])),
    "tag": lambda rum, text: rum.store(**make_draft(tags=[text])),
    "observation": lambda rum, text: rum.store(**make_draft(perception={"observations": [{"what": text}]})),
    "reasoning": lambda rum, text: rum.store(**make_draft(reasoning={"why_chosen": text})),
    "command": lambda rum, text: rum.store(**make_draft(actions=[{"type": "command_run", "command": text}])),
}
PATHS: dict[str, Call] = {
    "edited": lambda rum, text: rum.store(**make_draft(actions=[{"type": "file_edit", "file_path": text}])),
    "relevant": lambda rum, text: rum.store(**make_draft(perception={"relevant_files": [{"path": text}]})),
}
ASKED: dict[str, Call] = {
    "query": lambda rum, text: rum.recall(query=text),
    "intent": lambda rum, text: rum.recall(intent=text),
    "file": lambda rum, text: rum.recall(file=text),
    "files": lambda rum, text: rum.recall(file=["src", text]),
    "tags": lambda rum, text: rum.recall(tags=[text, "auth"]),
    "memory id": lambda rum, text: rum.recall(memory_id=text),
    "agent id": lambda rum, text: rum.recall(agent_id=text),
    "session id": lambda rum, text: rum.recall(session_id=text),
    "show": lambda rum, text: rum.show(text),
    "trace": lambda rum, text: rum.trace(text),
    "list": lambda rum, text: rum.list(session_id=text),
    "history": lambda rum, text: rum.history(text),
    "restore": lambda rum, text: rum.restore(text, 1),
    "update": lambda rum, text: rum.update_memory(text, tags=["x"]),
    "forget": lambda rum, text: rum.forget(text),
    "link": lambda rum, text: rum.link(text, text + "x", "caused_by"),
    "links": lambda rum, text: rum.store(**make_draft(links={"related_to": [text]})),
    "chapter of": lambda rum, text: rum.chapters.create(memory_ids=[text]),
    "chapter by tag": lambda rum, text: rum.chapters.create(tags=[text]),
    "chapters": lambda rum, text: rum.chapters.list(chapter_ids=[text]),
    "chapters by tag": lambda rum, text: rum.chapters.list(tags=[text]),
    "chapter": lambda rum, text: rum.chapters.show(text),
    "wisdom of": lambda rum, text: rum.wisdom.synthesize(chapter_ids=[text]),
    "wisdom by tag": lambda rum, text: rum.wisdom.synthesize(tags=[text]),
    "wisdom": lambda rum, text: rum.wisdom.recall(query=text, tags=[text]),
    "one wisdom": lambda rum, text: rum.wisdom.recall(wisdom_id=text),
    "refresh": lambda rum, text: rum.refresh(text),
    "resume": lambda rum, text: rum.identity("resume", agent_id=text),
    "parent": lambda rum, text: rum.identity("register", type="subagent", parent_id=text),
    "unknown field": lambda rum, text: rum.call("store", make_draft() | {text: 1}),
    "unknown layer field": lambda rum, text: rum.call("store", make_draft(reasoning={text: 1})),
}

# A text with half an emoji in it, and what is whole of it.
HALVES = {"a \ud83e b 🧠": "a  b 🧠", "a \udcff b": "a  b", "cut off\ud83e": "cut off"}

STRANGE = {
    "NUL": "before\0after",
    "only NUL": "\0",
    "control characters": "".join(map(chr, range(1, 32))) + "\x7f\x80\x9f",
    "SQL": "'; DROP TABLE memories; --",
    "double quotes": 'a "quoted" ""text""',
    "FTS operators": "goal: NEAR(a b) AND NOT * ^x OR {c d}",
    "LIKE wildcards": "100%_sure" + "%" * 20,
    "globs": "[a-z]*?{x}**",
    "JSON": '{"a": ["\\u0000", null]}',
    "backslashes": "C:\\temp\\new\\\\x",
    "newlines": "a\r\nb\u2028c\u2029d\x0be",
    "bidi": "\u202eevil\u202c \u2066x\u2069",
    "emoji": "👩‍👩‍👧‍👦 🧠 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "combining": "Z̸̢̛a̷l͝g҉o" * 20,
    "composed and not": "caf\u00e9 cafe\u0301",
    "noncharacters": "\ufffe\uffff\U0010ffff\ufdd0",
    "byte order mark": "\ufeffgoal",
    "a very long word": "x" * 20_000,
}


@pytest.fixture
def rum(tmp_path: Path) -> Iterator[Rum]:
    with make_place(tmp_path).open(owner=True, clock=HandClock()) as rum:
        rum.store(**make_draft("The first goal", tags=["auth"]))
        yield rum
        assert rum.doctor().problems == []


def everything(rum: Rum) -> list[dict[str, Any]]:
    """Everything that is stored, except usage counts."""
    lines: list[dict[str, Any]] = [json.loads(line) for line in rum.export()]
    return [{**line, "access_count": 0, "last_accessed": None} for line in lines]


def answer(call: Call, rum: Rum, text: str) -> Any:
    """The result of a call or the error of RUM; any other error is a crash."""
    try:
        return call(rum, text)
    except RumError as error:
        error.message.encode()  # it must be fit to be sent
        return error


def strings(value: Any) -> list[str]:
    """Every string in a result."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple | list):
        return [text for item in value for text in strings(item)]
    if hasattr(value, "__struct_fields__"):
        return [text for name in value.__struct_fields__ for text in strings(getattr(value, name))]
    return []


@pytest.mark.parametrize("name", [*KEPT, *PATHS])
def test_a_lone_surrogate_is_removed_and_the_rest_is_kept(rum: Rum, name: str):
    for text, whole in HALVES.items():
        kept = (KEPT | PATHS)[name](rum, text)
        assert whole in strings(rum.show(kept.memory_id))


def test_text_of_only_a_lone_surrogate_is_empty(rum: Rum):
    before = everything(rum)
    with pytest.raises(InvalidQuery, match=r"intent\.goal"):
        KEPT["goal"](rum, "\udde0\ud83e")
    assert everything(rum) == before


@pytest.mark.parametrize("name", ASKED)
def test_a_lone_surrogate_in_a_query_never_crashes(rum: Rum, name: str):
    before = everything(rum)
    for text in (*HALVES, "\udde0\ud83e"):
        said = answer(ASKED[name], rum, text)
        assert not isinstance(said, RumError) or said.code in ("INVALID_QUERY", "NOT_FOUND")
    assert everything(rum) == before


@pytest.mark.parametrize("name", KEPT)
def test_strange_text_is_stored_unchanged_or_refused_with_a_clear_error(rum: Rum, name: str):
    for text in STRANGE.values():
        before = everything(rum)
        kept = answer(KEPT[name], rum, text)
        if isinstance(kept, RumError):
            assert kept.code == "INVALID_QUERY"
            assert everything(rum) == before
        else:
            assert text in strings(rum.show(kept.memory_id))
    lines = list(rum.export())
    assert rum.import_lines(lines).unchanged == rum.summary()["memories"]


@pytest.mark.parametrize("name", ASKED)
def test_a_strange_query_is_answered_or_refused_with_a_clear_error(rum: Rum, name: str):
    before = everything(rum)
    for text in STRANGE.values():
        said = answer(ASKED[name], rum, text)
        assert not isinstance(said, RumError) or said.code in ("INVALID_QUERY", "NOT_FOUND")
    assert everything(rum) == before


@pytest.mark.parametrize("name", PATHS)
def test_a_strange_path_is_found_again_or_refused_with_a_clear_error(rum: Rum, name: str):
    for text in STRANGE.values():
        upstream = everything(rum)
        kept = answer(PATHS[name], rum, text)
        if isinstance(kept, RumError):
            assert kept.code == "INVALID_QUERY"
            assert everything(rum) == upstream
        elif not set(text) & set("*?["):
            (path,) = kept.indexed_files
            assert kept.memory_id in [memory.id for memory in rum.recall(file=path, limit=50).memories]


@pytest.mark.parametrize("word", ["upstream", "downstream"])
def test_words_on_both_sides_of_a_nul_character_are_found(rum: Rum, word: str):
    kept = rum.store(**make_draft("upstream\0downstream"))
    assert [memory.id for memory in rum.recall(query=word).memories] == [kept.memory_id]


def test_different_spellings_of_a_path_stay_different_files(rum: Rum):
    composed = PATHS["edited"](rum, "src/caf\u00e9.py")
    decomposed = PATHS["edited"](rum, "src/cafe\u0301.py")
    assert composed.indexed_files == ["src/caf\u00e9.py"]
    assert decomposed.indexed_files == ["src/cafe\u0301.py"]
    both = {composed.memory_id, decomposed.memory_id}
    assert {memory.id for memory in rum.recall(file="src", include_similar=True).memories} == both


@pytest.mark.parametrize(
    "text",
    [
        "lorem ipsum dolor " * 60_000,
        "x" * 1_000_000,
        "汉字" * 250_000,
        "\n".join(f"line{number} said {number * 7919}" for number in range(40_000)),
        "👩‍👩‍👧 " * 100_000,
    ],
    ids=["words", "one word", "Chinese", "lines", "emoji"],
)
def test_a_megabyte_of_text_can_be_stored_changed_and_forgotten(rum: Rum, text: str):
    intent = make_intent("The large goal", context=text)
    kept = rum.store(intent=intent, outcome=make_outcome())
    assert rum.show(kept.memory_id).intent.context == text
    assert rum.recall(query="large goal").memories[0].id == kept.memory_id
    rum.update_memory(kept.memory_id, intent={"context": text[:-1]})
    assert rum.history(kept.memory_id)[0].memory["intent"]["context"] == text
    assert rum.forget(kept.memory_id, purge=True).purged is True
    assert rum.recall(query="large goal", min_confidence=0).memories[0].id != kept.memory_id


def test_ten_thousand_tags_are_stored_and_found(rum: Rum):
    tags = [f"tag {number}" for number in range(10_000)]
    kept = rum.store(**make_draft(tags=[*tags, *tags]))
    assert rum.show(kept.memory_id).tags == tuple(tags)
    assert [memory.id for memory in rum.recall(tags=["tag 9999"]).memories] == [kept.memory_id]
    assert [memory.id for memory in rum.recall(tags=tags).memories] == [kept.memory_id]
    assert rum.recall(tags=[*tags, "auth"]).memories == []


def test_ten_thousand_actions_are_stored_and_other_memories_still_fit_the_answer(rum: Rum):
    edits = [{"type": "file_edit", "file_path": f"src/f{number}.py"} for number in range(10_000)]
    small = rum.store(**make_draft(actions=edits[-1:]))
    large = rum.store(**make_draft("A large goal", actions=edits))
    assert len(large.indexed_files) == 10_000
    assert len(rum.show(large.memory_id).actions or ()) == 10_000
    for asked in ("src/f9999.py", "src", "src/*.py", [f"src/f{number}.py" for number in range(10_000)]):
        found = rum.recall(file=asked)
        assert [memory.id for memory in found.memories] == [large.memory_id, small.memory_id]
        assert found.total_matches == 2


def test_an_extremely_nested_list_is_refused(rum: Rum):
    endless: list[Any] = []
    for _ in range(100_000):
        endless = [endless]
    before = everything(rum)
    with pytest.raises(InvalidQuery):
        rum.store(**make_draft(tags=endless))
    assert everything(rum) == before


NUMBERS: dict[str, Callable[[Rum, float], Any]] = {
    "since": lambda rum, number: rum.recall(since=number),
    "before": lambda rum, number: rum.recall(before=number),
    "list": lambda rum, number: rum.list(since=number),
    "limit": lambda rum, number: rum.recall(query="goal", limit=number),
    "max tokens": lambda rum, number: rum.recall(query="goal", max_tokens=number),
    "confidence": lambda rum, number: rum.recall(query="goal", min_confidence=number),
    "importance": lambda rum, number: rum.call("store", make_draft(importance=number)),
    "timestamp": lambda rum, number: rum.store(**make_draft(actions=[{**READ, "timestamp": number}])),
    "duration": lambda rum, number: rum.store(
        **make_draft(actions=[{**READ, "result": {"success": True, "duration_ms": number}}])
    ),
    "version": lambda rum, number: rum.restore(rum.recall(query="goal").memories[0].id, int(number)),
}
READ = {"type": "file_read"}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_out_of_range_is_refused_or_answered(rum: Rum, name: str):
    for number in (10**30, -(10**30), float("inf"), float("nan"), 2**63, -1, 1e308, 0.5):
        if name == "version" and not isinstance(number, int):
            continue
        said = answer(lambda rum, _, number=number: NUMBERS[name](rum, number), rum, "")
        assert not isinstance(said, RumError) or said.code in ("INVALID_QUERY", "NOT_FOUND")
        everything(rum)


def test_an_unknown_id_of_any_form_is_not_found(rum: Rum):
    for name in ("mem_unknown0", "%%%%%%%%", "________", "' OR ''='", "mem_" + "é" * 20, "a" * 10_000):
        with pytest.raises(NotFound):
            rum.show(name)


def test_a_folder_with_a_strange_name_works(tmp_path: Path):
    for name in ('it\'s 50% "here"', "naïve 記憶 🧠", "-rf", "a?b#c&d=e"):
        place = make_place(tmp_path / name)
        place = Place(tmp_path / name / "home of it", place.work)
        with place.open() as rum:
            kept = rum.store(**make_draft())
            assert rum.show(kept.memory_id).id == kept.memory_id
            assert rum.doctor().problems == []
