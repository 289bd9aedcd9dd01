"""What a shell command does to changes made before it: undoes, stashes or commits them; or makes new ones."""

from __future__ import annotations

import fnmatch
import re
from typing import Literal, NamedTuple

from rum.text.shell import segments

EffectKind = Literal["restore", "delete", "stash", "unstash", "drop", "revert", "commit"]


class Effect(NamedTuple):
    """What a simple command does to earlier changes; without `files` it is about all of them.

    `restore` takes edits back, `delete` deletes files, `stash` puts changes away, `unstash` brings them back,
    `drop` gives up what was put away, `revert` takes back commits, `commit` makes one.
    """

    kind: EffectKind
    files: tuple[str, ...] = ()
    with_commits: bool = False  # It also takes back what was committed
    with_new_files: bool = False  # It also takes files that were created
    commits: tuple[str, ...] = ()


_HERE = ("HEAD", "@")
_DELETES = ("rm", "del", "unlink", "trash", "Remove-Item")
_BACKUP = re.compile(r"(.+?)(?:\.(?:bak|orig|old|saved?|backup)|~)")


def effect_of(words: list[str]) -> Effect | None:
    """What a simple command does to earlier changes; None if nothing is known of it."""
    program, rest = words[0], [word for word in words[1:] if not word.startswith("-")]
    if program == "git":
        return _git_effect(_without_options_of_git(words))
    if program in _DELETES and rest:
        return Effect("delete", tuple(rest))
    if program in ("hg", "svn") and rest[:1] == ["revert"]:
        return Effect("restore", _files_in(rest[1:]))
    if program == "jj" and rest[:1] in (["restore"], ["abandon"]):
        return Effect("restore", _files_in(rest[1:]), with_new_files=True)
    if program in ("cp", "mv") and len(rest) == 2:
        kept = _BACKUP.fullmatch(rest[0])
        return Effect("restore", (rest[1],)) if kept and is_file_named(kept[1], rest[1]) else None
    return None


def _without_options_of_git(words: list[str]) -> list[str]:
    """The subcommand and what follows it."""
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in ("-C", "-c", "--git-dir", "--work-tree") else 1
    return words[at:]


def _git_effect(words: list[str]) -> Effect | None:
    if not words:
        return None
    name, options = words[0], {word for word in words[1:] if word.startswith("-")}
    rest = [word for word in words[1:] if not word.startswith("-")]
    match name:
        case "commit":
            return Effect("commit")
        case "stash":
            return _stash_effect(rest, options)
        case "revert" if "--abort" not in options:
            return Effect("revert", commits=tuple(rest))
        case "restore":
            return _restore_effect(rest, options)
        case "checkout":
            return _checkout_effect(words, rest, options)
        case "reset" if options & {"--hard", "--keep", "--merge"}:
            return Effect(
                "restore", with_commits=any(word not in _HERE for word in rest), with_new_files=True
            )
        case "switch" if options & {"-f", "--force", "--discard-changes"}:
            return Effect("restore")
        case "clean" if any("f" in option for option in options):
            return Effect("delete")
        case "rm" if "--cached" not in options:
            return Effect("delete", tuple(rest))
        case "apply" if options & {"-R", "--reverse"}:
            return Effect("restore", with_new_files=True)
        case _:
            return None


def _restore_effect(rest: list[str], options: set[str]) -> Effect | None:
    if "--staged" in options and not options & {"--worktree", "-W"}:
        return None
    source = next((option.partition("=")[2] for option in options if option.startswith("--source")), "HEAD")
    if "-s" in options or not source:
        source, *rest = rest or ["HEAD"]
    return Effect("restore", _files_in(rest), with_commits=source not in _HERE)


def _checkout_effect(words: list[str], rest: list[str], options: set[str]) -> Effect | None:
    if options & {"-b", "-B", "--orphan", "--track", "-t"}:
        return None
    if "--" in words:
        at = words.index("--")
        older = [word for word in words[1:at] if not word.startswith("-") and word not in _HERE]
        return Effect("restore", _files_in(words[at + 1 :]), with_commits=bool(older))
    # A name may be a branch's; then no changed file has it, and nothing is taken back.
    named = [word for word in rest if word not in _HERE]
    return Effect("restore", _files_in(named)) if named or options & {"-f", "--force"} else None


def _stash_effect(rest: list[str], options: set[str]) -> Effect | None:
    action, *files = rest or ["push"]
    match action:
        case "push" | "save":
            untracked = bool(options & {"-u", "--include-untracked", "-a", "--all"})
            return Effect("stash", tuple(files) if "--" in options else (), with_new_files=untracked)
        case "pop" | "apply" | "branch":
            return Effect("unstash")
        case "drop" | "clear":
            return Effect("drop")
        case _:
            return None


def _files_in(words: list[str]) -> tuple[str, ...]:
    """The files named; none if a name stands for all of them."""
    return () if any(word in (".", ":/", "*") for word in words) else tuple(words)


def is_file_named(path: str, name: str) -> bool:
    """Whether a name in a command means a file or its folder; either may be absolute."""
    path, name = (one.replace("\\", "/").removeprefix("./").rstrip("/") for one in (path, name))
    if not name:
        return False
    if any(sign in name for sign in "*?["):
        return fnmatch.fnmatch(path, name) or fnmatch.fnmatch(path, f"*/{name}")
    return path == name or path.endswith(f"/{name}") or name.endswith(f"/{path}") or f"/{name}/" in f"/{path}"


_IN_PLACE = {"sed": ("-i", "--in-place"), "perl": ("-pi", "-i"), "ruby": ("-pi", "-i")}
_TARGET = re.compile(r"(?<![0-9&>])>{1,2}\s*([\w./~@+-]+\.\w{1,8})(?=[\s;&|]|$)")
_WRITTEN = re.compile(r"[\w./~@+-]*\w\.\w{1,8}")
_QUOTED = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'")
# A script in the command line, and calls by which it writes files.
_INLINE = re.compile(r"(?:python[\d.]*|node|ruby|perl|deno|bun) (?:-\w+ )*(?:-c|-e|--eval)\b")
_WRITING = re.compile(
    r"\.write(?:_text|_bytes|FileSync|File)?\(|File\.write|open\([^)\n]*,\s*[\"'](?:[wax]|r\+)|\bwriteFile"
)
_NO_SOURCE = (".log", ".out", ".tmp", ".txt", ".diff", ".patch", ".bak", ".orig")


def files_written(command: str) -> list[str]:
    """The source files that a command line itself changes: by `sed -i`, `tee` or a redirection."""
    # What follows the line that opens a here document is text.
    before, opened, after = command[:4000].partition("<<")
    line = _QUOTED.sub("", before + opened + after.partition("\n")[0] if opened else before)
    found = list(_TARGET.findall(line))
    for words in segments(command):
        marks = _IN_PLACE.get(words[0], ())
        if words[0] == "tee" or (marks and any(word.startswith(marks) for word in words[1:])):
            found += [word for word in words[1:] if _WRITTEN.fullmatch(word)]
    outside = ("/tmp/", "/dev/", "/var/")  # noqa: S108 (only compared)
    if _WRITING.search(command) and (opened or _INLINE.search(command)):
        found += re.findall(r"""["']([\w./~@+-]*\w\.\w{1,8})["']""", command) or ["a file"]
    return [
        one for one in dict.fromkeys(found) if not one.startswith(outside) and not one.endswith(_NO_SOURCE)
    ]
