"""`rum trust`: trust a repository's settings."""

from __future__ import annotations

import json
import os
import sys

import click

from rum.model.errors import InvalidQuery, NotFound
from rum.repo.location import find_root
from rum.settings.home import find_home
from rum.settings.load import untrusted_keys
from rum.settings.trust import is_trusted
from rum.settings.trust import trust as allow
from rum.settings.trust import untrust as disallow
from rum.surfaces.cli.options import Options, command
from rum.surfaces.cli.output import ask, note, print_result
from rum.surfaces.cli.views import text_view


@command("trust")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--revoke", is_flag=True, help="Revoke the trust.")
@click.pass_obj
def trust(options: Options, yes: bool, revoke: bool) -> None:
    """Trust this repository's settings.

    Harmless settings need no trust. It holds for the current .rum/config.toml only: after a change you have
    to trust it again.
    """
    home = find_home({}, os.environ)
    root = find_root(os.getcwd(), home)
    if root is None:
        raise NotFound("This is not a repository or project folder: there is nothing to trust.")
    if revoke:
        status = "is no longer trusted" if disallow(home, root) else "was not trusted"
        keys: dict[str, object] = {}
    elif is_trusted(home, root):
        status, keys = "is already trusted", {}
    else:
        keys = untrusted_keys(home, root)
        _confirm(root, keys, yes)
        allow(home, root)
        status = "is trusted"
    answer = {"root": root, "trusted": is_trusted(home, root), "keys": keys}
    print_result(options.json, answer, lambda _: text_view(f"{root} {status}."))


def _confirm(root: str, keys: dict[str, object], yes: bool) -> None:
    for name, value in keys.items():
        note(f"{name} = {json.dumps(value, ensure_ascii=False, default=str)}")
    if not keys or yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("To allow this, give --yes.")
    if ask(f"Allow this for {root}? [y/N]").lower() not in ("y", "yes"):
        raise InvalidQuery("Not allowed; nothing was changed.")
