"""Export and import of everything as JSON lines, without loss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from rum._version import __version__
from rum.app.agents import import_agent, import_author
from rum.app.exchange.chapters import ChapterImport, ChapterImporter, ChapterLine, WisdomLine, chapter_lines
from rum.app.exchange.layers import (
    Counts,
    EventLine,
    FactLine,
    FactVersionLine,
    LayerImport,
    LayerImporter,
    LayerLine,
    RuleLine,
    RuleVersionLine,
    layer_lines,
)
from rum.app.freshness.check import freshness_of
from rum.app.memories.trash import restore_item
from rum.app.project import Project
from rum.capture.git.ids import is_memory_of
from rum.capture.observe.turns import is_turn_memory_id
from rum.capture.tombstones import (
    chapter_marks,
    event_marks,
    fact_marks,
    marks,
    member_marks,
    rule_marks,
    wisdom_marks,
)
from rum.model.agents import Agent
from rum.model.anchors import UNKNOWN, Freshness
from rum.model.errors import InvalidQuery, NotFound
from rum.model.fields import Stamp, parse, seconds
from rum.model.memory import (
    Content,
    Edge,
    LinkType,
    Memory,
    Origin,
    OriginKind,
    RevertLink,
    Usage,
    VersionNumber,
    split_old_summary,
)
from rum.store.base import ReadMode
from rum.store.records import Revision

# Format 1 has no facts, rules and events, 2 no chapters and wisdom, 3 no origins: there the summary of a
# commit named what reverted it.
FORMAT = 4
NOT_AN_EXPORT = "Not an export of RUM: its first line must say kind `rum-export`."
_WITH_ORIGINS = 4
_ISSUE_SESSION = "github_issue_"
MAX_CHECKED = 5000  # Memories that are compared with the code, newest first
BATCH = 200  # Lines per transaction, so that other writers need not wait long


class Header(Struct, frozen=True, tag="rum-export", tag_field="kind"):
    """The first line: the format of the file, and the version of RUM that wrote it."""

    format: int
    version: str = ""


class AgentLine(Struct, frozen=True, tag="agent", tag_field="kind"):
    """An agent."""

    agent: Agent


class MemoryLine(Struct, frozen=True, tag="memory", tag_field="kind"):
    """A memory, its usage, and what became of its code until the export; that is not imported."""

    memory: Memory
    access_count: Annotated[int, Meta(ge=0, le=10**15)] = 0
    last_accessed: Stamp | None = None
    freshness: str | UnsetType = UNSET


class VersionLine(Struct, frozen=True, tag="version", tag_field="kind"):
    """An earlier version of a memory."""

    memory_id: str
    version: VersionNumber
    changed_at: Stamp
    changed_by: str
    data: Content


class LinkLine(Struct, frozen=True, tag="link", tag_field="kind"):
    """An edge."""

    source_id: str
    target_id: str
    link_type: LinkType
    created_at: Stamp


GroupLine = ChapterLine | WisdomLine
Line = Header | AgentLine | MemoryLine | VersionLine | LinkLine | LayerLine | GroupLine


class ImportResult(Counts, frozen=True, kw_only=True):
    """The counts of memories; `layers` has those of facts, rules and events, `chapters` those of groups."""

    layers: LayerImport | UnsetType = UNSET
    chapters: ChapterImport | UnsetType = UNSET
    restored: int = 0  # Items of any kind that were taken out of the trash
    hint: str | UnsetType = UNSET

    @property
    def all_forgotten(self) -> int:
        """How many items of any kind were left out as they were forgotten here."""
        parts = (self.layers, self.chapters)
        return self.forgotten + sum(part.forgotten for part in parts if part)


def export(project: Project, left_out: Callable[[str], None]) -> Iterator[bytes]:
    """Every line of an export: agents, memories with earlier versions, links, layers and chapters.

    `left_out` is called with the id of each memory that cannot be read.
    """
    project.settle()
    left_out = project.named_by(left_out)
    yield msgspec.json.encode(Header(FORMAT, __version__))
    for agent in _parents_first(project.store.agents.all()):
        yield msgspec.json.encode(AgentLine(agent))
    claims = set(project.store.anchors.claims(MAX_CHECKED))
    for batch in project.store.memories.pages():
        fresh = freshness_of(project, [memory.id for memory in batch if memory.id in claims])
        yield from _memory_lines(project, [memory.id for memory in batch], fresh, left_out)
    for edge, at in project.store.links.of().items():
        yield msgspec.json.encode(LinkLine(*edge, at))
    yield from layer_lines(project)
    yield from chapter_lines(project)


def _memory_lines(
    project: Project, ids: list[str], fresh: Mapping[str, Freshness], left_out: Callable[[str], None]
) -> list[bytes]:
    """The lines of memories and their earlier versions, read in one snapshot."""
    lines: list[bytes] = []
    with project.store.snapshot():
        uses = project.store.activity.uses(ids)
        readable = project.store.memories.get(ids, ReadMode.SKIP_DAMAGED)
        known = project.store.memories.get(ids, ReadMode.HEADLINE)
        for memory_id in {memory.id for memory in known} - {memory.id for memory in readable}:
            left_out(memory_id)
        versions = project.store.history.of("memory", ids)
        for memory in readable:
            use = uses.get(memory.id, Usage())
            found = fresh.get(memory.id)
            state = found.state if found and found.state != UNKNOWN else UNSET
            lines.append(msgspec.json.encode(MemoryLine(memory, use.times, use.last_used_at, state)))
            for number, at, by, (data,) in versions[memory.id]:
                try:
                    content = msgspec.json.decode(data, type=Content)
                except ValueError:
                    left_out(f"{memory.id} version {number}")
                    continue
                lines.append(msgspec.json.encode(VersionLine(memory.id, number, at, by, content)))
    return lines


def _parents_first(agents: list[Agent]) -> list[Agent]:
    """The agents in an order in which each can be imported; times are no help, as clocks may be wrong."""
    parents = {agent.id: agent.parent_id for agent in agents}

    def generation(agent: Agent) -> int:
        ancestor, count = agent.parent_id, 0
        while ancestor:
            ancestor, count = parents.get(ancestor), count + 1
        return count

    return sorted(agents, key=generation)


def check(lines: Iterable[bytes]) -> int:
    """Check every line without writing anything; return their number."""
    count = 0
    try:
        for number, line in _number_lines(lines):
            parsed = _parse_line(line, number)
            if not count and not isinstance(parsed, Header):
                raise InvalidQuery(NOT_AN_EXPORT, field="line 1")
            count += 1
            if isinstance(parsed, Header) and parsed.format > FORMAT:
                raise InvalidQuery(
                    f"This export has format {parsed.format}, this RUM knows {FORMAT}; upgrade RUM."
                )
        if not count:
            raise InvalidQuery(NOT_AN_EXPORT, field="line 1")
    except InvalidQuery as error:
        raise InvalidQuery(f"{error.message} Nothing was imported.", **error.details) from None
    return count


def _number_lines(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers in the file."""
    return ((number, line) for number, line in enumerate(lines, start=1) if line.strip())


