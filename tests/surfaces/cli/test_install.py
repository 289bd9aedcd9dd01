"""`rum install` and `rum uninstall` with existing settings."""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rum.settings.home import find_home
from rum.surfaces.cli.main import main
from rum.surfaces.install import json_edit
from support.repositories import Repository
from surfaces.cli.conftest import streams
from surfaces.cli.running import JSON, Run
from surfaces.cli.terminal import needs_terminal, on_terminal

FORMATS = {
    "comments": b'{\n  // mine\n  "model": "opus", /* best */\n  "env": {"A": "b"} // last\n}\n',
    "tabs": b'{\n\t"model": "opus",\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{"hooks": [{"type": "command", '
    b'"command": "mine"}]}\n\t\t]\n\t}\n}\n',
    "crlf": b'{\r\n  "model": "opus",\r\n}\r\n',
    "bom": b'\xef\xbb\xbf{ "model": "opus" }',
    "one line": b'{"hooks":{"Stop":[{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]}]},"a":1}',
    "odd": b'{ "hooks" :\n{ } , "a"\n: [\n] }',
    "empty": b"",
    "blank": b"\n\n",
    "nothing": b"{}",
}
CODEX = (
    b'# mine\nmodel = "o5"   # best\n\n[mcp_servers.other]\ncommand = "x"\n\n[[list]]\na = """\n[x]\n"""\n'
)


@pytest.fixture
def home(project: Path) -> Path:
    """The user's home, without the clients of this machine."""
    return Path(os.environ["HOME"])


@pytest.fixture(autouse=True)
def no_other_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "APPDATA", "UV_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def write_file(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def hooks_in(path: Path) -> dict[str, list[dict[str, Any]]]:
    return json_edit.parse(path.read_text(encoding="utf-8")).value["hooks"]


@pytest.mark.parametrize("form", FORMATS)
def test_hooks_are_installed_once_and_uninstall_restores_the_file(run: Run, home: Path, form: str):
    path = write_file(home / ".claude" / "settings.json", FORMATS[form])
    write_file(home / ".codex" / "config.toml", CODEX)
    before = files(home)
    assert run("install", "claude-code", "codex", "--anyway").code == 0
    once = files(home)
    assert run("install", "claude-code", "codex", "--anyway").code == 0
    assert files(home) == once
    assert len(hooks_in(path)) == 10
    assert json.loads((home / ".claude.json").read_bytes())["mcpServers"]["rum"]["args"][-2:] == [
        "rum",
        "mcp",
    ]
    codex = tomllib.loads((home / ".codex" / "config.toml").read_text())
    assert codex["mcp_servers"]["rum"]["args"] == ["-P", "-m", "rum", "mcp"]
    assert set(codex["mcp_servers"]) == {"rum", "other"}
    assert run("uninstall", "claude-code", "codex").code == 0
    assert files(home) == before


def test_uninstall_keeps_what_others_added_since(run: Run, home: Path):
    path = write_file(home / ".claude" / "settings.json", FORMATS["comments"])
    run("install", "claude-code", "--anyway")
    text = path.read_text()
    mine = '{"type": "command", "command": "mine"}, '
    text = text.replace('"hooks": [\n          {', f'"hooks": [{mine}\n          {{', 1)
    path.write_text(text.replace("// mine", "// mine, and more"))
    state = home / ".claude.json"
    state.write_text(json.dumps({**json.loads(state.read_text()), "userID": "u", "projects": {"/x": {}}}))
    run("uninstall", "claude-code")
    left = json_edit.parse(path.read_text()).value
    assert left["hooks"] == {"SessionStart": [{"hooks": [{"type": "command", "command": "mine"}]}]}
    assert "// mine, and more" in path.read_text()
    assert json.loads(state.read_text()) == {"userID": "u", "projects": {"/x": {}}}


