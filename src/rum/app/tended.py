"""What keeps an open project's memory sound and small: checks, idle work, the archive, copies."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rum.app.damage_warning import damage_told
from rum.app.exchanging import Exchanging
from rum.app.upkeep import doctor as upkeep
from rum.app.upkeep import idle
from rum.app.upkeep import tidy as tidying
from rum.app.upkeep.tidy import TidyResult
from rum.model.answers import Diagnosis
from rum.model.errors import RumError

if TYPE_CHECKING:
    from rum.app.upkeep.archive import Archived, Restored


class Tended(Exchanging):
    """An open project that can be looked after."""

    def doctor(self) -> Diagnosis:
        """Check files, index, permissions, space and settings."""
        return self._look_after(upkeep.doctor)

    def reindex(
        self,
        progress: Callable[[int], None] = lambda _: None,
        *,
        vectors: bool = False,
        left_out: Callable[[str], None] = damage_told,
    ) -> int:
        """Build everything derived anew; vectors only if asked for, and then as there is time.

        `left_out` is told of each memory that is damaged.
        """
        return self._look_after(upkeep.reindex, progress, left_out, vectors=vectors)

    @property
    def pending(self) -> int:
        """How many memories wait for a vector."""
        return self._look_after(tidying.pending)

    def tidy(
        self,
        seconds: float = tidying.USUAL,
        *,
        patience: float = 0.0,
        progress: Callable[[int], None] = lambda _: None,
    ) -> TidyResult:
        """Do what could wait, for so many seconds; `math.inf` finishes it.

        One process a project does so at a time: another is waited for as long as `patience` says.
        """
        with self._caller.project.turn():
            return tidying.tidy(self._caller, seconds, patience, progress)

    @property
    def behind(self) -> bool:
        """Whether the last question that went by meaning found memories without a vector."""
        return "semantic" in self._caller.project.__dict__ and self._caller.project.semantic.behind

    def idle(self) -> bool:
        """Nobody is asking: start a process that does what could wait, and ends by itself; whether it was."""
        try:
            return self._look_after(idle.start)
        except RumError:  # nobody asked for it, so nobody needs to be told
            return False

    def backup(self, path: str | os.PathLike[str]) -> int:
        """Copy the memory to a new file while others go on writing."""
        return self._look_after(upkeep.backup, os.fspath(path))

    def archive(
        self,
        *,
        older_than: float | None = None,
        importance: float | None = None,
        uses: int | None = None,
        dry_run: bool = False,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> Archived:
        """Pack away memories that are older than so many days and rarely used; they are found all the same.

        Those that are at least so important, or were retrieved more often, stay as they are; what is not
        given the settings say.
        """
        from rum.app.upkeep import archive  # noqa: PLC0415 (seldom)

        rule = archive.rule(self._caller, older_than, importance, uses)
        return self._look_after(archive.archive, rule, dry_run=dry_run, progress=progress)

    def restore_archived(self, memory_ids: str | Sequence[str]) -> Restored:
        """Make archived memories live again."""
        from rum.app.upkeep import archive  # noqa: PLC0415 (seldom)

        names = [memory_ids] if isinstance(memory_ids, str) else memory_ids
        return self._look_after(archive.restore, names)
