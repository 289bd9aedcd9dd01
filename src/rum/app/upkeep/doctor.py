"""Check, reindex and back up a project's memory; count the tokens that language models used."""

from __future__ import annotations

import os
import platform
import shutil
import stat
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress

from msgspec import Struct

from rum._version import __version__
from rum.app.capture.events import spooled_events
from rum.app.layers import rules
from rum.app.project import Project
from rum.capture.events import pause, problems, spool
from rum.llm.meter import Days
from rum.model.answers import Diagnosis, Problem
from rum.model.errors import InvalidQuery, RumError, StorageError
from rum.model.journal import Finding
from rum.store.files.agents import broken_files
from rum.store.files.journal.archive import SMALL, size_remarks
from rum.store.files.journal.file import JournalFile
from rum.store.files.journal.locations import Sessions

MIN_FREE_BYTES = 100 * 1024 * 1024
MAX_REMARKS = 50
# Bytes of journals that are parsed, newest sessions first; of the rest only the outline is read.
_MAX_PARSED = 512 * 1024
_ANSWERED = ("start", "prompt", "before", "after", "failed")  # Events at which offers are looked for
# Hooks that ended without looking for offers are a problem from this number and this share on.
_MANY_MUTED, _MUTED_SHARE = 5, 0.05


def doctor(project: Project) -> Diagnosis:
    """Check files, index, permissions, disk space, settings, notes, journals and hooks."""
    found = [Problem(*one) for one in project.store.upkeep.problems()]
    home = project.settings.home if os.path.isdir(project.settings.home) else None
    mode = stat.S_IMODE(os.stat(home).st_mode) if home and os.name == "posix" else 0
    if mode & 0o077:
        found.append(Problem(f"{home} can be entered by others (mode {mode:o}).", f"Run `chmod 700 {home}`."))
    found += [Problem(warning, "See `rum config`.") for warning in project.settings.warnings]
    if trouble := project.semantic.trouble:
        advice = "Recall uses words only until then; `rum tidy` tries again."
        found.append(Problem(f"The embedder failed last time: {trouble}", advice))
    notes, broken, odd = _notes(project)
    journals, unreadable, large = _journals(project)
    found += [*broken, *unreadable]
    agents_folder = project.settings.folder("agents_dir")
    for one in broken_files(agents_folder) if agents_folder else ():
        where = os.path.join(agents_folder or "", one.file)
        found.append(Problem(_named(one.problem, where), "It is ignored until it is fixed."))
    found += _hook_problems(project)
    hooks, slow = _hook_answers(project)
    found += slow
    free = shutil.disk_usage(home).free if home else None
    if free is not None and free < MIN_FREE_BYTES:
        found.append(Problem(f"Only {free // 1024 // 1024} MB are free.", "Free some disk space."))
    facts = {
        "rum": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "project": project.location.id,
        "directory": project.location.directory,
        "free_bytes": free,
        **project.store.upkeep.status(),
        "vectors": _vectors(project),
        "hooks": hooks,
        "notes": notes,
        "journals": journals,
        "waiting_for_review": sum(project.store.trash.count(pending=True).values()),
        **_pauses(project),
    }
    return Diagnosis(
        healthy=not found, problems=found, facts=facts, remarks=_remarks(project, [*odd, *large])
    )


def _vectors(project: Project) -> dict[str, object]:
    """How many memories the current embedder has embedded."""
    model = project.semantic.model
    if model is None:
        return {"model": "none"}
    try:
        with project.store.errors():
            done, pending, refused = project.semantic.counts()
    except StorageError:  # the damage is among the problems
        return {"model": model}
    return {"model": model, "done": done, "pending": pending, **({"refused": refused} if refused else {})}


def _notes(project: Project) -> tuple[int, list[Problem], list[str]]:
    """(number of notes, problems of their files, remarks on their content)."""
    try:
        summaries, broken = project.note_store.summaries()
    except StorageError as error:
        return 0, [Problem(error.message, "See the setting `notes_dir`.")], []
    advice = "It is skipped until the file is corrected."
    odd = [
        f"{project.relative(project.note_store.folder.file(summary.slug))}, {remark}"
        for summary in summaries.values()
        for remark in summary.remarks
    ]
    return len(summaries), [Problem(one.problem, advice) for one in broken], odd


def _remarks(project: Project, notes: list[str]) -> list[str]:
    """Remarks on notes and rules, at most MAX_REMARKS."""
    found = list(notes)
    with suppress(StorageError), project.store.errors():  # the damage is among the problems
        found += rules.remarks(project)
    more = [f"{len(found) - MAX_REMARKS} more; `rum note list` has those of notes."]
    return found if len(found) <= MAX_REMARKS else found[:MAX_REMARKS] + more


