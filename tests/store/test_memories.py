"""Memories are stored, changed and deleted completely."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rum.model.errors import StorageError
from rum.model.memory import Edge, LinkType, Memory, Origin, OriginKind, RevertLink
from rum.store.base import Store
from rum.store.derived import indexed_text
from rum.store.filters import Filters
from rum.store.records import Revision
from support.builders import NOON, add_memory, make_agent, make_file, make_intent, make_memory, make_outcome
from support.finding import by_paths, known_paths, newest_with

RICH = make_memory(
    "mem_rich",
    created_at=NOON + 5,
    updated_at=NOON + 9,
    version=3,
    intent=make_intent("Fix the login", context="Users are logged out", constraints=["no new table"]),
    perception={
        "observations": [{"what": "no refresh", "where": "src/auth.ts:45", "significance": "cause"}],
        "relevant_files": [{"path": "src/auth.ts", "relevance": "here", "state_summary": "old"}],
        "patterns_noticed": ["retry"],
        "anomalies": ["clock skew"],
    },
    reasoning={
        "approach_chosen": "an interceptor",
        "why_chosen": "one place",
        "alternatives_considered": [{"approach": "a timer", "why_rejected": "drifts"}],
        "assumptions": ["tokens live an hour"],
        "risks_identified": ["loops"],
    },
    actions=[
        {
            "type": "file_edit",
            "timestamp": NOON,
            "details": {"file_path": "src/auth.ts", "lines_affected": "45-89", "diff_hash": "abc"},
            "result": {"success": True, "output_summary": "ok", "error": None, "duration_ms": 12.5},
        },
        {"type": "command_run", "timestamp": NOON + 1, "details": {"command": "npm test"}, "result": None},
    ],
    outcome=make_outcome(
        "It works",
        success=False,
        learnings=["handle 401"],
        failure_reason="flaky",
        failure_category="race_condition",
        verified_by={"type": "test", "command": "npm test", "result": "1 failed"},
        follow_up_needed=["watch it"],
    ),
    tags=["auth", "jwt"],
    importance=0.75,
    files=[make_file("src/auth.ts", "edit", "0" * 40), make_file("src/b.ts", "delete")],
    commit="c" * 40,
    branch="main",
    imported_at=NOON + 7,
)


def ids_by_words(store: Store, *words: str) -> list[str]:
    return [row[0] for row in newest_with(store, words, False, Filters(superseded=True), 100)]


def test_a_memory_reads_back_as_it_was_written(store: Store):
    store.agents.add(make_agent())
    store.memories.add(RICH)
    assert store.memories.get(["mem_rich"]) == [RICH]


def test_a_bare_memory_reads_back_with_empty_layers(store: Store):
    bare = add_memory(store, "mem_bare")
    assert store.memories.get(["mem_bare"]) == [bare]
    assert not bare.actions


def test_memories_come_in_the_order_asked_for_and_unknown_ones_are_left_out(store: Store):
    for name in ("mem_a", "mem_b", "mem_c"):
        add_memory(store, name)
    found = store.memories.get(["mem_c", "mem_unknown", "mem_a"])
    assert [memory.id for memory in found] == ["mem_c", "mem_a"]
    assert store.memories.get([]) == []


def test_a_memory_of_nobody_is_refused_whole(store: Store):
    with pytest.raises(StorageError):
        store.memories.add(make_memory("mem_orphan", agent_id="agent_unknown"))
    assert store.memories.count() == 0
    assert ids_by_words(store, "login") == []


def test_an_id_can_be_used_once(store: Store):
    first = add_memory(store, "mem_a", "First words")
    with pytest.raises(StorageError):
        store.memories.add(make_memory("mem_a", "Second words"))
    assert store.memories.get(["mem_a"]) == [first]
    assert ids_by_words(store, "second") == []


def test_replacing_a_memory_updates_all_derived_data(store: Store):
    store.agents.add(make_agent())
    store.memories.add(RICH)
    changed = replace(
        make_memory("mem_rich", "Mend the logout", tags=["session"], files=[make_file("src/c.ts")]),
        created_at=RICH.created_at,
        version=4,
        updated_at=NOON + 20,
        imported_at=RICH.imported_at,
    )
    store.memories.replace(changed)
    assert store.memories.get(["mem_rich"]) == [changed]
    assert ids_by_words(store, "logout") == ["mem_rich"]
    assert ids_by_words(store, "interceptor") == []
    assert known_paths(store, "") == ["src/c.ts"]
    assert [tag for tag, _ in store.search.tag_counts(9)] == ["session"]


def test_a_full_id_or_a_tail_of_eight_characters_names_a_memory(store: Store):
    add_memory(store, "mem_01jabcdefghijk1")
    add_memory(store, "mem_01jzzzzzzghijk1")
    add_memory(store, "mem_01jother00000002")
    assert store.memories.find_ids("mem_01jabcdefghijk1") == ["mem_01jabcdefghijk1"]
    assert store.memories.find_ids("other00000002") == ["mem_01jother00000002"]
    assert store.memories.find_ids("mem_00000002") == ["mem_01jother00000002"]
    assert store.memories.find_ids("0000002") == []
    assert store.memories.find_ids("nowhere00") == []


def test_an_ambiguous_tail_gives_all_it_can_mean(store: Store):
    add_memory(store, "mem_aa12345678")
    add_memory(store, "mem_bb12345678")
    assert sorted(store.memories.find_ids("12345678")) == ["mem_aa12345678", "mem_bb12345678"]
    assert store.memories.find_ids("aa12345678") == ["mem_aa12345678"]


@pytest.mark.parametrize(
    "tail",
    [
        "%" * 8,
        "_" * 8,
        "mem_%234567%",
        "' OR 1=1 --",
        '"; DROP TABLE memories',
        "*" * 9,
        "x" * 100_000 + "12345678",
    ],
)
def test_a_tail_is_taken_literally(store: Store, tail: str):
    add_memory(store, "mem_aa12345678")
    assert store.memories.find_ids(tail) == []
    assert store.memories.count() == 1


STRANGE_IDS = [
    "mem_'; DROP TABLE memories; --",
    'mem_"quoted"',
    "mem_a OR b NEAR(c)",
    "mem_100%_sure",
    "mem_[1](2){3}$.*",
    "mem_\\back\\slash",
    "mem_naïve-Ünïcödé-記憶-🧠",
    "mem_" + "x" * 196,
]
NO_IDS = ["", "mem_line\nbreak", "mem_nul\0", "mem_" + "x" * 5000]


@pytest.mark.parametrize("memory_id", STRANGE_IDS, ids=range(len(STRANGE_IDS)))
def test_an_id_is_opaque(store: Store, memory_id: str):
    kept = add_memory(store, memory_id, files=[make_file("a.py")], tags=["t"])
    add_memory(store, "mem_other")
    edge = Edge.of("mem_other", memory_id, LinkType.CAUSED_BY)
    assert store.links.add(edge, NOON)
    assert store.activity.add_uses({memory_id: 2}, NOON)
    assert store.memories.find_ids(memory_id) == [memory_id]
    assert store.memories.get([memory_id]) == [kept]
    assert store.links.of([memory_id]) == {edge: NOON}
    assert store.activity.uses([memory_id])[memory_id].times == 2
    assert by_paths(store, ["a.py"], Filters(), 9)[0][0][0] == memory_id
    store.memories.delete(memory_id)
    assert [memory.id for batch in store.memories.pages() for memory in batch] == ["mem_other"]


@pytest.mark.parametrize("memory_id", NO_IDS, ids=range(len(NO_IDS)))
def test_what_cannot_be_written_on_a_line_is_no_id(memory_id: str):
    with pytest.raises(msgspec.ValidationError):
        make_memory(memory_id)


def test_all_memories_come_oldest_first_in_batches(store: Store):
    times = {"mem_d": NOON, "mem_b": NOON, "mem_e": 1, "mem_a": NOON + 1, "mem_c": 0}
    for name, at in times.items():
        add_memory(store, name, created_at=at)
    batches = [[memory.id for memory in batch] for batch in store.memories.pages(2)]
    assert batches == [["mem_c", "mem_e"], ["mem_b", "mem_d"], ["mem_a"]]
    since = [[memory.id for memory in batch] for batch in store.memories.pages(2, since=NOON)]
    assert since == [["mem_b", "mem_d"], ["mem_a"]]


def test_going_through_all_memories_survives_that_some_are_deleted_meanwhile(store: Store, other: Store):
    for number in range(6):
        add_memory(store, f"mem_{number}", created_at=NOON + number)
    seen: list[str] = []
    for batch in store.memories.pages(2):
        seen += [memory.id for memory in batch]
        if len(seen) == 2:
            for name in ("mem_2", "mem_3", "mem_4"):
                other.memories.delete(name)
    assert seen == ["mem_0", "mem_1", "mem_5"]


def test_deleting_takes_everything_that_hangs_on_a_memory(store: Store):
    store.agents.add(make_agent())
    store.memories.add(RICH)
    kept = add_memory(store, "mem_kept", "Something else", tags=["jwt"], files=[make_file("src/b.ts")])
    store.links.add(Edge.of("mem_rich", "mem_kept", LinkType.CAUSED_BY), NOON)
    store.history.add("memory", "mem_rich", Revision(1, NOON, "agent_ann", ('{"old":1}',)))
    store.history.add("memory", "mem_rich", Revision(2, NOON, "agent_ann", ('{"old":2}',)))
    expected = {"memories": 1, "files": 2, "links": 1, "versions": 2}
    assert store.memories.delete("mem_rich", dry_run=True) == expected
    assert store.memories.delete("mem_rich") == expected
    assert store.memories.get(["mem_rich", "mem_kept"]) == [kept]
    assert store.history.of("memory", ["mem_rich"])["mem_rich"] == []
    assert store.links.of() == {}
    assert ids_by_words(store, "interceptor") == []
    assert known_paths(store, "") == ["src/b.ts"]
    assert [tag for tag, _ in store.search.tag_counts(9)] == ["jwt"]
    assert store.upkeep.problems() == []


def test_versions_are_kept_in_order_and_byte_for_byte(store: Store):
    add_memory(store, "mem_a")
    store.history.add("memory", "mem_a", Revision(2, NOON + 2, "owner", ('{"goal":"naïve 記憶"}',)))
    store.history.add("memory", "mem_a", Revision(1, NOON + 1, "agent_ann", ('{ "goal": "x" }',)))
    assert store.history.of("memory", ["mem_a"])["mem_a"] == [
        (1, NOON + 1, "agent_ann", ('{ "goal": "x" }',)),
        (2, NOON + 2, "owner", ('{"goal":"naïve 記憶"}',)),
    ]
    assert store.history.of("memory", ["mem_unknown"])["mem_unknown"] == []


def test_a_version_number_is_given_once(store: Store):
    add_memory(store, "mem_a")
    store.history.add("memory", "mem_a", Revision(1, NOON, "owner", ("{}",)))
    with pytest.raises(StorageError):
        store.history.add("memory", "mem_a", Revision(1, NOON, "owner", ("{}",)))


def test_tombstones_are_found_again_and_may_be_left_twice(store: Store):
    store.memories.add_tombstones(["aa", "bb"], "memory", NOON)
    store.memories.add_tombstones(["bb", "cc"], "memory", NOON + 1)
    assert store.memories.tombstones(["aa", "cc", "dd"]) == {"aa", "cc"}
    assert store.memories.tombstones([]) == set()


def test_deleting_leaves_the_tombstones(store: Store):
    add_memory(store, "mem_a")
    store.memories.add_tombstones(["aa"], "memory", NOON)
    store.memories.delete("mem_a")
    assert store.memories.tombstones(["aa"]) == {"aa"}


TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=60)
SAYING = TEXT.filter(lambda text: text.strip() != "")


@settings(max_examples=40)
@given(
    goal=SAYING, context=TEXT, tags=st.lists(TEXT, unique=True, max_size=4), paths=st.sets(SAYING, max_size=3)
)
def test_any_text_comes_back_as_it_was(
    store: Store, goal: str, context: str, tags: list[str], paths: set[str]
):
    before = store.memories.count()
    memory: Memory = add_memory(
        store,
        f"mem_{before}",
        intent=make_intent(goal, context=context),
        tags=tags,
        files=[make_file(path) for path in sorted(paths)],
    )
    (kept,) = store.memories.get([memory.id])
    assert kept == replace(memory, files=kept.files)
    assert {file.path for file in kept.files} == paths
    assert store.search.texts([memory.id]) == {memory.id: indexed_text(memory)}
    for tag in tags:
        assert memory.id in [row[0] for row in store.search.by_filters(Filters(tags=(tag,)), 1000)[0]]
    for path in paths:
        assert path in known_paths(store, path)
        assert memory.id in [row[0] for row in by_paths(store, [path], Filters(), 1000)[0]]


def test_reverted_memories_are_listed(store: Store):
    add_memory(store, "mem_a")
    add_memory(store, "mem_b", reverted_by=RevertLink("mem_a"))
    assert store.memories.reverted() == ["mem_b"]


def test_memories_of_commits_are_listed_by_commit(store: Store):
    for name, at in (("a", 100), ("c", 300)):
        origin = Origin(OriginKind.COMMIT, name * 40)
        add_memory(store, f"mem_{name}", created_at=at, commit=name * 40, origin=origin)
    add_memory(store, "mem_b", commit="b" * 40)
    assert store.memories.commits() == {"a" * 40: "mem_a", "c" * 40: "mem_c"}
    assert list(store.memories.commits(200)) == ["c" * 40]