def test_an_entry_of_an_earlier_installation_is_replaced(run: Run, home: Path):
    run("install", "claude-code", "codex", "gemini", "--anyway")
    new = files(home)
    for name, data in new.items():
        if not name.startswith("."):
            continue
        old = data.replace(os.fsencode(os.path.dirname(os.sys.executable)), b"/gone/bin")
        (home / name).write_bytes(old)
    assert run("install", "claude-code", "codex", "gemini", "--anyway").code == 0
    assert {
        name: json_edit.parse(data.decode()).value for name, data in files(home).items() if "json" in name
    } == {name: json_edit.parse(data.decode()).value for name, data in new.items() if "json" in name}
    assert b"/gone" not in (home / ".codex" / "config.toml").read_bytes()


def test_additions_to_the_servers_entry_survive_a_second_install(run: Run, home: Path):
    write_file(home / ".codex" / "config.toml", CODEX)
    run("install", "claude-code", "codex", "--anyway")
    state, config = home / ".claude.json", home / ".codex" / "config.toml"
    state_json = json.loads(state.read_text())
    state_json["mcpServers"]["rum"]["env"] = {"RUM_HOME": "/elsewhere"}
    state.write_text(json.dumps(state_json))
    mine = 'startup_timeout_sec = 20\n[mcp_servers.rum.tools.recall]\nmodes = ["a", { b = "é" }]\n'
    config.write_text(config.read_text() + mine)
    before = files(home)
    run("install", "claude-code", "codex", "--anyway")
    assert files(home) == before
    config.write_text(config.read_text().replace(os.path.dirname(os.sys.executable), "/gone"))
    run("install", "codex", "--anyway")
    server = tomllib.loads(config.read_text())["mcp_servers"]["rum"]
    assert server.pop("command") == os.sys.executable
    assert server == {
        "args": ["-P", "-m", "rum", "mcp"],
        "startup_timeout_sec": 20,
        "tools": {"recall": {"modes": ["a", {"b": "é"}]}},
    }
    run("uninstall", "codex")
    assert config.read_bytes() == CODEX


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        (".claude/settings.json", b'{"hooks": ', "line 1"),
        (".claude/settings.json", b"{'hooks': 1}", "line 1"),
        (".claude/settings.json", b'{"hooks": []}', "must be an object"),
        (".claude/settings.json", b'{"a": "\xff"}', "not UTF-8"),
        (".claude/settings.json", b'{"a": NaN}', "a value was expected"),
        (".claude/settings.json", b'{"a": ' + b"[" * 9000 + b"]" * 9000 + b"}", "nested too deeply"),
        (".claude.json", b'{"mcpServers": {"rum": {"command": "other-rum-thing"}}}', "another program"),
        (".codex/config.toml", b"a = = 1\n", "line 1"),
        (".codex/config.toml", b"mcp_servers = {}\n", "line"),
        (".codex/hooks.json", b"[]", "must be an object"),
    ],
)
def test_a_file_that_cannot_be_edited_is_named_and_nothing_is_written(
    run: Run, home: Path, name: str, data: bytes, words: str
):
    write_file(home / name, data)
    ran = run("install", "claude-code", "codex", "--anyway")
    assert ran.code == 1
    assert words in ran.err
    assert str(home / name) in ran.err
    assert files(home) == {name: data}


@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_if_one_file_cannot_be_written_none_is(run: Run, home: Path, verb: str):
    write_file(home / ".codex" / "config.toml", CODEX)
    write_file(home / ".claude.json", b'{"a": 1}')
    if verb == "uninstall":
        run("install", "claude-code", "codex", "--anyway")
    before = {name: data for name, data in files(home).items() if "installed" not in name}
    (home / ".codex" / ".hooks.json.lock").mkdir()
    ran = run(verb, "claude-code", "codex", *(["--anyway"] if verb == "install" else []))
    assert ran.code == 1
    assert "hooks.json" in ran.err
    assert "Nothing was changed" in ran.err
    assert {name: data for name, data in files(home).items() if "installed" not in name} == before
    (home / ".codex" / ".hooks.json.lock").rmdir()
    run("uninstall", "claude-code", "codex")
    assert (home / ".codex" / "config.toml").read_bytes() == CODEX
    assert (home / ".claude.json").read_bytes() == b'{"a": 1}'


