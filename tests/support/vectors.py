"""Store vectors of texts in a store, and search them by text."""

from __future__ import annotations

import numpy as np

from rum.store.base import Store
from rum.store.packed_vectors import Floats, pack
from support.embedders import word_vector
from support.finding import ids_of, keys_of

DIMENSIONS = 256


def vector(text: str) -> Floats:
    return word_vector(text, DIMENSIONS)


def data(text: str) -> bytes:
    """The stored form of the vector of a text."""
    return pack(vector(text))


def near(store: Store, model: str, text: str, *, archived: bool = False) -> list[str]:
    """The memories most similar to a text, best first."""
    found = store.vectors.nearest(model, vector(text), 99, 99)
    return ids_of(store, [key for key, _ in (found.archived if archived else found.live)])


def kept(store: Store, model: str, **texts: str) -> dict[str, bool]:
    """For the memories that have a vector, whether it belongs to their current text."""
    keys = dict(zip(keys_of(store, texts), texts, strict=True))
    found = {one: store.vectors.cosines(model, vector(text), keys) for one, text in texts.items()}
    return {
        one: bool(np.isclose(found[one][key], 1, atol=0.01)) for key, one in keys.items() if key in found[one]
    }