def _parse_line(line: bytes, number: int) -> Line:
    try:
        data = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidQuery(f"Line {number}: not JSON ({error}).", field=f"line {number}") from None
    return parse(data, Line, f"Line {number}")  # type: ignore[arg-type]


def import_lines(
    project: Project, lines: Iterable[bytes], progress: Callable[[int], None], *, restore: bool = False
) -> ImportResult:
    """Check all lines, then import them; existing items stay, and forgotten ones too, unless `restore`.

    Lines from an iterator are read into memory, as they are read twice.
    """
    lines = list(lines) if isinstance(lines, Iterator) else lines
    check(lines)
    memories, layers = _MemoryImporter(project), LayerImporter(project)
    chapters = ChapterImporter(project, memories.alike)
    numbered, done, restored = _number_lines(lines), 0, 0
    while batch := list(islice(numbered, BATCH)):
        with project.store.transaction():
            for number, line in batch:
                parsed = _parse_line(line, number)
                if restore:
                    restored += _restore_forgotten(project, parsed)
                if isinstance(parsed, LayerLine):
                    layers.take(parsed)
                elif isinstance(parsed, GroupLine):
                    chapters.take(parsed)
                else:
                    memories.take(parsed)
        done += len(batch)
        progress(done)
    counts: dict[str, Any] = dict(memories.counts)
    result = ImportResult(
        **counts, layers=layers.result() or UNSET, chapters=chapters.result() or UNSET, restored=restored
    )
    return replace(result, hint=_FORGOTTEN.format(left)) if (left := result.all_forgotten) else result


