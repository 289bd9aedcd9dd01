"""The `rum` command: `rum mcp` and `rum hook` bypass the command line, which takes longer to load."""

from __future__ import annotations

import sys

_WITH_VALUE = ("--project", "--agent")


def main() -> int:
    """Run the interface that the arguments name; return the exit code."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and arguments[1:2] and not arguments[1].startswith("-"):
        from rum.surfaces.hooks.main import run as run_hook  # noqa: PLC0415 (must start fastest)

        run_hook(arguments[1:])
    mcp_arguments = _mcp_arguments(arguments)
    try:
        # Each interface is loaded only when used: clients give up on a server that starts late.
        if mcp_arguments is not None:
            from rum.surfaces.mcp.main import main as serve  # noqa: PLC0415

            return serve(mcp_arguments)
        from rum.surfaces.cli.main import main as run  # noqa: PLC0415

        return run(arguments)
    except KeyboardInterrupt:
        return 130


def _mcp_arguments(arguments: list[str]) -> list[str] | None:
    """Return the arguments of `rum mcp`, from before and after `mcp`; None for another command."""
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
