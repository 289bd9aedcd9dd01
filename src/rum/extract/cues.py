"""The words by which a passage gives away what it tells, each with its weight, by kind."""

from __future__ import annotations

import re
from functools import cache

from rum.extract.entities import PATH, SAID_VERSION, VERSION
from rum.model.extraction import Kind

_FAILS = (
    r"(?:fail(?:s|ed|ing|ure|ures)?|breaks?|broke|broken|crash\w*|hangs?|died?|dies|killed|raise[sd]?"
    r"|throws?|threw|reject(?:s|ed)|refuse[sd]?|time[sd]? out|exhausted|stale|invalidat\w+|lost"
    r"|leak\w*|corrupt\w*|deadlock\w*|wrong|incorrect(?:ly)?|missing|logged out|overflow\w*|conflict\w*)"
)
_PARTS = (
    r"(?:functions|methods|handlers|components|tests|classes|modules|services|endpoints|models|migrations|hooks"
    r"|reducers|selectors|controllers|repositories|queries|callers|errors|exceptions|strings|messages|commits"
    r"|branches|fixtures)"
)
_PLACED = (
    r"(?:lives?|located|sits?|resides?|found|defined|kept|stored|placed|declared|registered|implemented|configured"
    r"|organi[sz]ed|structured|grouped)"
)
_PASSED = (
    r"(?:loaded|read|rendered|generated|built|created|produced|sent|served|handled|processed|comes?|goes|go)"
)
_HERE = rf"(?:{PATH}|`)"

