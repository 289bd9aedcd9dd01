"""Cosines of other models are converted to the scale of the built-in one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.embed.calibration import DISSIMILAR, SIMILAR, TEXTS, UNCHANGED, Scale, average_cosines, measure_scale
from rum.embed.choose import BuiltinEmbedder


@pytest.fixture(scope="module")
def builtin() -> np.ndarray:
    return BuiltinEmbedder().embed(TEXTS)


def test_the_built_in_model_has_the_reference_scale(builtin: np.ndarray):
    assert average_cosines(builtin) == pytest.approx((SIMILAR, DISSIMILAR), abs=0.002)
    assert measure_scale(builtin) == pytest.approx(UNCHANGED, abs=0.01)


@pytest.mark.parametrize("common", [0.5, 1.0, 2.0])
def test_a_common_component_of_all_vectors_does_not_count(builtin: np.ndarray, common: float):
    shifted = np.hstack([builtin, np.full((len(builtin), 1), common, dtype=np.float32)])
    shifted /= np.linalg.norm(shifted, axis=1, keepdims=True)
    scale, own = measure_scale(shifted), builtin @ builtin.T
    found = [scale.of(float(one)) for one in (shifted @ shifted.T).ravel()]
    assert found == pytest.approx(own.ravel().tolist(), abs=0.02)


def test_for_a_model_without_contrast_all_texts_are_unrelated():
    same = np.ones((len(TEXTS), 8), dtype=np.float32) / np.sqrt(8)
    assert measure_scale(same) == Scale(0.0, DISSIMILAR)


def test_a_model_that_refuses_a_text_is_not_scaled(builtin: np.ndarray):
    refused = builtin.copy()
    refused[3] = 0
    assert measure_scale(refused) == UNCHANGED


@given(st.floats(-9, 9), st.floats(-9, 9), st.floats(-1, 1))
def test_a_scaled_cosine_is_one(gain: float, shift: float, cosine: float):
    assert -1 <= Scale(gain, shift).of(cosine) <= 1
