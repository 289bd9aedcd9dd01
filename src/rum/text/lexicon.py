"""The words by which a text says what type of task it is about.

One table for all texts: a word added here counts in commit subjects, prompts and issue labels alike, unless
it stands in the column of one of them. The names are those of the model's `TaskType`, which this package does
not import.
"""

from __future__ import annotations

import re
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# The texts that have words of their own: a commit's subject, a prompt, the labels of an issue.
COMMIT, PROMPT, LABEL = "commit", "prompt", "label"


def word_set(words: str) -> frozenset[str]:
    """The words of a table that is written as running text."""
    return frozenset(words.split())


# The first word of a conventional commit subject, as in `fix(parser)!: …`.
CONVENTIONAL_TYPES = {
    "feat": "feature_add",
    "feature": "feature_add",
    "fix": "bug_fix",
    "bugfix": "bug_fix",
    "hotfix": "bug_fix",
    "revert": "bug_fix",
    "docs": "documentation",
    "doc": "documentation",
    "style": "refactor",
    "refactor": "refactor",
    "cleanup": "refactor",
    "perf": "optimization",
    "test": "test_write",
    "tests": "test_write",
    "build": "configuration",
    "ci": "configuration",
    "config": "configuration",
    "deps": "dependency_update",
    "security": "security_fix",
    "chore": "other",
}

# Names of the part of a project before the colon of a subject, as in `ci: …` or `docs/README: …`.
SUBSYSTEMS = {
    "documentation": r"docs?|documentation|man(ual|page)?s?|readme|changelog|release-?notes|news|faq",
    "test_write": r"tests?|testing|unit ?tests?|runtests|spec",
    "configuration": (
        r"ci|gha|github|gitlab|workflows?|appveyor|azure|travis|circleci|cirrus|cmake|meson|make(file)?|"
        r"configure|autotools|packaging|docker(file)?|tox|nox|pre-commit|pyproject"
    ),
}

# For each type of task: whose words they are ("" for every text), and the words.
_WORDS: dict[str, dict[str, str]] = {
    "security_fix": {
        "": r"cve(?:-\d+)?|security|vulnerab\w*|exploit\w*|xss|csrf|(?:sql|code) injection|sanitiz\w*",
        PROMPT: r"injection",
        LABEL: r"secur\w*",
    },
    "dependency_update": {
        "": (
            r"(?:bump|upgrade|update|pin|unpin)s? .{0,200}\b(?:from|to) v?\d\S*"
            r"|(?:bump|upgrade|pin|unpin)s?\b.{0,40}\b(?:dependenc\w*|versions?|packages?|librar\w*)"
        ),
        PROMPT: r"update\b.{0,40}\b(?:dependenc\w*|versions?|packages?|librar\w*)|dependabot",
        COMMIT: r"dependenc(?:y|ies)|requirements\.txt",
        LABEL: r"dependenc\w*|deps",
    },
    "bug_fix": {
        "": (
            r"fix(?:es|ed|up|ing)?|bugs?|crash\w*|broken|leak(?:s|ed|ing)?|regressions?|repairs?"
            r"|wrong(?:ly)?"
            r"|incorrect(?:ly)?|segfault\w*"
        ),
        COMMIT: (
            r"reverts?|reverted|avoids?|prevents?|corrects?|overflow\w*|race|deadlock|mistak\w*"
            r"|don't|do not"
            r"|invalid"
        ),
        PROMPT: (
            r"breaks?|fail\w*|errors?|exceptions?|debug\w*|doesn'?t work|not work\w*|shouldn['’]?t|dies"
            r"|should (?:be|return|give|not)|instead of|traceback|stack ?trace|hang(?:s|ing)?"
        ),
        LABEL: r"bug\w*|\w*regress\w*|\w*defects?",
    },
    "optimization": {
        "": r"optimi[sz]\w*|faster|slow\w*|speed(?:s| ?up)?|perf(?:ormance)?|latency|memory usage",
        COMMIT: r"perf\w*|cach(?:e|es|ing)",
        PROMPT: r"reduce (?:the )?(?:time|size)",
        LABEL: r"perf\w*",
    },
    "test_write": {
        COMMIT: r"tests?|testing|coverage|test ?cases?",
        # A prompt that mentions tests is about them only if it asks for some.
        PROMPT: r"(?:add|write|create|extend|more|missing)\b.{0,30}\b(?:tests?|specs?|coverage)",
        LABEL: r"test\w*|flak\w*",
    },
    "refactor": {
        "": (
            r"refactor\w*|clean(?:s|ed|ing)?[- ]?ups?|renam\w*|split\w*|simplif\w*|extract\w*|restructur\w*"
            r"|reorgani[sz]\w*|mov(?:e|es|ed|ing)|dedup\w*"
        ),
        COMMIT: (
            r"remov\w*|drop\w*|delet\w*|unused|dead code|re-?format\w*|whitespace|indent\w*|lint\w*|style"
            r"|convert\w*|replac\w*|factor out|get rid"
        ),
        PROMPT: r"tidy|inline",
        LABEL: r"clean\w*|tech.?debt",
    },
    "documentation": {
        "": r"docs?|docstrings?|readme|changelog",
        COMMIT: r"typos?|spelling|documentation|man ?pages?",
        PROMPT: r"document|comments?|tutorial",
        LABEL: r"doc\w*",
    },
    "configuration": {
        "": r"ci|config|configur\w*|docker\w*|workflow",
        COMMIT: r"builds?|makefile|cmake|meson|travis",
        PROMPT: r"settings?|set ?up|install\w*|pipelines?|env(?:ironment)? var\w*|deploy\w*|lint(?:er)?",
        LABEL: r"build\w*|\w*config\w*|\w*packaging|infra\w*",
    },
    "feature_add": {
        "": r"add|implement|support|introduce|new|allow|enable|extend|provide|create",
        COMMIT: (
            r"add(?:s|ed|ing)|introduc\w*|implement\w*|support\w*|allow\w*|enabl\w*|provid\w*"
            r"|creat\w*|extend\w*"
            r"|teach\w*|learn\w*|initial|first"
        ),
        PROMPT: r"build|write|make|generate",
        LABEL: r"\w*feature\w*|\w*enhance\w*|proposal",
    },
    "investigation": {
        PROMPT: (
            r"why|how (?:does|do|is|are|can)|what|where|which|explain|investigate|look (?:at|into)"
            r"|find(?: out)?|check|analy[sz]e|review|understand|search|explore|compare|list|show"
            r"|tell me|describe"
        ),
        LABEL: r"question\w*|support\w*|discuss\w*|help\w*|invest\w*",
    },
}

