"""Writes the lock of the development environment, or checks that it matches pyproject.toml."""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements" / "dev.lock"
STAMP = "# inputs: sha256:"


def fingerprint() -> str:
    """A hash of everything in pyproject.toml that the lock depends on."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    inputs = [
        project["project"]["requires-python"],
        project["project"]["dependencies"],
        project["dependency-groups"]["dev"],
    ]
    return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()


def check() -> str | None:
    """What is wrong with the lock, or None."""
    text = LOCK.read_text(encoding="utf-8")
    if not text.startswith(f"{STAMP}{fingerprint()}\n"):
        return "requirements/dev.lock does not fit pyproject.toml: run `make lock`."
    # An address in the lock would tie every machine to one registry or one disk.
    foreign = [line for line in text.splitlines() if "://" in line or line.startswith("-")]
    return f"requirements/dev.lock holds an address or an option: {foreign[0]}" if foreign else None


def write(uv_options: list[str]) -> None:
    """Resolve for every supported Python and system at once; versions already locked are kept."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes"]
    command += ["--python-version", "3.11", "--group", "dev", "--no-annotate", "--no-header"]
    command += ["--output-file", str(LOCK), *uv_options, "pyproject.toml"]
    subprocess.run(command, cwd=ROOT, check=True)
    LOCK.write_text(f"{STAMP}{fingerprint()}\n{LOCK.read_text(encoding='utf-8')}", encoding="utf-8")


def main() -> int:
    """Command line: `lock.py --check`, or `lock.py [options of uv pip compile]`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 if the lock does not fit"
    )
    options, uv_options = parser.parse_known_args()
    if not options.check:
        write(uv_options)
    trouble = check()
    if trouble:
        print(trouble, file=sys.stderr)
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main())
