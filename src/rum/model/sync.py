"""Sharing: the files in which items are exchanged, how versions are ordered, and the answer of a sync."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

import msgspec
from msgspec import UNSET, Struct, UnsetType

KINDS = ("agent", "memory", "links", "chapter", "wisdom", "fact", "rule")
TOMBSTONE = "tombstone"
DIGEST = 16  # Characters of a version's hash in its name
_PLAIN_ID = re.compile(r"[a-z]{1,16}_[0-9a-z]{26}\Z")
_PATH = re.compile(
    r"(?P<kind>[a-z]+)/[0-9a-f]/[0-9a-f]/"
    r"(?P<key>[0-9a-z_-]{1,64})\.(?P<number>\d{1,9})\.(?P<at>\d{1,12})\.(?P<digest>[0-9a-f]{16})\.json"
)


def item_key(item_id: str) -> str:
    """The name of an item in file names: its id, or a hash of an id that is none of RUM's own."""
    if _PLAIN_ID.match(item_id):
        return item_id
    return "x-" + hashlib.sha256(item_id.encode()).hexdigest()[:32]


class VersionName(NamedTuple):
    """One version of an item. Versions are ordered by number, time and hash: the last one is in force."""

    kind: str
    key: str
    number: int
    at: int
    digest: str

    @property
    def item(self) -> tuple[str, str]:
        """The item that it is a version of."""
        return self.kind, self.key

    @property
    def version(self) -> str:
        """The version among those of its item."""
        return f"{self.number}.{self.digest}"

    @property
    def path(self) -> str:
        """Its file."""
        # Spread over 256 folders, so that one new file changes only small trees.
        spread = hashlib.sha256(self.key.encode()).hexdigest()
        name = f"{self.key}.{self.number}.{self.at}.{self.digest}.json"
        return f"{self.kind}/{spread[0]}/{spread[1]}/{name}"


def parse_path(path: str) -> VersionName | None:
    """The version in a file; None for other files."""
    found = _PATH.fullmatch(path)
    if not found:
        return None
    name = VersionName(found["kind"], found["key"], int(found["number"]), int(found["at"]), found["digest"])
    return name if name.path == path and name.kind in (*KINDS, TOMBSTONE) else None


class Shared(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The content of a file. `seen` has the versions that its author knew, as `VersionName.version`."""

    id: str
    by: str = ""
    seen: tuple[str, ...] = ()
    body: dict[str, Any] = {}


def digest_of(body: dict[str, Any]) -> str:
    """The hash of a version's content."""
    return hashlib.sha256(msgspec.json.encode(body, order="sorted")).hexdigest()[:DIGEST]


def without_empty(value: Any) -> Any:
    """JSON without nulls and empty values, so that a new optional field does not make another version."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        pairs = ((name, without_empty(one)) for name, one in fields.items())
        return {name: one for name, one in pairs if one is not None and one not in ({}, [], "")}
    return [without_empty(one) for one in cast("list[Any]", value)] if isinstance(value, list) else value


def local_numbers(names: Sequence[VersionName]) -> list[int]:
    """The version numbers under which ordered versions are stored: those of the files, but each only once."""
    numbers: list[int] = []
    for name in names:
        numbers.append(max(name.number, numbers[-1] + 1 if numbers else 1))
    return numbers


def latest_versions(versions: Iterable[tuple[VersionName, Shared]]) -> list[VersionName]:
    """The versions that no other version's author knew, in order; more than one is a conflict."""
    found = list(versions)
    seen = {version for _, shared in found for version in shared.seen}
    return sorted(name for name, _ in found if name.version not in seen)


class SyncResult(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answer of `sync`: items by kind that came and went, and what stands in the way."""

    target: str
    received: dict[str, int] = {}
    sent: dict[str, int] = {}
    forgotten: dict[str, int] = {}  # Items that others forgot, and that are in the trash here now
    buried: dict[str, int] = {}  # Items that were forgotten here, and that others are told of
    conflicts: int = 0  # Items that were changed at two places; both versions are kept
    skipped: int = 0  # Files that this version of RUM cannot read; they are tried again
    kept_local: int = 0  # Changed items that the setting `share` does not share
    dry_run: bool = False
    auto: bool = False
    can_send: bool = True
    note: str | UnsetType = UNSET
