"""Builds the wheel and tries it in a virtual environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "rum"
SKIPPED = {"__pycache__"}
EMBED = "from rum.embed.choose import BuiltinEmbedder; print(BuiltinEmbedder().embed(['text']).shape)"


def expected_files() -> set[str]:
    """Everything of the package that the wheel must carry: code, SQL, schemas, `py.typed`."""
    return {
        f"rum/{path.relative_to(PACKAGE).as_posix()}"
        for path in PACKAGE.rglob("*")
        if path.is_file() and not SKIPPED & set(path.parts)
    }


def build(scratch: Path) -> Path:
    """Source archive first, the wheel out of it: what the archive lacks, the wheel lacks too."""
    _hatchling(ROOT, "sdist", scratch)
    (archive,) = scratch.glob("*.tar.gz")
    shutil.unpack_archive(archive, scratch / "source")
    (source,) = (scratch / "source").iterdir()
    _hatchling(source, "wheel", scratch)
    (wheel,) = scratch.glob("*.whl")
    return wheel


def _hatchling(project: Path, target: str, into: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(into)]
    subprocess.run(command, cwd=project, check=True)


def missing_files(wheel: Path) -> list[str]:
    """Files of the package that are not in the wheel."""
    with zipfile.ZipFile(wheel) as contents:
        return sorted(expected_files() - set(contents.namelist()))


def answers_when_installed(wheel: Path, scratch: Path) -> tuple[str, str]:
    """Install the wheel, with the locked versions of what it needs; ask `rum --version`, and for a vector."""
    venv.create(scratch / "venv", with_pip=True)
    programs = scratch / "venv" / ("Scripts" if os.name == "nt" else "bin")
    constraints = scratch / "constraints.txt"
    constraints.write_text(locked_versions(), encoding="utf-8")
    install = [str(programs / "python"), "-m", "pip", "--disable-pip-version-check", "install", "-qq"]
    subprocess.run([*install, "--constraint", str(constraints), str(wheel)], check=True)
    # Away from the source tree, so that only what was installed can be imported.
    commands = ([str(programs / "rum"), "--version"], [str(programs / "python"), "-c", EMBED])
    version, vector = (
        subprocess.run(command, cwd=scratch, check=True, stdout=subprocess.PIPE).stdout.decode().strip()
        for command in commands
    )
    return version, vector


def locked_versions() -> str:
    """The lock without its hashes: they would be asked of our own wheel too."""
    lock = (ROOT / "requirements" / "dev.lock").read_text(encoding="utf-8")
    pins = (line.removesuffix(" \\") for line in lock.splitlines() if not line.startswith((" ", "#")))
    return "\n".join(pins) + "\n"


def main() -> int:
    """Build, compare, install, ask."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        wheel = build(scratch)
        missing = missing_files(wheel)
        if missing:
            print(f"{wheel.name} lacks: {', '.join(missing)}", file=sys.stderr)
            return 1
        answer, vector = answers_when_installed(wheel, scratch)
        if wheel.name.split("-")[1] not in answer:
            print(f"{wheel.name} installs, but `rum --version` says {answer!r}", file=sys.stderr)
            return 1
        if vector != "(1, 384)":
            print(f"{wheel.name} installs, but its embedder gives {vector!r}", file=sys.stderr)
            return 1
        print(f"{wheel.name}: {len(expected_files())} files, `rum --version` says {answer!r}, it embeds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
