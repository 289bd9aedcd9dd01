"""The page inside programs that show MCP Apps: one HTML document with modules and styles, and its requests.

Such documents have no address, so they can load no files. Modules become functions, called when they are
first imported. The transformation knows the forms of import and export that the page uses; any other is an
error when the document is made, and a test makes it.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec

from rum.app.rum import Rum
from rum.model.errors import RumError
from rum.surfaces.web.assets import assets
from rum.surfaces.web.messages import JSON, Refused, Request, error_response
from rum.surfaces.web.route_table import ROUTES
from rum.surfaces.web.routes import find
from rum.surfaces.web.site import PREFIX

VIEWS = ("memory", "causes", "review")
_NAMES = r"\{([^{}]*)\}"
_IMPORT = re.compile(rf'^import\s*{_NAMES}\s*from\s*"([^"]+)";?', re.MULTILINE)
_REEXPORT = re.compile(rf'^export\s*{_NAMES}\s*from\s*"([^"]+)";?', re.MULTILINE)
_EXPORT_LIST = re.compile(rf"(?:^|(?<=;))export\s*{_NAMES};?", re.MULTILINE)
_EXPORT = re.compile(r"^export\s+((?:async\s+)?function\*?|const|let|class)\s+(\w+)", re.MULTILINE)
_DYNAMIC = re.compile(r'\bimport\(\s*"([^"]+)"\s*\)')
_ADDRESS = re.compile(r"\bimport\.meta\.url\b")  # of a file that is loaded; the document has it inside
_STYLE = re.compile(r'^@import url\("([^"]+)"\);', re.MULTILINE)
_LEFT = re.compile(r"^\s*(?:import|export)\b(?!\s*[:(])", re.MULTILINE)
_LOADER = """
const parts = {};
const made = {};
const use = (name) => {
  if (!made[name]) parts[name]((made[name] = {}));
  return made[name];
};
const give = (exports, names) => {
  for (const [name, get] of Object.entries(names))
    Object.defineProperty(exports, name, { enumerable: true, get });
};
"""


@cache
def document(view: str) -> str:
    """The document of a view."""
    found = assets()
    modules = [path for path in found if path.startswith("/static/") and path.endswith(".js")]
    scripts = {path.removeprefix("/static/"): found[path].data.decode() for path in modules}
    style = _STYLE.sub(
        lambda imported: found[f"/static/{imported[1]}"].data.decode(),
        found["/static/style.css"].data.decode(),
    )
    if "</" in style:
        raise ValueError("A style sheet cannot be put into the document: it has `</`.")
    for script in ("theme.js", "vendor/uplot.js"):  # no modules: the first is for browsers, the other below
        scripts.pop(script, None)
    plots = found["/static/vendor/uplot.js"].data.decode()
    code = "".join(f"parts[{json.dumps(name)}] = {_module(name, text)};\n" for name, text in scripts.items())
    begin = f'use("parts/host.js").start({json.dumps(view)}).then(() => use("app.js"));\n'
    script = _in_script(f"{plots}\nwindow.uPlot = uPlot;\n{_LOADER}{code}{begin}")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>RUM</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{style}</style></head>"
        f'<body><div id="app"></div><script type="module">\n{script}</script></body></html>\n'
    )


def _in_script(code: str) -> str:
    """Code that does not end the element it is in."""
    return code.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _module(name: str, text: str) -> str:
    """A module as a function that fills the object with its exports."""
    given: dict[str, str] = {}  # The expression of each exported name

    def place(path: str) -> str:
        return json.dumps(posixpath.normpath(posixpath.join(posixpath.dirname(name), path)))

    def reexport(found: re.Match[str]) -> str:
        given.update({outer: f"use({place(found[2])}).{inner}" for inner, outer in _pairs(found[1])})
        return ""

    def export_list(found: re.Match[str]) -> str:
        given.update({outer: inner for inner, outer in _pairs(found[1])})
        return ""

    def export(found: re.Match[str]) -> str:
        given[found[2]] = found[2]
        return f"{found[1]} {found[2]}"

    def take(found: re.Match[str]) -> str:
        names = ", ".join(
            inner if inner == outer else f"{inner}: {outer}" for inner, outer in _pairs(found[1])
        )
        return f"const {{ {names} }} = use({place(found[2])});"

    steps: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
        (_REEXPORT, reexport),
        (_IMPORT, take),
        (_EXPORT_LIST, export_list),
        (_EXPORT, export),
        (_ADDRESS, lambda _: '""'),
        (_DYNAMIC, lambda found: f"Promise.resolve().then(() => use({place(found[1])}))"),
    )
    for pattern, change in steps:
        text = pattern.sub(change, text)
    if left := _LEFT.search(text):
        raise ValueError(
            f"{name}: {text[left.start() : left.start() + 60]!r} cannot be put into one document."
        )
    names = ", ".join(f"{json.dumps(outer)}: () => {inner}" for outer, inner in given.items())
    return f'(exports) => {{\n"use strict";\ngive(exports, {{ {names} }});\n{text}\n}}'


def _pairs(names: str) -> list[tuple[str, str]]:
    """The names inside braces, each with the one after `as`, or twice the same."""
    pairs = (one.split(" as ") for one in re.sub(r"\s+", " ", names).split(",") if one.strip())
    return [(pair[0].strip(), pair[-1].strip()) for pair in pairs]


def respond(rum: Rum, method: object, path: object, body: object) -> dict[str, Any]:
    """Status and content of the answer to a request of an embedded page, as the caller of `rum`."""
    try:
        if not isinstance(method, str) or not isinstance(path, str) or not path.startswith(PREFIX):
            raise Refused("INVALID_QUERY", f"Give a `method`, and a `path` that begins with {PREFIX}.")
        address, _, query = path.partition("?")
        data = b"" if method == "GET" else msgspec.json.encode({} if body is None else body)
        found = find(Request(method, address, query, {}, data), ROUTES).respond(rum, "")
    except (Refused, RumError) as error:
        found = error_response(error)
    text = found.body.decode()
    return {"status": found.status, "data": msgspec.json.decode(text) if found.content_type == JSON else text}
