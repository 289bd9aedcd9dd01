"""Counts the tokens that language models cost, by day and project, and stops at the day's limit.

What a request may cost at most is written down before it is sent, and put right by its answer. So neither
processes that ask at the same time nor one that is killed can spend more than the limit.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime

import msgspec

from rum.llm.base import CannotComplete, LimitReached
from rum.settings.home import ensure_private_dir, file_lock, read_bounded, write_private

FILE = "tokens.json"
KEPT = 92
"""Days of which the counts are kept."""
_LARGEST = 8 * 1024 * 1024
_VERSION = 1
_DAY = 86_400


class Spent(msgspec.Struct):
    """What was spent: requests, tokens read by the model, tokens it wrote."""

    requests: int = 0
    read: int = 0
    written: int = 0

    @property
    def tokens(self) -> int:
        """Both together, as the limit counts them."""
        return self.read + self.written


Days = dict[str, dict[str, Spent]]
"""Day to project to what was spent."""


class _File(msgspec.Struct):
    days: Days = {}
    version: int = _VERSION


class Meter:
    """The counts of one RUM home, in which one project spends; `limit` is for all projects together."""

    def __init__(self, home: str, project: str, limit: int, clock: Callable[[], float]) -> None:
        self._home = home
        self._path = os.path.join(home, FILE)
        self._project = project
        self._limit = limit
        self._clock = clock

    @property
    def limit(self) -> int:
        """Tokens a day."""
        return self._limit

    def days(self) -> Days:
        """What was spent, newest day last."""
        return dict(sorted(self._read().items()))

    def today(self) -> int:
        """Tokens that all projects spent today."""
        return _total(self._read(), self._day())

    def reserve(self, read: int, written: int) -> str:
        """Take this much off the day's tokens; the day. LimitReached if there is not so much left."""
        day = self._day()

        def take(days: Days) -> None:
            left = self._limit - _total(days, day)
            if read + written > left:
                raise LimitReached(
                    f"Of {self._limit} tokens a day for language models {max(left, 0)} are left, and this "
                    f"may cost {read + written}. Wait for tomorrow (UTC), or raise `llm_daily_tokens`.",
                    retry_after=_DAY - int(self._clock()) % _DAY,
                    limit=self._limit,
                )
            self._add(days, day, Spent(1, read, written))

        self._change(take)
        return day

    def settle(self, day: str, reserved: Spent, spent: Spent) -> None:
        """Put right what was reserved, now that it is known what was spent."""
        less = Spent(
            spent.requests - reserved.requests, spent.read - reserved.read, spent.written - reserved.written
        )
        self._change(lambda days: self._add(days, day, less))

    def _day(self) -> str:
        return datetime.fromtimestamp(self._clock(), UTC).strftime("%Y-%m-%d")

    def _add(self, days: Days, day: str, more: Spent) -> None:
        known = days.setdefault(day, {}).get(self._project, Spent())
        days[day][self._project] = Spent(
            max(0, known.requests + more.requests),
            max(0, known.read + more.read),
            max(0, known.written + more.written),
        )

    def _change(self, change: Callable[[Days], None]) -> None:
        try:
            ensure_private_dir(self._home)
            with file_lock(f"{self._path}.lock"):
                days = self._read()
                change(days)
                kept = dict(sorted(days.items())[-KEPT:])
                write_private(self._path, msgspec.json.format(msgspec.json.encode(_File(kept)), indent=1))
        except OSError as error:
            raise CannotComplete(
                f"{self._path}: {error.strerror or error}. Without it no language model is asked, as the "
                "day's limit could not be kept.",
                path=self._path,
            ) from error

    def _read(self) -> Days:
        try:
            raw, _ = read_bounded(self._path, _LARGEST)
            found = msgspec.json.decode(raw, type=_File)
        except FileNotFoundError:
            return {}
        except (msgspec.DecodeError, ValueError) as error:
            raise CannotComplete(
                f"{self._path} cannot be understood ({error}). Move it away to count from nothing.",
                path=self._path,
            ) from None
        if found.version != _VERSION:
            raise CannotComplete(
                f"{self._path} was written by another version of RUM (its form is {found.version}, this one "
                f"knows {_VERSION}). Upgrade RUM, or move it away to count from nothing.",
                path=self._path,
            )
        return found.days


def _total(days: Days, day: str) -> int:
    return sum(spent.tokens for spent in days.get(day, {}).values())
