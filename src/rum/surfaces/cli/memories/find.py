"""`rum recall`, `trace`, `show`, `list`, `tags`, `history` and `verify`: find, read and check memories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, cast

import click
import msgspec
from msgspec import UNSET

from rum.app.rum import Rum
from rum.inject.render import local_time, memory_line, short_id
from rum.model.answers import ListResult, RecallResult, RetrievedMemory, Tag, TraceResult
from rum.model.code import StaleFile, StaleMemory
from rum.model.memory import Version
from rum.model.requests import Depth
from rum.recall.fitted import MIN_CONFIDENCE
from rum.surfaces.cli.open_project import Output, open_rum, rum_command, stored_id
from rum.surfaces.cli.options import (
    OneOf,
    Options,
    check_usage,
    command,
    given_options,
    ids_option,
    options_of,
)
from rum.surfaces.cli.output import print_result
from rum.surfaces.cli.views import (
    STEP,
    Block,
    Field,
    Fields,
    Line,
    TextLine,
    TextPart,
    Tree,
    View,
    count_of,
    heading,
    table,
    verdict,
)

_LAYERS = ("intent", "outcome", "reasoning", "perception")
_IN_HEADING = ("id", "goal", "success", "confidence", "match")
_EMPTY: tuple[object, ...] = (None, "", (), [], {})
_TIMES = ("created_at", "updated_at", "last_accessed")


def as_line(memory: RetrievedMemory) -> str:
    """A memory as one line of text."""
    goal, at = memory.intent.goal, memory.created_at or None
    line = memory_line(memory.id, goal, memory.outcome.success, memory.full_summary, memory.confidence, at)
    return f"{line} {_more_similar(memory)}".rstrip()


def _more_similar(memory: RetrievedMemory) -> str:
    return f"(and {memory.similar} similar)" if memory.similar else ""


def heading_of(memory: RetrievedMemory) -> Line:
    """Whether it worked, the goal and the id."""
    return verdict(memory.outcome.success), *heading(memory.intent.goal, memory.id)


def as_table(memories: Sequence[RetrievedMemory]) -> View:
    """Memories at the depth of a summary, with their confidence."""
    rows = [
        (
            short_id(memory.id),
            local_time(memory.created_at or 0)[:10],
            f"{memory.confidence:.2f}",
            verdict(memory.outcome.success),
            memory.intent.goal,
            f"{memory.full_summary} {_more_similar(memory)}".rstrip(),
        )
        for memory in memories
    ]
    columns = {"id": "id", "date": "dim", "confidence": "dim", "": "", "goal": "strong", "outcome": ""}
    return table(columns, rows, [as_line(memory) for memory in memories])


def blocks(rum: Rum, found: RetrievedMemory | Sequence[RetrievedMemory]) -> View:
    """Each memory with its fields and its agent's name; with the confidence if the reasons are included."""
    memories = [found] if isinstance(found, RetrievedMemory) else found
    shows_agents = any(memory.agent_id for memory in memories)
    names = {one.agent_id: one.label for one in rum.agents() if one.label} if shows_agents else {}
    return [_block(memory, names) for memory in memories]


def _block(memory: RetrievedMemory, names: Mapping[str, str]) -> Fields:
    shown: list[Field] = [] if memory.why is UNSET else [("confidence", f"{memory.confidence:.2f}")]
    shown += [] if memory.match is UNSET else [("match", memory.match)]
    fields = msgspec.to_builtins(memory)
    if name := names.get(fields.get("agent_id", "")):
        fields["agent_id"] += f" ({name})"
    flat: dict[str, Any] = {}
    for name, value in fields.items():
        flat |= value if name in _LAYERS else {name: value}
    shown += [
        (name, _field_text(name, value))
        for name, value in flat.items()
        if name not in _IN_HEADING and value not in _EMPTY
    ]
    return Fields(heading_of(memory), shown)


def _field_text(name: str, value: Any) -> str | list[str]:
    if name in _TIMES:
        return local_time(value)
    if name == "actions":
        return [_action(action) for action in value]
    if name == "files":
        return [f"{file['path']} ({file['operation']})" for file in value]
    if name == "links":
        return [
            f"{kind} {target}"
            for kind, ids in value.items()
            for target in ([ids] if isinstance(ids, str) else ids)
        ]
    if name == "tags":
        return ", ".join(value)
    return (
        [_value_text(item) for item in cast("list[Any]", value)]
        if isinstance(value, list | tuple)
        else _value_text(value)
    )


