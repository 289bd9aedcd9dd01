"""The closed sets of the API as values of options and arguments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    # Earlier releases of click have no type arguments.
    _Choice = click.Choice


class OneOf(_Choice):
    """One of some words; `bug-fix` is as good as `bug_fix`."""

    def __init__(self, words: Iterable[str]) -> None:
        super().__init__([str(word) for word in words])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The word as the API spells it."""
        return super().convert(str(value).replace("-", "_"), param, ctx)
