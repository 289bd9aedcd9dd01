"""Which patterns match a text, and how closely."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.text.patterns import (
    ALL_WORDS,
    LITERAL,
    SOME_WORDS,
    WILDCARD,
    Text,
    best,
    compiled,
    content_words,
    pattern_error,
)


def kind(pattern: str, *texts: str) -> str | None:
    found = best([compiled(pattern)], Text(*texts))
    return found.kind if found else None


@pytest.mark.parametrize(
    ("pattern", "matches", "does_not"),
    [
        ("auth|login|security", "add login page", "add user page"),
        ("implement.*auth", "implement authentication", "auth module"),
        ("When implementing security", "security features task", "database task"),
    ],
)
def test_each_kind_of_pattern_matches_what_it_should(pattern: str, matches: str, does_not: str):
    assert kind(pattern, matches)
    assert kind(pattern, does_not) is None


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("auth", "the author of it", LITERAL),  # a single word is looked for as it stands
        ("authentication", "authenticate users", None),
        ("sign up|log in", "please Log  In\nhere", LITERAL),
        ("auth|find.*file", "find the big file", WILDCARD),
        ("auth*", "auth", WILDCARD),
        ("implement*auth", "implement authentication", WILDCARD),
        ("auth.*implement", "implement auth", None),
        ("*", "anything", WILDCARD),
        ("a.c", "abc", None),  # a dot alone is a dot
        ("(a|b)", "a", None),
        ("[abc]", "a", None),
        ("^auth$", "auth", None),
        ("c++ code", "some c++ code", LITERAL),
        ("", "anything", None),
        ("|", "a|b", None),
        ("  | auth | ", "auth", LITERAL),
        ("When implementing security features", "implement security features", ALL_WORDS),
        ("When implementing security features", "features for security", SOME_WORDS),
        ("When implementing security features", "a feature", None),
        ("When task mentions authentication", "users authenticate", ALL_WORDS),
        ("When the task mentions rate limits", "limit the rate of calls", ALL_WORDS),
        ("if the user asks for dark mode", "DARK MODE", ALL_WORDS),
        ("Use this when working on the refreshToken", "refresh a token", ALL_WORDS),
        ("for database migrations", "migrate it", SOME_WORDS),
        ("when it is the", "when is it", None),  # nothing of it counts
        ("when it is the", "say when it is the end", LITERAL),
        ("STRASSE", "straße", LITERAL),
    ],
)
def test_the_closeness_of_a_match_follows_from_its_pattern(pattern: str, text: str, expected: str | None):
    assert kind(pattern, text) == expected


def test_only_a_wildcard_matches_across_texts():
    assert kind("implement.*auth", "implement it", "1. auth") == WILDCARD
    assert kind("it auth", "implement it", "auth") == ALL_WORDS
    assert kind("it auth|x", "implement it", "auth") is None


def test_the_closest_of_several_patterns_counts_and_the_first_of_equals():
    patterns = [compiled(one) for one in ("adding a login", "log.*page", "login|in", "page")]
    found = best(patterns, Text("add login page"))
    assert found == (LITERAL, "login|in")
    assert best([], Text("anything")) is None


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(a*)*$", "a*" * 200 + "b", "a.*" * 150 + "b", "a|" * 240 + "b", "(a|aa)+$", ".*" * 250],
)
def test_no_pattern_takes_long_on_a_long_text(pattern: str):
    text = Text("a" * 100_000 + "!", "a " * 50_000)
    assert kind(pattern, text.lower) in (None, LITERAL, WILDCARD)


def test_stop_words_are_no_content():
    assert content_words("The Authentication of the Module") == (("authent",), ("modul",))
    assert content_words("what is it") == ()


@pytest.mark.parametrize(
    ("title", "task", "share"),
    [
        ("Authentication Module Structure", "Implement the authentication module", 2 / 3),
        ("refreshToken handling", "refresh the token", 1 / 2),
        ("Rate-limit", "limit the rate", 1.0),
        ("OAuth2 scopes", "add oauth2", 1 / 2),
        ("токенов", "токена", 1.0),
        ("登录页面", "修复登录页面", 1.0),
        ("the", "the", 0.0),
    ],
)
def test_a_word_matches_in_any_form(title: str, task: str, share: float):
    assert Text(task).share(content_words(title)) == pytest.approx(share)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("|", "no task matches"),
        (" || | ", "no task matches"),
        ("auth||login", "an empty alternative"),
        ("auth|", "an empty alternative"),
        ("| auth", "an empty alternative"),
        ("when it is for the", "only stop words"),
        ("if the task is about", "only stop words"),
        ("(auth|login)", "not a regular expression"),
        (r"\bauth\b", r"`\b`"),
        (r"auth\b", r"`\b`"),
        (r"v\d+", r"`\d+`"),
        ("(?:auth)", "`(?:`"),
        ("implement.+auth", "`.+`"),
        ("^auth", "`^`"),
        ("auth$", "`$`"),
        ("[a-z]uth", "`[a-z]`"),
        ("tests?", "`tests?`"),
        ("hue|colou?r", "`colou?`"),
    ],
)
def test_a_misleading_pattern_is_reported(pattern: str, said: str):
    assert said in (pattern_error(pattern) or "")


@pytest.mark.parametrize(
    "pattern",
    [
        "auth|login|security",
        "implement.*auth",
        "When implementing security features",
        "why does the build fail?",
        "C++",
        r"src\bin\main.py",
        "app/[slug]/page.tsx",
        "main()",
        "a.b.c",
        "$HOME",
        "x^2",
        "für die Anmeldung",
        "ログイン",
    ],
)
def test_a_good_pattern_is_not_reported(pattern: str):
    assert pattern_error(pattern) is None


@given(st.text(max_size=60))
def test_a_pattern_that_never_matches_is_reported(pattern: str):
    if best([compiled(pattern)], Text(pattern)) is None:
        assert pattern_error(pattern)


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("After changing src/app/ctx.py", "Edit src/app/json.py", None),
        ("After changing src/app/ctx.py", "Edit src/app/ctx.py", ALL_WORDS),
        ("After changing src/app/ctx.py", "Edit ctx.py", ALL_WORDS),
        ("After changing ctx.py", "Edit src/app/ctx.py at once", ALL_WORDS),
        ("After changing ctx.py", "Edit src/app/other_ctx.py", None),
        ("When changing src/app/ctx.py or src/app/json.py", "Mend src/app/json.py", ALL_WORDS),
        ("Cookies in src/app/ctx.py", "Rename a variable in ctx.py", SOME_WORDS),
        ("When working in src/app/", "Edit src/app/json.py", ALL_WORDS),
        ("When working in src/app/", "Edit src/other/json.py", None),
        ("Changes of the flask app", "Edit src/flask/app.py", None),
        ("When templating changes", "Edit src/flask/templating.py", SOME_WORDS),
        ("Input/output errors", "an error of output", SOME_WORDS),  # a slash alone makes no file
        ("When upgrading Node.js here", "upgrade node to 20", SOME_WORDS),
    ],
)
def test_a_pattern_that_names_a_file_matches_only_that_file(pattern: str, text: str, expected: str | None):
    assert kind(pattern, text) == expected


def test_folders_and_extensions_are_no_words():
    text = Text("Autoescape templates", files=("src/flask/templating.py", "tests/Makefile"))
    assert {"templ", "makefil"} & text.terms
    assert not {"src", "flask", "py", "test"} & text.terms
    assert best([compiled("flask/templating")], text) is not None  # as it stands it is found all the same


@given(st.text(alphabet="ab/.py~ -", max_size=200))
def test_paths_are_found_in_any_text(text: str):
    found = Text(text)
    assert all(path in text for path in found.files)
    assert best([compiled(text)], found) is None or text.strip()
