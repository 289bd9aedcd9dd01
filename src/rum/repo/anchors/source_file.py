"""A file as anchors see it: its lines without spacing, comments and what formatters change."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from zlib import crc32

from rum.model.anchors import BLOB_LENGTH, HASH_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rum.model.anchors import Anchor, Freshness

# How a line's comment begins, by the end of the file's name.
_HASH_FILES = (
    *(
        "py",
        "pyi",
        "pyx",
        "rb",
        "sh",
        "bash",
        "zsh",
        "fish",
        "pl",
        "pm",
        "r",
        "jl",
        "ex",
        "exs",
        "nix",
        "tcl",
    ),
    *("yml", "yaml", "toml", "cfg", "conf", "ini", "properties", "env", "mk", "cmake", "tf", "gitignore"),
    *("makefile", "dockerfile", "gemfile", "rakefile", "ps1", "awk", "bzl", "bazel", "coffee", "graphql"),
)
_SLASH_FILES = (
    *("c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "java", "js", "jsx", "mjs", "cjs", "ts"),
    *(
        "tsx",
        "mts",
        "cts",
        "go",
        "rs",
        "swift",
        "kt",
        "kts",
        "scala",
        "cs",
        "dart",
        "groovy",
        "gradle",
        "proto",
    ),
    *("v", "sv", "zig", "d", "vue", "svelte", "scss", "less", "glsl", "cu", "sol"),
)
_DASH_FILES = ("sql", "lua", "hs", "elm", "ada", "adb", "ads", "vhd", "vhdl")
_PERCENT_FILES = ("tex", "sty", "erl", "hrl", "pro")
_SEMICOLON_FILES = ("lisp", "el", "clj", "cljs", "cljc", "scm", "rkt", "asm", "s")
_MARKERS: dict[str, tuple[bytes, ...]] = {
    **dict.fromkeys(_HASH_FILES, (b"#",)),
    **dict.fromkeys(_SLASH_FILES, (b"//",)),
    **dict.fromkeys(_DASH_FILES, (b"--",)),
    **dict.fromkeys(_PERCENT_FILES, (b"%",)),
    **dict.fromkeys(_SEMICOLON_FILES, (b";",)),
    "php": (b"//", b"#"),
}
_WITH_BLOCKS = frozenset((*_SLASH_FILES, "php", "css", "sql"))
_SCRIPTS = frozenset(("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"))
_MARKUP = frozenset(("html", "htm", "xml", "svg", "md", "markdown", "vue", "svelte", "xhtml"))
# Before the sign of a block: a glob such as `src/**/*.js` is no comment, nor is what stands in quotes.
_NO_BLOCK_AFTER = frozenset(b"\"'`/*.")
# Formatters change spacing, the kind of quotes, and separators at the end of lines.
_QUOTES = bytes.maketrans(b"'`", b'""')
_DROPPED = b" \t\r\f\v,;"
_STRONG_QUOTES, _APOSTROPHE, _BACKSLASH = b'"`', ord("'"), ord("\\")
_LONGEST_LINE = 2000  # Bytes of a line whose comment is looked for: longer ones are generated
_BOM = b"\xef\xbb\xbf"
_BINARY_HEAD = 8000  # Bytes in which a NUL tells a binary file, as for git


class SourceFile:
    """The content of a file, its id, and its normalised lines. Each is worked out when it is first needed."""

    __slots__ = (
        *("_blob_id", "_ends", "_hashes", "_line_at", "_lines", "_positions", "_text"),
        *("answers", "data", "path"),
    )

    def __init__(self, data: bytes, path: str) -> None:
        self.data = data
        self.path = path
        self._blob_id = ""
        self._lines: tuple[list[bytes], list[int]] | None = None
        self._ends: list[int] | None = None
        self._hashes: list[int] | None = None
        self._line_at: dict[int, int] | None = None
        self._positions: dict[int, list[int]] | None = None
        self._text: bytes | None = None
        self.answers: dict[Anchor, Freshness] = {}
        """What became of the code of anchors, by this content."""

    @property
    def blob_id(self) -> str:
        """Git's id of the content."""
        if not self._blob_id:
            import hashlib  # noqa: PLC0415 (loads OpenSSL, which most hooks do not need)

            whole = hashlib.sha1(b"blob %d\0" % len(self.data) + self.data, usedforsecurity=False)
            self._blob_id = whole.hexdigest()
        return self._blob_id

    @property
    def blob(self) -> str:
        """The start of git's id, as anchors keep it."""
        return self.blob_id[:BLOB_LENGTH]

    @property
    def is_binary(self) -> bool:
        """Whether the file has no lines that could be compared."""
        return b"\0" in self.data[:_BINARY_HEAD]

    @property
    def codes(self) -> list[bytes]:
        """The normalised lines."""
        if self._lines is None:
            self._lines = normalised(self.data, self.path)
        return self._lines[0]

    @property
    def numbers(self) -> list[int]:
        """The number of each normalised line in the file."""
        if self._lines is None:
            self._lines = normalised(self.data, self.path)
        return self._lines[1]

    @property
    def hashes(self) -> list[int]:
        """The hash of each line."""
        if self._hashes is None:
            self._hashes = list(map(crc32, self.codes))
        return self._hashes

    @property
    def positions(self) -> dict[int, list[int]]:
        """The positions of the lines with each hash."""
        if self._positions is None:
            positions: dict[int, list[int]] = {}
            for at, one in enumerate(self.hashes):
                positions.setdefault(one, []).append(at)
            self._positions = positions
        return self._positions

    @property
    def ends(self) -> list[int]:
        """The number of bytes before each line, and of all lines."""
        if self._ends is None:
            self._ends = [0, *accumulate(map(len, self.codes))]
        return self._ends

    @property
    def line_at(self) -> dict[int, int]:
        """The line that begins after each number of bytes."""
        if self._line_at is None:
            self._line_at = {end: at for at, end in enumerate(self.ends)}
        return self._line_at

    @property
    def text(self) -> bytes:
        """All lines together."""
        if self._text is None:
            self._text = b"".join(self.codes)
        return self._text

    def at(self, start: int, end: int) -> tuple[int, int]:
        """The range of normalised lines that lie in lines `start` to `end` of the file."""
        return bisect_left(self.numbers, start), bisect_right(self.numbers, end)

    def text_hash(self, first: int, last: int) -> bytes:
        """The hash of the lines in a range, whatever the lines are broken into."""
        return hash_text(self.codes[first:last])


