"""The made-up secrets of the benchmark are cut out."""

from __future__ import annotations

from benchmarks.secrets.__main__ import HERE, leaks, read_cases
from benchmarks.secrets.crossed import crossed

from support.secrets import find_secrets, redact


def test_nearly_all_made_up_secrets_are_cut_out():
    cases = read_cases(HERE / "seen.txt")
    missed = [case.text for case in cases if any(leaks(redact(case.text), secret) for secret in case.secrets)]
    assert len(cases) >= 800
    assert len({case.kind for case in cases}) >= 60
    assert len(missed) <= len(cases) // 100, missed


def test_redacting_them_twice_changes_nothing_more():
    for case in read_cases(HERE / "seen.txt"):
        assert not find_secrets(redact(case.text)), case.text


def test_names_are_found_in_every_syntax_and_place():
    cases = [case for _, _, case in crossed(1500, seed=7)]
    missed = [case.text for case in cases if any(leaks(redact(case.text), secret) for secret in case.secrets)]
    assert len(missed) <= len(cases) // 100, missed
