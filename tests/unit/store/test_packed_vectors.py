"""The nearest of many vectors: the right ones, in order, whether all are looked at or codes choose first."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from rum.store.packed_vectors import CANDIDATES, Matrix, cosines, has_direction, pack

Floats = NDArray[np.float32]


def unit(rows: NDArray[np.floating]) -> Floats:
    return (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)


def crowd(count: int, dimensions: int = 96, seed: int = 7) -> Floats:
    """Vectors as texts have them: in groups."""
    random = np.random.default_rng(seed)
    groups = random.standard_normal((1 + count // 20, dimensions))
    rows = groups[random.integers(0, len(groups), count)] + 0.7 * random.standard_normal((count, dimensions))
    return unit(rows)


def numbered(rows: Floats, first: int = 1) -> list[tuple[int, bytes]]:
    return [(number, pack(row)) for number, row in enumerate(rows, start=first)]


def filled(rows: Floats, large: int = 10**6) -> Matrix:
    matrix = Matrix(rows.shape[1], large)
    matrix.add(numbered(rows))
    return matrix


@given(arrays(np.float32, st.integers(1, 400), elements=st.floats(-1, 1, width=32)))
def test_a_packed_vector_is_near_itself_in_a_byte_a_dimension(vector: Floats):
    if np.linalg.norm(vector) < 1e-3:
        return
    vector = unit(vector)
    data = pack(vector)
    assert len(data) == len(vector) + 4
    assert cosines(vector, {1: data})[1] == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("numbers", [[0, 0], [1, np.nan], [np.inf, 0], [-np.inf, 1], []])
def test_a_vector_without_direction_is_not_stored(numbers: list[float]):
    vector = np.array(numbers, dtype=np.float32)
    assert (has_direction(vector), pack(vector)) == (False, b"")


@given(arrays(np.float32, st.integers(1, 9), elements=st.floats(width=32)))
def test_any_vector_of_an_embedder_is_normalised_or_dropped(vector: Floats):
    data = pack(vector)
    assert bool(data) == has_direction(vector)
    assert not data or math.isfinite(cosines(unit(np.ones(len(vector))), {1: data})[1])


def test_cosines_are_those_of_the_vectors():
    rows = crowd(50)
    found = cosines(rows[0], {n: pack(row) for n, row in enumerate(rows)})
    assert list(found.values()) == pytest.approx((rows @ rows[0]).tolist(), abs=0.01)


def test_vectors_of_another_length_are_left_out():
    question = unit(np.ones(8))
    kept = {1: pack(unit(np.ones(16))), 2: pack(question), 3: b"abc", 4: b""}
    assert cosines(question, kept) == {2: pytest.approx(1)}
    matrix = Matrix(8)
    matrix.add([(number, kept[number]) for number in (1, 2, 3)])
    assert matrix.cosines(question, kept.keys()) == {2: pytest.approx(1)}
    assert [number for number, _ in matrix.nearest(question, 9)] == [2]
    assert matrix.last == 3


def test_the_nearest_are_those_with_the_largest_cosine_in_order():
    rows = crowd(2000)
    near = rows @ rows[5]
    found = filled(rows).nearest(rows[5], 20)
    assert found[0] == (6, pytest.approx(1, abs=0.01))
    assert [cosine for _, cosine in found] == sorted((cosine for _, cosine in found), reverse=True)
    assert [cosine for _, cosine in found] == pytest.approx(
        sorted(near.tolist(), reverse=True)[:20], abs=0.01
    )
    assert all(near[number - 1] == pytest.approx(cosine, abs=0.01) for number, cosine in found)


def test_vectors_with_a_cosine_of_zero_or_less_are_not_similar():
    rows = np.eye(4, dtype=np.float32)
    assert filled(np.vstack([rows, -rows])).nearest(rows[1], 9) == [(2, pytest.approx(1))]


def test_an_empty_matrix_has_nothing_near():
    assert Matrix(4).nearest(unit(np.ones(4)), 5) == []


def test_codes_find_nearly_what_looking_at_everything_finds():
    rows = crowd(4 * CANDIDATES, 384)
    whole, coded = filled(rows), filled(rows, large=100)
    missed = 0
    for question in crowd(20, 384, seed=8):
        wanted = {number for number, _ in whole.nearest(question, 10)}
        missed += len(wanted - {number for number, _ in coded.nearest(question, 10)})
    assert missed < 10


@pytest.mark.parametrize("dimensions", [1, 7, 63, 64, 65, 384])
def test_codes_fit_any_number_of_dimensions(dimensions: int):
    rows = crowd(300, dimensions)
    found = filled(rows, large=1).nearest(rows[9], 300)
    assert (10, pytest.approx(1, abs=0.02)) in found
    assert found == filled(rows).nearest(rows[9], 300)


def test_of_many_equal_vectors_the_requested_number_is_returned():
    rows = np.repeat(unit(np.ones((1, 8))), 3 * CANDIDATES, axis=0)
    assert len(filled(rows, large=1).nearest(rows[0], 50)) == 50


@settings(max_examples=30)
@given(st.lists(st.integers(0, 900), min_size=1, max_size=6), st.sampled_from([50, 10**6]))
def test_taken_in_piece_by_piece_it_is_the_same(pieces: list[int], large: int):
    rows = crowd(sum(pieces) + 1, 32)
    matrix = Matrix(32, large)
    first = 1
    for count in (*pieces, 1):
        matrix.add(numbered(rows[first - 1 : first - 1 + count], first))
        first += count
        matrix.nearest(rows[0], 3)
    assert (len(matrix), matrix.last) == (len(rows), len(rows))
    assert {n for n, _ in matrix.nearest(rows[0], 5)} == {n for n, _ in filled(rows).nearest(rows[0], 5)}


@pytest.mark.parametrize("large", [1, 10**6])
def test_what_was_dropped_is_found_no_more(large: int):
    rows = crowd(100)
    matrix = filled(rows, large)
    best = [number for number, _ in matrix.nearest(rows[3], 3)]
    matrix.drop(best[:2])
    assert [number for number, _ in matrix.nearest(rows[3], 1)] == best[2:]


@pytest.mark.parametrize("large", [1, 10**6])
@pytest.mark.parametrize("count", [20, 500])
def test_of_equally_similar_vectors_the_newest_come_first(large: int, count: int):
    same = np.tile(crowd(1), (count, 1))
    found = filled(same, large).nearest(same[0], 10)
    assert [number for number, _ in found] == list(range(count, count - 10, -1))


@pytest.mark.parametrize("large", [1, 10**6])
def test_the_cosines_of_some_vectors_are_found_by_number(large: int):
    rows = crowd(40)
    matrix = filled(rows, large)
    matrix.add([(2**60, pack(rows[0])), (2**61, b"")])
    found = matrix.cosines(rows[0], [2**60, 1, 0, 40, 41, 2**61, 2**62, -1])
    assert found == pytest.approx({1: 1, 40: float(rows[39] @ rows[0]), 2**60: 1}, abs=0.01)
    assert Matrix(96).cosines(rows[0], [1, 2]) == {}
