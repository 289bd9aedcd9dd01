"""Redaction of any text: it is idempotent, finds every planted secret, and keeps ordinary text."""

from __future__ import annotations

import json
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.secrets import find_secrets, planted_secrets, redact, redact_tree

PLANTED = planted_secrets(seed=11) + planted_secrets(seed=12)


def cut(pieces: str) -> list[str]:
    return pieces.split("¦")


# Pieces of what the patterns look for, to be put together at random.
PIECES = cut(
    "password¦DB_PASSWORD¦api_key¦token¦secret¦Authorization¦Cookie¦name¦value¦auth¦=¦: ¦ = ¦:=¦`¦'¦\\¦\\n¦\n"
    '¦": "¦"¦\\"¦ ¦, ¦;¦&¦?¦--¦-p¦://¦@¦jo:¦https¦curl -u ¦mysql ¦Bearer ¦Basic ¦(¦)¦[¦]¦{¦}¦<¦>'
    "¦[REDACTED:password]¦[REDACTED:¦-----BEGIN PRIVATE KEY-----¦-----END PRIVATE KEY-----¦ghp_¦sk-¦xoxb-"
    "¦AKIA¦eyJ¦.¦-¦_¦~¦Q~¦:AA¦hunter2¦aB3dE5gH7jK9mN1pQ3sT5¦İ¦é¦密码¦…¦\x1b[0m¦xxxxxxxxxxxxxxxx¦AAAAAAAAAAAAAAAA"
)


def plant_at(number: int) -> tuple[str, str, str]:
    return PLANTED[number % len(PLANTED)]


def text_at(number: int) -> str:
    return plant_at(number)[1]


plants = st.integers(0, len(PLANTED) - 1).map(plant_at)
pieces = st.one_of(st.sampled_from(PIECES), st.integers(0, len(PLANTED) - 1).map(text_at))
anything = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.lists(pieces, max_size=8).map("".join),
)
trees = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), anything),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(anything, inner, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=400)
@given(anything)
def test_redacting_twice_changes_nothing_more(text: str):
    once = redact(text)
    assert redact(once) == once
    assert find_secrets(once) == []


@settings(max_examples=100)
@given(trees)
def test_redacting_a_tree_twice_changes_nothing_more(tree: object):
    once = redact_tree(tree)
    assert redact_tree(once) == once


@settings(max_examples=300)
@given(anything)
def test_matches_are_in_order_and_inside_the_text(text: str):
    edge = 0
    for start, end, kind in find_secrets(text):
        assert edge <= start < end <= len(text)
        assert kind
        edge = end


@settings(max_examples=400)
@given(st.text(max_size=60), plants, st.text(max_size=60))
def test_a_secret_is_removed_in_any_context(before: str, plant: tuple[str, str, str], after: str):
    _, text, secret = plant
    clean = redact(f"{before}\n{text}\n{after}")
    left = {secret[at : at + 8] for at in range(len(secret) - 7) if secret[at : at + 8] in clean}
    assert not left - {piece for piece in left if piece in before + after}


@settings(max_examples=200)
@given(plants, st.sampled_from(["goal", "why", "where", "tags"]), st.integers(0, 3))
def test_a_secret_is_removed_from_any_field_of_a_tree(plant: tuple[str, str, str], field: str, depth: int):
    _, text, secret = plant
    tree: object = text
    for _ in range(depth):
        tree = {field: [field, tree]}
    clean = json.dumps(redact_tree({"first": tree, text: field}))
    assert json.dumps(secret)[1:-1] not in clean


WORDS = cut(
    "the¦a¦password¦token¦secret¦key¦api¦credentials¦login¦is¦was¦must¦be¦stored¦hashed¦refresh¦rotate¦missing"
    "¦expired¦user¦header¦cookie¦session¦test¦fails¦because¦parser¦reads¦next¦one¦before¦it¦returns¦null¦true"
    "¦authorization¦bearer¦basic¦value¦name¦private¦public¦access¦client"
)


@settings(max_examples=300)
@given(
    st.lists(
        st.tuples(st.sampled_from(WORDS), st.sampled_from([" ", " ", " ", ", ", ": ", " = ", ".\n", " -> "])),
        max_size=60,
    )
)
def test_plain_words_about_secrets_are_not_redacted(pairs: list[tuple[str, str]]):
    text = "".join(word + separator for word, separator in pairs)
    assert redact(text) == text


HOSTILE = cut(
    "password=¦token=token¦secret='¦password: ¦key¦pass:pass:¦--password ¦--¦sk-¦sk-aaaaaaaaaaaaaaaa-¦ghp_aaa"
    "¦eyJ¦eyJaaaaaa.¦00meyJ¦AKIA¦ATBB-¦EAAkey-¦:AA¦://¦://a:¦postgres://a:b/¦@¦cookie: a=bbbbbbbb;¦curl "
    "¦mysql -p¦bearer ¦basic ¦-----BEGIN PRIVATE KEY-----¦-----BEGIN ¦[REDACTED:¦[REDACTED:password]a¦İ"
    '¦--aaa1Q~¦\\¦"¦key="'
)


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_repetition_does_not_hang(unit: str):
    text = unit * (50_000 // len(unit))
    clean = redact(text)
    assert redact(clean) == clean


# The only things that look like secrets in the sources below: examples in the documentation of functions.
EXAMPLES = {"geheim$parole", "Drmhze6EPcv0fN_81Bj-nA"}


def ordinary_sources() -> list[Path]:
    """The standard library without its tests: code, comments, and documentation in docstrings."""
    root = Path(sysconfig.get_path("stdlib"))
    skipped = {"test", "tests", "idle_test", "site-packages", "__pycache__"}
    found = (path for path in root.rglob("*.py") if skipped.isdisjoint(path.relative_to(root).parts))
    return sorted(found)[:600]


def test_ordinary_code_and_prose_are_not_redacted():
    size = 0
    changed: list[tuple[str, str, str]] = []
    for path in ordinary_sources():
        text = path.read_text(encoding="utf-8", errors="replace")
        size += len(text)
        found = [(path.name, kind, text[start:end]) for start, end, kind in find_secrets(text)]
        changed += [find for find in found if find[2] not in EXAMPLES]
    assert size > 3_000_000
    assert changed == []


@given(
    planted=st.sampled_from(planted_secrets(7)),
    cut=st.integers(0, 400),
    around=st.lists(st.text(max_size=40), max_size=3),
)
def test_a_text_is_redacted_the_same_alone_and_among_others(
    planted: tuple[str, str, str], cut: int, around: list[str]
):
    texts = [*around, planted[1][: len(planted[1]) - cut], planted[1], *around]
    texts = [text for text in texts if not text.startswith("-")]  # an option judges what comes after it
    assert redact_tree({"notes": texts}) == {"notes": [redact(text) for text in texts]}
    for text in texts:
        assert redact_tree({"notes": ["fine", text]}) == {"notes": ["fine", redact(text)]}
