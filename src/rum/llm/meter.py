"""Count the tokens that language models use, by day and project, and enforce the daily limit.

The maximum cost of a request is reserved before it is sent, and corrected after the answer. So neither
parallel processes nor a killed one can exceed the limit.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime

import msgspec

from rum.llm.base import CannotComplete, LimitReached
from rum.settings.home import ensure_private_dir, file_lock, read_bounded, write_private

FILE = "tokens.json"
MAX_DAYS = 92  # Days for which counts are stored
_MAX_LENGTH = 8 * 1024 * 1024
_VERSION = 1
_DAY = 86_400


class TokenUsage(msgspec.Struct):
    """Requests, tokens read by the model, tokens it wrote."""

    requests: int = 0
    read: int = 0
    written: int = 0

    @property
    def tokens(self) -> int:
        """Tokens read and written, as the limit counts them."""
        return self.read + self.written


Days = dict[str, dict[str, TokenUsage]]  # Usage by day and project


class _File(msgspec.Struct):
    days: Days = {}
    version: int = _VERSION


class Meter:
    """The counts in a RUM home, for one project; `limit` applies to all projects together."""

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
        """Usage by day, newest day last."""
        return dict(sorted(self._read().items()))

    def today(self) -> int:
        """Tokens that all projects used today."""
        return _total(self._read(), self._day())

    def reserve(self, read: int, written: int) -> str:
        """Reserve tokens; returns the day they count for. LimitReached if too few are left."""
        day = self._day()

        def take(days: Days) -> None:
            remaining = self._limit - _total(days, day)
            if read + written > remaining:
                raise LimitReached(
                    f"Of {self._limit} tokens a day for language models {max(remaining, 0)} are left, and "
                    f"this may cost {read + written}. Wait for tomorrow (UTC), or raise `llm_daily_tokens`.",
                    retry_after=_DAY - int(self._clock()) % _DAY,
                    limit=self._limit,
                )
            self._add(days, day, TokenUsage(1, read, written))

        self._change(take)
        return day

    def settle(self, day: str, reserved: TokenUsage, spent: TokenUsage) -> None:
        """Replace a reservation by the actual usage."""
        less = TokenUsage(
            spent.requests - reserved.requests, spent.read - reserved.read, spent.written - reserved.written
        )
        self._change(lambda days: self._add(days, day, less))

    def _day(self) -> str:
        return datetime.fromtimestamp(self._clock(), UTC).strftime("%Y-%m-%d")

    def _add(self, days: Days, day: str, more: TokenUsage) -> None:
        spent = days.setdefault(day, {}).get(self._project, TokenUsage())
        days[day][self._project] = TokenUsage(
            max(0, spent.requests + more.requests),
            max(0, spent.read + more.read),
            max(0, spent.written + more.written),
        )

    def _change(self, change: Callable[[Days], None]) -> None:
        try:
            ensure_private_dir(self._home)
            with file_lock(f"{self._path}.lock"):
                days = self._read()
                change(days)
                newest = dict(sorted(days.items())[-MAX_DAYS:])
                write_private(self._path, msgspec.json.format(msgspec.json.encode(_File(newest)), indent=1))
        except OSError as error:
            raise CannotComplete(
                f"{self._path}: {error.strerror or error}. Without this file the daily limit "
                "cannot be enforced, so no language model is used.",
                path=self._path,
            ) from error

    def _read(self) -> Days:
        try:
            raw, _ = read_bounded(self._path, _MAX_LENGTH)
            found = msgspec.json.decode(raw, type=_File)
        except FileNotFoundError:
            return {}
        except (msgspec.DecodeError, ValueError) as error:
            raise CannotComplete(
                f"{self._path} is invalid ({error}). Move it away to start counting from zero.",
                path=self._path,
            ) from None
        if found.version != _VERSION:
            raise CannotComplete(
                f"{self._path} was written by another version of RUM (format {found.version}, this one "
                f"reads {_VERSION}). Upgrade RUM, or move it away to start counting from zero.",
                path=self._path,
            )
        return found.days


def _total(days: Days, day: str) -> int:
    return sum(spent.tokens for spent in days.get(day, {}).values())
