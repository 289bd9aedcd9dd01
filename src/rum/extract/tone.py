"""How something is said: surely or not, as a plan or a step, to please, to give orders, or as a finding."""

from __future__ import annotations

import re


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


HEDGE = _words(
    r"\b(?:might|maybe|perhaps|not sure|unsure|possibly|probably|presumably|seems? to|could be)\b",
    r"\bi (?:guess|think|suspect)\b|\bunclear\b|\bno idea\b",
)
"""Somebody is not sure."""
PLAN = _words(
    r"^(?:next|then i|now i|let me|let's|will (?:continue|go|try|look)|todo|plan|step \d|first i)\b",
    r"^(?:continuing|trying|stepping)\b",
    r"^(?:i(?:'ll| will|'m going to| am going to| would need)|we (?:will|should|could))\b",
    r"\b(?:i'll|i will|going to|tomorrow|after lunch|next step|later today)\b",
)
"""Something is to come."""
CHAT = _words(
    r"\?\s*$",
    r"^(?:lgtm|done|ok|okay|great|thanks|thank you|sure|hello|hi|looks good|found it|please)\b",
    r"^(?:feel free|all (?:\d+ |the )?tests (?:pass|are green))\b|\blet me know\b",
    r"\bno (?:further )?(?:comments|concerns)\b",
    r"\b(?:happy|glad|pleased) to (?:help|assist|explain|go|adjust|answer)\b",
)
"""Words between people."""
DOING = _words(
    r"^(?:✅|☑|✔|\[x\])",
    r"^(?:[\w/.-]+: )?(?:fix|add|remove|update|rename|bump|refactor|implement|improve|clean up|simplify)\b",
    r"^(?:(?:i|we)(?: have|'ve)?(?: also| then| now| just| successfully)? "
    r"|(?:first|then|now|also|afterwards|finally),? (?:i |we )?)?"
    r"(?:added|adding|removed|renamed|changed|fixed|updated|wrote|ran|restarted|reran|rebuilt|cleared|killed|deleted"
    r"|created|implemented|moved|bumped|committed|pushed|replaced|refactored|set|put|took|tried|marked|scaled"
    r"|checked|looked|opened|reverted|raised|stopped|explored|compared|installed|reset|printed|logged|reloaded"
    r"|followed|kept to|made|used|wired|attempted|merged)\b",
)
"""A step that was taken."""
LOOKING = _words(
    r"^(?:(?:i|we)(?: have|'ve)?(?: also| then| now| just)? |(?:first|then|now|also|finally),? (?:i |we )?)?"
    r"(?:looked|ran|reran|checked|opened|read|explored|compared|printed|logged|reloaded|restarted|rebuilt|started)\b",
)
"""A step by which nothing was changed."""
WISH = _words(
    r"\bthe (?:user|customer|ticket|task|reviewer|prompt)(?: has)?(?: also| just| explicitly| clearly)?"
    r" (?:asked|asks|wants|wanted|says|said|wrote|requested|demands|demanded|told (?:me|us)|instructed)\b",
    r"^you(?:'ve| have)?(?: also| just| explicitly)? (?:asked|wanted|said|wrote|requested|told (?:me|us))\b",
    r"^as (?:requested|asked|instructed|specified|you (?:asked|said|wanted))\b",
)
"""What somebody asked for in this task, whatever words they asked in."""
_LANGUAGE = (
    r"(?:function|variable|class|method|constant|string|loop|pointer|array|argument|parameter|closure|coroutine"
    r"|decorator|exception|generator|integer|promise|struct|tuple|keyword|identifier|statement|expression"
    r"|bracket|brace|semicolon)"
)
GENERAL = _words(
    rf"^(?:in [\w+#.-]+,? )?(?P<rule>(?:an? {_LANGUAGE}|(?:all |any )?{_LANGUAGE}(?:e?s)|every {_LANGUAGE})"
    r" (?:must|cannot|can't|can only|have to|has to|needs? to)\b.*)"
)
"""What holds of a language wherever it is spoken."""
FOUND = _words(
    r"\b(?:found it|(?:root )?cause found|turn(?:s|ed) out|by the way|important)\b",
    r"\b(?:worth knowing|gotcha|caveat)\b",
    r"\bi (?:noticed|found|learned|discovered|reali[sz]ed) that\b",
    r"\bnote(?: on \w+)?(?: for\b|:)|\bfor the record\b|\bwhat i found\b|\bheads[- ]up\b",
)
"""What somebody says who is about to tell what was found."""
LEAD = _words(
    r"^(?:(?:(?:root )?cause|reason|decision|agreed approach|rationale|notes?|finding|lesson|learned"
    r"|(?:important )?limitation|constraint|conclusion|recommendation|attempt|fix|(?:the )?layout"
    r"|convention(?: here)?|gotcha|caveat|summary|important|ursache)\s*:\s*"
    r"|(?:by the way|so|also|however|important|(?:please )?note that|(?:it )?turns out(?: that)?|found it[.:]"
    r"|i (?:noticed|found(?: out)?|learned|discovered|reali[sz]ed) that),?\s+"
    r"|(?:done|fixed|solved|works)(?: it| now)?[,:.;-]+\s+"
    r"|[^.:;]{0,60}\b(?:noticed|learned|found|note|mention|highlight|remember|aware|know)\b[^.:;]{0,40}:\s+)+"
)
"""How people begin who then say what they found."""
WHY = _words(
    r"\b(?:why|cause|fix\w*|debug\w*|investigat\w+|find out|fail\w*|hang\w*|broken?|crash\w*|killed)\b",
    r"\b(?:wrong|logged out|random|leak\w*|slow\w*|warum)\b",
)
"""A task that asks for a cause."""
CHANGES = _words(
    r"\bfiles? (?:created|changed|modified|added|touched|updated)",
    r"\bchange(?:s|d|log)\b|\bwhat(?:'s| was| has| have)\b|\bimplemented\b",
    r"^(?:new |key )?features\b|\bnew \w+$",
    r"\btest(?:s|ing|ed)?\b|\bresults?\b|\bnext steps?\b|\bhighlights\b|\bachievements?\b|\bstatus\b",
    r"\bverif\w+|\bto-?dos?\b|\bplan\b|\bchecklist\b|\bcompleted?\b|\bfollow-?ups?\b",
)
"""A heading over what was done or is to be done, which the history of the files tells as well."""
LESSONS = _words(
    r"\b(?:notes?|findings?|lessons?|learn(?:ed|ings?)|gotchas?|caveats?|discover(?:y|ies|ed)|insights?)\b",
    r"\b(?:observations?|remarks?|takeaways?|worth knowing|key points|background|how \w+ works?)\b",
)
"""A heading over what was found."""
