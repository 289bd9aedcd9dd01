"""What a command line is: whether it only looks, which files it prints, what it takes back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rum.text.lexicon import word_set
from rum.text.shell import segments

if TYPE_CHECKING:
    from rum.capture.events.event import Touched


_WRITES = re.compile(r"(?<![0-9&])>{1,2}\s*(?!&|/dev/null)[^\s>&]")
_LOOKS = word_set(
    """
    ls cat bat head tail less more nl wc pwd echo printf which type whoami date env printenv tree find fd rg
    grep egrep ag ack stat file du df ps jq awk cd true false test [ sleep column sort uniq cut xxd od diff
    cmp realpath basename dirname id uname hostname history man help tr rum sed readlink md5sum sha256sum
    export set source . pushd popd dir exit Get-Content Get-ChildItem Select-String
    """
)
_GIT_LOOKS = word_set(
    """
    status log diff show branch blame remote rev-parse ls-files ls-tree describe shortlog reflog config grep
    """
)
_PRINTS = frozenset(("cat", "bat", "head", "tail", "nl", "less", "more", "sed", "Get-Content"))
_SPAN = re.compile(r"['\"]?(\d{1,7}),(\d{1,7})p['\"]?")
_NAMED = re.compile(r"[\w./~@+-]*\w\.\w{1,8}|[\w.~@+-]*/[\w./~@+-]*\w|Makefile|Dockerfile|README|LICENSE")


def looks_only(command: str) -> bool:
    """Whether a command line changes nothing, as far as its words tell."""
    if "<<" in command or _WRITES.search(command):
        return False
    return all(_looks(words) for words in segments(command))


def _looks(words: list[str]) -> bool:
    if words[0] == "git":
        rest = [word for word in words[1:] if not word.startswith("-")]
        return bool(rest) and (rest[0] in _GIT_LOOKS or rest[:2] == ["stash", "list"])
    if words[0] == "sed":
        return not any(word.startswith("-i") or word == "--in-place" for word in words)
    if words[0] in ("find", "fd"):
        return not any(word in ("-delete", "-exec", "-x", "-X", "-execdir") for word in words)
    return words[0] in _LOOKS


def read_by(words: list[str]) -> list[Touched]:
    """The files that a simple command prints, with the lines where it says so."""
    if words[0] not in _PRINTS:
        return []
    span = next((found for word in words if (found := _SPAN.fullmatch(word))), None)
    named: list[Touched] = []
    for word in words[1:]:
        if _NAMED.fullmatch(word) and not _SPAN.fullmatch(word):
            one: Touched = {"path": word, "operation": "read"}
            if span:
                one["lines"] = f"{span[1]}-{span[2]}"
            named.append(one)
    return named


def undoes(command: str) -> tuple[bool, list[str]]:
    """Whether a command takes changes back; and of which files, none meaning all."""
    for words in segments(command):
        if words[0] != "git" or len(words) < 2:
            continue
        rest = [word for word in words[2:] if not word.startswith("-")]
        if words[1] == "restore" and "--staged" not in words:
            return True, [word for word in rest if word != "."]
        if words[1] == "checkout" and ("--" in words or "." in rest):
            after = words[words.index("--") + 1 :] if "--" in words else []
            return True, [word for word in after if word != "."]
        if words[1] == "reset" and "--hard" in words:
            return True, []
        if words[1] == "stash" and rest[:1] in ([], ["push"], ["save"]):
            return True, []
        if words[1] == "revert":
            return True, []
    return False, []
