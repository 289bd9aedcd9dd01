"""Precision and recall of warnings, on cases used for tuning and on held-out cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.labelled_warnings import FILES, cases, measured


@pytest.mark.parametrize("name", FILES)
def test_warnings_are_precise_and_find_most_repeated_failures(name: str, tmp_path: Path):
    figures = measured(cases(name), tmp_path)
    assert figures.precision >= 0.9, figures.needless
    assert figures.recall >= 0.7, figures.missed


def test_there_are_enough_cases_and_a_third_is_held_out():
    known, held_out = (cases(name) for name in FILES)
    assert len(known) + len(held_out) >= 60
    assert len(held_out) * 3 >= len(known) + len(held_out)
    assert len({case["name"] for case in (*known, *held_out)}) == len(known) + len(held_out)
