"""The application behind `rum mcp`: run tools, and read resources and prompts."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import msgspec

from rum.app.rum import Rum
from rum.model.errors import InvalidQuery, NotFound, RumError
from rum.surfaces.mcp import apps
from rum.surfaces.mcp.protocol import OFFERS, Caller

Json = dict[str, Any]
MEMORY = "rum://memory/"
PROJECT = "rum://project"


_VIEW_TOOLS = frozenset(tool["name"] for tool in apps.TOOLS)


def _views() -> ModuleType:
    from rum.surfaces.web import app_view  # noqa: PLC0415 (few clients show views)

    return app_view


def _call_view(rum: Rum, name: str, arguments: Json) -> Json:
    """Run a tool of the views: a request of one, or what the model reads when one is shown."""
    if name == apps.PAGE:
        return _views().respond(rum, arguments.get("method"), arguments.get("path"), arguments.get("body"))
    if name == "show_review":
        return {"shown": "review", "waiting": dict(rum.pages.review(limit=1).by_kind)}
    memory = rum.show(str(arguments.get("memory_id", "")), "summary")
    shown = {"shown": name.removeprefix("show_"), "memory_id": memory.id}
    return {**shown, "goal": memory.intent.goal, "summary": memory.full_summary}


def _read_view(uri: str) -> Json | None:
    view = uri.removeprefix(apps.PREFIX)
    if view not in _views().VIEWS:
        return None
    # No domains: the view loads nothing, and all its requests go through the client.
    meta: Json = {"ui": {"csp": {}, "prefersBorder": True}}
    return {"uri": uri, "mimeType": apps.MIME_TYPE, "text": _views().document(view), "_meta": meta}


class RumApplication:
    """The memory of one project, opened at the first call, unless an open one is given."""

    def __init__(self, project: str | None = None, agent: str | None = None, rum: Rum | None = None) -> None:
        self._project = project
        self._agent = agent
        self._rum = rum

    def _open(self, caller: Caller) -> Rum:
        if self._rum is None:
            self._rum = Rum.open(project=self._project, agent=self._agent, client=caller.client or "mcp")
            for warning in self._rum.warnings:
                sys.stderr.write(f"rum: {warning}\n")
        if caller.session:
            self._rum.use_session(caller.session)
        return self._rum

    def call(self, name: str, arguments: Json, caller: Caller) -> tuple[Json, bool]:
        """Run a tool; return its result and whether it is an error."""
        try:
            rum = self._open(caller)
            if name in _VIEW_TOOLS:
                return _call_view(rum, name, arguments), False
            answer = msgspec.to_builtins(rum.call(name, arguments))
            note = " ".join(filter(None, (rum.take_question(), rum.take_damage())))
            return (answer | {"note": note} if note and "note" not in answer else answer), False
        except RumError as error:
            return error.to_dict(), True

    def read(self, uri: str, caller: Caller) -> Json | None:
        """Return a resource by its URI."""
        try:
            if uri.startswith(apps.PREFIX):
                return _read_view(uri)
            if uri == PROJECT:
                content: object = self._open(caller).summary()
            elif uri == OFFERS:
                content = {"offers": self._open(caller).session_offers()}
            elif uri.startswith(MEMORY):
                content = self._open(caller).show(uri.removeprefix(MEMORY))
            else:
                return None
        except (NotFound, InvalidQuery):
            return None
        return {"uri": uri, "mimeType": "application/json", "text": msgspec.json.encode(content).decode()}

    def prompt(self, name: str, arguments: Json, caller: Caller) -> Json:  # noqa: ARG002 (there is one)
        """Return the prompt `brief`: what is known about the task, then the task."""
        brief_arguments = {field: text for field, text in arguments.items() if text != ""}
        if isinstance(brief_arguments.get("tokens"), str) and brief_arguments["tokens"].strip().isdecimal():
            brief_arguments["tokens"] = int(brief_arguments["tokens"])
        if isinstance(brief_arguments.get("file"), str):
            brief_arguments["file"] = [path.strip() for path in brief_arguments["file"].split(",")]
        brief = self._open(caller).brief(**brief_arguments)
        known = brief.text or f"From the project's memory: {brief.hint}\n"
        text = f"{known}\nYour task: {brief_arguments['task']}"
        return {
            "description": "What is known about the task, and the task",
            "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
        }

    def version(self, uri: str) -> object:
        """What differs when a resource has changed; only of the offers."""
        return self._rum.newest_offer() if self._rum is not None and uri == OFFERS else None

    def settle(self) -> None:
        """Record how memories were used, and start computing missing vectors."""
        if self._rum is not None:
            self._rum.settle()
            if self._rum.behind:
                self._rum.idle()

    def idle_after(self) -> float | None:
        """Seconds without a request before pending work is done; None for never."""
        return self._rum.settings.idle_after or None if self._rum is not None else None

    def idle(self) -> None:
        """Start a process for pending work."""
        if self._rum is not None:
            self._rum.idle()

    def close(self) -> None:
        """Close the memory, and start a process for pending work."""
        if self._rum is not None:
            self._rum.idle()
            self._rum.close()
