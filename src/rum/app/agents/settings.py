"""An agent's settings: its table in the configuration, and for what that leaves open its own YAML file."""

from __future__ import annotations

from rum.model.notes import Broken
from rum.settings.load import AgentSettings, Settings
from rum.store.files.agents import agent_file


def agent_settings(settings: Settings, agent: str | None) -> tuple[AgentSettings, list[Broken]]:
    """What holds for an agent, and what is wrong with the YAML files that were looked at."""
    own, folder = settings.for_agent(agent), settings.folder("agents_dir")
    if agent is None or folder is None:
        return own, []
    found, broken = agent_file(folder, agent)
    unset = [name for name in found if settings.origin(f"agents.{agent}.{name}") == "default"]
    return own._replace(**{name: found[name] for name in unset}), broken
