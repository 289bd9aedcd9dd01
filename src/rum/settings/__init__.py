"""The only reader of configuration: where RUM keeps things, and how it behaves here."""

from __future__ import annotations

from rum.settings.home import ensure_private_dir, file_lock, find_home, write_private
from rum.settings.load import AgentSettings, Settings, load, untrusted_keys
from rum.settings.table import AGENT_SETTINGS, SETTINGS, Setting
from rum.settings.trust import is_trusted, trust, untrust

__all__ = [
    "AGENT_SETTINGS",
    "SETTINGS",
    "AgentSettings",
    "Setting",
    "Settings",
    "ensure_private_dir",
    "file_lock",
    "find_home",
    "is_trusted",
    "load",
    "trust",
    "untrust",
    "untrusted_keys",
    "write_private",
]
