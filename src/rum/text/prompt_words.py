"""The words of a prompt that are not its task: greetings, modes, agreement, orders to go on; by language.

Each table has alternatives of a regular expression, on any number of lines. To add a language, add lines.
Scripts without blanks between words (Chinese, Japanese) stand in `_SIGNS`, as `\\b` finds no word's end
there.
"""

from __future__ import annotations

import re
from functools import cache

# At the start of a prompt: said to be polite, or while thinking.
GREETINGS = r"""
hi|hey|hello|yo|good (?:morning|afternoon|evening)|(?:dear )?claude|codex|gemini|there|ok(?:ay)?|alright
so(?! (?:geht|nicht|machen|macht|ist|wird|etwas|was|wie)\b)
now|well|great|cool|nice|thanks?(?: (?:you|a lot|so much))?|thx|sorry|um+|uh+|hmm+|basically|anyway|actually
(?:i )?hope (?:you|all|this|everything)[^.!?:;()]{0,30} well
quick (?:one|q|question|task)|one more thing|next(?: up)?|please|pls|plz|kindly
just (?:asking|curious|wondering|checking|saying)|just
hallo|moin|servus|guten (?:morgen|tag|abend)|bitte|mal|also|gut|danke(?: dir)?|ähm?|kurze frage
bonjour|salut|s['’]il (?:te|vous) pla[iî]t|stp|svp|merci|alors|bon|donc
hola|buenas|buenos d[ií]as|por favor|gracias|vale|bueno|entonces
ol[áa]|oi|obrigad[oa]|ent[ãa]o|ciao|per favore|grazie|allora|hoi|alsjeblieft|dank je
привет|здравствуйте?|пожалуйста|спасибо|так|ну
"""
# "Can you …", "I would like you to …": before the verb that says what to do.
REQUESTS = r"""
(?:can|could|would|will) (?:you|u)(?: (?:please|pls|maybe|perhaps|also|just|quickly))*
(?:i|we)(?:['’]d| would)(?: really)? (?:like|love)(?: (?:you|it if you))?(?: to)?
(?:i|we) (?:want|need) you to|i(?:['’]m| am) (?:going to need|asking) you to|let['’]?s|help me(?: to)?
(?:it would be|would be) (?:great|nice|good) if you (?:can|could|would)|go ahead and
your (?:task|job) (?:is|will be)(?: now)? to
(?:kannst|könntest|würdest|magst) du(?: (?:mir|bitte|mal|kurz|noch))*|(?:können|könnten) sie(?: bitte)?
ich (?:möchte|will|hätte gern),? dass du|lass uns
(?:peux|pourrais|veux)[- ]tu|(?:pouvez|pourriez)[- ]vous|est-ce que tu peux|j['’]aimerais que tu|aide-moi à
(?:me )?puedes|podr[ií]as|quiero que|necesito que|ay[úu]dame a
(?:voc[êe] )?pode(?:ria)?|preciso que(?: voc[êe])?|puoi|potresti|kun je|можешь|не мог(?:ла)? бы ты
"""
# At the end of a prompt.
THANKS = r"""
please|pls|plz|thanks?(?: (?:you|a lot|so much|in advance))?|thx|ty|cheers|danke(?: dir| schön)?|bitte
merci(?: d['’]avance)?|svp|stp|gracias|por favor|obrigad[oa]|grazie|спасибо|пожалуйста
"""
# How the agent should work, not at what.
MODES = r"""
(?:make a )?plan (?:it )?first|(?:first )?make a plan(?: first)?
(?:ultra|mega)think|think(?: it)? through(?: carefully)?|take your time|step[- ]by[- ]step
think(?: about (?:it|this))?(?: (?:very|really))? (?:hard(?:er|est)?|deep(?:er|ly)|carefully|intensely|more)\
(?: about (?:it|this|that)(?: one)?)?
think step[- ]by[- ]step|(?:use |in |enter )?plan mode|(?:be )?(?:thorough|concise|careful|brief)(?: please)?
use (?:sub-?agents?|parallel agents)|no code(?: yet)?
(?:don['’]?t|do not) (?:write|change|touch|edit) (?:any )?code(?: yet)?
denke? (?:gut|scharf|gründlich|genau) nach|réfléchis bien|piensa bien
"""
# Agreement with what the agent proposed.
AGREEMENT = r"""
yes|yep|yeah|yup|y|ok(?:ay)?|k|sure|(?:sounds|looks) (?:good|great|right|fine)|lgtm|agreed|approved
do (?:it|that|so|this)|go(?: ahead| for it)|let['’]?s (?:do (?:it|that)|go)|proceed|please(?: do)?|fine
right|correct|exactly|makes sense|works for me|that works|good|great|perfect|nice|cool|awesome|excellent
(?:i )?agree(?: with (?:that|you))?|ship it|make it so|absolutely|definitely|of course
ja(?: bitte| gerne?| klar| genau)?|jo|jep|klar|genau|passt|gut|super|perfekt|einverstanden|in ordnung|gerne
(?:mach|tu) (?:das|es|mal)(?: so| bitte)?|mach(?: bitte)?|los
oui|d['’]accord|ouais|vas-y|fais[- ](?:le|ça)|parfait|c['’]est bon|exactement
s[íi]|vale|claro|hazlo|adelante|de acuerdo|perfecto|dale
sim|pode fazer|fa[çz]a isso|beleza|va bene|fallo|procedi|perfetto|ja graag|doe maar
да|давай|хорошо|сделай(?: это)?
"""
# Orders to continue with the same task.
GOING_ON = r"""
go(?: on)?|continue(?: (?:please|with (?:it|that|this)|working))?|carry on|keep going|resume|next|more|again
try (?:it |that )?again|retry|finish (?:it|that|this|up)|and|now|then
weiter(?: so| machen)?|mach weiter|fahr fort|noch ?mal|versuch(?:s| es)? noch ?mal|und|dann|jetzt
continue[rz]|poursuis|encore|réessaie|contin[úu]a|sigue|otra vez|vai|prosegui|riprova|ga door
продолжай|дальше
"""
# Work of another day that is to be continued.
RESUMING = r"""
(?:where|what) (?:we|i|you) (?:left off|stopped|were (?:doing|at|working on)|started|began)
(?:pick|take) (?:it |this |things |the work )?up (?:again )?(?:where|from)|back to (?:it|work|where)
(?:continue|resume|finish|(?:go|carry) on)(?: with)? (?:(?:the|your|our|my|that|this) )?(?:\w+['’]s )?\
(?:(?:last|previous|unfinished|interrupted|earlier|open) )?(?:work|task|session|job|yesterday)
weiter,? wo (?:wir|du) (?:aufgehört|stehen geblieben|waren)|wo wir aufgehört haben
là où (?:on|nous|tu) (?:s['’]est|nous (?:étions|sommes)|t['’]es) arrêtée?s?|reprends? (?:là )?où
donde lo dejamos|onde paramos|da dove (?:eravamo|ci siamo)|там,? где (?:мы )?остановились
"""
# Words before the name of work that was begun before.
GOING_ON_WITH = r"""
(?:please |let['’]s |now )*\
(?:continue|resume|proceed|(?:go|carry|keep) (?:on|going)|keep at|pick up|get back|back)\
(?: (?:with|to|on|working on))? (?:the|that|your|our|my)
(?:bitte )?(?:mach\w* )?(?:bitte )?weiter (?:mit|an)|reprends? (?:le|la|les)|continue\w* (?:avec|sur)
(?:sigue|continúa|continua) con|(?:continue|siga) com|(?:continua|riprendi) (?:con )?(?:il|la|lo|i|le)
ga (?:verder|door) met|kontynuuj|продолж\w+ (?:с|работу)
"""
# Words that speak of work that was begun before.
BEGUN = r"""
br(?:oke|eak|oken) off|half ?-?way|half-?done|unfinished|interrupted|cut (?:off|short)|left off|got stuck
died|crashed|(?:finish|complete|continue|resume)(?:d|ing)?|(?:go|carry) on|pick(?:ing)? up
where (?:you|we|it|i) (?:were|was|left|stopped)|unterbrochen|abgebrochen|abgestürzt|halb fertig
mach\w* weiter|fertig ?machen|zu ende|interrompu\w*|terminer|reprend\w*|interrumpi\w*|a medias|termina\w*
sigue|interrompid\w*|continu\w*|interrott\w*|finisci|onderbroken|maak af|przerwan\w*|dokończ|прерва\w*
закончи|доделай
"""
# Orders to record finished work, or to check it once more.
RECORDING = r"""
(?:git )?(?:add|stage)(?: (?:it|this|that|them|all|everything))?
(?:git )?(?:commit|push|merge|tag|release)(?: (?:it|this|that|these|those|them|all|everything))?\
(?: (?:(?:the|your|my|these) )?(?:changes?|work|fix|commits?|branch))?\
(?: (?:to|into|on) (?:\w+/)?(?:main|master|dev|develop|origin|remote|upstream|(?:the|this) branch))?
(?:open|create|make|file) (?:a |the )?(?:pr|pull request|mr|merge request|commit)(?: for (?:it|this|that))?
(?:re)?run (?:the |all (?:the )?)?tests?(?: again| suite)?|(?:check|verify) (?:it|that)(?: again)?
committe?n?|commit(?:te)?(?: das| es| alles| bitte)?|push(?:e|en)?(?: das| es)?|einchecken
lass die tests laufen|commite|pousse|valide(?:-le)?|fais un commit|haz (?:un )?commit|s[úu]belo
fa[çz]a (?:o )?commit|закоммить|запушь
"""
PRAISE = r"""
thanks?(?: (?:you|a lot|so much|again|for (?:that|this|(?:the|your) help)))?|thx|ty|cheers|well done|lovely
thank (?:you|u)(?: (?:so|very) much)?|(?:great|good|nice)(?: (?:job|work|one))?|perfect|awesome|excellent|cool
(?:that|this|it)(?:['’]s| is| was| looks)? (?:great|good|perfect|fine|all|nice|correct|right)
(?:it )?works(?: (?:now|great|fine))?
danke(?: dir| schön| sehr| vielmals)?|vielen dank|super|toll|prima|klasse|top|merci(?: beaucoup)?|bravo
(?:muchas )?gracias|genial|obrigad[oa]|grazie(?: mille)?|dank je(?: wel)?|bedankt|спасибо|отлично
"""
# The words of those tables in scripts without blanks.
_SIGNS = {
    AGREEMENT: (
        "好的?|好吧|可以|行|是的?|对|嗯+|没问题|做吧|干吧|就这样|开始吧|はい|ええ"
        "|お願いします|やって(?:ください)?"
        "|いいね|了解|네|예|응|좋아요?|해줘|그렇게 해줘"
    ),
    GOING_ON: "继续(?:吧|做)?|接着(?:做|来)?|続けて(?:ください)?|계속(?:해(?:줘|요)?)?",
    RECORDING: "提交(?:吧|一下)?|推送(?:吧|一下)?|コミットして(?:ください)?|커밋해줘",
    BEGUN: "中断|做了一半|没做完|继续|途中|続き|중단|이어서",
    RESUMING: "接着(?:上次|昨天)|继续(?:上次|昨天|之前)|前回の続き|昨日の続き",
    PRAISE: "谢谢(?:你|您)?|很好|太好了|ありがとう(?:ございます)?|고마워요?|감사합니다",
}
_SIGN_LEAD = r"""
你好|您好|嗨|请问|请你|请|麻烦你|麻烦|帮我|帮忙|能不能|能否|可以|你能|能帮我|我想让你|我希望你|[，,、。！!\s]
こんにちは|すみません(?:が)?|ちょっと|안녕하세요|저기
"""
_SIGN_TAIL = r"""
谢谢(?:你|您)?|多谢|好吗|お願いします|ありがとう(?:ございます)?|부탁(?:해요|합니다|드립니다)?|감사합니다
"""


