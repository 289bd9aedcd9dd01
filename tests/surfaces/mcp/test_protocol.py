"""The answer of each method in each protocol version; the client validates every message."""

import json

import pytest

STATELESS = "2026-07-28"
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
OURS = {"name": "echo", "version": "1.2.3"}
LISTS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}


class TestHandshake:
    @pytest.mark.parametrize("revision", ["2024-11-05", "2025-06-18", "2025-11-25"])
    def test_a_supported_version_is_accepted(self, silent, revision):
        result = silent.initialize(revision)
        assert result["protocolVersion"] == revision
        assert result["serverInfo"] == OURS
        assert result["instructions"] == "Use echo to hear yourself."
        assert result["capabilities"] == {"tools": {}, "resources": {}}

    @pytest.mark.parametrize("revision", ["2026-07-28", "1999-01-01", "draft"])
    def test_another_version_is_answered_with_the_newest_one_with_a_handshake(self, silent, revision):
        assert silent.result("initialize", {"protocolVersion": revision})["protocolVersion"] == "2025-11-25"

    @pytest.mark.parametrize("params", [{}, {"protocolVersion": 7}, {"protocolVersion": None}])
    def test_a_handshake_without_a_version_is_refused(self, silent, params):
        assert silent.error("initialize", params)["code"] == -32602

    def test_initialize_is_a_handshake_even_with_stateless_metadata(self, silent):
        params = {"protocolVersion": "2025-06-18", "_meta": silent.meta()}
        assert silent.result("initialize", params)["protocolVersion"] == "2025-06-18"

    def test_a_request_before_the_handshake_is_answered(self, silent):
        assert silent.result("tools/list")["tools"][0]["name"] == "echo"
        assert silent.call("whoami")["structuredContent"] == {"client": None, "session": None}

    def test_ping_is_answered_before_and_after_the_handshake(self, silent):
        assert silent.result("ping") == {}
        silent.initialize()
        assert silent.result("ping") == {}

    def test_a_log_level_is_accepted_and_a_wrong_one_refused(self, legacy):
        assert legacy.result("logging/setLevel", {"level": "debug"}) == {}
        assert legacy.error("logging/setLevel", {"level": "loud"})["code"] == -32602
        assert legacy.error("logging/setLevel", {"level": ["debug"]})["code"] == -32602


