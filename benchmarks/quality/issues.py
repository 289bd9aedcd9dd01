"""Issues: bug reports of SWE-bench, and the commits that fixed them among others of the same years."""

from __future__ import annotations

import random
import re
import subprocess

from benchmarks.quality.cases import NOTHING, Case, Question, as_piece
from benchmarks.quality.history import SHORT, read

PULL = re.compile(r"^Merge (?:pull request|PR) #(\d+)|\(#(\d+)\)\s*$")
SIZES = (5, 8, 13, 21, 34, 55)  # Of young stores
STORES, ASKED = 36, 8
FEWEST_WORDS, MOST_TEXT, MOST_FIXES = 3, 6_000, 20
SEED = 5


def case(name: str, git_dir: str, tasks_dir: str, size: int, most: int) -> Case:
    """A store of `size` commits; each issue is asked for by its title and by its whole report.

    `tasks_dir` is a git directory of github.com/SWE-bench/swe-bench-tasks, `name` as in `psf__requests`.
    """
    reports, pulls = _reports(tasks_dir, name), _pulls(git_dir)
    commits = {commit.sha: commit for commit in read(git_dir)}
    chance = random.Random(SEED)
    numbers = sorted(reports.keys() & pulls.keys())
    chance.shuffle(numbers)
    questions: list[Question] = []
    for number in numbers[:most]:
        sha, *parents = pulls[number]
        shas = [sha]
        if len(parents) > 1:
            shas = _git(git_dir, "rev-list", "--no-merges", f"{parents[0]}..{parents[1]}").split()
        fixes = frozenset(one[:SHORT] for one in shas if one[:SHORT] in commits)
        title = reports[number].partition("\n")[0].strip()
        if 0 < len(fixes) <= MOST_FIXES and len(title.split()) >= FEWEST_WORDS:
            questions.append(Question("title", title, fixes))
            questions.append(Question("report", reports[number][:MOST_TEXT], fixes))
    wanted = frozenset[str]().union(*(one.answers for one in questions))
    places = [place for place, sha in enumerate(commits) if sha in wanted]
    others = [sha for sha in list(commits)[places[0] : places[-1]] if sha not in wanted]
    kept = wanted.union(chance.sample(others, min(len(others), max(0, size - len(wanted)))))
    return Case(name, [as_piece(one) for sha, one in commits.items() if sha in kept], questions, [])


def young(whole: Case, kind: str = "title") -> list[Case]:
    """Stores of a few commits; half of the titles, or reports, can be answered from them."""
    chance = random.Random(f"{SEED}{whole.name}")
    asked = [one for one in whole.questions if one.kind == kind]
    stores: list[Case] = []
    for at in range(STORES):
        chosen = chance.sample(asked, ASKED)
        size = SIZES[at % len(SIZES)]
        kept = {chance.choice(sorted(one.answers)) for one in chosen[: ASKED // 2]}
        about = frozenset[str]().union(*(one.answers for one in chosen))
        kept.update(
            chance.sample([one.key for one in whole.pieces if one.key not in about], size - len(kept))
        )
        questions = [one._replace(answers=one.answers & kept) for one in chosen]
        questions = [one if one.answers else one._replace(kind=NOTHING) for one in questions]
        pieces = [one for one in whole.pieces if one.key in kept]
        stores.append(Case(f"{whole.name}-{at}", pieces, questions, [], whole.source))
    return stores


def _reports(tasks_dir: str, name: str) -> dict[int, str]:
    """What was reported, by the number of the pull request that fixed it."""
    listed = _git(tasks_dir, "ls-tree", "--name-only", "HEAD", "tasks/").split()
    tasks = [path for path in listed if path.rpartition("-")[0] == f"tasks/{name}"]
    return {
        int(path.rpartition("-")[2]): _git(tasks_dir, "show", f"HEAD:{path}/problem_statement.md").strip()
        for path in tasks
    }


def _pulls(git_dir: str) -> dict[int, list[str]]:
    """The commit that brought each pull request, with its parents."""
    found: dict[int, list[str]] = {}
    for line in _git(git_dir, "log", "--format=%H %P%x1f%s").split("\n"):
        shas, _, subject = line.partition("\x1f")
        if number := PULL.search(subject):
            found.setdefault(int(number[1] or number[2]), shas.split())
    return found


def _git(git_dir: str, *command: str) -> str:
    result = subprocess.run(["git", "-C", git_dir, *command], capture_output=True, check=True)
    return result.stdout.decode(errors="replace")
