"""What the doctor finds wrong with journals, and with the YAML files of agents."""

from __future__ import annotations

import os
from collections.abc import Iterator

from rum.app.project import Project
from rum.model.answers import Problem
from rum.model.errors import RumError
from rum.model.journal_answers import Finding
from rum.store.files.agents import broken_files
from rum.store.files.journal.file import JournalFile
from rum.store.files.journal.locations import Sessions

PARSED = 512 * 1024
"""Bytes of journals that are read as a whole, the newest sessions first; of the rest only the outline is."""
_LEFT_ALONE = "What it says is not used until somebody mends it."


def journals(project: Project) -> tuple[int, list[Problem]]:
    """How many journals there are, and what is wrong with each: the first of it."""
    folder = project.settings.folder("sessions_dir")
    if folder is None:
        return 0, []
    try:
        sessions = Sessions(folder)
        files = [file for name in sessions.names() for file in sessions.files(name)]
    except RumError as error:
        return 0, [Problem(error.message, "See the setting `sessions_dir`.")]
    return len(files), list(_problems(files))


def agents(project: Project) -> list[Problem]:
    """What is wrong with the files of agents."""
    folder = project.settings.folder("agents_dir")
    found = broken_files(folder) if folder else []
    return [Problem(_named(one.problem, os.path.join(folder or "", one.file)), _LEFT_ALONE) for one in found]


def _problems(files: list[JournalFile]) -> Iterator[Problem]:
    parsed = 0
    for file in files:
        findings = list(file.findings() if parsed <= PARSED else _outline_alone(file))
        parsed += _size(file.path)
        if findings:
            first = findings[0]
            more = f" ({len(findings) - 1} more)" if findings[1:] else ""
            what = _named(first.problem, f"{file.path}, line {first.line}", file.path)
            yield Problem(what + more, f"`rum journal validate --session {file.session}` tells all.")


def _outline_alone(file: JournalFile) -> Iterator[Finding]:
    try:
        _ = file.read().outline
    except RumError as error:
        yield Finding(int(str(error.details.get("line", 1))), "", error.message)


def _named(problem: str, where: str, path: str | None = None) -> str:
    """A problem with the place it is about, unless it says that itself."""
    return problem if (path or where) in problem else f"{where}: {problem}"


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0
