"""What a brief is asked for, as its sources need it: the task as text, the files, the agent, a time."""

from __future__ import annotations

from typing import NamedTuple

from rum.app.context import Context
from rum.app.notes_reading import agent_named
from rum.inject.match import Text
from rum.model.brief import BriefQuestion
from rum.repo.files import strip_line

MINUTE = 60


class Asked(NamedTuple):
    """One question for a brief."""

    task: str
    plan: str
    files: tuple[str, ...]
    agent: str | None
    session: str | None
    now: int
    text: Text
    """Task, plan and files, to hold patterns and words against."""

    @property
    def about(self) -> str:
        """What it is about, in words: the task, else the plan."""
        return self.task or self.plan


def asked(context: Context, question: BriefQuestion) -> Asked:
    """The question in this project's terms; within a minute the time does not move."""
    task, plan = (question.task or "").strip(), (question.plan or "").strip()
    files = tuple(dict.fromkeys(context.relative(strip_line(path)) for path in question.files))
    return Asked(
        task=task,
        plan=plan,
        files=files,
        agent=agent_named(context, question.agent),
        session=question.session,
        now=context.now() // MINUTE * MINUTE + MINUTE - 1,
        text=Text(task, plan, *files),
    )
