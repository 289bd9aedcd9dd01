"""Memories of branches are labelled until their work is part of the checkout; in real repositories."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rum import Rum
from rum.inject.offers.context import OfferContext
from support.offers import make_event
from support.projects import Shop, edited, keep
from support.repositories import Repository


class Branch:
    """A memory whose work was committed on a branch, while `main` went on and is checked out."""

    def __init__(self, shop: Shop) -> None:
        self.repository = Repository(shop.folder)
        self.repository.commit("Begin", {"a.py": "1\n", "b.py": "1\n"})
        self.rum = shop.open()
        self.repository.git("checkout", "--quiet", "-b", "feature/cache")
        self.repository.commit("Cache", {"a.py": "2\n"})
        self.memory = keep(self.rum, "Add a cache", actions=edited("a.py"))
        self.commit = self.repository.commit("Use the cache", {"b.py": "2\n"})
        self.last = keep(self.rum, "Use the cache", actions=edited("b.py"))
        self.repository.git("checkout", "--quiet", "main")
        self.repository.commit("Go on", {"c.py": "1\n"})

    def label(self, *, renewed: bool = True) -> str | None:
        """What recall says of the branch of the memory."""
        if renewed:
            self.rum.tidy()
        [memory] = self.rum.recall(memory_id=self.memory).memories
        return memory.unmerged or None


@pytest.fixture
def branch(shop: Shop) -> Branch:
    return Branch(shop)


def test_work_on_another_branch_is_labelled_everywhere(branch: Branch):
    assert branch.label() == "feature/cache"
    rum = branch.rum
    [found] = rum.recall(query="Add a cache", limit=1).memories
    assert found.full_summary.endswith("(only on branch feature/cache)")
    assert rum.show(branch.memory).unmerged == "feature/cache"
    assert {one.id: one.unmerged for one in rum.list().memories}[branch.memory] == "feature/cache"
    assert rum.trace(branch.memory).origin.unmerged == "feature/cache"
    before = keep(rum, "Work on main", actions=edited("c.py"))
    rum.tidy()
    assert not rum.show(before).unmerged


def merge(repository: Repository) -> None:
    repository.git("merge", "--quiet", "--no-ff", "-m", "Merge the cache", "feature/cache")


def squash(repository: Repository) -> None:
    repository.git("merge", "--quiet", "--squash", "feature/cache")
    repository.commit("Add a cache (#7)")
    repository.git("branch", "--quiet", "-D", "feature/cache")


def rebase(repository: Repository) -> None:
    repository.git("rebase", "--quiet", "main", "feature/cache")
    repository.git("checkout", "--quiet", "main")
    repository.git("merge", "--quiet", "--ff-only", "feature/cache")


def check_out(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "feature/cache")


@pytest.mark.parametrize("bring", [merge, squash, rebase, check_out])
def test_the_label_goes_when_the_work_is_part_of_the_checkout(
    branch: Branch, bring: Callable[[Repository], None]
):
    assert branch.label() == "feature/cache"
    bring(branch.repository)
    assert branch.label(renewed=False) is None  # never a label of another checkout
    assert branch.label() is None


def test_a_cherry_pick_takes_the_label_of_its_commit_alone(branch: Branch):
    branch.repository.git("cherry-pick", branch.commit)
    assert branch.label() == "feature/cache"
    assert not branch.rum.show(branch.last).unmerged


def test_work_of_a_deleted_branch_is_abandoned_until_it_comes_back(branch: Branch):
    branch.repository.git("branch", "--quiet", "-D", "feature/cache")
    assert branch.label() == "abandoned"
    [found] = branch.rum.recall(query="Add a cache", limit=1).memories
    assert found.full_summary.endswith("(branch abandoned)")
    branch.repository.git("branch", "feature/cache", branch.commit)
    merge(branch.repository)
    assert branch.label() is None


def test_a_revert_of_a_revert_leaves_work_unreverted(shop: Shop):
    repository = Repository(shop.folder)
    repository.commit("Begin", {"a.py": "1\n"})
    work = repository.commit("Cache", {"a.py": "2\n"})
    undone = repository.commit(f'Revert "Cache"\n\nThis reverts commit {work}.', {"a.py": "1\n"})
    rum = shop.open()
    rum.import_git()
    found = rum.recall(query=work).memories[0]
    assert found.reverted_by
    repository.commit(f'Reapply "Cache"\n\nThis reverts commit {undone}.', {"a.py": "2\n"})
    rum.import_git()
    found = rum.recall(query=work).memories[0]
    assert found.intent.goal == "Cache"
    assert not found.reverted_by
    assert "Don't Repeat" not in rum.brief(file=["a.py"]).text  # the reverted revert is no failed approach
    assert not found.unmerged


def test_each_worktree_has_its_own_labels(branch: Branch, shop: Shop):
    assert branch.label() == "feature/cache"
    other = shop.folder.parent / "other"
    branch.repository.git("worktree", "add", "--quiet", str(other), "feature/cache")
    with Rum.open(other, home=shop.home) as rum:
        rum.tidy()
        assert not rum.show(branch.memory).unmerged
    assert branch.label(renewed=False) == "feature/cache"


def test_a_damaged_file_of_labels_means_no_labels(branch: Branch):
    assert branch.label() == "feature/cache"
    [kept] = Path(branch.rum.project.directory).glob("branches-*.json")
    for text in ("", "[]", "{", '{"head": 1}'):
        kept.write_text(text)
        assert branch.label(renewed=False) is None
    assert branch.label() == "feature/cache"


def test_verify_does_not_call_work_on_another_branch_stale(shop: Shop):
    repository = Repository(shop.folder)
    repository.commit("Start", {"README": "Shop.\n"})
    rum = shop.open()
    repository.git("switch", "--quiet", "--create", "feature/gate")
    repository.commit("Add a gate", {"gate.py": "def gate():\n    return 1\n"})
    observed = {"observations": [{"what": "it opens", "where": "gate.py:1-2"}]}
    keep(rum, "Write the gate", perception=observed)
    assert rum.verify().checked == 1
    repository.git("switch", "--quiet", "main")
    answer = rum.verify()
    assert (answer.checked, answer.stale) == (0, 0)
    repository.git("switch", "--quiet", "feature/gate")
    assert rum.verify().checked == 1


class Gate:
    """A memory of code that only the branch `feature/gate` has."""

    def __init__(self, shop: Shop) -> None:
        self.repository = Repository(shop.folder)
        self.repository.commit("Start", {"README": "Shop.\n"})
        self.rum = shop.open()
        self.repository.git("switch", "--quiet", "--create", "feature/gate")
        self.repository.commit("Add a gate", {"gate.py": "def gate():\n    return 1\n"})
        observed = {"observations": [{"what": "it opens", "where": "gate.py:1-2"}]}
        self.memory = keep(self.rum, "Write the gate", perception=observed)

    def labels(self) -> set[str | None]:
        """What recall, show, list, offers and the page say of the code."""
        rum, memory = self.rum, self.memory
        [found] = rum.recall(memory_id=memory).memories
        [listed] = [one for one in rum.list().memories if one.id == memory]
        context = OfferContext(make_event("prompt"), rum.project.directory, str(self.repository.root))
        remark = context.code_remarks([memory]).get(memory, "")
        said = {"code gone since": "gone", "code changed since": "changed", "": None}[remark]
        states = [one.freshness or None for one in (found, rum.show(memory), listed)]
        places = [one.state for one in rum.pages.anchors(memory)]
        return {said, *(None if one in ("fresh", "unknown") else one for one in (*states, *places))}


@pytest.fixture
def gate(shop: Shop) -> Gate:
    return Gate(shop)


@pytest.mark.parametrize("renewed", [False, True])
def test_code_of_another_branch_is_never_called_gone(gate: Gate, renewed: bool):
    gate.rum.tidy()
    gate.repository.git("switch", "--quiet", "main")
    if renewed:
        gate.rum.tidy()
    assert gate.labels() == {None}
    gate.repository.commit("Go on", {"README": "A shop.\n"})
    assert gate.labels() == {None}
    gate.repository.git("switch", "--quiet", "feature/gate")
    gate.repository.commit("Remove the gate", {"gate.py": None})
    assert gate.labels() == {"gone"}  # without asking git again


def test_code_is_called_gone_only_when_a_merge_is_known(gate: Gate):
    gate.rum.tidy()
    gate.repository.git("switch", "--quiet", "main")
    gate.repository.commit("Go on", {"README": "A shop.\n"})
    gate.repository.git("merge", "--quiet", "--squash", "feature/gate")
    gate.repository.commit("Add a gate (#7)")
    gate.repository.commit("Remove the gate", {"gate.py": None})
    assert gate.labels() == {None}
    gate.rum.tidy()
    assert gate.labels() == {"gone"}


def test_amended_work_is_neither_abandoned_nor_elsewhere(gate: Gate):
    gate.repository.write("gate.py", "def gate():\n    return 2\n")
    gate.repository.git("commit", "--quiet", "--all", "--amend", "--message", "Add a gate")
    assert gate.labels() == {"changed"}
    gate.rum.tidy()
    assert gate.labels() == {"changed"}
    assert not gate.rum.show(gate.memory).unmerged


def test_code_of_a_commit_that_is_not_here_is_not_called_gone(gate: Gate, shop: Shop):
    gate.repository.git("switch", "--quiet", "main")
    gate.repository.git("branch", "--quiet", "-D", "feature/gate")
    gate.repository.git("reflog", "expire", "--expire=now", "--all")
    gate.repository.git("gc", "--quiet", "--prune=now")
    gate.rum.tidy()
    assert gate.labels() == {None}


def test_a_report_does_not_count_work_on_other_branches_as_stale(gate: Gate):
    gate.repository.git("switch", "--quiet", "main")
    gate.rum.tidy()
    assert gate.rum.report().stale_memories == 0


def test_work_that_was_committed_later_on_another_branch_is_not_called_gone(shop: Shop):
    repository = Repository(shop.folder)
    repository.commit("Start", {"README": "Shop.\n"})
    rum = shop.open()
    repository.git("switch", "--quiet", "--create", "feature/gate")
    repository.write("gate.py", "def gate():\n    return 1\n")
    observed = {"observations": [{"what": "it opens", "where": "gate.py:1-2"}]}
    memory = keep(rum, "Write the gate", perception=observed)  # at the commit that both branches have
    repository.commit("Add a gate")
    repository.git("switch", "--quiet", "main")
    for _ in range(2):
        assert not rum.show(memory).freshness
        assert rum.verify().stale == 0
        rum.tidy()
    repository.git("merge", "--quiet", "--squash", "feature/gate")
    repository.commit("Add a gate (#7)")
    repository.commit("Remove the gate", {"gate.py": None})
    rum.tidy()
    assert rum.show(memory).freshness == "gone"


def test_work_of_a_worktree_is_not_called_gone_in_another(shop: Shop):
    repository = Repository(shop.folder)
    repository.commit("Start", {"README": "Shop.\n"})
    other = shop.folder.parent / "other"
    repository.git("worktree", "add", "--quiet", "-b", "feature/gate", str(other))
    with Rum.open(other, home=shop.home) as there:
        (other / "gate.py").write_text("def gate():\n    return 1\n")
        observed = {"observations": [{"what": "it opens", "where": "gate.py:1-2"}]}
        memory = keep(there, "Write the gate", perception=observed)
        repository.git("-C", str(other), "add", "gate.py")
        repository.git("-C", str(other), "commit", "--quiet", "--message", "Add a gate")
        assert there.show(memory).freshness == "fresh"
    assert not shop.open().show(memory).freshness


class Walls:
    """A memory of code that changed since, with commits before it that no log of HEAD knows."""

    def __init__(self, shop: Shop) -> None:
        self.repository = Repository(shop.folder)
        self.repository.commit("Begin", {"wall.py": "def wall():\n    return 1\n"})
        self.rum = shop.open()
        observed = {"observations": [{"what": "it stands", "where": "wall.py:1-2"}]}
        self.memory = keep(self.rum, "Write the wall", perception=observed)
        self.repository.commit("Go on", {"a.py": "1\n"})
        self.changed = self.repository.commit("Raise it", {"wall.py": "def wall():\n    return 2\n"})
        self.repository.commit("Go on further", {"a.py": "2\n"})
        self.last = self.repository.commit("Go on again", {"a.py": "3\n"})
        for log in (shop.folder / ".git" / "logs").rglob("*"):
            if log.is_file():
                log.unlink()

    def freshness(self) -> str | None:
        return self.rum.show(self.memory).freshness or None


def test_labels_stay_after_a_reset_to_an_earlier_commit(shop: Shop):
    walls = Walls(shop)
    assert walls.freshness() is None  # it is not known whether the checkout ever had the code
    walls.rum.tidy()
    assert walls.freshness() == "changed"
    walls.repository.git("reset", "--quiet", "--hard", "HEAD~2")
    assert walls.freshness() == "changed"
    walls.repository.commit("Go on otherwise", {"b.py": "1\n"})
    assert walls.freshness() == "changed"


def test_a_label_of_a_branch_stays_after_a_reset_to_an_earlier_commit(branch: Branch):
    branch.repository.commit("Go on further", {"c.py": "2\n"})
    assert branch.label() == "feature/cache"
    branch.repository.git("reset", "--quiet", "--hard", "HEAD~1")
    assert branch.label(renewed=False) == "feature/cache"


def test_code_that_came_by_a_merge_is_not_called_gone_when_the_merge_is_reset(shop: Shop):
    gate = Gate(shop)
    gate.repository.git("switch", "--quiet", "main")
    gate.repository.commit("Go on", {"a.py": "1\n"})
    gate.repository.git("merge", "--quiet", "--no-ff", "-m", "Merge the gate", "feature/gate")
    gate.repository.commit("Drop the gate", {"gate.py": None})
    gate.rum.tidy()
    assert gate.labels() == {"gone"}
    gate.repository.git("reset", "--quiet", "--hard", "HEAD~2")
    assert gate.labels() == {None}


def test_work_whose_commit_only_a_tag_has_is_not_abandoned(branch: Branch):
    branch.repository.git("tag", "v1", "feature/cache")
    branch.repository.git("branch", "--quiet", "-D", "feature/cache")
    assert branch.label() == "tag v1"
    [found] = branch.rum.recall(query="Add a cache", limit=1).memories
    assert found.full_summary.endswith("(only on tag v1)")


def test_memories_that_come_by_sync_are_labelled_at_once(
    branch: Branch, shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RUM_SHARE", "all")
    branch.rum.tidy()
    shared = tmp_path / "shared"
    shared.mkdir()
    with Rum.open(shop.folder, home=shop.home, owner=True) as one:
        assert one.sync(with_=str(shared)).sent["memory"] == 2
    with Rum.open(shop.folder, home=tmp_path / "other home", owner=True) as other:
        keep(other, "Write the manual")
        other.tidy()
        other.sync(with_=str(shared))
        assert other.show(branch.memory).unmerged == "feature/cache"
        assert other.verify().checked == 0