class TestStateless:
    def test_discovery_lists_versions_and_capabilities(self, modern):
        result = modern.result("server/discover")
        assert result["supportedVersions"][0] == STATELESS
        assert {"2025-11-25", "2025-06-18"} <= set(result["supportedVersions"])
        assert result["instructions"] == "Use echo to hear yourself."
        assert result["capabilities"] == {"tools": {}, "resources": {}}

    @pytest.mark.parametrize(
        ("method", "params"),
        [
            ("server/discover", {}),
            ("tools/call", {"name": "echo"}),
            ("resources/read", {"uri": "echo://one/1"}),
            *((method, {}) for method in LISTS),
        ],
    )
    def test_every_result_has_its_type_and_the_servers_name(self, modern, method, params):
        result = modern.result(method, params)
        assert result["resultType"] == "complete"
        assert result["_meta"] == {SERVER_INFO: OURS}

    @pytest.mark.parametrize("method", ["server/discover", *LISTS])
    def test_lists_can_be_cached_publicly(self, modern, method):
        result = modern.result(method)
        assert result["ttlMs"] > 0
        assert result["cacheScope"] == "public"

    def test_a_resource_cannot_be_cached(self, modern):
        result = modern.result("resources/read", {"uri": "echo://one/1"})
        assert (result["ttlMs"], result["cacheScope"]) == (0, "private")

    def test_a_tool_result_has_no_cache_fields(self, modern):
        assert not {"ttlMs", "cacheScope"} & set(modern.call("echo"))

    def test_an_unknown_version_is_refused_with_the_supported_ones(self, modern):
        error = modern.error("tools/list", {"_meta": modern.meta(protocolVersion="2099-01-01")})
        assert error["code"] == -32022
        assert error["data"]["requested"] == "2099-01-01"
        assert {STATELESS, "2025-11-25", "2025-06-18"} <= set(error["data"]["supported"])

    @pytest.mark.parametrize(
        "changes",
        [
            {"protocolVersion": None},
            {"protocolVersion": 20260728},
            {"clientCapabilities": None},
            {"clientCapabilities": []},
            {"protocolVersion": None, "clientCapabilities": None},
        ],
    )
    def test_a_request_without_its_required_metadata_is_refused(self, modern, changes):
        assert modern.error("tools/list", {"_meta": modern.meta(**changes)})["code"] == -32602

    @pytest.mark.parametrize("method", ["server/discover", "subscriptions/listen"])
    def test_a_method_of_the_stateless_version_needs_the_metadata(self, legacy, method):
        assert legacy.error(method, {"notifications": {}})["code"] == -32602

    def test_the_name_of_the_client_is_optional(self, modern):
        params = {"name": "whoami", "_meta": modern.meta(clientInfo=None)}
        assert modern.result("tools/call", params)["structuredContent"] == {"client": None, "session": None}

    @pytest.mark.parametrize(
        "method", ["ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"]
    )
    def test_methods_removed_in_the_stateless_version_are_unknown(self, modern, method):
        assert modern.error(method, {"level": "debug", "uri": "echo://all"})["code"] == -32601

    def test_an_older_version_is_answered_in_its_own_format(self, modern):
        modern.revision = "2025-11-25"
        result = modern.result("tools/list", {"_meta": modern.meta(protocolVersion="2025-11-25")})
        assert set(result) == {"tools"}

    def test_both_kinds_of_versions_are_served_in_one_session(self, legacy):
        assert "resultType" not in legacy.result("tools/list")
        legacy.revision = STATELESS
        assert legacy.result("tools/list")["resultType"] == "complete"
        legacy.revision = "2025-11-25"
        assert "resultType" not in legacy.result("tools/list")


class TestTools:
    def test_tools_are_always_listed_in_the_same_order(self, client):
        first = client.result("tools/list")
        assert [tool["name"] for tool in first["tools"]] == [
            "echo",
            "whoami",
            "refuse",
            "crash",
            "not_json",
            "chatter",
            "wait",
            "promise",
        ]
        assert client.result("tools/list") == first

    def test_a_result_is_structured_content_and_compact_text(self, client):
        result = client.call("echo", word="naïve 記憶", deep={"list": [1, None]})
        assert result["structuredContent"] == {"word": "naïve 記憶", "deep": {"list": [1, None]}}
        assert result["content"] == [
            {"type": "text", "text": '{"word":"naïve 記憶","deep":{"list":[1,null]}}'}
        ]
        assert "isError" not in result

    def test_a_client_that_passes_on_the_whole_result_gets_only_structured_content(self, silent):
        greeting = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "codex-mcp-client", "version": "0.166.0"},
        }
        silent.request("initialize", greeting, 0)
        call = {"name": "echo", "arguments": {"word": "once"}}
        assert silent.result("tools/call", call) == {"content": [], "structuredContent": {"word": "once"}}
        refusal = silent.result("tools/call", {"name": "refuse"})
        assert json.loads(refusal["content"][0]["text"])["code"] == "NOT_FOUND"

    def test_an_error_of_a_tool_is_a_result_marked_as_error(self, client):
        result = client.call("refuse")
        assert result["isError"] is True
        assert result["structuredContent"]["code"] == "NOT_FOUND"
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]

    def test_an_error_of_a_tool_with_an_output_schema_is_text_only(self, client):
        assert client.call("promise", keep=True)["structuredContent"] == {"kept": True}
        result = client.call("promise", keep=False)
        assert result["isError"] is True
        assert "structuredContent" not in result
        assert json.loads(result["content"][0]["text"])["code"] == "NOT_FOUND"

    def test_arguments_are_optional(self, client):
        assert client.result("tools/call", {"name": "echo"})["structuredContent"] == {}

    def test_the_application_gets_the_clients_name(self, client):
        assert client.call("whoami")["structuredContent"] == {"client": "test", "session": None}

    @pytest.mark.parametrize(
        "params",
        [
            {},
            {"name": 5},
            {"name": "echo", "arguments": []},
            {"name": "echo", "arguments": "x"},
            {"name": "nope"},
        ],
    )
    def test_an_invalid_call_is_refused(self, client, params):
        assert client.error("tools/call", params)["code"] == -32602

    @pytest.mark.parametrize("tool", ["crash", "not_json"])
    def test_a_defect_is_an_internal_error_and_the_server_goes_on(self, client, tool):
        error = client.error("tools/call", {"name": tool})
        assert error["code"] == -32603
        assert "Traceback" not in error["message"]
        assert "the-words-of-an-exception" not in error["message"]
        assert client.call("echo", still="here")["structuredContent"] == {"still": "here"}
        client.finish()
        assert "Traceback" in client.stderr()


