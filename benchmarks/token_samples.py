"""Sample texts for fitting the token estimate: what RUM sends, and what it may be asked to measure.

Memories at every depth are made from a bank of phrases and the standard library's sentences and names; prose
and code are the standard library's manual and sources; Markdown is this project's.
"""

from __future__ import annotations

import random
import re
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import msgspec

from rum.model.answers import DEPTHS, at_depth, to_json
from rum.model.memory import Memory
from rum.model.memory_layers import ActionType, FailureCategory, TaskType, VerificationType

PROJECT = Path(__file__).resolve().parents[1]
SOURCES = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
Samples = dict[str, list[str]]

GOALS = """\
Fix JWT token expiry causing logout
Add rate limiting to the public API
Speed up the nightly import of customer orders
Find out why the websocket drops after a deploy
Upgrade webpack from 4 to 5
Move session storage from memory to Redis
Make the CSV export stream instead of building it in memory
Document how to run the integration tests locally
Prevent SQL injection in the report filters
Investigate memory leak in the worker process
Replace moment.js with date-fns
Fix off-by-one error in pagination""".splitlines()
RESULTS = """\
Tokens are now refreshed once and the request is retried
The limiter works, but Redis must be reachable or every call fails
Import takes 4 minutes instead of 50 after batching the inserts
The load balancer closed idle connections after 60 seconds
Build passes; bundle is 18% smaller
Found a missing index on orders.customer_id, added it in a migration
All 214 tests pass, coverage went from 61% to 78%
Rolled back: the new schema broke the mobile client
Exports of 2 million rows use 40 MB instead of 3 GB""".splitlines()
LESSONS = """\
Always check the refresh token's own expiry
Never mock the clock in the scheduler tests
The staging database is three versions behind production
Use a transaction per batch, not per row
The ORM silently truncates strings longer than 255 characters
Retry only idempotent requests
Circular imports show up only when tests run in random order
useEffect runs twice in strict mode
Don't trust the Content-Length header from the proxy""".splitlines()
COMMANDS = """\
npm test -- --grep 'auth'
pytest -q tests/unit/test_orders.py -k "refund and not slow"
go test ./internal/... -race -count=1
docker compose up -d postgres redis
python -m pip install -e '.[dev]'
kubectl rollout status deployment/api -n staging
./gradlew :app:testDebugUnitTest --tests "*LoginViewModel*"
curl -sS -X POST http://localhost:8080/v1/tokens -d '{"user":"a"}'
psql -c "EXPLAIN ANALYZE SELECT * FROM orders WHERE customer_id = 42\"""".splitlines()
FOLDERS = [
    "src",
    "lib",
    "app",
    "tests",
    "internal",
    "cmd",
    "components",
    "services",
    "api",
    "auth",
    "billing",
]
FILES = """\
interceptor.ts
user_service.py
orderRepository.java
PaymentForm.tsx
test_login.py
rate-limiter.ts
websocket_handler.rs
0007_add_index.sql
docker-compose.yml
TokenStore.kt
package.json""".splitlines()
TAGS = ["auth", "jwt", "retry-logic", "performance", "db", "ci", "typescript", "flaky"]
OTHER_SCRIPTS = {
    "Cyrillic": """\
Исправить обновление токена в перехватчике авторизации, чтобы пользователи не выходили из системы каждый час.
Сборка падает на Windows из-за слишком длинных путей; перенесли кэш в корень диска.
Виправити оновлення токена, щоб користувачі не виходили із системи щогодини.
Добавлен индекс по полю customer_id, запрос стал быстрее в десять раз.
Не удалось воспроизвести ошибку локально, нужна копия рабочей базы данных.
Если таблица большая, сначала проверьте, сколько времени занимает копирование, и только потом начинайте.
Вчера всё работало, а сегодня страница открывается только со второго раза, и никто не знает почему.
Перед тим як змінювати налаштування, збережіть старий файл, бо повернути його буде важко.
Если ничего не помогает, спросите у команды: возможно, кто-то уже видел эту ошибку раньше.
Поправена е грешката при подновяване на токена, тестовете минават.""",
    "Greek": """\
Διόρθωση της ανανέωσης του διακριτικού ώστε οι χρήστες να μην αποσυνδέονται κάθε ώρα.
Η δοκιμή αποτυγχάνει μόνο στα Windows.
Προστέθηκε ευρετήριο στη βάση δεδομένων και τα ερωτήματα έγιναν δέκα φορές ταχύτερα.""",
    "Chinese": """\
修复令牌过期导致用户退出登录的问题，添加刷新拦截器和重试队列。
构建在 Windows 上失败，因为路径太长，把缓存移到了磁盘根目录。
给 customer_id 字段加了索引，查询速度提高了十倍。
本地无法重现该错误，需要生产数据库的副本。
测试全部通过，覆盖率从百分之六十提高到百分之八十。""",
    "Japanese": """\
トークンの有効期限が切れるとログアウトされる問題を修正し、再試行キューを追加した。
パスが長すぎるため Windows でビルドが失敗する。
customer_id にインデックスを追加したところ、クエリが十倍速くなった。
ローカルでは再現できず、本番データベースのコピーが必要。""",
    "Korean": """\
토큰이 만료되면 사용자가 로그아웃되는 문제를 수정하고 재시도 큐를 추가했다.
경로가 너무 길어서 Windows에서 빌드가 실패한다.
데이터베이스에 인덱스를 추가했더니 쿼리가 열 배 빨라졌다.""",
    "Latin": """\
Die Aktualisierung des Tokens behoben, damit Benutzer nicht stündlich abgemeldet werden. Größeres folgt.
Corriger le rafraîchissement du jeton pour que les utilisateurs ne soient plus déconnectés après une heure.
Se corrigió la actualización del token y se añadió una cola de reintentos para las peticiones simultáneas.""",
    "Arabic": """\
إصلاح مشكلة خروج المستخدمين عند انتهاء صلاحية الرمز المميز وإضافة قائمة انتظار لإعادة المحاولة.
فشل البناء لأن المسارات طويلة جدا، فنقلنا ذاكرة التخزين المؤقت.""",
    "Hebrew": """\
תוקנה הבעיה שבה משתמשים מנותקים כאשר תוקף האסימון פג, ונוסף תור לניסיונות חוזרים.
הבנייה נכשלה כי הנתיבים ארוכים מדי.""",
    "Hindi, Thai": """\
टोकन की अवधि समाप्त होने पर उपयोगकर्ता के लॉग आउट होने की समस्या ठीक की गई।
बिल्ड विफल हुआ क्योंकि पथ बहुत लंबे थे।
แก้ปัญหาผู้ใช้ออกจากระบบเมื่อโทเค็นหมดอายุ และเพิ่มคิวสำหรับลองใหม่
การสร้างล้มเหลวเพราะเส้นทางยาวเกินไป""",
    "symbols": """\
Build is green 🎉🚀 — finally! ✅ tests, ✅ lint, ❌ docs → later…
“Never again”, they said – and then: 🔥🔥🔥 😅
┌──────────┐   ┌──────────┐\n│  client  │──▶│  server  │\n└──────────┘   └──────────┘""",
}


