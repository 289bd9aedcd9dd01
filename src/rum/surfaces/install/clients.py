"""The clients that RUM can be installed into, and which of them are on this machine."""

from __future__ import annotations

import os
import shutil

from rum.surfaces.install import claude_code, codex, cursor, gemini, opencode, vscode
from rum.surfaces.install.settings_file import Client

CLIENTS: dict[str, Client] = {
    module.CLIENT.name: module.CLIENT for module in (claude_code, codex, gemini, cursor, vscode, opencode)
}
"""By the names that `rum install` knows them by."""


def found(home: str) -> list[Client]:
    """The clients that have a program on PATH or a folder in the user's home."""
    return [
        client
        for client in CLIENTS.values()
        if any(map(shutil.which, client.programs))
        or any(os.path.isdir(os.path.join(home, folder)) for folder in client.folders)
    ]
