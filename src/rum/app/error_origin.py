"""How Python names RUM's own methods, so that a wrong call of one can be told from any other."""

from __future__ import annotations

from types import FunctionType
from typing import TypeVar

C = TypeVar("C", bound=type)
PREFIX = "rum."
"""What the names of our methods begin with; no class that callers write themselves is called so."""


def public(kind: C) -> C:
    """A class whose methods Python names as RUM's when they are called with the wrong arguments."""
    for owner in kind.__mro__:
        if owner.__module__.startswith(PREFIX):
            for name, member in vars(owner).items():
                method = getattr(member, "__func__", member)  # as a class method has it
                if isinstance(method, FunctionType):
                    method.__qualname__ = f"{PREFIX}{kind.__name__}.{name}"
    return kind
