"""The files that a text names: what is a path in it, what of that is a word, and which are the same."""

from __future__ import annotations

import re
from functools import lru_cache

from rum.text.terms import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_ENDINGS = (
    r"py|pyi|pyx|ipynb|jsx?|mjs|cjs|tsx?|go|rs|rb|java|kts?|scala|swift|c|h|cc|cpp|cxx|hpp|m|cs|fs|php|pl|lua|ex|exs|erl"
    r"|hs|ml|clj|dart|jl|r|sql|sh|bash|zsh|ps1|bat|toml|ya?ml|json|jsonc|md|mdx|rst|txt|csv|tf|gradle|xml|html?|s?css|sass"
    r"|less|vue|svelte|proto|graphql|ini|cfg|conf|env|lock|mk|cmake|svg|jinja2?|j2|tmpl|po"
)
_PATH = re.compile(
    # A folder says so by the slash at its end; `and/or` is no path, and Node.js is no file.
    rf"(?<![\w/:.@-])(?!(?-i:[A-Z][a-z]+\.js\b)(?!/))"
    rf"(?:[.~]{{0,2}}/)?(?:[\w.@+-]{{1,80}}/){{0,20}}[\w.@+-]{{0,80}}\.(?:{_ENDINGS})\b(?![\w(/-])"
    r"|(?<![\w/:.@-])(?:[.~]{0,2}/)?(?:[\w.@+-]{1,80}/){1,20}(?![\w.@*-])",
    re.IGNORECASE,
)


def paths_in(text: str) -> tuple[str, ...]:
    """The files and folders that a text names, each once."""
    return tuple(dict.fromkeys(found[0] for found in _PATH.finditer(text)))


def without_paths(text: str) -> str:
    """A text without the files and folders in it."""
    return _PATH.sub(" ", text)


@lru_cache(maxsize=4096)
def words_of(path: str) -> tuple[str, ...]:
    """The index terms of a file's own name: not of its folders, nor of its ending, which half of all have."""
    name = _segments(path)[-1:]
    ending = name[0].rpartition(".")[2] if name and "." in name[0].strip(".") else ""
    return tuple(term for one in name for term in terms(one) if term != ending)


def is_same(named: str, path: str) -> bool:
    """Whether a name means a file: by its path, its end, or a folder it lies in; either may be shorter."""
    ours, theirs = _segments(named), _segments(path)
    if not ours or not theirs:
        return False
    if named.endswith("/"):
        return any(theirs[at : at + len(ours)] == ours for at in range(len(theirs) - len(ours)))
    fewer = min(len(ours), len(theirs))
    return ours[-fewer:] == theirs[-fewer:]


def is_any(named: Iterable[str], paths: Iterable[str]) -> bool:
    """Whether any of the names means any of the files."""
    known = tuple(paths)
    return any(is_same(one, path) for one in named for path in known)


@lru_cache(maxsize=4096)
def _segments(path: str) -> tuple[str, ...]:
    return tuple(one for one in path.casefold().split("/") if one not in ("", ".", "..", "~"))
