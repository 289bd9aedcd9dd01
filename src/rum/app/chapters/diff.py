"""What a renewal changes in the words of a chapter or of wisdom."""

from __future__ import annotations

from collections.abc import Iterator

from rum.model.chapter_answers import Change
from rum.model.chapters import Chapter, Evidence, Wisdom

_PARTS = {
    Chapter: ("title", "summary", "learnings", "topics", "tags", "memory_ids"),
    Wisdom: ("summary", "insights", "patterns", "best_practices", "tags", "chapter_ids"),
}


def changes(old: Chapter | Wisdom, new: Chapter | Wisdom) -> tuple[Change, ...]:
    """What went out of each part, and what came in; then what claims that stayed rest on by now."""
    return (*_parts(old, new), *_evidence(old, new))


def _parts(old: Chapter | Wisdom, new: Chapter | Wisdom) -> Iterator[Change]:
    for name in _PARTS[type(old)]:
        before, after = _said(getattr(old, name)), _said(getattr(new, name))
        removed = tuple(one for one in before if one not in after)
        added = tuple(one for one in after if one not in before)
        if removed or added:
            yield Change(name, removed, added)


def _said(part: str | tuple[str, ...]) -> tuple[str, ...]:
    return part if isinstance(part, tuple) else (part,)


def _evidence(old: Chapter | Wisdom, new: Chapter | Wisdom) -> Iterator[Change]:
    before, after = _rests_on(old), _rests_on(new)
    lines = [(_line(claim, before[claim]), _line(claim, after[claim])) for claim in after if claim in before]
    changed = [(was, now) for was, now in lines if was != now]
    if changed:
        yield Change("evidence", tuple(was for was, _ in changed), tuple(now for _, now in changed))


def _rests_on(one: Chapter | Wisdom) -> dict[str, Evidence]:
    claims = one.learnings if isinstance(one, Chapter) else one.claims
    return dict(zip(claims, one.evidence, strict=True))


def _line(claim: str, evidence: Evidence) -> str:
    return f"{claim} [{evidence.supporting} for, {evidence.against} against]"
