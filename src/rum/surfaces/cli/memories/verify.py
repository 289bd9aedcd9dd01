"""`rum verify`: list the memories whose code has changed, and confirm those that still hold."""

from __future__ import annotations

import click

from rum.app.rum import Rum
from rum.inject.render import local_time, short_id
from rum.model.freshness import StaleMemory, VerifyResult
from rum.surfaces.cli.open_project import Output, rum_command, stored_id
from rum.surfaces.cli.options import ids_option
from rum.surfaces.cli.views import TextPart, Tree, View, count_of


@rum_command("verify")
@click.argument("files", metavar="[FILE]...", nargs=-1)
@click.option("--confirm", metavar="ID", multiple=True, help="This memory still holds (repeat).")
@click.option("--limit", type=click.IntRange(min=1), default=100, help="Maximum number of memories.")
@ids_option
def verify(rum: Rum, files: tuple[str, ...], confirm: tuple[str, ...], limit: int) -> Output:
    """List memories whose code has changed.

    By file, with the commit that changed it. Commits and failures are left out, as they stay true. Confirm
    what still holds with --confirm; use `rum update`, `rum link` or `rum forget` for the rest.
    """
    if confirm:
        done = rum.confirm(*(stored_id(rum, one) for one in confirm))
        return Output(done, f"Confirmed {count_of(len(done.confirmed), 'memory', 'memories')}.")
    answer = rum.verify(*files, limit=limit)
    ids = [memory.id for file in answer.files for memory in file.memories]
    checked = count_of(answer.checked, "memory", "memories")
    if not answer.checked:
        nothing = "Nothing to compare: no memory states something about code. Commits and failures stay true."
        return Output(answer, nothing, ids=ids)
    if not answer.files:
        return Output(answer, f"Compared {checked} with the code: none went stale.", ids=ids)
    return Output(answer, _view, ids=ids, notes=[f"{answer.stale} of {checked} went stale."])


def _view(answer: VerifyResult) -> View:
    return [
        Tree((TextPart(file.path, "strong"),), list(map(_branch, file.memories))) for file in answer.files
    ]


def _branch(memory: StaleMemory) -> Tree:
    heading = (
        TextPart(memory.goal, "strong"),
        TextPart(f"[{short_id(memory.id)} {local_time(memory.created_at)[:10]}]", "id"),
    )
    share = f"{round(100 * memory.code_changed)} % changed" if memory.freshness == "changed" else "gone"
    since = memory.since
    by = f"since {since.commit[:10]} ({since.subject})" if since else "not committed yet"
    return Tree(heading, [Tree((TextPart(f"{memory.code_at}: {share}, {by}", "dim"),), [])])
