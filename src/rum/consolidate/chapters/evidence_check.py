"""Whether claims say no more than the memories they name: each word and number is looked for in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rum.consolidate.chapters.evidence import words_of
from rum.consolidate.chapters.members import in_force
from rum.consolidate.counting import changed_files
from rum.model.chapters import Evidence
from rum.model.memory import Memory
from rum.text.word_weights import Words, figures, telling_words

_OURS = telling_words(
    "failed worked what later succeeded times twice once changed memories memory together former bug "
    "fixes new features refactorings investigations test changes documentation optimizations security "
    "dependency updates configuration"
)
"""The words that drawn claims add to those of their sources."""


def unsourced(
    claims: Sequence[str], evidence: Sequence[Evidence], members: Mapping[str, Memory], least: float = 1.0
) -> list[str]:
    """What is wrong with claims and their evidence; `least` is the share of words that sources must have."""
    if len(claims) != len(evidence):
        return [f"{len(claims)} claims have {len(evidence)} pieces of evidence"]
    said = zip(claims, evidence, strict=True)
    return [
        f"{claim!r}: {problem}" for claim, one in said for problem in _problems(claim, one, members, least)
    ]


def said_share(claim: str, sources: Sequence[Memory]) -> float:
    """How many of a claim's words its sources have, from 0 to 1."""
    wanted = telling_words(claim)
    return len(wanted & _all_words(sources)) / len(wanted) if wanted else 0.0


def unsaid_figures(claim: str, sources: Sequence[Memory]) -> Words:
    """The numbers of a claim that its sources have not."""
    return figures(telling_words(claim)) - _all_words(sources)


def _all_words(sources: Sequence[Memory]) -> Words:
    return frozenset(word for memory in sources for word in words_of(memory))


def _problems(claim: str, evidence: Evidence, members: Mapping[str, Memory], least: float) -> Iterator[str]:
    named = (*evidence.memory_ids, *evidence.against_ids)
    if unknown := [one for one in named if one not in members]:
        yield f"it names {unknown[0]}, which is no member"
        return
    if not evidence.memory_ids or evidence.supporting < len(evidence.memory_ids):
        yield f"it names {len(evidence.memory_ids)} sources and counts {evidence.supporting}"
        return
    sources = [members[one] for one in evidence.memory_ids]
    if evidence.last_confirmed < max(memory.created_at for memory in sources):
        yield "a source is newer than its last confirmation"
    wanted = telling_words(claim) - _OURS - figures(telling_words(claim))
    unsaid = wanted - _all_words(sources)
    if len(unsaid) > (1 - least) * len(wanted):
        yield f"no source says {', '.join(sorted(unsaid))}"
    counted = _counts(claim, evidence, members)
    if made_up := sorted(unsaid_figures(claim, sources) - counted):
        yield f"neither a source nor a count says {', '.join(made_up)}"


def _counts(claim: str, evidence: Evidence, members: Mapping[str, Memory]) -> Words:
    """The numbers that counting the members in force gives: all of them, and those a claim is about."""
    counted = in_force(members.values())
    paths = {path for memory in counted for path in changed_files(memory) if path in claim}
    kinds = Counter(memory.intent.task_type for memory in counted)
    numbers = {evidence.supporting, evidence.against, len(counted), *kinds.values()}
    numbers |= {sum(path in changed_files(memory) for memory in counted) for path in paths}
    return frozenset(map(str, numbers))
