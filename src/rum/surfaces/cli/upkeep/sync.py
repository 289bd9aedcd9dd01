"""`rum sync`: share a project's memory with other machines and people."""

from __future__ import annotations

import sys

import click

from rum.model.sync import SyncResult
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Options, command
from rum.surfaces.cli.output import note, print_result, progress
from rum.surfaces.cli.views import View, count_of, text_view

_PLURALS = {"memory": "memories", "links": "link sets", "wisdom": "wisdom"}


@command("sync")
@click.option(
    "--with",
    "with_",
    metavar="DIR|URL",
    help="A shared folder, a git repository, or a team server (https://HOST/mcp).",
)
@click.option("--remote", metavar="NAME", help="The remote of this repository (default: origin).")
@click.option("--dry-run", is_flag=True, help="Only say what would come and go.")
@click.option("--auto/--no-auto", default=None, help="Let `rum tidy` do it from now on, or no longer.")
@click.option("--sign", is_flag=True, help="Sign the commit that is sent.")
def sync(
    options: Options, with_: str | None, remote: str | None, dry_run: bool, auto: bool | None, sign: bool
) -> None:
    """Share this memory through git, a folder or a team server.

    Unites this project's memory with the one on the ref refs/rum/memory of the repository's remote: nothing
    is written to the work tree, to branches or to the repository itself. The setting `share` decides what is
    sent: all, kept, tagged:TAG, or none (the default: only receive). Secrets are removed again before
    anything leaves. Of two changes of one item both are kept, and `rum review` shows them. What is forgotten
    on one machine is forgotten on the others.
    """
    with open_rum(options) as rum:
        with progress("Syncing", None) as report_progress:
            answer = rum.sync(
                with_,
                remote=remote,
                dry_run=dry_run,
                auto=auto,
                sign=sign,
                prompt=sys.stdin.isatty(),
                progress=report_progress,
            )
        print_result(options, answer, _view)
        if options.as_text and answer.note:
            note(answer.note)


def _view(answer: SyncResult) -> View:
    would = "would be " if answer.dry_run else ""
    lines = [
        f"Synced with {answer.target}."
        if not answer.dry_run
        else f"Nothing was changed. With {answer.target}:"
    ]
    for verb, counts in (
        ("received", answer.received),
        ("sent", answer.sent),
        ("forgotten here, as others forgot it", answer.forgotten),
        ("forgotten at the others", answer.buried),
    ):
        if counts:
            named = ", ".join(
                count_of(count, kind, _PLURALS.get(kind, f"{kind}s")) for kind, count in counts.items()
            )
            lines.append(f"{(would + verb).capitalize()}: {named}.")
    if len(lines) == 1 and not answer.conflicts:
        differs = answer.kept_local or answer.skipped
        lines.append("Nothing to send or receive." if differs else "Both sides are the same.")
    if answer.conflicts:
        lines.append(
            f"Changed at two places: {count_of(answer.conflicts, 'item')}. Both versions are kept; "
            "`rum review` shows those that are not in force."
        )
    if answer.skipped:
        lines.append(
            f"Not readable by this version of RUM: {count_of(answer.skipped, 'file')}. Upgrade, then sync."
        )
    if answer.kept_local:
        lines.append(f"Not shared (setting `share`): {count_of(answer.kept_local, 'changed item')}.")
    return text_view(" ".join(lines) if len(lines) == 2 else "\n".join(lines))
