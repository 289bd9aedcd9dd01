"""The coding set is what its README says it is."""

from __future__ import annotations

import os
from collections import Counter
from itertools import product

import pytest
from benchmarks.quality import coding
from benchmarks.quality.word_overlap import content_words

KINDS = ("file", "symptom", "cause", "failure", "nothing", "words", "keywords", "typo")
MAIN = KINDS[:5]
RARE = 0.01
ROWS = coding.rows()
CORPORA, QUESTIONS = coding.load()


def test_every_question_is_complete_and_has_a_unique_id():
    for row in ROWS:
        assert set(row) - {"files"} == {"id", "repo", "kind", "fold", "question", "answers"}
        assert row["kind"] in KINDS
        assert row["fold"] in ("dev", "test")
        assert row["question"].strip() == row["question"] != ""
    assert len({row["id"] for row in ROWS}) == len({row["question"] for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_answers_of_a_question_are_commits_of_its_repository(row: dict[str, str]):
    known = {commit.sha for commit in CORPORA[row["repo"]]}
    assert set(row["answers"]) <= known
    assert len(set(row["answers"])) == len(row["answers"])
    assert bool(row["answers"]) == (row["kind"] != "nothing")


def test_files_in_questions_were_touched_in_the_history():
    for row in ROWS:
        touched = {file for commit in CORPORA[row["repo"]] for file in commit.files}
        assert set(row.get("files", [])) <= touched
        assert row["kind"] != "file" or row["files"]


def test_every_kind_has_enough_questions_and_half_are_in_each_fold():
    kinds = Counter(row["kind"] for row in ROWS)
    assert len(ROWS) >= 250
    assert min(kinds[kind] for kind in MAIN) >= 40
    folds = Counter((row["repo"], row["kind"], row["fold"]) for row in ROWS)
    for repo, kind in product(coding.REPOSITORIES, KINDS):
        assert abs(folds[repo, kind, "dev"] - folds[repo, kind, "test"]) <= 1


@pytest.mark.parametrize("repo", coding.REPOSITORIES)
def test_a_symptom_shares_no_rare_word_with_its_answers(repo: str):
    said = {commit.sha: content_words(f"{commit.text} {' '.join(commit.files)}") for commit in CORPORA[repo]}
    spread = Counter(word for words in said.values() for word in words)
    shared = {
        (row["id"], word)
        for row in ROWS
        if row["repo"] == repo and row["kind"] == "symptom"
        for sha in row["answers"]
        for word in content_words(row["question"]) & said[sha]
        if len(word) > 2 and spread[word] < RARE * len(said)
    }
    assert not shared


@pytest.mark.parametrize("repo", coding.REPOSITORIES)
def test_a_corpus_is_compact_and_ordered_and_contains_no_address(repo: str):
    commits = CORPORA[repo]
    assert 1_500 <= len(commits) <= 2_500
    assert os.path.getsize(coding.corpus_path(repo)) < 600_000
    assert len({commit.sha for commit in commits}) == len(commits)
    assert all(len(commit.sha) == 12 and commit.subject for commit in commits)
    assert not any("@" in commit.author for commit in commits)
    assert not any("signed-off-by:" in commit.body.lower() for commit in commits)


def test_the_folds_are_disjoint_and_cover_all_questions():
    _, dev = coding.load("dev")
    _, test = coding.load("test")
    for repo in coding.REPOSITORIES:
        assert not set(dev[repo]) & set(test[repo])
        assert set(dev[repo]) | set(test[repo]) == set(QUESTIONS[repo])


def test_foreign_questions_come_from_another_repository():
    for case in coding.cases():
        assert case.foreign
        assert not set(case.foreign) & set(case.questions)
