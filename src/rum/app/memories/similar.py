"""Near-duplicates of a memory that is about to be stored, asked for with its rarest words only."""

from __future__ import annotations

from rum.app.project import Project
from rum.model.memory import Draft, Similar
from rum.text.terms import terms

RARE = 50
"""A word in more memories than this does not tell them apart."""
ASKED = 4
LOOKED_AT = 5
LIKE = 0.6
"""The share of common words in goal and outcome from which two memories are called alike."""
SHOWN = 3


def similar_to(project: Project, draft: Draft) -> list[Similar]:
    """The memories that say almost the same."""
    ids = sharing(project, draft.intent.goal)
    if not ids:
        return []
    said = {*terms(draft.intent.goal), *terms(draft.outcome.summary)}
    texts = project.store.search.texts(ids)
    likeness = {
        one: _overlap(said, set(f"{texts[one][0]} {texts[one][2]}".split())) for one in ids if one in texts
    }
    best = sorted((one for one in ids if likeness.get(one, 0) >= LIKE), key=lambda one: -likeness[one])[
        :SHOWN
    ]
    goals = {memory.id: memory.intent.goal for memory in project.store.memories.headlines(best)}
    return [Similar(one, goals[one], round(likeness[one], 2)) for one in best if one in goals]


def sharing(project: Project, text: str, asked: int = ASKED) -> list[str]:
    """The memories that have most of a text's rarest words."""
    # Names with a digit in them and long words tend to be rare; how rare they are is then counted.
    telling = sorted(set(terms(text)), key=lambda term: (term.isalpha(), -len(term), term))[:asked]
    return project.store.search.sharing(telling, RARE, LOOKED_AT)


def _overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other)
