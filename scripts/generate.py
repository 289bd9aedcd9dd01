"""Writes the generated files, or checks that they are current."""

from __future__ import annotations

import argparse
import json
import sys
import types
import typing
from collections.abc import Callable, Iterable
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from conformance import conformance_page
from rum.app.imports.git import Chosen
from rum.model.chapters import (
    CreateChapterRequest,
    ListChaptersRequest,
    RecallWisdomRequest,
    SynthesizeRequest,
)
from rum.model.fields import field_info
from rum.model.journal import schema_text
from rum.model.requests import IdentityRequest, ListRequest, RecallRequest, TraceRequest
from rum.model.runs import BriefRequest, FinishedRun, RunRequest, Step
from rum.settings.table import AGENT_SETTINGS, HARMLESS, INSIDE, OUTSIDE, OWN, SETTINGS, TRUST, Setting
from rum.surfaces.install.clients import Launch, hooks
from rum.surfaces.install.settings_file import add_hooks
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

`rum config` shows each value and its source. `rum config set KEY VALUE` and `rum config unset KEY` edit your
own file, or with `--scope project` the repository's, which may set only harmless things. A value that is left
out, such as that of `llm_key`, is read from standard input.

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
    return add_hooks("", hooks("claude-code", BY_NAME, windows=False))


def gemini_hooks() -> str:
    """The hooks of the Gemini CLI extension, likewise."""
    return add_hooks("", hooks("gemini", BY_NAME))


# Types of keyword arguments: the question they make, and its fields that a method takes by position.
ARGUMENTS: dict[str, tuple[type[Struct], tuple[str, ...]]] = {
    "RecallArguments": (RecallRequest, ()),
    "TraceArguments": (TraceRequest, ("memory_id",)),
    "ListArguments": (ListRequest, ()),
    "IdentityArguments": (IdentityRequest, ("action",)),
    "BriefArguments": (BriefRequest, ("explain",)),
    "RunArguments": (RunRequest, ("agent", "task")),
    "StepArguments": (Step, ("description",)),
    "FinishedRunArguments": (FinishedRun, ()),
    "GitImportArguments": (Chosen, ()),
    "CreateChapterArguments": (CreateChapterRequest, ()),
    "ListChaptersArguments": (ListChaptersRequest, ()),
    "SynthesizeArguments": (SynthesizeRequest, ()),
    "RecallWisdomArguments": (RecallWisdomRequest, ()),
}


def argument_types() -> str:
    """The types of keyword arguments of Python's methods, from the questions that they make."""
    imports: dict[str, set[str]] = {}
    classes = [_typed_dict(name, *source, imports) for name, source in ARGUMENTS.items()]
    lines = [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(imports.items())]
    return (
        '"""Types of the keyword arguments of Python\'s methods, for type checkers.\n\n'
        'Made by `make generate` from the requests in `rum.model`; change those instead.\n"""\n\n'
        "from __future__ import annotations\n\n"
        "from collections.abc import Mapping, Sequence\nfrom os import PathLike\n"
        "from typing import Any, Literal, Required, TypedDict\n\n"
        + "\n".join(lines)
        + "\n\nPath = str | PathLike[str]\n\n\n"
        + "\n\n\n".join(classes)
        + "\n"
    )


def _typed_dict(
    name: str, model: type[Struct], leave_out: tuple[str, ...], imports: dict[str, set[str]]
) -> str:
    hints = typing.get_type_hints(model, include_extras=True)
    fields: list[str] = []
    for field in msgspec.structs.fields(model):
        if field.name in leave_out:
            continue
        words = " | ".join(dict.fromkeys(_words(hints[field.name], imports)))
        if field_info(hints[field.name]).get("metavar") == "PATH":
            words = words.replace("str", "Path")
        fields.append(f"    {field.name}: {f'Required[{words}]' if field.required else words}")
    return "\n".join(
        [f"class {name}(TypedDict, total=False):", f'    """See {model.__name__}."""', "", *fields]
    )


def _words(annotation: Any, imports: dict[str, set[str]]) -> list[str]:
    """The members of a union as a caller may give them: any sequence, a plain text for an enum's member."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _words(arguments[0], imports)
    if origin in (typing.Union, types.UnionType):
        return [word for one in arguments for word in _words(one, imports)]
    if origin is tuple:
        return [f"Sequence[{' | '.join(_words(arguments[0], imports))}]"]
    if origin is typing.Literal:
        return [f"Literal[{', '.join(json.dumps(one) for one in arguments)}]"]
    if issubclass(annotation, Struct):
        return ["Mapping[str, Any]"]
    if issubclass(annotation, Enum):
        imports.setdefault(annotation.__module__, set()).add(annotation.__name__)
        return [annotation.__name__, "str"]
    return ["None" if annotation is type(None) else annotation.__name__]


# Each file made from the code, and the function that makes it.
GENERATED: dict[str, Callable[[], str]] = {
    "docs/reference/conformance.md": conformance_page,
    "docs/reference/settings.md": settings_page,
    "plugins/claude-code/hooks/hooks.json": claude_code_hooks,
    "plugins/gemini/hooks/hooks.json": gemini_hooks,
    "src/rum/app/arguments.py": argument_types,
    "src/rum/model/agent-memory.schema.json": schema_text,
    "src/rum/surfaces/mcp/tools.json": catalogue_text,
}


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
