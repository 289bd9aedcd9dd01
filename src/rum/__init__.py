"""RUM: a memory for coding agents that survives the session.

from rum import Rum

with Rum.open() as rum:
    rum.store(intent={...}, outcome={...})
    rum.recall(file="src/auth/interceptor.ts")
"""

from __future__ import annotations

from rum._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.app.async_rum import AsyncRum
    from rum.app.layers.memory_manager import MemoryManager
    from rum.app.rum import Rum
    from rum.model.answers import ListResult, RecallResult, RetrievedMemory, TraceResult
    from rum.model.errors import (
        InvalidQuery,
        NotFound,
        PermissionDenied,
        RateLimited,
        RumError,
        StorageError,
    )
    from rum.model.requests import RecallRequest

_ERRORS = ("InvalidQuery", "NotFound", "PermissionDenied", "RateLimited", "RumError", "StorageError")
_MODULES = {
    "AsyncRum": "rum.app.async_rum",
    "MemoryManager": "rum.app.layers.memory_manager",
    "Rum": "rum.app.rum",
    **dict.fromkeys(("ListResult", "RecallResult", "RetrievedMemory", "TraceResult"), "rum.model.answers"),
    "RecallRequest": "rum.model.requests",
    **dict.fromkeys(_ERRORS, "rum.model.errors"),
}

__all__ = [
    "AsyncRum",
    "InvalidQuery",
    "ListResult",
    "MemoryManager",
    "NotFound",
    "PermissionDenied",
    "RateLimited",
    "RecallRequest",
    "RecallResult",
    "RetrievedMemory",
    "Rum",
    "RumError",
    "StorageError",
    "TraceResult",
    "__version__",
]


def __getattr__(name: str) -> object:
    """Load a public name when it is first used, so that `import rum` costs nothing."""
    from importlib import import_module  # noqa: PLC0415

    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'rum' has no attribute {name!r}")
