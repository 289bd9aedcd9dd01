"""References between the commits of a history."""

from __future__ import annotations

import pytest

from rum.capture.git.history import Ledger, Revert
from rum.capture.git.message import Naming
from rum.repo.history import Commit


def sha(number: int) -> str:
    return f"{number:x}".rjust(2, "a") + "bcdef0123456789abcdef0123456789abcdef0"


def ledger(
    *messages: str, merges: dict[int, list[int]] | None = None, times: list[int] | None = None
) -> Ledger:
    """A history of these messages; `merges` are the places of merges and of what they brought in."""
    brought = {sha(place): [sha(one) for one in inside] for place, inside in (merges or {}).items()}
    commits = [
        Commit(
            sha(place),
            times[place] if times else 1000 + place,
            1000 + place,
            ("x", "y") if sha(place) in brought else (sha(place - 1),),
            "Ann",
            message,
        )
        for place, message in enumerate(messages)
    ]
    return Ledger(commits, {}, lambda merge: brought[merge])


def history(*messages: str) -> list[Commit]:
    return [
        Commit(sha(place), 1000 + place, 1000 + place, (sha(place - 1),), "Ann", message)
        for place, message in enumerate(messages)
    ]


def states(found: Ledger) -> list[tuple[int, Revert]]:
    return [(found.entries[one].place, revert) for one, revert in found.reverted.items()]


def reverted(found: Ledger) -> dict[int, str]:
    places = {entry.sha: entry.place for entry in found.entries.values()}
    return {places[one]: revert.reason for one, revert in found.reverted.items()}


def test_a_commit_is_found_by_the_beginning_of_its_id():
    found = ledger("one", "two")
    assert found.find(sha(1)[:7]) is found.entries[sha(1)]
    assert found.find("abcdef9") is None


def test_an_ambiguous_beginning_finds_no_commit():
    twice = [Commit("abcdef1" + end * 33, 5, 5, (), "Ann", "x") for end in "01"]
    found = Ledger(twice, {}, lambda _: [])
    assert found.find("abcdef1") is None
    assert found.find("abcdef10") is found.entries[twice[0].sha]


def test_a_reference_is_found_from_both_commits():
    found = ledger("one", f"two\n\nFixes: {sha(0)[:12]}")
    (reference,) = found.references(sha(0))
    assert found.references(sha(1)) == [reference]
    assert (reference.source.sha, reference.target.sha, reference.naming) == (sha(1), sha(0), Naming.FOLLOWS)


def test_a_reverted_commit_has_the_reason_of_its_revert():
    found = ledger(
        "Open the gate", f'Revert "Open the gate"\n\nThis reverts commit {sha(0)}.\n\nThe build fails.'
    )
    assert reverted(found) == {0: "The build fails."}
    assert found.reverted[sha(0)].category == "build_failure"


def test_a_revert_without_a_reason_is_described_by_its_subject():
    found = ledger("Open the gate", f'Revert "Open the gate"\n\nThis reverts commit {sha(0)}.')
    assert reverted(found) == {0: 'Reverted without a reason given: Revert "Open the gate"'}
    assert found.reverted[sha(0)].category == "other"


def test_a_commit_whose_revert_was_reverted_is_not_reverted():
    found = ledger(
        "Open the gate",
        f'Revert "Open the gate"\n\nThis reverts commit {sha(0)}.\n\nIt leaks.',
        f'Reapply "Open the gate"\n\nThis reverts commit {sha(1)}.\n\nIt did not leak.',
    )
    assert reverted(found) == {1: "It did not leak."}


def test_a_commit_reverted_twice_is_reverted_by_the_last():
    found = ledger(
        "Open the gate",
        f"Revert it\n\nThis reverts commit {sha(0)}.\n\nIt leaks.",
        f"Bring it back\n\nThis reverts commit {sha(1)}.\n\nIt does not.",
        f"Revert it again\n\nThis reverts commit {sha(0)}.\n\nIt does leak.",
    )
    assert reverted(found) == {0: "It does leak.", 1: "It does not."}


@pytest.mark.parametrize("end", ["", " (#34)"])
def test_a_revert_without_an_id_reverts_the_last_commit_of_that_subject(end: str):
    found = ledger(
        "Open it (#12)", "Open it (#12)", f'Revert "Open it (#12)"{end}\n\nReverts example/gate#12'
    )
    assert list(reverted(found)) == [1]


@pytest.mark.parametrize(
    ("subject", "quoted"),
    [
        ("Open it (#12)", "Open it"),
        ("Open it", "Open it (#12)"),
        ("Open it (#12) (#13)", "Open it (#12)"),
    ],
)
def test_a_revert_may_quote_a_subject_with_or_without_the_number_of_its_pull_request(
    subject: str, quoted: str
):
    assert list(reverted(ledger(subject, f'Revert "{quoted}"'))) == [0]
    assert list(reverted(ledger(subject, f'Revert "{quoted}" (#14) (#15)'))) == [0]
    assert list(reverted(ledger(subject, f"revert: {quoted}"))) == [0]


