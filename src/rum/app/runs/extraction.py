"""What a finished run is worth, found, checked and kept: a note, facts and rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import UNSET

from rum.app.agents import ensure_agent
from rum.app.caller import Caller
from rum.app.layers import facts, rules
from rum.app.memories.store import find_sharing
from rum.app.notes.notes import add_note, forgotten_statements
from rum.app.project import Project
from rum.app.review import pending
from rum.app.review.pending import EXTRACTION, PendingFact, PendingNote, PendingRule
from rum.extract.by_model import find_by_model
from rum.extract.by_rules import find_by_rules
from rum.extract.check import (
    KnownText,
    fact_problem,
    known_text,
    note_problem,
    rule_problem,
    specific_patterns,
    word_share,
)
from rum.llm.base import CannotComplete
from rum.model.errors import InvalidQuery, PermissionDenied, RumError
from rum.model.fields import parse
from rum.model.ids import new_id
from rum.model.layers import Fact, GivenFact, GivenRule, Rule
from rum.model.notes import Entry, NoteDraft
from rum.model.runs import Extracted, Finding, FinishedRun, Frontmatter, Kept, Rejected
from rum.store.base import ReadMode
from rum.store.files.notes.folder import Stamp
from rum.text.shorten import one_line
from rum.text.terms import terms
from rum.text.word_weights import telling_words

T = TypeVar("T")
SOURCE = "extraction"  # What notes have as their source
# Fields as Python writes them, and as files do.
_SPELLED = {"agent_output": "agentOutput", "existing_memories": "existingMemories"}
_FORGOTTEN = "it was forgotten on purpose"
_REVIEWED = "it was forgotten or rejected on purpose, or waits for review"
# The share of its words that a file must have to be worth taking apart: a little less than says the same.
_MAY_BE_ALIKE = 0.5
_QUOTED = 300  # Characters of a task or a line that are shown in a review
_ASKED = 12  # Rare words by which memories are found that may say the same


class _Found(NamedTuple):
    """A finding, who found it, and what to know about that."""

    finding: Finding
    by: str
    hint: str | None = None


def extract(caller: Caller, given: dict[str, Any], *, dry_run: bool = False) -> Extracted:
    """Find what lasts in a run, check it, and keep it unless it is a dry run.

    Nobody else waits for the language model: it is asked between two turns. What it found is checked and
    written in one transaction, so that two processes with the same run do not both keep it.
    """
    spelled = {_SPELLED.get(name, name): value for name, value in given.items()}
    project = caller.project
    with caller.locked_call():
        try:
            run = parse(project.clean(spelled), FinishedRun, "run")
        except InvalidQuery as error:
            if not any("_" in name for name in given):
                raise
            raise InvalidQuery(_in_python(error.message), **_in_python(error.details)) from None
    found = _find(project, run)
    finding = found.finding
    known = Known(caller, run, f"{finding.title}\n{finding.content}")
    with project.locked(), caller.undo_identity_on_error():
        if dry_run or finding.is_empty:
            return _Sieve(caller, run, found, known).answer(None if dry_run else Kept())
        # All notes are read before the transaction, in which others wait.
        known.texts()
        project.note_store.summaries()
        with project.store.transaction():
            sieve = _Sieve(caller, run, found, known)
            return sieve.answer(sieve.written())


def _in_python(value: T) -> T:
    """A text, or all texts of a JSON value, with fields as Python writes them."""
    text = msgspec.json.encode(value).decode()
    for python, written in _SPELLED.items():
        text = re.sub(rf"\b{written}\b", python, text)
    return msgspec.json.decode(text)


def _find(project: Project, run: FinishedRun) -> _Found:
    """By the language model that is set, else by rules; by rules too while the model fails."""
    try:
        model = project.language_model
        if model is not None:
            with project.locked():
                known = _titles(project, run)
            return _Found(find_by_model(model, run, known), model.name)
    except CannotComplete as error:
        return _Found(find_by_rules(run), "rules", error.message)
    return _Found(find_by_rules(run), "rules")


def _titles(project: Project, run: FinishedRun) -> Sequence[str]:
    """The names of what is known, that which shares most words with a run first."""
    words = telling_words(f"{run.task}\n{run.agent_output}")
    noted = [summary.title for summary in project.note_store.summaries()[0].values()]
    return [*_given_names(run), *sorted(noted, key=lambda title: -len(words & telling_words(title)))]


def _given_names(run: FinishedRun) -> Iterator[str]:
    for number, memory in enumerate(run.existing_memories, 1):
        title = memory.text.partition("\n")[0]
        yield f"`{title}`" if title else f"existing memory {number}"


class _Sieve:
    """Lets through what may be kept, and says of the rest why not."""

    def __init__(self, caller: Caller, run: FinishedRun, found: _Found, known: Known) -> None:
        self._caller = caller
        self._project = caller.project
        self._run = run
        self._found = found
        self._rejected: list[Rejected] = []
        self._note = self._passed_note(found.finding, known)
        self._facts = tuple(self._passed_facts())
        self._rules = tuple(self._passed_rules())

    def answer(self, kept: Kept | None) -> Extracted:
        """What was found and passed, and what was kept of it; None where nothing was to be written."""
        finding, note = self._found.finding, self._note
        # What the checks had against a note comes last.
        against = [f" The note was not stored: {one.why}." for one in self._rejected if one.what == "note"]
        return Extracted(
            should_create_memory=note is not None,
            memory_title=note.title if note else UNSET,
            frontmatter=self._frontmatter(note) if note else UNSET,
            content=note.content if note else UNSET,
            reasoning="".join([finding.reasoning, *against]),
            kind=finding.kind if note and finding.kind else UNSET,
            facts=self._facts,
            rules=self._rules,
            rejected=tuple(self._rejected),
            by=self._found.by,
            hint=self._found.hint or UNSET,
            kept=kept or UNSET,
        )

    def _frontmatter(self, note: NoteDraft) -> Frontmatter:
        at = datetime.fromtimestamp(self._project.now(), UTC)
        return Frontmatter(
            title=note.title,
            when_to_use=(note.when_to_use,) if isinstance(note.when_to_use, str) else note.when_to_use,
            tags=note.tags,
            importance=note.importance,
            discovered_at=f"{at:%Y-%m-%dT%H:%M:%SZ}",
            discovered_by=self._run.agent,
            discovered_in=note.discovered_in,
            source=note.source,
        )

    def _passed_note(self, finding: Finding, known: Known) -> NoteDraft | None:
        if not finding.title and not finding.content:
            return None
        problem = note_problem(finding, self._run, known.texts())
        entry = Entry(n=1, title=finding.title, content=finding.content)
        if problem is None and forgotten_statements(self._project, entry) is not None:
            problem = self._why_not_again()
        fields = {
            "title": finding.title,
            "content": finding.content,
            "when_to_use": specific_patterns(finding.when_to_use),
            "tags": finding.tags,
            "importance": finding.importance,
            "discovered_at": self._project.now(),
            "discovered_by": self._run.agent,
            "discovered_in": f"Task: {' '.join(self._run.task.split())[:300]}",
            "source": SOURCE,
        }
        draft = None
        try:
            _ = self._project.note_store.folder
            draft = parse(fields, NoteDraft, "note")
            draft.check()
        except InvalidQuery as error:
            problem = problem or error.message
        if problem:
            self._reject("note", finding.title, problem)
            return None
        return draft

    def _passed_facts(self) -> Iterator[GivenFact]:
        for fact in self._found.finding.facts:
            problem = fact_problem(fact, self._run)
            old = facts.get_fact(self._project, fact.key)
            # What somebody set again after it was forgotten is to be known here.
            if problem is None and old is None and facts.is_forgotten(self._project, fact.key):
                problem = self._why_not_again()
            if problem is None and pending.is_rejected(self._project, fact.key, fact.value):
                problem = self._why_not_again()
            if problem is None and old is not None and old.value == fact.value:
                problem = "it is known already"
            if problem:
                self._reject("fact", fact.key, problem)
            else:
                yield fact

    def _passed_rules(self) -> Iterator[GivenRule]:
        known = [
            known_text(f"the rule {one.id}", f"{one.condition}\n{one.action}")
            for one in self._project.store.rules.latest(facts.EVERY)
        ]
        for rule in self._found.finding.rules:
            problem = rule_problem(rule, self._run, known)
            unwritten = Rule(id="", condition=rule.condition, action=rule.action, agent_id="", created_at=0)
            if problem is None and rules.is_forgotten(self._project, unwritten):
                problem = self._why_not_again()
            if problem:
                self._reject("rule", f"{rule.condition} → {rule.action}", problem)
            else:
                known.append(known_text("another one of these", f"{rule.condition}\n{rule.action}"))
                yield rule

    def written(self) -> Kept:
        """Write all that passed; the note comes last, as it cannot be taken back."""
        if pending.is_on(self._project):
            return self._proposed()
        caller, keys = self._caller, list[str]()
        for fact in self._facts:
            old = facts.get_fact(self._project, fact.key)
            try:
                if old is not None:  # What another agent put down is changed on purpose only
                    facts.check_may_change(caller, old, "let an extraction change")
                facts.learn(caller, fact.key, fact.value)
                keys.append(fact.key)
            except PermissionDenied as error:
                self._reject("fact", fact.key, error.message)
        ids = tuple(rules.add(caller, rule.condition, rule.action).id for rule in self._rules)
        added = add_note(caller, self._note).id if self._note else None
        return Kept(added, tuple(keys), ids)

    def _why_not_again(self) -> str:
        waiting = pending.is_on(self._project) or self._project.store.trash.count(pending=True)
        return _REVIEWED if waiting else _FORGOTTEN

    def _proposed(self) -> Kept:
        """Propose all that passed."""
        if not (self._facts or self._rules or self._note):
            return Kept()
        project, now, at = self._project, self._project.now(), int(self._project.clock() * 1000)
        agent, _ = ensure_agent(self._caller)
        for fact in self._facts:
            clean = parse(project.clean(msgspec.to_builtins(fact)), GivenFact, "fact")
            new = Fact(key=clean.key, value=clean.value, agent_id=agent.id, created_at=now, timestamp=at)
            pending.propose_fact(project, PendingFact(new, self._found_in(clean.value)))
        for rule in self._rules:
            clean = rules.clean_rule(project, rule.condition, rule.action)
            new = Rule(
                id=new_id("rule"),
                condition=clean.condition,
                action=clean.action,
                agent_id=agent.id,
                created_at=now,
                timestamp=at,
            )
            pending.propose_rule(project, PendingRule(new, self._found_in(clean.action)), EXTRACTION)
        if self._note:
            pending.propose_note(project, PendingNote(self._note, self._found_in("")))
        return Kept(pending=len(self._facts) + len(self._rules) + (self._note is not None))

    def _found_in(self, text: str) -> str:
        """The task of the run, and the line of its output that has a text."""
        lines = self._run.agent_output.splitlines() if text else []
        quoted = next((line for line in lines if text.casefold() in line.casefold()), "")
        return "\n".join(
            filter(None, (f"Task: {one_line(self._run.task, _QUOTED)}", one_line(quoted, _QUOTED)))
        )

    def _reject(self, what: str, name: str, why: str) -> None:
        self._rejected.append(msgspec.convert({"what": what, "name": name[:200], "why": why}, Rejected))


class Known:
    """The notes, facts and rules that may already say what a text says.

    There may be many notes: each file is read once, and again only after a change. A caller that looks before
    it takes a lock therefore does not make others wait.
    """

    def __init__(self, caller: Caller, run: FinishedRun, text: str) -> None:
        self._caller = caller
        self._project = caller.project
        self._text = text
        self._words = telling_words(text)
        named = zip(_given_names(run), run.existing_memories, strict=True)
        self._given = [known_text(name, memory.text) for name, memory in named]
        self._read_notes: dict[str, tuple[Stamp, list[KnownText]]] = {}

    def texts(self) -> list[KnownText]:
        """The notes and memories to compare a finding with."""
        return [*self._given, *self._notes(), *self._memories()]

    def _notes(self) -> Iterator[KnownText]:
        if not self._words:
            return
        try:
            folder = self._project.note_store.folder
        except InvalidQuery:  # there are no notes here
            return
        noted: dict[str, tuple[Stamp, list[KnownText]]] = {}
        for slug, stamp in folder.file_stamps().items():
            before = self._read_notes.get(slug)
            noted[slug] = before if before and before[0] == stamp else (stamp, self._read(slug))
            yield from noted[slug][1]
        self._read_notes = noted

    def _read(self, slug: str) -> list[KnownText]:
        """The entries of a note; none of one whose words alone show that it says something else."""
        notes = self._project.note_store
        with suppress(RumError):  # somebody may be editing it just now
            words = frozenset(terms(notes.folder.bytes(slug).decode(errors="replace")))
            if word_share(self._words, words) >= _MAY_BE_ALIKE:
                return [
                    known_text(
                        f"the note {slug}#{entry.n}",
                        f"{entry.title}\n{entry.content}",
                        (entry.discovered_at or 0, entry.n),
                    )
                    for entry in notes.note(slug).entries
                ]
        return []

    def _memories(self) -> Iterator[KnownText]:
        """Memories that share rare words with the text; this session's may be of the same run."""
        ids = find_sharing(self._project, self._text, _ASKED)
        for memory in self._project.store.memories.get(ids, ReadMode.BEST_EFFORT):
            if memory.session_id == self._caller.session_id or memory.superseded_by:
                continue
            outcome, seen, reasoning = memory.outcome, memory.perception, memory.reasoning
            parts = (
                memory.intent.goal,
                memory.full_summary,
                outcome.failure_reason,
                *outcome.learnings,
                *(one.what for one in seen.observations),
                *seen.patterns_noticed,
                *seen.anomalies,
                reasoning.approach_chosen,
                reasoning.why_chosen,
            )
            text = "\n".join(filter(None, parts))
            yield known_text(f"the memory {memory.id}", text, (memory.created_at, 0))
