"""Making wisdom: the chapters picked, the words made, and all of it written as one."""

from __future__ import annotations

from msgspec import UNSET

from rum.app.caller import Caller
from rum.app.chapters.given_words import handed_in
from rum.app.chapters.make_wisdom import WISDOM, WisdomPick
from rum.app.chapters.members import picked_chapters
from rum.app.chapters.staleness import judged
from rum.app.chapters.write_group import Kept, beside_old, keep
from rum.model.chapter_answers import SynthesizeQuestion, SynthesizeResult
from rum.model.chapters import Wisdom


def synthesize(caller: Caller, question: SynthesizeQuestion) -> SynthesizeResult:
    """Make wisdom of chapters, or renew what there is of the same chapters or found by the same tags."""
    with caller.turn():
        pick = _picked(caller, question)
    return _result(keep(caller, WISDOM, pick))


def _picked(caller: Caller, question: SynthesizeQuestion) -> WisdomPick:
    chapters, tagged = picked_chapters(caller, question)
    underneath = WISDOM.members(caller, chapters)
    pick = WisdomPick(chapters, underneath, tagged, handed_in(caller, question))
    pick = beside_old(caller, WISDOM, pick, again=question.again)
    stale = [chapter.id for chapter in judged(caller.project, chapters) if chapter.stale]
    if not stale or pick.tagged.note:
        return pick
    note = f"To be renewed first, with `rum refresh`: {', '.join(stale)}."
    return pick._replace(tagged=pick.tagged._replace(note=note))


def _result(kept: Kept[Wisdom]) -> SynthesizeResult:
    wisdom = kept.one
    return SynthesizeResult(
        wisdom_id=wisdom.id,
        created=kept.created,
        summary=wisdom.summary,
        insights=wisdom.insights,
        patterns=wisdom.patterns,
        best_practices=wisdom.best_practices,
        evidence=wisdom.evidence,
        contradictions=wisdom.contradictions or UNSET,
        chapter_count=len(wisdom.sources),
        start_ts=wisdom.start_ts,
        end_ts=wisdom.end_ts,
        words=wisdom.words,
        note=kept.note or UNSET,
    )