_FORGOTTEN = (
    "Forgotten here, so left out: {}. To bring them back, import with `restore=True` "
    "(`rum import FILE --restore`)."
)


def _restore_forgotten(project: Project, line: Line) -> bool:
    """Lift the tombstones of a line's item; whether it was taken out of the trash.

    What is in the trash may be newer than the export, so it is restored from there.
    """
    if isinstance(line, AgentLine | VersionLine | LinkLine | Header | FactVersionLine | RuleVersionLine):
        return False
    kind, item_id, hashes = _identify(project, line)
    memories, trash = project.store.memories, project.store.trash
    if not memories.tombstones(hashes):
        return False
    memories.delete_tombstones(hashes)
    for item in trash.find(item_id, kind)[:1]:
        if item.id == item_id:
            with suppress(InvalidQuery, NotFound):  # it is here again, or nothing that it is made of is
                restore_item(project, item)
                return True
    return False


def _identify(
    project: Project, line: MemoryLine | FactLine | RuleLine | EventLine | GroupLine
) -> tuple[str, str, list[str]]:
    """The kind and id of a line's item, and the hashes of its tombstone."""
    key = project.tombstone_key
    if isinstance(line, MemoryLine):
        return "memory", line.memory.id, marks(_as_local(project, line.memory), key)
    if isinstance(line, FactLine):
        return "fact", line.fact.key, fact_marks(line.fact.key, key)
    if isinstance(line, RuleLine):
        return "rule", line.rule.id, rule_marks(line.rule, key)
    if isinstance(line, EventLine):
        return "event", line.event.id, event_marks(line.event, key)
    if isinstance(line, ChapterLine):
        ids = line.chapter.memory_ids
        return (
            "chapter",
            line.chapter.id,
            [*chapter_marks(ids, key, line.chapter.id), *member_marks(ids, key)],
        )
    return "wisdom", line.wisdom.id, wisdom_marks(line.wisdom.chapter_ids, key, line.wisdom.id)


