"""Match patterns of notes and rules with texts, and find paths in texts.

A pattern is never a regular expression, so that no pattern can take exponential time. `|` separates
alternatives, `*` and `.*` stand for any characters, all else is literal. Several words without either are
natural language: half of those that are no stop words must occur, and if they name files, one of these. Of a
path only the file's own name counts as a word.
"""

from __future__ import annotations

import re
from collections import namedtuple
from functools import lru_cache

from rum.text.terms import content_words, terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


FILE_EXTENSIONS = (
    r"py|pyi|pyx|ipynb|jsx?|mjs|cjs|tsx?|go|rs|rb|java|kts?|scala|swift|c|h|cc|cpp|cxx|hpp|m|cs|fs|php|pl|lua|ex|exs|erl"
    r"|hs|ml|clj|dart|jl|r|sql|sh|bash|zsh|ps1|bat|toml|ya?ml|json|jsonc|md|mdx|rst|txt|csv|tf|gradle|xml|html?|s?css|sass"
    r"|less|vue|svelte|proto|graphql|ini|cfg|conf|env|lock|mk|cmake|svg|jinja2?|j2|tmpl|po"
)
_PATH = re.compile(
    # A folder must end with a slash: `and/or` is no path. `Node.js` is a product, no file.
    rf"(?<![\w/:.@-])(?!(?-i:[A-Z][a-z]+\.js\b)(?!/))"
    rf"(?:[.~]{{0,2}}/)?(?:[\w.@+-]{{1,80}}/){{0,20}}[\w.@+-]{{0,80}}\.(?:{FILE_EXTENSIONS})\b(?![\w(/-])"
    r"|(?<![\w/:.@-])(?:[.~]{0,2}/)?(?:[\w.@+-]{1,80}/){1,20}(?![\w.@*-])",
    re.IGNORECASE,
)


def paths_in(text: str) -> tuple[str, ...]:
    """Return the files and folders that a text names, each once."""
    return tuple(dict.fromkeys(found[0] for found in _PATH.finditer(text)))


def without_paths(text: str) -> str:
    """A text without the files and folders in it."""
    return _PATH.sub(" ", text)


@lru_cache(maxsize=4096)
def _words_of(path: str) -> tuple[str, ...]:
    """The index terms of a file's own name, without its folders and its extension, which many files share."""
    name = _segments(path)[-1:]
    ending = name[0].rpartition(".")[2] if name and "." in name[0].strip(".") else ""
    return tuple(term for one in name for term in terms(one) if term != ending)


def _is_same(named: str, path: str) -> bool:
    """Whether a name fits a file: an equal path, the end of one, or a folder above it."""
    ours, theirs = _segments(named), _segments(path)
    if not ours or not theirs:
        return False
    if named.endswith("/"):
        return any(theirs[at : at + len(ours)] == ours for at in range(len(theirs) - len(ours)))
    fewer = min(len(ours), len(theirs))
    return ours[-fewer:] == theirs[-fewer:]


def is_any(named: Iterable[str], paths: Iterable[str]) -> bool:
    """Whether any of the names fits any of the files."""
    known = tuple(paths)
    return any(_is_same(one, path) for one in named for path in known)


@lru_cache(maxsize=4096)
def _segments(path: str) -> tuple[str, ...]:
    return tuple(one for one in path.casefold().split("/") if one not in ("", ".", "..", "~"))


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import NamedTuple

    class Pattern(NamedTuple):
        """A parsed pattern, made of plain values, so that it can be cached as JSON."""

        source: str
        # Each as the literal pieces between its wildcards: a single piece has none.
        alternatives: Sequence[Sequence[str]]
        # The words of natural language that are no stop words; empty for any other pattern.
        words: Sequence[Sequence[str]]
        # The files that natural language names: one of them must be named by the text too.
        files: Sequence[str] = ()

    class Match(NamedTuple):
        """How a pattern matched: one of the kinds below, and the pattern itself."""

        kind: str
        pattern: str

else:
    # `typing` is slow to load.
    Pattern = namedtuple("Pattern", ("source", "alternatives", "words", "files"), defaults=((),))
    Match = namedtuple("Match", ("kind", "pattern"))

LITERAL, WILDCARD, ALL_WORDS, SOME_WORDS = "literal", "wildcard", "all words", "some words"
CLOSENESS = {LITERAL: 3, WILDCARD: 2, ALL_WORDS: 2, SOME_WORDS: 1}  # Each kind of match, and how close it is

_ANY_RUN = re.compile(r"(?:\.?\*)+")
# How patterns in natural language begin: "when the task mentions ...", "use this if ...", "for ...".
_OPENING = re.compile(
    r"""(?:(?:appl(?:y|ies)|helpful|read|relevant|use|useful)\s+
           (?=(?:it|this|when|whenever|if|for|while|during|before|after)\s))?
        (?:(?:it|this|when|whenever|if|for|while|during|before|after|once|
              a|an|any|are|current|is|our|that|the|there|we|you|your)\s+)*
        (?:(?:agent|goal|issue|job|plan|prompt|question|request|step|task|ticket|user|work)s?\s+
           (?:about|ask|concern|contain|cover|deal|describ|includ|involv|is|mean|mention|need|refer|relat|
              requir|say|talk|touch|want)\w*\s+
          |(?:deal|work)(?:s|ing)?\s+(?:at|in|on|with)\s+)?""",
    re.IGNORECASE | re.VERBOSE,
)

