"""Mutated texts for everything that parses: hook payloads, transcripts, notes, journals, secrets."""

from __future__ import annotations

import contextlib
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chaos.figures import Figures
from chaos.values import HOSTILE, WRONG
from rum import Rum, RumError
from rum.capture.clients.detect import event_of
from rum.capture.transcripts import claude_code, codex, gemini
from rum.redact.redactor import Redactor
from rum.store.files.notes.text import entries
from rum.surfaces.mcp import json_rpc
from rum.text import patterns

DATA = Path(__file__).parents[1] / "data"
MAX_CPU = 5.0  # Seconds for one text
_REDACTOR = Redactor()


def fuzz_texts(folder: Path, rng: random.Random, number: int, figures: Figures) -> None:
    """Give mutated samples to each parser in turn; only errors of RUM may be raised."""
    folder.mkdir(parents=True)
    payloads = [
        json.loads(line)
        for path in (DATA / "hook_samples").iterdir()
        for line in path.read_text().splitlines()
    ]
    folders = ("example_notes", "journals", "transcript_samples")
    samples = [path.read_text() for part in folders for path in sorted((DATA / part).iterdir())]
    with Rum.open(folder, home=folder / "home", owner=True) as rum:
        parsers = _parsers(folder, rum, payloads, samples)
        for at in range(number):
            name, weight, parse = parsers[at % len(parsers)]
            if weight < 1 and rng.random() > weight:
                name, _, parse = parsers[0]
            start = time.process_time()
            try:
                described = parse(rng)
            except RumError:
                described = ""
            except Exception as error:
                figures.fault("crash", f"{name}: {error!r}")
                described = ""
            spent = time.process_time() - start
            figures.measure("CPU seconds of one text", spent)
            if spent > MAX_CPU:
                figures.fault("hang", f"{name}: {spent:.1f} s of CPU for {described[:500]!r}")
            figures.count("fuzzed inputs")


def _parsers(
    folder: Path, rum: Rum, payloads: list[dict[str, Any]], samples: list[str]
) -> list[tuple[str, float, Callable[[random.Random], str]]]:
    """The parsers, with the share of their turns that they take: those that write files are slow."""

    def hook(rng: random.Random) -> str:
        payload = mutate_value(rng, rng.choice(payloads))
        if isinstance(payload, dict):
            event_of(payload, rng.choice(("claude-code", "codex", "gemini", "cursor")), 1.0)
        return str(payload)

    def note(rng: random.Random) -> str:
        text = mutate(rng, rng.choice(samples))
        entries(text, "slug", "slug.md")
        return text

    def journal(rng: random.Random) -> str:
        path = folder / "journal.yaml"
        text = mutate(rng, rng.choice(samples))
        path.write_text(text, errors="replace")
        rum.journals.validate_file(path)
        return text

    def transcript(rng: random.Random) -> str:
        path = folder / "transcript.jsonl"
        text = mutate(rng, rng.choice(samples))
        path.write_text(text, errors="replace")
        list(rng.choice((claude_code, codex, gemini)).events([str(path)]))
        return text

    def secrets(rng: random.Random) -> str:
        text = mutate(rng, rng.choice(samples))[: rng.choice((200, 2000, 20_000))]
        once = _REDACTOR.redact(text)
        if _REDACTOR.redact(once) != once:
            raise AssertionError(f"redacting twice differs: {text[:500]!r}")
        return text

    def pattern(rng: random.Random) -> str:
        text = rng.choice(HOSTILE) + mutate(rng, rng.choice(samples)[:300])
        patterns.paths_in(text)
        rum.rules.match(text)
        return text

    def message(rng: random.Random) -> str:
        line = mutate(
            rng, '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "recall"}}'
        )
        with contextlib.suppress(json_rpc.RpcError):
            json_rpc.parse(line.encode("utf-8", "surrogatepass"))
        return line

    return [
        ("hook payload", 1.0, hook),
        ("message", 1.0, message),
        ("secrets", 1.0, secrets),
        ("note", 0.5, note),
        ("pattern", 0.2, pattern),
        ("transcript", 0.2, transcript),
        ("journal", 0.05, journal),
    ]


def mutate(rng: random.Random, text: str) -> str:
    """The text with a few pieces cut, doubled, swapped, or replaced by hostile ones."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(text) + 1)
        end = min(len(text), at + rng.choice((0, 1, 8, 60)))
        piece = text[at:end]
        new = rng.choice(
            (
                piece * 2,
                "",
                rng.choice(HOSTILE)[:200],
                piece[::-1],
                chr(rng.randrange(0x2FFF)),
                "\n",
                '"',
                ":",
                "-",
            )
        )
        text = text[:at] + new + text[end:]
    return text


def mutate_value(rng: random.Random, value: Any) -> Any:
    """The JSON value with one part replaced, removed or mutated."""
    if rng.random() < 0.05:
        return rng.choice(WRONG)
    if isinstance(value, str):
        return mutate(rng, value) if rng.random() < 0.5 else rng.choice(HOSTILE)
    if isinstance(value, dict) and value:
        chosen = rng.choice(sorted(value))
        if rng.random() < 0.1:
            return {key: part for key, part in value.items() if key != chosen}
        return value | {chosen: mutate_value(rng, value[chosen])}
    if isinstance(value, list) and value:
        at = rng.randrange(len(value))
        return [*value[:at], mutate_value(rng, value[at]), *value[at + 1 :]]
    return rng.choice(WRONG)
