"""Every setting there is: its name, what it may be, its default, and who may set it."""

from __future__ import annotations

import json
import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import cast
else:

    def cast(_type: str, value: object) -> object:
        """As in `typing`, which is slow to load."""
        return value


HARMLESS = "harmless"  # A repository's own config may set it
# A repository's own config may set it to a folder inside the repository; others need `rum trust`.
INSIDE = "inside"
TRUST = "trust"  # A repository's own config may set it after `rum trust`
OWN = "own"  # The user's own config file may set it; a repository's never
OUTSIDE = "outside"  # No config file sets it: only the environment or a flag

FILES = "files"  # The memory is in files of its own, not in a database
DEFAULT_STORE = "default"  # The name of the database of the setting `store`

DEPTHS = ("summary", "outcome", "reasoning", "full", "complete")
IMPORTANCES = ("low", "medium", "high", "critical")
OFFER_KINDS = ("warning", "guidance", "touching", "intent", "task", "session")

_CONTROL = r"[\x00-\x1f\x7f]"
_MAX_NAME_LENGTH = 128
_MAX_AGENT_LENGTH = 80  # The maximum length of a registered agent's name


class Kind:
    """What a value may be: in words, as a check that gives the clean value, and read from text."""

    __slots__ = ("allowed", "check", "parse")

    def __init__(
        self, allowed: str, check: Callable[[object], object], parse: Callable[[str], object] = str
    ) -> None:
        self.allowed = allowed
        self.check = check
        self.parse = parse


class Setting:
    """One line of the table; a repository may set it after `rum trust`, unless its scope says otherwise."""

    __slots__ = ("default", "help", "kind", "name", "scope", "secret")

    def __init__(
        self, name: str, kind: Kind, default: object, help: str, scope: str = TRUST, *, secret: bool = False
    ) -> None:
        self.name = name
        self.kind = kind
        self.default = default
        self.scope = scope
        self.help = help
        self.secret = secret
        """Whether its value is never shown."""

    @property
    def env(self) -> str:
        """The environment variable that sets it."""
        return f"RUM_{self.name.upper()}"


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > 4096 or re.search(_CONTROL, value):
        raise ValueError
    return value.strip()


def _name(value: object, max_length: int = _MAX_NAME_LENGTH) -> str:
    text = _text(value)
    if len(text) > max_length or "/" in text or "\\" in text or text in (".", ".."):
        raise ValueError
    return text


def _project(value: object) -> str:
    text = _text(value)
    return text if is_path(text) else _name(text)


def _address(value: object) -> str:
    text = _text(value)
    if not re.fullmatch(r"(?ai)https?://[\w.\-\[\]:]+(/[^\s?#@\\]*)?", text):
        raise ValueError
    return text


def _database(value: object) -> str:
    text = _text(value)
    if text != FILES and not re.match(r"postgres(ql)?://", text):
        raise ValueError
    return text


def _databases(value: object) -> tuple[str, ...]:
    """Each NAME=ADDRESS; a name is given once, and is none of those that are there anyway."""
    found = _strings(value)
    for one in found:
        match = re.fullmatch(r"([a-z0-9-]{1,40})=(postgres(ql)?://.+)", one)
        if match is None or match[1] in (FILES, DEFAULT_STORE):
            raise ValueError
    if len({one.partition("=")[0] for one in found}) != len(found):
        raise ValueError
    return found


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError
    items = cast("list[object]", value)
    return tuple(_text(item) for item in items)


def _patterns(value: object) -> tuple[str, ...]:
    patterns = _strings(value)
    for pattern in patterns:
        try:
            re.compile(pattern)
        except (re.error, RecursionError, OverflowError):
            raise ValueError from None
    return patterns


def _offer_kinds(value: object) -> tuple[str, ...]:
    kinds = () if value == "none" or value == ["none"] else _strings(value)
    if not set(kinds) <= set(OFFER_KINDS):
        raise ValueError
    return tuple(kind for kind in OFFER_KINDS if kind in kinds)


def _inner_folders(value: object) -> tuple[str, ...]:
    """Folders below the root, in one spelling; nothing that points outside or at the root itself."""
    folders = tuple(os.path.normpath(item).replace("\\", "/") for item in _strings(value))
    for folder in folders:
        if os.path.isabs(folder) or folder.split("/")[0] in (".", "..", "~"):
            raise ValueError
    return folders


