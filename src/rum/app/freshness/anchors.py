"""Make the anchors of memories: of the files as they are now, or of the commit that a memory is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rum.app.project import Project
from rum.capture.memory_files import Place, named_places
from rum.model.anchors import CHANGED, FRESH, MOVED, Anchor, decode, encode
from rum.model.memory import Memory
from rum.repo.anchors.check import check_anchor
from rum.repo.anchors.checkout import Checkout
from rum.repo.anchors.make import make_anchors
from rum.repo.anchors.source_file import SourceFile
from rum.repo.contents import read_contents
from rum.repo.git import GitRepository
from rum.store.base import ReadMode

MAX_ANCHORS = 6  # Of a memory
MAX_OF_COMMIT = 4  # Of a commit: its largest changes
MAX_CONTENT = 512 * 1024  # Bytes of a file of a commit; larger ones are mostly generated
MAX_CHANGED = 0.5  # How much of an edit may be missing in a file that still has it
BATCH = 500


def anchor_memory(project: Project, memory: Memory, checkout: Checkout | None = None) -> None:
    """Make anchors of the files as they are now, and keep them, also if there are none.

    `checkout` is where the work was done.
    """
    checkout = checkout or project.checkout
    if checkout is not None:
        places = named_places(memory.actions, memory.perception)
        made = anchors_now(checkout, places, memory.commit or "")
        project.store.anchors.put({memory.id: encode(made)})


def anchor_changes(project: Project, old: Memory, new: Memory) -> None:
    """Make anchors of the places that an update adds; those of other places stay as they are."""
    before, places = (named_places(one.actions, one.perception) for one in (old, new))
    checkout = project.checkout
    if checkout is None or before == places:
        return
    paths = {place.path for place in places}
    known = decode(project.store.anchors.of([old.id]).get(old.id, b""))
    kept = [anchor for anchor in known if anchor.path in paths]
    added = anchors_now(checkout, [place for place in places if place not in before], new.commit or "")
    project.store.anchors.put({new.id: encode([*kept, *added][:MAX_ANCHORS])})


def anchors_now(checkout: Checkout, places: Sequence[Place], commit: str) -> list[Anchor]:
    """Anchors of places in files as they are now."""
    anchors: list[Anchor] = []
    for path in dict.fromkeys(place.path for place in places):
        file = checkout.file(path) if len(anchors) < MAX_ANCHORS else None
        if file is not None:
            own = [place for place in places if place.path == path][:MAX_ANCHORS]
            anchors += _anchors(file, own, commit)
    return anchors[:MAX_ANCHORS]


def _anchors(file: SourceFile, places: Iterable[Place], commit: str) -> list[Anchor]:
    spans = [_span(file, place) if place.added else (place.start, place.end) for place in places]
    return make_anchors(file, list(dict.fromkeys(spans)), commit)


def _span(file: SourceFile, place: Place) -> tuple[int, int]:
    """Where the lines that an edit added are: later edits of the same work may have moved them."""
    added = place.added.encode("utf-8", "replace")
    for anchor in make_anchors(SourceFile(added, place.path), [(1, added.count(b"\n") + 1)]):
        found = check_anchor(anchor._replace(start=place.start or 1), file, place.path)
        if found.state in (FRESH, MOVED) or (found.state == CHANGED and found.share <= MAX_CHANGED):
            return found.start, found.end
    return place.start, place.end


def anchor_commits(project: Project, repository: GitRepository, memories: Sequence[Memory]) -> None:
    """Make anchors of memories from the contents that their files had; keep them, also if there are none."""
    made: dict[str, list[Anchor]] = {memory.id: [] for memory in memories}
    wanted: dict[str, dict[str, list[Place]]] = {}
    commits = {memory.id: memory.commit or "" for memory in memories}
    for memory in memories:
        blobs = {file.path: file.content_hash for file in memory.files}
        for place in _largest(named_places(memory.actions, memory.perception)):
            if blob := blobs.get(place.path):
                wanted.setdefault(blob, {}).setdefault(memory.id, []).append(place)
    for blob, content in read_contents(repository, list(wanted), MAX_CONTENT):
        for memory_id, places in wanted[blob].items():
            for path in dict.fromkeys(place.path for place in places):
                own = [place for place in places if place.path == path]
                made[memory_id] += _anchors(SourceFile(content, path), own, commits[memory_id])
    project.store.anchors.put({one: encode(anchors) for one, anchors in made.items()})


def _largest(places: Iterable[Place]) -> list[Place]:
    ranked = sorted(places, key=lambda place: (not place.start, place.start - place.end))
    return ranked[:MAX_OF_COMMIT]


def has_missing(project: Project) -> bool:
    """Whether there are memories whose anchors can be made."""
    return project.repository() is not None and bool(project.store.anchors.missing(1))


def make_missing(project: Project, limit: int) -> int:
    """Make the anchors of memories that came without: imported, synced or stored by an older version.

    The newest come first. What a commit's files were is read from git, so this takes too long for a recall.
    """
    repository = project.repository()
    if repository is None:
        return 0
    done = 0
    while done < limit and (ids := project.store.anchors.missing(min(BATCH, limit - done))):
        memories = project.store.memories.get(ids, ReadMode.BEST_EFFORT)
        with project.store.transaction():
            project.store.anchors.put({one: encode([]) for one in ids})
            anchor_commits(project, repository, memories)
        done += len(ids)
    return done
