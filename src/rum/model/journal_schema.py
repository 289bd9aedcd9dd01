"""The JSON Schema of a journal, made from its model; `agent-memory.schema.json` is this, written down.

Run `make generate` after changing the model.
"""

from __future__ import annotations

import json
import os

import msgspec

from rum.model.journal import Journal

FILE = os.path.join(os.path.dirname(__file__), "agent-memory.schema.json")


def schema_text() -> str:
    """What the file holds."""
    about = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "agent-memory.yaml",
        "description": "An agent's journal of a session. Fields that are not named here are allowed.",
    }
    return json.dumps(about | msgspec.json.schema(Journal), indent=2, ensure_ascii=False) + "\n"


def shipped_schema() -> str:
    """The file itself."""
    with open(FILE, encoding="utf-8") as file:
        return file.read()