# Words of prompts in other languages, by type of task; below, those of scripts without blanks.
_OTHER_LANGUAGES: dict[str, str] = {
    "security_fix": r"sicherheitslücke\w*|faille de sécurité|vulnerabilidad\w*|уязвимост\w*",
    "dependency_update": (
        r"abhängigkeit\w*|(?:mets?|mettre) à jour .{0,40}(?:dépendance|version|paquet)\w*"
        r"|dependencias?|зависимост\w*"
    ),
    "bug_fix": (
        r"behebe?n?|repariere?n?|fehler\w*|kaputt|stürzt|absturz|abstürzt|funktioniert nicht"
        r"|geht nicht|beheb\w*"
        r"|corrige[rz]?|répare[rz]?|erreurs?|plante|ne marche pas|ne fonctionne pas|bogues?"
        r"|arregla[r]?|corregir|errores|fallas?|falla|fallo|no funciona|corrig(?:e|ir|a)|conserte"
        r"|não funciona"
        r"|correggi|sistema l['’]errore|non funziona|repareer|werkt niet|исправь\w*|почини\w*"
        r"|ошибк\w*|падает|не работает"
    ),
    "optimization": (
        r"schneller|langsam\w*|beschleunige?n?|optimiere?n?|plus rapide|lente?s?|accélère[rz]?"
        r"|más rápid[oa]s?|lent[oa]s?"
        r"|acelera[r]?|mais rápid[oa]|più veloce|sneller|traag|быстрее|медленн\w*|ускор\w*|оптимизируй\w*"
    ),
    "test_write": (
        r"(?:schreibe?n?|ergänze?n?|füge?) .{0,40}tests?|(?:écri[st]|ajoute[rz]?) .{0,30}tests?"
        r"|(?:escribe|añade|agrega|escreva|adicione|scrivi|aggiungi|schrijf) .{0,30}(?:tests?|pruebas|testes)"
        r"|(?:напиши|добавь) .{0,30}тест\w*"
    ),
    "refactor": (
        r"umbenenn\w*|benenne .{0,60} um|aufräumen|räume? .{0,40} auf|vereinfache?n?|aufteilen"
        r"|extrahiere?n?|umbauen"
        r"|renomme[rz]?|simplifie[rz]?|nettoie|réorganise[rz]?|renombra[r]?|simplifica[r]?"
        r"|limpia[r]?|reorganiza[r]?"
        r"|renomeie|rinomina|semplifica|hernoem|переименуй\w*|упрости\w*|отрефактор\w*|рефакторинг"
    ),
    "documentation": (
        r"dokumentier\w*|doku(?:mentation)?|documente[rz]?|documenta[r]?|commentaires?"
        r"|задокументируй\w*"
    ),
    "configuration": (
        r"konfigur\w*|einrichten|richte .{0,60} ein|configure[rz]?|configura[r]?"
        r"|настрой\w*|установи\w*"
    ),
    "feature_add": (
        r"hinzufügen|füge? .{0,80} hinzu|ergänze?n?|implementiere?n?|baue? .{0,60} ein|einbauen"
        r"|erstelle?n?|unterstütz\w*"
        r"|ajoute[rz]?|implémente[rz]?|crée[rz]?|añad(?:e|ir)|agrega[r]?|implementa[r]?|crea[r]?"
        r"|adicion(?:e|ar)|cri(?:e|ar)"
        r"|aggiungi|toevoegen|voeg .{0,60} toe|добавь\w*|реализуй\w*|создай\w*|сделай"
    ),
    "investigation": (
        r"warum|wieso|weshalb|wie (?:funktioniert|geht|wird)|erkläre?|untersuche?|schau|prüfe?"
        r"|zeig\w*|welche\w*"
        r"|pourquoi|comment|explique[rz]?|vérifie[rz]?|cherche|por qu[ée]|explica|revisa|investiga"
        r"|cómo|como funciona"
        r"|perché|spiega|controlla|waarom|почему|зачем|объясни\w*|проверь\w*|найди|как работает"
    ),
}
_SIGNS: dict[str, str] = {
    "security_fix": "漏洞|安全问题|脆弱性|보안 취약",
    "dependency_update": "升级.{0,12}(?:依赖|版本)|更新依赖|依存関係|의존성",
    "test_write": "(?:写|添加|增加|补).{0,8}(?:测试|单测)|テストを(?:書|追加)|테스트를? ?(?:작성|추가)",
    "bug_fix": (
        "修复|修一下|修正|报错|崩溃|错误|异常|不工作|失败|直して|直す|修正して|バグ|エラー"
        "|落ちる|動かない|버그|고쳐|수정|오류|에러"
    ),
    "optimization": "优化|加速|太慢|变慢|提高性能|提升性能|高速化|遅い|速く|최적화|느려|빠르게",
    "refactor": (
        "重构|重命名|改名|拆分|简化|整理代码|リファクタ|名前を変|整理して|리팩터|리팩토링|이름을? ?바꿔"
    ),
    "documentation": "写文档|文档|注释|说明文件|ドキュメント|コメントを|문서",
    "configuration": "配置|部署|安装|设置环境|設定|インストール|설정|배포|설치",
    "feature_add": "添加|增加|新增|实现|支持|加一个|加上|创建|追加|実装|対応して|作って|추가|구현|만들어",
    "investigation": (
        "为什么|怎么|如何|解释|看看|检查|分析|查一下|找出|なぜ|どうして|調べ|説明|確認"
        "|왜|어떻게|설명|확인|알려"
    ),
}

