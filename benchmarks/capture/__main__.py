"""Play stories of ordinary work through RUM's hooks; count what it then says rightly, wrongly or not at all.

python -m benchmarks.capture [FILE ...] [--only NAME,...] [--verbose] [--json] [--warm] [--jobs N]
python -m benchmarks.capture --record DIR | --replay DIR | --sheets DIR
python -m benchmarks.capture --transcript FILE
"""

from __future__ import annotations

import argparse
import queue
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.capture.play import Options, Played, play
from benchmarks.capture.report import as_json, story_lines, summary
from benchmarks.capture.sheet import describe
from benchmarks.capture.stories import Story, missing_programs, read_stories, story_files
from benchmarks.capture.warm import WarmPrograms


def play_all(
    stories: list[Story], options: Options, jobs: int, *, verbose: bool, quiet: bool
) -> list[Played]:
    """Play stories, several at a time; print the line of each when it is done."""
    programs: queue.Queue[WarmPrograms | None] = queue.Queue()
    for _ in range(jobs):
        programs.put(WarmPrograms() if options.warm else None)

    def one(story: Story) -> Played:
        warm = programs.get()
        try:
            return play(story, options, warm)
        finally:
            programs.put(warm)

    played: list[Played] = []
    with ThreadPoolExecutor(jobs) as pool:
        for result in pool.map(one, stories):
            played.append(result)
            if not quiet:
                print("\n".join(story_lines(result, verbose=verbose)), flush=True)
    for _ in range(jobs):
        if warm := programs.get():
            warm.close()
    return played


def main() -> int:
    """Play the stories and print the figures. The exit code is 1 if a story is void."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.capture",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="story files (default: all)")
    parser.add_argument("--only", default="", help="names of stories, separated by commas")
    parser.add_argument("--list", action="store_true", help="list the stories")
    parser.add_argument("--verbose", action="store_true", help="print the failing checks and what was found")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument(
        "--warm", action="store_true", help="fork hooks from one process; faster (not Windows)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="stories to play at the same time")
    parser.add_argument("--record", type=Path, metavar="DIR", help="write the events of each story to DIR")
    parser.add_argument("--replay", type=Path, metavar="DIR", help="use recorded events, execute nothing")
    parser.add_argument("--sheets", type=Path, metavar="DIR", help="write sheets for reading by hand")
    parser.add_argument("--transcript", type=Path, metavar="FILE", help="show what a real transcript yields")
    asked = parser.parse_args()
    if asked.transcript:
        print(describe(asked.transcript))
        return 0
    try:
        stories = read_stories(asked.files or story_files())
    except ValueError as error:
        parser.error(str(error))
    names = [name for name in asked.only.split(",") if name]
    stories = [story for story in stories if not names or story["name"] in names]
    if asked.list:
        for story in stories:
            size = f"{len(story['runs'])} runs, {len(story['checks'])} checks"
            print(f"{story['name']}: {story['covers']} ({size})")
        return 0
    playable = [story for story in stories if not missing_programs(story)]
    for story in stories:
        if story not in playable:
            print(f"skip {story['name']}: needs {', '.join(missing_programs(story))}", file=sys.stderr)
    options = Options(asked.warm, asked.record, asked.replay, asked.sheets)
    played = play_all(playable, options, asked.jobs, verbose=asked.verbose, quiet=asked.json)
    print(as_json(played) if asked.json else "\n" + summary(played))
    return int(any(one.void for one in played))


if __name__ == "__main__":
    sys.exit(main())
