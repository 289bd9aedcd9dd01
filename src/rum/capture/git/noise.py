"""Which commits are nobody's work: merges, what bots do, releases, lock files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from rum.text.lexicon import word_set

_BOT = re.compile(
    r".*\[bot\]|.*[-_ ]bot|(?:dependabot|renovate|greenkeeper|pyup|snyk|mergify|imgbot|allcontributors|"
    r"semantic-release|pre-commit[- ]ci|github[- ]actions?|weblate|transifex|crowdin|release-please|"
    r"copybara|travis ci|circleci|jenkins|buildbot|hosted weblate)\b.*",
    re.IGNORECASE,
)
_NUMBER = r"v?\d+(?:\.\d+)+[\w.+-]*"
_RELEASE = re.compile(
    r"(?:chore\(release\)|chore: release|\[maven-release-plugin\]).*"
    rf"|(?:chore: |build: )?(?:bump|bumping|update|set|increase|increment)(?:ed|s)? (?:the )?version\b.*"
    rf"|(?:chore: |build: )?(?:version bump|release|releasing|bump to|version|tag|prepare(?: for)?|preparing)"
    rf"(?: (?:release|version|of|for))*:? {_NUMBER}\W*"
    rf"|(?:[\w.-]+ )?(?:release )?{_NUMBER}(?: release(?:d)?)?\W*"
    r"|(?:start|begin|back to|open|prepare(?: for)?)(?: the)? (?:next )?dev(?:elopment)?"
    r"(?: (?:cycle|iteration|version))?\W*",
    re.IGNORECASE,
)
_RELEASE_FILES = 5
_LOCKS = word_set(
    """
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock poetry.lock
    pdm.lock uv.lock pipfile.lock cargo.lock gemfile.lock composer.lock go.sum go.work.sum flake.lock mix.lock
    pubspec.lock podfile.lock packages.lock.json gradle.lockfile cartfile.resolved package.resolved conan.lock
    pixi.lock conda-lock.yml
    """
)


class Noise(StrEnum):
    """Why a commit is left out."""

    MERGE = "merge"
    BOT = "bot"
    RELEASE = "release"
    LOCK_FILE = "lock_file"
    EMPTY = "empty"
    COPY = "copy"
    """The same work on another branch, of which there is a memory already."""
    CUT_OFF = "cut_off"


def noise_by_author(parents: int, author: str) -> Noise | None:
    """What can be seen before looking at what a commit changed."""
    if parents > 1:
        return Noise.MERGE
    return Noise.BOT if _BOT.fullmatch(author.strip()) else None


def noise_by_change(subject: str, body: str, paths: Sequence[str]) -> Noise | None:
    """What can be seen only then."""
    if not paths:
        return None if body else Noise.EMPTY
    names = {path.rpartition("/")[2].lower() for path in paths}
    if names <= _LOCKS:
        return Noise.LOCK_FILE
    # A release that changes many files is more than a number.
    if len(paths) <= _RELEASE_FILES and not body and _RELEASE.fullmatch(subject):
        return Noise.RELEASE
    return None