def test_pull_requests_distinguish_commits_of_one_subject():
    assert list(reverted(ledger("Open it (#12)", "Open it (#13)", 'Revert "Open it (#12)"'))) == [0]
    assert reverted(ledger("Open it (#13)", 'Revert "Open it (#12)"')) == {}


def test_reapplying_reverts_the_revert():
    assert list(reverted(ledger("Open it", 'Revert "Open it"', 'Reapply "Open it"'))) == [1]
    assert list(reverted(ledger("Open it", 'Revert "Open it"', 'Revert "Revert "Open it""'))) == [1]


REVERTED = f'Revert "Open the gate"\n\nThis reverts commit {sha(0)}.'


def test_a_merge_that_repeats_a_revert_counts_as_that_revert():
    merge = f'Revert "Open the gate" (#7)\n\nThis reverts commit {sha(0)}.\n\nThe build fails.'
    found = ledger("Open the gate", REVERTED, merge, merges={2: [1]})
    assert reverted(found) == {0: "The build fails."}
    assert found.reverted[sha(0)].by.sha == sha(1)


def test_a_merge_without_a_reason_has_that_of_the_revert_in_it():
    merge = f'Revert "Open the gate" (#7)\n\nThis reverts commit {sha(0)}.'
    found = ledger("Open the gate", f"{REVERTED}\n\nIt leaks.", merge, merges={2: [1]})
    assert reverted(found) == {0: "It leaks."}


@pytest.mark.parametrize("number", ["", " (#7)"])
def test_a_commit_reverted_by_a_merge_and_restored_is_not_reverted(number: str):
    found = ledger(
        "Open the gate",
        REVERTED,
        f'Revert "Open the gate" (#7)\n\nThis reverts commit {sha(0)}.',
        f'Revert "Revert "Open the gate"{number}"',
        merges={2: [1]},
    )
    assert 0 not in reverted(found)
    assert 1 in reverted(found)


def test_reverting_a_merge_reverts_its_commits():
    found = ledger(
        "base",
        "on the branch",
        "also there",
        "Merge branch 'gate'",
        f"Revert the gate\n\nThis reverts commit {sha(3)}, reversing\nchanges made to {sha(0)}.\n\nNo.",
        merges={3: [1, 2]},
    )
    assert reverted(found) == {1: "No.", 2: "No.", 3: "No."}


def test_a_commit_cannot_revert_a_later_one():
    found = ledger(f"This reverts commit {sha(1)}.", "Open the gate")
    assert reverted(found) == {}
    assert [reference.naming for reference in found.references(sha(1))] == [Naming.NAMES]


def test_every_commit_affected_by_a_revert_is_found():
    found = ledger(
        "one",
        f"This reverts commit {sha(0)}.",
        f"This reverts commit {sha(1)}.",
        f"This reverts commit {sha(2)}.",
    )
    assert [entry.sha for entry in found.reverted_through(sha(3))] == [sha(2), sha(1), sha(0)]


def test_commits_of_one_second_keep_their_order():
    found = ledger(*["x"] * 30, times=[5000] * 30)
    ids = [entry.memory_id for entry in found.entries.values()]
    assert ids == sorted(ids)


def test_an_existing_memory_keeps_its_id():
    commit = Commit(sha(0), 5, 5, (), "Ann", "x")
    assert Ledger([commit], {sha(0): "mem_known"}, lambda _: []).entries[sha(0)].memory_id == "mem_known"


def test_a_number_reverts_the_only_commit_that_has_it():
    found = ledger(
        "Open it (#12)",
        "Close it\n\nCloses #13",
        "Paint it\n\nReverts #12\n\nIt leaks.",
        "Revert part of the change for issue 13",
    )
    assert {place: revert.extent.value for place, revert in states(found)} == {0: "whole", 1: "partly"}


def test_a_number_of_several_commits_does_not_say_which():
    assert reverted(ledger("Open it\n\nFixes #12", "Lock it\n\nFixes #12", "Reverts #12")) == {}


def test_the_number_of_a_merge_stands_for_its_commits():
    found = ledger(
        "base",
        "on the branch",
        "Merge pull request #7 from ann/gate\n\nOpen the gate",
        "Close it\n\nReverts #7",
        merges={2: [1]},
    )
    assert set(reverted(found)) == {1, 2}


def test_a_whole_revert_counts_more_than_a_later_one_in_part():
    found = ledger("Open it", f"This reverts commit {sha(0)}.\n\nIt leaks.", f"Partial revert of {sha(0)}")
    assert {place: revert.extent.value for place, revert in states(found)} == {0: "whole"}


def test_a_commit_that_says_so_reverts_what_it_undoes_exactly():
    undone = {sha(2): (sha(1), False), sha(3): (sha(0), True)}
    messages = ("one", "two", "Revert that, it is slow because it waits", "Paint it")
    found = Ledger(history(*messages), {}, lambda _: [], undone.get)
    assert reverted(found) == {1: "Revert that, it is slow because it waits"}


def test_the_reason_is_the_paragraph_that_names_what_is_reverted():
    about = f"- Also revert {sha(0)[:9]}, as nobody needs that lock any more."
    message = f"Update the gate\n\nThe paint is new.\n\n{about}\n- Oil it."
    assert reverted(ledger("Lock it", message)) == {0: about}
