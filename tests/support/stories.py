"""Related memories for tests of chapters and wisdom."""

from __future__ import annotations

from typing import Any

from rum import Rum
from support.projects import Shop

AUTH: list[dict[str, Any]] = [
    {
        "goal": "Fix JWT token expiry causing logout",
        "summary": "The interceptor refreshes the token on 401",
        "learnings": ["Always handle refresh token expiry too"],
        "tags": ["auth", "jwt"],
        "files": ["src/auth/interceptor.ts"],
    },
    {
        "goal": "Add a retry queue to the interceptor",
        "summary": "Requests wait while the token is refreshed",
        "learnings": ["A request queue prevents race conditions", "Handle refresh token expiry"],
        "tags": ["auth", "jwt", "queue"],
        "files": ["src/auth/interceptor.ts", "src/auth/queue.ts"],
    },
    {
        "goal": "Rotate the signing keys",
        "summary": "Old keys stayed in the cache",
        "success": False,
        "learnings": ["Key caches must be flushed before rotation"],
        "tags": ["auth", "jwt", "keys"],
        "files": ["src/auth/keys.ts"],
    },
]
BILLING: list[dict[str, Any]] = [
    {
        "goal": f"Round invoice totals, part {number}",
        "summary": "Totals are rounded half to even",
        "learnings": ["Invoice totals must be rounded half to even", f"Part {number} needed a migration"],
        "tags": ["billing"],
    }
    for number in (1, 2, 3)
]

# Possible answers of a language model about the first story: a claim, a chapter and wisdom.
LEARNING = "The refresh token expires too, so its expiry must be handled"
CHAPTER: dict[str, Any] = {
    "title": "Refreshing tokens on 401",
    "summary": "The interceptor refreshes the token on 401, and a queue holds the requests meanwhile.",
    "learnings": [{"text": LEARNING, "sources": [1, 2]}],
}
WISDOM: dict[str, Any] = {
    "summary": "Tokens are refreshed on 401 while requests wait in a queue.",
    "insights": [{"text": LEARNING, "sources": [1, 2]}],
    "patterns": [],
    "best_practices": [{"text": "Flush key caches before rotation of keys", "sources": [3]}],
}


def tell(shop: Shop, rum: Rum, story: list[dict[str, Any]] = AUTH) -> list[str]:
    """Store related memories, a minute apart; return their ids."""
    ids: list[str] = []
    for one in story:
        shop.clock.forward(60)
        outcome = {
            "success": one.get("success", True),
            "summary": one["summary"],
            "learnings": one["learnings"],
        }
        actions = [{"type": "file_edit", "file_path": path} for path in one.get("files", ())]
        stored = rum.store(
            intent={"goal": one["goal"], "task_type": "bug_fix"},
            outcome=outcome,
            tags=one["tags"],
            actions=actions,
        )
        ids.append(stored.memory_id)
    return ids


DAY = 86400
_PARTS = ("parser", "billing", "search", "mailer", "charts", "login", "export", "themes")
_DEEDS = (
    "Speed up",
    "Rename",
    "Document",
    "Simplify",
    "Harden",
    "Translate",
    "Log",
    "Restyle",
    "Pin",
    "Split",
)
_WEBHOOKS = (
    ("Add webhooks with signed payloads", "src/hooks/send.py", "src/hooks/sign.py"),
    ("Retry failed webhooks with backoff", "src/hooks/send.py"),
    ("Fix webhooks retried after success", "src/hooks/send.py"),
    ("Verify the signature of webhooks in constant time", "src/hooks/sign.py"),
)


def tell_of_webhooks(shop: Shop, rum: Rum) -> list[str]:
    """Store the memories of a feature among unrelated ones; return the ids of the feature."""
    ids: list[str] = []
    for number in range(40):
        shop.clock.forward(DAY)
        part, deed = _PARTS[number % len(_PARTS)], _DEEDS[number % len(_DEEDS)]
        _done(rum, f"{deed} item {number} of the {part}", f"src/{part}/file{number}.py", "src/index.py")
        if 10 <= number < 10 + len(_WEBHOOKS):
            goal, *paths = _WEBHOOKS[number - 10]
            ids.append(_done(rum, goal, *paths, caused_by=ids[-1:], tags=["hooks"]))
    return ids


def _done(rum: Rum, goal: str, *paths: str, caused_by: list[str] | None = None, tags: Any = ()) -> str:
    return rum.store(
        intent={"goal": goal, "task_type": "feature_add"},
        outcome={"success": True, "summary": f"Done: {goal}"},
        actions=[{"type": "file_edit", "file_path": path} for path in paths],
        links={"caused_by": caused_by or []},
        tags=tags,
    ).memory_id
