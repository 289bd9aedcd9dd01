"""Read a repository's remotes and normalise their URLs, so that all spellings give the same key."""

from __future__ import annotations

import os
import re

_HEADER = r'\s*\[\s*([^\s\]"]+)(?:\s+"((?:\\.|[^"\\])*)")?\s*\]'
_URL = r"(?i)\s*url\s*=(.*)"
_SCHEME = r"(?i)([a-z][a-z0-9+.-]*)://"
_SCP = r"(?s)(?:[^/]*@)?(\[[^\]/]+\]|[^/:@]+):(.*)"
_HELPER = r"(?i)[a-z0-9][a-z0-9+.-]*::"
_DRIVE = r"(?i)[a-z]:[\\/]"
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}


def read_remotes(config: str) -> tuple[tuple[str, str], ...]:
    """(name, URL) of the remotes in the text of a git config, `origin` first."""
    found: list[tuple[str, str]] = []
    remote: str | None = None
    for line in re.sub(r"\\\r?\n", "", config).splitlines():
        if header := re.match(_HEADER, line):
            remote = _remote_name(header[1], header[2])
            line = line[header.end() :]
        url = re.match(_URL, line) if remote is not None else None
        if url and remote is not None and (value := _parse_value(url[1])):
            found.append((remote, value))
    return tuple(sorted(found, key=lambda remote: remote[0] != "origin"))


def _remote_name(section: str, subsection: str | None) -> str | None:
    if subsection is not None:
        return re.sub(r"\\(.)", r"\1", subsection) if section.lower() == "remote" else None
    kind, _, name = section.partition(".")
    return name if kind.lower() == "remote" and name else None


def _parse_value(text: str) -> str:
    """A config value as git reads it: without quotes, escapes, comment and surrounding blanks."""
    value, length, quoted, at = "", 0, False, 0
    text = text.strip()
    while at < len(text):
        character = text[at]
        if character == "\\" and at + 1 < len(text):
            at += 1
            value += _ESCAPES.get(text[at], text[at])
        elif character == '"':
            quoted = not quoted
        elif character in "#;" and not quoted:
            break
        else:
            value += character
        at += 1
        if quoted or not character.isspace():
            length = len(value)
    return value[:length]


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
    if not host or not path or re.search(r"[\x00-\x20\x7f]", host):
        return None
    return f"{host}/{path}"


def _decode_percent(path: str) -> str:
    raw = path.encode("utf-8", "surrogateescape")
    raw = re.sub(rb"%([0-9a-fA-F]{2})", lambda found: bytes.fromhex(found[1].decode()), raw)
    return raw.decode("utf-8", "surrogateescape")
