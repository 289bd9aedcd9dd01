"""The effective settings for a checkout, a directory, or neither."""

from __future__ import annotations

import os
from collections import namedtuple

from rum.settings.config_file import REPOSITORY_CONFIG, read_config
from rum.settings.home import find_home
from rum.settings.sources import SettingsSources, needs_trust, resolve_folder
from rum.settings.table import AGENT_SETTINGS, SETTINGS
from rum.settings.trust import trusts

TYPE_CHECKING = False
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
    review: str
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