class Memories:
    """Makes memories of every size, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        manual = re.sub(r"\s+", " ", " ".join(topics.values()))
        self._said = [s for s in re.split(r"(?<=[.;:]) ", manual) if re.fullmatch(r"[A-Z][^*+|]{25,150}", s)]
        code = "".join(source.read_text("utf-8", "replace") for source in SOURCES)
        self._names = sorted(set(re.findall(r"\b[A-Za-z]{2,12}(?:_[a-z]+|[A-Z][a-z]+)\w*", code)))

    def _id(self, prefix: str) -> str:
        return f"{prefix}_01" + "".join(self._draw.choices("0123456789abcdefghjkmnpqrstvwxyz", k=24))

    def _path(self) -> str:
        return "/".join([*self._draw.sample(FOLDERS, self._draw.randint(1, 3)), self._draw.choice(FILES)])

    def _pick(self, bank: Sequence[str]) -> str:
        draw = self._draw
        verb = draw.choice(["Call", "Rename", "Why does", "Drop"])
        name = f"{verb} {draw.choice(self._names)} in {self._path()}"
        return draw.choices([draw.choice(bank), draw.choice(self._said), name], [5, 3, 2])[0]

    def _several(self, bank: Sequence[str], most: int) -> list[str]:
        return [self._pick(bank) for _ in range(self._draw.randint(0, most))]

    def _outcome(self) -> dict[str, Any]:
        draw = self._draw
        outcome: dict[str, Any] = {"success": draw.random() < 0.7, "summary": self._pick(RESULTS)}
        outcome["learnings"] = self._several(LESSONS, 3)
        if not outcome["success"]:
            outcome |= {
                "failure_reason": self._pick(RESULTS),
                "failure_category": draw.choice(list(FailureCategory)),
            }
        if draw.random() < 0.5:
            check = {"type": draw.choice(list(VerificationType)), "command": draw.choice(COMMANDS)}
            outcome |= {
                "verified_by": check | {"result": "14 tests passed"},
                "follow_up_needed": self._several(GOALS, 2),
            }
        return outcome

    def _action(self, at: int) -> dict[str, Any]:
        draw = self._draw
        kind = draw.choice(list(ActionType))
        details: dict[str, Any] = {"query": self._pick(GOALS), "scope": draw.choice(FOLDERS)}
        if kind.startswith("file"):
            details = {
                "file_path": self._path(),
                "lines_affected": f"{draw.randint(1, 400)}-{draw.randint(401, 900)}",
            }
            details |= {
                "diff_summary": self._pick(LESSONS),
                "diff_hash": f"{draw.getrandbits(160):040x}",
            }
        elif kind == ActionType.COMMAND_RUN:
            details = {"command": draw.choice(COMMANDS), "working_directory": draw.choice(FOLDERS)}
        result = {
            "success": True,
            "output_summary": self._pick(RESULTS),
            "duration_ms": draw.randint(3, 90_000),
        }
        return {"type": kind, "timestamp": at, "details": details, "result": draw.choice([None, result])}

    def one(self) -> Memory:
        """The next memory."""
        draw = self._draw
        at = draw.randint(1_600_000_000, 1_900_000_000)
        actions = [self._action(at + 60 * n) for n in range(draw.randint(0, 4))]
        paths = [a["details"]["file_path"] for a in actions if "file_path" in a["details"]]
        seen = {
            "what": self._pick(RESULTS),
            "where": f"{self._path()}:{at % 400}",
            "significance": self._pick(LESSONS),
        }
        other = {"approach": self._pick(GOALS), "why_rejected": self._pick(LESSONS)}
        chosen = {
            "approach_chosen": self._pick(GOALS),
            "why_chosen": self._pick(LESSONS),
        }
        chosen |= {
            "alternatives_considered": [other] * draw.randint(0, 1),
            "assumptions": self._several(LESSONS, 2),
        }
        memory = {
            "id": self._id("mem"),
            "agent_id": self._id("agent"),
            "project_id": f"shop-{draw.getrandbits(32):08x}",
            "session_id": self._id("session"),
            "created_at": at,
            "intent": {"goal": self._pick(GOALS), "task_type": draw.choice(list(TaskType))}
            | {
                "context": draw.choice(["", self._pick(GOALS)]),
                "constraints": self._several(LESSONS, 2),
            },
            "outcome": self._outcome(),
            "perception": {
                "observations": [seen] * draw.randint(0, 1),
                "patterns_noticed": self._several(LESSONS, 1),
            }
            | {
                "relevant_files": [{"path": self._path(), "relevance": self._pick(LESSONS)}]
                * draw.randint(0, 1)
            },
            "reasoning": draw.choice([{}, chosen, chosen]),
            "actions": actions,
            "files": [
                {"path": p, "operation": "edit", "content_hash": f"{draw.getrandbits(160):040x}"}
                for p in paths
            ],
            "tags": draw.sample(TAGS, draw.randint(0, 4)),
            "commit": f"{draw.getrandbits(160):040x}",
            "branch": draw.choice(["main", "fix/token-refresh", "feature/JIRA-1234-export"]),
        }
        return msgspec.convert(memory, Memory)


def pieces(text: str, draw: random.Random) -> Iterator[str]:
    """The text in pieces of 300 to 3,000 characters."""
    while len(text) >= 300:
        size = draw.randint(300, 3000)
        yield text[:size]
        text = text[size:]


def samples(half: int) -> Samples:
    """Texts by kind; the two halves have no text in common."""
    draw = random.Random(half)
    made = Memories(half)
    memories = [made.one() for _ in range(300)]
    views = {depth: [at_depth(m, depth, draw.random()) for m in memories] for depth in DEPTHS}
    found: Samples = {f"memory, {depth.value}": [to_json(view) for view in views[depth]] for depth in DEPTHS}
    around = {
        "query_strategy_used": "exact+pattern",
        "confidence": 0.91,
        "total_matches": 37,
        "token_estimate": 812,
    }
    found["answer"] = [
        to_json({"memories": draw.sample(views[depth], 4)} | around) for depth in DEPTHS for _ in range(50)
    ]
    manual = [text for _, text in sorted(topics.items())[half::2]]
    found["manual"] = [piece for text in manual for piece in pieces(text, draw)]
    found["prose"] = [re.sub(r"\s+", " ", piece) for piece in found["manual"]]
    code = [
        piece for source in SOURCES[half::2] for piece in pieces(source.read_text("utf-8", "replace"), draw)
    ]
    found["code"] = draw.sample(code, 400)
    documents = [p for p in sorted(PROJECT.rglob("*.md")) if not str(p.relative_to(PROJECT)).startswith(".")]
    found["Markdown"] = [
        piece for path in documents[half::2] for piece in pieces(path.read_text("utf-8"), draw)
    ]
    return found | {kind: text.splitlines()[half::2] for kind, text in OTHER_SCRIPTS.items()}
