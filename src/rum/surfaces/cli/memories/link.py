"""`rum link`: tie two memories together."""

from __future__ import annotations

import click

from rum.model.answers import LinkResult
from rum.model.links import LinkType
from rum.surfaces.cli.choices import OneOf
from rum.surfaces.cli.open_project import meant, opened
from rum.surfaces.cli.options import Asked, command, quiet_option
from rum.surfaces.cli.output import say, say_ids
from rum.surfaces.cli.views import View, said


@command("link")
@click.argument("source_id", metavar="SOURCE")
@click.argument("link_type", metavar="TYPE", type=OneOf(LinkType))
@click.argument("target_id", metavar="TARGET")
@quiet_option
@click.pass_obj
def link(asked: Asked, source_id: str, link_type: str, target_id: str) -> None:
    """Link two memories.

    TYPE is caused_by, led_to, related_to, supersedes or blocked_by: `rum link FIX caused_by BUG`.
    """
    with opened(asked) as rum:
        answer = rum.link(meant(rum, source_id), meant(rum, target_id), link_type)
    if asked.quiet and not asked.json:
        say_ids([answer.link_id])
    else:
        say(asked.json, answer, _linked)


def _linked(answer: LinkResult) -> View:
    return said(f"{'Linked' if answer.created else 'Linked already'}: {answer.link_id}")
