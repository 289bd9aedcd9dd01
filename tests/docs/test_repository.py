"""The repository as a whole: no file names a registry, and every path in the documents exists."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
# Which registry a machine uses is its owner's choice; a name in a lock or script would override it.
REGISTRY = re.compile(
    r"\b(?:pypi|pythonhosted|npmjs|yarnpkg|crates|anaconda)\.(?:org|com|io)\b|\b(?:deb|security)\.debian\.",
    re.IGNORECASE,
)
MAKE = re.compile(r"\bmake ([a-z][a-z0-9]*)\b")
PATH = re.compile(r"`((?:src/rum|scripts|benchmarks|tests|docs|plugins|requirements)/[^`\s]*)`")
MODULE = re.compile(r"\bpython -m ((?:benchmarks|support)[a-z_.]*)")
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"
FENCE = re.compile(r"^```.*$", re.MULTILINE)


def own_files() -> list[Path]:
    """All files that git tracks or would track."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def registries_named(files: list[Path]) -> list[str]:
    return [
        f"{path}:{number}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if REGISTRY.search(line)
    ]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs git to list the files")
def test_no_file_names_the_host_of_a_package_registry():
    assert registries_named(own_files()) == []


def test_a_host_of_a_package_registry_is_reported(tmp_path: Path):
    lock = tmp_path / "some.lock"
    lock.write_text("ours==1\n--index-url https://" + "pypi" + ".org/simple\n")
    assert registries_named([lock]) == [f"{lock}:2"]


def commands(text: str) -> list[str]:
    """The code spans of a document and the commands in its blocks, without the printed output."""
    parts = FENCE.split(text)
    typed = [line for part in parts[1::2] for line in re.findall(r"^(?:\$ |make ).*$", part, re.MULTILINE)]
    return [span for part in parts[::2] for span in re.findall(r"`[^`]+`", part)] + typed


def test_every_make_target_a_document_names_exists():
    targets = set(
        re.findall(r"^([a-z][a-z0-9]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )
    named = {
        target for text in documents().values() for span in commands(text) for target in MAKE.findall(span)
    }
    assert {"demo", "test"} <= named
    assert named <= targets


def documents() -> dict[str, str]:
    """The text of every document by its path."""
    paths = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def test_every_path_that_a_document_names_exists():
    named = {(name, path) for name, text in documents().items() for path in PATH.findall(text)}
    assert any(name == "CONTRIBUTING.md" for name, _ in named)
    assert [(name, path) for name, path in sorted(named) if not (ROOT / path).exists()] == []


def test_every_module_that_a_document_runs_exists():
    named = {(name, module) for name, text in documents().items() for module in MODULE.findall(text)}
    files = {module: Path(module.rstrip(".").replace(".", "/")) for _, module in named}
    assert len(files) > 3
    assert [
        (name, module)
        for name, module in sorted(named)
        if not any(
            (ROOT / folder / files[module]).with_suffix(".py").exists()
            or (ROOT / folder / files[module] / "__main__.py").exists()
            for folder in ("", "tests")
        )
    ] == []


def test_every_module_and_folder_that_the_architecture_names_exists():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    package = ROOT / "src" / "rum"
    top = {path.name for path in package.iterdir() if path.is_dir()}
    named = {
        name for name in re.findall(r"`([a-z_/*]+(?:\.(?:py|sql))?/?)`", text) if name.split("/")[0] in top
    }
    assert len(named) > 30
    assert [name for name in sorted(named) if not list(package.glob(name.rstrip("/")))] == []
    bare = set(re.findall(r"`(\w+\.py)`", text))
    assert [name for name in sorted(bare) if not list(package.rglob(name))] == []


@pytest.mark.skipif(not WORKFLOW.exists(), reason="a source archive has no workflow")
def test_hosted_ci_checks_every_supported_python_on_every_system():
    workflow = YAML(typ="safe").load(WORKFLOW)
    job = workflow["jobs"]["check"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = [
        last
        for classifier in project["classifiers"]
        if (last := classifier.rpartition(" :: ")[2]).startswith("3.") and "Python" in classifier
    ]
    assert job["strategy"]["matrix"]["python"] == versions
    assert {"3.11", "3.14"} <= set(versions)
    systems = {system.partition("-")[0] for system in job["strategy"]["matrix"]["os"]}
    assert systems == {"ubuntu", "macos", "windows"}
    assert any(" check " in step.get("run", "") for step in job["steps"])
