"""`rum journal`: what agents note down while they work."""

from __future__ import annotations

from typing import Any

import click
import msgspec
from click.exceptions import Exit

from rum.app.journal.agent_journal import AgentJournal
from rum.app.rum import Rum
from rum.model.errors import NotFound
from rum.model.journal import Kind
from rum.model.journal_answers import JournalArchived, JournalWritten, SessionView, Validated
from rum.model.journal_schema import shipped_schema
from rum.surfaces.cli import sanitise
from rum.surfaces.cli.choices import OneOf
from rum.surfaces.cli.knowledge.journal_fields import context_options, entry_options, refuse_others
from rum.surfaces.cli.memories.memory_input import given_flags, given_record
from rum.surfaces.cli.open_project import opened
from rum.surfaces.cli.options import Asked, Group
from rum.surfaces.cli.output import note, say, say_json, say_text
from rum.surfaces.cli.views import Field, Fields, Said, Table, View, Word, said

_SESSION = click.option(
    "--session", metavar="NAME", help="Which session, instead of RUM_SESSION or the latest."
)
_WRITTEN_TO = click.option("--session", metavar="NAME", help="Which session, instead of RUM_SESSION.")
_TASK = click.option("--task", metavar="TEXT", help="What the session is about, for its metadata.")


@click.group("journal", cls=Group)
def journal() -> None:
    """Note down discoveries, attempts and decisions of a session."""


@journal.command("add")
@click.argument("kind", type=OneOf(Kind))
@_WRITTEN_TO
@_TASK
@click.option("--id", metavar="ID", help="The entry's id; else one is made.")
@entry_options
@click.pass_obj
def add(
    asked: Asked, kind: str, session: str | None, task: str | None, source: str | None, **flags: Any
) -> None:
    """Append an entry: a discovery, an attempt or a decision.

    Its fields are flags, or a JSON object on stdin or in --file, which may hold any field.
    """
    entry_id = flags.pop("id")
    refuse_others(Kind(kind), given_flags(flags))
    entry = given_record(source, given_flags(flags)) | ({"id": entry_id} if entry_id else {})
    with opened(asked) as rum:
        answer = _meant(rum, session, task).add(kind, entry)
    _tell(asked, answer)


@journal.command("update")
@click.argument("id")
@_WRITTEN_TO
@_TASK
@entry_options
@click.pass_obj
def update(
    asked: Asked, id: str, session: str | None, task: str | None, source: str | None, **flags: Any
) -> None:
    """Set fields of an entry: above all what came of an attempt.

    Fields as in `rum journal add`. Only these lines of the file change.
    """
    entry = given_record(source, given_flags(flags))
    with opened(asked) as rum:
        journal = _meant(rum, session, task)
        _there(rum, journal.session)
        refuse_others(journal.kind_of(id), given_flags(flags))
        answer = journal.update(id, entry)
    _tell(asked, answer)


@journal.command("context")
@_WRITTEN_TO
@_TASK
@context_options
@click.pass_obj
def context(asked: Asked, session: str | None, task: str | None, source: str | None, **flags: Any) -> None:
    """Set where the agent stands: plan step, blockers, next steps and more.

    Fields are flags, or a JSON object on stdin or in --file, which may hold any field.
    """
    fields = given_record(source, given_flags(flags))
    with opened(asked) as rum:
        answer = _meant(rum, session, task).context(fields)
    _tell(asked, answer)


def _meant(rum: Rum, session: str | None, task: str | None) -> AgentJournal:
    """The journal to write to; a command is no session of its own, so one has to be named."""
    named = session or rum.settings.session
    if named is None:
        raise click.UsageError("Say which session: --session NAME, or set RUM_SESSION.")
    return rum.journal(named, task=task)


def _latest(rum: Rum, session: str | None) -> str:
    """The session to read from."""
    named = session or rum.settings.session or rum.journals.latest()
    if named is None:
        raise click.UsageError("There is no session with a journal here yet.")
    return _there(rum, named)


def _there(rum: Rum, session: str) -> str:
    """A session, if it has a journal."""
    if missing := rum.journals.missing(session):
        raise NotFound(missing, session=session)
    return session


def _tell(asked: Asked, answer: JournalWritten) -> None:
    say(asked.json, answer, lambda answer: said(answer.id or answer.path, "id"))
    if answer.hint and not asked.json:
        note(answer.hint)


