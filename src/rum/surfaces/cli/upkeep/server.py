"""`rum web`: a page to look at the memory. `rum serve`, `rum tokens`: a memory for a team, and its users."""

from __future__ import annotations

import os
import sys
import time
from importlib.util import find_spec
from typing import Any

import click

from rum.app.access import PER_MINUTE, ROLES, AccessToken, AccessTokens
from rum.app.caller import Role
from rum.app.rum import locate
from rum.app.upkeep.doctor import TokensSpent
from rum.model.errors import InvalidQuery
from rum.repo.project import all_projects
from rum.settings.home import find_home
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Group, OneOf, Options, WholeNumber, command
from rum.surfaces.cli.output import note, print_result
from rum.surfaces.cli.views import View, count_of, table, text_view


@command("web")
@click.option(
    "--port", type=WholeNumber(0, 65535), metavar="N", help="Port (default: 8766, or another if it is taken)."
)
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
@click.option(
    "--idle",
    type=WholeNumber(0, 100_000),
    metavar="MINUTES",
    default=30,
    show_default=True,
    help="End after this time without a request; 0: never.",
)
def web(options: Options, port: int | None, no_open: bool, idle: int) -> None:
    """Open a page to look at the memory.

    The first line printed is its address. It has a token, so that nobody else on this machine can use it. The
    page shows this project (or --project) and changes it as you would on the command line. It ends with
    Ctrl-C.
    """
    from rum.surfaces.web import main  # noqa: PLC0415 (loads what no other command needs)

    def announce(address: str) -> None:
        print_result(options, {"address": address}, address)
        sys.stdout.flush()
        if options.as_text:
            note("Ctrl-C ends it.")

    with open_rum(options, mention_absence=False) as rum:
        main.serve(rum, port, announce, open_browser=not no_open, idle=idle * 60.0 or None)


@command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option(
    "--port",
    type=WholeNumber(0, 65535),
    metavar="N",
    default=8765,
    show_default=True,
    help="0: any free one.",
)
@click.option(
    "--allow-host", multiple=True, metavar="NAME", help="A name under which clients reach the server."
)
@click.option("--allow-origin", multiple=True, metavar="URL", help="A site whose pages may use the server.")
@click.option("--no-auth", is_flag=True, help="Let everybody on this machine in without a token.")
@click.option("--issuer", metavar="URL", help="An identity provider whose tokens (JWTs) are valid too.")
@click.option(
    "--audience", multiple=True, metavar="TEXT", help="What this server is called in those tokens (`aud`)."
)
@click.option("--keys", metavar="FILE|URL", help="The provider's public keys (JWKS).")
@click.option(
    "--role-claim", metavar="NAME", help="Where those tokens say `rum:PROJECT:ROLE` (default: scope)."
)
@click.option("--check", is_flag=True, help="Only say what is wrong with this deployment.")
def serve(
    options: Options,
    host: str,
    port: int,
    allow_host: tuple[str, ...],
    allow_origin: tuple[str, ...],
    no_auth: bool,
    issuer: str | None,
    audience: tuple[str, ...],
    keys: str | None,
    role_claim: str | None,
    check: bool,
) -> None:
    """Serve memories to a team over HTTP.

    Clients speak MCP at /mcp, each with a token of `rum tokens create`, which decides the project and what
    they may do. People open the server's address in a browser and sign in with theirs. With --project only
    that project is served. /healthz and /metrics are for monitoring. The server ends after the running calls
    when it gets SIGTERM or Ctrl-C.
    """
    if any(find_spec(name) is None for name in ("jwt", "starlette", "uvicorn")):
        raise InvalidQuery("`rum serve` needs more packages. Run `pip install 'rum-memory[server]'`.")
    from rum.surfaces.http import main  # noqa: PLC0415 (loads packages that only a server needs)

    home = find_home({}, os.environ)
    provider = main.identity_provider(issuer, audience, keys, role_claim)
    asked = main.ServeOptions(home, host, port, options.project, no_auth, allow_host, allow_origin, provider)
    if not check:
        main.serve(asked, lambda address: note(f"RUM serves {address}. Ctrl-C ends it."))
        return
    found = main.check(asked)
    print_result(options, found._asdict(), _check_view(found))
    if found.problems:
        raise click.exceptions.Exit(1)


