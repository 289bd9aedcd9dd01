"""`python -m benchmarks.quality.build_coding_set`: a corpus from a repository's history."""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections.abc import Iterable, Iterator

from benchmarks.quality import coding, history

BOT = re.compile(r"\[bot\]|\bbot\b|dependabot|pyup", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_]{2,}")
REVERT = re.compile(r"\brevert", re.IGNORECASE)
LONGEST_BODY = 1_500
MOST_FILES = 30


def main() -> None:
    """Write the corpus of one repository."""
    options = _options()
    commits = history.read(options.git_dir, since=options.since, until=options.until)
    kept = list(telling(commits, options.words))
    path = coding.corpus_path(options.name)
    with open(path, "wb") as file:
        file.write(packed(kept))
    print(f"{path}: {len(kept):,} of {len(commits):,} commits")


def telling(commits: Iterable[history.Commit], words: int) -> Iterator[history.Commit]:
    """The commits by people that say enough to be asked for, each message once, and all reverts."""
    seen: set[tuple[str, str]] = set()
    for commit in commits:
        message = commit.subject, commit.body
        says = len(WORD.findall(" ".join(message)))
        if BOT.search(commit.author) or message in seen:
            continue
        if says >= words or REVERT.search(commit.subject):
            seen.add(message)
            yield commit._replace(body=commit.body[:LONGEST_BODY], files=commit.files[:MOST_FILES])


def packed(commits: Iterable[history.Commit]) -> bytes:
    """The same bytes for the same commits."""
    lines = (json.dumps(commit._asdict(), ensure_ascii=False, separators=(",", ":")) for commit in commits)
    return gzip.compress("".join(f"{line}\n" for line in lines).encode(), 9, mtime=0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="build_coding_set", description=__doc__)
    parser.add_argument("name", help="of the corpus, as flask")
    parser.add_argument("git_dir")
    parser.add_argument("--words", type=int, default=6, help="the least a message must have")
    parser.add_argument("--since", metavar="DATE")
    parser.add_argument("--until", metavar="DATE")
    return parser.parse_args()


if __name__ == "__main__":
    main()
