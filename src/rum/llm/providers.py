"""The kinds of servers that can be spoken to, by the word that the setting `llm` has for them."""

from __future__ import annotations

from collections.abc import Callable

from rum.llm.anthropic import AnthropicWire
from rum.llm.base import Wire
from rum.llm.ollama import OllamaWire
from rum.llm.openai import OpenAiWire

_WIRES: dict[str, Callable[[str | None], Wire]] = {
    "openai": OpenAiWire,
    "anthropic": AnthropicWire,
    "ollama": OllamaWire,
}


def wire_for(kind: str, url: str | None) -> Wire:
    """How to speak to a kind of server at an address, by default its usual one."""
    return _WIRES[kind](url)
