"""Make anchors of spans of a file."""

from __future__ import annotations

import re

from rum.model.anchors import Anchor
from rum.repo.anchors.source_file import has_line_marker, pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rum.repo.anchors.source_file import SourceFile

    Span = tuple[int, int]  # The first and the last line; (0, 0) is the whole file

MAX_LINES = 48  # Hashes of lines that an anchor keeps
CONTEXT = 3  # Lines of context on each side
MIN_CONTEXT_LENGTH = 4  # Bytes of a line that tells a place: `}` and `else` stand everywhere
_CONTEXT_REACH = 12  # Lines in which the context is looked for
_MAX_CLIMB = 2000  # Lines above a span that are searched for its function or class
_MAX_COPIES = 50  # Equal lines that are compared with a span

# Patterns are not compiled here, as hooks load this module and make no anchors.
_NAME = rb"[A-Za-z_$][\w$]{0,79}"
_DECLARATION = (
    rb"\b(?:class|interface|trait|impl|module|namespace|fn|def|func|function|sub|proc|struct|enum|union|type)"
    rb"\s+(?:\([^)]{0,80}\)\s*)?(?P<name>" + _NAME + rb")"
)
# `static int open_gate(struct gate *gate)`, `void Gate::open() {`, `open(name) {`; not `open(name);`.
_CALLABLE = (
    rb"^\s*(?:[A-Za-z_~][\w\s*&<>,:~\[\]@.]*?)??(?<![\w$])(?P<name>"
    + _NAME
    + rb")\s{0,3}\([^;=]*[\w{(),&*>]$"
)
_BOUND = rb"^\s*(?:export\s+)?(?:const|let|var)\s+(?P<name>" + _NAME + rb")\s*=.*(?:=>|function|class)"
_STATEMENT = (
    rb"^\s*(?:if|elif|else|for|while|switch|return|catch|do|with|foreach|until|when|match|import|from|use|try"
    rb"|except|case|throw|raise|yield|await|new|assert|del|delete|goto|defer|go|select|loop|unsafe)\b"
)


def make_anchors(file: SourceFile, spans: Sequence[Span], commit: str = "") -> list[Anchor]:
    """The anchors of spans of a file; none for a span without code, or in a binary file."""
    if file.is_binary:
        return []
    path, lines = file.path, list[bytes]()
    anchors: list[Anchor] = []
    for start, end in spans:
        first, last = file.at(start, end) if start else (0, len(file.codes))
        if first >= last:
            continue
        lines = lines or (file.data.split(b"\n") if start else [])
        symbol = _symbol(lines, start, path) if start else ""
        anchors.append(_anchor(file, first, last, (path, file.blob, start, end, symbol, commit)))
    return anchors


def _anchor(file: SourceFile, first: int, last: int, known: tuple[str, str, int, int, str, str]) -> Anchor:
    count = last - first
    hashes, ends = file.hashes, file.ends
    kept = hashes[first:last]
    if count > MAX_LINES:
        kept = [kept[at] for at in sample(count)]
    before = _context(file, range(first - 1, max(-1, first - 1 - _CONTEXT_REACH), -1))
    after = _context(file, range(last, min(len(hashes), last + _CONTEXT_REACH)))
    return Anchor(
        *known,
        count,
        ends[last] - ends[first],
        _is_repeated(file, first, last),
        file.text_hash(first, last),
        pack(kept),
        before,
        after,
    )


def sample(count: int) -> list[int]:
    """The positions of the lines of which a span of `count` lines keeps the hashes."""
    return list(range(count)) if count <= MAX_LINES else [at * count // MAX_LINES for at in range(MAX_LINES)]


def _context(file: SourceFile, positions: range) -> bytes:
    telling = (at for at in positions if len(file.codes[at]) >= MIN_CONTEXT_LENGTH)
    return pack([file.hashes[at] for at, _ in zip(telling, range(CONTEXT), strict=False)])


def _is_repeated(file: SourceFile, first: int, last: int) -> bool:
    span, hashes = file.hashes[first:last], file.hashes
    at = -1
    # Not by `positions`, which takes longer to make than most files to search.
    for _ in range(min(hashes.count(span[0]), _MAX_COPIES)):
        at = hashes.index(span[0], at + 1)
        if at != first and hashes[at : at + len(span)] == span:
            return True
    return False


def _symbol(lines: Sequence[bytes], start: int, path: str) -> str:
    """The name of the nearest declaration around a line: one that is indented less."""
    with_callables = has_line_marker(path, b"//")
    at = min(start, len(lines)) - 1
    while at > 0 and not lines[at].strip():
        at -= 1
    depth = _indent(lines[at]) + 1 if at >= 0 else 0
    for above in range(at, max(-1, at - _MAX_CLIMB), -1):
        line = lines[above]
        if not line or line.isspace():
            continue
        indent = _indent(line)
        if indent < depth:
            if line.strip() in (b"{", b"}", b"})", b"};", b"*/", b")", b"):"):
                continue
            depth = indent
            if name := _declared_name(
                line, opens_block=with_callables and (above < at or line.rstrip().endswith(b"{"))
            ):
                return name
            if not depth and not line.lstrip().startswith((b"#", b"/", b"*", b"@", b")", b"}")):
                break
    return ""


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))


def _declared_name(line: bytes, *, opens_block: bool) -> str:
    """The name that a line declares; `opens_block` says that one like `open(key)` is no call."""
    line = line[:200].rstrip()
    if re.match(_STATEMENT, line):
        return ""
    found = re.search(_DECLARATION, line)
    # `int open(struct gate *gate)` only uses a struct.
    if found and 0 <= line.find(b"(") < found.start():
        found = None
    found = found or re.match(_BOUND, line)
    if not found and opens_block and b"(" in line:
        found = re.match(_CALLABLE, line)
    return found["name"].decode() if found else ""
