"""A line of an answer says why: in the words of the commit, or of the failure."""

from __future__ import annotations

from rum import Rum
from support.projects import Shop, keep
from support.repositories import Repository

WATCHERS = """Fix the crash of two watchers on one path

Problem: registering two watchers for the same path, then closing them,
crashed. Only one of them received events.

Example:

    watch(path); watch(path);

Each watcher is the key of a tree. The second call of inotify_add_watch
returns the existing descriptor, so the first watcher was lost.

Signed-off-by: Ada <ada@example.org>
"""


def imported(shop: Shop, *messages: str) -> Rum:
    repository = Repository(shop.folder)
    for number, message in enumerate(messages):
        repository.commit(message, {f"src/{number}.c": f"{number}\n"})
    rum = shop.open()
    rum.import_git()
    return rum


def summaries(rum: Rum, **question: object) -> list[str]:
    return [memory.outcome.summary for memory in rum.recall(**question).memories]  # type: ignore[arg-type]


def test_the_line_of_a_commit_has_its_author_and_the_whole_first_sentence_of_its_reason(shop: Shop):
    with imported(shop, WATCHERS) as rum:
        [summary] = summaries(rum, file="src/0.c")
        commit, _, rest = summary.partition(" by ")
        assert len(commit) == 10
        author, _, reason = rest.partition(": ")
        assert author
        assert reason == "Problem: registering two watchers for the same path, then closing them, crashed."


def test_the_best_answer_also_quotes_the_sentence_nearest_to_the_question(shop: Shop):
    with imported(shop, WATCHERS) as rum:
        [summary] = summaries(rum, query="watchers crash: which descriptor does inotify_add_watch return?")
        assert summary.endswith(
            "crashed. … The second call of inotify_add_watch returns the existing descriptor, "
            "so the first watcher was lost."
        )
        assert "watch(path)" not in summary


def test_a_deeper_answer_keeps_the_size_of_the_commit(shop: Shop):
    with imported(shop, WATCHERS) as rum:
        [memory] = rum.recall(file="src/0.c", depth="outcome").memories
        assert memory.outcome.summary.endswith(": src/0.c, +1 -0")


def test_a_commit_without_a_body_keeps_its_size_and_closed_issues_stay(shop: Shop):
    with imported(shop, "Add a file", "Close the window\n\nIt let in the rain.\n\nCloses: #12\n") as rum:
        assert summaries(rum, file="src/0.c")[0].endswith(": src/0.c, +1 -0")
        assert summaries(rum, file="src/1.c")[0].endswith(", closes #12: It let in the rain.")


def test_a_commit_whose_summary_was_edited_keeps_it_also_when_it_is_reverted(shop: Shop):
    repository = Repository(shop.folder)
    bad = repository.commit(WATCHERS, {"src/0.c": "0\n"})
    with shop.open(owner=True) as rum:
        rum.import_git()
        [memory] = rum.recall(file="src/0.c").memories
        rum.update_memory(memory.id, outcome={"summary": "Two watchers share a descriptor."})
        repository.revert(bad)
        rum.import_git()
        assert "Two watchers share a descriptor." in summaries(rum, file="src/0.c")


def test_a_failure_says_why_unless_its_summary_does(rum: Rum):
    for summary in ("Gave up", "The cache was stale"):
        rum.store(
            intent={"goal": f"Speed up the build: {summary}", "task_type": "optimization"},
            outcome={"success": False, "summary": summary, "failure_reason": "The cache was stale. Sorry."},
        )
    keep(rum, "Speed up the build with ccache", "Twice as fast")
    assert sorted(summaries(rum, task_type="optimization")) == [
        "Gave up (The cache was stale.)",
        "The cache was stale",
    ]


def test_near_misses_and_traces_say_why_too(shop: Shop):
    with imported(shop, WATCHERS, *(f"Add page {number}" for number in range(30))) as rum:
        answer = rum.recall(query="how are users notified by mail about the events of an order")
        [near] = [one.text for one in answer.near or () if "two watchers" in one.text]
        assert near.endswith("crashed.")
        [memory] = rum.recall(file="src/0.c").memories
        assert rum.trace(memory.id).origin.outcome.summary == memory.outcome.summary


def test_files_with_folded_memories_are_explained(shop: Shop):
    repository = Repository(shop.folder)
    for number in range(7):
        repository.commit("man: fix typo", {f"man/{number}.xml": f"word {number}\n"})
    with shop.open() as rum:
        rum.import_git()
        [memory] = rum.recall(file="man", limit=3, explain=True).memories
        assert (memory.similar, bool(memory.why)) == (6, True)
