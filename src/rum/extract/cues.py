"""Cues: the words that show what kind of finding a passage is, and whether it is a plan, a step or talk.

Cues are English. Of other languages only the nouns that label the parts of reports are known, one table a
language: `OTHER_LANGUAGES`. A new cue needs a labelled run (tests/data/labelled_runs) that it improves.
"""

from __future__ import annotations

import re
from functools import cache

from rum.extract.entities import PATH, VERSION, VERSION_IN_TEXT
from rum.model.runs import FindingKind
from rum.text.terms import content_words

_FAILS = (
    r"(?:fail(?:s|ed|ing|ure|ures)?|breaks?|broke|broken|crash\w*|hangs?|died?|dies|killed|raise[sd]?"
    r"|throws?|threw|reject(?:s|ed)|refuse[sd]?|time[sd]? out|exhausted|stale|invalidat\w+|lost"
    r"|leak\w*|corrupt\w*|deadlock\w*|wrong|incorrect(?:ly)?|missing|logged out|overflow\w*|conflict\w*)"
)
_PARTS = (
    r"(?:functions|methods|handlers|components|tests|classes|modules|services|endpoints|models|migrations"
    r"|hooks"
    r"|reducers|selectors|controllers|repositories|queries|callers|errors|exceptions|strings|messages|commits"
    r"|branches|fixtures)"
)
_PLACED = (
    r"(?:lives?|located|sits?|resides?|found|defined|kept|stored|placed|declared|registered|implemented"
    r"|configured"
    r"|organi[sz]ed|structured|grouped)"
)
_PASSED = (
    r"(?:loaded|read|rendered|generated|built|created|produced|sent|served|handled|processed|comes?|goes|go)"
)
_HERE = rf"(?:{PATH}|`)"