def _action(action: dict[str, Any]) -> str:
    call = f"{action['type']} {_value_text(action['details'])}"
    result = action["result"]
    if result is None:
        return call
    output = _value_text({name: value for name, value in result.items() if name != "success"})
    return f"{call}: {'ok' if result['success'] else 'failed'} {output}".rstrip()


def _value_text(value: Any) -> str:
    """A value as text; the values of an object are joined."""
    if isinstance(value, dict):
        parts = cast("dict[str, Any]", value).values()
        return " — ".join(_value_text(part) for part in parts if part not in _EMPTY)
    return str(value)


Json = dict[str, Any]
_MIN_CONFIDENCE = f"Minimum confidence (default {MIN_CONFIDENCE}; 0 returns the best matches)."


@command("recall")
@click.argument("query", nargs=-1, metavar="[WORDS]...")
@options_of("recall", leave_out=("query",), min_confidence={"help": _MIN_CONFIDENCE})
@click.option("--or", "wordings", multiple=True, metavar="TEXT", help="The same question in other words.")
@ids_option
def recall(options: Options, query: tuple[str, ...], wordings: tuple[str, ...], **fields: Any) -> None:
    """Find memories by file, words, tag, time and more.

    WORDS are the query. Files, words and the intent rank the results; all other options filter them.
    """
    arguments = given_options(fields)
    if query or wordings:
        arguments["query"] = [text for text in (" ".join(query), *wordings) if text]
    with open_rum(options) as rum:
        if "memory_id" in arguments:
            arguments["memory_id"] = stored_id(rum, arguments["memory_id"])
        with check_usage(wrong="memory_id" not in arguments):  # a short id may be of several memories
            answer = rum.recall(**arguments)
        by_words = "query" in arguments or "intent" in arguments
        print_result(
            options,
            answer,
            lambda answer: _recall_view(rum, answer),
            ids=(memory.id for memory in answer.memories),
            notes=_hints(answer, arguments.get("limit", rum.settings.recall_limit), by_words=by_words),
        )
        if rum.behind:
            rum.idle()


def _hints(answer: RecallResult, limit: int, *, by_words: bool) -> Iterator[str]:
    """Yield what to try, or how to get more results."""
    shown, total = len(answer.memories), answer.total_matches
    if answer.hint:
        yield answer.hint
        for one in answer.near or ():
            yield f"Near: {one.text} [{short_id(one.id)}] {one.confidence:.2f}"
        return
    if any(memory.similar for memory in answer.memories):
        yield "Of memories with the same goal only one is shown; --similar shows them all."
    if answer.left_out:
        left, cut = answer.left_out.memories, answer.left_out.shortened
        yield f"To fit --max-tokens, {left} omitted and {cut} shortened."
    elif shown == limit < total and by_words:
        best = "The best" if shown == 1 else f"The {shown} best"
        yield f"{best} of {total}; raise --limit for more."
    elif shown == limit < total:
        yield f"{shown} of {total}; raise --limit for more."
    elif shown + sum(memory.similar or 0 for memory in answer.memories) < total:
        yield f"{shown} of {total} reach the minimum confidence; lower --min-confidence for more."


def _recall_view(rum: Rum, answer: RecallResult) -> View:
    knowledge: View = []
    if answer.warning:
        knowledge.append(TextLine((TextPart("warning:", "bad"), TextPart(answer.warning))))
    for one in answer.knowledge or ():
        line = (
            TextPart(f"{one.kind}:", "strong"),
            TextPart(one.text),
            TextPart(f"[{short_id(one.id)}]", "id"),
        )
        knowledge.append(TextLine((*line, TextPart("stale", "bad")) if one.stale else line))
    if not answer.memories:
        return knowledge
    if all(memory.agent_id is memory.links is memory.why is UNSET for memory in answer.memories):
        return [*as_table(answer.memories), *knowledge]
    return [*blocks(rum, answer.memories), *knowledge]


@rum_command("trace")
@click.argument("memory_id", metavar="ID")
@options_of("trace")
@ids_option
def trace(rum: Rum, memory_id: str, **arguments: Any) -> Output:
    """Show the causes or effects of a memory."""
    answer = rum.trace(stored_id(rum, memory_id), **arguments)
    ids = [answer.origin.id, *(node.memory.id for node in answer.chain)]
    return Output(answer, partial(_trace_view, rum), ids=ids, notes=[answer.hint] if answer.hint else [])


