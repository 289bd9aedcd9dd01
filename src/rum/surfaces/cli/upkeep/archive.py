"""`rum archive`: archive old, rarely used memories, or restore them."""

from __future__ import annotations

from typing import Any

import click

from rum.app.project import damage
from rum.app.upkeep.archive import Archived, Restored
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Options, command, given_options
from rum.surfaces.cli.output import print_result
from rum.surfaces.cli.progress import progress
from rum.surfaces.cli.views import View, count_of, format_size, text_view

# Reasons why memories are not archived.
_REASONS = {
    "young": "too recent",
    "important": "important",
    "follow_ups": "with open follow-ups",
    "linked": "linked to recent ones",
    "used": "in use",
}


@command("archive")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--older-than", type=float, metavar="DAYS", help="Minimum age (setting archive_after).")
@click.option(
    "--importance",
    type=float,
    metavar="N",
    help="Skip memories of at least this importance (setting archive_importance).",
)
@click.option(
    "--uses", type=int, metavar="N", help="Skip memories retrieved more often (setting archive_uses)."
)
@click.option("--dry-run", is_flag=True, help="Only count; archive nothing.")
@click.option("--restore", is_flag=True, help="Restore the memories with these IDs from the archive.")
@click.pass_obj
def archive(options: Options, ids: tuple[str, ...], dry_run: bool, restore: bool, **criteria: Any) -> None:
    """Archive old, rarely used memories.

    Archived memories take a third of the space and are still found by id, file, words and meaning. Memories
    that are recent, important, in use, linked to recent ones or have open follow-ups are not archived;
    superseded ones are archived unless recent. Changing an archived memory restores it. See `rum config` for
    the defaults.
    """
    if restore:
        _restore(options, ids, [*given_options(criteria), *(["dry_run"] if dry_run else [])])
        return
    if ids:
        raise click.UsageError("IDs need --restore; which memories are archived is decided by age and use.")
    with open_rum(options) as rum, progress("Archiving", None) as report_progress:
        answer = rum.archive(dry_run=dry_run, progress=report_progress, **criteria)
    print_result(options, answer, _archived_view)


def _restore(options: Options, ids: tuple[str, ...], others: list[str]) -> None:
    if others:
        raise click.UsageError(f"--restore cannot be combined with --{others[0].replace('_', '-')}.")
    if not ids:
        raise click.UsageError("Give the ids of the memories to restore: rum archive --restore ID ...")
    with open_rum(options) as rum:
        answer = rum.restore_archived(ids)
    print_result(options, answer, _restored_view)


def _archived_view(answer: Archived) -> View:
    count = count_of(answer.archived, "memory", "memories")
    replaced = f" ({answer.superseded} superseded)" if answer.superseded else ""
    view = text_view(f"{'Would archive' if answer.dry_run else 'Archived'} {count}{replaced}.")
    kept = ", ".join(
        f"{answer.kept[reason]} {text}" for reason, text in _REASONS.items() if reason in answer.kept
    )
    view += text_view(f"Not archived: {kept}.") if kept else []
    if answer.archived and not answer.dry_run:
        view += text_view(f"In the archive: {answer.in_archive}.{_sizes(answer)}")
    return view + (text_view(answer.hint) if answer.hint else [])


def _sizes(answer: Archived) -> str:
    if answer.bytes_after >= answer.bytes_before:
        return ""
    return f" File: {format_size(answer.bytes_before)} → {format_size(answer.bytes_after)}."


def _restored_view(answer: Restored) -> View:
    view = text_view(f"Restored {len(answer.restored)}.")
    view += text_view(f"Not archived: {', '.join(answer.live)}.") if answer.live else []
    return view + [line for one in answer.unreadable for line in text_view(damage(one))]