class _MemoryImporter:
    """Imports agents, memories, their versions and links; `alike` are memories as the export has them."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._has_origins = True
        self.counts: Counter[str] = Counter()
        self.alike: dict[str, int] = {}

    def take(self, line: Header | AgentLine | MemoryLine | VersionLine | LinkLine) -> None:
        if isinstance(line, Header):
            self._has_origins = line.format >= _WITH_ORIGINS
        elif isinstance(line, AgentLine):
            import_agent(self._project, line.agent)
        elif isinstance(line, MemoryLine):
            outcome = self._import_memory(line)
            self.counts[outcome] += 1
            if outcome in ("added", "unchanged"):
                self.alike[line.memory.id] = line.memory.version
        elif isinstance(line, LinkLine):
            self._import_link(line)
        elif line.version < self.alike.get(line.memory_id, 0):
            self._import_version(line)

    def _import_memory(self, line: MemoryLine) -> str:
        project, memory = self._project, line.memory
        memory = _as_local(project, memory if self._has_origins else _upgrade_memory(project, memory))
        for here in project.store.memories.get([memory.id]):
            known = replace(here, imported_at=None, superseded_by=(), reverts=())
            if not self._has_origins:
                known, memory = (
                    replace(one, origin=here.origin, reverted_by=None) for one in (known, memory)
                )
            return "unchanged" if known == memory else "different"
        if project.store.memories.tombstones(marks(memory, project.tombstone_key)):
            return "forgotten"
        import_author(project, memory.agent_id, memory.created_at)
        project.store.memories.add(replace(memory, imported_at=project.now()))
        if line.access_count:
            project.store.activity.set_use(memory.id, Usage(line.access_count, line.last_accessed))
        return "added"

    def _import_version(self, line: VersionLine) -> None:
        """Add a version, unless it exists: an interrupted import may have added it already."""
        history, content = self._project.store.history, line.data
        known = history.of("memory", [line.memory_id])[line.memory_id]
        if any(revision.version == line.version for revision in known):
            return
        if not self._has_origins and content.commit and is_memory_of(line.memory_id, content.commit):
            summary, _ = split_old_summary(content.outcome.summary)
            content = replace(content, outcome=replace(content.outcome, summary=summary))
        data = msgspec.json.encode(self._project.clean(msgspec.to_builtins(content))).decode()
        by = self._project.redactor.redact(line.changed_by)
        history.add("memory", line.memory_id, Revision(line.version, line.changed_at, by, (data,)))

    def _import_link(self, line: LinkLine) -> None:
        """Add a link between two memories that are here; one that would create a cycle is left out."""
        memories = self._project.store.memories
        found = {memory.id: memory for memory in memories.get(sorted({line.source_id, line.target_id}))}
        if len(found) == 2:
            with suppress(InvalidQuery):
                edge = Edge.of(line.source_id, line.target_id, line.link_type)
                self._project.store.links.add(edge, line.created_at)
        if self._has_origins or line.link_type is not LinkType.CAUSED_BY:
            return
        # In older exports only this link tells which memory `reverted_by` names.
        source, target = found.get(line.source_id), found.get(line.target_id)
        known = target.reverted_by if target else None
        if source and target and known and source.commit and source.commit.startswith(known.id):
            reverted_by = replace(known, id=source.id, commit=source.commit)
            memories.replace(replace(target, reverted_by=reverted_by))


def _upgrade_memory(project: Project, memory: Memory) -> Memory:
    """A memory of an older export in the current form: with an origin, and `reverted_by` as a field."""
    origin = _old_origin(project, memory)
    if origin.kind is not OriginKind.COMMIT:
        return replace(memory, origin=origin)
    summary, commit = split_old_summary(memory.outcome.summary)
    outcome = replace(memory.outcome, summary=summary)
    reverted_by = RevertLink(commit, commit, reason=outcome.failure_reason) if commit else None
    return replace(memory, outcome=outcome, reverted_by=reverted_by, origin=origin)


def _old_origin(project: Project, memory: Memory) -> Origin:
    """The origin of a memory, derived from its id and its author, as migrations of a store do."""
    if memory.commit and is_memory_of(memory.id, memory.commit):
        return Origin(OriginKind.COMMIT, memory.commit)
    author = project.store.agents.get(memory.agent_id)
    client = author.client if author else None
    if client == "github" and memory.session_id.startswith(_ISSUE_SESSION):
        return Origin(OriginKind.ISSUE, memory.session_id.removeprefix(_ISSUE_SESSION))
    if client == "mcp-memory":
        return Origin(OriginKind.PEER, client)
    if is_turn_memory_id(memory.id):
        return Origin(OriginKind.TURN if memory.imported_at is None else OriginKind.TRANSCRIPT)
    return Origin(OriginKind.AGENT)


def _as_local(project: Project, memory: Memory) -> Memory:
    """An imported memory as this project stores it: without secrets, and with its own project id."""
    clean = msgspec.convert(project.clean(msgspec.to_builtins(memory)), Memory)
    files = {file.path: file for file in sorted(clean.files, key=lambda file: file.path)}
    return replace(
        clean,
        files=tuple(files.values()),
        tags=tuple(dict.fromkeys(clean.tags)),
        actions=tuple(replace(one, timestamp=seconds(one.timestamp)) for one in clean.actions),
        created_at=seconds(clean.created_at),
        updated_at=clean.updated_at and seconds(clean.updated_at),
        project_id=project.location.id,
        imported_at=None,
        superseded_by=(),
        reverts=(),
    )
