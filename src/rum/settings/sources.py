"""Lay one source of settings over another, and keep in mind where each value came from."""

from __future__ import annotations

import os
import re

from rum.model.errors import InvalidQuery
from rum.settings.home import absolute
from rum.settings.table import AGENT_SETTINGS, INSIDE, OUTSIDE, OWN, SETTINGS, TRUST, Setting, cast, is_path
from rum.settings.trust import trusts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rum.settings.config_file import ConfigFile

_BY_NAME = {setting.name: setting for setting in SETTINGS}
_AGENT_BY_NAME = {setting.name: setting for setting in AGENT_SETTINGS}
_PLAIN_WORD = r"(?a)[\w.-]{1,40}"
_MOST_WARNINGS = 20


class Layers:
    """The values so far. The caller adds the layers in order: later ones win."""

    def __init__(self, home: str, root: str | None) -> None:
        self.home = home
        self.root = root
        self.values: dict[str, object] = {setting.name: setting.default for setting in SETTINGS}
        self.values["home"] = home
        self.origins: dict[str, str] = {}
        self.agents: dict[str, dict[str, object]] = {}
        self._warnings: dict[str, None] = {}
        self._unsaid = 0

    def all_warnings(self) -> tuple[str, ...]:
        """What was ignored and why, each once, and not without end."""
        more = (f"There are {self._unsaid} more such problems.",) if self._unsaid else ()
        return (*self._warnings, *more)

    def add_user_file(self, config: ConfigFile | None) -> None:
        """The user's own file: what is wrong in it is an error."""
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
                self._set(name, _checked(setting, value, config.path), config.path)
        self._anchor_project(os.path.dirname(config.path))

    def add_repository_file(self, config: ConfigFile | None) -> None:
        """The repository's file, in which a stranger may have written anything."""
        root = self.root
        if config is None or root is None:
            return
        if config.problem:
            self._warn(f"{config.path} is ignored: {config.problem}.")
            return
        wanting = [name for name in config.values if name in _BY_NAME]
        wanting = [name for name in wanting if needs_trust(_BY_NAME[name], config.values[name], root)]
        if wanting and not trusts(self.home, root, config.raw):
            named = ", ".join(f"`{name}`" for name in wanting)
            self._warn(f"{config.path}: {named} ignored until you allow it with `rum trust`.")
        else:
            wanting = []
        for name, value in config.values.items():
            if name not in wanting:
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
                self._set(name, _checked(setting, value, path), path)
            except InvalidQuery as error:
                self._warn(f"{error.message} It is ignored.")

    def add_environment(self, environ: Mapping[str, str], cwd: str | None) -> None:
        """The `RUM_*` variables; an empty one counts as unset."""
        for setting in SETTINGS:
            text = environ.get(setting.env)
            if text:
                value = self.home if setting.name == "home" else _from_text(setting, text, setting.env)
                self._set(setting.name, value, setting.env)
        self._anchor_project(cwd)

    def add_flags(self, flags: Mapping[str, object], cwd: str | None) -> None:
        """What this one call asks for; None counts as not given."""
        for name, value in flags.items():
            setting = _BY_NAME.get(name)
            if setting is None:
                raise InvalidQuery(f"There is no setting `{name}`.{_hint(name, _BY_NAME)}", field=name)
            if name == "home":
                value = self.home if value else None
            elif isinstance(value, str):
                value = _from_text(setting, value, "flag")
            if value is not None:
                self._set(name, _checked(setting, value, "flag"), "flag")
        self._anchor_project(cwd)

    def close_folders_that_lead_outside(self) -> None:
        """A link in the repository could make us read or write anywhere, and change after any trust."""
        for setting in SETTINGS:
            if setting.scope != INSIDE or not self.root:
                continue
            path = inside(self.root, str(self.values[setting.name]))
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
        if len(self._warnings) < _MOST_WARNINGS:
            self._warnings[message] = None
        else:
            self._unsaid += 1

    def _warn_unknown(self, path: str, name: str, known: Iterable[str]) -> None:
        # Looking for the nearest name is slow, and a hostile file can hold thousands of wrong ones.
        hint = _hint(name, known) if len(self._warnings) < _MOST_WARNINGS else ""
        self._warn(f"{path}: {_shown(name)} is not a setting.{hint}")

    def _anchor_project(self, base: str | None) -> None:
        """A relative directory is meant from where it was written."""
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
                    f"{path}: `agents` holds a table a name, as in [agents.developer].", path, strict
                )

    def _add_agent(self, agent: str, table: dict[str, object], path: str, *, strict: bool) -> None:
        for name, value in table.items():
            setting = _AGENT_BY_NAME.get(name)
            if setting is None:
                self._warn_unknown(path, name, _AGENT_BY_NAME)
                continue
            try:
                self.agents.setdefault(agent, {})[name] = _checked(setting, value, path)
                self.origins[f"agents.{agent}.{name}"] = path
            except InvalidQuery as error:
                self._refuse(error.message, path, strict)

    def _refuse(self, message: str, path: str, strict: bool) -> None:
        if strict:
            raise InvalidQuery(message, file=path, field="agents")
        self._warn(f"{message} It is ignored.")


def needs_trust(setting: Setting, value: object, root: str) -> bool:
    """Whether a repository may set this value only with the user's leave."""
    if setting.scope == INSIDE and isinstance(value, str):
        if "\0" in value:  # no path; the setting's own check refuses it with a warning
            return False
        return not _is_below(*map(os.path.realpath, (inside(root, value), root)))
    return setting.scope == TRUST


def inside(root: str, folder: str) -> str:
    """A folder as it is meant in a repository: relative to its root, unless absolute."""
    return absolute(folder, root)


def _is_below(path: str, root: str) -> bool:
    path, root = os.path.normcase(path), os.path.normcase(os.path.normpath(root))
    return path == root or path.startswith(os.path.join(root, ""))


def _is_agent_name(name: str) -> bool:
    try:
        return _BY_NAME["agent"].kind.check(name) == name
    except ValueError:
        return False


def _checked(setting: Setting, value: object, source: str) -> object:
    try:
        return setting.kind.check(value)
    except ValueError:
        raise InvalidQuery(
            f"{source}: `{setting.name}` must be {setting.kind.allowed}.",
            field=setting.name,
            allowed=setting.kind.allowed,
            source=source,
        ) from None


def _from_text(setting: Setting, text: str, source: str) -> object:
    try:
        value = setting.kind.parse(text)
    except (ValueError, RecursionError):
        value = None
    return _checked(setting, value, source)


def _shown(name: str) -> str:
    """A stranger's word as it may appear in a terminal or a prompt."""
    return f"`{name}`" if re.fullmatch(_PLAIN_WORD, name) else "a name with strange characters"


def _hint(name: str, known: Iterable[str]) -> str:
    import difflib  # noqa: PLC0415 (only for a mistyped name)

    close = difflib.get_close_matches(name.lower()[:40], list(known), n=1)
    return f" Did you mean `{close[0]}`?" if close else ""
