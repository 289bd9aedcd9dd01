"""Properties of the API for any memory and any query."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rum import Rum
from rum.app.calls import MAX_TEXT
from rum.model.answers import RetrievedMemory
from rum.model.ids import new_id
from rum.model.memory import Edge, LinkType
from rum.model.memory_layers import ActionType, FailureCategory, TaskType, VerificationType
from rum.text.terms import terms
from support.projects import keep, open_shop

Json = dict[str, Any]
LAYERS = ("intent", "perception", "reasoning", "actions", "outcome", "tags", "importance")
storing = settings(max_examples=30)
asking = settings(max_examples=150)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
sayings = texts.filter(str.strip)
lists = st.lists(texts, max_size=3)
paths = st.from_regex(r"[a-zé/.\[\]~ -]{0,12}[a-z]\.(py|ts)(:[0-9]{1,3})?", fullmatch=True)
times = st.integers(0, 2 * 10**9)


def optional(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries({}, optional=fields)


def required(fields: dict[str, st.SearchStrategy[Any]], **more: st.SearchStrategy[Any]) -> Any:
    return st.fixed_dictionaries(fields, optional=more)


def one_of(words: type[TaskType | ActionType | FailureCategory | VerificationType]) -> st.SearchStrategy[str]:
    return st.sampled_from([word.value for word in words])


details = optional(
    file_path=paths,
    lines_affected=texts,
    diff_hash=texts,
    diff_summary=texts,
    command=texts,
    query=texts,
    scope=texts,
)
results = required(
    {"success": st.booleans()}, output_summary=texts, error=texts, duration_ms=st.floats(0, 1e6)
)
actions = required(
    {"type": one_of(ActionType), "timestamp": times, "details": details}, result=st.none() | results
)
intents = {"goal": sayings, "task_type": one_of(TaskType)}
intent_extras = {"context": texts, "constraints": lists}
verified = required({"type": one_of(VerificationType)}, command=texts, result=texts)
outcomes = {"success": st.booleans(), "summary": sayings}
outcome_extras = {
    "learnings": lists,
    "failure_reason": texts,
    "failure_category": one_of(FailureCategory),
    "verified_by": verified,
    "follow_up_needed": lists,
}
perceptions = {
    "observations": st.lists(required({"what": texts}, where=texts | paths, significance=texts), max_size=2),
    "relevant_files": st.lists(required({"path": paths}, relevance=texts, state_summary=texts), max_size=2),
    "patterns_noticed": lists,
    "anomalies": lists,
}
reasonings = {
    "approach_chosen": texts,
    "why_chosen": texts,
    "alternatives_considered": st.lists(required({"approach": texts}, why_rejected=texts), max_size=2),
    "assumptions": lists,
    "risks_identified": lists,
}
extras: dict[str, st.SearchStrategy[Any]] = {
    "perception": optional(**perceptions),
    "reasoning": optional(**reasonings),
    "actions": st.lists(actions, max_size=3),
    "tags": st.lists(sayings, max_size=3, unique=True),
    "importance": st.floats(0, 1),
}
drafts = required(
    {"intent": required(intents, **intent_extras), "outcome": required(outcomes, **outcome_extras)}, **extras
)


def or_null(fields: dict[str, st.SearchStrategy[Any]]) -> dict[str, st.SearchStrategy[Any]]:
    return {name: st.none() | strategy for name, strategy in fields.items()}


patches = optional(
    intent=optional(**intents, **or_null(intent_extras)),
    outcome=optional(**outcomes, **or_null(outcome_extras)),
    perception=st.none() | optional(**or_null(perceptions)),
    reasoning=st.none() | optional(**or_null(reasonings)),
    actions=st.none() | extras["actions"],
    tags=st.none() | extras["tags"],
    importance=st.none() | extras["importance"],
).filter(bool)


@pytest.fixture(scope="module")
def rum() -> Iterator[Rum]:
    """One project for all examples, which are independent of each other."""
    with tempfile.TemporaryDirectory() as folder, open_shop(Path(folder)) as shop:
        yield shop.open()


def shown(memory: RetrievedMemory) -> Json:
    return msgspec.json.decode(msgspec.json.encode(memory))


def plain(value: Any) -> Any:
    """A layer without its empty fields, which are the same as missing ones."""
    if isinstance(value, dict):
        kept = {name: plain(part) for name, part in value.items()}
        return {name: part for name, part in kept.items() if part not in (None, "", [], {})}
    return [plain(part) for part in value] if isinstance(value, list) else value


def patched(current: Any, patch: Any) -> Any:
    """The documented merge: objects deeply, arrays replaced, null clears."""
    if not (isinstance(current, dict) and isinstance(patch, dict)):
        return patch
    merged = {name: patched(current.get(name), part) for name, part in patch.items()}
    return {name: part for name, part in (current | merged).items() if part is not None}


@storing
@given(data=st.data(), given_drafts=st.lists(drafts, min_size=1, max_size=3))
def test_an_export_and_import_gives_identical_objects(data: st.DataObject, given_drafts: list[Json]) -> None:
    with tempfile.TemporaryDirectory() as folder, open_shop(Path(folder)) as shop:
        here, there = shop.open(agent="ann"), shop.open(home=Path(folder) / "there")
        ids = [here.store(**draft).memory_id for draft in given_drafts]
        for source, target in itertools.combinations(ids, 2):
            here.link(source, target, data.draw(st.sampled_from([kind.value for kind in LinkType])))
        for one in data.draw(st.lists(st.sampled_from(ids), max_size=3)):
            shop.clock.forward(1)
            here.update_memory(one, **data.draw(patches))
            here.show(one)
        assert there.import_lines(here.export()).added == len(ids)
        for one in ids:
            own = {"project_id": there.project.id}
            assert shown(there.show(one)) == shown(here.show(one)) | own
            assert there.history(one) == here.history(one)
        assert there.agents() == here.agents()
        kinds = (b'"kind":"link"', b'"kind":"version"')
        exports = [[line for line in rum.export() if any(k in line for k in kinds)] for rum in (here, there)]
        assert exports[0] == exports[1]


@storing
@given(draft=drafts, patch=patches)
def test_an_update_merges_objects_replaces_arrays_and_leaves_the_rest(
    rum: Rum, draft: Json, patch: Json
) -> None:
    kept = rum.store(**draft).memory_id
    before = shown(rum.show(kept))
    after = shown(rum.update_memory(kept, **patch).memory)
    usual = {"importance": 0.5} if "importance" in patch and patch["importance"] is None else {}
    expected = patched({layer: before[layer] for layer in LAYERS}, patch) | usual
    redacted = any("REDACTED" in msgspec.json.encode(part).decode() for part in (before, after))
    if not redacted:
        assert plain({layer: after[layer] for layer in LAYERS}) == plain(settled(expected, after))
    for own in ("id", "created_at", "agent_id", "session_id", "commit", "branch"):
        assert after[own] == before[own]


def settled(expected: Json, after: Json) -> Json:
    """The expected value, with normalised paths and whole milliseconds."""
    spelt = {"actions": after["actions"], "perception": after["perception"]}
    for action, done in zip(expected.get("actions", ()), after["actions"], strict=True):
        action["details"] = action["details"] | {
            name: done["details"][name] for name in ("file_path",) if name in done["details"]
        }
        if (action.get("result") or {}).get("duration_ms") is not None:
            action["result"]["duration_ms"] = round(action["result"]["duration_ms"])
    perception = expected.get("perception", {})
    for name, key in (("observations", "where"), ("relevant_files", "path")):
        found = spelt["perception"].get(name, [])
        for part, done in zip(perception.get(name, ()), found, strict=True):
            if key in done:
                part[key] = done[key]
    return expected


@storing
@given(draft=drafts, patch=patches)
def test_repeating_an_update_changes_nothing(rum: Rum, draft: Json, patch: Json) -> None:
    kept = rum.store(**draft).memory_id
    once, twice = (shown(rum.update_memory(kept, **patch).memory) for _ in range(2))
    for layer in (*LAYERS, "files"):
        assert twice[layer] == once[layer]
    rum.restore(kept, 1)
    first, last = rum.history(kept)[0], rum.history(kept)[-1]
    assert last.memory == first.memory


SIGNS = r"""" ' ( ) * : ^ - -- { } + ; % _ \ / AND OR NOT NEAR( NEAR/2 goal: rowid NULL ß İ"""
signs = st.sampled_from([*SIGNS.split(), "😀", "👨‍👩‍👧", "🇩🇪", "\0", "\ud800", "\udc00", "\ufeff"])
words = st.sampled_from(["login", "token", "refreshToken", "the", "登录", "вход", "zebra"])
questions = st.one_of(
    st.text(st.characters()),
    st.lists(signs | words | st.text(st.characters(), max_size=5), max_size=20).map(" ".join),
    st.lists(signs | words, max_size=12).map("".join),
    st.tuples(signs | words, st.integers(500, 10_000)).map(lambda pair: (pair[0] * pair[1])[:MAX_TEXT]),
)


