"""The words that callers hand in for a chapter or wisdom: they stay until they are handed in anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import msgspec

from rum.app.context import Context
from rum.model.chapter import Chapter
from rum.model.wisdom import Wisdom

TEXTS = ("title", "summary")
CLAIMS = ("learnings", "insights", "patterns", "best_practices")


class Given(NamedTuple):
    """Parts of the words by name: texts, and lists of claims."""

    texts: Mapping[str, str] = {}
    claims: Mapping[str, tuple[str, ...]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Which parts there are, always in the same order."""
        return tuple(name for name in (*TEXTS, *CLAIMS) if name in self.texts or name in self.claims)

    @property
    def words(self) -> set[str]:
        """Which parts there are besides a title, which is but a name."""
        return set(self.names) - {"title"}

    def over(self, before: Given) -> Given:
        """These parts, and those of before that are not among them."""
        return Given({**before.texts, **self.texts}, {**before.claims, **self.claims})

    def only(self, holds: Callable[[str], bool]) -> Given:
        """The texts and claims of which something holds."""
        return Given(
            {name: text for name, text in self.texts.items() if holds(text)},
            {name: tuple(filter(holds, claims)) for name, claims in self.claims.items()},
        )


def handed_in(context: Context, question: msgspec.Struct) -> Given:
    """What a question hands in, without secrets; each claim once, on one line."""
    told = {name: part for name in (*TEXTS, *CLAIMS) if (part := getattr(question, name, None)) is not None}
    clean = context.clean(msgspec.to_builtins(told))
    return Given(
        {name: clean[name] for name in TEXTS if name in clean},
        {
            name: tuple(dict.fromkeys(" ".join(claim.split()) for claim in clean[name]))
            for name in CLAIMS
            if name in clean
        },
    )


def handed_in_before(one: Chapter | Wisdom) -> Given:
    """What was handed in for a chapter or wisdom that is there."""
    return Given(
        {name: getattr(one, name) for name in TEXTS if name in one.given},
        {name: getattr(one, name) for name in CLAIMS if name in one.given},
    )