def test_if_no_backup_can_be_saved_nothing_is_changed(run: Run, home: Path):
    write_file(home / ".codex" / "config.toml", CODEX)
    kept = write_file(Path(find_home({}, os.environ)) / "installed", b"in the way")
    ran = run("install", "codex", "--anyway")
    assert ran.code == 1
    assert "Nothing was changed" in ran.err
    assert (home / ".codex" / "config.toml").read_bytes() == CODEX
    kept.unlink()
    assert run("install", "codex", "--anyway").code == 0


def test_dry_run_shows_the_difference_and_writes_nothing(run: Run, home: Path):
    write_file(home / ".claude" / "settings.json", FORMATS["comments"])
    before = files(home)
    ran = run("install", "claude-code", "--dry-run", "--anyway")
    assert files(home) == before
    assert f"--- {home}/.claude/settings.json" in ran.out.replace(os.sep, "/")
    assert '+  "hooks": {' in ran.out
    assert ' "model": "opus", /* best */' in ran.out
    assert not (Path(os.environ["RUM_HOME"]) / "installed").exists()


def test_uninstall_names_the_scope_in_which_nothing_was_installed(run: Run, home: Path):
    run("install", "claude-code", "--scope", "project", "--anyway")
    ran = run("uninstall", "claude-code")
    assert ran.out == "Claude Code: was not installed for all your projects; nothing was changed.\n"


def test_a_backup_of_the_file_is_saved(run: Run, home: Path):
    write_file(home / ".claude" / "settings.json", FORMATS["comments"])
    ran = run("install", "claude-code", "--anyway")
    kept = [line.partition(": ")[2] for line in ran.err.splitlines() if line.startswith("Backup saved")]
    assert [Path(path).read_bytes() for path in kept] == [FORMATS["comments"]]
    assert Path(kept[0]).stat().st_mode & 0o077 == 0 or os.name == "nt"


def test_a_linked_file_is_written_at_its_target(run: Run, home: Path, tmp_path: Path):
    real = write_file(tmp_path / "dotfiles" / "settings.json", b"{}")
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").symlink_to(real)
    run("install", "claude-code", "--anyway")
    assert (home / ".claude" / "settings.json").is_symlink()
    assert "hooks" in json.loads(real.read_text())


def test_a_link_that_leads_out_of_the_repository_is_refused(
    run: Run, home: Path, project: Path, tmp_path: Path
):
    outside = write_file(tmp_path / "outside" / "settings.local.json", b"{}")
    subprocess.run(["git", "init", "-q"], check=True)
    (project / ".claude").symlink_to(outside.parent)
    ran = run("install", "claude-code", "--scope", "project", "--anyway")
    assert ran.code == 1
    assert "leads out of" in ran.err
    assert outside.read_bytes() == b"{}"


def test_in_a_project_personal_settings_go_into_personal_files(run: Run, home: Path, project: Path):
    subprocess.run(["git", "init", "-q"], check=True)
    assert run("install", "claude-code", "--scope", "project", "--anyway").code == 0
    assert [name for name in files(project) if not name.startswith(".git/")] == [
        ".claude/settings.local.json"
    ]
    entry = json.loads((home / ".claude.json").read_text())["projects"][str(project.resolve())]
    assert entry["mcpServers"]["rum"]["command"] == os.sys.executable
    assert run("uninstall", "claude-code", "--scope", "project").code == 0
    assert [name for name in files(project) if not name.startswith(".git/")] == []
    assert files(home) == {}