def _trace_view(rum: Rum, answer: TraceResult) -> View:
    """The tree; if the depth is more than a summary, then each memory in full."""
    origin = answer.origin
    trees = {origin.id: Tree(_trace_line(origin), [])}
    for node in answer.chain:
        trees[node.memory.id] = Tree((TextPart(node.relationship, "link"), *_trace_line(node.memory)), [])
        trees[node.via or origin.id].branches.append(trees[node.memory.id])
    memories = [origin, *(node.memory for node in answer.chain)]
    return [trees[origin.id], *(blocks(rum, memories) if origin.agent_id else [])]


def _trace_line(memory: RetrievedMemory) -> Line:
    worked, goal, _ = heading_of(memory)
    return (
        worked,
        goal,
        TextPart("—"),
        TextPart(memory.full_summary),
        TextPart(f"[{short_id(memory.id)} {local_time(memory.created_at or 0)[:10]}]", "id"),
    )


@rum_command("why", mention_absence=False)  # Git alone can answer
@click.argument("target", metavar="FILE:LINE[-LINE]|FILE#SYMBOL")
@options_of("why", leave_out=("target",))
@ids_option
def why(rum: Rum, target: str, max_tokens: int) -> Output:
    """Say why lines of code are as they are.

    Names the commits that last changed the lines, with the reasons that their messages and your memories
    give, what was decided against, what failed, and what is not known.
    """
    answer = rum.why(target, max_tokens=max_tokens)
    ids = [one.memory_id for one in answer.sources if one.memory_id]
    trees: list[Tree] = []
    for line in answer.text.splitlines():
        part = Tree((TextPart(line),), [])
        (trees[-1].branches if trees and line.startswith(STEP) else trees).append(part)
    return Output(answer, list[Block](trees), ids=ids)


@rum_command("show")
@click.argument("memory_id", metavar="ID")
@click.option("--depth", type=OneOf(Depth), default=Depth.COMPLETE.value, help="How much of it to show.")
def show(rum: Rum, memory_id: str, depth: str) -> Output:
    """Show one memory with everything in it.

    ID is a memory's id or the end of it, 8 characters or more.
    """
    memory = rum.show(stored_id(rum, memory_id), depth)
    return Output(memory, partial(blocks, rum))


@rum_command("list")
@options_of("list")
@ids_option
def list_memories(rum: Rum, **arguments: Any) -> Output:
    """List memories, newest first.

    With --agent only that agent's memories, else those of all agents.
    """
    answer = rum.list(**arguments)
    if answer.stale is not UNSET:
        ids = [one.id for file in answer.stale for one in file.memories]
        return Output(answer, _stale_view(answer.stale), ids=ids, notes=[str(answer.hint)] if not ids else [])
    shown = len(answer.memories)
    count = f"{shown} of {answer.total}." if shown else "No memories."
    ids = (memory.id for memory in answer.memories)
    notes = [count] if shown < max(answer.total, 1) else []
    return Output(answer, _list_view, ids=ids, notes=notes)


def _list_view(answer: ListResult) -> View:
    kinds = {
        "id": "id",
        "when": "dim",
        "": "",
        "goal": "strong",
        "outcome": "",
        "importance": "dim",
        "uses": "dim",
    }
    rows = [
        (
            short_id(memory.id),
            local_time(memory.created_at),
            verdict(memory.outcome_success),
            memory.intent_goal,
            memory.full_summary,
            f"{memory.importance:g}",
            str(memory.access_count),
        )
        for memory in answer.memories
    ]
    lines = [
        f"{local_time(memory.created_at)} "
        + memory_line(memory.id, memory.intent_goal, memory.outcome_success, memory.full_summary)
        for memory in answer.memories
    ]
    return table(kinds, rows, lines)


@rum_command("tags")
@ids_option
def tags(rum: Rum) -> Output:
    """List the tags and how many memories have each.

    Most frequent first.
    """
    answer = rum.tags()
    return Output(answer, _tags_view, ids=(tag.tag for tag in answer), empty="No tags yet.")


