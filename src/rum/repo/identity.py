"""What identifies a repository: its remotes (in normal form), its first commit, or path and fingerprints."""

from __future__ import annotations

import os
import re
from collections import namedtuple
from zlib import crc32

from rum.repo.git import COMMIT_PATTERN, GitRepository, head, is_shallow, open_source
from rum.repo.git_config import parse_settings
from rum.repo.git_process import run_git
from rum.settings.home import read_bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Identity(NamedTuple):
        """The keys of a repository (`remotes`, `root`, `path_key`), and what else tells it from others.

        `paths` are remotes on this machine; `has_remotes` counts remotes that are not its own, too.
        """

        remotes: tuple[str, ...]
        root: str | None
        path_key: str | None
        paths: tuple[str, ...]
        history: str
        has_remotes: bool

else:
    # `typing` is slow to load.
    Identity = namedtuple("Identity", ("remotes", "root", "path_key", "paths", "history", "has_remotes"))

# State of the history: no commit yet, shallow clone, first commit known, or git could not tell.
EMPTY, SHALLOW, KNOWN, UNKNOWN = "empty", "shallow", "known", "unknown"

_CONFIG_LIMIT = 1024 * 1024
_SCHEME = r"(?i)([a-z][a-z0-9+.-]*)://"
_SCP = r"(?s)(?:[^/]*@)?(\[[^\]/]+\]|[^/:@]+):(.*)"
_HELPER = r"(?i)[a-z0-9][a-z0-9+.-]*::"
_DRIVE = r"(?i)[a-z]:[\\/]"
# Files that rarely change, and not together; `description` is written once, by `git init`'s template.
_STABLE_FILES = ("description", "config", "HEAD")


def identify(repository: GitRepository) -> Identity:
    """What a repository says about itself; running git is needed for its first commit."""
    named = _remotes(repository)
    # A fork names the repository it came from as a further remote: only `origin` is its own.
    own = [url for name, url in named if name == "origin"] or [url for _, url in named]
    root, history = _first_commit(repository)
    remotes = dict.fromkeys(f"remote:{name}" for url in own if (name := normalise_remote(url)))
    paths = [path for url in own if (path := local_path(url, repository.root)) and "\0" not in path]
    path_key = None if root or remotes else _path_key(repository.common_dir)
    return Identity(
        tuple(remotes), f"root:{root}" if root else None, path_key, tuple(paths), history, bool(named)
    )


def directory_key(path: str) -> str:
    """The key of a directory without git: its real path."""
    return f"dir:{os.path.normcase(os.path.realpath(path))}"


def _remotes(repository: GitRepository) -> tuple[tuple[str, str], ...]:
    try:
        config, _ = read_bounded(os.path.join(repository.common_dir, "config"), _CONFIG_LIMIT)
    except (OSError, ValueError):
        return ()
    return read_remotes(config.decode("utf-8", "surrogateescape"))


def _path_key(common_dir: str) -> str:
    return f"{directory_key(common_dir)}@{creation_fingerprint(common_dir)}"


def _first_commit(repository: GitRepository) -> tuple[str | None, str]:
    if head(repository)[0] is None:
        return None, EMPTY
    if is_shallow(repository):
        return None, SHALLOW
    printed = run_git(repository.git_dir, "rev-list", "--first-parent", "--max-parents=0", "HEAD", "--")
    commits = (printed or "").split()
    return (commits[-1], KNOWN) if commits and re.fullmatch(COMMIT_PATTERN, commits[-1]) else (None, UNKNOWN)


def source_repositories(identity: Identity) -> list[GitRepository]:
    """The repositories on this machine that the remotes name."""
    # Git finds `/srv/tool.git` under `/srv/tool`, too.
    found = (open_source(path) or open_source(f"{path}.git") for path in identity.paths)
    return [source for source in found if source]