@journal.command("show")
@click.argument("id", required=False)
@_SESSION
@click.pass_obj
def show(asked: Asked, id: str | None, session: str | None) -> None:
    """Show an agent's journal as it goes into its prompt, or one entry."""
    with opened(asked) as rum:
        journal = rum.journal(_latest(rum, session))
        if id is not None:
            say(asked.json, journal.entry(id), _entry)
            return
        text = journal.prompt()
        if asked.json:
            say_json({"session": journal.session, "agent": journal.agent, "text": text})
        elif text:
            say_text(text)
        else:
            others = [one for one in rum.journals.agents(journal.session) if one != journal.agent]
            there = f"; there are {', '.join(others)}" if others else ""
            note(f"{journal.agent} has no journal in {journal.session}{there}.")


def _entry(entry: dict[str, Any]) -> View:
    told = {name: value for name, value in entry.items() if name != "id"}
    fields: list[Field] = [(sanitise.line(name), _shown(value)) for name, value in told.items()]
    return [Fields((Word(str(entry.get("id", "")), "id"),), fields)]


def _shown(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


@journal.command("arbiter")
@_SESSION
@click.pass_obj
def arbiter(asked: Asked, session: str | None) -> None:
    """Show what each agent did last, for whoever chooses the next one."""
    with opened(asked) as rum:
        named = _latest(rum, session)
        text = rum.journals.arbiter(named)
    if asked.json:
        say_json({"session": named, "text": text})
    else:
        say_text(text)


@journal.command("validate")
@click.argument("file", required=False, type=click.Path())
@_SESSION
@click.option("--schema", is_flag=True, help="Print the JSON Schema of journals instead.")
@click.pass_obj
def validate(asked: Asked, file: str | None, session: str | None, schema: bool) -> None:
    """Check journals: every problem with its line and field.

    That in FILE, or all of a session. Ends with exit code 1 if there are problems.
    """
    if schema:
        say_text(shipped_schema())
        return
    with opened(asked) as rum:
        if file is not None:
            checked = [rum.journals.validate_file(file)]
        else:
            named = _latest(rum, session)
            own = [rum.journal(named, asked.agent).validate()] if asked.agent else None
            checked = own or rum.journals.validate(named)
    say(asked.json, checked, _problems)
    if not all(one.valid for one in checked):
        raise Exit(1)


def _problems(checked: list[Validated]) -> View:
    view: View = []
    for one in checked:
        if one.valid:
            view.append(Said((Word("ok", "good"), Word(one.path))))
        for found in one.problems:
            at = "" if found.problem.startswith(one.path) else f"{one.path}, line {found.line}: "
            view.append(Said((Word("FAIL", "bad"), Word(at + found.problem))))
    return view


@journal.command("archive")
@_SESSION
@click.pass_obj
def archive(asked: Asked, session: str | None) -> None:
    """Move what is old out of long journals.

    A journal over 100 KB, or of more than four hours, keeps its last two hours; older entries go to
    agent-memory-archive.yaml beside it, and its `history` still names them. Whatever is written to a
    journal does the same when it is due.
    """
    with opened(asked) as rum:
        named = _latest(rum, session)
        agents = [asked.agent] if asked.agent else rum.journals.agents(named)
        answers = [rum.journal(named, agent).archive() for agent in agents]
    say(asked.json, answers, _archived)


def _archived(answers: list[JournalArchived]) -> View:
    return [Said((Word(one.agent, "strong"), Word(_moved(one)))) for one in answers]


def _moved(one: JournalArchived) -> str:
    if one.moved:
        return ", ".join(f"{count} {name}" for name, count in one.moved.items()) + f" moved to {one.path}"
    return "nothing is older than two hours" if one.long else "not long yet"


@journal.command("sessions")
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="How many at most."
)
@click.pass_obj
def sessions(asked: Asked, limit: int) -> None:
    """List the sessions with journals, the latest first."""
    with opened(asked) as rum:
        found = rum.journals.sessions(limit)
    say(asked.json, found, _table)
    if not found and not asked.json:
        note("No sessions yet.")


def _table(found: list[SessionView]) -> View:
    rows = [
        (
            Word(one.session, "id"),
            Word(", ".join(one.agents), "strong"),
            Word(" ".join(f"{count} {_counted(name, count)}" for name, count in one.counts.items() if count)),
            Word(one.end or one.start, "dim"),
            Word(one.task),
        )
        for one in found
    ]
    return [Table(("session", "agents", "entries", "last", "task"), rows)] if rows else []


def _counted(section: str, count: int) -> str:
    """The name of a section's entries, or of its one entry."""
    return next((kind.value for kind in Kind if kind.section == section and count == 1), section)
