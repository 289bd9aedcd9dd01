"""Play one story and judge it; or record its events, or play recorded ones."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.capture.answers import Answers
from benchmarks.capture.checks import Verdict, judge
from benchmarks.capture.client import Client, Payload
from benchmarks.capture.place import Place
from benchmarks.capture.sheet import read_records, sheet
from benchmarks.capture.stories import Run, Story
from benchmarks.capture.warm import WarmPrograms


class Played(NamedTuple):
    """A played story: the verdicts, what makes it void, and the characters told in each run."""

    story: Story
    verdicts: list[Verdict]
    void: list[str]
    told: list[int]
    seconds: float


class Options(NamedTuple):
    """How stories are played."""

    warm: bool = False
    record: Path | None = None
    replay: Path | None = None
    sheets: Path | None = None


AS_BY_DEFAULT = Options()


def play(story: Story, options: Options = AS_BY_DEFAULT, warm: WarmPrograms | None = None) -> Played:
    """Play a story in a temporary folder."""
    began = time.monotonic()
    root = Path(tempfile.mkdtemp(prefix=f"rum-story-{story['name']}-"))
    try:
        verdicts, void, told = _play(story, options, Place(root, warm))
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return Played(story, verdicts, void, told, time.monotonic() - began)


def _play(story: Story, options: Options, place: Place) -> tuple[list[Verdict], list[str], list[int]]:
    place.build(story)
    told = [0]
    stream = Stream(place)

    def hook(payload: Payload) -> str:
        stream.keep(payload)
        said = place.hook(payload)
        told[-1] += len(said)
        return said

    client = Client(place.project, place.home, place.env, hook)
    recorded = Stream.read(options.replay / f"{story['name']}.jsonl", place) if options.replay else None
    verdicts: list[Verdict] = []
    void: list[str] = []
    made: dict[int, list[str]] = {}
    for number, run in enumerate(story["runs"]):
        if number:
            told.append(0)
            stream.next_run()
        if recorded is None:
            void += _departures(run, number, client.play(run))
        else:
            for payload in recorded.runs[number]:
                hook(payload)
        place.settle()
        with Answers(place) as answers:
            known = {identity for ids in made.values() for identity in ids}
            new = [memory for memory in answers.memories() if memory["id"] not in known]
            made[number] = [memory["id"] for memory in new]
            for check in story["checks"]:
                if check.get("after", len(story["runs"]) - 1) == number:
                    verdicts.append(Verdict(story["name"], check, judge(check, answers, made)))
            if options.sheets and number == len(story["runs"]) - 1:
                options.sheets.mkdir(parents=True, exist_ok=True)
                transcripts = sorted((place.home / ".claude").rglob("*.jsonl"), key=os.path.getmtime)
                text = sheet(answers, read_records(transcripts))
                (options.sheets / f"{story['name']}.txt").write_text(text, encoding="utf-8")
    if options.record:
        stream.write(options.record / f"{story['name']}.jsonl")
    return verdicts, void, told


def _departures(run: Run, number: int, seen: str) -> list[str]:
    """Where the run did not go as the story says."""
    missing = [pattern for pattern in run.get("happened", ()) if not re.search(pattern, seen)]
    wrong = [pattern for pattern in run.get("not_happened", ()) if re.search(pattern, seen)]
    end = seen[-400:]
    return [
        *(f"run {number}: {pattern!r} did not happen in {end!r}" for pattern in missing),
        *(f"run {number}: {pattern!r} happened" for pattern in wrong),
    ]


class Stream:
    """The payloads of a story, run by run; a file holds one per line, with the folders left open."""

    def __init__(self, place: Place) -> None:
        self.runs: list[list[Payload]] = [[]]
        self._place = place

    def keep(self, payload: Payload) -> None:
        """Add a payload to the current run."""
        self.runs[-1].append(payload)

    def next_run(self) -> None:
        """Begin another run."""
        self.runs.append([])

    def _folders(self) -> list[tuple[str, str]]:
        slug = re.sub(r"[^A-Za-z0-9]", "-", str(self._place.project))
        return [(str(self._place.project), "$PROJECT"), (slug, "$SLUG"), (str(self._place.home), "$HOME")]

    def write(self, path: Path) -> None:
        """Write the payloads to a file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        lines: list[str] = []
        for number, run in enumerate(self.runs):
            for payload in run:
                text = json.dumps({"run": number, "payload": payload}, ensure_ascii=False)
                for folder, name in self._folders():
                    text = text.replace(folder, name)
                lines.append(text + "\n")
        path.write_text("".join(lines), encoding="utf-8")

    @classmethod
    def read(cls, path: Path, place: Place) -> Stream:
        """Read the payloads of a file, for this place."""
        stream = cls(place)
        for line in path.read_text(encoding="utf-8").splitlines():
            for folder, name in stream._folders():
                line = line.replace(name, folder)
            entry: dict[str, Any] = json.loads(line)
            while len(stream.runs) <= entry["run"]:
                stream.next_run()
            stream.runs[entry["run"]].append(entry["payload"])
        return stream
