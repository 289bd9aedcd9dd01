"""The errors RUM answers with: one tree, six codes, each with plain words and details."""

from __future__ import annotations

NO_RESULTS = "NO_RESULTS"  # The sixth code: not an error, an answer that says nothing was found


class RumError(Exception):
    """What went wrong, in words a person or an agent can act on."""

    code = "STORAGE_ERROR"

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.details = {name: value for name, value in details.items() if value is not None}

    def to_dict(self) -> dict[str, object]:
        """The error as the API gives it: code, message and, where there are any, details."""
        answer: dict[str, object] = {"code": self.code, "message": self.message}
        if self.details:
            answer["details"] = self.details
        return answer


class NotFound(RumError):
    """No such memory, agent, version or project."""

    code = "NOT_FOUND"


class InvalidQuery(RumError):
    """The question or the record is malformed; details name the field and what is allowed."""

    code = "INVALID_QUERY"


class PermissionDenied(RumError):
    """An agent tried to change a memory that is neither its own nor a descendant's."""

    code = "PERMISSION_DENIED"


class RateLimited(RumError):
    """Too many calls; details carry `retry_after` in seconds."""

    code = "RATE_LIMITED"


class StorageError(RumError):
    """The database or its folder cannot be used as asked: full, read-only, newer, damaged."""

    code = "STORAGE_ERROR"


class StoreMoved(StorageError):
    """The project is in another database by now; nothing was written. Details carry `retry_after`."""

    def __init__(self, to: str, move_id: str) -> None:
        super().__init__(
            "The project was moved to another database. Nothing was written; try again.", retry_after=1
        )
        self.to = to
        self.move_id = move_id