@asking
@given(question=questions, field=st.sampled_from(["query", "intent"]), least=st.sampled_from([None, 0, 1]))
def test_no_query_text_raises(rum: Rum, question: str, field: str, least: float | None) -> None:
    keep_once(rum)
    answer = rum.recall(**{field: question}, min_confidence=least, since=0)
    assert answer.token_estimate > 0
    assert all(0 <= memory.confidence <= 1 for memory in answer.memories)


def keep_once(rum: Rum) -> None:
    if not rum.recall(tags=["asked"]).memories:
        keep(rum, "Fix the login refreshToken", "登录 works, вход too", tags=["asked"])


SCRIPTS = (
    "abcdefgh XYZ019 _-.'/+# ",
    "éüßøŁıÆñ ",
    "абвгдежзийЁЖ ",
    "αβγδεςΣώ ",
    "中文字错误令牌登录刷新 ",
    "かなカナー々トークン",
    "한국어토큰로그인 ",
    "ภาษาไทยโทเค็น ",
    "العربيةرمز ",
    "עבריתאסימון ",
    "हिन्दीटोकन ",
    "தமிழ் ",
    "ქართული ",
    "Հայերեն ",
    "አማርኛ ",
    "🎉👍🏽👨‍💻❤️✓ ",
)
goals = st.one_of(*(st.text(script, min_size=1, max_size=30) for script in SCRIPTS), sayings).filter(terms)


