"""What a finished run is worth, found without a language model: by the words that give away what lasts."""

from __future__ import annotations

from rum.extract.cues import ASKS_CAUSE, is_decision
from rum.extract.facts import facts_in, rules_in
from rum.extract.note_text import importance_of, tags_of, text_of, title_of, without_reason
from rum.extract.passage_weight import ENOUGH, Verdict, weigh_passages
from rum.extract.passages import passages, without_repeats
from rum.extract.when_to_use import when_to_use
from rum.model.extraction import Finding, FinishedRun, Kind

_ABOUT: dict[Kind, str] = {
    Kind.ERROR: "what went wrong and why",
    Kind.DECISION: "what was decided and why",
    Kind.CONSTRAINT: "what must or cannot be done",
    Kind.DEPENDENCY: "what is needed, in which version",
    Kind.PATTERN: "how things are done here",
    Kind.STRUCTURE: "where things are",
}


def found_by_rules(run: FinishedRun) -> Finding:
    """The note, facts and rules of a run whose words hold no secrets any more; none if nothing lasts."""
    found = without_repeats(passages(run.agent_output))
    verdict = weigh_passages(found, asks_why=_asks_why(run))
    if verdict.kind is None:
        return Finding(reasoning=_nothing(run, verdict))
    judged = verdict.judged
    content = text_of(judged, run.error)
    repeated = [one for one in judged if one.passage.text in content]
    title = title_of(repeated or judged, verdict.kind)
    kind = Kind.DECISION if is_decision(title) else verdict.kind
    title = without_reason(title, content) if kind is Kind.DECISION else title
    return Finding(
        reasoning=f"The output has {_ABOUT[kind]} (score {verdict.weight:.1f}, threshold {ENOUGH:g}).",
        kind=kind,
        title=title,
        content=content,
        when_to_use=when_to_use(title, content, run.task),
        tags=tags_of(kind, failed=run.result == "failure"),
        importance=importance_of(kind, content),
        facts=facts_in(judged),
        rules=rules_in(judged),
    )


def _asks_why(run: FinishedRun) -> bool:
    return run.result == "failure" or bool(run.error) or bool(ASKS_CAUSE.search(run.task))


def _nothing(run: FinishedRun, verdict: Verdict) -> str:
    """Why there is nothing to keep."""
    if not run.agent_output.strip():
        return "The run has no output."
    if not verdict.judged:
        return "The output is only that of programs."
    if all(one.fleeting or one.done for one in verdict.judged):
        return "The output has only steps and plans."
    return f"The output has nothing of lasting use (score {verdict.weight:.1f}, threshold {ENOUGH:g})."
