"""Help and completion of `rum hook`, which runs before the command line is loaded."""

from __future__ import annotations

import click

from rum.capture.clients.detect import CLIENTS
from rum.surfaces.cli.options import command


@command("hook")
@click.argument("client", type=click.Choice(CLIENTS), expose_value=False)
@click.pass_context
def hook(ctx: click.Context) -> None:
    """Handle a hook event of a client.

    Clients run it, as `rum-hook CLIENT` or `rum hook CLIENT`. It prints context for the agent, or nothing;
    the exit code is always 0.
    """
    raise click.UsageError("Use `rum hook CLIENT` without options.", ctx)


# It answers in the client's form only, about the folder that the client names.
hook.params = [param for param in hook.params if param.name == "client"]
