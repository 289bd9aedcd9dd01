"""`rum projects`: the projects on this machine, and what belongs to each."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import click

from rum.app.rum import Rum, delete_rows, find_at, locate, move_project, store_address
from rum.app.upkeep.merge import Merged
from rum.model.errors import InvalidQuery, NotFound
from rum.repo import manage
from rum.repo.project import ProjectLocation, all_projects
from rum.settings.home import find_home
from rum.settings.load import Settings, load
from rum.settings.table import DEFAULT_STORE, FILES
from rum.surfaces.cli.options import Group, Options, command, ids_option
from rum.surfaces.cli.output import ask, note, print_result, progress
from rum.surfaces.cli.views import Field, Fields, TextPart, View, table, text_view


@click.group("projects", cls=Group, invoke_without_command=True)
@ids_option
@click.pass_context
def projects(ctx: click.Context) -> None:
    """List the projects on this machine."""
    if ctx.invoked_subcommand is not None:
        return
    known = all_projects(find_home({}, os.environ))
    options = ctx.ensure_object(Options)
    answer = [_as_json(project) for project in known]
    ids = (project.id for project in known)
    print_result(options, answer, _projects_view(known), ids=ids, empty="No projects yet.")


@command("show", projects)
@click.argument("project_id", metavar="[ID]", required=False)
def show(options: Options, project_id: str | None) -> None:
    """Show a project's aliases and folders.

    An alias is a remote, a first commit, a folder or a name by which the project is recognised; each with how
    and when it came. ID is a project's id or name (default: the project of this folder).
    """
    settings, here = locate(os.getcwd(), options.settings())
    if project_id is None and not here.exists:
        raise NotFound(f"No memory here yet: nothing is stored for {here.name}.")
    answer = manage.describe(
        manage.resolve(project_id, settings.home) if project_id else here.id, settings.home
    )
    print_result(options, answer, _project_view)


@command("join", projects)
@click.argument("project_id", metavar="ID")
def join(options: Options, project_id: str) -> None:
    """Make this folder part of an existing project.

    For a repository that RUM does not recognise for sure (such as a shallow clone or a fork), or a folder
    that was moved. Memories that were stored here before stay in their own project: `rum projects merge`
    moves them.
    """
    cwd = os.getcwd()
    # Without --project, which would name another project than the one of this folder.
    settings, here = find_at(cwd, find_home({}, os.environ), False)
    joined = manage.join(manage.resolve(project_id, settings.home), cwd, settings, here)
    print_result(options, _as_json(joined), f"{joined.root} is now part of {joined.id}.")
    if options.as_text and here.id != joined.id and here.id in _ids(settings):
        note(f"{here.id} is kept. To move its memories: `rum projects merge {here.id} {joined.id}`.")


# The name of `join` in the first release.
projects.add_command(
    click.Command("adopt", callback=join.callback, params=join.params, help=join.help, hidden=True)
)


@command("split", projects)
@click.argument("key")
def split(options: Options, key: str) -> None:
    """Take one alias or folder out of its project.

    KEY is one that `rum projects show` lists. The repositories that have it become projects of their own when
    they are next used. No memory is moved or deleted.
    """
    settings = _settings()
    project = manage.resolve(options.project, settings.home) if options.project else None
    answer = manage.split(key, settings, project)
    print_result(options, answer, f"{key} is no longer part of {answer['name']} ({answer['id']}).")


@command("rename", projects)
@click.argument("project_id", metavar="ID")
@click.argument("name")
def rename(options: Options, project_id: str, name: str) -> None:
    """Give a project another name; its id stays."""
    settings = _settings()
    renamed = manage.rename(manage.resolve(project_id, settings.home), name, settings)
    print_result(options, _as_json(renamed), f"{renamed.id} is now named {renamed.name}.")


@command("remove", projects)
@click.argument("project_id", metavar="ID")
@click.option("--yes", metavar="NAME", help="The project's name, instead of being asked for it.")
def remove(options: Options, project_id: str, yes: str | None) -> None:
    """Delete a project with all its memories.

    Nothing of it can be restored. Files in the repository, such as notes, are not changed.
    """
    settings = _settings()
    if not manage.is_half_removed(project_id, settings.home):
        project_id = manage.resolve(project_id, settings.home)
        _confirm(manage.describe(project_id, settings.home)["name"], yes)
    _delete_rows(project_id, settings)
    manage.remove(project_id, settings)
    print_result(options, {"id": project_id, "removed": True}, f"{project_id} was removed.")


def _delete_rows(project_id: str, settings: Settings) -> None:
    for project in all_projects(settings.home):
        if project.id == project_id:
            delete_rows(project, settings)


def _confirm(name: str, given: str | None) -> None:
    if given is None:
        if not sys.stdin.isatty():
            raise click.UsageError(f"To delete it, give its name: --yes {name!r}.")
        given = ask(f"This deletes all memories of {name}. Type its name to go on:")
    if given != name:
        raise InvalidQuery(f"`{given}` is not the project's name. Nothing was deleted.", field="yes")


@command("merge", projects)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="INTO")
def merge_projects(options: Options, source: str, target: str) -> None:
    """Move everything from one project into another.

    Memories with their files, links and versions, chapters, wisdom, facts, rules, events, aliases and
    folders. It can be repeated after an interruption: nothing is removed from FROM before all of it is in
    INTO. If an item differs in both, INTO's is kept and FROM stays as it is.
    """
    settings = _settings()
    source_id, target_id = (manage.resolve(name, settings.home) for name in (source, target))
    if source_id == target_id:
        raise InvalidQuery("FROM and INTO are the same project.")
    with (
        Rum.open(project=source_id, owner=True, client="cli") as old,
        Rum.open(project=target_id, owner=True, client="cli") as new,
        progress("Merging", None) as report_progress,
    ):
        old.take_in()
        answer = new.merge_from(old, report_progress)
        if answer.complete:
            # New processes go to INTO from here on; what others wrote to FROM until now is taken along.
            manage.unite(source_id, target_id, settings)
            answer = new.merge_from(old)
    if answer.complete:
        _delete_rows(source_id, settings)
        manage.remove(source_id, settings)
    print_result(options, answer, _merged_text(answer, source_id, target_id))


def _merged_text(answer: Merged, source: str, target: str) -> str:
    counts = f"{answer.memories} memories, {answer.others} other items"
    if answer.complete:
        return f"{source} is now part of {target}: {counts}."
    return (
        f"{source} was copied into {target} ({counts}), but not removed: "
        f"{len(answer.different)} items differ in both, such as {answer.different[0]}. Look at them, then "
        f"run `rum projects remove {source}`."
    )


@command("move", projects)
@click.option(
    "--to",
    required=True,
    envvar="RUM_MOVE_TO",
    metavar="STORE",
    help="A name in `stores`, `default`, `files`, or a postgresql:// address; also in RUM_MOVE_TO.",
)
def move(options: Options, to: str) -> None:
    """Move a project to another database, or copy it from files into one, or back.

    Between databases that the settings name, the project can be used meanwhile: writers wait for a moment at
    the end, and go on in the other database. All rows are compared before, and then deleted here. From and to
    files, and to an address, the project is copied: every memory is compared, and nothing is removed here.
    Both can be repeated after an interruption.
    """
    settings, project = locate(os.getcwd(), options.settings())
    if not project.exists:
        raise NotFound(f"No memory here yet: nothing is stored for {project.name}.")
    is_name = "://" not in to
    address = store_address(settings, to) if is_name else to
    here = store_address(settings, project.store)
    if is_name and FILES not in (here, address):
        with progress("Moving", None) as report_progress:
            moved = move_project(project, settings, to, report_progress)
        figures = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in moved.items())
        print_result(options, moved, f"{project.name} is in {to} now ({figures}).")
        return
    if here == address:
        raise InvalidQuery("The memory is there already.", field="to")
    answer = _copy_project(project, address)
    counts = f"{answer.memories} memories, {answer.others} other items"
    text = f"{project.name} was copied and is the same there: {counts}."
    if not answer.complete:
        differ = f"{len(answer.different)} differ, such as {answer.different[0]}"
        text = f"{project.name} was copied ({counts}), but {differ}."
    elif is_name and (to != FILES or project.store):
        manage.set_store(project.id, None if to == DEFAULT_STORE else to, settings)
        text += f" It is used in {to} from now on."
    else:
        text += " Now change the setting `store`."
    print_result(options, answer, text)
    if not answer.complete:
        raise click.exceptions.Exit(1)


def _copy_project(project: ProjectLocation, address: str) -> Merged:
    with (
        Rum.open(project=project.id, owner=True, client="cli") as old,
        Rum.open(project=project.id, store=address, owner=True, client="cli") as new,
        progress("Copying", None) as report_progress,
    ):
        old.take_in()
        return new.merge_from(old, report_progress)


def _settings() -> Settings:
    """The user's own settings: these commands work in every folder."""
    return load(None, cwd=os.getcwd())


def _ids(settings: Settings) -> set[str]:
    return {project.id for project in all_projects(settings.home)}


def _as_json(project: ProjectLocation) -> dict[str, object]:
    left_out = ("note", "question", "exists", "maybe")
    return {
        name: value for name, value in project._asdict().items() if value is not None and name not in left_out
    }


def _projects_view(known: list[ProjectLocation]) -> View:
    rows = [(project.name, project.id, project.root or "-") for project in known]
    return table({"name": "strong", "id": "id", "last used at": ""}, rows)


def _project_view(answer: dict[str, Any]) -> View:
    fields: list[Field] = [
        (name, str(answer[name])) for name in ("id", "root", "directory", "store") if name in answer
    ]
    view: View = [Fields((TextPart(answer["name"], "strong"),), fields)]
    aliases = [(alias["key"], alias["how"], _day(alias.get("at"))) for alias in answer["aliases"]]
    view += table({"alias": "strong", "how it came": "", "when": "dim"}, aliases)
    view += table({"folder": ""}, [(path,) for path in answer["places"]])
    return view + (text_view(answer["question"]) if "question" in answer else [])


def _day(at: int | None) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(at)) if at else ""
