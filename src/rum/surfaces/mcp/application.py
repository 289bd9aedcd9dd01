"""The interface between the MCP protocol and the application, which is opened on demand."""

from __future__ import annotations

# Not from `typing`: importing it would delay the first answer by a fifth.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    Json = dict[str, Any]

    class Application(Protocol):
        """The application behind the tools; created at the first request that needs it.

        An exception is a defect: the client gets an internal error, and the traceback goes to stderr.
        An error that the caller can correct is returned as a result with the error flag set.
        """

        def call(self, name: str, arguments: Json, caller: Caller) -> tuple[Json, bool]:
            """Run a listed tool; return its result and whether it is an error."""
            ...

        def read(self, uri: str, caller: Caller) -> Json | None:
            """Return a resource as an entry of `contents` (`uri`, `mimeType`, `text`), or None."""
            ...

        def prompt(self, name: str, arguments: Json, caller: Caller) -> Json:
            """Return a listed prompt with its arguments filled in (`description`, `messages`)."""
            ...

        def settle(self) -> None:
            """Do work that can wait until the response is sent; called after every response."""
            ...

        def idle_after(self) -> float | None:
            """Seconds without a request after which `idle` is called; None for never."""
            ...

        def idle(self) -> None:
            """Do pending work; called once for each idle period."""
            ...

        def close(self) -> None:
            """Release all resources; called once, at the end."""
            ...


class Caller:
    """The client, its session if it names one, and whether it uses the stateless version of the protocol."""

    __slots__ = ("client", "session", "stateless")

    def __init__(self, client: str | None, session: str | None, *, stateless: bool) -> None:
        self.client = client
        self.session = session
        self.stateless = stateless


class Listing:
    """Everything that a client can list; it never changes while the process runs."""

    __slots__ = ("instructions", "name", "prompts", "resources", "templates", "tools", "version")

    def __init__(
        self,
        *,
        name: str,
        version: str,
        instructions: str,
        tools: list[Json],
        resources: list[Json],
        templates: list[Json],
        prompts: list[Json] | None = None,
    ) -> None:
        self.name = name
        self.version = version
        self.instructions = instructions
        self.tools = tools
        self.resources = resources
        self.templates = templates
        self.prompts = prompts or []
