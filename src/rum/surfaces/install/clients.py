"""The clients that RUM can be installed into, and which of them are on this machine."""

from __future__ import annotations

import os
import shutil

from rum.surfaces.install import claude_code, codex, gemini, mcp_only_clients
from rum.surfaces.install.settings_file import Client

# The clients by the names that `rum install` accepts.
CLIENTS: dict[str, Client] = {
    client.name: client
    for client in (
        claude_code.CLIENT,
        codex.CLIENT,
        gemini.CLIENT,
        mcp_only_clients.CURSOR,
        mcp_only_clients.VSCODE,
        mcp_only_clients.OPENCODE,
    )
}


def present_clients(home: str) -> list[Client]:
    """Return the clients with a program on PATH or a folder in the user's home."""
    return [
        client
        for client in CLIENTS.values()
        if any(map(shutil.which, client.programs))
        or any(os.path.isdir(os.path.join(home, folder)) for folder in client.folders)
    ]
