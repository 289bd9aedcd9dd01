"""The words by which people tell an agent what they want, and that its work was not what they wanted.

Each table has one row for each language. `LASTING` is compared with the beginning of a sentence or of a
clause in it, the others with the beginning of a prompt or sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# A wish that outlives the task.
_LASTING: dict[str, str] = {
    # "Always log it in this handler" is a part of the task.
    "en": r"(?:please |so |and |but |also |just )*(?:always\b(?! (?:\w+[^s\W]s|\d+|an?|the|same"
    r"|getting)\b)|never\b(?! ?mind"
    r"| \w+[^s\W]s\b))(?!.*\bthis(?:\W*$| (?!repo|project|code|team|company|package|service|org)\w))"
    r"|(?:please |so |and |but |also )*(?:from (?:now|here) on|from today(?: on)?"
    r"|starting today|going forward|as i (?:said|told you)[^,]*, (?=we |always|never|use |don|no )"
    r"|i want (?:all|every|the)\b.*\beverywhere(?=\W*$)|ask (?:me )?(?:first )?before you"
    r"|(?:whenever|every time|each time|before) you (?:touch|change|add|edit|commit|create|push|rename"
    r"|release|update|modify|merge|deploy|delete|install)(?! (?:it|this|that|them)\b)"
    r"|no (?!errors?|issues?|warnings?|changes?|output|trace|sign|mention|bugs?)\w+ in (?:the )?"
    r"(?:commit|code|comment|test|log|doc)|(?:i|we)(?:['’]ve"
    r"| have)? changed (?:my|our) minds?\b.*:"
    r"|in (?:the )?future\b(?! work| release)|next time"
    r"|for (?:future reference|next time|the future|the record)|as a rule|by convention|henceforth)\b"
    r"|(?:please |so |and |but |also |just )*(?:remember\b(?! when| if| how| why| what| where| which"
    r"| who| whether| me)"
    r"|keep in mind"
    r"|bear in mind|(?:don['’]?t|never) forget (?=that\b)|take note\b|make a note\b|note to self)"
    r"|we (?:always|never|only(?: ever)?|prefer|avoid|stick to|generally|usually|normally|typically"
    r"|as a rule)\b"
    r"(?! (?:get|got|see|saw|have|had|know|knew|receive|hear|reach|hit|find|found|want to|understand"
    r"|end up)\b)"
    r"|we use\b(?=.*\b(?:not|instead of|rather than|here|everywhere|always|for (?:all|every)|in this)\b)"
    r"|we (?:keep|put|name|format|document|import)\b(?=[^.?!]*, (?:and )?not\b)"
    r"|we (?:don['’]?t|do not) (?:really |usually |ever )?(?:use|do|like|allow|want|commit|mock|write"
    r"|put|add|import|ship|hand-?roll"
    r"|touch|edit|push|merge|squash|rebase|deploy|catch|throw|raise|swallow|mix|nest|name|abbreviate"
    r"|hard-?code|monkey-?patch"
    r"|cast|skip|disable|introduce|pull in|install|reformat|comment|format|sprinkle|leave)\b"
    r"(?!.*\b(?:yet|right now|at the moment|currently|today)\b)"
    r"|(?:you|agents?|the agent) (?:must|should|may|can|are to|need to|have to|shall)(?: not"
    r"|n['’]t)? (?:always|never|ever|only)\b"
    r"|(?:i|we) (?:always |never |strongly |really |generally )*(?:prefer\b(?! (?:this|that) one)"
    r"|hate (?:it )?when\b"
    r"|want you to (?:always|never|stop|prefer|use|ask|answer|write|keep)\b"
    r"|(?:don['’]?t|do not) (?:like (?!this\b|that\b|it\b|the )|want (?:you to|any\b|to see))"
    r"|can['’]?t stand\b)"
    r"|i(?:['’]d| would) (?:prefer|rather)\b(?=.*\b(?:you|over|instead|rather than|than)\b)"
    # "Tests belong next to the code, not in a folder of their own."
    r"|(?!th(?:e|is|ese|ose)\b)(?:\w+ )?\w+s (?:belong|go|live) (?:in|into|next to|under|with"
    r"|to)\b[^.?!]*,? not\b"
    r"|(?:in|for) (?:this|our|the) (?:repo(?:sitory)?|project|code ?base|team|company|package|service"
    r"|org|house)\b[, ]"
    r"|that(?:['’]s| is) (?:our|the) (?:convention|rule|policy)\b"
    r"|(?:every|all|any|each) (?:new|public|private|our|future) [\w ]{2,40}? "
    r"(?:must|should|needs?(?: to)?|has to|have to|gets?|go(?:es)?|live)\b"
    r"|(?:our|the) (?:convention|rule|policy|style|standard|practice|house rule"
    r"|guideline)s?\b(?=.* (?:is|are|says?|that)\b)"
    r"|(?:please |and |but |can you )*(?:stop|quit) (?!it|that|this|the |here|now)\w+ing\b"
    r"|(?:please )?(?:don['’]?t|do not) (?:ever\b|.*\b(?:again|anymore|any more|ever|in (?:this"
    r"|our) (?:repo|project|code ?base))\b)"
    r"|make sure (?:to |you |that you )?(?:always|never)\b|it['’]s (?:important|a rule) that you\b"
    r"|prefer \S+.* (?:over|to|instead of|rather than)\b"
    r"|(?:please )?use (?!(?:an?|this|that|it|the same)\b)[^,.;]{1,60}?,? (?:and )?(?:not|never"
    r"|rather than|over)\b"
    r"(?!.*\b(?:here|this (?:time|one|function|file|case|test|class|method)|for now)\b)"
    r"|call me\b|my name is\b|(?:answer|reply|respond|write|speak|talk)(?: to me)? in (?!the |a "
    r"|this )[A-Z]\w+",
    "de": r"(?:bitte |und |aber |also )*(?:immer|niemals?|nie)\b|(?:bitte |und )*(?:ab (?:jetzt"
    r"|sofort|heute)|von (?:jetzt|nun) an"
    r"|künftig|zukünftig|in zukunft|nächstes mal|fürs? nächste mal|grundsätzlich)\b"
    r"|(?:bitte |und )*(?:merk(?:e)? dir|denk(?:e)? (?:bitte )?(?:daran|dran)|vergiss nicht|beachte)\b"
    r"|wir (?:\w+ ){0,4}?(?:immer|nie|niemals|grundsätzlich|nur|kein\w*|nicht)\b(?!.*\b(?:gerade"
    r"|aktuell|noch nicht|mehr weiter)\b)"
    r"|(?:du|man) (?:sollst|darfst|musst|soll|darf|muss)\b.*\b(?:immer|nie|niemals|nicht)\b"
    r"|(?:bei uns(?!.*\b(?:fehler\w*|kaputt|langsam)\b)|in (?:diesem|unserem) (?:repo|projekt"
    r"|code))\b|hör(?:e)? auf\b|(?:verwende|benutze"
    r"|nimm|nutze?) .*\b(?:statt|anstatt"
    r"|nicht|niemals|immer)\b|ich (?:möchte|will|mag|bevorzuge)\b.*\b(?:immer|nie|nicht|kein\w*|lieber"
    r"|dass du)\b|ich bevorzuge\b"
    r"|(?:alle|jede[rs]?|neue) .{2,60}\b(?:müssen|muss|sollen|brauchen|bekommen|gehören)\b"
    r"|lass\b.*\b(?:immer|nie)\b"
    r"|antworte .*\bauf (?:deutsch|englisch)\b",
    "fr": r"(?:s['’]il te plaît |et |mais )*(?:toujours|jamais|ne jamais|ne .{1,40} jamais"
    r"|n['’].{1,40} jamais)\b|(?:dorénavant|désormais"
    r"|(?:à partir|à compter) (?:de maintenant|d['’]aujourd['’]hui)|dès aujourd['’]hui|à l['’]avenir"
    r"|la prochaine fois)\b|(?:rappelle[- ]toi|souviens[- ]toi"
    r"|n['’]oublie pas|retiens)\b"
    r"|(?:on|nous) (?:n['’]|ne |.{0,20}toujours|.{0,20}jamais|utilis\w+ toujours|préfér\w+)"
    r"|dans ce (?:projet|dépôt)\b"
    r"|(?:utilise|préfère) .*\b(?:pas|plutôt que|au lieu)\b|je (?:préfère|ne veux (?:pas|plus))\b"
    r"|arrête de\b"
    r"|(?:tous|toutes|chaque) .{2,60}\b(?:doi(?:t|vent)|faut)\b|réponds .*\ben (?:français|anglais)\b",
    "es": r"(?:por favor |y |pero )*(?:siempre|nunca|jamás)\b|(?:de ahora en adelante"
    r"|(?:a partir de|desde) (?:ahora|hoy|ya)|en el futuro|la próxima vez)\b"
    r"|(?:recuerda|ten en cuenta|no olvides|acuérdate)\b|(?:nosotros |aquí "
    r"|en este proyecto )?(?:nunca|siempre|no) (?:usamos|hacemos"
    r"|utilizamos|escribimos|ponemos|queremos)\b|en (?:este|nuestro) (?:proyecto|repo\w*)\b|(?:usa"
    r"|utiliza|prefiere) .*\b(?:no|en lugar"
    r"|en vez)\b|(?:yo )?prefiero\b|no quiero que\b|deja de\b|(?:todos|todas|cada) .{2,60}\bdeben?\b",
    "pt": r"(?:por favor,? |e |mas )*(?:sempre|nunca|jamais)\b|(?:de agora em diante|(?:a partir de"
    r"|desde) (?:agora|hoje)"
    r"|daqui (?:em|para) (?:diante|frente)"
    r"|no futuro|da próxima vez)\b|(?:lembr[ae](?:-se)?|tenha em mente|não (?:se )?esqueça)\b|(?:nós "
    r"|a gente |aqui )?(?:nunca|sempre|não)"
    r" (?:usamos|fazemos|utilizamos|escrevemos|colocamos|usa|queremos)\b|(?:neste|nesse"
    r"|no nosso) (?:projeto|repo\w*)\b"
    r"|(?:use|usa|prefira) .*\b(?:não|em vez|ao invés)\b|(?:eu )?prefiro\b|não quero que\b"
    r"|par[ea] de\b|(?:todos|todas|cada) .{2,60}\bdevem?\b",
    "it": r"(?:per favore |e |ma )*(?:sempre|mai|non .{1,40} mai)\b|(?:d['’]ora in (?:poi|avanti)"
    r"|da (?:adesso|oggi)(?: in poi)?|in futuro|la prossima volta)\b"
    r"|(?:ricorda(?:ti)?|tieni (?:a mente|presente)|non dimenticare)\b|(?:noi |qui )?(?:non"
    r"|usiamo sempre|non usiamo) (?:usiamo|facciamo"
    r"|scriviamo|vogliamo)\b|in questo (?:progetto|repo\w*)\b|(?:usa|utilizza) .*\b(?:non|invece"
    r"|anziché)\b|preferisco\b|smettila di\b"
    r"|(?:tutti|tutte|ogni) .{2,60}\bdev(?:e|ono)\b",
    "nl": r"(?:alsjeblieft |en |maar )*(?:altijd|nooit)\b|(?:vanaf (?:nu|vandaag)|voortaan|in de toekomst"
    r"|volgende keer)\b|(?:onthoud|vergeet niet"
    r"|denk eraan)\b|(?:wij|we) (?:\w+ ){0,3}?(?:altijd|nooit|geen|niet)\b|in (?:dit|ons) (?:project"
    r"|repo\w*)\b|(?:gebruik) .*\b(?:niet"
    r"|in plaats van)\b|ik (?:wil|heb) (?:liever|niet dat)\b|stop met\b|(?:alle"
    r"|elke) .{2,60}\bmoet(?:en)?\b",
    "pl": r"(?:proszę |i |ale )*(?:zawsze|nigdy)\b|(?:proszę|prosimy) nie\b|(?:od (?:teraz|dziś"
    r"|dzisiaj)|odtąd|na przyszłość"
    r"|w przyszłości"
    r"|następnym razem)\b|(?:pamiętaj|zapamiętaj"
    r"|nie zapomnij)\b|(?:my )?(?:nie|nigdy nie|zawsze) (?:używamy|robimy|stosujemy|piszemy)\b"
    r"|w tym (?:projekcie|repo\w*)\b"
    r"|(?:używaj|użyj|stosuj) .*\b(?:nie|zamiast)\b|wolę\b|przestań\b|(?:wszystkie"
    r"|każd\w+) .{2,60}\b(?:musi|muszą|powinn\w+)\b",
    "ru": r"(?:пожалуйста,? |и |но )*(?:всегда|никогда)\b|(?:отныне|с (?:этого момента"
    r"|сегодняшнего дня)|впредь|в будущем"
    r"|в следующий раз|на будущее)\b"
    r"|(?:запомни|помни|не забыва\w+|учти|имей в виду)\b|(?:мы )(?:\w+ ){0,3}?(?:всегда|никогда|не)\b"
    r"|у нас\b|в (?:этом|нашем) (?:проекте"
    r"|репо\w*)\b|(?:используй|бери|пиши) .*\b(?:не|вместо)\b|я (?:предпочитаю|не хочу,? чтобы)\b"
    r"|перестань\b|(?:все|кажд\w+) .{2,60}\bдолжн\w+",
    "zh": r"(?:请|你|以后|今后)?(?:总是(?!报错|失败|出错|崩溃|卡|超时|显示|返回|不|很|有)|始终|永远|务必"
    r"|一定要|必须|绝不|决不|从不|不许|禁止|千万不要"
    r"|千万别|一律)|(?:以后|今后|从(?:现在|今天)(?:开始|起)"
    r"|往后|下次)|(?:请)?(?:记住|记得|牢记|别忘了|不要忘记)|我们(?:从来?不|一直|都|一般|统一|只"
    r"|不(?:用|使用|写|要|会))"
    r"|(?:在)?(?:这个|本|我们的?)(?:项目|仓库|代码库)|(?:请)?(?:用|使用).{1,40}(?:而不是|不要用|代替"
    r"|别用)|我(?:更)?(?:喜欢|希望|不希望|不喜欢|不想)"
    r"|(?:请)?(?:不要|别)再|所有.{1,30}(?:都|必须|要)",
    "ja": r".{0,40}?(?:必ず|常に|いつも|絶対に?|決して)|(?:今後は?|(?:今日"
    r"|本日)から|これからは?|以後|次回(?:から)?は?)"
    r"|.{0,60}?(?:覚えておいて|忘れないで|覚えて"
    r"ください)|(?:このプロジェクト|このリポジトリ|うち|我々|私たち)(?:では|は)|.{1,60}?(?:ではなく"
    r"|じゃなくて|の代わりに).{1,40}(?:使って"
    r"|使用して|してください|にして)|.{1,60}?(?:しないでください|やめてください|しないで$|使わないで)"
    r"|すべての.{1,40}",
    "ko": r".{0,30}?(?:항상|언제나|절대로?|반드시|결코)|(?:앞으로는?|이제부터|오늘부터|지금부터|다음부터)"
    r"|.{0,60}?(?:기억해|잊지 ?마)|(?:이 프로젝트|이 저장소"
    r"|우리(?:는| 팀은)?)|.{1,60}?(?:말고|대신에?) .{1,40}(?:사용|써|쓰)|.{1,60}?(?:하지 ?마(?:세요"
    r"|라)?|쓰지 ?마(?:세요|라)?)|모든 .{1,40}",
}

# The beginning of a prompt that objects to what was done.
_DENIAL: dict[str, str] = {
    "en": r"(?:no|nope|nah)\b(?! (?:problem|worries|need|rush|hurry|idea|thanks))|wrong\b|stop\b"
    r"|wait\b|hold on|actually\b|hm+\b[,. ]*(?:no|not)"
    r"|not (?:like (?:that|this)|what i|quite|how we|that way|here|so)|that(?:['’]s| is| was)? (?:not"
    r"|n['’]t|wrong)"
    r"|this (?:is(?: not|n['’]t)|is wrong)|(?:i|we) (?:said|asked|meant|told you|did(?: not"
    r"|n['’]t) (?:ask|want|mean))"
    r"|(?:please )?(?:revert|undo|roll back|back out|redo|take (?:that|it) out)\b|why (?:did|are|would"
    r"|do) you\b|don['’]?t do (?:it|that|this)"
    r"|(?:ugh|argh|sigh|please),? (?:no|not|stop|don['’]?t)\b|(?:i|we) (?:don['’]?t|do not"
    r"|really don['’]?t) (?:want|like|need|do) (?:this|that|it)"
    r"|(?:(?:that|this|it)(?:['’]s| is) )?(?:way |much |a bit )?(?:overkill|over-?engineered"
    r"|too (?:clever|complicated|complex|much))\s*(?:$|[.,!;:—-])"
    r"|(?:instead|rather)\b|you (?:should(?: not|n['’]t)|did(?: not|n['’]t)|forgot|ignored|missed"
    r"|misunderstood)",
    "de": r"nein\b|nee\b|nicht so\b|falsch\b|stopp?\b|halt\b|so (?:nicht|machen wir)|das (?:ist"
    r"|war) (?:nicht|falsch|so nicht)|das machen wir"
    r"|mach (?:das|es) (?:rückgängig|nicht)|(?:bitte )?(?:rückgängig|zurück)|das (?:wollte"
    r"|meinte) ich nicht|warum hast du",
    "fr": r"non\b|pas comme|faux\b|ce n['’]est pas|c['’]est (?:faux|pas)|annule\b|stop\b|reviens\b"
    r"|pourquoi (?:as-tu|tu as)",
    "es": r"(?:que )?no\b[,.:; ]|así no\b|mal\b|eso no\b|está mal|deshaz\b|revierte\b|para\b|por qué (?:has"
    r"|hiciste)",
    "pt": r"não\b|assim não|errado\b|isso não|está errado|desfa(?:ça|z)\b|reverta\b|por que você",
    "it": r"no\b[,.:; ]|non così|sbagliato\b|così no|annulla\b|non è (?:così|quello)|perché hai",
    "nl": r"nee\b|niet zo\b|fout\b|verkeerd\b|dat is niet|draai .* terug|waarom heb je",
    "pl": r"nie\b|źle\b|to nie\b|cofnij\b|dlaczego (?:zrobił|użył)",
    "ru": r"нет\b|не так\b|неправильно\b|это не\b|неверно\b|откати\b|верни\b|зачем ты|почему ты",
    "zh": r"不(?:对|是|行|要|好|可以|应该)|错了|别这样|撤销|回退|还原|停|为什么你|你(?:怎么|为什么)"
    r"|这(?:不是|不对)",
    "ja": r"いや|違(?:う|います)|だめ|ダメ|そうじゃ(?:なく|ない)|それは(?:違|だめ)|元に戻して"
    r"|取り消して|なぜ|いいえ",
    "ko": r"아니(?:요|오|야|)?|틀렸|그게 아니|안 ?돼|되돌려|취소|왜",
}

# A prompt that says that the result does not work: a report, no wish.
_REPORT: dict[str, str] = {
    "en": r"(?:it|this|that|which|the [\w ]{2,30}?)?(?:['’]s| is)? ?(?:still|again) "
    r"(?:fail|broken|crash|not|does|error|the same|hang|get|see|wrong|red|happen)\w*"
    r"|(?:it|this|that) (?:still )?(?:does|did|is|was)(?: not|n['’]t) (?:work|help|compile|fix|run"
    r"|pass|build|start|load"
    r"|change any)\w*"
    r"|(?:now )?(?:it|this|that|now the \w+) (?:broke|breaks|fails?|failed|crash(?:es|ed)|hangs"
    r"|throws?|is (?:broken|red"
    r"|failing|still))\b"
    r"|i(?:['’]m| am)? (?:still|now) (?:get|getting|see|seeing)\b|i (?:get|see) the same\b"
    r"|same (?:error|problem|issue|result)\b"
    r"|not (?:working|fixed|solved|enough)\b|that(?:['’]s| is)? not (?:working|fixed|enough)\b"
    r"|no (?:change|difference|effect|luck)\b|doesn['’]?t (?:work|help|compile)|didn['’]?t (?:work"
    r"|help|fix)"
    r"|nothing (?:happens|changed)",
    "de": r"(?:es |das )?(?:geht|funktioniert|läuft|klappt)(?: (?:immer )?noch)? nicht"
    r"|(?:immer )?noch (?:derselbe|der gleiche|ein) fehler|schlägt"
    r"|(?:es |das )?(?:stürzt|bricht)",
    "fr": r"(?:ça |cela )?ne (?:marche|fonctionne) (?:pas|toujours)|toujours (?:la même|une) erreur"
    r"|ça plante",
    "es": r"(?:eso |esto )?(?:todavía |aún |sigue sin )?(?:no )?funciona|sigue (?:fallando|dando)|falla\b",
    "pt": r"(?:isso )?(?:ainda )?não funciona|continua (?:falhando|dando)|falha\b",
    "it": r"(?:ancora )?non funziona|stesso errore|continua a (?:fallire|dare)",
    "nl": r"(?:het |dat )?werkt (?:nog steeds )?niet|nog steeds|zelfde fout",
    "pl": r"(?:to )?(?:nadal |wciąż )?nie działa|ten sam błąd",
    "ru": r"(?:это )?(?:всё ещё |все еще |по-прежнему )?не работает|та же ошибка|падает",
    "zh": r"还是(?:报错|失败|不行|不对|一样)|(?:仍然|依然)|不工作|没有(?:用|效果)|不起作用",
    "ja": r"(?:まだ|やはり).{0,20}(?:動|エラー|失敗)|動(?:かない|きません|作しない)|同じエラー",
    "ko": r"(?:아직|여전히)|작동하지|동작하지|같은 (?:오류|에러)",
}

# A prompt that takes such a report back. That something works must be said, not asked or asked for: "see how
# the cache works", "make sure it works".
FALSE_ALARM = re.compile(
    r"\b(?:my (?:bad|mistake|fault)|false alarm|never ?mind|user error(?!\s\w)|(?:not|n['’]t) (?:you"
    r"|your (?:change|fault))"
    r"|mein fehler|falscher alarm|lag an mir|(?:geht|funktioniert|klappt|läuft) (?:jetzt|wieder"
    r"|doch)|fausse alerte"
    r"|(?:de )?ma faute|ça (?:re)?marche|falsa alarma|(?:error|culpa) m[ií]\w|ya funciona"
    r"|culpa minha|alarme falso"
    r"|colpa mia|falso allarme|mijn fout|vals alarm|мо[йя] (?:ошибка|вина)|ложная тревога)\b"
    r"|我的(?:错|问题)|没问题了|误报|(?:私|こちら)の(?:ミス|勘違い)|勘違いでした|제 (?:실수|잘못)"
    r"|(?:^|[.!,;:\n–—])\W*+(?:(?:sorry|oh|ah|ok(?:ay)?|no|yes|yep|hm+|wait|actually|now|great|nice|thanks?"
    r"|perfect|well|and|but|so|then)\b\W*+)*(?!no|neither)(?:(?:the |my |your )?\w+) (?:does )?works?"
    r"(?: (?:now|fine|again|after all|for me))?(?=\W*(?:$|[.,!]))(?!\s*\?)",
    re.IGNORECASE,
)
_STILL = (
    r"(?:\b(?:still|again|immer noch|weiterhin|schon wieder|toujours|encore|sigue|todavía|otra vez"
    r"|ainda|de novo"
    r"|ancora|di nuovo|nog steeds|weer|nadal|wciąż|znowu|по-прежнему|опять|снова)\b|还是|仍|依然|又|まだ|また"
    r"|여전히|아직|또)"
)
_FAILS = (
    r"(?:\b(?:fail(?:s|ed|ing)?|broken|breaks|broke|crash\w*|hangs|error\w*|wrong|red|the same|throws"
    r"|(?:does|is|are|do)(?: not|n['’]t)|fehler\w*|schlägt|kaputt|derselbe|nicht|erreur\w*|échou\w*"
    r"|plante|même"
    r"|falla\w*|roto|rota|mismo|falha\w*|erro|erros|fallisce|errore|stesso|fout\w*|faalt|błąd|nie działa"
    r"|ошибк\w*|падает|не работает)\b|失败|报错|错误|不行|不对|エラー|失敗|落ち|오류|실패|에러)"
)
FAILS = re.compile(_FAILS, re.IGNORECASE)
_STILL_FAILS = re.compile(rf"(?=.*{_STILL})(?=.*{_FAILS})", re.IGNORECASE)
# Clauses that ask for something, such as an error message, and words that say that nothing fails.
_NO_REPORT = re.compile(
    r"(?:^|(?<=[,;:]))\W*+(?:(?:please|now|also|then|and)\b\W*+)*(?:add|show|display|write|log|print|return|raise"
    r"|throw|handle|retry|rename|change|use|move|remove|delete|test|render|hide|include|put|create|implement)\b"
    r"[^,;:]*|\b(?:no|nothing|without) (?:more )?(?:error|fail|crash)\w*",
    re.IGNORECASE,
)


def says_still_fails(sentence: str) -> bool:
    """Whether a sentence says that something fails as it did before."""
    return _STILL_FAILS.match(_NO_REPORT.sub("", sentence)) is not None


# What somebody tells an agent to do instead, after an objection.
_DIRECTIVE: dict[str, str] = {
    "en": r"(?:please |so |and |but |then |just |rather |you should |you must |we should |it should "
    r"|let['’]s )*(?:use|prefer|keep|put|call|name"
    r"|write|import|follow|stick (?:to|with)|go (?:with|through)|do it|do this|make it|take|leave"
    r"|avoid|don['’]?t|do not|only|no more|stop"
    r"|it (?:must|should|has to)|they (?:must|should)|instead\b)",
}
# What somebody says about the project, after an objection.
_DECLARATION: dict[str, str] = {
    "en": r"(?:we|our|ours|us|the (?:team|project|repo|codebase|convention|style|ops|rest)"
    r"|this (?:repo|project|codebase|team)|there(?:['’]s| is)"
    r"(?: already)? an?|everything|every(?:one|body)|nobody|all (?:the|our|other)|that(?:['’]s"
    r"| is) (?:what|why)|(?:it|they|this|that) (?:must|should"
    r"|has to|have to|needs? to|belongs?|lives?|goes?|already)|in here|here,? we|people|ops|users)\b",
}
# How something generally is, after an objection: "tables are singular".
GENERAL = re.compile(
    r"\b(?:are|always|must|should|belongs?|lives?|goes?|uses|called|named|never|only)\b(?!.*\b(?:bugs?"
    r"|errors?|problems?"
    r"|issues?|fail\w*|broken|wrong)\b)",
    re.IGNORECASE,
)
# What is not wanted, in work that was then taken back: "no marketing words in our docs".
UNWANTED = re.compile(
    r"(?:^|[,.;:—–]\s*)(?:no (?!problem|worries|need|idea|clue|wonder|one\b)\w"
    r"|(?:please )?(?:do not|don['’]?t|not)\b"
    r"|without\b)"
    r"|\b(?:in|for|across) our \w+",
    re.IGNORECASE,
)
# A sentence that gives the reason of the one before it.
_REASON = (
    r"(?:because|since|otherwise|as (?:it|that|the|we)|that(?:['’]s| is| was| way)|this (?:is|was|way)"
    r"|it\b|it['’]s|they\b|those\b|these\b"
    r"|the reason|so that|or else|else\b|if not|ops\b|weil|denn|sonst|das (?:ist|liegt)|parce|sinon"
    r"|porque|si no|perché|altrimenti|omdat|anders"
    r"|bo\b|ponieważ|потому|иначе|因为|否则|不然|なぜなら|そうしないと|왜냐하면|안 그러면)"
)
# A wish that says at its end how long it holds: "please put new helpers in lib/ from now on".
LASTING_END = re.compile(
    r"\W*(?:(?:ok(?:ay)?|please|and|but|so|also|just|bitte|and please)\b\W*)*"
    r"(?:use|put|keep|write|run|name|call|import|prefer|avoid|follow|leave|make|add|ask|test|format"
    r"|document|commit"
    r"|do|don['’]?t|no more|stick|(?:i|we|you)\b|nimm|verwende|schreib|mach|leg|benutze|wir"
    r"|utilise|écris|mets|usa|escribe|pon|use|escreva|scrivi|gebruik|schrijf)\b[^?\n]*"
    r"\b(?:from (?:now|here) on|going forward|in (?:the )?future|(?:the )?next time|henceforth"
    r"|ab (?:jetzt|sofort)|von (?:jetzt|nun) an|künftig|in zukunft|à partir de maintenant|dorénavant"
    r"|désormais|(?:a partir )?de ahora en adelante|a partir de ahora|desde ahora"
    r"|daqui (?:em diante|para (?:a )?frente)|d['’]ora in poi"
    r"|voortaan|vanaf nu)\W*$",
    re.IGNORECASE,
)
# A statement about how things are done in the project, which it names anywhere: "X is banned in this
# codebase", "sowas kommt bei uns in den Service". One about something that fails is none.
IN_PROJECT = re.compile(
    r"(?!.*\b(?:errors?|fail\w*|broken|crash\w*|slow\w*|bugs?|fehler\w*|kaputt|langsam|schlägt|läuft nicht"
    r"|erreur\w*|échou\w*|lent\w*|panne|error\w*|falla\w*|lento|lentos|erro|erros|falha\w*|ошибк\w*"
    r"|падает)\b)"
    r"[^?？\n]*(?:\b(?:is|are) (?:banned|forbidden|not allowed|off[- ]limits|prohibited|deprecated"
    r"|not wanted)"
    r" (?:here|(?:in|for) (?:this|our) (?:repo\w*|project|code ?base|team|company|package|service))"
    r"|\bfor us: (?:please )?(?:keep|use|put|write|always|never|no|only|everything|all)\b"
    r"|\b(?:gehör\w+|komm\w+|steh\w+|heiß\w+|wird|werden|nehmen|nutzen|machen|ist|sind"
    r"|schreiben) (?:[^,.;]* )?bei uns\b"
    r"|\bbei uns (?:gehör\w+|komm\w+|steh\w+|heiß\w+|wird|werden|ist|sind|nimmt|schreibt|macht)\b"
    r"|\b(?:sont|est|vont|va|se mettent|s['’]écri\w+|utilise\w*|on \w+) [^,.;]*\bchez nous\b"
    r"|\bchez nous,? \w"
    r"|\b(?:van|se usan?|se escriben?|usamos) [^,.;]*\b(?:aquí|en este proyecto)\b"
    r"|\bу нас (?:\w+ ){0,3}(?:принято|пишут|используют|называют\w*|не)\b)",
    re.IGNORECASE,
)
# A wish that is over with the task: it names this place, this time, or the next step.
_ONE_OFF = (
    r"(?:please |so |and |but |then |now |also |just |ok(?:ay)?,? |great,? )*(?:run|re-?run|commit"
    r"|push|try|retry|continue|go (?:on|ahead)|redo|open"
    r"|show|check|look|fix|add|update|remove|delete|rename|move|create|implement|refactor|explain|tell"
    r"|give|find|merge|deploy|revert|undo|start"
    r"|begin|finish|proceed|write (?:a|the) tests?|make (?:the|a|it)|can you|could you)\b"
)
_LOCAL = (
    r"\b(?:here|this (?:time|one|function|file|case|test|class|method|line|loop|endpoint|page|pr"
    r"|branch|commit)|for now|right now|just once"
    r"|in this (?:function|file|case|test|class|method|pr|branch)|hier\b(?! bei uns)|diesmal|ici"
    r"|cette fois|aquí|esta vez|aqui|desta vez|qui\b"
    r"|stavolta|deze keer|tym razem|здесь|в этот раз|这里|这次|ここ|今回|여기|이번)"
)


# A word that takes back an earlier wish; without one it is about the task.
REVERSAL = re.compile(
    r"\W*+(?:(?:ok(?:ay)?|actually|hm+|sorry|no|and|but|also|oh|please)\b\W*+)*(?:scratch that"
    r"|forget (?:what|about|that rule)"
    r"|ignore what i said"
    r"|(?:let['’]?s )?go(?:ing)? back to|i take (?:that|it) back|on second thoughts?|(?:i"
    r"|we)(?:['’]ve| have)? changed"
    r"|.{1,60}\b(?:is|are) (?:fine|ok(?:ay)?|allowed) (?:now|again|after all)|you (?:can"
    r"|may) .{1,60}\b(?:again|now)\b"
    r"|doch (?:lieber|wieder)|vergiss,? was|(?:finalement|oublie ce que|olvida lo que|mejor"
    r"|esque[cç][ae] o que"
    r"|dimentica quello|toch liever|zapomnij|забудь)\b|忘了我说的|还是用|やっぱり|아까 말한)",
    re.IGNORECASE,
)
# What the product shall do for its users, which is a task: "always show the total in the header", "from now
# on the endpoint should return 404".
PRODUCT = re.compile(
    r"(?!.*\b(?:we|our|code ?base|project|repo\w*|team|commits?|tests?|code|pr|reviews?|docs?|wir|unser\w*"
    r"|nous|notre|nosotros|nuestr\w*)\b)"
    r"(?:.*\b(?:always|never|immer|nie|toujours|jamais|siempre|nunca|sempre) (?:\w+ ){0,6}?"
    r"(?:show|display|render|hide|scroll|redirect|anzeigen|anzeigt|ausblenden|afficher|affiche|mostrar|muestra"
    r"|mostra)\b"
    r"|.*(?:表示|显示)"
    r"|\W*(?:from now on|ab jetzt|desde ahora|à partir de maintenant),? (?:the|das|der|die|el|la|le) "
    r"[\w ]{1,40}(?:should|must|has to|returns?|shows?|soll\w*|muss|debe|doit)\b)",
    re.IGNORECASE,
)
# A complaint that begins like a wish ("siempre sale este error"), and a wish that says nothing.
COMPLAINT = re.compile(
    r"\W*(?:siempre (?:sale|da|falla|aparece|ocurre|pasa|me)\b|immer (?:kommt|gibt|tritt|schlägt|wenn)\b"
    r"|toujours (?:la même|une? erreur|cette)\b|sempre (?:dà|dá|falha|aparece|ocorre)\b"
    r"|总是(?:报错|失败|出错)|never do (?:that|this|it)(?: again)?\W*$)",
    re.IGNORECASE,
)
# Words of a wish that is over tomorrow.
SOON_OVER = re.compile(
    r"\b(?:tonight|(?<!from )tomorrow|this (?:week|afternoon|evening|morning)|heute (?:abend|nacht)|ce soir"
    r"|esta noche)\b|今晚|今夜",
    re.IGNORECASE,
)
# Words by which a correction holds for the whole project: "nobody formats money by hand in this codebase".
EVERYWHERE = re.compile(
    r"\b(?:(?:in|for|across) our (?!case\b)\w+|in (?:this|the) (?:repo(?:sitory)?|project"
    r"|code ?base|team|company|package|service)"
    r"|everywhere|anywhere"
    r"|always|never|nobody|no ?one|everyone|everybody|all (?:our|new|the other)|überall|nirgends"
    r"|niemand|bei uns|immer"
    r"|niemals?|partout|toujours|jamais|personne|chez nous|siempre|nunca|nadie|en todas partes|sempre"
    r"|ninguém|nessuno"
    r"|ovunque|overal|altijd|nooit|niemand|wszędzie|zawsze|nigdy|nikt|везде|всегда|никогда|никто|у нас)\b"
    r"|总是|从不|所有|到处|我们(?:这里|都)|必ず|常に|すべて|どこでも|항상|절대|모든",
    re.IGNORECASE,
)
# When a wish is only about the moment: "don't do it now", "not yet, after the release".
PASSING = re.compile(
    r"\b(?:yet|today|tomorrow|tonight|for now|right now|at the moment|this time|later|just once|until"
    r"|now(?=\W*$|[,.;!])"
    r"|first\W*$|after (?:the|this|we|that)|before (?:the|we) (?:release|merge|deploy)\w*|jetzt nicht"
    r"|noch nicht"
    r"|erst ?mal|später|heute|morgen|pas encore|plus tard|todavía no|ahora no|más tarde|ainda não"
    r"|agora não)\b"
    r"|先不|暂时|稍后|今は|後で|나중에|지금은",
    re.IGNORECASE,
)


def _joined(table: Mapping[str, str], before: str = r"\W*") -> re.Pattern[str]:
    return re.compile(before + "(?:" + "|".join(table.values()) + ")", re.IGNORECASE)


LASTING, DENIAL, REPORT = _joined(_LASTING, ""), _joined(_DENIAL), _joined(_REPORT, "")
DIRECTIVE, DECLARATION = _joined(_DIRECTIVE), _joined(_DECLARATION)
REASON, ONE_OFF, LOCAL = (
    re.compile(pattern, re.IGNORECASE) for pattern in (rf"\W*{_REASON}", rf"\W*{_ONE_OFF}", _LOCAL)
)
# Where a clause begins: a wish may follow after a comma.
CLAUSE = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|well|hey|hm+|thanks?|great|good|nice|cool|oh|btw|by the way"
    r"|one (?:more )?thing|also)\b\W*"
    r"(?:but |and |so )?)*|[,;:—–]\s*(?:and |but |so |und |aber )?|\s-\s|，|；|\b(?:and|but"
    r"|so) (?=remember|always|never|from now|next time|in future|in this (?:repo|project|codebase)"
    r"|we (?:always|never|only|prefer|avoid|use|keep|put|don['’]?t|do not)\b)"
)
# A denial that says nothing else.
BARE_DENIAL = re.compile(
    r"\W*(?:(?:no|nope|nah|stop|wait|wrong|actually|hold on|nein|nee|falsch|stopp?|halt|non|não|nee"
    r"|nie|нет|不|不对|不是|いや|違う|違います|아니요?"
    r"|아니)\b\W*)+(?:,? ?(?:that(?:['’]s| is| was)?|this is) (?:not (?:it|right|what i (?:meant"
    r"|wanted|asked(?: for)?)|how we do (?:it|that|things))"
    r"|wrong)(?: here)?|,? ?so nicht|,? ?das ist (?:falsch|nicht richtig))?\W*|that(?:['’]s"
    r"| is)? (?:wrong|not (?:it|right))\W*",
    re.IGNORECASE,
)
# A polite question that is a wish.
REQUEST = re.compile(
    r"\W*(?:can|could|would|will) (?:you (?:please |kindly )*|we (?:please |(?=in future|from now"
    r"|going)))(?=always|never|stop \w+ing|from now"
    r"|remember|make sure|in future|going forward)|\W*(?:kannst|könntest) du (?:bitte )?"
    r"(?=.*\b(?:immer|nie|ab jetzt|künftig)\b)",
    re.IGNORECASE,
)
# "Remember that for all new tables": what is meant stands in the sentence before.
BACKWARD = re.compile(
    r"\W*(?:please |and )?(?:remember|note|keep) (?:that|this|it)(?: in mind)?(?: (?:for|from|next|in"
    r"|when|on)\b|\W*$)|\W*(?:do|same|use) (?:that|this|it|so)"
    r" (?:for|from|in|everywhere|always)|\W*(?:always|never) (?:do )?(?:that|this|it|so)\b"
    r"|\W*from now on,?(?: please)?(?: always)?\W*$"
    r"|\W*that(?:['’]s| is) (?:a|our|the) (?:rule|convention|policy)|\W*merk dir das|\W*immer so\b"
    r"|\W*so (?:immer|künftig)\b",
    re.IGNORECASE,
)
# What is quoted in a sentence is not said by the user.
QUOTED = re.compile(
    r"`[^`\n]*`|\"[^\"\n]{3,}\"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|「[^」\n]*」"
    r"|(?<!\w)'[^'\n]{8,}'(?!\w)"
)
# A line that introduces what somebody else wrote.
LEAD_IN = re.compile(
    r"(?:readme|docs?|documentation|guide(?:lines?)?|contributing|wiki|log|output|error|trace|stack"
    r"|issue|ticket|comment|review|email|mail|slack"
    r"|message|spec|says?|said|wrote|writes|reads?|reported|following|below|here(?:['’]s| is| are)"
    r"|this|quote|paste\w*|\.md)\b[^:\n]{0,60}[:：]\s*$",
    re.IGNORECASE,
)
_ENGLISH = re.compile(
    r"\b(?:the|a|an|is|are|to|of|in|for|and|not|we|you|it|that|this|with|do|don['’]?t|never|always|use"
    r"|please|no|should|must|from|on|our)\b",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"\b(?:nicht|kein|keine|der|die|das|und|bitte|wir|ist|mit|ne|pas|les|des|une|nous|el|los|las|una"
    r"|por|que|para|não|uma|os|il|gli|della|che"
    r"|niet|het|een|wij|geen|nie|się|jest|det|och|inte|ikke|og|ei|nem|egy|bir|değil|için|bu|nu|este"
    r"|jsou|není|le|la|de|du|un|est|et|ici|jamais|en|es|se|si|del|al|lo|con|sin|di|da|per|sono|bei"
    r"|uns|im|zu"
    r"|auf|ein|eine|auch|nur|immer|van|op|zijn|na|są)\b",
    re.IGNORECASE,
)


def is_english(text: str) -> bool:
    """Whether a text seems to be English."""
    words = len(text.split())
    foreign = len(_FOREIGN.findall(text)) + sum(not one.isascii() and one.isalpha() for one in text)
    return words > 0 and len(_ENGLISH.findall(text)) >= foreign