class TestResources:
    def test_resources_are_listed(self, client):
        assert client.result("resources/list")["resources"] == [{"uri": "echo://all", "name": "all"}]
        templates = client.result("resources/templates/list")["resourceTemplates"]
        assert templates == [{"uriTemplate": "echo://one/{id}", "name": "one"}]

    def test_a_resource_is_read(self, client):
        contents = client.result("resources/read", {"uri": "echo://one/1"})["contents"]
        assert contents == [{"uri": "echo://one/1", "mimeType": "text/plain", "text": "hé"}]

    def test_a_missing_resource_is_refused_with_the_versions_error_code(self, client):
        error = client.error("resources/read", {"uri": "other://x"})
        assert error["code"] == (-32602 if client.revision == STATELESS else -32002)
        assert error["data"] == {"uri": "other://x"}

    def test_a_read_without_a_uri_is_refused(self, client):
        assert client.error("resources/read")["code"] == -32602


class TestEveryVersion:
    @pytest.mark.parametrize(("method", "field"), LISTS.items())
    def test_lists_have_one_page(self, client, method, field):
        assert isinstance(client.result(method, {})[field], list)
        assert client.error(method, {"cursor": "2"})["code"] == -32602

    def test_there_are_no_prompts(self, client):
        assert client.result("prompts/list")["prompts"] == []

    @pytest.mark.parametrize(
        "method",
        [
            "no/such/method",
            "prompts/get",
            "completion/complete",
            "resources/subscribe",
            "tasks/list",
            "notifications/cancelled",
            "",
        ],
    )
    def test_unsupported_methods_are_unknown(self, client, method):
        params = {"uri": "echo://all", "requestId": 1, "name": "x"}
        assert client.error(method, params)["code"] == -32601

    def test_parameters_must_be_an_object(self, client):
        for number, params in enumerate(([], "x", 5, True), start=100):
            client.send({"jsonrpc": "2.0", "id": number, "method": "tools/list", "params": params})
            reply = client.receive()
            assert (reply["id"], reply["error"]["code"]) == (number, -32602)

    def test_notifications_are_never_answered(self, client):
        for method in (
            "notifications/initialized",
            "notifications/unheard_of",
            "tools/call",
            "no/such/method",
        ):
            client.notify(method, name="crash")
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": ["1"]})
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}})
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled"})
        client.call("echo")
        assert client.finish() == []
        assert client.stderr() == ""

    def test_older_versions_get_no_fields_of_the_newest(self, legacy):
        results = [legacy.call("echo"), *(legacy.result(method) for method in LISTS)]
        assert not {"resultType", "ttlMs", "cacheScope", "_meta"} & {
            key for result in results for key in result
        }
