"""The repositories whose config the user trusts, each with a digest of the trusted content."""

from __future__ import annotations

import json
import os

from rum.model.errors import NotFound, StorageError
from rum.settings.config_file import REPOSITORY_CONFIG, read_config
from rum.settings.home import ensure_private_dir, file_lock, write_private

_FILE = "trust.json"


def trust(home: str, root: str) -> None:
    """Trust the repository's config as it is now; a change makes it untrusted again."""
    config = read_config(os.path.join(root, REPOSITORY_CONFIG), home)
    if config is None:
        raise NotFound(f"{root} has no {REPOSITORY_CONFIG}, so there is nothing to trust.", root=root)
    if config.problem:
        raise StorageError(f"{config.path} cannot be trusted: {config.problem}.", file=config.path)
    _change(home, root, _digest(config.raw))


def untrust(home: str, root: str) -> bool:
    """Revoke the permission; False if there was none."""
    if os.path.realpath(root) not in _trusted(home):
        return False
    _change(home, root, None)
    return True


def is_trusted(home: str, root: str) -> bool:
    """Whether the user trusts this repository's config as it is now."""
    config = read_config(os.path.join(root, REPOSITORY_CONFIG), home)
    return config is not None and not config.problem and trusts(home, root, config.raw)


def trusts(home: str, root: str, raw: bytes) -> bool:
    """Whether the user trusts this content for this repository."""
    allowed = _trusted(home).get(os.path.realpath(root))
    return allowed is not None and allowed == _digest(raw)


def _digest(raw: bytes) -> str:
    import hashlib  # noqa: PLC0415 (loads OpenSSL, and few repositories ask for trust)

    return hashlib.sha256(raw).hexdigest()


def _trusted(home: str) -> dict[str, str]:
    """Repository root to digest; empty if the file is missing or invalid."""
    try:
        with open(os.path.join(home, _FILE), encoding="utf-8") as file:
            found = json.load(file)["trusted"]
        return {str(root): str(digest) for root, digest in found.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _change(home: str, root: str, digest: str | None) -> None:
    path = os.path.join(home, _FILE)
    try:
        ensure_private_dir(home)
        with file_lock(f"{path}.lock"):
            trusted = _trusted(home)
            trusted.pop(os.path.realpath(root), None)
            if digest:
                trusted[os.path.realpath(root)] = digest
            write_private(path, json.dumps({"version": 1, "trusted": trusted}, indent=1).encode())
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}. Nothing was changed.", path=path) from error
