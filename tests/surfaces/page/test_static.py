"""The files of the page: vendored ones are unchanged, nothing is fetched, and no text becomes HTML."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import click

import rum
from rum.surfaces.cli.commands import root as program

STATIC = Path(rum.__file__).parent / "surfaces" / "web" / "static"
VENDOR = STATIC / "vendor"
OWN = [path for path in sorted(STATIC.rglob("*")) if path.is_file() and VENDOR not in path.parents]
SCRIPTS = [path for path in OWN if path.suffix == ".js"]
# What turns text into HTML or code.
DANGEROUS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|DOMParser|createContextualFragment"
    r"|\beval\b|\bnew Function\b|javascript:"
)
ADDRESS = re.compile(r"https?://[\w-]|[\"'(]//\w")
NAMESPACE = "http://www.w3.org/2000/svg"


def manifest() -> list[dict[str, object]]:
    return json.loads((VENDOR / "manifest.json").read_text(encoding="utf-8"))["files"]


def test_every_vendored_file_is_the_published_one():
    for entry in manifest():
        data = (VENDOR / str(entry["file"])).read_bytes()
        assert hashlib.sha256(data).hexdigest() == entry["sha256"], entry["file"]
        assert entry["version"]
        assert entry["license"]


def test_no_vendored_file_lacks_an_entry_or_its_license():
    listed = {str(entry["file"]) for entry in manifest()}
    licenses = {str(name) for entry in manifest() for name in entry["license_files"]}  # type: ignore[attr-defined]
    assert {path.name for path in VENDOR.iterdir()} == listed | licenses | {"manifest.json"}
    for name in licenses:
        assert "copyright" in (VENDOR / name).read_text(encoding="utf-8").lower()


def test_no_own_file_turns_text_into_html_or_code():
    found = [
        (path.name, hit[0]) for path in OWN if (hit := DANGEROUS.search(path.read_text(encoding="utf-8")))
    ]
    assert found == []


def test_no_own_file_names_another_host():
    for path in OWN:
        text = path.read_text(encoding="utf-8").replace(NAMESPACE, "")
        assert not ADDRESS.search(text), path.name


def test_vendored_files_fetch_nothing():
    fetching = re.compile(
        r"\bfetch\(|XMLHttpRequest|\bimport\s*\(|\bimport\s*[{*\"']|url\(|@import|sendBeacon|WebSocket"
    )
    for entry in manifest():
        assert not fetching.search((VENDOR / str(entry["file"])).read_text(encoding="utf-8")), entry["file"]


def test_every_import_is_a_file_of_the_bundle():
    imported = re.compile(r"""(?:from|import\()\s*["'](\.[^"']+)["']""")
    for path in SCRIPTS:
        for name in imported.findall(path.read_text(encoding="utf-8")):
            assert (path.parent / name).resolve().is_file(), f"{path.name}: {name}"


def test_the_first_page_has_no_inline_script_or_style():
    text = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", text)


def test_the_first_page_names_only_files_of_the_bundle():
    text = (STATIC / "index.html").read_text(encoding="utf-8")
    for name in re.findall(r'(?:href|src)="([^"]+)"', text):
        assert (STATIC.parent / name).is_file(), name


def test_the_bundle_stays_small():
    vendored = sum((VENDOR / str(entry["file"])).stat().st_size for entry in manifest())
    assert vendored < 125_000
    assert sum(path.stat().st_size for path in OWN) < 240_000


def test_every_command_that_the_page_names_exists():
    named = {
        found
        for path in SCRIPTS
        for found in re.findall(r"<code>rum ([^<$]+)</code>", path.read_text(encoding="utf-8"))
    }
    assert "sync" in named
    for command in named:
        group: click.Command = program
        context = click.Context(program, info_name="rum")
        for word in command.split():
            if word.startswith("--"):
                assert word in {name for option in group.params for name in option.opts}, command
            elif isinstance(group, click.Group):
                found = group.get_command(context, word)
                assert found is not None, f"rum {command}"
                group = found
