"""`rum link`: link two memories."""

from __future__ import annotations

import click

from rum.model.answers import LinkResult
from rum.model.links import LinkType
from rum.surfaces.cli.choices import OneOf
from rum.surfaces.cli.open_project import open_rum, stored_id
from rum.surfaces.cli.options import Options, command, quiet_option
from rum.surfaces.cli.output import print_ids, print_result
from rum.surfaces.cli.views import View, text_view


@command("link")
@click.argument("source_id", metavar="SOURCE")
@click.argument("link_type", metavar="TYPE", type=OneOf(LinkType))
@click.argument("target_id", metavar="TARGET")
@quiet_option
@click.pass_obj
def link(options: Options, source_id: str, link_type: str, target_id: str) -> None:
    """Link two memories.

    TYPE is caused_by, led_to, related_to, supersedes or blocked_by: `rum link FIX caused_by BUG`.
    """
    with open_rum(options) as rum:
        answer = rum.link(stored_id(rum, source_id), stored_id(rum, target_id), link_type)
    if options.quiet and not options.json:
        print_ids([answer.link_id])
    else:
        print_result(options.json, answer, _linked)


def _linked(answer: LinkResult) -> View:
    return text_view(f"{'Linked' if answer.created else 'Linked already'}: {answer.link_id}")
