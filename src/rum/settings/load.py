"""Combine the sources of settings into the effective ones for a checkout, a directory, or neither."""

from __future__ import annotations

import os
import re
from collections import namedtuple

from rum.model.errors import InvalidQuery
from rum.settings.config_file import REPOSITORY_CONFIG, read_config
from rum.settings.home import absolute, find_home
from rum.settings.table import AGENT_SETTINGS, INSIDE, OUTSIDE, OWN, SETTINGS, TRUST, Setting, cast, is_path
from rum.settings.trust import trusts

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rum.settings.config_file import ConfigFile


_BY_NAME = {setting.name: setting for setting in SETTINGS}
_AGENT_BY_NAME = {setting.name: setting for setting in AGENT_SETTINGS}
_PLAIN_WORD = r"(?a)[\w.-]{1,40}"
_MAX_WARNINGS = 20


class SettingsSources:
    """The values so far. The caller adds the sources in order; later ones override earlier ones."""

    def __init__(self, home: str, root: str | None) -> None:
        self.home = home
        self.root = root
        self.values: dict[str, object] = {setting.name: setting.default for setting in SETTINGS}
        self.values["home"] = home
        self.origins: dict[str, str] = {}
        self.agents: dict[str, dict[str, object]] = {}
        self._warnings: dict[str, None] = {}
        self._unlisted_warnings = 0

    def all_warnings(self) -> tuple[str, ...]:
        """What was ignored and why, without duplicates, at most `_MAX_WARNINGS` and a count of the rest."""
        more = (
            (f"There are {self._unlisted_warnings} more such problems.",) if self._unlisted_warnings else ()
        )
        return (*self._warnings, *more)

    def add_user_file(self, config: ConfigFile | None) -> None:
        """The user's own file; a mistake in it is an error."""
        if config is None:
            return
        if config.problem:
            raise InvalidQuery(f"{config.path} cannot be used: {config.problem}.", file=config.path)
        for name, value in config.values.items():
            setting = _BY_NAME.get(name)
            if setting is None:
                self._add_agents(name, value, config.path, strict=True)
            elif setting.scope == OUTSIDE:
                self._warn(f"{config.path}: `{name}` is ignored; set {setting.env} instead.")
            else:
                self._set(name, _check(setting, value, config.path), config.path)
        self._anchor_project(os.path.dirname(config.path))

    def add_repository_file(self, config: ConfigFile | None) -> None:
        """The repository's file, which is untrusted: mistakes become warnings."""
        root = self.root
        if config is None or root is None:
            return
        if config.problem:
            self._warn(f"{config.path} is ignored: {config.problem}.")
            return
        untrusted = [name for name in config.values if name in _BY_NAME]
        untrusted = [name for name in untrusted if needs_trust(_BY_NAME[name], config.values[name], root)]
        if untrusted and not trusts(self.home, root, config.raw):
            names = ", ".join(f"`{name}`" for name in untrusted)
            self._warn(f"{config.path}: {names} ignored until you allow it with `rum trust`.")
        else:
            untrusted = []
        for name, value in config.values.items():
            if name not in untrusted:
                self._add_from_repository(name, value, config.path)
        self._anchor_project(root)

    def _add_from_repository(self, name: str, value: object, path: str) -> None:
        setting = _BY_NAME.get(name)
        if setting is None:
            self._add_agents(name, value, path, strict=False)
        elif setting.scope in (OWN, OUTSIDE):
            self._warn(f"{path}: `{name}` is ignored; a repository cannot set it.")
        else:
            try:
                self._set(name, _check(setting, value, path), path)
            except InvalidQuery as error:
                self._warn(f"{error.message} It is ignored.")

    def add_environment(self, environ: Mapping[str, str], cwd: str | None) -> None:
        """The `RUM_*` variables; an empty one counts as unset."""
        for setting in SETTINGS:
            text = environ.get(setting.env)
            if text:
                value = self.home if setting.name == "home" else parse_value(setting, text, setting.env)
                self._set(setting.name, value, setting.env)
        self._anchor_project(cwd)

    def add_flags(self, flags: Mapping[str, object], cwd: str | None) -> None:
        """The options of this call; None counts as not given."""
        for name, value in flags.items():
            setting = _BY_NAME.get(name)
            if setting is None:
                raise InvalidQuery(f"There is no setting `{name}`.{_hint(name, _BY_NAME)}", field=name)
            if name == "home":
                value = self.home if value else None
            elif isinstance(value, str):
                value = parse_value(setting, value, "flag")
            if value is not None:
                self._set(name, _check(setting, value, "flag"), "flag")
        self._anchor_project(cwd)

    def turn_off_folders_outside(self) -> None:
        """Turn off folders that are links out of the repository.

        Such a link could make RUM read or write anywhere, and could change after the user trusted it.
        """
        for setting in SETTINGS:
            if setting.scope != INSIDE or not self.root:
                continue
            path = resolve_folder(self.root, str(self.values[setting.name]))
            if _is_below(path, self.root) and not _is_below(*map(os.path.realpath, (path, self.root))):
                self._warn(
                    f"`{setting.name}` is off here: {path} is a link to a place outside the repository. "
                    f"Name that place itself, in {setting.env} or {os.path.join(self.home, 'config.toml')}."
                )
                self.values[setting.name] = ""

    def _set(self, name: str, value: object, origin: str) -> None:
        self.values[name] = value
        self.origins[name] = origin

    def _warn(self, message: str) -> None:
        if len(self._warnings) < _MAX_WARNINGS:
            self._warnings[message] = None
        else:
            self._unlisted_warnings += 1

    def _warn_unknown(self, path: str, name: str, known: Iterable[str]) -> None:
        # Finding the closest name is slow, and a hostile file can contain thousands of wrong ones.
        hint = _hint(name, known) if len(self._warnings) < _MAX_WARNINGS else ""
        self._warn(f"{path}: {_quote_name(name)} is not a setting.{hint}")

    def _anchor_project(self, base: str | None) -> None:
        """Resolve a relative directory against the folder of its source."""
        project = self.values["project"]
        if isinstance(project, str) and is_path(project):
            self.values["project"] = absolute(project, base)

    def _add_agents(self, name: str, value: object, path: str, *, strict: bool) -> None:
        if name != "agents":
            self._warn_unknown(path, name, [*_BY_NAME, "agents"])
            return
        for agent, table in cast(
            "dict[str, object]", value if isinstance(value, dict) else {"": value}
        ).items():
            if isinstance(table, dict) and _is_agent_name(agent):
                self._add_agent(agent, cast("dict[str, object]", table), path, strict=strict)
            else:
                self._refuse(
                    f"{path}: `agents` must contain tables such as [agents.developer].", path, strict
                )

    def _add_agent(self, agent: str, table: dict[str, object], path: str, *, strict: bool) -> None:
        for name, value in table.items():
            setting = _AGENT_BY_NAME.get(name)
            if setting is None:
                self._warn_unknown(path, name, _AGENT_BY_NAME)
                continue
            try:
                self.agents.setdefault(agent, {})[name] = _check(setting, value, path)
                self.origins[f"agents.{agent}.{name}"] = path
            except InvalidQuery as error:
                self._refuse(error.message, path, strict)

    def _refuse(self, message: str, path: str, strict: bool) -> None:
        if strict:
            raise InvalidQuery(message, file=path, field="agents")
        self._warn(f"{message} It is ignored.")


