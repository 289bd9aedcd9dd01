"""Two hundred texts of many kinds, on which the embedder is compared with the original."""

from __future__ import annotations

from itertools import cycle, islice

PROSE = (
    "The login session expires too early when the token is refreshed in another tab.",
    "Fix a crash in the parser when a header field is empty",
    "We decided against Redis: one more process to run, and the cache fits in memory.",
    "I went hiking with my sister last weekend; the weather was lovely until Sunday evening.",
    "Never retry a POST that may have been applied.",
    "tests: wait for the server's port instead of sleeping for two seconds",
    'Revert "cache the compiled templates": it leaked 40 MB an hour under load',
    "Why does the build fail only on Windows?",
    "What did Caroline say about the adoption agencies she visited in May?",
    "Use a monotonic clock for time-outs, as the wall clock can jump.",
    "A dog sat quietly beside the old lighthouse while the ferry came in.",
    "Upgraded the driver from 4.2.1 to 5.0.0, which drops the deprecated `connect_sync`.",
)
CODE = (
    "def fib(n: int) -> int:\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n",
    "SELECT id, goal FROM memories WHERE project_id = ? AND created_at > ? ORDER BY created_at DESC LIMIT 5;",
    "const refreshToken = async () => { await fetch('/api/token', { method: 'POST' }); };",
    '#include <stdio.h>\nint main(void) { printf("%d\\n", 1 << 3); return 0; }',
    'for f in *.log; do gzip -9 "$f" && rm -f "${f%.log}.tmp"; done',
    "impl<T: Clone> From<&[T]> for Buffer<T> { fn from(s: &[T]) -> Self { Self(s.to_vec()) } }",
    "@@ -12,7 +12,7 @@ class Session:\n-        self.ttl = 3600\n+        self.ttl = settings.session_ttl\n",
    '{"error": {"code": "INVALID_QUERY", "details": {"field": "depth", "allowed": ["summary", "full"]}}}',
    "Traceback (most recent call last):\n  File \"app.py\", line 40, in <module>\nKeyError: 'user_id'",
    "src/rum/store/sqlite/queries.sql tests/unit/test_settings.py docs/adr/0002-sqlite-and-vectors.md",
    "getUserByEmailAddress get_user_by_email_address GetUserByEMail GETUSER HTTPServerError2XX",
    "https://example.com/a/b.html?q=1&r=%20x#top user@example.com 192.168.0.1:8080 0xDEADBEEF 1e-12",
)
LANGUAGES = (
    "修复登录会话过期的问题，刷新令牌后页面仍然跳转。",
    "ログインセッションの有効期限が早すぎる問題を修正しました。",
    "로그인 세션이 너무 일찍 만료되는 문제를 수정했습니다.",
    "Исправлена ошибка, из-за которой сессия истекала слишком рано.",
    "Διορθώθηκε το σφάλμα όπου η συνεδρία έληγε νωρίς. ΟΔΟΣ ΣΟΦΟΣ",
    "تم إصلاح الخطأ الذي يؤدي إلى انتهاء الجلسة مبكرًا.",
    "תוקן הבאג שבו פג תוקף ההפעלה מוקדם מדי.",
    "लॉगिन सत्र के जल्दी समाप्त होने की समस्या ठीक की गई।",
    "แก้ไขปัญหาเซสชันหมดอายุเร็วเกินไป",
    "Đã sửa lỗi phiên đăng nhập hết hạn quá sớm.",
    "Die Übergröße der Straßenlaterne fiel überall auf; İstanbul, Ærøskøbing, naïve café, Łódź.",
    "ფიქსირებულია შეცდომა ავტორიზაციის სესიაში",
    "სესია 会话 сессия session セッション in one line",
)
ODD = (
    "",
    " ",
    "\n\t \r\n",
    "a",
    ".",
    "?!?! ... --- ((())) [[]] {{}} <<>> $$$ ^^^ ~~~ ``` |||",
    "\u200b\u200e\ufeff\u00ad",
    "zero\u200bwidth and soft\u00adhyphen and nul\x00byte \ufffd bell\x07",
    "e\u0301 e\u0300 a\u0308\u0301 Z\u0351\u036b\u0343A\u0314L\u0357G\u0320O\u0345",
    "🙂🚀 works on my machine 👩‍💻🏳️‍🌈 ✅ ❌",
    "x" * 100,
    "x" * 101,
    "pneumonoultramicroscopicsilicovolcanoconiosis antidisestablishmentarianism",
    "[CLS] not the start [SEP] nor [MASK] the [PAD] end [UNK] [cls]",
    "0 1 2 3 4 5 6 7 8 9 10 3.14159 1,000,000 -273.15 2026-11-15T23:59:59Z 1/2 ½ ² Ⅷ",
    "ALL CAPS SHOUTING ABOUT NOTHING AT ALL",
    "ﬁne ligatures, ｆｕｌｌｗｉｄｔｈ letters, ℌ𝔢𝔩𝔩𝔬 𝕨𝕠𝕣𝕝𝕕",
    "a\u00a0b\u2003c\u3000d\u2028e\u0085f\x1cg",
)


def texts() -> list[str]:
    """All texts: single ones, two and three joined, then long ones; always the same."""
    single = [*PROSE, *CODE, *LANGUAGES, *ODD]
    pairs = [
        f"{first}\n{second}" for first, second in zip(PROSE * 3, islice(cycle(CODE[1:]), 36), strict=True)
    ]
    mixed = [
        f"{first} {second}" for first, second in zip(LANGUAGES * 3, islice(cycle(PROSE), 39), strict=True)
    ]
    openings = [" ".join(text.split()[: 2 + number % 5]) for number, text in enumerate(PROSE * 3)]
    long = ["\n".join(islice(cycle(single[start:]), 6 + start)) for start in range(0, 34)]
    return [*single, *pairs, *mixed, *openings, *long]
