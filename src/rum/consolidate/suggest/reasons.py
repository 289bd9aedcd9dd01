"""What a found group is called, and why it was found, in plain words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from rum.consolidate.chapters.titles import is_pale
from rum.consolidate.counting import is_by_the_way
from rum.consolidate.days import day_of
from rum.consolidate.suggest.traits import Seen
from rum.text.terms import terms

NAMED = 3
"""Words, and files, that a reason names."""
TAGS = 5

_WORD = re.compile(r"[^\W_][\w.+#'-]*[\w+#]|[^\W_]")


def reason(members: Sequence[Seen], links: int, rare_words: Callable[[Seen], Iterable[str]]) -> str:
    """Who and when, and what they have in common, the surest first."""
    common = [
        *(
            [f"{links} links tie them together" if links > 1 else "one link ties two of them"]
            if links
            else []
        ),
        *_spoken(members, rare_words),
        *_touched(members),
    ]
    found = "; ".join(common) or "they are alike in many small things"
    return f"{len(members)} memories {_by(members)} {_when(members)}: {found}."


def tags(members: Sequence[Seen]) -> tuple[str, ...]:
    """The tags that at least half of the members have, those of most members first."""
    return tuple(tag for tag, _ in _shared((one.tags for one in members), len(members) / 2)[:TAGS])


def _by(members: Sequence[Seen]) -> str:
    agents = len({one.agent_id for one in members})
    return "by one agent" if agents == 1 else f"by {agents} agents"


def _when(members: Sequence[Seen]) -> str:
    first, last = (day_of(one.at).isoformat() for one in (members[0], members[-1]))
    return f"on {first}" if first == last else f"from {first} to {last}"


def _spoken(members: Sequence[Seen], rare_words: Callable[[Seen], Iterable[str]]) -> list[str]:
    shared = _shared((rare_words(one) for one in members), len(members) / 2)
    said: dict[str, int] = {}
    for term, count in shared:
        word = None if is_pale(term) else _as_written(term, members)
        # Of a name and its parts the first, and so the one of most members, is enough.
        if word and not any(word in other or other in word for other in said):
            said[word] = count
    told = [f"“{word}” ({_of(count, members)})" for word, count in list(said.items())[:NAMED]]
    return [f"their goals speak of {', '.join(told)}"] if told else []


def _as_written(term: str, members: Sequence[Seen]) -> str | None:
    """An index term as the first goal that has it writes it."""
    for one in members:
        for word in _WORD.findall(one.goal):
            if term in terms(word)[:1]:
                return word.lower()
    return None


def _touched(members: Sequence[Seen]) -> list[str]:
    shared = _shared(
        ([path for path in one.paths if not is_by_the_way(path)] for one in members), len(members) / 2
    )
    told = [f"{path} ({_of(count, members)})" for path, count in shared[:NAMED]]
    return [f"they touch {', '.join(told)}"] if told else []


def _of(count: int, members: Sequence[Seen]) -> str:
    return "all" if count == len(members) else f"{count} of {len(members)}"


def _shared(having: Iterable[Iterable[str]], least: float) -> list[tuple[str, int]]:
    """What at least two, and so many, have, most first; of equals the first one met."""
    counts = Counter(one for some in having for one in dict.fromkeys(some))
    met = {one: place for place, one in enumerate(counts)}
    shared = [(one, count) for one, count in counts.items() if count >= max(2, least)]
    return sorted(shared, key=lambda pair: (-pair[1], met[pair[0]]))