def test_in_a_project_shared_files_name_no_interpreter(
    run: Run, home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    names = ("codex", "gemini", "cursor", "vscode", "opencode")
    ran = run("install", *names, "--scope", "project", "--anyway")
    assert ran.code == 1
    assert "not on PATH" in ran.err
    assert files(project) == {}
    for name in ("rum", "rum-hook"):
        write_file(tmp_path / "bin" / name, b"#!/bin/sh\n").chmod(0o755)
    assert run("install", *names, "--scope", "project").code == 0
    written = files(project)
    assert set(written) == {
        ".codex/config.toml",
        ".codex/hooks.json",
        ".gemini/settings.json",
        ".cursor/mcp.json",
        ".vscode/mcp.json",
        "opencode.json",
    }
    assert not any(os.fsencode(os.sys.executable) in data for data in written.values())
    assert json.loads(written["opencode.json"])["mcp"]["rum"]["command"] == ["rum", "mcp"]


def test_instructions_are_added_on_request_and_removed_by_uninstall(run: Run, home: Path):
    guide = write_file(home / ".claude" / "CLAUDE.md", b"Be brief.\r\n")
    run("install", "claude-code", "--anyway")
    assert guide.read_bytes() == b"Be brief.\r\n"
    run("install", "claude-code", "--anyway", "--instructions")
    assert "`recall`" in guide.read_text()
    once = guide.read_bytes()
    run("install", "claude-code", "--anyway", "--instructions")
    assert guide.read_bytes() == once
    run("uninstall", "claude-code")
    assert guide.read_bytes() == b"Be brief.\r\n"


def test_clients_that_read_the_same_file_share_one_section(
    run: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("rum", "rum-hook"):
        write_file(tmp_path / "bin" / name, b"#!/bin/sh\n").chmod(0o755)
    guide = write_file(project / "AGENTS.md", b"# Mine\n")
    ran = run("install", "codex", "cursor", "opencode", "--scope", "project", "--instructions")
    assert ran.code == 0, ran.err
    assert guide.read_bytes().count(b"## Memory") == 1
    assert run("uninstall", "codex", "cursor", "opencode", "--scope", "project").code == 0
    assert guide.read_bytes() == b"# Mine\n"


def test_without_clients_and_terminal_the_present_clients_are_listed(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", "")
    assert "No supported client was found" in run("install").err
    (home / ".codex").mkdir()
    ran = run("install")
    assert ran.code == 1
    assert "rum install codex" in ran.err
    assert files(home) == {}


def test_codex_asks_the_user_to_trust_the_hooks(run: Run, home: Path):
    ran = run("install", "codex", "--anyway")
    assert "Trust all and continue" in ran.err
    assert b"trusted_hash" not in (home / ".codex" / "config.toml").read_bytes()


URL = "https://memory.example.com/mcp"
BEARER = {"headers": {"Authorization": "Bearer ${RUM_TOKEN}"}}
EDITOR = {"headers": {"Authorization": "Bearer ${env:RUM_TOKEN}"}}
REMOTE: dict[str, tuple[str, str, dict[str, Any]]] = {
    "claude-code": (".claude.json", "mcpServers", {"type": "http", "url": URL, **BEARER}),
    "gemini": (".gemini/settings.json", "mcpServers", {"httpUrl": URL, **BEARER}),
    "cursor": (".cursor/mcp.json", "mcpServers", {"url": URL, **EDITOR}),
    "vscode": (".config/Code/User/mcp.json", "servers", {"type": "http", "url": URL, **EDITOR}),
    "opencode": (
        ".config/opencode/opencode.json",
        "mcp",
        {
            "type": "remote",
            "url": URL,
            "headers": {"Authorization": "Bearer {env:RUM_TOKEN}"},
            "oauth": False,
            "enabled": True,
        },
    ),
    "codex": (".codex/config.toml", "mcp_servers", {"url": URL, "bearer_token_env_var": "RUM_TOKEN"}),
}


def entry_of(home: Path, client: str) -> dict[str, Any]:
    name, table, _ = REMOTE[client]
    text = (home / name).read_text()
    return (tomllib.loads if name.endswith("toml") else json.loads)(text)[table]["rum"]


@pytest.mark.skipif(os.sys.platform != "linux", reason="VS Code has its files elsewhere on other systems")
def test_every_client_is_pointed_at_a_team_server(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RUM_TOKEN", "rum_secret")
    before = files(home)
    ran = run("install", *REMOTE, "--anyway", "--server", "https://memory.example.com/")
    assert ran.code == 0, ran.err
    assert f"Set RUM_TOKEN to your token for {URL}" in ran.err
    for client, (_, _, expected) in REMOTE.items():
        assert entry_of(home, client) == expected
    for settings_file in (".claude/settings.json", ".codex/hooks.json", ".gemini/settings.json"):
        assert "rum hook" in (home / settings_file).read_text()
    assert not any(b"rum_secret" in data for data in files(home).values())
    once = files(home)
    assert run("install", *REMOTE, "--anyway", "--server", URL).code == 0
    assert files(home) == once
    assert run("uninstall", *REMOTE).code == 0
    assert files(home) == before


def test_a_client_changes_between_its_own_server_and_the_teams(run: Run, home: Path):
    clients = ("codex", "cursor")
    run("install", *clients, "--anyway")
    config, editor = home / ".codex" / "config.toml", home / ".cursor" / "mcp.json"
    alone = {name: entry_of(home, name) for name in clients}
    mine = 'startup_timeout_sec = 20\n[mcp_servers.rum.env]\nRUM_HOME = "/elsewhere"\n'
    config.write_text(config.read_text() + mine)
    assert run("install", *clients, "--anyway", "--server", URL).code == 0
    assert entry_of(home, "codex") == {**REMOTE["codex"][2], "startup_timeout_sec": 20}
    assert entry_of(home, "cursor") == REMOTE["cursor"][2]
    editor.write_text(editor.read_text().replace('"Authorization"', '"X-Team": "a", "Authorization"'))
    assert run("install", *clients, "--anyway", "--server", "http://127.0.0.1:8765/mcp").code == 0
    assert entry_of(home, "cursor") == {
        "url": "http://127.0.0.1:8765/mcp",
        "headers": {"X-Team": "a", **EDITOR["headers"]},
    }
    assert run("install", *clients, "--anyway").code == 0
    assert entry_of(home, "cursor") == alone["cursor"]
    assert entry_of(home, "codex") == {**alone["codex"], "startup_timeout_sec": 20}


def test_a_token_in_a_file_is_replaced_by_the_variable(run: Run, home: Path):
    added_by_hand = {"type": "http", "url": URL, "headers": {"Authorization": "Bearer rum_secret"}}
    state = write_file(home / ".claude.json", json.dumps({"mcpServers": {"rum": added_by_hand}}).encode())
    assert run("install", "claude-code", "--anyway", "--server", URL).code == 0
    assert entry_of(home, "claude-code") == REMOTE["claude-code"][2]
    state.write_text(json.dumps({"mcpServers": {"rum": {"url": "https://rum.example.com/menu"}}}))
    ran = run("install", "claude-code", "--anyway", "--server", URL)
    assert ran.code == 1
    assert "another program's MCP server" in ran.err


def test_in_a_project_an_editor_without_hooks_needs_no_rum_on_the_path(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", "")
    assert run("install", "cursor", "--scope", "project", "--server", URL).code == 0
    assert entry_of(project, "cursor") == REMOTE["cursor"][2]
    ran = run("install", "codex", "--scope", "project", "--server", URL)
    assert ran.code == 1
    assert "not on PATH" in ran.err


@pytest.mark.parametrize(
    "url",
    [
        "",
        "memory.example.com",
        "ftp://memory.example.com/mcp",
        "https://",
        "https:///mcp",
        "https://ann:rum_secret@memory.example.com/mcp",
        "https://memory.example.com/mcp?token=rum_secret",
        "https://${HOST}/mcp",
        "https://memory.example.com:x/mcp",
        "https://[::1/mcp",
        "https://memory.example.com/mcp\n",
    ],
)
def test_what_is_no_plain_address_of_a_server_is_refused(run: Run, home: Path, url: str):
    ran = run("install", "codex", "--anyway", "--server", url)
    assert ran.code == 1
    assert "https://memory.example.com/mcp." in ran.err
    assert not (home / ".codex").exists()


BLANK = st.sampled_from(["", " ", "\n", "\r\n", "\t", "// c\n", "/* c */"])
OTHERS = st.sampled_from(
    [
        '"model":"x"',
        '"hooks" : {"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]}',
        '"hooks":{}',
        '"e":[1,]',
    ]
)


@st.composite
def typed(draw: st.DrawFn) -> bytes:
    members = draw(st.lists(OTHERS, max_size=3, unique_by=lambda text: text[:5]))
    inner = ",".join(f"{draw(BLANK)}{member}{draw(BLANK)}" for member in members)
    comma = "," if members and draw(st.booleans()) else ""
    mark = "\ufeff" if draw(st.booleans()) else ""
    return f"{mark}{draw(BLANK)}{{{inner}{comma}{draw(BLANK)}}}{draw(BLANK)}".encode()


@settings(max_examples=40)
@given(typed())
def test_uninstall_restores_settings_in_any_formatting(home: Path, data: bytes):
    path = write_file(home / ".gemini" / "settings.json", data)
    with streams(b""):
        assert main(["install", "gemini", "--anyway"]) == 0
        once = path.read_bytes()
        assert main(["install", "gemini", "--anyway"]) == 0
    assert path.read_bytes() == once
    rest = iter(once)
    assert all(byte in rest for byte in data)
    parsed = json_edit.parse(once.decode()).value
    assert parsed["mcpServers"]["rum"]["args"] == ["-P", "-m", "rum", "mcp"]
    assert (b"mine" in data) == (
        "mine" in [hook["command"] for group in parsed["hooks"].get("Stop", []) for hook in group["hooks"]]
    )
    with streams(b""):
        assert main(["uninstall", "gemini"]) == 0
    assert path.read_bytes() == data


@needs_terminal
@pytest.mark.parametrize(("typed", "code_hooks"), [("y", True), ("n", False)])
def test_without_clients_a_terminal_asks_for_each(home: Path, tmp_path: Path, typed: str, code_hooks: bool):
    (home / ".codex").mkdir()
    empty = tmp_path / "empty"
    empty.mkdir()
    screen = on_terminal("install", "--anyway", wait_for="RUM for Codex", typed=typed, PATH=str(empty))
    assert screen.code == 0
    assert (home / ".codex" / "hooks.json").exists() == code_hooks


def test_without_a_terminal_install_says_which_project_this_may_be(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
):
    _, fork = _fork_of_the_shop(run, project)
    (known,) = (one["id"] for one in run("projects", "--json").json)
    monkeypatch.chdir(fork)
    ran = run("install", "cursor", "--anyway")
    assert ran.code == 0, ran.err
    assert f"`rum projects join {known}`" in ran.err
    assert [one["id"] for one in run("projects", "--json").json] == [known]


@needs_terminal
@pytest.mark.parametrize("typed", ["y", "n"])
def test_on_a_terminal_install_asks_whether_to_join(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch, typed: str
):
    made, fork = _fork_of_the_shop(run, project)
    monkeypatch.chdir(fork)
    screen = on_terminal("install", "cursor", "--anyway", wait_for="Join shop-", typed=typed)
    assert screen.code == 0
    assert run("show", made).code == (0 if typed == "y" else 1)


def _fork_of_the_shop(run: Run, project: Path) -> tuple[str, Path]:
    """A memory in a repository, and a fork of that."""
    repo = Repository(project)
    repo.commit("one", {"a": "1"})
    repo.git("remote", "add", "origin", "https://example.org/team/shop")
    made = run("store", stdin=JSON).id
    fork = project.parent / "fork"
    repo.git("clone", "--quiet", str(project), str(fork))
    repo.git("-C", str(fork), "remote", "set-url", "origin", "https://example.org/ann/shop")
    return made, fork
