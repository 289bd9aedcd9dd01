"""Help and completion of `rum mcp`, which runs before the command line is loaded."""

from __future__ import annotations

import click

from rum.surfaces.cli.options import command


@command("mcp")
@click.option("--tools", type=click.Choice(["all", "core"]), expose_value=False, help="Which tools to offer.")
@click.pass_context
def mcp(ctx: click.Context) -> None:
    """Serve the memory to an agent over MCP."""
    raise click.UsageError("Use `rum mcp` with its options after it.", ctx)


# The server answers in its own protocol only.
mcp.params = [param for param in mcp.params if param.name != "json"]
