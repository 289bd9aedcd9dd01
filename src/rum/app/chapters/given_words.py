"""The words that callers hand in for a chapter or wisdom: they stay until they are handed in anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from rum.app.caller import Caller
from rum.app.chapters.sanitise_words import CLAIMS, TEXTS, presentable
from rum.model.chapters import Chapter, Wisdom
from rum.model.errors import InvalidQuery


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


def handed_in(caller: Caller, question: msgspec.Struct) -> Given:
    """What a question hands in, as it may be kept; each claim once, on one line."""
    told = {name: part for name in (*TEXTS, *CLAIMS) if (part := getattr(question, name, None)) is not None}
    clean = presentable(caller.project, msgspec.to_builtins(told))
    for name, part in clean.items():
        if not all(text.strip() for text in ([part] if name in TEXTS else part)):
            raise InvalidQuery(f"`{caller.spell(name)}` has a text that shows nothing.", field=name)
    return Given(
        {name: clean[name] for name in TEXTS if name in clean},
        {name: tuple(dict.fromkeys(clean[name])) for name in CLAIMS if name in clean},
    )


def handed_in_before(one: Chapter | Wisdom | None) -> Given:
    """What was handed in for a chapter or wisdom, if there is one."""
    names = one.given if one else ()
    return Given(
        {name: getattr(one, name) for name in TEXTS if name in names},
        {name: getattr(one, name) for name in CLAIMS if name in names},
    )
