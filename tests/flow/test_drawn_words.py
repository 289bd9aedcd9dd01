"""From a git history to a chapter and wisdom: reasons are found, and every claim comes from a commit."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rum.consolidate.chapters import chapter_words, wisdom_words
from rum.consolidate.chapters.evidence import evidence_problems
from rum.model.memory import Memory
from support.chapter_memories import by_id, make_chapter
from support.projects import Shop
from support.repositories import Repository

LOCK = """\
basket: lock the basket while it is paid

Two tabs could pay the same basket twice, because `pay()` read it before the
first payment was written.

```
basket 17: paid 2 times
```

Fixes #12
Reported-by: Bob Example
"""
POOL = """\
basket: give connections back before mailing

`send_mail()` must not be called inside a transaction. Otherwise the pool of
connections runs dry while the mail server is slow.
"""
NOISE = """\
basket: tidy up

Also rename a variable.

Follow-up to the last commit.
"""
UNDONE = """\
Revert "basket: keep baskets in cookies"

This reverts commit {sha}.

Cookies are limited to 4096 bytes. Large baskets were cut off without a word.
"""


def history(shop: Shop) -> list[Memory]:
    """The memories of a small history, oldest first."""
    repo = Repository(shop.folder)
    repo.commit(LOCK, {"basket.py": "1\n", "pay.py": "1\n"})
    cookies = repo.commit("basket: keep baskets in cookies", {"basket.py": "2\n"})
    repo.commit(UNDONE.format(sha=cookies), {"basket.py": "1\n"})
    repo.commit(POOL, {"basket.py": "3\n", "pay.py": "2\n"})
    repo.commit("basket: keep baskets on the server", {"basket.py": "4\n"})
    repo.commit(NOISE, {"basket.py": "5\n", "pay.py": "3\n"})
    rum = shop.open(owner=True)
    rum.import_git()
    return [memory for batch in rum._caller.project.store.memories.pages() for memory in batch]


def test_a_chapter_quotes_the_reasons_from_commit_messages(shop: Shop):
    members = history(shop)
    words = chapter_words.draw_chapter(members)
    assert words.title.startswith("basket")
    assert set(words.learnings) == {
        "basket: lock the basket while it is paid — Two tabs could pay the same basket twice, because "
        "`pay()` read it before the first payment was written.",
        "`send_mail()` must not be called inside a transaction. Otherwise the pool of connections runs dry "
        "while the mail server is slow.",
        "basket: keep baskets in cookies failed: Cookies are limited to 4096 bytes. Large baskets were "
        "cut off without a word. Later succeeded: basket: keep baskets on the server",
    }
    assert "5 succeeded, 1 failed: “basket: keep baskets in cookies”." in words.summary
    assert "Changed most often: basket.py and pay.py." in words.summary
    assert evidence_problems(words.learnings, words.evidence, by_id(*members)) == []


def test_wisdom_from_a_history_contains_only_claims_from_commits(shop: Shop):
    members = history(shop)
    words = wisdom(members[:3], members[2:])
    claims = (*words.insights, *words.patterns, *words.best_practices)
    assert "In these chapters, changes of pay.py came with changes of basket.py." in words.patterns
    assert evidence_problems(claims, words.evidence, by_id(*members)) == []
    assert msgspec.json.encode(wisdom(members[2:], members[:3])) == msgspec.json.encode(words)


def wisdom(*groups: Sequence[Memory]) -> wisdom_words.WisdomText:
    chapters = [make_chapter(group[0].created_at, group) for group in groups]
    return wisdom_words.draw_wisdom(chapters, by_id(*(memory for group in groups for memory in group)))
