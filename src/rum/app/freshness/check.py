"""Check memories against the code of the checkout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import UNSET

from rum.app.freshness.branches import known_commits, unmerged
from rum.app.project import Project
from rum.model.anchors import (
    CHANGED,
    GONE,
    MOVED,
    NO_ANSWER,
    UNKNOWN,
    Anchor,
    Freshness,
    combine,
    decode,
    place,
)
from rum.repo.anchors.checkout import known_state


def freshness_of(project: Project, ids: Iterable[str]) -> dict[str, Freshness]:
    """What became of the code of each of these memories, as far as it is known."""
    ids = list(ids)
    found = {one: combine(pairs) for one, pairs in check_anchors(project, ids).items()}
    if branches := unmerged(project):
        for one in ids:
            if one in branches:
                found[one] = found.get(one, NO_ANSWER)._replace(unmerged=branches[one])
    return {one: fresh for one, fresh in found.items() if fresh.state != UNKNOWN or fresh.unmerged}


def check_anchors(project: Project, ids: Iterable[str]) -> dict[str, list[tuple[Anchor, Freshness]]]:
    """The anchors of each of these memories with what can be said of their code.

    Nothing is said of code that may never have been part of the checkout, such as that of other branches.
    """
    return what_is_known(project, compare_anchors(project, ids))


def what_is_known(
    project: Project, compared: Mapping[str, list[tuple[Anchor, Freshness]]]
) -> dict[str, list[tuple[Anchor, Freshness]]]:
    """Anchors with what can be said of their code."""
    commits, checkout = known_commits(project), project.checkout
    if checkout is None:
        return {}
    return {
        one: [(anchor, known_state(anchor, now, commits, checkout)) for anchor, now in pairs]
        for one, pairs in compared.items()
    }


def compare_anchors(project: Project, ids: Iterable[str]) -> dict[str, list[tuple[Anchor, Freshness]]]:
    """The anchors of each of these memories with how the files compare, whatever branch they are of."""
    return compare(project, project.store.anchors.of(list(ids)) if project.checkout else {})


def compare(project: Project, known: Mapping[str, bytes]) -> dict[str, list[tuple[Anchor, Freshness]]]:
    """Anchors as a store keeps them, each with how the files compare."""
    checkout = project.checkout
    if checkout is None:
        return {}
    checked: dict[str, list[tuple[Anchor, Freshness]]] = {}
    for one, data in known.items():
        if anchors := decode(data):
            names = project.store.anchors.later_names
            checked[one] = list(zip(anchors, checkout.check(anchors, names), strict=True))
    return checked


def shown(found: Freshness | None) -> dict[str, Any]:
    """The fields of an answer that say how fresh a memory is."""
    if found is None:
        return {}
    return {**code_state(found), "unmerged": found.unmerged or UNSET, "code_since": found.since or UNSET}


def code_state(found: Freshness | None) -> dict[str, Any]:
    """The fields of `model.code.CodeState`."""
    if found is None:
        return {}
    is_else = found.state in (MOVED, CHANGED, GONE)
    return {
        "freshness": found.state if found.state != UNKNOWN else UNSET,
        "code_at": place(found.path, found.start, found.end) if is_else else UNSET,
        "code_changed": found.share if found.state == CHANGED else UNSET,
    }