def needs_trust(setting: Setting, value: object, root: str) -> bool:
    """Whether a repository may set this value only with the user's permission."""
    if setting.scope == INSIDE and isinstance(value, str):
        if "\0" in value:  # not a path; the setting's own check reports it
            return False
        return not _is_below(*map(os.path.realpath, (resolve_folder(root, value), root)))
    return setting.scope == TRUST


def resolve_folder(root: str, folder: str) -> str:
    """The absolute path of a folder that a setting gives relative to the root."""
    return absolute(folder, root)


def _is_below(path: str, root: str) -> bool:
    path, root = os.path.normcase(path), os.path.normcase(os.path.normpath(root))
    return path == root or path.startswith(os.path.join(root, ""))


def _is_agent_name(name: str) -> bool:
    try:
        return _BY_NAME["agent"].kind.check(name) == name
    except ValueError:
        return False


def _check(setting: Setting, value: object, source: str) -> object:
    try:
        return setting.kind.check(value)
    except ValueError:
        raise InvalidQuery(
            f"{source}: `{setting.name}` must be {setting.kind.allowed}.",
            field=setting.name,
            allowed=setting.kind.allowed,
            source=source,
        ) from None


def find_setting(key: str) -> tuple[Setting, tuple[str, ...]]:
    """The setting of a key (`recall_limit`, `agents.NAME.max_injected`) and its path in a config file."""
    table, _, rest = key.partition(".")
    agent, _, name = rest.rpartition(".")
    if table == "agents" and _is_agent_name(agent) and name in _AGENT_BY_NAME:
        return _AGENT_BY_NAME[name], (table, agent, name)
    if key in _BY_NAME:
        return _BY_NAME[key], (key,)
    agent_keys = [f"agents.{agent or 'NAME'}.{name}" for name in _AGENT_BY_NAME]
    raise InvalidQuery(
        f"{_quote_name(key)} is not a setting.{_hint(key, [*_BY_NAME, *agent_keys])}", field="key"
    )


def parse_value(setting: Setting, text: str, source: str) -> object:
    """The value that a text means; InvalidQuery if the setting does not allow it."""
    try:
        value = setting.kind.parse(text)
    except (ValueError, RecursionError):
        value = None
    return _check(setting, value, source)