@asking
@given(goal=goals.filter(str.strip), summary=goals.filter(str.strip))
def test_a_query_with_the_words_of_a_goal_returns_it_first(rum: Rum, goal: str, summary: str) -> None:
    kept = rum.show(keep(rum, goal, summary)).intent.goal
    first = rum.recall(query=kept).memories[0]
    assert terms(first.intent.goal) == terms(kept)


identifiers = st.text("abc", min_size=1, max_size=3)


@given(source=identifiers, target=identifiers, kind=st.sampled_from(LinkType))
def test_a_link_has_one_form_from_either_end(source: str, target: str, kind: LinkType) -> None:
    edge = Edge.of(source, target, kind)
    inverse = {LinkType.CAUSED_BY: LinkType.LED_TO, LinkType.LED_TO: LinkType.CAUSED_BY}
    inverse[LinkType.RELATED_TO] = LinkType.RELATED_TO
    if kind in inverse:
        assert Edge.of(target, source, inverse[kind]) == edge
    assert edge.link_type is not LinkType.LED_TO
    assert Edge.of(*edge) == edge
    assert {edge.source_id, edge.target_id} == {source, target}
    if source != target:
        assert edge.seen_from(source) == (kind.value, target)


@given(one=st.tuples(identifiers, identifiers, st.sampled_from(LinkType)), other=st.data())
def test_two_links_share_an_id_only_if_they_are_equal(one: tuple[str, str, LinkType], other: Any) -> None:
    second = other.draw(st.tuples(identifiers, identifiers, st.sampled_from(LinkType)))
    edges = Edge.of(*one), Edge.of(*second)
    assert (edges[0].link_id == edges[1].link_id) is (edges[0] == edges[1])


@given(count=st.integers(2, 200), prefix=st.sampled_from(["mem", "agent", "event"]))
def test_ids_sort_in_order_of_creation(count: int, prefix: str) -> None:
    ids = [new_id(prefix) for _ in range(count)]
    assert ids == sorted(set(ids))


@given(moments=st.lists(st.integers(0, 4 * 10**12), min_size=2, max_size=20, unique=True))
def test_dated_ids_sort_by_their_time(moments: list[int]) -> None:
    ids = {new_id("mem", at=moment / 1000): moment for moment in moments}
    assert [ids[one] for one in sorted(ids)] == sorted(moments)
