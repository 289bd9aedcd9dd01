"""What comparing the memories of one recall with the code costs, as a ratio to reading their files."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import rum
from rum.model.anchors import encode
from rum.repo.anchors.checkout import Checkout

# Long files of RUM itself.
FILES = (
    "app/rum.py",
    "app/imports/git.py",
    "app/memories/recall.py",
    "repo/history.py",
    "store/sqlite/search.py",
)
SPAN = (200, 220)
TIMES = 40


def measure() -> str:
    """The milliseconds of processor time for five memories of five changed files; the least of many runs."""
    with tempfile.TemporaryDirectory() as folder:
        texts = [Path(rum.__file__).parent.joinpath(path).read_text(encoding="utf-8") for path in FILES]
        paths = [f"part_{number}.py" for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            Path(folder, path).write_text(text, encoding="utf-8")
        made = [one for path in paths for one in Checkout(folder, None).anchors(path, [SPAN])]
        for path, text in zip(paths, texts, strict=True):  # a line above the span is new, one in it is gone
            lines = text.splitlines(keepends=True)
            Path(folder, path).write_text(
                "".join(["import re\n", *lines[:210], *lines[211:]]), encoding="utf-8"
            )
        kept = Checkout(folder, None)
        kept.check(made)
        floor = _least(lambda: [_read(os.path.join(folder, path)) for path in paths])
        cold = _least(lambda: Checkout(folder, None).check(made))
        warm = _least(lambda: kept.check(made))
        making = _least(lambda: Checkout(folder, None).anchors(paths[0], [SPAN]))
    size = len(encode(made)) // len(made)
    lines = sum(text.count("\n") for text in texts) // len(texts)
    return "\n".join(
        (
            f"{len(made)} memories of changed files of {lines} lines on average, in processor time:",
            "",
            "| | ms | budget | times as long as reading the files |",
            "|---|---|---|---|",
            f"| reading the files | {floor:.2f} | | |",
            f"| checking, files not read yet | {cold:.2f} | 5 | {cold / floor:.1f} |",
            f"| checking again | {warm:.2f} | 1.5 | {warm / floor:.1f} |",
            f"| making one anchor | {making:.2f} | | |",
            "",
            f"An anchor of 21 lines takes {size} bytes.",
            "",
        )
    )


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _least(run: Callable[[], object]) -> float:
    best = 1e9
    for _ in range(TIMES):
        began = time.process_time()
        run()
        best = min(best, time.process_time() - began)
    return 1000 * best
