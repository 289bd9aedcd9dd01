"""What help and completion know of `rum hook`, which runs before the command line is loaded."""

from __future__ import annotations

import click

from rum.capture.clients.detect import CLIENTS
from rum.surfaces.cli.options import command


@command("hook")
@click.argument("client", type=click.Choice(CLIENTS), expose_value=False)
@click.pass_context
def hook(ctx: click.Context) -> None:
    """Take in what an agent's client tells its hooks.

    The client runs it, as `rum-hook CLIENT` or `rum hook CLIENT`. It prints what the agent should know, or
    nothing; the exit code is always 0.
    """
    raise click.UsageError("Write `rum hook CLIENT`, and nothing else.", ctx)


# It answers in the client's form only, about the folder that the client names.
hook.params = [param for param in hook.params if param.name == "client"]