def _split(text: str) -> object:
    """A list in an environment variable: a JSON array, or words between commas."""
    if text.lstrip().startswith("["):
        return json.loads(text)
    return [word.strip() for word in text.split(",") if word.strip()]


def _split_words(text: str) -> object:
    """As above, between spaces: an address may have commas."""
    return json.loads(text) if text.lstrip().startswith("[") else text.split()


def _whole(low: int, high: int) -> Kind:
    def check(value: object) -> int:
        if type(value) is not int or not low <= value <= high:
            raise ValueError
        return value

    return Kind(f"a whole number from {low} to {high}", check, int)


def _number(low: float, high: float) -> Kind:
    def check(value: object) -> float:
        # Written so that NaN fails too.
        if not (type(value) is int or type(value) is float) or not low <= value <= high:
            raise ValueError
        return float(value)

    return Kind(f"a number from {low:g} to {high:g}", check, float)


def _one_of(*words: str) -> Kind:
    def check(value: object) -> str:
        if not isinstance(value, str) or value not in words:
            raise ValueError
        return value

    return Kind(f"one of {', '.join(words)}", check)


def _share(value: object) -> str:
    text = _text(value)
    if text not in ("all", "kept", "none") and not re.fullmatch(r"tagged:\S.*", text):
        raise ValueError
    return text


_SHARE = Kind("all, kept, tagged:TAG or none", _share)
_NAME = Kind(f"a name of at most {_MAX_NAME_LENGTH} characters, without slashes or control characters", _name)
AGENT_NAME = Kind(
    f"a name of at most {_MAX_AGENT_LENGTH} characters, without slashes or control characters",
    lambda value: _name(value, _MAX_AGENT_LENGTH),
)
_FOLDER = Kind(
    'a folder, relative to the repository\'s root or absolute; "" disables it',
    lambda value: "" if value == "" else _text(value),
)
_PROJECT = Kind(f"a project's id, a directory, or a name of at most {_MAX_NAME_LENGTH} characters", _project)
_ADDRESS = Kind("an http:// or https:// URL without user, query and fragment", _address)
_DATABASE = Kind("files, or a postgresql:// URL", _database)
_DATABASES = Kind("a list of NAME=postgresql://... with names of a-z, 0-9 and -", _databases, _split_words)
_WORDS = Kind("one line of text", _text)
_STRINGS = Kind("a list of strings", _strings, _split)