def reindex(
    project: Project,
    progress: Callable[[int], None],
    left_out: Callable[[str], None],
    *,
    vectors: bool = False,
) -> int:
    """Rebuild derived data, a batch at a time so that writers get their turn; the number of memories.

    Vectors are kept unless `vectors`: then they are dropped and made again in quiet moments. `left_out` is
    called for each damaged memory. A killed reindex loses nothing; run it again.
    """
    done = project.store.upkeep.reindex(progress, project.named_by(left_out), drop_vectors=vectors)
    project.note_store.rebuild()
    return done


def backup(project: Project, path: str) -> int:
    """Copy the canonical database while other processes use it; the size of the copy."""
    if os.path.exists(path):
        raise InvalidQuery(
            f"{path} exists already; a backup never overwrites. Choose another name.", field="file"
        )
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise InvalidQuery(f"There is no folder {folder}.", field="file")
    project.store.local_upkeep.backup(path)
    return os.path.getsize(path)


def _hook_problems(project: Project) -> Iterator[Problem]:
    """Problems that hooks recorded; they never print any to the agent."""
    places = (*project.spool_folders, *spool.unclaimed_folders(project.settings.home))
    for one in problems.recent_problems(places, project.now()):
        times = "1 time" if one.times == 1 else f"{one.times} times"
        yield Problem(
            f"Capture failed {times}, last at {_when(one.last)}: {one.what}.",
            "Run `rum tidy` to process the saved events. This message disappears after a week.",
        )


def _hook_answers(project: Project) -> tuple[dict[str, int], list[Problem]]:
    """How many hooks could answer in the last days, and how many had no time to; many are a problem."""
    try:
        with project.store.errors():
            since = project.now() - problems.RECENT
            # Events of a turn that is not over are still in the spool.
            spooled = Counter(event["kind"] for event in spooled_events(project) if event["at"] >= since)
            kinds = spooled + Counter(project.store.captured.counts(since).events)
    except StorageError:  # the damage is among the problems
        return {}, []
    muted, answerable = kinds.get("muted", 0), sum(kinds.get(kind, 0) for kind in _ANSWERED)
    facts = {"answerable": answerable, "offered": kinds.get("offered", 0), "muted": muted}
    if muted < _MANY_MUTED or muted < answerable * _MUTED_SHARE:
        return facts, []
    what = f"{muted} of {answerable} hooks of the last week had no time to look for offers."
    advice = "The machine was busy, or its disk is slow. Events were recorded; only offers are missing."
    return facts, [Problem(what, advice)]


def _pauses(project: Project) -> dict[str, str]:
    """Whether capture is paused, and until when."""
    held = pause.pauses_now(project.settings.home, project.location.id, project.now())
    ends = [one["until"] for one in held]
    if not ends:
        return {}
    last = None if None in ends else max(filter(None, ends))
    return {"paused": "until `rum resume`" if last is None else f"until {_when(last)}"}


def _when(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _journals(project: Project) -> tuple[int, list[Problem], list[str]]:
    """(number of journals, the first problem of each broken one, remarks on large ones)."""
    folder = project.settings.folder("sessions_dir")
    if folder is None:
        return 0, [], []
    try:
        sessions = Sessions(folder)
        files = [file for name in sessions.names() for file in sessions.files(name)]
    except RumError as error:
        return 0, [Problem(error.message, "See the setting `sessions_dir`.")], []
    return len(files), list(_first_problems(files)), list(_size_remarks(project, files))


def _size_remarks(project: Project, files: list[JournalFile]) -> Iterator[str]:
    for file in files:
        with suppress(OSError, RumError):  # a broken one is among the problems
            if os.path.getsize(file.path) > SMALL:
                yield from (f"{project.relative(file.path)}: {one}" for one in size_remarks(file.read()))


def _first_problems(files: list[JournalFile]) -> Iterator[Problem]:
    parsed = 0
    for file in files:
        findings = list(file.findings() if parsed <= _MAX_PARSED else _outline_findings(file))
        with suppress(OSError):
            parsed += os.path.getsize(file.path)
        if findings:
            first = findings[0]
            more = f" ({len(findings) - 1} more)" if findings[1:] else ""
            what = _named(first.problem, f"{file.path}, line {first.line}", file.path)
            yield Problem(what + more, f"`rum journal validate --session {file.session}` lists all problems.")


def _outline_findings(file: JournalFile) -> Iterator[Finding]:
    try:
        _ = file.read().outline
    except RumError as error:
        yield Finding(int(str(error.details.get("line", 1))), "", error.message)


def _named(problem: str, where: str, path: str | None = None) -> str:
    """A problem with its place, unless its text names it."""
    return problem if (path or where) in problem else f"{where}: {problem}"


class TokensSpent(Struct, frozen=True, kw_only=True):
    """Tokens by day and project; `today` is what all projects spent, of which `limit` may be spent."""

    model: str | None
    limit: int
    today: int
    days: Days


def spent(project: Project) -> TokensSpent:
    """The counts of all projects of this home."""
    settings, meter = project.settings, project.meter
    model = None if settings.llm == "none" else f"{settings.llm}: {settings.llm_model or 'not named'}"
    return TokensSpent(model=model, limit=meter.limit, today=meter.today(), days=meter.days())