@cache
def pattern(*tables: str) -> str:
    """The alternatives of some tables, on one line."""
    return "|".join(filter(None, "\n".join(tables).replace("\\\n", "").split("\n")))


@cache
def only(*tables: str) -> re.Pattern[str]:
    """Matches a whole text that has no other words than those of some tables."""
    return re.compile(rf"(?:\W*(?:{_words(tables)}))+\W*", re.IGNORECASE)


@cache
def any_of(*tables: str) -> re.Pattern[str]:
    """Finds the words of some tables in a text."""
    return re.compile(_words(tables), re.IGNORECASE)


def _words(tables: tuple[str, ...]) -> str:
    signs = [_SIGNS[table] for table in tables if table in _SIGNS]
    return "|".join((rf"\b(?:{pattern(*tables)})\b", *signs))


def without_modes(text: str) -> str:
    """A text without the clauses that only say how to work."""
    while (shorter := _modes().sub(" ", text)) != text:
        text = shorter
    return text.strip()


_FILLERS = r"(?<![\w-])(?:um+|uh+|erm+|ähm?|euh|hmm+)(?![\w-])[,.]*\s*"  # While dictating
_LAUGHTER = r"[,\s]*(?<![\w-])(?:lol|lmao|rofl|haha+|hehe+|jaja+|mdr)(?![\w(-])"


