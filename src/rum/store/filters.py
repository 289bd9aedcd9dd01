"""The filters of a query: conditions that exclude memories, whatever the question is."""

from __future__ import annotations


class Filters:
    """All conditions that must hold; an unset one holds for every memory."""

    __slots__ = (
        "agent_id",
        "before",
        "session_id",
        "since",
        "success",
        "superseded",
        "symbol",
        "tags",
        "task_type",
    )

    def __init__(
        self,
        *,
        task_type: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        success: bool | None = None,
        since: int | None = None,
        before: int | None = None,
        tags: tuple[str, ...] = (),
        symbol: tuple[str, ...] = (),
        superseded: bool = False,
    ) -> None:
        self.task_type = task_type
        self.agent_id = agent_id
        self.session_id = session_id
        self.success = success
        self.since = since
        self.before = before
        self.tags = tags
        self.symbol = symbol
        """Index terms, all of which a memory must hold."""
        self.superseded = superseded
        """Whether superseded memories count too."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Filters) and all(
            getattr(self, name) == getattr(other, name) for name in self.__slots__
        )

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def any(self) -> bool:
        """Whether any condition is set, except `superseded`."""
        unset = (self.task_type, self.agent_id, self.session_id, self.success, self.since, self.before)
        return bool(self.tags or self.symbol) or any(value is not None for value in unset)

    def also_superseded(self) -> Filters:
        """A copy that also includes superseded memories."""
        everything = Filters(superseded=True)
        for name in self.__slots__:
            if name != "superseded":
                setattr(everything, name, getattr(self, name))
        return everything
