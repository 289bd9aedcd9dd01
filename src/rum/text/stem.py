"""The Porter stemmer, step for step as SQLite's `porter` tokenizer runs it: connected -> connect."""

from __future__ import annotations

from functools import lru_cache

_SHAPE = str.maketrans("aeioubcdfghjklmnpqrstvwxz", "v" * 5 + "c" * 20)

# Suffixes and what replaces them, by the suffix's last letter but one; the first that fits decides.
_STEP_2 = {
    "a": (("ational", "ate"), ("tional", "tion")),
    "c": (("enci", "ence"), ("anci", "ance")),
    "e": (("izer", "ize"),),
    "g": (("logi", "log"),),
    "l": (("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous")),
    "o": (("ization", "ize"), ("ation", "ate"), ("ator", "ate")),
    "s": (("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous")),
    "t": (("aliti", "al"), ("iviti", "ive"), ("biliti", "ble")),
}
_STEP_3 = {
    "a": (("ical", "ic"),),
    "s": (("ness", ""),),
    "t": (("icate", "ic"), ("iciti", "ic")),
    "u": (("ful", ""),),
    "v": (("ative", ""),),
    "z": (("alize", "al"),),
}
_STEP_4 = {
    "a": ("al",),
    "c": ("ance", "ence"),
    "e": ("er",),
    "i": ("ic",),
    "l": ("able", "ible"),
    "n": ("ant", "ement", "ment", "ent"),
    "o": ("ion", "ou"),
    "s": ("ism",),
    "t": ("ate", "iti"),
    "u": ("ous",),
    "v": ("ive",),
    "z": ("ize",),
}


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The stem of an English word given in lower-case ASCII; words of 1, 2 or over 64 letters stay."""
    if not 3 <= len(word) <= 64:
        return word
    word = _plural(word)
    word = _past(word)
    if word[-1] == "y" and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(_replaced(word, _STEP_2), _STEP_3)
    return _tidied(_derived(word))


def _shape(stem: str) -> str:
    """The word as c for each consonant and v for each vowel; a y after a consonant is a vowel."""
    shape = stem.translate(_SHAPE)
    if "y" in shape:
        before = "v"
        for at, letter in enumerate(shape):
            before = letter if letter != "y" else "c" if before == "v" else "v"
            if letter == "y":
                shape = f"{shape[:at]}{before}{shape[at + 1 :]}"
    return shape


def _measure(stem: str) -> int:
    """How many times a vowel is followed by a consonant."""
    return _shape(stem).count("vc")


def _has_vowel(stem: str) -> bool:
    # Unlike _shape, every y but a first letter counts here: so SQLite has it.
    return not set("aeiou").isdisjoint(stem) or "y" in stem[1:]


def _ends_short(stem: str) -> bool:
    """Ends consonant, vowel, consonant, the last not w, x or y (hop, but not how)."""
    return _shape(stem).endswith("cvc") and stem[-1] not in "wxy"


def _plural(word: str) -> str:
    """Step 1a: caresses -> caress, ponies -> poni, cats -> cat."""
    if word[-1] != "s" or word[-2] == "s":
        return word
    if word[-2] == "e" and ((len(word) > 4 and word[-4:-2] == "ss") or (len(word) > 3 and word[-3] == "i")):
        return word[:-2]
    return word[:-1]


def _past(word: str) -> str:
    """Step 1b: agreed -> agree, hopped -> hop, filing -> file."""
    if word.endswith("eed") and len(word) > 3:
        return word[:-1] if _measure(word[:-3]) else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and len(word) > len(suffix):
            rest = word[: -len(suffix)]
            return _restored(rest) if _has_vowel(rest) else word
    return word


def _restored(rest: str) -> str:
    """What a verb was before -ed or -ing: conflat -> conflate, hopp -> hop, fil -> file."""
    if len(rest) > 2 and rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    last = rest[-1]
    if last not in "aeioulsz" and rest[-2:-1] == last:
        return rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _ends_short(rest) else rest


def _replaced(word: str, step: dict[str, tuple[tuple[str, str], ...]]) -> str:
    for suffix, instead in step.get(word[-2:-1], ()):
        if word.endswith(suffix) and len(word) > len(suffix):
            rest = word[: -len(suffix)]
            return rest + instead if _measure(rest) else word
    return word


def _derived(word: str) -> str:
    """Step 4: adjustment -> adjust, adoption -> adopt."""
    for suffix in _STEP_4.get(word[-2:-1], ()):
        if word.endswith(suffix) and len(word) > len(suffix):
            rest = word[: -len(suffix)]
            fits = _measure(rest) > 1 and (suffix != "ion" or rest[-1] in "st")
            return rest if fits else word
    return word


def _tidied(word: str) -> str:
    """Step 5: rate stays, cease -> ceas, controll -> control."""
    if word[-1] == "e":
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _ends_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