# Which type wins where a text has words of several. A subject is short and names its object, so that "Fix
# typo in README" is documentation; a prompt mentions much in passing, so that what is to be done comes first.
_ORDER: Mapping[str, tuple[str, ...]] = {
    COMMIT: (
        "security_fix", "dependency_update", "documentation", "bug_fix", "optimization", "test_write",
        "refactor", "configuration", "feature_add",
    ),
    PROMPT: (
        "security_fix", "dependency_update", "test_write", "bug_fix", "optimization", "refactor",
        "documentation", "configuration", "feature_add", "investigation",
    ),
    LABEL: (
        "security_fix", "dependency_update", "bug_fix", "documentation", "optimization", "test_write",
        "feature_add", "refactor", "configuration", "investigation",
    ),
}  # fmt: skip


def task_type_in(text: str, source: str) -> str | None:
    """The type of task that a text is about, by its words; None if they do not show it."""
    return next((name for name, words in _patterns(source) if words.search(text)), None)


def mentions_security(text: str) -> bool:
    """Whether a text mentions a vulnerability."""
    return bool(_patterns(COMMIT)[0][1].search(text))


@cache
def _patterns(source: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    found: list[tuple[str, re.Pattern[str]]] = []
    for name in _ORDER[source]:
        columns = _WORDS[name]
        others = _OTHER_LANGUAGES.get(name) if source == PROMPT else None
        words = "|".join(filter(None, (columns.get(""), columns.get(source), others)))
        signs = rf"|{_SIGNS[name]}" if source == PROMPT else ""
        found.append((name, re.compile(rf"\b(?:{words})\b{signs}", re.IGNORECASE)))
    return tuple(found)
