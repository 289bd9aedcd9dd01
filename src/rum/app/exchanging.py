"""What an open project takes in and gives away: exports, other systems' files, histories, issues.

Each method loads what it needs: few sessions exchange anything, and it is slow to load.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Unpack

from rum.app.call_types import Chosen
from rum.app.calls import plain
from rum.app.damage_warning import damage_told
from rum.app.opened import Opened

if TYPE_CHECKING:
    from rum.app.exchange.json_lines import ImportResult
    from rum.app.exchange.layers import LayerImport
    from rum.app.imports.agent_guides import Written
    from rum.app.imports.git import GitImport
    from rum.app.imports.issues import IssueImport
    from rum.app.imports.mcp_memory import GraphImport
    from rum.app.imports.notes import NotesImport
    from rum.app.imports.transcripts import TranscriptImport


class Exchanging(Opened):
    """An open project that can be written out and filled."""

    def export(self, left_out: Callable[[str], None] = damage_told) -> Iterator[bytes]:
        """Everything as JSON lines; `left_out` is told of each memory that is damaged and not among them."""
        from rum.app.exchange import json_lines  # noqa: PLC0415

        with self._caller.turn():
            yield from json_lines.export(self._caller.project, left_out)

    def import_lines(
        self, lines: Iterable[bytes], progress: Callable[[int], None] = lambda _: None
    ) -> ImportResult:
        """Take in an export; it is checked whole before anything is written.

        Lines that can be read only once are kept in memory for that.
        """
        from rum.app.exchange import json_lines  # noqa: PLC0415

        kept = list(lines) if isinstance(lines, Iterator) else lines
        with self._caller.turn():
            json_lines.check(kept)
            return json_lines.import_lines(self._caller.project, kept, progress)

    def import_git(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
        **chosen: Unpack[Chosen],
    ) -> GitImport:
        """Make memories of the history of the project's repository, or of that at `path`."""
        from rum.app.imports import git  # noqa: PLC0415

        return self._do(git.import_git, path, plain(chosen), progress)

    def import_issues(
        self, exported: bytes, progress: Callable[[int, int], None] = lambda _done, _total: None
    ) -> IssueImport:
        """Make memories of issues that `gh issue list --json` or GitHub's REST API exported."""
        from rum.app.imports import issues  # noqa: PLC0415

        return self._do(issues.import_issues, exported, progress)

    def import_transcripts(
        self,
        client: str,
        path: str | os.PathLike[str] | None = None,
        *,
        sessions: Sequence[list[str]] | None = None,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> TranscriptImport:
        """Make memories of sessions that a client wrote down: about this project, or at a path."""
        from rum.app.imports import transcripts  # noqa: PLC0415

        where = os.fspath(path) if path is not None else None
        return self._do(transcripts.import_transcripts, client, where, sessions, progress)

    def import_guides(self, *paths: str | os.PathLike[str]) -> NotesImport:
        """Make notes of files of instructions for agents, as CLAUDE.md: one for each heading."""
        from rum.app.imports import agent_guides  # noqa: PLC0415

        return self._do(agent_guides.import_guides, tuple(os.fspath(path) for path in paths))

    def export_guide(self, path: str | os.PathLike[str] | None = None) -> Written:
        """Write what everybody should know into a section of AGENTS.md, or of another file."""
        from rum.app.imports import agent_guides  # noqa: PLC0415

        return self._do(agent_guides.export_guide, None if path is None else os.fspath(path))

    def import_graph(
        self, exported: bytes, progress: Callable[[int, int], None] = lambda _done, _total: None
    ) -> GraphImport:
        """Make memories of the graph that the MCP reference memory server keeps as JSON lines."""
        from rum.app.imports import mcp_memory  # noqa: PLC0415

        return self._do(mcp_memory.import_graph, exported, progress)

    def import_layers(self, path: str | os.PathLike[str]) -> LayerImport:
        """Take in the files of layers of a directory: `episodic.json`, `semantic.json`, `procedural.json`."""
        from rum.app.exchange import layers  # noqa: PLC0415

        return self._do(layers.import_layers, os.path.abspath(path))

    def export_layers(self, path: str | os.PathLike[str]) -> dict[str, int]:
        """Write such files into a directory that has none; how many entries each of them has."""
        from rum.app.exchange import layers  # noqa: PLC0415

        return self._do(layers.export_layers, os.path.abspath(path))
