"""Read escaped text, and lists of arguments, as what they stand for, and tell where each part of it is."""

from __future__ import annotations

from bisect import bisect_right

from rum.redact.secret_plausibility import compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_ENTITIES = {"&quot;": '"', "&apos;": "'", "&amp;": "&"}
_ESCAPED = (
    r"&(?:quot|apos|amp|#34|#x22|#39|#x27);|%(?:2[02367cCfF]|3[aAdD]|40|7[bBdD])"
    r"|\\(?:u00(?:2[267]|3[dD])|x2[27]|n)"
)

# A list of strings with an option among them: JSON on one line or several, or items of YAML.
_ARGUMENTS = r"\[\s{0,20}(?>(?:[\"'][^\"'\n]{0,200}[\"'],?\s{0,20}){2,40})\]"
_ARGUMENT = r"[\"']([^\"'\n]{0,200})[\"']"
_ITEMS = r"(?:^|\n)[ ]{0,20}- [\"']?--?\w[^\n]{0,200}(?>(?:\n[ ]{0,20}- [^\n]{1,200}){1,40})"
_ITEM = r"- [\"']?([^\n\"']{1,200})"


class View:
    """A text made of parts of another, with where each part comes from."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._starts: list[int] = []
        self._origins: list[int] = []
        self._length = 0

    def add(self, part: str, origin: int) -> None:
        """Append a part; each of its characters comes from the same place of the text."""
        self._starts.append(self._length)
        self._origins.append(origin)
        self._parts.append(part)
        self._length += len(part)

    def text(self) -> str:
        """The whole view."""
        return "".join(self._parts)

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Where a piece of the view is in the text."""
        return self._place(start), self._place(end - 1) + 1

    def _place(self, at: int) -> int:
        number = bisect_right(self._starts, at) - 1
        return self._origins[number] + at - self._starts[number]


def views(text: str) -> Iterator[View]:
    """Other readings of the text, if it has any."""
    if compiled(_ESCAPED).search(text):
        yield _unescaped(text)
    if '"-' in text or "'-" in text:
        yield _joined(text, _ARGUMENTS, _ARGUMENT)
    if "- -" in text or '- "-' in text:
        yield _joined(text, _ITEMS, _ITEM)


def _unescaped(text: str) -> View:
    view = View()
    at = 0
    for match in compiled(_ESCAPED).finditer(text):
        view.add(text[at : match.start()], at)
        view.add(_plain(match[0].lower()), match.start())
        at = match.end()
    view.add(text[at:], at)
    return view


def _plain(escaped: str) -> str:
    """The character that an escape stands for."""
    if escaped in _ENTITIES or escaped == "\\n":
        return _ENTITIES.get(escaped, "\n")
    digits = escaped.strip("&#%\\ux;")
    return chr(int(digits, 10 if escaped.startswith("&#") and escaped[2] != "x" else 16))


def _joined(text: str, lists: str, item: str) -> View:
    """Every list of arguments as a line of a command."""
    view = View()
    for found in compiled(lists).finditer(text):
        for argument in compiled(item).finditer(text, found.start(), found.end()):
            view.add(argument[1], argument.start(1))
            view.add(" ", argument.end(1))
        view.add("\n", found.end())
    return view
