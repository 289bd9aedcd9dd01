"""Index terms: names whole and in parts, words in any form (stems as SQLite's), every script."""

from __future__ import annotations

import random
import re
import sqlite3
import sysconfig
from collections.abc import Iterable
from pathlib import Path

import pytest

from rum.text.terms import VERSION, forms_of, query_terms, stem, terms, without_other_forms


def test_the_version_is_a_number():
    assert isinstance(VERSION, int)
    assert VERSION >= 1


@pytest.mark.parametrize(
    "name", ["refreshToken", "RefreshToken", "refresh_token", "refresh-token", "REFRESH_TOKEN"]
)
def test_every_spelling_of_a_name_gives_its_whole_and_its_parts(name: str):
    assert terms(name) == ["refreshtoken", "refresh", "token"]
    assert query_terms(name) == ["refreshtoken", "refresh", "token"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HTTPServer2", "httpserver2 http server2"),
        ("parseHTTPResponse", "parsehttprespons pars http respons"),
        ("utf8Decoder", "utf8decoder utf8 decod"),
        ("__init__", "init"),
        ("user__name", "usernam user name"),
        ("URLs of APIs, userIDs", "url of api userid user id"),
        ("self.refreshToken()", "selfrefreshtoken self refreshtoken refresh token"),
        ("os.path.join", "ospathjoin os path join"),
        ("src/auth/interceptor.go", "src auth interceptorgo interceptor go"),
        (r"src\auth\api.cs", "src auth apic api cs"),
        ("get_x", "getx get"),
        ("e.g. a.b", "eg ab"),
        ("утилитыОчистки", "утилитыочистки утилитыочистк утилиты утилит очистки очистк"),
    ],
)
def test_names_are_split_at_case_and_signs_and_kept_whole(text: str, expected: str):
    assert terms(text) == expected.split()


def test_a_name_matches_with_and_without_separators():
    assert {terms(name)[0] for name in ("filename", "file_name", "fileName", "file-names")} == {"filenam"}
    assert {terms(name)[0] for name in ("Node.js", "NodeJS", "nodejs")} == {"nodej"}


@pytest.mark.parametrize(
    "whole", ["utf8", "e1234", "3f2a9bc", "m000042", "x86", "404", "01h455vb4pex5vsknk084sn02q"]
)
def test_letters_are_not_split_from_digits(whole: str):
    assert terms(whole) == [whole]
    assert terms(whole.upper()) == [whole]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.2.3", ["123"]),
        ("v1.20.3", ["v1203", "v1", "20"]),
        ("2024-01-15", ["20240115", "2024", "01", "15"]),
        ("404: 12", ["404", "12"]),
    ],
)
def test_versions_and_dates_are_joined_without_their_single_digits(text: str, expected: list[str]):
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C++ and c++17", ["cplusplus", "and", "cplusplus", "17"]),
        ("C#", ["csharp"]),
        ("F#, .NET 8", ["fsharp", "dotnet", "8"]),
        (".NET's", ["dotnet"]),
        ("cplusplus dotnet", ["cplusplus", "dotnet"]),
        ("i++; example.net", ["i", "examplenet", "exampl", "net"]),
    ],
)
def test_languages_named_with_signs_can_be_found(text: str, expected: list[str]):
    assert terms(text) == expected


@pytest.mark.parametrize("apostrophe", ["'", "’", "ʼ"])
def test_contractions_leave_no_stray_letters(apostrophe: str):
    text = "don't user's we'll they're I'm DON'T O'Brien".replace("'", apostrophe)
    assert terms(text) == ["dont", "user", "we", "thei", "i", "dont", "obrien", "brien"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("naïve café", "naive cafe"),
        ("cafe\u0301", "café"),
        ("Straße", "STRASSE"),
        ("Łódź Ørsted Ærø ÆRØ", "lodz orsted aero aero"),
        ("ёлка чай", "елка чаи"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("ﬁle ＡＢＣ", "file abc"),
        ("co\u00adoperate", "cooperate"),
        ("٤٠٤", "404"),
        ("ガ", "ｶﾞ"),
    ],
)
def test_spellings_that_differ_in_accents_case_or_width_are_one(one: str, other: str):
    assert terms(one) == terms(other) != []


@pytest.mark.parametrize(
    ("forms", "shared"),
    [
        ("токен токена токену токенов токенами токены", "токен"),
        ("база базы базу базе базами", "баз"),
        ("файл файла файлы файлов", "фаил"),
        ("обновление обновления обновлений обновлением", "обновлен"),
        ("новый новая новое новые нового новых", "нов"),
        ("токен токени токенів токеном", "токен"),
        ("διακομιστής διακομιστή διακομιστές", "διακομιστ"),
        ("टोकन टोकनों", "टोकन"),
        ("خادم الخادم", "خادم"),
        ("שרת השרת שרתים", "שרת"),
    ],
)
def test_common_inflections_share_a_term(forms: str, shared: str):
    for form in forms.split():
        assert shared in terms(form), form
        assert shared in query_terms(form), form


@pytest.mark.parametrize("word", ["हिन्दी", "العربية", "עברית", "თბილისი", "தமிழ்"])
def test_words_with_marks_of_their_own_stay_whole(word: str):
    assert terms(word)[0] == word