# Weight and pattern of the cues of each kind; a cue counts once in a passage.
_CUES: dict[FindingKind, tuple[tuple[float, str], ...]] = {
    FindingKind.ERROR: (
        (3, r"\b(?:root )?causes?\b(?! (?:a|the) (?:user|customer))|\bcaused by\b|\bculprit\b"),
        (2, r"\b(?:that|this) (?:was|is) the reason\b|\breason (?:for|was|is)\b|\bwhich is why\b|\bhence\b"),
        (2, r"\b(?:did|does|do)(?: not|n't) (?:work|help)\b|\bmade no difference\b|\bno effect\b"),
        (2, rf"\b{_FAILS}\b.*\b(?:because|since|due to|unless)\b"),
        (2, rf"\b{_FAILS}\b(?: \w+){{0,3}}? (?:with|when|as soon as|on)\b"),
        (2, rf"\b(?:because|since|due to|so|while|whose|but)\b.*\b{_FAILS}\b"),
        (2, r"\b(?:triggers?|leads? to|results? in|ends? up|which means)\b"),
        (1, r"\b\w+(?:Error|Exception)\b|\bE[A-Z]{4,}\b|\bstatus \d{3}\b"),
        (1, rf"\b{_FAILS}\b"),
    ),
    FindingKind.DECISION: (
        (3, r"\bdecision\b|\bdecid(?:ed|es?)\b|\bagreed (?:on|approach|to)\b|\brationale\b|\btrade-?offs?\b"),
        (3, r"\bwe (?:choose|picked|use|keep|stay|stick|go|went)\b|\bchosen?\b|\bopted\b"),
        (2, r"\b(?:instead of|rather than|in favou?r of|over (?:a|an|the)\b)"),
        (2, r"\brejected\b|\bruled out\b|\bturned down\b|\bnot worth\b|\balternatives?\b|\bwent with\b"),
        (2, r"\brecommend(?:ation|ed)?\b|\b(?:stick with|stay(?:s|ed|ing)? (?:with|on)|weigh(?:ed|ing))\b"),
        (1, r"\b(?:because|since|as|reason|so that)\b"),
    ),
    FindingKind.CONSTRAINT: (
        (3, r"\blimitations?\b|\bconstraints?\b|\brestrict(?:ed|ions?)\b|\bforbid(?:s|den)?\b|\bprohibit\w*"),
        (2, r"\b(?:at most|no more than|up to|max(?:imum)?|limit(?:s|ed)?|caps?|capped|quota)\b.{0,60}\d"),
        (
            2,
            r"\b(?:can ?not|can't|must not|mustn't|may not|should(?: not|n't)|never)\b"
            r"|\bnot (?:allowed|permitted|possible)\b",
        ),
        (2, r"\b(?:must|has to|have to|had to|needs? (?:to|at least)|(?:is|are) (?:required|obliged) to)\b"),
        (2, r"\bonly (?:allowed|works?|supports?|possible|permitted|if|when|with|between|has|have)\b"),
        (1, r"\b(?:won't|wouldn't|doesn't|does not) \w+"),
        (1, r"\bsilently\b|\bas long as\b|\bby design\b|\bunsupported\b|\b(?:has|have) no\b|\bno outbound\b"),
    ),
    FindingKind.DEPENDENCY: (
        (
            3,
            r"\b(?:requires?|needs?|depends? on|built (?:with|on)|runs? on|pinned"
            r"|(?:in)?compatible with"
            rf"|supports?|targets?|stays? at|peer dependenc\w+)\b[^.;]{{0,80}}(?:{VERSION_IN_TEXT})",
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
    FindingKind.PATTERN: (
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
            r"\b(?:pattern|style|(?:in)?consistent(?:ly)?|naming|named|factor(?:y|ies)|wrapped"
            r"|memoi[sz]ed)\b",
        ),
    ),
    FindingKind.STRUCTURE: (
        (3, rf"\b{_PLACED}\b[^.]{{0,40}}\b(?:in|under|at|by|inside|within|next to)\b[^.]{{0,60}}?{_HERE}"),
        (
            3,
            rf"{_HERE}`? (?:holds?|contains?|ha[sv]e?|defines?|handles?|builds?|consumes?|writes?|serves?"
            rf"|renders?|loads?|(?:is|are) (?:where|the)|reads?)\b",
        ),
        (
            2,
            r"\b(?:project|code ?base|repo(?:sitory)?|monorepo|package|module|service|directory|folder)\b"
            r"[^.]{0,40}\b(?:structure|organi[sz]ed|structured|split|divided|arranged)\b"
            r"|\blayout\b|\bentry points?\b",
        ),
        (2, rf"\b{_PASSED}\b[^.]{{0,40}}\b(?:in|by|from|through|into|at|via|on)\b[^.]{{0,40}}?{_HERE}"),
        (1, rf"(?:{PATH}).*(?:{PATH})"),
    ),
}

# Nouns that label a part of a report, by language and kind; they count as much as "root cause" does.
OTHER_LANGUAGES: dict[str, dict[FindingKind, str]] = {
    "german": {
        FindingKind.ERROR: "(?:fehler)?ursache",
        FindingKind.DECISION: "entscheidung|begründung",
        FindingKind.CONSTRAINT: "einschränkung(?:en)?|beschränkung(?:en)?",
        FindingKind.DEPENDENCY: "abhängigkeit(?:en)?",
        FindingKind.PATTERN: "konvention(?:en)?",
        FindingKind.STRUCTURE: "aufbau|verzeichnisstruktur",
    },
}
_WHY_WORDS = {"german": "warum|wieso|weshalb"}
_FOREIGN_LABELS = "|".join(nouns for labels in OTHER_LANGUAGES.values() for nouns in labels.values())
_FOREIGN_WHY = "|".join(_WHY_WORDS.values())
_LABEL_WEIGHT = 3.0

# Words of headings, by the kind of the passages below them.
_HEADINGS: dict[FindingKind, str] = {
    FindingKind.ERROR: r"cause|what (?:went wrong|was wrong|failed)|why it fail|problem|error|bug|diagnosis",
    FindingKind.DECISION: (
        r"decision|rationale|reasons?|why|trade-?offs?|alternatives|chosen|choice|recommendation"
    ),
    FindingKind.CONSTRAINT: r"constraints?|limit(?:ation)?s?|caveats?|gotchas?|requirements?|restrictions?",
    FindingKind.DEPENDENCY: (
        r"stack|dependenc(?:y|ies)|versions?|requirements?|tool(?:chain|ing)?|built with|tech"
    ),
    FindingKind.PATTERN: r"patterns?|conventions?|style|practices?|guidelines?|naming",
    FindingKind.STRUCTURE: (
        r"structure|layout|organi[sz]ation|organi[sz]ed|architecture|packages|modules|director(?:y|ies)"
        r"|key locations|folders|files|overview|where"
    ),
}


@cache
def cues() -> dict[FindingKind, list[tuple[float, re.Pattern[str]]]]:
    """Weight and pattern of every cue, by kind."""
    labels = {kind: (_LABEL_WEIGHT, rf"\b(?:{_labels(kind)})\b") for kind in FindingKind}
    return {
        kind: [(weight, re.compile(cue, re.IGNORECASE)) for weight, cue in (*found, labels[kind])]
        for kind, found in _CUES.items()
    }


def _labels(kind: FindingKind) -> str:
    return "|".join(labels[kind] for labels in OTHER_LANGUAGES.values())


@cache
def headings() -> dict[FindingKind, re.Pattern[str]]:
    """The patterns of headings, by the kind of the passages below them."""
    return {
        kind: re.compile(rf"\b(?:{words}|{_labels(kind)})\b", re.IGNORECASE)
        for kind, words in _HEADINGS.items()
    }


def any_of(words: str) -> str:
    """A pattern for any of these words; an underscore is a blank."""
    return f"(?:{'|'.join(words.split()).replace('_', ' ')})"


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# The author is not sure.
HEDGE = _words(
    r"\b(?:might|maybe|perhaps|not sure|unsure|possibly|probably|presumably|seems? to|could be)\b",
    r"\b\w+ (?:guess|thinks?|suspects?)\b|\bdisagree\w*|\bunclear\b|\bno idea\b|\bas far as\b",
    # what others claim, and what would be if
    r"\b(?:according to|(?:post|article|blog|comments?|others|people|page|advisory) (?:say|claim|agree"
    r"|advise)s?)\b",
    r"\bif (?:we|it|they) (?:were|moved|switched|changed|migrated|upgraded|used)\b|\bnothing was decided\b",
)
# A reason.
CAUSAL = _words(r"\b(?:because|since|due to|so that)\b|, so \b|: (?=`?\w+`? (?:was|were|is|had)\b)")
# A plan.
PLAN = _words(
    r"^(?:next|then i|now i|let me|let's|will (?:continue|go|try|look)|todo|plan|step \d|first i)\b",
    r"^(?:continuing|trying|stepping)\b",
    r"^(?:i(?:'ll| will|'m going to| am going to| would need)|we (?:will|should|could))\b",
    r"^(?:i|we) (?:must|need to|have to) (?:first |still )?"
    r"(?:decide|discuss|agree|choose|clarify|read|look|check)\b",
    r"\b(?:i'll|i will|going to|tomorrow|after lunch|next step|later today)\b",
)
# Small talk and questions.
CHAT = _words(
    r"\?\s*$",
    r"^(?:lgtm|done|ok|okay|great|thanks|thank you|sure|hello|hi|looks good|found it)\b",
    r"^please\b(?! (?:always|never|do not|don't))",
    r"^(?:feel free|all (?:\d+ |the )?tests (?:pass|are green))\b|\blet me know\b",
    r"\bno (?:further )?(?:comments|concerns)\b",
    r"\b(?:happy|glad|pleased) to (?:help|assist|explain|go|adjust|answer)\b",
)
# A step that was taken.
STEP_TAKEN = _words(
    r"^(?:✅|☑|✔|\[x\])",
    r"^(?:[\w/.-]+: )?(?:fix|add|remove|update|rename|bump|refactor|implement|improve|clean up|simplify)\b",
    r"^(?:(?:i|we)(?: have|'ve)?(?: also| then| now| just| successfully)? "
    r"|(?:first|then|now|also|afterwards|finally),? (?:i |we )?)?"
    r"(?:added|adding|removed|renamed|changed|fixed|updated|wrote|ran|restarted|reran|rebuilt|cleared"
    r"|killed|deleted"
    r"|created|implemented|moved|bumped|committed|pushed|replaced|refactored|set|put|took|tried|marked|scaled"
    r"|checked|looked|opened|reverted|raised|stopped|explored|compared|installed|reset|printed|logged"
    r"|reloaded"
    r"|followed|kept to|made|used|wired|attempted|merged)\b",
)
# A step that changed nothing.
STEP_LOOKING = _words(
    r"^(?:(?:i|we)(?: have|'ve)?(?: also| then| now| just)? |(?:first|then|now|also|finally),? (?:i |we )?)?"
    r"(?:looked|ran|reran|checked|opened|read|explored|compared|printed|logged|reloaded|restarted|rebuilt"
    r"|started)\b",
)
# What the user asked for in this task.
REQUEST = _words(
    r"\bthe (?:user|customer|ticket|task|reviewer|prompt)(?: has)?(?: also| just| explicitly| clearly)?"
    r" (?:asked|asks|wants|wanted|says|said|wrote|requested|demands|demanded|told (?:me|us)|instructed)\b",
    r"^you(?:'ve| have)?(?: also| just| explicitly)? (?:asked|wanted|said|wrote|requested|told (?:me|us))\b",
    r"^as (?:requested|asked|instructed|specified|you (?:asked|said|wanted))\b",
)
_LANGUAGE = (
    r"(?:function|variable|class|method|constant|string|loop|pointer|array|argument|parameter|closure"
    r"|coroutine"
    r"|decorator|exception|generator|integer|promise|struct|tuple|keyword|identifier|statement|expression"
    r"|bracket|brace|semicolon)"
)
# A rule of a programming language, which holds in every project.
LANGUAGE_RULE = _words(
    rf"^(?:in [\w+#.-]+,? )?(?P<rule>(?:an? {_LANGUAGE}|(?:all |any )?{_LANGUAGE}(?:e?s)|every {_LANGUAGE})"
    r" (?:must|cannot|can't|can only|have to|has to|needs? to)\b.*)"
)
# An announcement of a finding.
FINDING_INTRO = _words(
    r"\b(?:found it|(?:root )?cause found|turn(?:s|ed) out|by the way|important)\b",
    r"\b(?:worth knowing|gotcha|caveat)\b",
    r"\bi (?:noticed|found|learned|discovered|reali[sz]ed) that\b",
    r"\bnote(?: on \w+)?(?: for\b|:)|\bfor the record\b|\bwhat i found\b|\bheads[- ]up\b",
)
# The beginning of a sentence before the finding itself; removed before other patterns are tried.
LEAD_IN = _words(
    r"^(?:(?:(?:root )?cause|reason|decision|agreed approach|rationale|notes?|finding|lesson|learned"
    r"|(?:important )?limitation|constraint|conclusion|recommendation|attempt|fix|(?:the )?layout"
    rf"|convention(?: here)?|gotcha|caveat|summary|important|{_FOREIGN_LABELS})\s*:\s*"
    r"|(?:by the way|so|also|however|important|(?:please )?note that|(?:it )?turns out(?: that)?|found it[.:]"
    r"|i (?:noticed|found(?: out)?|learned|discovered|reali[sz]ed) that),?\s+"
    r"|(?:done|fixed|solved|works)(?: it| now)?[,:.;-]+\s+"
    r"|[^.:;]{0,60}\b(?:noticed|learned|found|note|mention|highlight|remember|aware|know)\b[^.:;]{0,40}:\s+)+"
)
_NOUNS = (
    r"(?:things?|conventions?|rules?|notes?|points?|remarks?|findings?|facts?|gotchas?|lessons?"
    r"|observations?|details?|learnings|takeaways?|quirks?|caveats?|surprises?|tips?|pitfalls?|constraints?"
    r"|reminders?)"
)
# Words that announce statements and state nothing themselves, as a heading or before a colon.
ANNOUNCES = _words(
    r"^(?:here(?:['’]s| is| are)\b|what (?:i|we)\b|keep in mind\b|(?:to )?remember\b|worth\b|so you know\b)",
    r"^(?:good|nice|useful|important) to (?:know|remember|note)\b",
    r"^for (?:the )?(?:future|next|record|reference)\b",
    r"^(?:a (?:few|couple of)|an?|some|several|one|two|three|four|five|\d+|other|another|more|key|main"
    rf"|important|useful|the following|these|my|our|the)?\b ?(?:\w+ )?{_NOUNS}\b"
    r"(?: (?:i|we|you|for|about|on|to|worth|from|in|of|that|learned|found|noticed|here|below|along|when"
    r"|while)\b|$)",
    r"^not (?:solved|done|fixed|finished) yet\b|\b(?:reason|cause) is clear$",
    r"^(?:does|did)(?: not|n['’]t) work$",
)
_LABEL = re.compile(r"^(?P<label>[^.:;]{1,90}?)(?::| [—–]) +(?=\S)")
_SHORT_LABEL = 2  # Words of a label that is left out if it names nothing


def without_lead_in(text: str) -> str:
    """A sentence without the words before its statement: "One thing to know: ..."."""
    plain = LEAD_IN.sub("", text)
    label = _LABEL.match(plain)
    if label is None:
        return plain
    words = label["label"].strip("*_ ")
    is_short = len(words.split()) <= _SHORT_LABEL and words.replace(" ", "").isalpha()
    return plain[label.end() :] if is_short or ANNOUNCES.search(words) else plain


# A task that asks for a cause.
ASKS_CAUSE = _words(
    r"\b(?:why|cause|fix\w*|debug\w*|investigat\w+|find out|fail\w*|hang\w*|broken?|crash\w*|killed)\b",
    rf"\b(?:wrong|logged out|random|leak\w*|slow\w*|gets? (?:\w+ )?errors?|takes \d+|grows|off by"
    rf"|differ\w*|are missing|twice|lag|shifted|stuck|dies|rejected|lost|doesn'?t|does not|{_FOREIGN_WHY})\b",
)
# A heading above changes or plans: the version history has these too.
CHANGE_HEADING = _words(
    r"\bfiles? (?:created|changed|modified|added|touched|updated)",
    r"\bchange(?:s|d|log)\b|\bwhat(?:'s| was| has| have)\b(?! (?:wrong|broken|missing|the))|\bimplemented\b",
    r"^(?:new |key )?features\b|\bnew \w+$",
    r"\btest(?:s|ing|ed)?\b|\bresults?\b|\bnext steps?\b|\bhighlights\b|\bachievements?\b|\bstatus\b",
    r"\bverif\w+|\bto-?dos?\b|\bplan\b|\bchecklist\b|\bcompleted?\b|\bfollow-?ups?\b",
)
# A heading above findings.
LESSON_HEADING = _words(
    r"\b(?:notes?|findings?|lessons?|learn(?:ed|ings?)|gotchas?|caveats?|discover(?:y|ies|ed)|insights?)\b",
    r"\b(?:observations?|remarks?|takeaways?|worth knowing|key points|background|how \w+ works?)\b",
)


_CUE_WORDS = frozenset(content_words("must always never need require only avoid"))
_MIN_WORDS = 3  # Content words of a statement besides its cue words: with fewer it applies to anything
_MAX_STATEMENT = 500


# A necessity, an impossibility, or a limitation.
_MUST = _words(
    r"\b(?:must(?: not|n't)?|(?:has|have|needs?) to|(?:is|are) (?:required|forbidden|(?:not )?allowed) to)\b",
    r"\b(?:can ?not|can't|may not|won't|will not) (?:be )?\w+",
    r"\b(?:is|are)(?: not|n't) (?:allowed|permitted|possible|supported)\b|\bnot supported\b",
    r"\b(?:requires?|needs?|depends? on|expects?) (?:a|an|the|at least|exactly|both|one|two|three|\d)\b",
    r"\b(?:needs?|requires?) \w+ (?:in|on|to|for|before|after|with)\b",
    r"(?<! is)(?<!are)(?<!was)(?<!were) only (?:[a-z]{3,}s [a-z]{3,}|work|accept|support|allow|run|read)\b",
    r"\b(?:works?|is|are|can|may|be) only\b|\b(?:is|are|can|may) \w+ only\b",
    r"\b(?:is|are) only (?:\w+ed|valid|visible|possible|available|safe|sent|read|kept|run|built)\b",
    r"\b(?:at most|at least|no more than|no fewer than|not more than)\b.*\b(?:may|can|are|is|per|at)\b",
    r"\b(?:is|are|be|gets?|may|must|can|should) never\b|\bnever gets?\b",
)
# An instruction.
_DO = _words(
    r"^(?:please )?(?:always|never|do not|don't) \w{2,}", r"^avoid \w.*(?:,|\bbecause\b|\bsince\b|\bor\b)"
)
# Something always or never happens.
_EVER = _words(
    r"^(?:the |all |our |any |every )?[\w/.`-]+(?: [\w/.`-]+){0,3} (?:always|never) [a-z]+\b",
    r", never (?:through|by|from|in|with|via|to|at|on|directly)\b",
)
_WRONG = (
    r"(?:fails?|breaks?|hangs?|crash(?:es)?|leaks?|dies|times? out|drops?|loses?|rejects?|ignores?|corrupts?"
    r"|(?:is|are|gets?|stays?|runs?) (?:\w+ )?(?:slow|lost|wrong|empty|stale|broken|missing|ignored|dropped"
    r"|rejected|truncated|duplicated|skipped|flaky)"
    r"|takes? (?:\w+ )?(?:hours|minutes|seconds|ages|forever|long))"
)
# Something regularly goes wrong, for a reason.
_CAUSE = _words(
    rf"\b{_WRONG}\b.*\b(?:because|since|due to|when|whenever|if|unless|after|as soon as|as)\b",
    rf"\b(?:because|since|when|whenever|if|unless|without|as soon as|after)\b.*\b{_WRONG}\b",
)
_DECISION = (
    r"^(?:(?:we|the team)(?: have| had|'ve)? )?(?:decided|chose|agreed|opted|settled) "
    r"(?:to|on|against|for|not to|that)\b"
)
_DECIDES = _words(_DECISION)
_CALLED = _words(r"(?:decision|agreed approach)\s*:")
# A decision with its reason.
_DECIDED = _words(rf"{_DECISION}.*(?:\b(?:because|since|as|rather than|instead of|over|so)\b|:)")
_SO = re.compile(r"^(?P<what>.*?),? (?:because|since) (?P<why>.{10,})", re.IGNORECASE)
_IS = re.compile(r"\b(?:is|are|has|have|does|do|gets?|keeps?|takes?|[a-z]{3,}s)\b")
_WAS = re.compile(
    r"(?<!is )(?<!are )(?<!be )(?<!gets )\b(?:was|were|had|did|went|took|[a-z]{3,}ed)\b", re.IGNORECASE
)
# Words for something unwanted.
_ODD = _words(
    rf"\b{_WRONG}\b|\b(?:twice|too \w+|no longer|not|never|nothing|none|only|n't|without|wrong|slow\w*)\b"
)
# About the people who talk, a mere conclusion, or past.
_PERSONAL = _words(
    # about the speaker, or addressed to somebody
    r"\bi\b(?!\.e)|\bmy\b|\bme\b",
    r"\bwe(?:'ll|'re)? (?:need|have|will|should|must|could|can|may|want|had|are|still|first)\b",
    r"\byou must (?:be|have)\b|\byour? (?:review|approval|feedback|call|turn)\b",
    r"\bplease (?:ask|tell|review|check)\b|\b(?:happy|glad|welcome|careful|worry|hesitate|mind|know|think)\b",
    # a conclusion: it must be so
    r"\b(?:it|this|that|there|he|she|they|some\w+|every\w+|all|nothing) must (?:be|have)\b",
    r"\bmust (?:have|be) (?:been|a|an|some|fine|ok|okay|right|wrong|due)\b",
    r"\b(?:somebody|someone|who) (?:has|have|needs?|must|should)\b",
    # a freedom
    r"\b(?:do|does)(?: not|n't) (?:have|need) to\b|\bno (?:need|longer \w+) to\b|\bmay not have\b",
    # a report of the past
    r"\b(?:had|needed|was|were) to\b|\b(?:could|did)(?: not|n't)\b",
    r"\bnever (?:happened|did|was|were|had|came|took|saw)\b",
    r"(?<!be )(?<!is )(?<!are )\bnever (?!need|feed|embed|exceed|proceed|shed|speed|bleed|shred)\w+ed\b",
)
# About the current work only.
_CURRENT_WORK = _words(
    r"\b(?:works?|pass(?:es)?|fine|good|starts?|fixed) (?:again|now)\b|\b(?:right|for) now\b|\bso far\b",
    r"\btoday\b|\bthis (?:time|pr|change|branch|ticket|task)\b|\bfollow-?up\b",
    r"^(?:it|this|that|these|those|next|then|first|finally|afterwards)\b",
    r"^(?:the |all )?(?:branch|build|changes?|commit|diff|log|output|patch|pr|pull request|review|ticket)\b"
    r"(?! \w+s (?:must|may|have|need)\b)",
    r"^(?:adjust|allow|convert|disable|drop|enable|handle|introduce|let|make|move|scan|skip|support"
    r"|suppress)\b",
    r"^(?:adapt|align|apply|bring|check|ensure|extend|give|provide|switch|teach|turn|use) (?!only)",
    r"\b(?:has|have|needs?) to be (?:added|addressed|checked|done|fixed|merged|reviewed|tested|updated)\b",
    r"\b(?:ticket|task|issue|user|customer|request|review(?:er)?) (?:says|asks|wants|asked|wanted|said)\b",
    r"\b(?:before|after|until) (?:the |this )?(?:review|merge|lunch|release)\b",
    r"\?\s*$",
)


def statement_kind(text: str) -> FindingKind | None:
    """The kind of a sentence that states something lasting; None for talk, steps, plans and conclusions."""
    statement = LEAD_IN.sub("", text[:_MAX_STATEMENT].strip())
    if _CURRENT_WORK.search(statement) or _PERSONAL.search(statement):
        return None
    if len(set(content_words(statement)) - _CUE_WORDS) < _MIN_WORDS:
        return None
    if _DECIDED.search(statement):
        return FindingKind.DECISION
    if _DO.search(statement) or _MUST.search(statement):
        return FindingKind.CONSTRAINT
    if _CAUSE.search(statement):
        return FindingKind.ERROR
    if _EVER.search(statement):
        return FindingKind.PATTERN
    # With a reason it is an error if it is about something unwanted, else a decision.
    found = _SO.match(statement)
    if not found or not _IS.search(found["what"]) or _WAS.search(found["what"]):
        return None
    if _ODD.search(found["what"]):
        return FindingKind.ERROR
    return None if _WAS.search(found["why"]) else FindingKind.DECISION


def is_decision(text: str) -> bool:
    """Whether a sentence presents itself as a decision."""
    statement = text[:_MAX_STATEMENT].strip()
    return bool(_CALLED.match(statement) or _DECIDES.search(LEAD_IN.sub("", statement)))


def is_about_this_work(text: str) -> bool:
    """Whether a sentence is about the current work only."""
    return bool(_CURRENT_WORK.search(LEAD_IN.sub("", text[:_MAX_STATEMENT])))


def is_personal(text: str) -> bool:
    """Whether a sentence is about the people who talk, a mere conclusion, or past."""
    return bool(_PERSONAL.search(LEAD_IN.sub("", text[:_MAX_STATEMENT])))