def hash_text(codes: Sequence[bytes]) -> bytes:
    """Eight bytes that stand for lines, however they are broken."""
    whole = b"".join(codes)
    return crc32(whole).to_bytes(4, "big") + crc32(whole[::-1], len(whole)).to_bytes(4, "big")


def pack(hashes: Sequence[int]) -> bytes:
    """Hashes of lines as they are kept."""
    return b"".join(one.to_bytes(HASH_BYTES, "big") for one in hashes)


def unpack(data: bytes) -> list[int]:
    """The hashes of lines that were kept."""
    return [int.from_bytes(data[at : at + HASH_BYTES], "big") for at in range(0, len(data), HASH_BYTES)]


def normalised(data: bytes, path: str) -> tuple[list[bytes], list[int]]:
    """The lines of a file without spacing and comments, and their numbers; empty ones are left out."""
    kind = _kind(path)
    data = data.removeprefix(_BOM)
    if kind in _WITH_BLOCKS:
        data = _without_blocks(data, b"/*", b"*/")
    if kind in _MARKUP:
        data = _without_blocks(data, b"<!--", b"-->")
    data = data.replace(b"\\\n", b"\n").replace(b"\\\r\n", b"\n")
    markers = _MARKERS.get(kind, ())
    for marker in markers:
        if marker in data:
            lines = data.split(b"\n")
            data = b"\n".join([_without_comment(line, marker) if marker in line else line for line in lines])
    data = data.translate(_QUOTES, _DROPPED)
    plain = (_without_arrow_parentheses(data) if kind in _SCRIPTS else data).split(b"\n")
    if markers:
        kept = [at for at, line in enumerate(plain) if line and not line.startswith(markers)]
    else:
        kept = [at for at, line in enumerate(plain) if line]
    return [plain[at] for at in kept], [at + 1 for at in kept]


def has_line_marker(path: str, marker: bytes) -> bool:
    """Whether comments begin like this in the language of a file."""
    return marker in _MARKERS.get(_kind(path), ())


def _kind(path: str) -> str:
    return path.rpartition("/")[2].lower().rpartition(".")[2]


# By hand, not by regular expressions: those take quadratic time for hostile files.


def _without_blocks(data: bytes, opening: bytes, closing: bytes) -> bytes:
    """Text without its block comments; their line breaks stay."""
    parts: list[bytes] = []
    done, at = 0, data.find(opening)
    while at >= 0:
        before = data[at - 1] if at else 0
        if before in _NO_BLOCK_AFTER or chr(before).isalnum():
            at = data.find(opening, at + 1)
            continue
        end = data.find(closing, at + len(opening))
        if end < 0:
            break
        end += len(closing)
        parts += (data[done:at], b"\n" * data.count(b"\n", at, end))
        done, at = end, data.find(opening, end)
    return b"".join((*parts, data[done:])) if parts else data


def _without_arrow_parentheses(data: bytes) -> bytes:
    """Normalised text with `x=>` for `(x)=>`, which formatters of JavaScript write either way."""
    *parts, last = data.split(b")=>")
    done: list[bytes] = []
    for part in parts:
        before, opening, name = part.rpartition(b"(")
        is_name = opening and name.replace(b"_", b"a").replace(b"$", b"a").isalnum()
        done.append(before + name + b"=>" if is_name else part + b")=>")
    return b"".join((*done, last))


def _without_comment(line: bytes, marker: bytes) -> bytes:
    """A line without the comment behind its code: from the first sign of one that stands in no string."""
    if line.lstrip(b" \t").startswith(marker):
        return b""  # nothing but a comment
    if len(line) > _LONGEST_LINE:
        return line
    opened = start = 0
    at = line.find(marker, 1)
    while at >= 0:
        opened = _open_quote(line, start, at, opened)
        if not opened and line[at - 1] in b" \t":
            return line[:at]
        start, at = at, line.find(marker, at + 1)
    return line


def _open_quote(line: bytes, start: int, end: int, opened: int) -> int:
    """The quote of the string that is open at a place of a line; `opened` is that at the start."""
    at = start
    while at < end:
        sign = line[at]
        if sign == _BACKSLASH:
            at += 1
        elif opened:
            opened = 0 if sign == opened else opened
        elif sign in _STRONG_QUOTES or (sign == _APOSTROPHE and line.find(b"'", at + 1, end) >= 0):
            opened = sign  # an apostrophe alone is a lifetime, or part of a word
        at += 1
    return opened
