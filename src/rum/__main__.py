"""The `rum` command: `rum mcp` and `rum hook` go straight to their doors, the rest to the command line."""

from __future__ import annotations

import sys

_WITH_VALUE = ("--project", "--agent")


def main() -> int:
    """Run what the arguments ask for; the exit code."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and arguments[1:2] and not arguments[1].startswith("-"):
        from rum.surfaces.hooks.main import run as take  # noqa: PLC0415 (the interface that must start fastest)

        take(arguments[1:])
    served = _mcp_arguments(arguments)
    try:
        # Each interface is loaded only when used: clients give up on a server that starts late.
        if served is not None:
            from rum.surfaces.mcp.main import main as serve  # noqa: PLC0415

            return serve(served)
        from rum.surfaces.cli.main import main as run  # noqa: PLC0415

        return run(arguments)
    except KeyboardInterrupt:
        return 130


def _mcp_arguments(arguments: list[str]) -> list[str] | None:
    """What `rum mcp` was told, before that word or after it; None when the command is another one."""
    before: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "mcp":
            return before + rest
        if word in _WITH_VALUE and rest:
            before += [word, rest.pop(0)]
        elif word.partition("=")[0] in _WITH_VALUE:
            before.append(word)
        elif word != "--json":
            return None
    return None


if __name__ == "__main__":
    sys.exit(main())
