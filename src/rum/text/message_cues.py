"""The words by which an agent's message says what was done, why, what was decided against, and what is left.

Each table has one row for each language. A heading is compared from its beginning, a sentence anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

DONE, CAUSE, LESSON, CHOICE, WHY, REJECTED, LEFT, OPTIONAL, OPTION, RISK, ASSUMED, ASIDE = (
    *("done", "cause", "lesson", "choice", "why", "rejected", "left", "optional", "option", "risk"),
    *("assumed", "aside"),
)

# What a heading, or a label such as "Root cause:", says that its text is about.
_HEADINGS: dict[str, dict[str, str]] = {
    OPTIONAL: {
        "en": r".*\b(?:optional(?:ly)?|nice[- ]to[- ]have|if you (?:want|like)|suggestions?|ideas?|could also"
        r"|possible (?:follow[- ]?ups?|next steps?|improvements?|enhancements?))\b",
        "de": r".*\b(?:optional|vorschläge|ideen|mögliche)\b",
    },
    OPTION: {
        "en": r"(?:(?:two|three|four|some|several|a few|the|possible|your|here are(?: \w+)?"
        r"|there are(?: \w+)?"
        r"|i see(?: \w+)?) )*(?:options?|possibilities|ways|choices|candidates)\b(?! (?:considered"
        r"|discarded|not))",
        "de": r"(?:(?:zwei|drei|mögliche|es gibt(?: \w+)?) )*(?:optionen|möglichkeiten|varianten|wege)\b",
        "fr": r"(?:(?:deux|trois) )?(?:options|possibilités)\b",
        "es": r"(?:(?:dos|tres) )?(?:opciones|posibilidades)\b",
        "zh": r"(?:可选)?(?:方案|选项)",
    },
    LEFT: {
        "en": r"(?:open )?follow[- ]?ups?|(?:suggested |recommended )?"
        r"next(?: steps?| up|$)|to-?dos?\b|to do|remaining|outstanding|open (?:points?|items?|issues?|ends?"
        r"|questions?|tasks?|work)"
        r"|(?:what(?:['’]s| is) |still )?left\b|still (?:to do|open|needed|missing|needs|required)"
        r"|not (?:yet )?done"
        r"|(?:what |things? )?(?:i )?(?:did not|didn['’]t) (?:do|get to|finish)"
        r"|not (?:yet )?(?!(?:used|chosen|taken|needed|affected|related|required)\b)\w+ed$"
        r"|not (?:included|done)"
        r"|unfinished|future work|later|deferred|pending|out of scope|action items?"
        r"|before (?:you )?(?:merg|deploy)",
        "de": r"nächste[rn]? schritte?|noch (?:offen|zu tun|zu erledigen)|offene?(?: punkte?|s)?$"
        r"|offen\b|ausstehend"
        r"|folgearbeit|zu tun|restarbeit|was (?:noch )?fehlt|nicht erledigt",
        "fr": r"prochaines? étapes?|reste à faire|à faire|à suivre|points? ouverts?|suite",
        "es": r"próximos? pasos?|siguientes? pasos?|pendientes?|por hacer|queda por hacer"
        r"|tareas pendientes",
        "pt": r"próximos? passos?|pendências|pendentes?|a fazer|por fazer|falta fazer",
        "it": r"prossimi passi|da fare|in sospeso|resta da fare|punti aperti",
        "nl": r"volgende stap(?:pen)?|nog te doen|openstaand|te doen|vervolg",
        "pl": r"następne kroki|kolejne kroki|do zrobienia|pozostało|pozostałe",
        "ru": r"следующи[ей] шаги?|осталось|что осталось|дальнейшие шаги|не сделано|дальше",
        "zh": r"后续|下一步|待办|遗留|剩余|未完成|尚未",
        "ja": r"次の(?:ステップ|作業)|残(?:作業|タスク|件)|今後|未対応|未完了|TODO",
        "ko": r"다음 단계|남은 (?:작업|일)|후속|할 일|미완료",
    },
    REJECTED: {
        "en": r"alternatives?|rejected|(?:options? )?(?:considered|discarded|not (?:chosen|taken"
        r"|used))|decided against"
        r"|what (?:i )?(?:did not|didn['’]t) (?:work|help|use|take)|what i (?:tried"
        r"|considered)\b(?!.*\bworked)"
        r"|(?:tried|failed attempts|dead ends)\b|why not\b|other (?:options|approaches)|ruled out"
        r"|not chosen",
        "de": r"alternativen?|verworfen|nicht gewählt|dagegen entschieden|warum nicht",
        "fr": r"alternatives?|écarté|options? (?:écartées?|rejetées?)|pourquoi pas",
        "es": r"alternativas?|descartad|opciones descartadas|por qué no",
        "pt": r"alternativas?|descartad|por que não",
        "it": r"alternative?|scartat|perché non",
        "nl": r"alternatie(?:f|ven)|verworpen|waarom niet",
        "pl": r"alternatyw|odrzucone|dlaczego nie",
        "ru": r"альтернатив|отклонен|отвергнут|почему не",
        "zh": r"备选|替代方案|其他方案|未采用|放弃的方案|为什么不",
        "ja": r"代替案|検討した|却下|採用しなかった|不採用",
        "ko": r"대안|기각|채택하지",
    },
    WHY: {
        "en": r"rationale|reasoning|trade-?offs?|why (?:this|i|we|it is|so|the (?:change|fix|design)|a"
        r"|an)\b|reasons? for",
        "de": r"begründung|abwägung|warum (?:so|diese|dieser|ich|wir)",
        "fr": r"justification|pourquoi (?:ce|cette|ainsi)|compromis",
        "es": r"justificación|por qué (?:est[ea]|así)",
        "pt": r"justificativa|por que (?:est[ea]|assim)",
        "it": r"motivazione|perché (?:quest|così)",
        "nl": r"afweging|waarom (?:zo|deze|dit)",
        "pl": r"uzasadnienie|dlaczego (?:tak|ten|to)",
        "ru": r"обоснование|почему (?:так|этот|именно)",
        "zh": r"为什么(?:这样|选)|理由|取舍",
        "ja": r"理由|なぜこの",
        "ko": r"이유",
    },
    CHOICE: {
        "en": r"(?:design )?decisions?|approach|design",
        "de": r"entscheidung|ansatz",
        "fr": r"décision|approche|choix",
        "es": r"decisi[óo]n|enfoque",
        "pt": r"decis(?:ão|ões)|abordagem",
        "it": r"decision[ei]|approccio|scelta",
        "nl": r"beslissing|aanpak|keuze",
        "pl": r"decyzj|podejście",
        "ru": r"подход|выбор",
        "zh": r"决策|决定|设计|方案选择",
        "ja": r"決定|判断|設計|方針",
        "ko": r"결정|설계|접근",
    },
    CAUSE: {
        "en": r"(?:the )?(?:root |actual |real |underlying |likely )?causes?\b|why\b"
        r"|(?:the )?(?:actual |real )?problem"
        r"|(?:the )?(?:issue|bug)\b|diagnos[ie]s|explanation|what (?:was|went|is) wrong|what happened"
        r"|reason\b"
        r"|analysis|(?:key )?findings?|what i found|background|culprit",
        "de": r"(?:die )?(?:grund|haupt|fehler)?ursachen?\b|(?:das )?(?:eigentliche )?problem|grund\b|warum"
        r"|was (?:war|ist) (?:los|passiert|falsch)|hintergrund|diagnose|erklärung|befund|analyse"
        r"|erkenntnis",
        "fr": r"(?:la )?cause|(?:le )?problème|pourquoi|diagnostic|explication|origine|analyse|constat",
        "es": r"(?:la )?causa|(?:el )?problema|por qué|diagnóstico|explicación|origen|análisis|hallazgos",
        "pt": r"(?:a )?causa|(?:o )?problema|por qu[eê]|diagnóstico|explicação|origem|análise",
        "it": r"(?:la )?causa|(?:il )?problema|perché|diagnosi|spiegazione|origine|analisi",
        "nl": r"(?:de )?oorzaak|(?:het )?probleem|waarom|diagnose|uitleg|analyse",
        "pl": r"przyczyn|problem|dlaczego|diagnoza|wyjaśnienie|analiza",
        "ru": r"(?:корневая |основная )?причин|проблема|почему|диагноз|объяснение|анализ",
        "zh": r"(?:根本)?原因|根因|问题|诊断|分析|为什么",
        "ja": r"(?:根本)?原因|問題|診断|調査結果|分析|なぜ",
        "ko": r"(?:근본 )?원인|문제|진단|분석|왜",
    },
    LESSON: {
        "en": r"(?:lessons?|learnings?|learned|what i learned|takeaways?|(?:key )?insights?|gotchas?"
        r"|worth knowing"
        r"|good to know|watch out)\b",
        "de": r"gelernt|lehren?\b|merke|wissenswert|stolperfalle",
        "fr": r"leçons?|à retenir|enseignements?",
        "es": r"lecci|aprendizaje|lo aprendido",
        "pt": r"liç|aprendizado|lições",
        "it": r"lezion|da ricordare",
        "nl": r"geleerd|lessen",
        "pl": r"wnioski|lekcj",
        "ru": r"выводы|уроки",
        "zh": r"经验|教训|心得|要点",
        "ja": r"学び|教訓|知見",
        "ko": r"교훈|배운",
    },
    RISK: {"en": r"risks?\b|caveats?|limitations?|known (?:issues?|limits?|limitations?)", "de": r"risik"},
    ASSUMED: {"en": r"assum", "de": r"annahme"},
    DONE: {
        "en": r"summary|what (?:i|was) (?:did|done|changed|built|added)|(?:the )?(?:changes?|fix"
        r"|solution|result|outcome"
        r"|implementation)\b|what changed|done\b|tl;?dr|overview|in short|conclusion|answer",
        "de": r"zusammenfassung|änderung|lösung|ergebnis|erledigt|umgesetzt|was (?:ich )?(?:geändert"
        r"|gemacht)|fazit",
        "fr": r"résumé|changements?|solution|résultat|correction|modifications?",
        "es": r"resumen|cambios?|solución|resultado|corrección",
        "pt": r"resumo|mudanças?|alterações|solução|resultado|correção",
        "it": r"riepilogo|riassunto|modifiche|soluzione|risultato|correzione",
        "nl": r"samenvatting|wijziging|oplossing|resultaat",
        "pl": r"podsumowanie|zmiany|rozwiązanie|wynik",
        "ru": r"итог|изменения|решение|результат|что сделано|кратко",
        "zh": r"总结|摘要|修改|改动|变更|解决|结果|修复|完成",
        "ja": r"まとめ|概要|変更|修正|対応|結果|解決",
        "ko": r"요약|변경|수정|해결|결과",
    },
    ASIDE: {
        "en": r"(?:tests?|testing|verification|verified|checks?|how to (?:test|run|use|verify)|usage"
        r"|example|files?"
        r"|(?:changed|modified|touched) files?|files? (?:changed|modified|touched)|commands?|output"
        r"|references?)\b",
        "de": r"tests?\b|geprüft|überprüfung|verwendung|dateien|beispiel",
    },
}

# What a sentence says, wherever it stands.
_SENTENCES: dict[str, dict[str, str]] = {
    REJECTED: {
        "en": r"\b(?:decided|chose|opted|elected) (?:against|not to)\b|\b(?:rejected|ruled out"
        r"|discarded|dismissed)\b"
        r"(?=.*\b(?:because|since|as|due|for|it|would|idea|approach|option)\b)"
        r"|\b(?:considered|thought about|looked at|tried|experimented with|evaluated)\b.*?\bbut\b"
        r"|\b(?:did not|didn['’]t|do not|don['’]t|deliberately not|intentionally not) "
        r"(?:use|go with|choose|pick|take|adopt|switch to|add|introduce|reach for)\b"
        r"(?=.*\b(?:because|since|as|due to|would)\b)"
        r"|\b(?:was|is)(?: not|n['’]t) an option\b|\bwould(?: not"
        r"|n['’]t) (?:have )?work(?:ed)?\b.*\b(?:because|since|as)\b"
        r"|\bavoided\b.*\b(?:because|since|as)\b",
        "de": r"\b(?:dagegen|gegen\b.{1,80}?) ?entschieden|\bverworfen\b|\b(?:bewusst"
        r"|absichtlich) (?:nicht|kein)"
        r"|\berwogen\b.*\baber\b|\bkam nicht in frage\b|\bnicht (?:gewählt|genommen"
        r"|verwendet)\b.*\b(?:weil|da|denn)\b",
        "fr": r"\b(?:écarté|rejeté|renoncé à|décidé de ne pas)\b|\benvisagé\b.*\bmais\b",
        "es": r"\b(?:descart[ée]|descartamos|descartado|decidí no|rechac[ée])|\bconsider[ée]\b.*\bpero\b",
        "pt": r"\b(?:descartei|descartamos|descartad[oa]|decidi não|rejeitei)\b|\bconsiderei\b.*\bmas\b",
        "it": r"\b(?:scartat[oa]|ho deciso di non|rifiutat[oa])\b|\bvalutato\b.*\bma\b",
        "nl": r"\b(?:verworpen|besloten (?:om )?niet|afgewezen)\b|\boverwogen\b.*\bmaar\b",
        "pl": r"\b(?:odrzuci\w+|zdecydowa\w+ się nie|zrezygnowa\w+)|\brozważa\w+.*\bale\b",
        "ru": r"\b(?:отказал\w*|решил\w* не|отверг\w*|отбросил\w*)|\bрассматривал\w*.*\bно\b",
        "zh": r"没有采用|不采用|未采用|放弃了|否决|考虑过.*但|决定不",
        "ja": r"採用しなかった|採用せず|見送|却下|検討した.*が|やめ(?:た|ました)",
        "ko": r"채택하지 않|사용하지 않기로|기각|고려했지만|하지 않기로",
    },
    LEFT: {
        "en": r"^(?:todo|fixme)\b|\btodo:|\b(?:as|for|in|needs?) (?:a |an )?(?:separate |later "
        r"|future )?follow[- ]?up\b"
        r"|^follow[- ]?ups?\b|\bnext steps?\b|\bstill (?:needs?|to do|to be|open|missing|has to"
        r"|have to|requires?|left"
        r"|outstanding|lacks?|unverified|untested)\b"
        r"|\bremains? (?:to |open|un\w+|outstanding)|\bremaining (?:work|steps?|tasks?|callers?|items?)\b"
        r"|\b(?:is|are|was|were) (?:deliberately |intentionally )?left (?:to do|undone|open|for)\b"
        r"|\bleft (?:to do|undone|for (?:later|now|a |another|you|the next))"
        r"|\bleft (?:it|that|this|them|those|these|(?:the |both )?[\w./`-]+) for (?:now|later|another|you"
        r"|the next|a (?:follow|later|separate|different))"
        r"|\b(?:same|also|too|as well)\b.*\bleft (?:it|that|this|them|those)\b|\bout of scope\b"
        r"|\b(?:in|for|as|needs?|deserves?) (?:a |an )?(?:separate|another|later|future) "
        r"(?:pr|pull request|change|commit|issue|ticket|task|pass)\b"
        r"|\b(?:ha(?:s|ve)|is|are)(?: not|n['’]t) (?:yet )?(?:been )?(?:done|migrated|tested|covered"
        r"|converted|updated"
        r"|implemented|fixed|handled|deployed|verified|run|addressed|ported|wired|cleaned"
        r"|documented)\b(?!.*\bbecause\b)"
        r"|\bI (?:did not|didn['’]t|have not|haven['’]t) (?:yet )?(?:run|test|tested|verif\w+|check\w*"
        r"|migrat\w+|port\w*"
        r"|convert\w*|deploy\w*|cover\w*|benchmark\w*|measur\w+|finish\w*|get to)\b(?!.*\bbecause\b)"
        r"|\b(?:same|also|too|as well)\b.*\b(?:did not|didn['’]t|have not|haven['’]t) (?:touch|chang|fix)"
        r"|\b(?:did not|didn['’]t|have not|haven['’]t) (?:touch|chang|fix)\w*\b.*\b(?:same|also|too"
        r"|yet|either)\b"
        r"|(?:\bnot|n['’]t)\b[^.;]*\byet\b|\bnext (?:thing|idea) (?:to try|i would try|would be)\b"
        r"|\bhave(?: not|n['’]t) tried\b|\b(?:is|are) next\W*$|\bso far\W*$|\bran out of time\b"
        r"|\byou(?:['’]ll| will)? (?:still )?(?:need|have) to\b|\bneeds? to be (?:run|deployed"
        r"|migrated|restarted|set|applied"
        r"|enabled|updated|done|fixed|removed|cleaned|backfilled|rotated)\b"
        r"|\bshould (?:also |still |probably |eventually )*(?:be )?\w+.*\b(?:later|next|soon"
        r"|separately|at some point"
        r"|eventually|as well|before (?:the )?(?:merg|deploy|releas)\w*)\b",
        "de": r"\boffen (?:ist|sind|bleib(?:t|en))\b|\bnoch (?:offen|zu tun|zu erledigen|nicht"
        r"|ausstehend|zu prüfen)\b|\b(?:muss|müssen"
        r"|sollten?|fehlt|fehlen)"
        r" (?:\w+ ){0,4}noch\b|\bnoch\b.{0,60}\bwerden\b$|\bsteh(?:t|en) noch aus\b|\bals nächstes\b"
        r"|\bnächster schritt\b"
        r"|\b(?:vorerst|erst ?(?:ein)?mal|fürs erste)\b.*\bgelassen\b"
        r"|\bbleibt (?:noch )?(?:zu|offen)\b|\bnicht angefasst\b.*\b(?:auch|gleiche|selbe|noch)\b"
        r"|\b(?:gleiche|selbe|auch)\b.*\bnicht angefasst\b|\bin einem (?:eigenen|separaten|späteren) pr\b",
        "fr": r"\bil manque\b|\b(?:il )?reste (?:à|encore)|\breste à faire\b|\bprochaine étape\b"
        r"|\bpas encore\b"
        r"|\bil faut(?:dra)? encore\b",
        "es": r"\b(?:queda|quedan|falta|faltan) (?:por |aún )?\w+|\bpendiente\b|\bpróximo paso\b"
        r"|\btodavía no\b|\baún no\b",
        "pt": r"\b(?:falta|faltam|resta|restam)\b|\bpendente\b|\bpróximo passo\b|\bainda não\b",
        "it": r"\b(?:resta|restano) da\b|\bmanca(?:no)? ancora\b|\bprossimo passo\b|\bnon ancora\b"
        r"|\bancora da\b",
        "nl": r"\bmoet(?:en)? nog\b|\bnog niet\b|\bnog te doen\b|\bvolgende stap\b|\bstaat nog open\b",
        "pl": r"\btrzeba jeszcze\b|\bpozostaj?e\b|\bpozostało\b|\bdo zrobienia\b|\bjeszcze nie\b"
        r"|\bnastępny krok\b",
        "ru": r"\bосталось\b|\b(?:ещё|еще) (?:нужно|надо|не)\b|\bнужно (?:ещё|еще)\b|\bпока не\b"
        r"|\bследующий шаг\b",
        "zh": r"尚未|还剩|剩下|还没|还需要|还需|有待|未处理|下一步|后续(?:需要|工作|要)|待办|仍需",
        "ja": r"まだ|残って|今後|未対応|次のステップ|別途",
        "ko": r"아직|남아 ?있|추후|다음 단계|후속",
    },
    CHOICE: {
        "en": r"(?:\b(?:I|we)(?:['’]ve| have)? (?:\w+ly )?|^(?:so |therefore )?)(?:chose|picked"
        r"|went with|opted|kept|used"
        r"|preferred|decided|settled on|stuck with|stayed with|left)\b(?=.*\b(?:because|since|so that"
        r"|instead of|rather than"
        r"|to avoid|over|as (?:it|that|this|they|the))\b)|\b(?:the )?(?:reason for|trade-?off)\b",
        "de": r"\b(?:ich|wir)\b.*\b(?:entschieden|gewählt|genommen|verwende\w*|nutze\w*|behalten)\b.*"
        r"\b(?:weil|statt|anstatt|damit|da|denn)\b|\b(?:habe|haben) (?:mich|uns) für\b"
        r"|\b(?:statt|anstatt)\b.*\b(?:weil|damit|da|denn)\b",
        "fr": r"\b(?:j['’]ai|nous avons) (?:choisi|préféré|gardé|utilisé|opté)\b.*\b(?:parce que|car"
        r"|plutôt que|au lieu|afin)",
        "es": r"\b(?:elegí|preferí|opté|usé|mantuve|decidí)\b.*\b(?:porque|en lugar|en vez|para)\b",
        "pt": r"\b(?:escolhi|preferi|optei|usei|mantive|decidi)\b.*\b(?:porque|em vez|para)\b",
        "it": r"\b(?:ho|abbiamo) (?:scelto|preferito|usato|tenuto|deciso|optato)\b.*\b(?:perché|invece"
        r"|anziché|per)\b",
        "nl": r"\b(?:gekozen|gebruik|besloten)\b.*\b(?:omdat|in plaats van|zodat)\b",
        "pl": r"\b(?:wybra\w+|użyłem|użyłam|zdecydowa\w+)\b.*\b(?:ponieważ|bo|zamiast|żeby)\b",
        "ru": r"\b(?:выбрал\w*|решил\w*|использовал\w*|оставил\w*)\b.*\b(?:потому что|вместо|чтобы"
        r"|так как)\b",
        "zh": r"(?:选择|采用|使用|决定).*(?:因为|而不是|以避免|以便)",
        "ja": r"(?:選|採用|使用|使い).*(?:ため|ので|代わり)",
        "ko": r"(?:선택|사용|채택).*(?:때문|대신|위해)",
    },
    ASSUMED: {
        "en": r"\b(?:I|we)(?:['’]m| am|['’]ve| have)? assum(?:ed|ing|e)\b|^assum(?:ed|ing)\b",
        "de": r"\bangenommen\b",
    },
    CAUSE: {
        "en": r"\broot cause\b|\b(?:underlying|actual|real|main) (?:cause|problem|issue|culprit|reason"
        r"|bug)\b|\bculprit\b"
        r"|\bthe (?:\w+ )?(?:problem|issue|bug|cause|reason|failure|crash|error|leak|slowness"
        r"|regression|flake|deadlock)s?"
        r" (?:was|were|is|came|comes|happen(?:s|ed)|lies|lay|stem(?:s|med))\b"
        r"(?! (?:now |finally )?(?:gone|fixed|solved|resolved|still|no longer|there|back|not|reported"
        r"|that you)\b)"
        r"|\bturn(?:s|ed) out\b"
        r"|\b(?:was|is|were|are) (?:caused|triggered) by\b|\bstem(?:s|med) from\b|\bdue to\b|\bbecause\b"
        r"|\bwhich (?:is|was) why\b|\bsince (?:the|it|that|this|each|every|no|we|\w+\(\))\b",
        "de": r"\bursachen?\b|\bgrund (?:war|ist|dafür)\b|\blag (?:daran|an)\b|\bliegt (?:daran|an)\b"
        r"|\bweil\b|\bwegen\b"
        r"|\bdas problem (?:war|ist)\b|\bdenn\b|\bstellte sich heraus\b",
        "fr": r"\b(?:la )?cause\b|\bparce qu|\bcar\b|\bà cause d|\ble problème (?:était|venait|est"
        r"|vient)\b|\bdû à\b",
        "es": r"\bla causa\b|\bporque\b|\bdebido a\b|\bel problema (?:era|es|estaba)\b|\bya que\b",
        "pt": r"\ba causa\b|\bporque\b|\bdevido a\b|\bo problema (?:era|é|estava)\b|\bpois\b",
        "it": r"\bla causa\b|\bperché\b|\ba causa d|\bil problema (?:era|è)\b|\bdovuto a\b",
        "nl": r"\boorzaak\b|\bomdat\b|\bdoordat\b|\bhet probleem (?:was|is)\b|\bkwam door\b",
        "pl": r"\bprzyczyn\w+|\bponieważ\b|\bproblem(?:em)? (?:był|jest|polegał)\w*|\bz powodu\b",
        "ru": r"\bпричин\w+|\bпотому что\b|\bиз-за\b|\bпроблема (?:была|в том|заключал)\w*|\bтак как\b",
        "zh": r"因为|由于|原因|根因|导致|问题(?:是|在于)",
        "ja": r"原因|ため(?:です|でした|、)|なぜなら|ので",
        "ko": r"때문|원인|탓",
    },
}

# A past tense or a negation.
_WAS = (
    r"\b(?:never|not|\w+n['’]t|only|always|twice|was|were|had|did|\w{3,}ed|ran|read|kept|left|lost|took|got|went"
    r"|made|gave|came|saw|held|built|sent|wrote|broke|threw|fell|failed)\b"
)
# What was wrong, and what came of it: "it never closed the file, so the next call failed". What somebody did
# then, or what is so now, is no consequence of a fault.
_CONSEQUENCES: dict[str, str] = {
    "en": rf"^(?!(?:i|we|you|so|now)\b)(?!.*\bnow\b)[^;:]{{0,200}}{_WAS}[^;:]{{0,200}}[,;] (?:and )?so "
    rf"(?!(?:that|i|we|you)\b).{{0,200}}{_WAS}",
    "de": r"^(?!.*\b(?:jetzt|nun|ich|wir)\b).*[,;] (?:deshalb|daher|deswegen|darum|sodass|so dass)\b",
    "fr": r"^(?!.*\b(?:maintenant|désormais|je|nous)\b|.*\bj['’]).*[,;] (?:donc|si bien que)\b",
    "es": r"^(?!.*\b(?:ahora|hemos|he)\b).*[,;] (?:por eso|así que|por lo que)\b",
    "pt": r"^(?!.*\bagora\b).*[,;] (?:por isso|então)\b",
    "it": r"^(?!.*\b(?:ora|adesso|ho|abbiamo)\b).*[,;] (?:quindi|perciò|così)\b",
    "nl": r"^(?!.*\b(?:nu|ik|we|wij)\b).*[,;] (?:dus|daardoor|waardoor)\b",
    "pl": r"^(?!.*\bteraz\b).*[,;] (?:więc|dlatego)\b",
    "ru": r"^(?!.*\b(?:теперь|я|мы)\b).*[,;] (?:поэтому|так что)\b",
    "zh": r"^(?!.*(?:现在|我)).*(?:所以|因此)",
    "ja": r"^(?!.*今は).*(?:そのため|だから|ため、)",
    "ko": r"^(?!.*이제).*(?:그래서|따라서|때문에)",
}


def _joined(table: Mapping[str, Mapping[str, str]], before: str) -> dict[str, re.Pattern[str]]:
    return {
        meaning: re.compile(before + "(?:" + "|".join(rows.values()) + ")", re.IGNORECASE | re.MULTILINE)
        for meaning, rows in table.items()
    }


# A heading may begin with a number, an emoji or a sign.
_HEADING_PATTERNS = _joined(_HEADINGS, r"^\W*(?:\d+[.)]\s*)?")
_SENTENCE_PATTERNS = _joined(_SENTENCES, "")
_CONSEQUENCE = re.compile("|".join(_CONSEQUENCES.values()), re.IGNORECASE)

NO_REASON = re.compile(r"\W*as (?:it|they|he|she|that|this) (?:is|are|was|were)\W*$", re.IGNORECASE)
# A word that separates a decision from its reason.
REASON = re.compile(
    r"(?:,|;|:| [—–-])?\s*(?:\b(?:because|since|due to|so that|as (?=(?:it|that|this|they|the|we"
    r"|there)\b)|weil|denn|parce qu[e']"
    r"|porque|omdat|ponieważ|потому что|так как|perché)\b)\s*|因为|由于",
    re.IGNORECASE,
)
# A sentence that has the words of a decision against something, but tells what a program refuses, what could
# not be done, or what was thought of and is fine.
NOT_REJECTED = re.compile(
    r"^(?!.*\b(?:i|we)\b)(?!.*\b(?:idea|approach|option|alternative|variant|solution|way|library|design)\b)"
    r"[^,;]{0,120}\b(?:the|an?|its?|all|every|some|\w+s)\b[^,;]{0,120}"
    r"\b(?:rejects?|rejected|discards?|discarded|dismiss\w*|avoid\w*)\b"
    r"|\btried to (?:reproduce|find|run|install|reach|connect|access|fetch|download|open|load)\b"
    r"|\b(?:considered|thought about|looked at) (?:\w+ ){0,4}(?:cases?|inputs?|values?|lists?|whether)\b",
    re.IGNORECASE,
)
# What is said to have been decided against, up to its reason.
AGAINST = re.compile(
    r"\b(?:(?:decided|chose|opted|elected) (?:against|not to (?:use|add|go with|introduce|switch to"
    r"|adopt)?)"
    r"|(?:considered|thought about|looked at|tried|evaluated|experimented with|rejected|ruled out"
    r"|discarded|dismissed|avoided)"
    r"|(?:did not|didn['’]t|do not|don['’]t) (?:use|go with|choose|pick|take|adopt|switch to|add"
    r"|introduce|reach for)"
    r"|gegen|verworfen(?: habe ich)?|erwogen"
    r"|descart[ée]|descartei|scartato|écarté|renoncé à|odrzuci\w+|отказал\w* от|отверг\w*"
    r")[\s:]+(?P<what>.+?)"
    r"(?:(?:,|;|:| [—–-])?\s+(?:but|because|since|due to|as|aber|weil|da|denn|entschieden|mais|car"
    r"|parce que|pero|porque|mas|ma"
    r"|perché|ale|bo|ponieważ|но|потому что|так как)\b[\s,:]*(?P<why>.*))?$",
    re.IGNORECASE | re.DOTALL,
)
INSTEAD = re.compile(
    r"\b(?:instead of|rather than|statt|anstatt|au lieu d[e']|plutôt que|en lugar de|en vez de"
    r"|em vez de|invece di|anziché"
    r"|in plaats van|zamiast|вместо)\s+(?P<what>[^,.;:]+?)"
    r"(?=\s+(?:because|since|so that|as (?:it|that|this|they|the)|to avoid|which|and|weil|da|denn"
    r"|damit|porque|parce|car|perché"
    r"|omdat|ponieważ|потому)\b|[,.;:]|$)",
    re.IGNORECASE,
)
# Nothing is left: "No follow-ups", "None".
_QUOTED = re.compile(r"`[^`\n]+`|\"[^\"\n]{2,}\"|“[^”\n]+”|„[^“”\n]+[“”]|«[^»\n]+»|「[^」\n]+」")
NOTHING = re.compile(
    r"^\W*(?:none|nothing|no\b|n/?a\b|keine?\b|nichts|aucun|rien|ningun|nada|nenhum|nessun|niente|geen"
    r"|brak|нет|无|なし|없음)",
    re.IGNORECASE,
)
# A sentence that has the words of one that says what is left, but tells what the code does, or did before.
NOT_LEFT = re.compile(
    r"^(?:i )?(?:added|fixed|changed|implemented|made|wrote|moved|updated|extended|created|renamed|removed)\b"
    r"[^,;]*\b(?:that|which|who)\b"
    r"|\b(?:that|which|who) (?:are|is|were|was|have|has)(?: not|n['’]t) yet\b.*\bnow\b"
    r"|\bnow (?:it |they )?(?:does|do|is|are|works?|handles?)\b"
    r"|\b(?:is|are) (?:fixed|done|solved|gone)\b\W*(?:now)?\W*$"
    r"|\bas (?:before|it was|they were)\W*$|\bwie bisher\W*$|\bcomme avant\W*$|\bcomo antes\W*$"
    r"|\b(?:returns?|shows?|gives?|prints?|lists?|opens?|displays?) (?:the |a )?next steps?\b"
    r"|\b(?:offen|übrig) (?:ist|sind|bleibt) (?:nichts|keine?)\b|\bno queda\w* nada\b|\bne reste rien\b",
    re.IGNORECASE,
)
NOTHING_LEFT = re.compile(
    r"\b(?:no|nothing|none|zero|keine?n?|nichts)\b[^.]{0,40}\b(?:follow|next step|left|remain|open"
    r"|todo|outstanding|pending"
    r"|offen|needed|required|tun)",
    re.IGNORECASE,
)
# A guess, and a cause that is denied.
GUESS = re.compile(
    r"\b(?:might|may|could) (?:also )?(?:be|have|come|stem)\b|\b(?:perhaps|maybe|possibly|probably"
    r"|presumably|apparently"
    r"|(?:i|we) (?:suspect|guess|think|believe|assume)|(?:most )?likely|seems?(?: to)?|not sure"
    r"|unclear|my guess|könnte|dürfte|pourrait|podrían?|poderia|potrebbe|zou kunnen"
    r"|vielleicht|vermutlich|wahrscheinlich|wohl|anscheinend|peut-être|sans doute|probablement"
    r"|quizá[s]?|tal vez"
    r"|probablemente|talvez|provavelmente|forse|probabilmente|misschien|waarschijnlijk|może|prawdopodobnie"
    r"|возможно|вероятно|наверное)\b|可能|也许|大概|かもしれ|おそらく|たぶん|아마",
    re.IGNORECASE,
)
# A suspicion that was dropped, and words by which the same sentence says what it was instead.
_SUSPECTED = re.compile(
    r"\b(?:first|initially|originally) (?:thought|suspected|assumed|believed|blamed|guessed)\b"
    r"|\b(?:thought|suspected|assumed|believed) (?:at )?(?:first|initially)\b|\bmy (?:first|initial) (?:guess"
    r"|suspicion|theory|thought|idea)\b|\b(?:zuerst|zunächst|erst) (?:dachte|vermutete|glaubte)\b"
    r"|\bd['’]abord (?:cru|pensé|soupçonné)\b|\b(?:primero|al principio) (?:pensé|creí|sospeché)\b"
    r"|(?:一开始|起初|最初)(?:以为|怀疑)|最初は.{0,30}(?:思|疑)",
    re.IGNORECASE,
)
_TURNED_OUT = re.compile(
    r"\b(?:but|however|actually|instead|turned out|aber|sondern|mais|pero|sino|mas|ma)\b|但|实际|しかし|実際",
    re.IGNORECASE,
)
# A cause that is none: "Root cause: not found yet".
UNKNOWN = re.compile(
    r"\W*(?:(?:still |as yet )?(?:unknown|unclear|not (?:yet )?(?:found|known|clear|identified|determined))"
    r"|n/a\b|none\b|unbekannt|unklar|noch (?:unbekannt|unklar|nicht)|inconnue?|pas (?:encore )?trouvé"
    r"|desconocid[ao]|no (?:se )?(?:sabe|encontrad\w+)|未知|不明|尚未)",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:likely|possible|probable|suspected|potential|presumed|assumed|vermutlich\w*|möglich\w*"
    r"|wahrscheinlich\w*|posible|possível|provável|probabile)\b|可能|推测|推定|疑",
    re.IGNORECASE,
)


def is_dropped(sentence: str) -> bool:
    """Whether a sentence tells of a suspicion that was dropped, and not of what it was instead."""
    return _SUSPECTED.search(sentence) is not None and _TURNED_OUT.search(sentence) is None


DENIED = re.compile(
    r"\b(?:not|n['’]t) (?:because|due to|caused by|the (?:cause|reason|problem))\b|\b(?:nicht"
    r"|kein\w*) (?:die ursache|der grund|an)\b",
    re.IGNORECASE,
)
# What the agent asks of the user or offers to do.
ASKS = re.compile(
    r"[?？]\s*$|^\W*(?:let me know|tell me|shall i|should i|want me|would you|do you"
    r"|(?:if|should) you(?:['’]d| would)? (?:ever )?(?:want|like|prefer)"
    r"|happy to|feel free|say the word|just say|i can also|i could also|optional(?:ly)?\b|consider \w+ing"
    r"|you (?:could|may|might|can)(?: also| want to)?\b|i(?:['’]d| would) (?:also )?(?:recommend|suggest)"
    r"|it (?:might|may|could) be (?:worth|nice|good)|(?:one|man) (?:could|könnte)|worth considering"
    r"|down the road"
    r"|si (?:tu|vous) (?:veux|voulez|le souhait)|(?:on|tu|vous) pourr|si (?:quieres|lo deseas)"
    r"|se (?:você )?quiser"
    r"|se vuoi|als je wilt|jeśli chcesz|если (?:хочешь|хотите|нужно)|如果(?:需要|你|您)|需要的话"
    r"|必要(?:であれば|なら)"
    r"|ご希望|원하시면|필요하시면|soll ich|wenn du (?:magst"
    r"|willst|möchtest)|du könntest|sag)",
    re.IGNORECASE,
)
# Sentences that say nothing about the work.
# A sentence that says that checks pass, and words by which it may say something else.
_CHECKS_PASS = re.compile(
    r"\b(?:tests?|specs?|checks?|suite|lint\w*|build|ci|everything|all)\b[^.]{0,60}"
    r"\b(?:pass(?:es|ed|ing)?|green|clean|ok|fine|succeed\w*)\b"
    r"|\b(?:tests?|alles?|prüfung\w*)\b[^.]{0,40}\b(?:grün|laufen|besteh\w*|durch)\b"
    r"|\b(?:tests?|suite|tout)\b[^.]{0,40}\b(?:passent?|verte?s?|réussi\w*)\b"
    r"|\b(?:pruebas?|tests?|testes?|todo|tudo|tutti)\b[^.]{0,40}\b(?:pasan?|verdes?|passam?|passano?)\b"
    r"|测试[^。]{0,12}通过|全部通过|テスト[^。]{0,20}(?:通|成功|パス)|테스트[^.]{0,20}통과",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|only|but|except|unless|if|before|once|nicht|kein\w*|aber|bis auf|ne|pas|mais|sauf|no|pero"
    r"|salvo|não|mas|non|ma)\b|n['’]t\b|没|未|不|但|ない|ません|ただし|않|못",
    re.IGNORECASE,
)


def says_checks_pass(sentence: str) -> bool:
    """Whether a sentence says, without reservation, that checks pass."""
    return _CHECKS_PASS.search(sentence) is not None and _DENIES.search(sentence) is None


FILLER = re.compile(
    r"^\W*(?:done|all (?:done|set|good)|great(?: news)?|perfect|excellent|sure(?: thing)?|ok(?:ay)?"
    r"|right|good (?:catch|point|question)"
    r"|you(?:['’]re| are) (?:absolutely |quite |completely )?right|got it|understood|here(?:['’]s"
    r"| is) (?:a |the |what )?[^.]*"
    r"|(?:now |i['’]?(?:m| am) )?waiting (?:for|on) [^.]*"
    r"|i(?:['’]ll| will) (?:wait|let you know|report back)[^.]*"
    r"|fertig|erledigt|alles klar|gerne|fait|listo|hecho|pronto|feito|fatto|klaar|gotowe|готово"
    r"|完成了?|好的|完了(?:しました)?"
    r"|완료(?:했습니다)?)\W*$",
    re.IGNORECASE,
)


def heading_meaning(heading: str) -> str:
    """What the text below a heading is about; empty if the heading does not say it."""
    found = next((name for name, pattern in _HEADING_PATTERNS.items() if pattern.match(heading)), "")
    return ASSUMED if found == CAUSE and _UNSURE.search(heading) else found


def sentence_meaning(sentence: str) -> str:
    """What a sentence is about; empty if it only says what was done. What it quotes says nothing about it."""
    plain = _QUOTED.sub("Q", sentence)
    found = (name for name, pattern in _SENTENCE_PATTERNS.items() if pattern.search(plain))
    return next(found, CAUSE if _CONSEQUENCE.search(plain) else "")