_SMILEY = r"\s*(?<![\w)])[:;]-?[)(DP](?!\w)"


def without_smileys(text: str) -> str:
    """A text with a full stop in place of each smiley."""
    return re.sub(_SMILEY, ".", text)


def without_fillers(text: str) -> str:
    """A text without the sounds that people make while they think, and without laughter."""
    spoken = re.sub(_FILLERS, "", text, flags=re.IGNORECASE)
    return re.sub(_LAUGHTER, "", spoken, flags=re.IGNORECASE).strip(" ,") or text


def without_pleasantries(text: str) -> str:
    """A text without greeting, request form and thanks around it; the text itself if nothing else is left."""
    lead, tail = _around()
    inner = tail.sub("", lead.sub("", text))
    return inner if any(character.isalnum() for character in inner) else text


@cache
def _modes() -> re.Pattern[str]:
    # A mode is a clause of its own: "think about the cache" is a task.
    mode = rf"(?:{pattern(MODES)})(?:,? (?:please|pls))?"
    joined = r"(?:and|then|but|und|dann|et|y)\b"
    return re.compile(
        rf"(?:^|(?<=[.!?,;:\n])|\s{joined})\s*{mode}\s*(?:[.!?,;:]+(?:\s*{joined})?|$|\n|{joined})",
        re.IGNORECASE,
    )


@cache
def _around() -> tuple[re.Pattern[str], re.Pattern[str]]:
    words = rf"[\W_]{{0,9}}\b(?:{pattern(GREETINGS, REQUESTS)})\b(?!['’(/_=.-]\w|['’(/_=])[\s,.!:;–—-]*"
    thanks = rf"[\s,.!?;–—-]{{1,9}}(?:{pattern(THANKS)})\b"
    return (
        re.compile(rf"^(?:{words}|{pattern(_SIGN_LEAD)})+", re.IGNORECASE),
        re.compile(rf"(?:{thanks}|(?:{pattern(_SIGN_TAIL)}))+[\s.!。！～~]{{0,9}}$", re.IGNORECASE),
    )
