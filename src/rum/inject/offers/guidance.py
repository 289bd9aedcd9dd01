"""Offers of what the user wants, in their words: at the start, at a prompt about it, at a file it names."""

from __future__ import annotations

from rum.inject.offers.context import day

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.inject.offers.context import OfferContext
    from rum.inject.offers.text import Offer
    from rum.store.sqlite.readonly import GuidanceRow

KIND = "guidance"
_MAX_ROWS = 50  # The newest words of users, which are examined
_MAX_AT_START = 2
_MIN_SHARED = 2  # Words that a prompt and the words of a user must share
_MAX_PROMPT = 2000  # Characters of a prompt that are compared
_ANYWHERE = "*"
# A name that only code has: with a dot, an underscore, brackets or capitals within.
_CODE = r"[A-Za-z]\w*(?:\.\w+)+|\w+_\w+|\w+(?=\(\))|(?<=`)[^`\s]+(?=`)|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+"
_CALL = "learn action=list"


def offers(context: OfferContext) -> list[Offer]:
    """At the start the newest words that hold for the whole project; at a prompt or a file those about it."""
    kind = context.event["kind"]
    if kind == "start" and context.event.get("source") == "resume":
        return []
    if kind in ("before", "after"):
        return _about_files(context)
    rows = [row for row in context.store.users_words(_MAX_ROWS) if not context.was_offered(row.id)]
    if kind == "start":
        return [_offer(context, row) for row in rows if row.condition == _ANYWHERE][:_MAX_AT_START]
    return [_offer(context, row) for row in _about_prompt(context, rows)[:1]] if kind == "prompt" else []


def _about_prompt(context: OfferContext, rows: list[GuidanceRow]) -> list[GuidanceRow]:
    """The words that share most with the prompt; those about a file if the prompt names it."""
    if not rows:
        return []
    from rum.text.terms import query_terms  # noqa: PLC0415 (most prompts have nothing to compare with)

    text = context.event.get("text", "")[:_MAX_PROMPT]
    wanted = set(query_terms(text, _MAX_PROMPT))
    shared = {row: len(wanted.intersection(query_terms(row.text, _MAX_PROMPT))) for row in rows}
    names_file = {
        row: row.condition != _ANYWHERE and any(name in text for name in row.condition.split("|"))
        for row in rows
    }
    found = [row for row in rows if names_file[row] or shared[row] >= _MIN_SHARED]
    return sorted(found, key=lambda row: (not names_file[row], -shared[row]))


def _about_files(context: OfferContext) -> list[Offer]:
    """The newest words that name a file which is read or changed, or that corrected a change of it."""
    files = context.event.get("files", [])
    names = {name for file in files if "." in (name := file["path"].replace("\\", "/").rpartition("/")[2])}
    if not names:
        return []
    added = "\n".join(file.get("added", "") for file in files)
    for row in context.store.users_words(_MAX_ROWS):
        places = row.condition.split("|")
        is_meant = any(name in places or _is_named(name, row.text) for name in names)
        is_meant = is_meant or (bool(added) and _forbids(row.text, added))
        if is_meant and not context.was_offered(row.id):
            return [_offer(context, row)]
    return []


def _forbids(text: str, added: str) -> bool:
    """Whether the words of a user reject a name of code that an edit adds: "never json.dumps"."""
    import re  # noqa: PLC0415 (few projects have such words)

    named = {name for name in re.findall(_CODE, text) if _is_named(name, added)}
    if not named:
        return False
    from rum.text.contrary import rejected_parts  # noqa: PLC0415

    return any(_is_named(name, part) for part in rejected_parts(text) for name in named)


def _is_named(name: str, text: str) -> bool:
    """Whether a text has a file's name as a word of its own."""
    at = text.find(name)
    if at < 0:
        return False
    before, after = text[at - 1 : at], text[at + len(name) : at + len(name) + 1]
    return not any(sign.isalnum() or sign in ("_", "-") for sign in (before, after))


def _offer(context: OfferContext, row: GuidanceRow) -> Offer:
    return context.offer(KIND, [row.id], f"The user said on {day(row.at)}: {{0}}.", (row.text,), _CALL)
