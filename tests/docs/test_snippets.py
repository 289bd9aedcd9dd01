"""The tools that test documents: what they find and run, and that they report a wrong document."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from docs.links import broken_links
from docs.running import agrees, complaints, steps
from docs.snippets import BadDocumentError, parse, snippets

pytestmark = pytest.mark.skipif(
    os.name == "nt" or not shutil.which("bash"), reason="documents are run by bash"
)


def run_document(markdown: str, scratch: Path) -> list[str]:
    return complaints(snippets(markdown), scratch)


def test_a_correct_document_gives_no_complaints(tmp_path: Path):
    assert run_document("```console\n$ echo hello\nhello\n$ true\n```\n", tmp_path) == []


@pytest.mark.parametrize(
    "markdown",
    [
        "```console\n$ echo hello\ngoodbye\n```\n",
        "```console\n$ echo hello\nhello\nand more\n```\n",
        "```console\n$ printf 'one\\ntwo\\n'\none\n```\n",
        "```console\n$ no-such-command\n```\n",
        "```console\n$ false\n```\n",
        "```console\n$ exit 0\n$ echo reached\n```\n",
        "```bash\nfalse\ntrue\n```\n",
        "```python\nraise SystemExit(3)\n```\n",
        "```python\nimport no_such_module\n```\n",
        "- a list\n\n  ```console\n  $ false\n  ```\n",
        "~~~~bash\nfalse\n~~~~\n",
    ],
)
def test_a_wrong_document_is_reported(markdown: str, tmp_path: Path):
    assert run_document(markdown, tmp_path)


@pytest.mark.parametrize(
    "text", ["```json\n{'a': 1}\n```\n", '```json\n{"a": ...}\n```\n', "```toml\na = \n```\n"]
)
def test_data_that_does_not_parse_is_reported(text: str):
    (snippet,) = snippets(text)
    with pytest.raises(ValueError, match=r".+"):
        parse(snippet)


@pytest.mark.parametrize(
    "markdown",
    [
        "```\n$ rum --version\n```\n",
        "```shell\nrum --version\n```\n",
        "```console\n$ true\n",
        "<!-- not run: needs a network -->\n\n```console\n$ false\n```\n",
        "<!-- not run: nothing below -->\n",
    ],
)
def test_a_snippet_that_would_silently_not_be_tested_is_refused(markdown: str):
    with pytest.raises(BadDocumentError):
        snippets(markdown)


def test_output_without_a_command_is_refused(tmp_path: Path):
    (snippet,) = snippets("```console\nrum --version\n```\n")
    with pytest.raises(BadDocumentError):
        steps(snippet, tmp_path)


def test_a_snippet_with_a_reason_directly_above_it_is_not_run(tmp_path: Path):
    markdown = "<!-- not run: installs from a registry -->\n```console\n$ false\n```\n"
    assert run_document(markdown, tmp_path) == []


def test_a_comment_without_a_reason_excuses_nothing(tmp_path: Path):
    assert run_document("<!-- not run: -->\n```console\n$ false\n```\n", tmp_path)


def test_blocks_of_one_document_share_folder_and_variables(tmp_path: Path):
    markdown = (
        "```console\n$ mkdir inner && cd inner && export WORD=shared\n```\n"
        "```python\nopen('made.txt', 'w').write('by python')\n```\n"
        "```bash\ntest $WORD = shared\n```\n"
        "```console\n$ cat made.txt\nby python\n```\n"
    )
    assert run_document(markdown, tmp_path) == []


def test_commands_of_several_lines_are_run_as_one(tmp_path: Path):
    markdown = (
        "```console\n$ cat <<'EOF'\n> one\n> two\n> EOF\none\ntwo\n$ echo a \\\n>   b\na b\n"
        "$ cat <<'EOF'\nbare\nEOF\nbare\n$ echo 'x\ny'\nx\ny\n```\n"
        "```bash\nfor n in 1 2; do\n  echo $n\ndone\n```\n"
    )
    assert run_document(markdown, tmp_path) == []


def test_a_failure_is_allowed_where_its_exit_code_is_shown(tmp_path: Path):
    assert run_document("```console\n$ (exit 3)\n$ echo $?\n3\n```\n", tmp_path) == []


def test_a_failure_with_another_exit_code_than_shown_is_reported(tmp_path: Path):
    assert run_document("```console\n$ (exit 3)\n$ echo $?\n2\n```\n", tmp_path)


def test_documents_run_in_their_own_home_folder(tmp_path: Path):
    markdown = '```bash\ntest "$HOME" = "$(dirname "$PWD")/home"\ntest "$RUM_HOME" = "$HOME/.rum"\n```\n'
    assert run_document(markdown, tmp_path) == []


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("mem_01kbh3m2x5f0vt9q8zr4w6y7ae", "mem_01kbh9zzzzf0vt9q8zr4w6y7zz"),
        ("stored mem_01kbh...", "stored mem_01kbh9zzzzf0vt9q8zr4w6y7zz"),
        ('{"stored_at": 1763240000}', '{"stored_at": 1799999999}'),
        ("at 2026-01-02 03:04", "at 2027-11-12 13:14"),
        ("took 12 ms", "took 1.5 ms"),
        ("3 minutes ago", "just now"),
        ("commit 1a2b3c4", "commit 99e0f1a"),
        ("a  wide    table", "a wide table"),
        ("first\n...\nlast", "first\n2\n3\nlast"),
        ("some ... words", "some other words"),
    ],
)
def test_ids_times_durations_and_dots_may_differ(shown: str, printed: str):
    assert agrees(shown.splitlines(), printed)


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("3 memories", "4 memories"),
        ("mem_01kbh...", "agent_01kbh9zzzzf0vt9q8zr4w6y7zz"),
        ("a\n...\nb", "a\nc"),
        ("ok", ""),
    ],
)
def test_any_other_difference_is_reported(shown: str, printed: str):
    assert not agrees(shown.splitlines(), printed)


def test_links_to_files_and_headings_are_followed(tmp_path: Path):
    (tmp_path / "guide.md").write_text("# The `first` step\n\n```text\n# no heading\n```\n# Twice\n# Twice\n")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](guide.md) [b](guide.md#the-first-step) [c](guide.md#twice-1) "
        "[d](https://example.com/x) `[e](gone)`\n"
    )
    assert broken_links(page, tmp_path) == []


@pytest.mark.parametrize(
    "link", ["gone.md", "page.md#gone", "#no-heading", "guide.md#no-heading", "../outside.md", "/absolute.md"]
)
def test_a_broken_link_is_reported(link: str, tmp_path: Path):
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside.md").write_text("# Outside\n")
    (root / "guide.md").write_text("```text\n# No heading\n```\n")
    page = root / "page.md"
    page.write_text(f"# Page\n\n[text]({link})\n")
    assert broken_links(page, root) == [link]
    page.write_text(f"# Page\n\n[text][1]\n\n[1]: {link}\n")
    assert broken_links(page, root) == [link]
