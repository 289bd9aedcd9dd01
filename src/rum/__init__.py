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
    from rum.app.layers.memory_manager import MemoryManager
    from rum.app.rum import Rum
    from rum.model.errors import (
        InvalidQuery,
        NotFound,
        PermissionDenied,
        RateLimited,
        RumError,
        StorageError,
    )

_ERRORS = ("InvalidQuery", "NotFound", "PermissionDenied", "RateLimited", "RumError", "StorageError")

__all__ = [
    "InvalidQuery",
    "MemoryManager",
    "NotFound",
    "PermissionDenied",
    "RateLimited",
    "Rum",
    "RumError",
    "StorageError",
    "__version__",
]


def __getattr__(name: str) -> object:
    """Load a public name when it is first used, so that `import rum` costs nothing."""
    from importlib import import_module  # noqa: PLC0415

    if name == "Rum":
        return import_module("rum.app.rum").Rum
    if name == "MemoryManager":
        return import_module("rum.app.layers.memory_manager").MemoryManager
    if name in _ERRORS:
        return getattr(import_module("rum.model.errors"), name)
    raise AttributeError(f"module 'rum' has no attribute {name!r}")
