"""The settings choose the embedder; an untrusted repository cannot, and keys are never shown."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rum.embed.base import CannotEmbed
from rum.embed.choose import BuiltinEmbedder, open_embedder
from rum.embed.endpoint import EndpointEmbedder
from rum.model.errors import InvalidQuery
from rum.settings.load import Settings, load
from rum.settings.trust import trust
from unit.embed.serving import serving

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "repository" / ".rum").mkdir(parents=True)
    return tmp_path / "repository"


def settings(root: Path, **variables: str) -> Settings:
    environ = {"HOME": str(root.parent), "RUM_HOME": str(root.parent / "home"), **variables}
    return load(str(root), environ=environ, cwd=str(root))


def user_says(root: Path, text: str) -> None:
    (root.parent / "home").mkdir()
    (root.parent / "home" / "config.toml").write_text(text)


def repository_says(root: Path, text: str) -> None:
    (root / ".rum" / "config.toml").write_text(text)


def test_the_built_in_model_is_the_default(root: Path):
    assert isinstance(open_embedder(settings(root)), BuiltinEmbedder)
    assert isinstance(open_embedder(settings(root, RUM_EMBEDDER="builtin")), BuiltinEmbedder)


def test_no_embedder_can_be_configured(root: Path):
    assert open_embedder(settings(root, RUM_EMBEDDER="none")) is None


def test_an_endpoint_is_configured_by_the_settings(root: Path):
    with serving() as server:
        embedder = open_embedder(
            settings(
                root,
                RUM_EMBEDDER="endpoint",
                RUM_EMBEDDER_URL=server.url,
                RUM_EMBEDDER_MODEL="nomic-embed-text",
                RUM_EMBEDDER_KEY=KEY,
            )
        )
        assert isinstance(embedder, EndpointEmbedder)
        assert server.asked == []
        embedder.embed(["a"])
        (asked,) = server.asked
    assert asked.body["model"] == "nomic-embed-text"
    assert asked.headers["Authorization"] == f"Bearer {KEY}"


def test_the_users_config_may_contain_the_key(root: Path):
    user_says(root, f'embedder_key = "{KEY}"\nembedder_timeout = 3\n')
    assert settings(root).embedder_key == KEY
    assert settings(root).embedder_timeout == 3


def test_an_endpoint_without_a_url_fails_only_on_use(root: Path):
    embedder = open_embedder(settings(root, RUM_EMBEDDER="endpoint"))
    assert embedder is not None
    with pytest.raises(CannotEmbed, match="embedder_url"):
        embedder.embed(["a"])


def test_a_repository_chooses_no_endpoint_until_it_is_trusted(root: Path):
    repository_says(root, 'embedder = "endpoint"\nembedder_url = "http://evil.test"\nembedder_model = "m"\n')
    before = settings(root)
    assert isinstance(open_embedder(before), BuiltinEmbedder)
    assert before.embedder_url is None
    assert "`rum trust`" in before.warnings[0]
    trust(before.home, str(root))
    assert isinstance(open_embedder(settings(root)), EndpointEmbedder)


def test_even_a_trusted_repository_sets_no_key(root: Path):
    repository_says(root, f'embedder = "none"\nembedder_key = "{KEY}"\n')
    trust(settings(root).home, str(root))
    after = settings(root)
    assert after.embedder == "none"
    assert after.embedder_key is None
    assert any("embedder_key" in warning for warning in after.warnings)
    assert KEY not in str(after.warnings)


@pytest.mark.parametrize(
    "url",
    [
        "localhost:11434",
        "ftp://one.test",
        "file:///etc/passwd",
        "http://",
        "http:///v1",
        "http://user:password@one.test/v1",
        "http://one.test/v1?key=1",
        "http://one.test/#v1",
        "http://one.test\\@evil.test/",
        "http://one.test/a b",
    ],
)
def test_an_invalid_url_is_refused(root: Path, url: str):
    with pytest.raises(InvalidQuery, match="embedder_url"):
        settings(root, RUM_EMBEDDER_URL=url)


@pytest.mark.parametrize(
    "url", ["http://localhost:11434", "https://api.one.test/v1", "http://[::1]:8080/v1", "HTTP://127.0.0.1/"]
)
def test_a_valid_url_is_accepted(root: Path, url: str):
    assert settings(root, RUM_EMBEDDER_URL=url).embedder_url == url


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EMBEDDER", "openai"),
        ("EMBEDDER_TIMEOUT", "0"),
        ("EMBEDDER_KEY", f"{KEY}\n{KEY}"),
        ("EMBEDDER_MODEL", " "),
    ],
)
def test_a_wrong_value_is_an_error_that_does_not_repeat_it(root: Path, name: str, value: str):
    with pytest.raises(InvalidQuery) as caught:
        settings(root, **{f"RUM_{name}": value})
    assert name.lower() in caught.value.message
    assert KEY not in str(caught.value.to_dict())


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_the_key_is_not_shown_by_config(root: Path, form: list[str]):
    environ = {**os.environ, "RUM_HOME": str(root.parent / "home"), "RUM_EMBEDDER_KEY": KEY}
    ran = subprocess.run(
        [sys.executable, "-m", "rum", "config", *form], cwd=root, env=environ, capture_output=True, text=True
    )
    assert ran.returncode == 0
    assert "(set, not shown)" in ran.stdout
    assert KEY not in ran.stdout + ran.stderr
