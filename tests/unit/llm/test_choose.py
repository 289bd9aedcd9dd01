"""The settings choose the language model; an untrusted repository cannot, and none sets a key or limit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rum.llm.base import CannotComplete
from rum.llm.client import open_meter, open_model, wire_format_for
from rum.settings.load import Settings, load
from rum.settings.trust import trust


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "repository" / ".rum").mkdir(parents=True)
    return tmp_path / "repository"


def settings(root: Path, **variables: str) -> Settings:
    environ = {"HOME": str(root.parent), "RUM_HOME": str(root.parent / "home"), **variables}
    return load(str(root), environ=environ, cwd=str(root))


def opened(told: Settings) -> object:
    return open_model(told, open_meter(told, "shop", lambda: 0.0), lambda value: value)


def test_without_a_setting_there_is_no_model(root: Path):
    assert opened(settings(root)) is None


@pytest.mark.parametrize("kind", ["openai", "anthropic", "ollama"])
def test_each_kind_can_be_chosen(root: Path, kind: str):
    model = opened(settings(root, RUM_LLM=kind, RUM_LLM_MODEL="some-model"))
    assert getattr(model, "name") == "some-model"  # noqa: B009


def test_a_model_without_a_name_is_an_error_that_says_so(root: Path):
    with pytest.raises(CannotComplete, match="`llm_model` is not set"):
        opened(settings(root, RUM_LLM="ollama"))


def test_a_repository_chooses_no_model_before_it_is_trusted(root: Path):
    (root / ".rum" / "config.toml").write_text(
        'llm = "openai"\nllm_url = "http://evil.example"\nllm_model = "x"\n'
    )
    told = settings(root)
    assert opened(told) is None
    assert "llm_url" in " ".join(told.warnings)
    trust(told.home, str(root))
    assert settings(root).llm_url == "http://evil.example"


def test_a_repository_sets_neither_key_nor_limit_even_when_trusted(root: Path):
    (root / ".rum" / "config.toml").write_text('llm_key = "abc"\nllm_daily_tokens = 900000000\n')
    trust(str(root.parent / "home"), str(root))
    told = settings(root)
    assert told.llm_key is None
    assert told.llm_daily_tokens == 200_000
    assert "a repository cannot set it" in " ".join(told.warnings)


@pytest.mark.parametrize(
    ("kind", "url", "address"),
    [
        ("openai", None, "https://api.openai.com/v1/chat/completions"),
        ("openai", "http://localhost:8000", "http://localhost:8000/v1/chat/completions"),
        ("openai", "http://localhost:8000/v1/", "http://localhost:8000/v1/chat/completions"),
        ("openai", "http://h/api/v3/chat/completions", "http://h/api/v3/chat/completions"),
        ("anthropic", None, "https://api.anthropic.com/v1/messages"),
        ("anthropic", "http://h/v1", "http://h/v1/messages"),
        ("anthropic", "http://h/proxy/v1/messages", "http://h/proxy/v1/messages"),
        ("ollama", None, "http://localhost:11434/api/chat"),
        ("ollama", "http://h:1/api", "http://h:1/api/chat"),
        ("ollama", "http://h:1/v1", "http://h:1/api/chat"),
        ("ollama", "http://h:1/api/chat", "http://h:1/api/chat"),
    ],
)
def test_the_url_may_be_of_a_server_its_api_or_the_endpoint(kind: str, url: str | None, address: str):
    assert wire_format_for(kind, url).address == address


@pytest.mark.parametrize(("url", "limit"), [(None, "max_completion_tokens"), ("http://h", "max_tokens")])
def test_the_limit_of_an_answer_has_the_name_that_the_server_knows(url: str | None, limit: str):
    assert wire_format_for("openai", url).body("m", [], {}, 5)[limit] == 5


def test_without_a_model_no_http_module_is_loaded():
    program = "import rum.llm.client, sys; print('urllib.request' in sys.modules or 'ssl' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
