"""Keep what users tell agents as rules in their own words; a later word supersedes a contrary earlier one."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.freshness.texts import anchor_text, rule_text
from rum.app.layers.rules import is_forgotten
from rum.app.memories.store import replace_memory
from rum.app.project import Project
from rum.app.review import pending
from rum.app.review.pending import CAPTURE, PendingRule
from rum.capture.observe.guidance import Guidance, guidance_in, takes_back
from rum.capture.observe.rejection import changed_files, undoes
from rum.model.fields import LONGEST_PATTERN
from rum.model.ids import id_of
from rum.model.layers import ANYWHERE, USER, Rule
from rum.repo.files import relative_path
from rum.text.contrary import contrary

if TYPE_CHECKING:
    from rum.capture.events.event import Event

_MAX_COMPARED = 500  # Rules of users, newest first, that a new one may supersede
_MAX_FILES = 4


def keep_words(
    caller: Caller,
    prompt: Event,
    events: Sequence[Event],
    before: Sequence[Event],
    *,
    author: Callable[[], str],
    about: str | None,
) -> list[Rule]:
    """Store or propose what a prompt says that the user wants; the rules that are new.

    `events` are those of the prompt's turn, `before` those of the last turn that changed something, of which
    `about` is the memory; `author` gives the id of the agent that they were said to.
    """
    follows_work = bool(changed_files(before))
    found = guidance_in(
        prompt.get("text", ""), follows_work=follows_work, undoes=follows_work and undoes(before, events)
    )
    if not found:
        return []
    with caller.store.transaction():
        said = [one for one in caller.store.rules.latest(_MAX_COMPARED, USER) if not one.superseded_by]
        found = [
            one
            for one in found
            if not one.is_reversal or any(_is_contrary(one.text, earlier.action) for earlier in said)
        ]
        rules = [_rule(caller, one, prompt, before, author(), about) for one in found]
        new = [rule for rule in {one.id: one for one in rules}.values() if _is_new(caller, rule)]
        for rule in new:
            for one in _add(caller, rule):
                _withdraw_quotation(caller, one)
        return new


def _rule(
    caller: Caller, said: Guidance, prompt: Event, before: Sequence[Event], author: str, about: str | None
) -> Rule:
    text: str = caller.project.clean({"action": said.text})["action"]
    at = prompt["at"]
    return Rule(
        # The same words are the same rule, whenever they are said.
        id=id_of("rule", f"said {' '.join(text.casefold().split())}"),
        condition=ANYWHERE if said.is_lasting else _files_condition(caller, before),
        action=text,
        agent_id=author,
        created_at=min(int(at), caller.project.now()),
        timestamp=int(at * 1000),
        source=USER,
        about=about,
    )


def _files_condition(caller: Caller, before: Sequence[Event]) -> str:
    """The names of the files whose change was corrected; `ANYWHERE` if there are none, or too many."""
    root, cwd = caller.project.location.root, next((event["cwd"] for event in before if event["cwd"]), "")
    names = [posixpath.basename(relative_path(path, root, cwd)) for path in changed_files(before)]
    condition = "|".join(dict.fromkeys(name for name in names if "|" not in name and "*" not in name))
    return condition if 0 < len(names) <= _MAX_FILES and len(condition) <= LONGEST_PATTERN else ANYWHERE


def _is_new(caller: Caller, rule: Rule) -> bool:
    """Whether a rule is neither known nor forgotten, rejected or pending."""
    known = caller.store.rules.get([rule.id])
    if known and (known[0].superseded_by is None or known[0].created_at >= rule.created_at):
        return False
    return not is_forgotten(caller.project, rule)


def _add(caller: Caller, rule: Rule) -> list[Rule]:
    """Store or propose a rule; the rules that it supersedes."""
    if pending.is_on(caller.project):
        pending.propose_rule(caller.project, PendingRule(rule), CAPTURE)
        return []
    superseded = put_rule(caller.project, rule)
    anchor_text(caller.project, rule_text(rule))
    return superseded


def _withdraw_quotation(caller: Caller, rule: Rule) -> None:
    """Take a word that no longer holds out of what the work that it rejected taught."""
    for memory in caller.store.memories.get([rule.about] if rule.about else []):
        learnings = tuple(one for one in memory.outcome.learnings if rule.action not in one)
        if learnings != memory.outcome.learnings:
            changed = replace(memory, outcome=replace(memory.outcome, learnings=learnings))
            replace_memory(caller, memory, changed, by=CAPTURE)


def put_rule(project: Project, rule: Rule) -> list[Rule]:
    """Store a rule in a user's words, and mark those that it supersedes, which are returned."""
    rules = project.store.rules
    others = [one for one in rules.latest(_MAX_COMPARED, USER) if one.id != rule.id]
    later = next((one for one in others if one.created_at > rule.created_at and _overrules(one, rule)), None)
    rules.put(replace(rule, superseded_by=later.id if later else None))
    is_newer = (one for one in others if later is None and one.created_at <= rule.created_at)
    superseded = [one for one in is_newer if _overrules(rule, one)]
    for one in superseded:
        rules.put(replace(one, superseded_by=rule.id))
    return superseded


def propose_candidates(project: Project) -> None:
    """Propose for review what earlier versions took for a possible rule."""
    found = project.store.captured.rule_candidates()
    if not found:
        return
    with project.store.transaction():
        for one in found:
            rule = Rule(
                id=id_of("rule", f"candidate {one.id}"),
                condition=one.condition,
                action=one.action,
                agent_id=CAPTURE,
                created_at=int(one.at),
                timestamp=int(one.at * 1000),
            )
            if not is_forgotten(project, rule):
                pending.propose_rule(project, PendingRule(rule, one.said), CAPTURE)
    # After the commit: what is proposed twice is known by its marks.
    project.store.captured.delete_candidates()


def _overrules(later: Rule, earlier: Rule) -> bool:
    """Whether a rule takes the place of an earlier one: contrary words, in the same place or anywhere."""
    same_place = ANYWHERE in (later.condition, earlier.condition) or not set(
        later.condition.split("|")
    ).isdisjoint(earlier.condition.split("|"))
    return same_place and _is_contrary(later.action, earlier.action)


def _is_contrary(later: str, earlier: str) -> bool:
    """Whether a later word rejects an earlier one, or says that it takes back what was said on its topic."""
    return contrary(later, earlier, takes_back=takes_back(later))
