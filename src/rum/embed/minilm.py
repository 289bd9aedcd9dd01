"""all-MiniLM-L6-v2 in numpy: six BERT layers, then the mean over the tokens, scaled to length one."""

from __future__ import annotations

import ctypes
import json
import mmap
import threading
import zlib
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from itertools import groupby
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from rum.embed.wordpiece import WordPiece

_SYMBOL_PATTERNS = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")


class _RunningCalls:
    """The number of running calls, and OpenBLAS's thread count before the first of them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.count = 0
        self.threads_before = 1


_running_calls = _RunningCalls()


@contextmanager
def single_threaded_blas() -> Generator[None]:
    """Within this context matrix products run on the calling thread; the last to exit restores the count.

    OpenBLAS splits a product over all cores, which then wait for each other: while another program keeps
    one of them busy, a product of 10 ms can take 500 ms. To use more cores, call from several threads.
    """
    get_threads, set_threads = _controls()
    with _running_calls.lock:
        if not _running_calls.count:
            _running_calls.threads_before = get_threads()
            set_threads(1)
        _running_calls.count += 1
    try:
        yield
    finally:
        with _running_calls.lock:
            _running_calls.count -= 1
            if not _running_calls.count:
                set_threads(_running_calls.threads_before)


@cache
def _controls() -> tuple[Callable[[], int], Callable[[int], object]]:
    """Getter and setter of OpenBLAS's thread count; they do nothing with another library."""
    # In the wheel's library folder, or linked into numpy's C extension.
    folder, core = Path(np.__file__).parent, find_spec("numpy._core._multiarray_umath")
    paths = [*folder.with_name("numpy.libs").glob("*openblas*"), *folder.glob(".dylibs/*openblas*")]
    paths += [Path(core.origin)] if core and core.origin else []
    for path in paths:
        with suppress(OSError):
            library = ctypes.CDLL(str(path))
            for pattern in _SYMBOL_PATTERNS:
                get_threads = getattr(library, pattern.format("get_num_threads"), None)
                set_threads = getattr(library, pattern.format("set_num_threads"), None)
                if get_threads and set_threads:
                    return get_threads, set_threads
    return (lambda: 1), (lambda _: None)


MAGIC = b"RUMVEC\x00\x01"
PREFIX = 16  # Bytes of the magic number, a checksum of all that follows it, and the length of the JSON header
ALIGNMENT = 64

_CHUNK = 1 << 20

Arrays = dict[str, np.ndarray[Any, np.dtype[Any]]]


class DamagedError(ValueError):
    """The data file is damaged."""


class DataFile:
    """The open data file: a header with a checksum, then named arrays, read from disk on access."""

    def __init__(self, path: str | PathLike[str]) -> None:
        with open(path, "rb") as file:
            header, start = _checked_header(file)
            self._mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.arrays: Arrays = {}
        for name, (kind, shape, offset) in header.items():
            flat = np.frombuffer(self._mapped, kind, int(np.prod(shape)), start + offset)
            self.arrays[name] = flat.reshape(shape)

    def release(self) -> None:
        """Free the memory of pages read so far; another access reads them again."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._mapped.madvise(mmap.MADV_DONTNEED)


def _checked_header(file: BinaryIO) -> tuple[dict[str, tuple[str, list[int], int]], int]:
    """The header, and where the arrays begin."""
    prefix = file.read(PREFIX)
    if len(prefix) < PREFIX or not prefix.startswith(MAGIC):
        raise DamagedError("it is not a RUM model file")
    expected, length = (int.from_bytes(prefix[start : start + 4], "little") for start in (8, 12))
    raw = file.read(length)
    checksum = zlib.crc32(raw, zlib.crc32(prefix[12:]))
    while chunk := file.read(_CHUNK):
        checksum = zlib.crc32(chunk, checksum)
    if checksum != expected:
        raise DamagedError("its checksum is wrong")
    return json.loads(raw), PREFIX + length


LAYERS, HEADS, HEAD_SIZE, WIDTH = 6, 12, 32, 384
MAX_TOKENS = 256  # Per text, as in the original
GROUP = 64  # Weights of one output that share a scale factor; one factor for all would double the error

_BATCH = 256  # Tokens in a batch: more do not make the products faster, and take memory
# The sizes of the four weight matrices of a layer.
_SIZES = (3 * WIDTH**2, WIDTH**2, 4 * WIDTH**2, 4 * WIDTH**2)
_MEAN_WEIGHTS = np.full(WIDTH, 1 / WIDTH, dtype=np.float32)
_EPSILON = 1e-12
# -2·√(2/π) and 0.044715 times that: GELU's usual form, with its tanh written as an exponential.
_GELU = (-1.5957691216, -0.0713548163)

Floats = np.ndarray[Any, np.dtype[np.float32]]


class Dense(NamedTuple):
    """`x @ matrix + bias`."""

    matrix: Floats
    bias: Floats


class Layer(NamedTuple):
    """One layer: attention, and the two products after it, with their norms."""

    attend: Dense
    gather: Dense
    gather_norm: Floats
    widen: Dense
    narrow: Dense
    narrow_norm: Floats


class Run(NamedTuple):
    """Texts of the same length: rows `start` to `end` of a batch, `length` rows for each text."""

    start: int
    end: int
    length: int


class MiniLM:
    """The network, ready to run. The word table stays on disk, one byte for each number."""

    def __init__(self, arrays: Arrays) -> None:
        self._words, self._factors = arrays["words"], arrays["words.factor"]
        self._positions, self._norm = arrays["positions"].copy(), arrays["norm"].copy()
        # All weights in one array: it gets large memory pages and is read faster.
        buffer = np.empty(sum(_SIZES) * LAYERS, dtype=np.float32)
        buffers = iter(np.split(buffer, np.cumsum(_SIZES * LAYERS)[:-1]))
        self._layers = [_layer(arrays, number, buffers) for number in range(LAYERS)]

    def vectors(self, texts: Sequence[Sequence[int]]) -> Floats:
        """A vector of length one for each list of ids; none of them may be empty or too long."""
        found = np.empty((len(texts), WIDTH), dtype=np.float32)
        # For a large negative number GELU is about 0 and its exponential may overflow.
        with np.errstate(over="ignore"):
            for batch in _batches(texts):
                found[batch] = self._batch([texts[number] for number in batch])
        found /= np.sqrt(np.einsum("ij,ij->i", found, found))[:, None]
        return found

    def _batch(self, texts: list[Sequence[int]]) -> Floats:
        """Texts are laid end to end without padding: only attention has to know where each one ends."""
        lengths = [len(text) for text in texts]
        runs = list(_runs(lengths))
        rows = self._token_rows(texts, lengths)
        for layer in self._layers:
            rows = _layer_norm(
                _dense(_attention(rows, layer.attend, runs), layer.gather) + rows, layer.gather_norm
            )
            rows = _layer_norm(
                _dense(_gelu(_dense(rows, layer.widen)), layer.narrow) + rows, layer.narrow_norm
            )
        return np.concatenate(
            [rows[start:end].reshape(-1, length, WIDTH).mean(axis=1) for start, end, length in runs]
        )

    def _token_rows(self, texts: list[Sequence[int]], lengths: list[int]) -> Floats:
        ids = np.concatenate([np.asarray(text, dtype=np.intp) for text in texts])
        places = np.concatenate([np.arange(length) for length in lengths])
        rows = self._words[ids].astype(np.float32)
        rows *= self._factors[ids]
        rows += self._positions[places]
        return _layer_norm(rows, self._norm)


class Model:
    """Tokenizer and network."""

    def __init__(self, words: WordPiece, network: MiniLM) -> None:
        self._words = words
        self._network = network

    def ids(self, text: str) -> list[int]:
        """The token ids of a text."""
        return self._words.ids(text)

    def embed(self, texts: Sequence[str]) -> Floats:
        """One vector for each text, in order."""
        with single_threaded_blas():
            return self._network.vectors([self.ids(text) for text in texts])


def open_model(path: str | PathLike[str]) -> Model:
    """Load the model from a data file; `OSError` or `ValueError` if it cannot be used."""
    data = DataFile(path)
    vocabulary = data.arrays["vocabulary"].tobytes().decode().split("\n")
    model = Model(WordPiece(vocabulary, MAX_TOKENS), MiniLM(data.arrays))
    data.release()
    return model


def _batches(texts: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Indexes of the texts of each batch, short texts first."""
    batch: list[int] = []
    tokens = 0
    for number in sorted(range(len(texts)), key=lambda number: len(texts[number])):
        if batch and tokens + len(texts[number]) > _BATCH:
            yield batch
            batch, tokens = [], 0
        batch.append(number)
        tokens += len(texts[number])
    if batch:
        yield batch


