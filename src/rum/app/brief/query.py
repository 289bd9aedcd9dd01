"""The query of a brief, as its sources need it: the task as text, the files, the agent, a time."""

from __future__ import annotations

from typing import NamedTuple

from rum.app.agents import agent_name
from rum.app.caller import Caller
from rum.model.runs import BriefRequest
from rum.repo.files import strip_line
from rum.text.patterns import Text
from rum.text.terms import content_words

MINUTE = 60
Word = tuple[str, ...]  # A word as the index terms it stands for
# Words that can describe any work.
_ANY_WORK = frozenset(
    content_words(
        "add adjust allow build change check clean create delete do drop edit ensure extend finish fix handle"
        " implement improve introduce keep let look make mend modify move need prepare provide put refactor"
        " remove rename replace rework rewrite run set start support task tell test tidy try update"
        " use work write"
    )
)


MAX_LENGTH = 20_000  # Characters of a task or plan that are read


class BriefQuery(NamedTuple):
    """What a brief is wanted for."""

    task: str
    plan: str
    files: tuple[str, ...]
    agent: str | None
    session: str | None
    now: int
    text: Text  # Task, plan and files, to match patterns and words

    @property
    def about(self) -> str:
        """What it is about, in words: the task, else the plan."""
        return self.task or self.plan


def make_query(caller: Caller, request: BriefRequest) -> BriefQuery:
    """The query of a request. Its time is rounded to the minute, so that equal requests get equal briefs."""
    # The rest of a pasted log says nothing more about the task, and every word of it would be looked up.
    task, plan = ((text or "")[:MAX_LENGTH].strip() for text in (request.task, request.plan))
    files = tuple(dict.fromkeys(caller.relative(strip_line(path)) for path in request.files))
    return BriefQuery(
        task=task,
        plan=plan,
        files=files,
        agent=agent_name(caller, request.agent),
        session=request.session,
        now=caller.project.now() // MINUTE * MINUTE + MINUTE - 1,
        text=Text(task, plan, files=files),
    )


def distinctive_words(text: str) -> tuple[Word, ...]:
    """The words of a text that distinguish one piece of work from another."""
    return tuple(word for word in content_words(text) if word not in _ANY_WORK)


def normalise(text: str) -> str:
    """A text in lower case with single spaces."""
    return " ".join(text.casefold().split())