def _check_view(found: Any) -> View:
    counts = f"{count_of(found.tokens, 'token')}, {count_of(found.projects, 'project')}"
    lines = [*(f"problem: {one}" for one in found.problems), *(f"advice: {one}" for one in found.advice)]
    shown = [f"{found.address}: {counts}.", *(lines or ["Nothing is wrong."])]
    return [block for line in shown for block in text_view(line)]


@click.group("tokens", cls=Group, invoke_without_command=True)
@click.pass_context
def tokens(ctx: click.Context) -> None:
    """Manage tokens for `rum serve`; show those used by language models.

    Without a subcommand: the tokens that language models have read and written, by day and project.
    """
    if ctx.invoked_subcommand is not None:
        return
    options = ctx.ensure_object(Options)
    with open_rum(options, mention_absence=False) as rum:
        answer = rum.tokens()
    print_result(options, answer, _tokens_view)


@command("create", tokens)
@click.option("--name", required=True, metavar="NAME", help="Whose token it is; their memories carry it.")
@click.option("--role", type=OneOf(ROLES), default="writer", show_default=True, help="What it allows.")
@click.option(
    "--per-minute",
    type=WholeNumber(1, 1_000_000),
    metavar="N",
    default=PER_MINUTE,
    show_default=True,
    help="Calls that it allows in a minute.",
)
def create(options: Options, name: str, role: Role, per_minute: int) -> None:
    """Create a token for one project.

    A reader finds memories; a writer also stores them, and changes its own; an owner may change everything.
    The project (--project, default: that of this folder) is created if there is none. The token is shown
    once: only its hash is kept.
    """
    home = find_home({}, os.environ)
    made, secret = AccessTokens(home).create(name, role, _project_id(options), per_minute)
    print_result(options, {**_as_json(made), "token": secret}, secret)
    if options.as_text:
        note(f"{made.role} of {_names(home).get(made.project, made.project)}. It is not shown again.")


@command("list", tokens)
def list_tokens(options: Options) -> None:
    """List the tokens, without their secrets."""
    home = find_home({}, os.environ)
    found = [
        one for one in AccessTokens(home).all() if not options.project or one.project == _project_id(options)
    ]
    names = _names(home)
    rows = [
        (one.name, one.role, names.get(one.project, one.project), _day(one.created_at), _day(one.revoked_at))
        for one in found
    ]
    lines = [
        f"{name} ({role}) of {project}, created {created}" + (f", revoked {revoked}" if revoked else "")
        for name, role, project, created, revoked in rows
    ]
    columns = {"name": "", "role": "", "project": "", "created": "", "revoked": ""}
    answer = [_as_json(one) for one in found]
    print_result(options, answer, table(columns, rows, lines), empty="No tokens yet.")


@command("revoke", tokens)
@click.option("--name", required=True, metavar="NAME", help="Its name or id.")
def revoke(options: Options, name: str) -> None:
    """Revoke a token, from the next request on."""
    ended = AccessTokens(find_home({}, os.environ)).revoke(name)
    print_result(options, _as_json(ended), f"The token {ended.name} is no longer valid.")


def _project_id(options: Options) -> str:
    return locate(os.getcwd(), {"project": options.project} if options.project else {}, create=True)[1].id


def _names(home: str) -> dict[str, str]:
    return {one.id: one.name for one in all_projects(home)}


def _as_json(token: AccessToken) -> dict[str, object]:
    fields = ("id", "name", "role", "project", "per_minute", "created_at", "revoked_at")
    return {name: getattr(token, name) for name in fields if getattr(token, name) is not None}


def _day(at: int | None) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(at)) if at else ""


def _tokens_view(answer: TokensSpent) -> View:
    rows = [
        (day, project, str(spent.requests), str(spent.read), str(spent.written))
        for day, projects in reversed(answer.days.items())
        for project, spent in sorted(projects.items())
    ]
    lines = [
        f"{day} {project}: {requests} requests, {read} tokens read, {written} written"
        for day, project, requests, read, written in rows
    ]
    model = f"Language model: {answer.model or 'none'}. "
    view = text_view(f"{model}Tokens today: {answer.today} of {answer.limit}.")
    columns = {"day": "", "project": "", "requests": "", "read": "", "written": ""}
    return view + table(columns, rows, lines)