def _tags_view(tags: Sequence[Tag]) -> View:
    rows = [(tag.tag, str(tag.memories)) for tag in tags]
    return table({"tag": "strong", "memories": ""}, rows)


@rum_command("history")
@click.argument("memory_id", metavar="ID")
def history(rum: Rum, memory_id: str) -> Output:
    """Show every version of a memory.

    Oldest first, with who changed what. --json prints each version in full.
    """
    return Output(rum.history(stored_id(rum, memory_id)), _versions_view)


def _versions_view(versions: Sequence[Version]) -> View:
    changes = ["stored"]
    changes += [", ".join(_changed_fields(old.memory, new.memory)) for old, new in pairwise(versions)]
    rows = [
        (str(one.version), local_time(one.changed_at), one.changed_by, change or "nothing")
        for one, change in zip(versions, changes, strict=True)
    ]
    return table({"version": "id", "when": "dim", "by": "dim", "changed": ""}, rows)


def _changed_fields(old: Json, new: Json, path: str = "") -> Iterator[str]:
    """Yield the paths of the fields that differ."""
    for name in dict.fromkeys([*old, *new]):
        old_value, new_value = old.get(name), new.get(name)
        if isinstance(old_value, dict) and isinstance(new_value, dict):
            yield from _changed_fields(cast("Json", old_value), cast("Json", new_value), f"{path}{name}.")
        elif old_value != new_value:
            yield f"{path}{name}"


@rum_command("verify")
@click.argument("files", metavar="[FILE]...", nargs=-1)
@click.option(
    "--confirm", metavar="ID", multiple=True, help="This memory, note, fact or rule still holds (repeat)."
)
@click.option("--limit", type=click.IntRange(min=1), default=100, help="Maximum number of memories.")
@ids_option
def verify(rum: Rum, files: tuple[str, ...], confirm: tuple[str, ...], limit: int) -> Output:
    """List memories, notes, facts and rules whose code has changed.

    By file, with the commit that changed it. Commits and failures are left out, as they stay true. Confirm
    what still holds with --confirm; use `rum update`, `rum link` or `rum forget` for the rest.
    """
    if confirm:
        ids = (stored_id(rum, one) if one.lower().startswith("mem_") else one for one in confirm)
        done = rum.confirm(*ids)
        return Output(done, f"Confirmed {', '.join(done.confirmed)}.")
    answer = rum.verify(*files, limit=limit)
    ids = [memory.id for file in answer.files for memory in file.memories]
    checked = count_of(answer.checked, "item", "items")
    hints = [answer.hint] if answer.hint else []
    if not answer.checked:
        nothing = answer.hint or (
            "Nothing to compare: no memory, note, fact or rule here names code. "
            "Commits and failures are left out: they stay true."
        )
        return Output(answer, nothing, ids=ids)
    if not answer.files:
        return Output(answer, f"Compared {checked} with the code: none went stale.", ids=ids, notes=hints)
    return Output(
        answer,
        _stale_view(answer.files),
        ids=ids,
        notes=[f"{answer.stale} of {checked} went stale.", *(hints if files else [])],
    )


def _stale_view(files: Sequence[StaleFile]) -> View:
    """What is about changed code, by file and by the commit that changed it."""
    return [Tree((TextPart(file.path, "strong"),), _by_commit(file.memories)) for file in files]


def _by_commit(memories: Iterable[StaleMemory]) -> list[Tree]:
    found: dict[str, Tree] = {}
    for memory in memories:
        since = memory.since
        by = "not committed yet" if memory.uncommitted else "commit not known"
        if since:
            by = f"{since.commit[:10]} {local_time(since.at)[:10]} {since.subject}"
        found.setdefault(by, Tree((TextPart(by, "id"),), [])).branches.append(_stale_branch(memory))
    return [*found.values()]


def _stale_branch(memory: StaleMemory) -> Tree:
    is_memory = memory.kind == "memory"
    name = short_id(memory.id) if is_memory else f"{memory.kind} {memory.id}"
    heading = (
        TextPart(memory.goal, "strong"),
        TextPart(
            f"[{name} {local_time(memory.created_at)[:10] if memory.created_at else ''}".rstrip() + "]", "id"
        ),
    )
    share = f"{round(100 * memory.code_changed)} % changed" if memory.freshness == "changed" else "gone"
    return Tree(heading, [Tree((TextPart(f"{memory.code_at}: {share}", "dim"),), [])])