def _quote_name(name: str) -> str:
    """An untrusted name in a form that is safe in a terminal or a prompt."""
    return f"`{name}`" if re.fullmatch(_PLAIN_WORD, name) else "a name with strange characters"


def _hint(name: str, known: Iterable[str]) -> str:
    import difflib  # noqa: PLC0415 (only for a mistyped name)

    close = difflib.get_close_matches(name.lower()[:40], list(known), n=1)
    return f" Did you mean `{close[0]}`?" if close else ""


if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NamedTuple

    class AgentSettings(NamedTuple):
        """The settings of one `[agents.NAME]` table, with defaults for the rest."""

        max_injected: int
        min_importance: str
        specialties: tuple[str, ...]

else:
    # `typing` takes longer to load than everything here.
    AgentSettings = namedtuple("AgentSettings", [setting.name for setting in AGENT_SETTINGS])


class Settings:
    """The effective value of every setting; `origin` returns the source of each."""

    __slots__ = ("_agents", "_origins", "root", "warnings", *(setting.name for setting in SETTINGS))

    root: str | None
    warnings: tuple[str, ...]
    home: str
    store: str | None
    stores: tuple[str, ...]
    read_replicas: str
    token: str | None
    project: str | None
    session: str | None
    agent: str | None
    notes_dir: str
    agents_dir: str
    sessions_dir: str
    subprojects: tuple[str, ...]
    recall_limit: int
    recall_depth: str
    min_confidence: float | None
    rate_limit: int
    busy_timeout: float
    redact_extra: tuple[str, ...]
    capture_by_agent: str
    offers: tuple[str, ...]
    offer_min_age: float
    offer_min_memories: int
    offer_cooldown: float
    offers_per_session: int
    review: str
    share: str
    redact_allow: tuple[str, ...]
    embedder: str
    embedder_url: str | None
    embedder_model: str | None
    embedder_key: str | None
    embedder_timeout: float
    llm: str
    llm_url: str | None
    llm_model: str | None
    llm_key: str | None
    llm_timeout: float
    llm_daily_tokens: int
    auto_chapters: str
    import_git: str
    archive_after: int
    archive_importance: float
    archive_uses: int
    idle_after: float

    def __init__(self, sources: SettingsSources) -> None:
        self.root = sources.root
        self.warnings = sources.all_warnings()
        self._origins = sources.origins
        self._agents = sources.agents
        for name, value in sources.values.items():
            setattr(self, name, value)

    def is_same(self, other: Settings) -> bool:
        """Whether every value, its origin and the warnings are the same."""
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def origin(self, name: str) -> str:
        """Where a value came from: `default`, a file's path, a variable's name, or `flag`.

        A setting of one agent is named `agents.NAME.setting`.
        """
        return self._origins.get(name, "default")

    def agents(self) -> tuple[str, ...]:
        """The agents with a table in a config file."""
        return tuple(self._agents)

    def for_agent(self, name: str | None) -> AgentSettings:
        """An agent's settings; the defaults for one without a table."""
        agent_values = self._agents.get(name or "", {})
        values = {setting.name: agent_values.get(setting.name, setting.default) for setting in AGENT_SETTINGS}
        return AgentSettings(**values)  # pyright: ignore[reportArgumentType]

    def folder(self, name: str) -> str | None:
        """The absolute path of a folder setting; None if it is off or there is no root."""
        value = str(getattr(self, name))
        return resolve_folder(self.root, value) if self.root and value else None


def load(
    root: str | None,
    *,
    flags: Mapping[str, object] | None = None,
    environ: Mapping[str, str] = os.environ,
    cwd: str | None = None,
) -> Settings:
    """The settings for a checkout or directory (`root`), or for neither.

    A mistake in the user's own file, environment or flags is an error. One in the repository's file, which
    is untrusted, is ignored with a warning.
    """
    home = find_home(flags or {}, environ, cwd)
    sources = SettingsSources(home, root)
    user_file = os.path.join(home, "config.toml")
    sources.add_user_file(read_config(user_file, home))
    if root and os.path.realpath(os.path.join(root, ".rum")) != os.path.realpath(home):
        sources.add_repository_file(read_config(os.path.join(root, REPOSITORY_CONFIG), home))
    sources.add_environment(environ, cwd)
    sources.add_flags(flags or {}, cwd)
    sources.turn_off_folders_outside()
    return Settings(sources)


def untrusted_keys(home: str, root: str) -> dict[str, object]:
    """The settings in the repository's config that apply only after `rum trust`."""
    config = read_config(os.path.join(root, REPOSITORY_CONFIG), home)
    if config is None or config.problem or trusts(home, root, config.raw):
        return {}
    return {
        setting.name: config.values[setting.name]
        for setting in SETTINGS
        if setting.name in config.values and needs_trust(setting, config.values[setting.name], root)
    }