def repository_fingerprints(common_dir: str) -> list[list[int]]:
    """Fingerprints of a few files; one that is unchanged shows that the repository is still the same.

    Inodes alone are not enough, as systems reuse them; nor times alone, as copies keep them.
    """
    return [_file_fingerprint(os.path.join(common_dir, name)) for name in _STABLE_FILES]


def directory_fingerprints(path: str) -> list[list[int]]:
    """The fingerprint of a directory without git: its inode."""
    return [[os.stat(path).st_ino]]


def any_fingerprint_matches(now: list[list[int]], before: list[list[int]]) -> bool:
    """Whether one of the fingerprints is still the same, so that this is the same repository or directory."""
    return any(new and new == old for new, old in zip(now, before, strict=False))


def is_config_unchanged(now: list[list[int]], before: list[list[int]]) -> bool:
    """Whether this is the same repository with the same config, hence the same remotes."""
    return now[:2] == before[:2] and any(now[:2])


def creation_fingerprint(common_dir: str) -> str:
    """A short checksum that tells this repository from others created at the same path at other times."""
    first = [found for found in repository_fingerprints(common_dir) if found][:1]
    return f"{crc32(repr(first).encode()):08x}"


def _file_fingerprint(path: str) -> list[int]:
    try:
        data, state = read_bounded(path, _CONFIG_LIMIT)
    except (OSError, ValueError):
        return []
    return [state.st_ino, state.st_mtime_ns, len(data), crc32(data)]


def read_remotes(config: str) -> tuple[tuple[str, str], ...]:
    """(name, URL) of the remotes in the text of a git config, `origin` first."""
    found = [
        (name, value)
        for section, name, key, value in parse_settings(config)
        if section == "remote" and name and key == "url" and value
    ]
    return tuple(sorted(found, key=lambda remote: remote[0] != "origin"))


def local_path(url: str, base: str) -> str | None:
    """The path of a remote on this machine, or None if it is elsewhere."""
    if scheme := re.match(_SCHEME, url):
        if scheme[1].lower() != "file":
            return None
        host, slash, path = _decode_percent(url[scheme.end() :]).partition("/")
        if host.lower() not in ("", "localhost"):
            return None
        # file:///C:/code, as Windows writes it
        return path if re.match(_DRIVE, path) and os.name == "nt" else slash + path
    drive = os.name == "nt" and re.match(_DRIVE, url)
    if not drive and (re.match(_HELPER, url) or ":" in url.split("/", 1)[0]):
        return None
    return os.path.normpath(os.path.join(base, os.path.expanduser(url)))


def normalise_remote(url: str) -> str | None:
    """A remote as `host/path`, without user, password, port or `.git`; None if it is local or unusable."""
    while helper := re.match(_HELPER, url):
        url = url[helper.end() :]
    if scheme := re.match(_SCHEME, url):
        if scheme[1].lower() == "file":
            return None
        # The query may contain tokens.
        authority, _, path = re.split(r"[?#]", url[scheme.end() :], maxsplit=1)[0].partition("/")
        host = re.sub(r":\d*$", "", authority.rpartition("@")[2])
        path = _decode_percent(path)
    elif scp := re.fullmatch(_SCP, url):
        host, path = scp[1], scp[2]
    else:
        return None
    return _join_host_and_path(host, path)


def _join_host_and_path(host: str, path: str) -> str | None:
    path = re.sub(r"/{2,}", "/", path.replace("\\", "/")).strip("/")
    while path.endswith(".git"):
        path = path[: -len(".git")].rstrip("/")
    host = host.lower().rstrip(".")
    if not host or not path or re.search(r"[\x00-\x20\x7f%]", host):
        return None
    return f"{host}/{path}"


def _decode_percent(path: str) -> str:
    raw = path.encode("utf-8", "surrogateescape")
    raw = re.sub(rb"%([0-9a-fA-F]{2})", lambda found: bytes.fromhex(found[1].decode()), raw)
    return raw.decode("utf-8", "surrogateescape")
