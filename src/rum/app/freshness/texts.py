"""Tie notes, facts and rules to the code that they name, and say what became of it.

A text names code as `path:line`, `path:line-line` or `path#symbol`, or as a path: then the names that it has
in backticks are looked for among the symbols of that file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import asdict

from rum.app.calls import load
from rum.app.freshness.anchors import MAX_ANCHORS, MAX_CONTENT
from rum.app.freshness.check import code_state, compare, freshness_of, what_is_known
from rum.app.project import Project
from rum.capture.memory_files import Mention, code_in, quoted_names
from rum.model.anchors import CHANGED, GONE, NO_ANSWER, UNKNOWN, Anchor, Freshness, combine, encode, text_mark
from rum.model.answers import ledger_id
from rum.model.errors import InvalidQuery, RumError
from rum.model.layers import Fact, Rule, ShownFact, ShownRule
from rum.repo.anchors.make import make_anchors
from rum.repo.anchors.source_file import SourceFile
from rum.repo.contents import read_contents
from rum.repo.git import GitRepository
from rum.repo.git_process import run_git
from rum.store.anchors import TextAnchors

MAX_TEXTS = 5000  # Facts, rules and notes that are compared with the code, each
_MAX_SYMBOLS = 3  # Of a file that is named without lines
_MIN_SHARE = 0.5  # How much of a file that is named as a whole must be different
_DAY = 86400

Read = Callable[[str], bytes | None]


class CodeText(NamedTuple):
    """A note, fact or rule as far as its code is concerned."""

    kind: str
    id: str
    mark: str  # Of its text
    written_at: int | None
    title: str
    read: Callable[[], str]

    @property
    def name(self) -> str:
        """Its name in the ledger of use."""
        return ledger_id(self.kind, self.id)


def fact_text(fact: Fact) -> CodeText:
    """A fact: its key may name a file, too."""
    text = f"{fact.key}\n{fact.value}"
    return CodeText(
        "fact", fact.key, text_mark(text), fact.updated_at or fact.created_at, fact.key, lambda: text
    )


def rule_text(rule: Rule) -> CodeText:
    """A rule: its condition may name a file, too."""
    text = f"{rule.condition}\n{rule.action}"
    at = rule.updated_at or rule.created_at
    return CodeText("rule", rule.id, text_mark(text), at, rule.condition, lambda: text)


def note_texts(project: Project) -> Iterator[CodeText]:
    """The notes that are not retired, each by its newest entry."""
    for slug, summary in project.note_store.summaries()[0].items():
        if not summary.retired:
            at = summary.discovered_at
            yield CodeText("note", slug, summary.mark, at, summary.title, _note_reader(project, slug))


def _note_reader(project: Project, slug: str) -> Callable[[], str]:
    def read() -> str:
        entry = project.note_store.newest(slug)
        return entry.content if entry else ""

    return read


def every_text(project: Project) -> list[CodeText]:
    """The facts, the rules in force, and the notes of this checkout."""
    facts = project.store.facts.latest(MAX_TEXTS)[0]
    rules = [rule for rule in project.store.rules.latest(MAX_TEXTS) if rule.superseded_by is None]
    try:
        notes = list(note_texts(project))[:MAX_TEXTS]
    except RumError:  # no folder for notes, or one that cannot be read
        notes = []
    return [*map(fact_text, facts), *map(rule_text, rules), *notes]


def texts_freshness(project: Project, texts: Iterable[CodeText]) -> dict[str, Freshness]:
    """What became of the code of notes, facts and rules, as far as it is known, by their names."""
    found = {name: combine(pairs) for name, pairs in check_texts(project, texts).items()}
    return {name: one for name, one in found.items() if one.state != UNKNOWN}


def count_stale(project: Project, limit: int) -> int:
    """How many of the newest claims, and of notes, facts and rules, are about code that has changed since."""
    memories = freshness_of(project, project.store.anchors.claims(limit))
    texts = texts_freshness(project, every_text(project))
    return sum(one.state in (CHANGED, GONE) for one in (*memories.values(), *texts.values()))


def shown_facts(project: Project, facts: Sequence[Fact]) -> list[ShownFact]:
    """Facts with what became of the code that they name."""
    found = texts_freshness(project, map(fact_text, facts))
    return [ShownFact(**asdict(one), **code_state(found.get(ledger_id("fact", one.key)))) for one in facts]


def shown_rules(project: Project, rules: Sequence[Rule]) -> list[ShownRule]:
    """Rules with what became of the code that they name."""
    found = texts_freshness(project, map(rule_text, rules))
    return [ShownRule(**asdict(one), **code_state(found.get(one.id))) for one in rules]


def check_texts(project: Project, texts: Iterable[CodeText]) -> dict[str, list[tuple[Anchor, Freshness]]]:
    """The anchors of notes, facts and rules with what can be said of their code."""
    return {
        name: [(anchor, _as_reported(anchor, now)) for anchor, now in pairs]
        for name, pairs in what_is_known(project, compare_texts(project, texts)).items()
    }


def compare_texts(project: Project, texts: Iterable[CodeText]) -> dict[str, list[tuple[Anchor, Freshness]]]:
    """The same with how the files compare, whatever branch they are of."""
    marks = {one.name: one.mark for one in texts} if project.checkout else {}
    known = project.store.anchors.of_texts(marks) if marks else {}
    return compare(project, {name: one.data for name, one in known.items() if one.mark == marks[name]})


def _as_reported(anchor: Anchor, now: Freshness) -> Freshness:
    """Nothing is said of few changes in a file that is named as a whole: the text is rarely about them."""
    is_little = not anchor.start and now.state == CHANGED and now.share < _MIN_SHARE
    return NO_ANSWER if is_little else now


def anchor_text(project: Project, text: CodeText) -> None:
    """Tie a text that was written now to the code as it is now."""
    checkout, store = project.checkout, project.store
    if checkout is None or not project.location.exists or not store.writable:
        return  # `tidy` does it later
    made = anchors_in(project, text.read(), checkout.content, project.commit_and_branch()[0] or "")
    if made or text.name in store.anchors.of_texts([text.name]):
        store.anchors.put_texts({text.name: TextAnchors(text.mark, encode(made))})


def anchors_in(project: Project, text: str, read: Read, commit: str) -> list[Anchor]:
    """Anchors of the code that a text names, in files that there are."""
    anchors: list[Anchor] = []
    mentions: dict[str, list[Mention]] = {}
    for one in code_in(text):
        try:
            mentions.setdefault(project.relative(one.path), []).append(one)
        except InvalidQuery:
            continue
    names = quoted_names(text)
    for path, places in mentions.items():
        content = read(path) if len(anchors) < MAX_ANCHORS else None
        if content is not None:
            anchors += make_anchors(SourceFile(content, path), _spans(content, path, places, names), commit)
    return anchors[:MAX_ANCHORS]


def _spans(
    content: bytes, path: str, places: Iterable[Mention], names: Iterable[str]
) -> list[tuple[int, int]]:
    """The lines that are named; else the symbols that are; else the whole file."""
    places = list(places)
    spans = [(one.start, one.end) for one in places if one.start]
    wanted = [one.symbol for one in places if one.symbol] or ([] if spans else list(names))
    if wanted and len(content) <= MAX_CONTENT:
        known = load("repo.symbols:symbols")(content.decode("utf-8", "replace"), path)  # loads a parser
        named = (load("repo.symbols:named_symbol")(known, name) for name in wanted)
        found = [one for one in named if one][:_MAX_SYMBOLS]
        spans += [(one.first, one.last) for one in found]
    return list(dict.fromkeys(spans)) or [(0, 0)]


def make_missing_texts(project: Project, limit: int) -> int:
    """Tie texts to code that were imported, synced, or written or edited as files.

    A text that was never seen is compared with the code of its time, which git knows; an edited one with the
    code as it is now.
    """
    checkout, anchors = project.checkout, project.store.anchors
    if checkout is None or not project.location.exists:
        return 0
    texts, known = every_text(project), anchors.of_texts()
    names = {one.name for one in texts}
    anchors.delete_texts(name for name in known if name not in names and name.startswith(("fact:", "rule_")))
    missing = [one for one in texts if one.name not in known or known[one.name].mark != one.mark][:limit]
    repository, made = project.repository(), dict[str, TextAnchors]()
    now = project.commit_and_branch()[0] or ""
    for one in missing:
        text = one.read()
        if one.name in known or repository is None or not now:
            found = anchors_in(project, text, checkout.content, now)
        else:
            found = _anchors_then(project, repository, one, text)
        made[one.name] = TextAnchors(one.mark, encode(found))
    anchors.put_texts(made)
    return len(made)


def _anchors_then(project: Project, repository: GitRepository, one: CodeText, text: str) -> list[Anchor]:
    """Anchors of the code as it was committed when a text was written."""
    at = one.written_at
    if not code_in(text) or at is None:
        return []  # without a time it cannot be said what the code was
    at += _DAY - 1 if at % _DAY == 0 else 0  # a date without a time
    commit = (run_git(repository.git_dir, "rev-list", "-1", f"--min-age={at}", "HEAD") or "").strip()
    if not commit:
        return []

    def read(path: str) -> bytes | None:
        blob = (run_git(repository.git_dir, "rev-parse", "--verify", "-q", f"{commit}:{path}") or "").strip()
        return (
            next((data for _, data in read_contents(repository, [blob], MAX_CONTENT)), None) if blob else None
        )

    return anchors_in(project, text, read, commit)
