"""The last message of an agent taken apart: summary, causes, decisions, alternatives, what is left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.observe.last_message import MAX_SUMMARY, read_last_message

RATES = """\
convert() now caches the rates per path and mtime, so the file is parsed only when it changed. \
Both tests pass.

Root cause: load_rates() parsed rates.json once per report row, about 40k times per run.

I decided against functools.lru_cache because treasury pushes new rates during the day and a plain cache \
would serve the morning's numbers until the worker restarts.

Follow-ups: fx_history.py has the same per-row read, I did not touch it.

Next step: rerun the June report on staging and compare the totals."""

POOL = """\
## Summary

Fixed the flaky pool test.

### Root cause
The pool handed out a closed connection: `release()` put it back without checking `is_closed`. \
Closed connection reuse only showed under load.

### Changes
- `pool.py`: check `is_closed` in `acquire()`
- `tests/test_pool.py`: new regression test

### Files

| file | lines |
|---|---|
| pool.py | 12 |

### Alternatives considered
- **Ping on acquire**: costs a round trip per query
- Rejected a background reaper, because it races with acquire.

### Next steps
- [ ] Add a metric for discarded connections
- [x] Update the changelog
- Roll out to staging

Shall I open a PR?"""


def test_sentences_with_labels_go_where_they_belong():
    found = read_last_message(RATES)
    assert found.summary == (
        "convert() now caches the rates per path and mtime, so the file is parsed only when it changed. "
        "Both tests pass."
    )
    assert found.causes == ("load_rates() parsed rates.json once per report row, about 40k times per run",)
    ((approach, why),) = found.alternatives
    assert approach == "functools.lru_cache"
    assert why.startswith("treasury pushes new rates")
    assert why.endswith("until the worker restarts")
    assert found.left == (
        "fx_history.py has the same per-row read, I did not touch it",
        "rerun the June report on staging and compare the totals",
    )
    assert found.text == RATES


def test_headings_lists_and_tables_are_read_as_markdown():
    found = read_last_message(POOL)
    assert found.summary.startswith("Fixed the flaky pool test. `pool.py`: check `is_closed` in `acquire()`.")
    assert "#" not in found.summary
    assert "Root cause" not in found.summary
    assert "|" not in found.summary
    assert found.causes[0].endswith("Closed connection reuse only showed under load")
    assert found.alternatives == (
        ("Ping on acquire", "costs a round trip per query"),
        ("a background reaper", "it races with acquire"),
    )
    assert found.left == ("Add a metric for discarded connections", "Roll out to staging")


def test_the_fields_of_the_reasoning_are_those_of_a_memory():
    message = "I used a queue instead of a lock because the lock was held during IO. I assumed one writer."
    assert read_last_message(message).reasoning() == {
        "approach_chosen": "I used a queue instead of a lock",
        "why_chosen": "the lock was held during IO",
        "alternatives_considered": [{"approach": "a lock", "why_rejected": "the lock was held during IO"}],
        "assumptions": ["I assumed one writer"],
    }
    assert read_last_message("Renamed it. 3 tests pass.").reasoning() == {}


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("Fixed. The problem was that flush() never awaited the writer.", "flush() never awaited"),
        ("It hung because the lock was taken twice. It is reentrant now.", "the lock was taken twice"),
        ("**Why:** the driver caches DNS for an hour.\n\n**Fix:** lowered the TTL.", "caches DNS"),
        ("### Problem\n\nTwo workers wrote the same file.\n\n### Solution\n\nA lock file.", "Two workers"),
        ("Turns out the proxy strips the header. We send it as a parameter now.", "strips the header"),
        ("Der Import läuft wieder. Ursache war die Kodierung CP1252.", "CP1252"),
        ("Corrigé. Le problème venait du fuseau horaire du conteneur.", "fuseau horaire"),
        ("Arreglado. La causa era un índice que faltaba.", "índice"),
        ("修复了登录超时的问题。原因是令牌缓存没有按租户区分。", "令牌缓存"),
        ("ログインを修正しました。原因はキャッシュの有効期限でした。", "有効期限"),
        ("Исправил вход. Причина была в кэше токенов.", "кэше токенов"),
    ],
)
def test_a_cause_is_found(message: str, cause: str):
    found = read_last_message(message)
    assert cause in " ".join(found.causes)
    assert found.summary


@pytest.mark.parametrize(
    ("message", "what", "why"),
    [
        ("I considered Redis, but it would be a new service to run.", "Redis", "new service"),
        ("We ruled out a full rewrite because the release is on Friday.", "a full rewrite", "on Friday"),
        ("I didn't use asyncio since the driver blocks.", "asyncio", "the driver blocks"),
        ("Ich habe mich gegen chardet entschieden, weil es bei kurzen Dateien rät.", "chardet", "rät"),
        ("Done.\n\n**Rejected:**\n- Threads: the library is not safe", "Threads", "not safe"),
        ("Done.\n\n## Why not SQLite\nIt locks the whole file.", "", "locks the whole file"),
        ("改好了。没有采用 Redis 锁，因为会增加延迟。", "Redis", "增加延迟"),
    ],
)
def test_what_was_decided_against_is_found_with_its_reason(message: str, what: str, why: str):
    ((approach, reason),) = read_last_message(message).alternatives
    assert what in approach
    assert why in f"{approach} {reason}"


@pytest.mark.parametrize(
    ("message", "left"),
    [
        ("Fixed a.py. Still to do:\n1. migrate b.py\n2. drop the flag", ("migrate b.py", "drop the flag")),
        ("Fixed. TODO: remove the shim after the release.", ("remove the shim after the release",)),
        ("Fixed. The CLI still needs the new option.", ("The CLI still needs the new option",)),
        ("Fixed. Root cause: a race. Next step: rerun it. Tests pass.", ("rerun it",)),
        ("Fixed. I have not tested it on Windows.", ("I have not tested it on Windows",)),
        ("Added it. You need to run the migration before the deploy.", ("You need to run the migration",)),
        ("Erledigt.\n\n## Nächste Schritte\n- Export anpassen", ("Export anpassen",)),
        ("Erledigt. Der Export muss noch angepasst werden.", ("Der Export muss noch angepasst werden",)),
        ("Hecho.\n\nPróximos pasos:\n- Migrar los datos", ("Migrar los datos",)),
        ("C'est fait. Il reste à migrer les données.", ("Il reste à migrer les données",)),
        ("Done.\n\n**Remaining**\n\n- [ ] docs\n- [x] tests", ("docs",)),
    ],
)
def test_what_is_left_is_found(message: str, left: tuple[str, ...]):
    found = read_last_message(message).left
    assert len(found) == len(left)
    assert all(text.startswith(start) for text, start in zip(found, left, strict=True))


@pytest.mark.parametrize(
    "message",
    [
        "get() now returns None instead of raising. All 12 tests pass.",
        "Fixed. No follow-ups. Nothing is left to do.",
        "## Next steps\n\nNone.",
        "Fixed.\n\n## Follow-ups\n\nNo further steps are needed.",
        "I added the flag. Shall I also migrate the other callers?",
        "I added the flag. Let me know if the docs still need a section.",
        "The log said:\n\n> TODO: this still needs to be done\n\nI removed that line.",
        "Removed the dead branch:\n\n```python\n# TODO: still needs work\n```",
        "I removed the TODO comment and the tests pass.",
        "The second pass over the list was not needed, so it went.",
    ],
)
def test_nothing_is_invented(message: str):
    found = read_last_message(message)
    assert found.left == ()
    assert found.alternatives == ()
    assert found.chosen == ""


@pytest.mark.parametrize(
    ("message", "summary"),
    [
        ("Done! The cache is keyed by tenant now.", "The cache is keyed by tenant now."),
        ("# Result\n\nThe cache is keyed by tenant.", "The cache is keyed by tenant."),
        ("You're absolutely right. The cache is\nkeyed by tenant.", "The cache is keyed by tenant."),
        ("Here's what I did:\n\n- keyed the cache\n- added a test", "keyed the cache. added a test."),
        ("", ""),
        ("Done.", "Done."),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a: 1, b: 2."),
    ],
)
def test_the_summary_is_what_was_done(message: str, summary: str):
    assert read_last_message(message).summary == summary


def test_a_summary_has_whole_sentences_only():
    message = " ".join(f"This is sentence number {number} of a long report." for number in range(60))
    summary = read_last_message(message).summary
    assert summary.endswith("of a long report.")
    assert len(summary) <= MAX_SUMMARY
    long = "The change " + "is about this and that and " * 30 + "nothing else."
    assert read_last_message(long).summary == long


@given(st.text(max_size=400))
def test_any_text_can_be_read(text: str):
    found = read_last_message(text)
    assert isinstance(found.summary, str)


@given(st.lists(st.sampled_from(["# a", "- [ ] b", "> c", "| d | e |", "|---|---|", "```", "**f:** g", ""])))
def test_any_markdown_can_be_read(lines: list[str]):
    assert isinstance(read_last_message("\n".join(lines)).summary, str)


@pytest.mark.parametrize(
    ("message", "left"),
    [
        (
            "Done.\n\nNext steps:\n\n1. Set Max-Age:\n\n   ```\n   max-age=43200;\n   ```\n2. Tell all.",
            ("Set Max-Age: `max-age=43200;`", "Tell all"),
        ),
        (
            "Fixed it.\n\n## To do\n\nRun the backfill on production:\n\n```\n./backfill --all\n```",
            ("Run the backfill on production: `./backfill --all`",),
        ),
        ("Fixed it.\n\n- [ ] Restart both:\n  ```\n  one\n  two\n  ```", ("Restart both",)),
        (
            "Erledigt.\n\nNoch offen:\n- Migration einspielen:\n  ```\n  alembic upgrade head\n  ```\n",
            ("Migration einspielen: `alembic upgrade head`",),
        ),
        ("Fixed. Use it like this:\n```\nfoo\n```\n", ()),
    ],
)
def test_a_thing_to_do_keeps_the_command_below_it(message: str, left: tuple[str, ...]):
    assert read_last_message(message).left == left


@pytest.mark.parametrize(
    ("sentence", "is_left"),
    [
        ("read_tsv.py has the same problem, I left it for now.", True),
        ("I left `b.py` for a later PR.", True),
        ("The exporter has the same bug, left that as it is.", True),
        ("read_tsv.py hat denselben Fehler, das habe ich vorerst so gelassen.", True),
        ("I left the old endpoint alone because clients use it.", False),
        ("I left it as a dict because it is small.", False),
    ],
)
def test_what_was_left_for_later_is_to_do(sentence: str, is_left: bool):
    assert bool(read_last_message(f"Fixed it. {sentence}").left) is is_left


def test_a_quotation_says_nothing_about_its_sentence():
    said = read_last_message('A value of 0 is falsy, so poll() took it for "not there yet". It compares now.')
    assert said.left == ()


def test_a_paragraph_below_a_list_does_not_belong_to_the_list():
    said = read_last_message("Done.\n\n## Still open\n\n1. The copy in reports.\n\nBoth tests pass.")
    assert said.left == ("The copy in reports",)
    assert "Both tests pass." in said.summary


def test_a_decision_is_not_glued_to_its_reason():
    said = read_last_message("I considered a ping, but decided against it because it adds a round trip.")
    assert said.alternatives == (("a ping", "it adds a round trip"),)


def test_a_line_above_a_table_tells_what_was_done():
    found = read_last_message(
        "`seats` now depends on the plan:\n\n| plan | seats |\n|---|---|\n| free | 1 |\n\nDone."
    )
    assert found.summary.startswith("`seats` now depends on the plan.")
    assert read_last_message("I made the following changes:\n\n- A title").summary == "A title."


def test_what_was_decided_against_stands_apart_from_the_other_reasons():
    found = read_last_message(
        "## Why this way\n\n- A ping costs 0.2 ms.\n"
        "- I decided against a thread because it does not survive the fork."
    )
    assert found.why == "A ping costs 0.2 ms"
    assert found.alternatives == (("a thread", "it does not survive the fork"),)


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("`give()` never put it back, so the pool ran dry. It does now.", "`give()` never put it back"),
        ("Der Kopf wurde zweimal gelesen, deshalb war alles verschoben.", "Der Kopf wurde zweimal gelesen"),
        ("解析器读了两次表头，所以每一行都错位了。", "解析器读了两次表头"),
        ("I added a check, so bad input was refused.", ""),
        ("It is validated now, so nothing was lost.", ""),
        ("The tests were green, so ready to merge.", ""),
    ],
)
def test_what_was_wrong_and_what_came_of_it_is_a_cause(message: str, cause: str):
    causes = read_last_message(message).causes
    assert [one[: len(cause)] for one in causes] == ([cause] if cause else [])


def test_a_label_names_what_was_not_done():
    assert read_last_message("Renamed.\n\nNot renamed: the table is still `usr`.").left == (
        "the table is still `usr`",
    )


@pytest.mark.parametrize(
    "message",
    [
        "La causa podría ser la caché.",
        "Root cause: not found yet.",
        "**Cause**: unknown; I could not reproduce it.",
        "I first thought the cause was the lock.",
        "## Likely cause\n\nThe cache is stale.",
        "Mögliche Ursache: der Cache.",
        "## Root cause\n\nI initially suspected the lock.",
    ],
)
def test_a_guess_a_dropped_suspicion_and_an_unknown_cause_are_no_cause(message: str):
    assert read_last_message(message).causes == ()


def test_what_it_turned_out_to_be_is_the_cause():
    message = "I first thought the cause was the lock. It turned out to be the clock."
    assert read_last_message(message).causes == ("It turned out to be the clock",)
    both = "I first suspected the lock, but the cause was the clock."
    assert read_last_message(both).causes == (both.rstrip("."),)


@pytest.mark.parametrize(
    "message",
    [
        "The old code did not yet handle None; now it does.",
        "Users that are not yet verified are skipped now.",
        "Added a check for orders that still need approval.",
        "`remaining()` returns the next step.",
        "It still needs Python 3.8, as before.",
        "The tag is still missing was the error; it is fixed.",
        "Offen ist nichts.",
        "No queda nada pendiente.",
        "I left the tests as they are.",
    ],
)
def test_what_the_code_does_is_not_left_to_do(message: str):
    read = read_last_message(message)
    assert (read.left, read.why) == ((), "")


@pytest.mark.parametrize(
    "message",
    [
        "The server rejected the request because the token was old; it is renewed now.",
        "The parser rejected empty lines since 2.0; it accepts them again.",
        "We tried to reproduce it but could not.",
        "I considered the edge case of empty lists, but they are handled already.",
    ],
)
def test_what_a_program_refuses_is_no_alternative(message: str):
    assert read_last_message(message).alternatives == ()