def _runs(lengths: list[int]) -> Iterator[Run]:
    start = 0
    for length, same in groupby(lengths):
        end = start + length * len(list(same))
        yield Run(start, end, length)
        start = end


def _layer(arrays: Arrays, number: int, buffers: Iterator[Floats]) -> Layer:
    def dense(name: str) -> Dense:
        steps = arrays[f"{number}.{name}"]
        groups = next(buffers).reshape(steps.shape)
        np.multiply(steps, arrays[f"{number}.{name}.factor"], out=groups)
        return Dense(groups.reshape(-1, groups.shape[-1]), arrays[f"{number}.{name}.bias"].copy())

    gather_norm, narrow_norm = (arrays[f"{number}.{name}.norm"].copy() for name in ("gather", "narrow"))
    return Layer(dense("attend"), dense("gather"), gather_norm, dense("widen"), dense("narrow"), narrow_norm)


def _dense(rows: Floats, dense: Dense) -> Floats:
    made = rows @ dense.matrix
    made += dense.bias
    return made


def _attention(rows: Floats, attend: Dense, runs: list[Run]) -> Floats:
    """Self-attention within each text, all heads at once."""
    projected = _dense(rows, attend)
    gathered = np.empty_like(rows)
    for start, end, length in runs:
        parts = projected[start:end].reshape(-1, length, 3, HEADS, HEAD_SIZE).transpose(2, 0, 3, 1, 4)
        queries, keys, values = parts
        shares = queries @ keys.swapaxes(-1, -2)
        shares -= shares.max(axis=-1, keepdims=True)
        np.exp(shares, out=shares)
        taken = gathered[start:end].reshape(-1, length, HEADS, HEAD_SIZE).transpose(0, 2, 1, 3)
        np.divide(shares @ values, shares.sum(axis=-1, keepdims=True), out=taken)
    return gathered


def _gelu(rows: Floats) -> Floats:
    """In place: x / (1 + exp(-2·√(2/π)·(x + 0.044715·x³)))."""
    divisor = rows * rows
    divisor *= _GELU[1]
    divisor += _GELU[0]
    divisor *= rows
    np.exp(divisor, out=divisor)
    divisor += 1
    rows /= divisor
    return rows


def _layer_norm(rows: Floats, norm: Floats) -> Floats:
    """In place: mean 0 and variance 1 for each row, then the norm's factors and offsets."""
    rows -= (rows @ _MEAN_WEIGHTS)[:, None]
    variance = np.einsum("ij,ij->i", rows, rows)
    variance /= rows.shape[1]
    variance += _EPSILON
    rows *= (1 / np.sqrt(variance))[:, None]
    rows *= norm[0]
    rows += norm[1]
    return rows
