"""Writes the files that are made from the code, or checks that they are what the code would make now."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from rum.model.journal_schema import schema_text
from rum.settings.table import AGENT_SETTINGS, HARMLESS, INSIDE, OUTSIDE, OWN, SETTINGS, TRUST, Setting
from rum.surfaces.install import claude_code, gemini, own_entries
from rum.surfaces.install.launch import Launch
from rum.surfaces.mcp.catalogue import catalogue_text

ROOT = Path(__file__).resolve().parent.parent
REPOSITORY_MAY = {
    HARMLESS: "yes",
    INSIDE: "folders inside it",
    TRUST: "after `rum trust`",
    OWN: "no",
    OUTSIDE: "no (environment or flag only)",
}


def settings_page() -> str:
    """The reference of all settings, from the table that checks them."""
    return f"""# Settings

<!-- Made by `make generate` from src/rum/settings/table.py: change it there. -->

Settings are read from these sources; later ones win:

1. the defaults
2. `config.toml` in RUM's home
3. `.rum/config.toml` in the repository
4. environment variables
5. command-line flags

`rum config` shows each value and its source.

{_table(SETTINGS, lambda setting: f"`{setting.name}`, `{setting.env}`")}

A repository may come from somebody else. What it may not set is ignored, with a warning, until you run
`rum trust`.

## For one agent

Add a table with the agent's name:

```toml
[agents.developer]
max_injected = 3
specialties = ["auth", "database"]
```

{_table(AGENT_SETTINGS, lambda setting: f"`{setting.name}`")}

Or use a YAML file in `agents_dir`. `config.toml` wins if both set a value:

```yaml
name: developer
memory:
  maxInjected: 3
  minImportance: medium
  specialties: [auth, database]
```
"""


def _table(settings: Iterable[Setting], title: Callable[[Setting], str]) -> str:
    rows = ["| setting | meaning | value | default | set by a repository |", "|---|---|---|---|---|"]
    for setting in settings:
        default = "" if setting.default is None else f"`{json.dumps(setting.default)}`"
        cells = (title(setting), setting.help, setting.kind.allowed, default, REPOSITORY_MAY[setting.scope])
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


BY_NAME = Launch(("rum",), ("rum-hook",))


def claude_code_hooks() -> str:
    """The hooks of the Claude Code plugin: those that `rum install` writes, by name."""
    return own_entries.with_hooks("", claude_code.hooks(BY_NAME, windows=False))


def gemini_hooks() -> str:
    """The hooks of the Gemini CLI extension, likewise."""
    return own_entries.with_hooks("", gemini.hooks(BY_NAME))


GENERATED: dict[str, Callable[[], str]] = {
    "docs/reference/settings.md": settings_page,
    "plugins/claude-code/hooks/hooks.json": claude_code_hooks,
    "plugins/gemini/hooks/hooks.json": gemini_hooks,
    "src/rum/model/agent-memory.schema.json": schema_text,
    "src/rum/surfaces/mcp/tools.json": catalogue_text,
}
"""Each file made from the code, and the function that makes it."""


def stale() -> list[str]:
    """The files that differ from what the code would make."""
    return [
        name
        for name, make in GENERATED.items()
        if not (ROOT / name).is_file() or (ROOT / name).read_text(encoding="utf-8") != make()
    ]


def main() -> int:
    """Command line: `generate.py [--check]`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 if a file is not current"
    )
    check = parser.parse_args().check
    names = stale()
    for name in names:
        if check:
            print(f"{name} is not what the code makes now: run `make generate`.", file=sys.stderr)
        else:
            (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / name).write_text(GENERATED[name](), encoding="utf-8", newline="\n")
            print(f"wrote {name}")
    return 1 if check and names else 0


if __name__ == "__main__":
    sys.exit(main())
