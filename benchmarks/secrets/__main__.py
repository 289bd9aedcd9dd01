"""Count the made-up secrets that the redactor cuts out, by kind, and the harmless lines that it changes.

    python -m benchmarks.secrets [--misses] [--cases FILE ...] [--harmless FILE_OR_FOLDER ...]

`seen.txt` has the cases that the rules may be written for. Whether they hold for others is measured with
`unseen.txt`, which somebody else wrote: `--cases benchmarks/secrets/unseen.txt`, without `--misses`. Each
template is filled twice.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.secrets.values import fill
from rum.redact.redactor import Redactor

HERE = Path(__file__).parent
FILLS = 2


class Case(NamedTuple):
    """A text, the kind of its secrets, and the secrets."""

    kind: str
    text: str
    secrets: list[str]


def read_cases(path: Path) -> list[Case]:
    """The cases of a file, each template filled `FILLS` times."""
    cases: list[Case] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        if line and not line.startswith("#"):
            kind, _, template = line.partition(" | ")
            for copy in range(FILLS):
                text = (
                    template.replace("\\\\", "\0")
                    .replace("\\n", "\n")
                    .replace("\\r", "\r")
                    .replace("\0", "\\")
                )
                cases.append(Case(kind, *fill(text, f"{path.name}:{number}:{copy}")))
    return cases


def leaks(redacted: str, secret: str) -> bool:
    """Whether the secret, or a half of a long one, is still in the text."""
    if len(secret) < 16:
        return secret in redacted
    middle = len(secret) // 2
    return secret[:middle] in redacted or secret[middle:] in redacted


def harmless_lines(paths: list[Path]) -> Iterator[tuple[Path, str]]:
    """The texts of all files below the paths."""
    for top in paths:
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.is_file():
                yield path, path.read_text(encoding="utf-8", errors="replace")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true", help="print the texts in which a secret is left")
    parser.add_argument("--cases", nargs="*", type=Path, help="files of cases (default: seen.txt)")
    parser.add_argument("--harmless", nargs="*", type=Path, default=[], help="files without secrets")
    options = parser.parse_args()
    redactor = Redactor()
    for path in [HERE / "seen.txt"] if options.cases is None else options.cases:
        _report(redactor, path, options.misses)
    if options.harmless:
        _report_harmless(redactor, options.harmless, options.misses)


def _report(redactor: Redactor, path: Path, show_misses: bool) -> None:
    cases = read_cases(path)
    total, missed = Counter[str](), Counter[str]()
    for case in cases:
        redacted = redactor.redact(case.text)
        total[case.kind] += 1
        if any(leaks(redacted, secret) for secret in case.secrets):
            missed[case.kind] += 1
            if show_misses:
                print(f"missed {case.kind}: {case.text!r}\n    -> {redacted!r}")
    cut = len(cases) - missed.total()
    print(f"{path.name}: {cut} of {len(cases)} cut ({100 * cut / len(cases):.1f} %), {len(total)} kinds")
    for kind, number in sorted(missed.items()):
        print(f"  {kind}: {number} of {total[kind]} missed")


def _report_harmless(redactor: Redactor, paths: list[Path], show: bool) -> None:
    lines = changed = size = 0
    spent = 0.0
    for path, text in harmless_lines(paths):
        size += len(text)
        lines += text.count("\n") + 1
        start = time.process_time()
        found = redactor.find(text)
        spent += time.process_time() - start
        touched = {number for first, last, _ in found for number in _lines_of(text, first, last)}
        changed += len(touched)
        if show:
            for first, last, kind in found:
                before = text[text.rfind("\n", 0, first) + 1 : first][-100:]
                print(f"changed {path}: {before!r} [{kind}] {text[first:last][:80]!r}")
    print(
        f"harmless: {changed} of {lines} lines changed ({100 * changed / max(1, lines):.3f} %), "
        f"{size / 1e6:.1f} MB in {spent:.1f} s of CPU"
    )


def _lines_of(text: str, start: int, end: int) -> range:
    first = text.count("\n", 0, start)
    return range(first, first + text.count("\n", start, end) + 1)


if __name__ == "__main__":
    main()
