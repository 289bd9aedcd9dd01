"""Split a command line into its simple commands, each as its words, without wrappers such as `sudo`."""

from __future__ import annotations

import re

_MAX_COMMAND = 4000  # Characters of a command line that are read

# Not compiled on import: few importers of this module need them.
_PART = r"""(?s)(?:[^;&|\n"'\\]|\\.|"(?:\\.|[^"\\])*"|'[^']*'|&(?=>)|(?<=>)&)+"""
_WORD = r"""(?s)(?:[^\s"'\\]|\\.|"(?:\\.|[^"\\])*"|'[^']*')+"""
_SETTING = r"\w+=\S*"
_PYTHON = r"(?:python|pypy|py)[\d.]*"
_HERE_DOCUMENT = r"""<<-?[ \t]*(["']?)(\w+)\1"""
_OPENERS = ("(", "{", "then", "do", "if", "!")
# Wrappers that run the command after them; with words, one of these must come next.
_WRAPPERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("sudo", "time", "env", "command", "exec", "nice", "nohup", "xvfb-run", "dotenv"), ()),
    **dict.fromkeys(("npx", "pnpx", "bunx"), ()),
    **dict.fromkeys(("uv", "poetry", "pipenv", "pdm", "hatch", "rye", "coverage"), ("run",)),
    **dict.fromkeys(("pnpm", "yarn", "npm", "bundle", "mise"), ("exec", "dlx")),
}
# Wrappers that find the same program as its bare name does.
_PLAIN = r"[({!]|then|do|if|sudo|time|env|command|exec|nice|nohup|timeout|\d+[smh]?"
_SHELLS = ("bash", "sh", "zsh", "dash")
_OPTIONS_WITH_VALUE = ("--with", "--python", "--group", "--extra", "--project", "-p", "-n", "-k")


def segments(command: str) -> list[list[str]]:
    """Return the simple commands of a line, each as its words, without wrappers."""
    return [words for _, words in chain(command)]


def chain(command: str) -> list[tuple[str, list[str]]]:
    """Return the simple commands of a line, each with the sign before it: `&&`, `||`, `|`, `;` or `&`."""
    head = _without_here_documents(command)
    found: list[tuple[str, list[str]]] = []
    end = 0
    for part in re.finditer(_PART, head):
        words, sign = _words(part[0]), _sign(head[end : part.start()])
        end = part.end()
        if len(words) > 2 and words[0] in _SHELLS and words[1] in ("-c", "-lc"):
            # `bash -lc "..."` runs a command line of its own.
            inner = chain(words[2])
            found += [(inner_sign if at else sign, one) for at, (inner_sign, one) in enumerate(inner)]
        elif words:
            found.append((sign, words))
    return found


def settings(command: str, words: list[str]) -> str:
    """The variables that a line sets for one of its simple commands: `PYTHONPATH=src pytest` sets one."""
    for part in re.findall(_PART, _without_here_documents(command)):
        if _words(part) == words:
            found = re.match(rf"[\s(]*(?:env\s+)?((?:{_SETTING}\s+)+)", part)
            return " ".join(found[1].split()) if found else ""
    return ""


def launchers(command: str) -> list[str]:
    """How each simple command of a line is started: by `python -m`, `npx`, from `.venv/bin`; or empty."""
    head = _without_here_documents(command)
    found: list[str] = []
    for part in re.findall(_PART, head):
        if words := _words(part):
            raw = re.findall(_WORD, part)
            before = [re.sub(r"^(?:.*/)?(python|py)[\d.]*$", r"\1", word) for word in raw[: -len(words)]]
            folder = raw[-len(words)].strip("'\"(").replace("\\", "/").rpartition("/")[0]
            starts = [word for word in before if not re.fullmatch(_PLAIN, word)]
            found.append(" ".join(filter(None, (*starts, folder))))
    return found


def _without_here_documents(command: str) -> str:
    """A command line without the text of here documents: it is data, no command.

    What follows one that does not end is left out as well.
    """
    if "<<" not in command:
        return command[:_MAX_COMMAND]
    kept, ends, last = list[str](), list[str](), ""
    for line in command.split("\n"):
        if not ends:
            last = line
            kept.append(re.sub(_HERE_DOCUMENT, "", line))
            ends = [end for _, end in re.findall(_HERE_DOCUMENT, line)]
        elif line.strip(" \t\r") == ends[0]:
            del ends[0]
    if ends:
        kept[-1] = last.partition("<<")[0]
    return "\n".join(kept)[:_MAX_COMMAND].partition("<<")[0]


def _sign(between: str) -> str:
    """The sign that joins two commands; a line break is as good as `;`."""
    signs = "".join(between.split())
    return "|" if signs == "|&" else signs if signs in ("&&", "||", "|", "&") else ";"


def _words(part: str) -> list[str]:
    # The brackets of a subshell, `(cd x && make)`, belong to no word.
    part = part.strip().lstrip("(")
    part = part.removesuffix(")") if part.count(")") > part.count("(") else part
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
