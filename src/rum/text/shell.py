"""Split a command line into its simple commands, each as its words, without wrappers such as `sudo`."""

from __future__ import annotations

import re

_MAX_COMMAND = 4000  # Characters of a command line that are read

# Not compiled on import: few importers of this module need them.
_PART = r"""(?s)(?:[^;&|\n"'\\]|\\.|"(?:\\.|[^"\\])*"|'[^']*'|&(?=>)|(?<=>)&)+"""
_WORD = r"""(?s)(?:[^\s"'\\]|\\.|"(?:\\.|[^"\\])*"|'[^']*')+"""
_SETTING = r"\w+=\S*"
_PYTHON = r"(?:python|pypy|py)[\d.]*"
_OPENERS = ("(", "{", "then", "do", "if", "!")
# Wrappers that run the command after them; with words, one of these must come next.
_WRAPPERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("sudo", "time", "env", "command", "exec", "nice", "nohup", "xvfb-run", "dotenv"), ()),
    **dict.fromkeys(("npx", "pnpx", "bunx"), ()),
    **dict.fromkeys(("uv", "poetry", "pipenv", "pdm", "hatch", "rye", "coverage"), ("run",)),
    **dict.fromkeys(("pnpm", "yarn", "npm", "bundle", "mise"), ("exec", "dlx")),
}
_SHELLS = ("bash", "sh", "zsh", "dash")
_OPTIONS_WITH_VALUE = ("--with", "--python", "--group", "--extra", "--project", "-p", "-n", "-k")


def segments(command: str) -> list[list[str]]:
    """Return the simple commands of a line, each as its words, without wrappers."""
    # The text of a here document is data, no command.
    head = command[:_MAX_COMMAND].partition("<<")[0]
    found: list[list[str]] = []
    for part in re.findall(_PART, head):
        words = _words(part)
        if len(words) > 2 and words[0] in _SHELLS and words[1] in ("-c", "-lc"):
            # `bash -lc "..."` runs a command line of its own.
            found += segments(words[2])
        elif words:
            found.append(words)
    return found


def _words(part: str) -> list[str]:
    words = [word.strip("'\"") for word in re.findall(_WORD, part)]
    words = [word for word in words if word]
    while words:
        first = words[0].replace("\\", "/").rpartition("/")[2].removesuffix(".exe") or words[0]
        if words[0] in _OPENERS or re.fullmatch(_SETTING, words[0]):
            words = words[1:]
        elif first == "timeout" and len(words) > 2:
            words = _without_options(words[1:])[1:]
        elif first in _WRAPPERS and len(words) > 1:
            inner = _WRAPPERS[first]
            if inner and words[1] not in inner:
                return [first, *words[1:]]
            words = _without_options(words[2:] if inner else words[1:])
        elif "-m" in words[1:4] and re.fullmatch(_PYTHON, first):
            words = words[words.index("-m") + 1 :]
        else:
            return [first, *words[1:]]
    return words


def _without_options(words: list[str]) -> list[str]:
    """The words after leading options; `--with X` and the like take a word with them."""
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in _OPTIONS_WITH_VALUE else words[1:]
    return words