# Each setting once: `rum config`, the reference and the checks all read this.
SETTINGS = (
    Setting(
        "home", Kind("a folder", _text), "~/.rum", "RUM's data folder, readable only by its owner", OUTSIDE
    ),
    Setting(
        "store",
        _DATABASE,
        None,
        "where memories are: files in `home` (default), or a PostgreSQL database; never shown",
        OWN,
        secret=True,
    ),
    Setting(
        "stores",
        _DATABASES,
        (),
        "further databases, each NAME=postgresql://..., to which projects can be moved; never shown",
        OWN,
        secret=True,
    ),
    Setting(
        "read_replicas",
        _one_of("off", "on"),
        "off",
        "whether calls that only read may ask a replica; the address of the database names all servers",
        OWN,
    ),
    Setting(
        "token", _WORDS, None, "token for a team server (`rum sync --with`); never shown", OWN, secret=True
    ),
    Setting("project", _PROJECT, None, "project to use: id, directory or name"),
    Setting("session", _NAME, None, "session id (default: one per process)"),
    Setting("agent", AGENT_NAME, None, "name of the agent to act as"),
    Setting("notes_dir", _FOLDER, ".rum/notes", "folder of the notes", INSIDE),
    Setting("agents_dir", _FOLDER, ".rum/agents", "folder of the agents' YAML files", INSIDE),
    Setting("sessions_dir", _FOLDER, ".rum/sessions", "folder of the journals", INSIDE),
    Setting(
        "subprojects",
        Kind("a list of folders inside the repository", _inner_folders, _split),
        (),
        "folders of this repository that are separate projects",
        HARMLESS,
    ),
    Setting("recall_limit", _whole(1, 100), 5, "maximum number of memories a recall returns"),
    Setting("recall_depth", _one_of(*DEPTHS), "summary", "how much of each memory a recall returns"),
    Setting(
        "min_confidence",
        _number(0, 1),
        None,
        "minimum confidence of a match (default 0.15; 0 returns the best matches, however weak)",
    ),
    Setting("rate_limit", _whole(0, 1_000_000), 0, "maximum calls per minute; 0: no limit"),
    Setting("busy_timeout", _number(0, 600), 30.0, "seconds to wait for other writers"),
    Setting(
        "redact_extra",
        Kind("a list of regular expressions", _patterns, _split),
        (),
        "regular expressions of additional secrets to redact",
    ),
    Setting(
        "capture_by_agent",
        _one_of("off", "failures", "on"),
        "off",
        "whether hooks ask agents to store their work when a turn ends; failures: only if something failed",
    ),
    Setting(
        "offers",
        Kind(f"none, or a list of {', '.join(OFFER_KINDS)}", _offer_kinds, _split),
        OFFER_KINDS,
        "kinds of offers that agents get",
    ),
    Setting("offer_min_age", _number(0, 87_600), 0.0, "hours after which a memory is offered"),
    Setting(
        "offer_min_memories",
        _whole(0, 1_000_000),
        0,
        "memories that a project must have before any is offered",
    ),
    Setting(
        "offer_cooldown", _number(0, 10_080), 0.0, "minutes between two offers of a session, but for warnings"
    ),
    Setting(
        "offers_per_session", _whole(0, 1000), 16, "maximum number of offers of a session, but for warnings"
    ),
    Setting(
        "review",
        _one_of("off", "first"),
        "off",
        "first: what is captured or extracted is pending until a person accepts it with `rum review`",
    ),
    Setting("redact_allow", _STRINGS, (), "strings that look like secrets but are not"),
    Setting(
        "embedder",
        _one_of("builtin", "endpoint", "none"),
        "builtin",
        "what computes vectors; none: search by words only",
    ),
    Setting("embedder_url", _ADDRESS, None, "address of the endpoint, such as http://localhost:11434/v1"),
    Setting("embedder_model", _WORDS, None, "name of the endpoint's model"),
    Setting("embedder_key", _WORDS, None, "API key of the endpoint; never shown", OWN, secret=True),
    Setting("embedder_timeout", _number(0.1, 600), 10.0, "seconds to wait for the endpoint"),
    Setting(
        "llm",
        _one_of("none", "openai", "anthropic", "ollama"),
        "none",
        "type of language model server; openai: any server with chat completions",
    ),
    Setting("llm_url", _ADDRESS, None, "address of that server (default: the provider's own)"),
    Setting("llm_model", _WORDS, None, "name of the language model"),
    Setting("llm_key", _WORDS, None, "API key of the language model; never shown", OWN, secret=True),
    Setting("llm_timeout", _number(0.1, 600), 60.0, "seconds to wait for the language model"),
    Setting(
        "llm_daily_tokens",
        _whole(0, 1_000_000_000),
        200_000,
        "maximum tokens per day for language models, all projects together; 0: never call one",
        OWN,
    ),
    Setting(
        "auto_chapters",
        _one_of("off", "on"),
        "off",
        "whether `rum tidy` creates chapters from memories that belong together",
    ),
    Setting(
        "share",
        _SHARE,
        "none",
        "what `rum sync` sends: all or kept (never what waits for review), tagged:TAG, or none",
    ),
    Setting(
        "import_git",
        _one_of("auto", "off"),
        "auto",
        "auto: once the git history was imported, `rum tidy` and idle processes import new commits",
    ),
    Setting(
        "archive_after",
        _whole(1, 36_500),
        180,
        "days after which `rum archive` archives a rarely used memory",
    ),
    Setting("archive_importance", _number(0, 1), 0.7, "memories at least this important are never archived"),
    Setting("archive_uses", _whole(0, 1_000_000), 2, "memories retrieved more often are not archived"),
    Setting(
        "idle_after",
        _number(0, 3600),
        2.0,
        "seconds without calls after which `rum mcp` starts pending work; 0: never",
    ),
)

# What an `[agents.NAME]` table may hold.
AGENT_SETTINGS = (
    Setting("max_injected", _whole(0, 50), 5, "maximum number of notes in the agent's prompt", HARMLESS),
    Setting("min_importance", _one_of(*IMPORTANCES), "low", "minimum importance of notes", HARMLESS),
    Setting("specialties", _STRINGS, (), "tags of notes that it should get first", HARMLESS),
)


def is_path(project: str) -> bool:
    """Whether a `project` value means a directory rather than an id or a name."""
    separators = {"/", os.sep, os.altsep}
    return project[:1] in (".", "~") or any(mark in project for mark in separators if mark)
