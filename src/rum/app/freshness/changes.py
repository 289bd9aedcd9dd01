"""Which commit changed the code of memories: worked out by git in quiet moments, and kept for answers.

It is kept in a file for each checkout, by anchor, so a confirmed memory is asked about anew. It holds as long
as the commit that was checked out then is part of the checkout. Subjects of commits are kept as answers show
them: on one line, and without secrets.
"""

from __future__ import annotations

import json
from typing import cast

from rum.app.freshness.branches import known_commits
from rum.app.freshness.check import check_anchors
from rum.app.freshness.texts import check_texts, every_text
from rum.app.project import Project
from rum.model.anchors import CHANGED, GONE, Anchor, Freshness
from rum.repo.anchors.changes import Change, find_change
from rum.repo.anchors.commits import CHANGES_PREFIX, anchor_key, kept_path, read_kept
from rum.settings.home import write_private
from rum.text.fence import defused
from rum.text.shorten import one_line

MAX_CHECKED = 5000  # Memories that are compared with the code, newest first
MAX_ASKED = 100  # Changes that one run asks git about: it takes some 30 ms for each
_MAX_SUBJECT = 200  # Characters


def change_of(project: Project, anchor: Anchor, now: Freshness) -> Change | None:
    """The commit that changed the code of an anchor, by what is kept, or else by git."""
    kept = known_commits(project).change_of(anchor)
    return Change(*kept) if kept else _find(project, anchor, now)


def _find(project: Project, anchor: Anchor, now: Freshness) -> Change | None:
    repository = project.repository()
    found = find_change(repository, anchor, now) if repository else None
    if found is None:
        return None
    subject = project.redactor.redact(one_line(found.subject, _MAX_SUBJECT))
    return found._replace(subject=defused(subject))


def renew_changes(project: Project) -> bool:
    """Ask git which commits changed the code of what went stale, once for each commit that is checked out.

    False if nothing is new.
    """
    repository = project.repository()
    head, _ = project.commit_and_branch()
    if repository is None or head is None or project.checkout is None:
        return False
    path = kept_path(project.location.directory, repository, CHANGES_PREFIX)
    before = read_kept(path)
    if before.get("head") == head and before.get("is_whole"):
        return False
    checked = check_anchors(project, project.store.anchors.claims(MAX_CHECKED))
    checked |= check_texts(project, every_text(project))
    commits, left = known_commits(project), MAX_ASKED
    changes: dict[str, Change] = {}
    # Git knows no commit for these, such as for changes that are not committed: it is not asked again.
    asked = before.get("unknown") if before.get("head") == head else None
    unknown = set(map(str, cast("list[object]", asked))) if isinstance(asked, list) else set[str]()
    for anchor, now in (pair for pairs in checked.values() for pair in pairs):
        key, is_stale = anchor_key(anchor), now.state in (CHANGED, GONE)
        kept = commits.change_of(anchor)
        change = Change(*kept) if kept else None
        if change is not None and not is_stale and now.path != change.moved_to:
            continue  # it was taken back since
        if change is None and is_stale and key not in unknown and left:
            left -= 1
            change = _find(project, anchor, now)
            if change is None:
                unknown.add(key)
        if change:
            changes[key] = change
    new = {"head": head, "is_whole": left > 0, "changes": changes, "unknown": sorted(unknown)}
    write_private(path, json.dumps(new).encode())
    return True
