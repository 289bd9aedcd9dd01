"""Events are cleaned before they are stored: secrets, private text and RUM's own output."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.clients.detect import event_of
from rum.capture.clients.values import MAX_CHANGE, MAX_OUTPUT, MAX_TEXT, raw_text
from rum.capture.events.cleaning import (
    BRIEF,
    JOURNAL,
    clean,
    minimal_event,
    without_own,
    without_private,
    without_private_parts,
)
from rum.capture.events.ignored_paths import Ignored
from rum.redact.redactor import Redactor
from rum.text.fence import fenced
from support.secrets import TOKENS

if TYPE_CHECKING:
    from rum.capture.events.event import Event

REDACTOR = Redactor()


def make(**more: Any) -> Event:
    event: dict[str, Any] = {
        "id": "claude-code:s:after:c",
        "client": "claude-code",
        "session": "6b6c78ce-d1e6-47b2-a81e-7789ffe865a7",
        "kind": "after",
        "at": 1.5,
        "cwd": "/project",
        **more,
    }
    return event  # pyright: ignore[reportReturnType]


def token() -> str:
    _, prefixes, letters, length = TOKENS[0]
    dice = random.Random(3)
    return prefixes.split()[0] + "".join(dice.choice(letters) for _ in range(length))


def test_a_harmless_event_is_unchanged():
    event = make(tool="run", command="pytest -q", output="2 passed", exit=0, call="toolu_01ABC", turn="t-1")
    assert clean(event, REDACTOR) == event


@pytest.mark.parametrize("field", ["text", "output", "command", "source", "cwd", "transcript"])
def test_no_secret_is_left_in_any_text(field: str):
    kept = clean(make(**{field: f"it is {token()} there"}), REDACTOR)
    assert token() not in str(kept)


def test_no_secret_is_left_in_a_changed_line_or_a_path():
    file = {"path": f"/p/{token()}", "operation": "edit", "added": f"KEY={token()}", "removed": token()}
    assert token() not in str(clean(make(files=[file]), REDACTOR))


def test_an_id_that_is_a_secret_is_replaced_by_a_stable_hash():
    first, second = (clean(make(session=token(), at=at), REDACTOR) for at in (1.0, 2.0))
    assert token() not in str(first)
    assert first["session"] == second["session"]


@pytest.mark.parametrize("named", ["session", "call", "turn", "agent"])
def test_the_id_of_an_event_has_no_secret_of_its_names(named: str):
    name = {named: token()}
    event = make(**name, id=f"claude-code:s:after:{token()}")
    assert token() not in str(clean(event, REDACTOR))


def test_a_secret_that_only_the_id_has_is_hashed():
    event = make(id=f"gemini:s:after:2026-01-01T00:00:00Z:{token()}:1a2b3c4d")
    cleaned = clean(event, REDACTOR)
    assert token() not in str(cleaned)
    assert cleaned["session"] == event["session"]


def test_a_secret_is_found_before_a_text_is_cut():
    secret = token()
    # The cut would go right through it.
    said = "x " * (MAX_OUTPUT // 6 - 10) + secret + " y" * MAX_OUTPUT
    kept = clean(make(output=raw_text(said)), REDACTOR).get("output", "")
    assert len(kept) <= MAX_OUTPUT + 10
    assert secret[:12] not in kept


def test_texts_are_cut_to_their_limits():
    file = {"path": "/p/a.py", "operation": "edit", "added": "a" * 9999}
    kept = clean(make(text="w " * 9999, output="o " * 9999, command="c " * 9999, files=[file]), REDACTOR)
    assert len(kept.get("text", "")) <= MAX_TEXT + 10
    assert len(kept.get("output", "")) <= MAX_OUTPUT + 10
    assert len(kept.get("command", "")) <= MAX_TEXT + 10
    assert kept.get("files", [{}])[0].get("added") == "a" * MAX_CHANGE


def test_private_text_is_removed_from_every_event():
    said = "Fix it. <private>the pin is 1234</private> Thanks."
    file = {"path": "/p/a.py", "operation": "edit", "added": said}
    kept = clean(make(text=said, output=said, command=said, files=[file]), REDACTOR)
    assert "1234" not in str(kept)
    assert kept.get("text") == "Fix it. [private] Thanks."


def test_private_text_is_found_in_a_text_that_was_cut_in_the_middle():
    said = raw_text("a" * 90_000 + "</private> done" + " b" * 900)
    assert "aaa" not in clean(make(output=said), REDACTOR).get("output", "").rpartition("[...]")[2]


def test_output_of_rum_is_dropped_except_memory_ids():
    ident = "mem_" + "1" * 26
    kept = clean(make(tool="run", command="rum recall mean | head", output=f"{ident} it failed"), REDACTOR)
    assert kept.get("tool") == "rum"
    assert kept.get("memories") == [ident]
    assert "output" not in kept


@pytest.mark.parametrize(
    "command",
    [
        "rum store <<'EOF'\n{\"intent\": {}}\nEOF",
        "cd api && /opt/bin/rum store --json <<EOF\nx; y && z\nEOF\n",
        'echo \'{"goal": "a; b && c"}\' | rum store',
        "printf '%s' '" + "x" * 6000 + "' | uv run rum store",
        "cat memory.json | python3 -m rum store",
    ],
)
def test_a_memory_piped_into_rum_is_recognised(command: str):
    ident = "mem_" + "0" * 26
    kept = clean(make(tool="run", command=command, output=f"{ident}\n"), REDACTOR)
    assert (kept.get("tool"), kept.get("memories")) == ("rum", [ident])


@pytest.mark.parametrize(
    "command",
    [
        "rum store <<EOF\n{}\nEOF\npytest -q",
        "pytest -q | rum store",
        "echo x | rum store && pytest",
        "echo rum",
    ],
)
def test_output_of_other_commands_beside_rum_is_kept(command: str):
    kept = clean(make(tool="run", command=command, output="1 failed"), REDACTOR)
    assert (kept.get("tool"), kept.get("output")) == ("run", "1 failed")


def test_output_of_a_command_after_rum_is_kept():
    kept = clean(make(tool="run", command="rum recall x; pytest", output="1 failed"), REDACTOR)
    assert (kept.get("tool"), kept.get("output")) == ("run", "1 failed")


def test_neither_path_nor_content_of_an_ignored_file_is_recorded(tmp_path: Path):
    ignored = Ignored("/project", "secret/\n")
    file = {"path": "/project/secret/plan.md", "operation": "read", "added": "the plan"}
    other = {"path": "/project/open.md", "operation": "read"}
    kept = clean(make(tool="read", files=[file, other], output="the plan"), REDACTOR, ignored)
    assert kept.get("files") == [other]
    assert "plan" not in str(kept)
    assert kept.get("withheld") == "ignored"


def test_a_command_on_an_ignored_file_is_dropped():
    kept = clean(
        make(tool="run", command="cat 'secret/plan.md'", output="the plan", exit=0),
        REDACTOR,
        Ignored("/project", "secret"),
    )
    assert "plan" not in str(kept)
    assert kept.get("exit") == 0


def test_ignored_paths_are_removed_from_outputs_and_prompts():
    ignored = Ignored("/project", "secret/**")
    output = "open.md:3: fine\nsecret/plan.md:1: the plan\n"
    kept = clean(
        make(command="grep -r .", output=output, text="Look at secret/plan.md, now"), REDACTOR, ignored
    )
    assert kept.get("output") == "open.md:3: fine\n"
    assert kept.get("text") == "Look at [ignored], now"


def test_a_minimal_event_has_no_content():
    kept = minimal_event(make(text="x", command=token(), turn="t"))
    assert set(kept) == {"id", "client", "session", "kind", "at", "cwd", "withheld"}
    assert (kept["kind"], kept["at"], kept["cwd"]) == ("after", 1.5, "")


def test_a_huge_patch_is_limited():
    patch = "".join(f"*** Add File: /p/{n}.py\n+{'x' * 9000}\n" for n in range(200))
    payload = {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "cwd": "/p",
        "tool_use_id": "c",
        "tool_name": "apply_patch",
        "tool_input": {"command": patch},
        "turn_id": "t",
    }
    event = event_of(payload, "codex", 1.0)
    assert event
    assert len(clean(event, REDACTOR).get("files", [])) <= 50


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a <private>b</private> c", "a [private] c"),
        ("a <PRIVATE>b</Private> c <private>d</private>", "a [private] c [private]"),
        ("a <private>b <private>c</private> d</private> e", "a [private] e"),
        ("a <private>b", "a [private]"),
        ('a <private reason="x">b</private>', "a [private]"),
        ("a </private> b", "a </private> b"),
        ("a <privately> b", "a <privately> b"),
        ("", ""),
    ],
)
def test_private_text_is_replaced(text: str, kept: str):
    assert without_private(text) == kept


@pytest.mark.parametrize("name", [BRIEF, JOURNAL, "rum-warning"])
def test_briefs_journals_and_offers_are_removed(name: str):
    assert without_own(f"Before {fenced(name, 'what was known', 'A notice.')}after") == "Before \nafter"
    assert without_own(f"a <{name}>look</{name}> b") == "a  b"


def test_an_unclosed_tag_is_kept():
    assert without_own(f"What is <{BRIEF}> for?") == f"What is <{BRIEF}> for?"


@given(st.lists(st.sampled_from(["<private>", "</private>", "<rum-offer>", "</rum-offer>", "x", "\n", "<"])))
def test_removing_private_text_twice_changes_nothing_more(parts: list[str]):
    once = without_private("".join(parts))
    assert without_private(once) == once


@given(st.text(), st.text())
def test_text_between_private_tags_is_always_removed(before: str, inside: str):
    marked = f"{before}<private>SECRET{inside}</private>"
    assert "SECRET" not in without_private_parts(marked).replace(before, "")