@pytest.mark.parametrize(
    ("text", "indexed", "asked"),
    [
        ("刷新令牌", "刷 新 令 牌 刷新 新令 令牌", "刷新 新令 令牌"),
        ("トークン", "ト ー ク ン トー ーク クン", "トー ーク クン"),
        ("토큰을", "토 큰 을 토큰 큰을", "토큰 큰을"),
        ("ที่นี่", "ที่ นี่ ที่นี่", "ที่นี่"),
        ("错", "错", "错"),
        ("用redis缓存", "用 redi 缓 存 缓存", "用 redi 缓存"),
        ("пароль密码", "пароль парол 密 码 密码", "пароль парол 密码"),
    ],
)
def test_scripts_without_spaces_are_indexed_by_characters_and_searched_by_pairs(
    text: str, indexed: str, asked: str
):
    assert terms(text) == indexed.split()
    assert query_terms(text) == asked.split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("🎉", ["u1f389"]),
        ("👍🏽 ❤️", ["u1f44d", "u2764"]),
        ("👨‍💻", ["u1f468", "u1f4bb"]),
        ("done✓", ["done", "u2713"]),
        ("──────", ["u2500"]),
    ],
)
def test_symbols_become_terms_without_skin_tone_or_joiners(text: str, expected: list[str]):
    assert terms(text) == expected


def test_words_are_kept_in_order_and_as_often_as_they_occur():
    assert terms("Retry the retry") == ["retri", "the", "retri"]


def test_long_data_is_cut():
    base64 = "QUJDREVGRw" * 1000
    assert len(terms(base64)) < 10
    assert max(map(len, terms(base64))) == 64
    assert terms(f"before {base64} after")[-1] == "after"


def test_a_question_leaves_out_stop_words_and_opening_phrases():
    assert query_terms("Can you please tell me why the login was failing?") == ["login", "fail"]
    assert query_terms("How do I fix this? It doesn't build") == ["fix", "build"]
    assert query_terms("do you remember the retry queue") == ["retri", "queue"]
    assert query_terms("Remember me checkbox") == ["rememb", "checkbox"]


@pytest.mark.parametrize(
    ("text", "expected"), [("who am I", ["who", "am", "i"]), ("to be", ["to", "be"]), ("", [])]
)
def test_a_question_of_stop_words_alone_keeps_them(text: str, expected: list[str]):
    assert query_terms(text) == expected


def test_a_question_gives_each_term_once_up_to_the_limit():
    assert query_terms("retry Retry retries") == ["retri"]
    assert query_terms(" ".join(f"word{n}" for n in range(500)), most=3) == ["word0", "word1", "word2"]
    assert len(query_terms(" ".join(f"word{n}" for n in range(500)))) == 64


def test_only_the_start_of_a_very_long_query_is_read_without_cutting_a_word():
    text = "padding " * 511 + "interesting"  # the reading ends inside the last word
    assert query_terms(text + " tail") == ["pad"]
    assert query_terms("错误" * 10_000) == ["错误", "误错"]


SUFFIXES = """
ational tional enci anci izer logi bli alli entli eli ousli ization ation ator alism iveness fulness ousness
aliti iviti biliti ical ness icate iciti ful ative alize al ance ence er ic able ible ant ement ment ent ion
ou ism ate iti ous ive ize eed ed ing s es ies sses y e ll
"""


def differences(words: Iterable[str]) -> list[tuple[str, str, str]]:
    """Every word that SQLite stems otherwise: the word, our stem, SQLite's."""
    listed = sorted(words)
    with sqlite3.connect(":memory:") as db:
        db.execute("CREATE VIRTUAL TABLE word USING fts5(text, tokenize='porter ascii')")
        db.execute("CREATE VIRTUAL TABLE stemmed USING fts5vocab(word, instance)")
        db.executemany("INSERT INTO word(rowid, text) VALUES (?, ?)", enumerate(listed))
        found = dict(db.execute("SELECT doc, term FROM stemmed").fetchall())
    db.close()
    assert len(found) == len(listed)
    return [(w, stem(w), found[row]) for row, w in enumerate(listed) if stem(w) != found[row]]


def test_every_word_of_the_standard_library_is_stemmed_as_sqlite_does():
    words: set[str] = set()
    for source in Path(sysconfig.get_paths()["stdlib"]).glob("*.py"):
        words.update(re.findall("[a-z]+", source.read_text("utf-8", "replace").lower()))
    assert len(words) > 10_000
    assert differences(words) == []


def test_words_made_of_random_letters_and_real_suffixes_are_stemmed_as_sqlite_does():
    draw = random.Random(7)
    roots = ("".join(draw.choices("aeiouybcdlstxw", k=draw.randint(1, 6))) for _ in range(40_000))
    suffixes = SUFFIXES.split()
    assert differences({root + draw.choice(suffixes) + draw.choice(["", *suffixes]) for root in roots}) == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("connect connects connected connecting connection connections", "connect"),
        ("token tokens", "token"),
        ("retry retries retried", "retri"),
        ("cache caches cached caching", "cach"),
    ],
)
def test_forms_of_one_word_share_a_stem(words: str, expected: str):
    assert {stem(word) for word in words.split()} == {expected}


@pytest.mark.parametrize("word", ["", "a", "is", "as", "s" * 65, "ing" * 30])
def test_very_short_and_very_long_words_are_unchanged(word: str):
    assert stem(word) == word


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("buy", "bought"),
        ("children", "child"),
        ("overwritten", "overwrite"),
        ("losing", "lost"),
        ("ran", "runs"),
    ],
)
def test_the_forms_of_an_irregular_word_belong_together(one: str, other: str):
    assert stem(other) in forms_of(stem(one))
    assert forms_of(stem(one)) == forms_of(stem(other))


def test_other_words_have_one_form():
    assert forms_of("pool") == ("pool",)
    assert forms_of(stem("bounds")) == ("bound",)
    assert forms_of("left") == ("left",)


def test_of_several_forms_of_a_word_the_first_stays():
    assert without_other_forms(terms("bought car buy")) == ["bought", "car"]
