"""all-MiniLM-L6-v2 in numpy: six layers of BERT, the mean over the tokens, length one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from rum.embed.weights import Arrays

LAYERS, HEADS, HEAD_SIZE, WIDTH = 6, 12, 32, 384
LONGEST = 256
"""Tokens of a text that count, as in the original."""
GROUP = 64
"""How many weights of one output share a factor; one factor for all of them would be twice as far off."""

_BATCH = 256
"""Tokens worked on at once: more make the products no faster, and take memory."""
_SIZES = (3 * WIDTH**2, WIDTH**2, 4 * WIDTH**2, 4 * WIDTH**2)
"""The numbers in the four products of a layer."""
_EACH = np.full(WIDTH, 1 / WIDTH, dtype=np.float32)
_EPSILON = 1e-12
_GELU = (-1.5957691216, -0.0713548163)
"""-2·√(2/π) and 0.044715 times that: GELU's usual form, with its tanh written as an exponential."""

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
    """Texts of one length side by side: rows `start` to `end` of a batch, `length` rows a text."""

    start: int
    end: int
    length: int


class MiniLM:
    """The model, ready to run. The table of words stays on disk in one byte a number."""

    def __init__(self, arrays: Arrays) -> None:
        self._words, self._factors = arrays["words"], arrays["words.factor"]
        self._positions, self._norm = arrays["positions"].copy(), arrays["norm"].copy()
        # All products' numbers in one piece: that gets large pages of memory, and is run through faster.
        whole = np.empty(sum(_SIZES) * LAYERS, dtype=np.float32)
        room = iter(np.split(whole, np.cumsum(_SIZES * LAYERS)[:-1]))
        self._layers = [_layer(arrays, number, room) for number in range(LAYERS)]

    def vectors(self, texts: Sequence[Sequence[int]]) -> Floats:
        """A vector of length one for each list of ids; none of them may be empty or too long."""
        found = np.empty((len(texts), WIDTH), dtype=np.float32)
        # A large negative number has no GELU to speak of: its exponential may well be infinite.
        with np.errstate(over="ignore"):
            for batch in _batches(texts):
                found[batch] = self._batch([texts[number] for number in batch])
        found /= np.sqrt(np.einsum("ij,ij->i", found, found))[:, None]
        return found

    def _batch(self, texts: list[Sequence[int]]) -> Floats:
        """Texts are laid end to end without padding: only attention has to know where each one ends."""
        lengths = [len(text) for text in texts]
        runs = list(_runs(lengths))
        rows = self._embedded(texts, lengths)
        for layer in self._layers:
            rows = _normed(
                _product(_attention(rows, layer.attend, runs), layer.gather) + rows, layer.gather_norm
            )
            rows = _normed(
                _product(_gelu(_product(rows, layer.widen)), layer.narrow) + rows, layer.narrow_norm
            )
        return np.concatenate(
            [rows[start:end].reshape(-1, length, WIDTH).mean(axis=1) for start, end, length in runs]
        )

    def _embedded(self, texts: list[Sequence[int]], lengths: list[int]) -> Floats:
        ids = np.concatenate([np.asarray(text, dtype=np.intp) for text in texts])
        places = np.concatenate([np.arange(length) for length in lengths])
        rows = self._words[ids].astype(np.float32)
        rows *= self._factors[ids]
        rows += self._positions[places]
        return _normed(rows, self._norm)


def _batches(texts: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Numbers of texts that are worked on together, the short ones first."""
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


def _layer(arrays: Arrays, number: int, room: Iterator[Floats]) -> Layer:
    def dense(name: str) -> Dense:
        steps = arrays[f"{number}.{name}"]
        groups = next(room).reshape(steps.shape)
        np.multiply(steps, arrays[f"{number}.{name}.factor"], out=groups)
        return Dense(groups.reshape(-1, groups.shape[-1]), arrays[f"{number}.{name}.bias"].copy())

    gather_norm, narrow_norm = (arrays[f"{number}.{name}.norm"].copy() for name in ("gather", "narrow"))
    return Layer(dense("attend"), dense("gather"), gather_norm, dense("widen"), dense("narrow"), narrow_norm)


def _product(rows: Floats, dense: Dense) -> Floats:
    made = rows @ dense.matrix
    made += dense.bias
    return made


def _attention(rows: Floats, attend: Dense, runs: list[Run]) -> Floats:
    """What each token takes from the others of its text, all heads side by side."""
    projected = _product(rows, attend)
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
    bend = rows * rows
    bend *= _GELU[1]
    bend += _GELU[0]
    bend *= rows
    np.exp(bend, out=bend)
    bend += 1
    rows /= bend
    return rows


def _normed(rows: Floats, norm: Floats) -> Floats:
    """In place: mean 0 and variance 1 a row, then the norm's factors and offsets."""
    rows -= (rows @ _EACH)[:, None]
    spread = np.einsum("ij,ij->i", rows, rows)
    spread /= rows.shape[1]
    spread += _EPSILON
    rows *= (1 / np.sqrt(spread))[:, None]
    rows *= norm[0]
    rows += norm[1]
    return rows