# Verbs that apply to any file, and so add nothing to its name.
_TOUCHING = re.compile(
    r"\b(?:add|alter|chang|edit|modif|open|read|touch|updat|work|writ)\w*\b|\bfiles?\b", re.IGNORECASE
)

# Signs that the author took a pattern for a regular expression.
_REGULAR = re.compile(
    r"""\\[bBAZ](?!\w)|(?<!\w)\\[bBdDsSwW]|\\[dDsSwW][+*?]
       |\(\?[:=!<]|\([^()]*\|[^()]*\)|\.\+|\[[^\]]*\w-\w[^\]]*\]|^\^|\$$|(?<![^|])[^\s|]*[\w)]\?(?=$|\||\w)""",
    re.VERBOSE,
)


class Text:
    """Texts and files that patterns are matched with, in lower case and with single blanks.

    Only a wildcard reaches from one text into the next.
    """

    def __init__(self, *texts: str, files: Sequence[str] = ()) -> None:
        self._texts = texts
        self._extra_files = files
        self._files: tuple[str, ...] | None = None
        self._terms: frozenset[str] | None = None
        self.lower = "\n".join(map(_normalise, (*texts, *files)))

    @property
    def files(self) -> tuple[str, ...]:
        """The files given, and those that the texts name."""
        if self._files is None:
            self._files = (*self._extra_files, *(path for text in self._texts for path in paths_in(text)))
        return self._files

    @property
    def terms(self) -> frozenset[str]:
        """The index terms of all texts, computed at first use; of a path those of its name."""
        if self._terms is None:
            found = (term for text in self._texts for term in terms(without_paths(text)))
            named = (term for path in self.files for term in _words_of(path))
            self._terms = frozenset((*found, *named))
        return self._terms

    def share(self, words: Sequence[Sequence[str]]) -> float:
        """The share of these words that occur."""
        return self.count(words) / len(words) if words else 0.0

    def count(self, words: Iterable[Sequence[str]]) -> int:
        """How many of these words occur; a word of several terms does if half of them do."""
        known, found = self.terms, 0
        for word in words:
            if len(word) == 1:
                found += word[0] in known
            else:
                found += 2 * sum(term in known for term in word) >= len(word)
        return found


def _normalise(text: str) -> str:
    return " ".join(text.casefold().split())


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> Pattern:
    """Return a pattern parsed, ready to be matched."""
    spelled = _normalise(pattern)
    parts = [part.strip() for part in spelled.split("|")]
    alternatives = tuple(tuple(_ANY_RUN.split(part)) for part in parts if part)
    is_natural = len(parts) == 1 and " " in spelled and len(alternatives[0]) == 1
    if not is_natural:
        return Pattern(pattern, alternatives, ())
    files = paths_in(pattern)
    words = _TOUCHING.sub(" ", without_paths(pattern)) if files else pattern
    return Pattern(pattern, alternatives, content_words(_without_opening(words)), files)


def pattern_error(pattern: str) -> str | None:
    """Why a pattern matches rarely, never, or not as intended; None if it is fine."""
    parsed = compiled(pattern)
    if not parsed.alternatives:
        return "has only empty alternatives, so no task matches it"
    if not all(part.strip() for part in pattern.split("|")):
        return "has an empty alternative, which is ignored"
    if signs := _REGULAR.search(pattern):
        return f"is not a regular expression: `{signs[0]}` is matched literally; only `|` and `*` are special"
    if broad := next((pieces for pieces in parsed.alternatives if _matches_all(pieces)), None):
        common = f", as `{'*'.join(broad)}` is in most texts" if "".join(broad).strip() else ""
        return f"matches almost every task{common}; name what the task is about"
    is_natural = " " in _normalise(pattern) and len(parsed.alternatives) == len(parsed.alternatives[0]) == 1
    if is_natural and not parsed.words and not parsed.files:
        return "has only stop words, so it matches only a task with exactly these words"
    return None


def _matches_all(pieces: Sequence[str]) -> bool:
    """Whether an alternative is in almost every text: nothing but wildcards, a letter, or one stop word."""
    words = "".join(pieces).split()
    return len(words) < 2 and not any(len(word) > 1 and content_words(word) for word in words)


def _without_opening(pattern: str) -> str:
    opening = _OPENING.match(pattern)
    return pattern[opening.end() :] if opening else pattern


def best(patterns: Iterable[Pattern], text: Text) -> Match | None:
    """The closest match of any of the patterns, the first among equals; None when none matches."""
    found: Match | None = None
    for pattern in patterns:
        match = _match(pattern, text)
        if match is not None and (found is None or CLOSENESS[match.kind] > CLOSENESS[found.kind]):
            found = match
            if match.kind == LITERAL:
                break
    return found


def _match(pattern: Pattern, text: Text) -> Match | None:
    source, alternatives, words, files = pattern
    lower = text.lower
    wild = False
    for pieces in alternatives:
        if len(pieces) == 1:
            if pieces[0] in lower:
                return Match(LITERAL, source)
        elif not wild:
            wild = _in_order(pieces, lower)
    if wild:
        return Match(WILDCARD, source)
    if files and not is_any(files, text.files):
        return None
    if len(words) == 0:
        return Match(ALL_WORDS, source) if files else None
    # A file that matches is enough, with any words.
    if (count := text.count(words)) * 2 < len(words) and not files:
        return None
    return Match(ALL_WORDS if count == len(words) else SOME_WORDS, source)


def _in_order(pieces: Sequence[str], text: str) -> bool:
    """Whether the pieces occur in the text in this order; taking each at its first place is enough."""
    at = 0
    for piece in pieces:
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True