_CUES: dict[Kind, tuple[tuple[float, str], ...]] = {
    Kind.ERROR: (
        (3, r"\b(?:root )?causes?\b(?! (?:a|the) (?:user|customer))|\bcaused by\b|\bculprit\b|\bursache\b"),
        (2, r"\b(?:that|this) (?:was|is) the reason\b|\breason (?:for|was|is)\b|\bwhich is why\b|\bhence\b"),
        (2, r"\b(?:did|does|do)(?: not|n't) (?:work|help)\b|\bmade no difference\b|\bno effect\b"),
        (2, rf"\b{_FAILS}\b.*\b(?:because|since|due to|unless)\b"),
        (2, rf"\b{_FAILS}\b(?: \w+){{0,3}}? (?:with|when|as soon as|on)\b"),
        (2, rf"\b(?:because|since|due to|so|while|whose|but)\b.*\b{_FAILS}\b"),
        (1, r"\b(?:but|so)\b.*\b(?:was|were)(?:n't| not)?\b|\b(?:wasn't|weren't|was not|were not) \w+ed\b"),
        (2, r"\b(?:triggers?|leads? to|results? in|ends? up|which means)\b"),
        (1, r"\b(?:bug|race condition|race|regression|flaky|off[- ]by[- ]one|dead ?lock)\b"),
        (1, r"\b\w+(?:Error|Exception)\b|\bE[A-Z]{4,}\b|\bstatus \d{3}\b"),
        (1, rf"\b{_FAILS}\b"),
        (1, r"\b(?:fix(?:ed|es)?|solved|resolved|mended)\b"),
    ),
    Kind.DECISION: (
        (3, r"\bdecision\b|\bdecid(?:ed|es?)\b|\bagreed (?:on|approach|to)\b|\brationale\b|\btrade-?offs?\b"),
        (3, r"\bwe (?:choose|picked|use|keep|stay|stick|go|went)\b|\bchosen?\b|\bopted\b"),
        (2, r"\b(?:instead of|rather than|in favou?r of|over (?:a|an|the)\b)"),
        (2, r"\brejected\b|\bruled out\b|\bturned down\b|\bnot worth\b|\balternatives?\b|\bwent with\b"),
        (2, r"\brecommend(?:ation|ed)?\b|\b(?:stick with|stay(?:s|ed|ing)? (?:with|on)|weigh(?:ed|ing))\b"),
        (1, r"\b(?:because|since|as|reason|so that)\b"),
    ),
    Kind.CONSTRAINT: (
        (3, r"\blimitations?\b|\bconstraints?\b|\brestrict(?:ed|ions?)\b|\bforbid(?:s|den)?\b|\bprohibit\w*"),
        (2, r"\b(?:at most|no more than|up to|max(?:imum)?|limit(?:s|ed)?|caps?|capped|quota)\b.{0,60}\d"),
        (
            2,
            r"\b(?:can ?not|can't|must not|mustn't|may not|should(?: not|n't)|never)\b"
            r"|\bnot (?:allowed|permitted|possible)\b",
        ),
        (2, r"\b(?:must|has to|have to|had to|needs? (?:to|at least)|(?:is|are) (?:required|obliged) to)\b"),
        (2, r"\b\d[\w -]{0,20} limit\b|\b(?:run|runs|ran|running) into\b|\bto make it work (?:with|on|in)\b"),
        (2, r"\bonly (?:allowed|works?|supports?|possible|permitted|if|when|with|between|has|have)\b"),
        (
            1,
            r"\b(?:doesn't|does not|don't|do not|no longer|isn't|aren't|won't) (?:\w+ )?"
            r"(?:support|allow|implement|accept|permit|maintain|provide|offer)\w*",
        ),
        (
            1,
            r"\b(?:since|because|as|if)\b.*\b(?:can't|cannot|must|w(?:on|ouldn)'t|never|needs? to|has to)\b",
        ),
        (1, r"\b(?:won't|wouldn't|doesn't|does not) \w+"),
        (1, r"\bsilently\b|\bas long as\b|\bby design\b|\bunsupported\b|\b(?:has|have) no\b|\bno outbound\b"),
    ),
    Kind.DEPENDENCY: (
        (
            3,
            r"\b(?:requires?|needs?|depends? on|built (?:with|on)|runs? on|pinned|(?:in)?compatible with"
            rf"|supports?|targets?|stays? at|peer dependenc\w+)\b[^.;]{{0,80}}(?:{SAID_VERSION})",
        ),
        (
            3,
            rf"(?:{VERSION}) (?:or (?:newer|later|higher|above) )?(?:is|are) (?:required|needed|mandatory)\b",
        ),
        (2, rf"(?:{VERSION})(?: \(?or (?:newer|later|higher|above)|\+)"),
        (2, r"\b(?:peer )?dependenc(?:y|ies)\b|\bpinned\b|\bincompatible\b|\bdeprecated\b|\bunmaintained\b"),
        (1.5, VERSION),
        (1, r"\b(?:upgrad\w+|downgrad\w+|version|packaged|library|libraries|runtime|no longer maintained)\b"),
    ),
    Kind.PATTERN: (
        (
            3,
            r"\b(?:conventions?|idiom(?:s|atic)?|naming scheme|house style|preferred (?:style|way))\b",
        ),
        (
            3,
            r"\bfollows? (?:the|this|that|a)(?: same)? (?:pattern|convention|style|form|format|structure)\b"
            r"|\bsame pattern\b",
        ),
        (
            2,
            r"\b(?:throughout|across|everywhere in) (?:the|this|our) "
            r"(?:code ?base|code|repo\w*|project|tests?)\b|\bin this (?:code ?base|repo\w*|project)\b",
        ),
        (
            2,
            r"\b(?:all|every|each|any) [\w -]{2,40}? (?:are|is|uses?|returns?|goes|go|follows?|must|has|have"
            r"|needs?|extends?|takes?|come|gets?)\b",
        ),
        (2, r"\b(?:always|never)\b"),
        (
            2,
            rf"\b{_PARTS} (?:are|use|return|take|go|come|have|must|never|always|don't|inherit|extend|follow"
            r"|read)\b",
        ),
        (
            2,
            r"\b(?:hooks?|ci|linter|lint|pipeline|compiler|eslint|[\w-]+ plugin) "
            r"(?:rejects?|fails?|enforces?|refuses?|blocks?)\b",
        ),
        (
            1,
            r"\b(?:pattern|style|(?:in)?consistent(?:ly)?|naming|named|factor(?:y|ies)|wrapped|memoi[sz]ed)\b",
        ),
        (
            1,
            r"\b(?:are|is) (?:named|wrapped|[ps]\w+fixed|written|built|reserved|kept)\b|\buse the\b",
        ),
    ),
    Kind.STRUCTURE: (
        (3, rf"\b{_PLACED}\b[^.]{{0,40}}\b(?:in|under|at|by|inside|within|next to)\b[^.]{{0,60}}?{_HERE}"),
        (
            3,
            rf"{_HERE}`? (?:holds?|contains?|ha[sv]e?|defines?|handles?|(?:is|are) (?:where|the)|reads?)\b",
        ),
        (
            2,
            r"\b(?:project|code ?base|repo(?:sitory)?|monorepo|package|module|service|directory|folder)\b"
            r"[^.]{0,40}\b(?:structure|organi[sz]ed|structured|split|divided|arranged)\b"
            r"|\blayout\b|\bentry points?\b",
        ),
        (2, rf"\b{_PASSED}\b[^.]{{0,40}}\b(?:in|by|from|through|into|at|via|on)\b[^.]{{0,40}}?{_HERE}"),
        (1, rf"(?:{PATH}).*(?:{PATH})"),
        (
            1,
            r"\b(?:table|schema|view|column|queue|registry|route|router|handler|consumer|producer)s?\b[^.]{0,80}[`_]",
        ),
    ),
}
"""What speaks for each kind; a cue counts once in a passage."""

_HEADINGS: dict[Kind, str] = {
    Kind.ERROR: r"cause|what (?:went wrong|failed)|why it fail|problem|error|bug|diagnosis|ursache",
    Kind.DECISION: r"decision|rationale|reasons?|why|trade-?offs?|alternatives|chosen|choice|recommendation",
    Kind.CONSTRAINT: r"constraints?|limit(?:ation)?s?|caveats?|gotchas?|requirements?|restrictions?",
    Kind.DEPENDENCY: r"stack|dependenc(?:y|ies)|versions?|requirements?|tool(?:chain|ing)?|built with|tech",
    Kind.PATTERN: r"patterns?|conventions?|style|practices?|guidelines?|naming",
    Kind.STRUCTURE: (
        r"structure|layout|organi[sz]ation|organi[sz]ed|architecture|packages|modules|director(?:y|ies)"
        r"|key locations|folders|files|overview|where"
    ),
}
"""What a heading says of the passages below it."""


@cache
def cues() -> dict[Kind, list[tuple[float, re.Pattern[str]]]]:
    """Weight and pattern of every cue, by kind."""
    return {
        kind: [(weight, re.compile(cue, re.IGNORECASE)) for weight, cue in told]
        for kind, told in _CUES.items()
    }


@cache
def headings() -> dict[Kind, re.Pattern[str]]:
    """What a heading says of the passages below it, by kind."""
    return {kind: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for kind, words in _HEADINGS.items()}
