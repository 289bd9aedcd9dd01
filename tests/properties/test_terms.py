"""Properties of index terms for any text."""

import re
import sqlite3

from hypothesis import given
from hypothesis import strategies as st

from rum.text.terms import query_terms, terms

SCRIPTS = (
    "abcXYZ019 _-.'’/+#",
    "éüßøŁıÆñ ",
    "абвёйЁЖя ьы",
    "αβςΣΐώ ",
    "中文字错误令牌。，",
    "かなカナー々ｶﾞ゛",
    "한국어토큰 ",
    "ภาษาไทยที่น้ำ๑",
    "ພາສາລາວ မြန်မာ ខ្មែរ",
    "العربيةًُ ٣ عِبْرِית",
    "हिन्दीों तமிழ் ",
    "🎉👍🏽👨‍💻❤️✓─°™½ﬁ①",
    "\u0301\u200b\u200d\ufe0f\u00ad\x00\x01\x02\ud800\U000e0041\uffff\U0010ffff",
)
words = st.one_of(*(st.text(script, max_size=12) for script in SCRIPTS), st.text(max_size=12))
texts = st.one_of(
    st.lists(words, max_size=12).map("".join), st.lists(words, max_size=12).map(" ".join), st.text()
)
names = st.from_regex(r"[a-z]{2,8}(?:_[a-z]{2,8}){1,3}", fullmatch=True)


@given(texts)
def test_terms_are_short_and_contain_only_token_characters_of_sqlite(text: str):
    for term in terms(text):
        assert re.fullmatch(r"[a-z0-9\x80-\U0010ffff]{1,64}", term)
        assert not re.search(r"\s", term)
        assert term.encode("utf-8")


@given(texts)
def test_every_query_term_was_indexed(text: str):
    asked = query_terms(text)
    assert set(asked) <= set(terms(text))
    assert len(asked) == len(set(asked)) <= 64
    assert bool(asked) == bool(terms(text))


@given(texts.filter(bool), st.integers(3900, 4200))
def test_every_query_term_was_indexed_even_of_a_text_that_is_cut(text: str, size: int):
    long = (text * (size // len(text) + 1))[:size] + text
    assert set(query_terms(long, most=10_000)) <= set(terms(long))


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_text_gives_the_same_terms_next_to_other_scripts(text: str):
    assert terms(text + " é") == [*terms(text), "e"]


@given(texts, texts)
def test_separate_texts_give_the_terms_of_each(one: str, other: str):
    assert terms(f"{one} {other}") == terms(one) + terms(other)


@given(names)
def test_a_name_gives_the_same_terms_in_every_spelling(name: str):
    parts = name.split("_")
    spellings = (name, name.upper(), "-".join(parts), "".join(map(str.title, parts)))
    assert len({tuple(terms(spelling)) for spelling in spellings}) == 1
    assert set(terms(" ".join(parts))) < set(terms(name)) | {"".join(parts)}


@given(st.lists(texts, min_size=1, max_size=5))
def test_a_full_text_table_finds_each_text_by_each_of_its_terms(several: list[str]):
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE entry USING fts5(text, tokenize='ascii')")
    db.executemany(
        "INSERT INTO entry(rowid, text) VALUES (?, ?)", enumerate(" ".join(terms(t)) for t in several)
    )
    for row, text in enumerate(several):
        for term in query_terms(text):
            found = db.execute("SELECT rowid FROM entry WHERE entry MATCH ?", (f'"{term}"',)).fetchall()
            assert (row,) in found
    db.close()
