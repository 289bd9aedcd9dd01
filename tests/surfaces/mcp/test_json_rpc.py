"""Framing and parsing: for any bytes, each line gets at most one reply and the server goes on."""

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rum.surfaces.mcp import json_rpc

PING = {"jsonrpc": "2.0", "id": "sentinel", "method": "ping"}


def replies(client, data: bytes) -> list[dict]:
    """The replies to these bytes, up to that of a known request sent after them."""
    client.write(data)
    client.send(PING)
    found = []
    while (message := json.loads(client.raw()))["id"] != "sentinel":
        found.append(message)
    assert message == {"jsonrpc": "2.0", "id": "sentinel", "result": {}}
    return found


def only_reply(client, data: bytes) -> dict:
    (message,) = replies(client, data)
    return message


class TestMalformed:
    @pytest.mark.parametrize(
        "line",
        [
            b"{",
            b"nonsense",
            b'{"jsonrpc":"2.0","id":1,"method":"ping"} trailing',
            b'{"jsonrpc":"2.0","id":1,"method":"p\xff"}',
            b'{"jsonrpc":"2.0","id":1,"method":"\xed\xa0\x80"}',
            b"\xff\xfe{\x00}\x00",
            b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}',
            b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":-Infinity}}',
            b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}',
            b"[" * 100_000,
            b'{"a":' * 100_000,
            b"\x00",
        ],
        ids=lambda line: repr(line[:40]),
    )
    def test_invalid_json_is_a_parse_error(self, lasting, line):
        reply = only_reply(lasting, line + b"\n")
        assert (reply["id"], reply["error"]["code"]) == (None, -32700)

    @pytest.mark.parametrize(
        "message",
        [
            5,
            "ping",
            None,
            [],
            [PING],
            {},
            {"jsonrpc": "2.0"},
            {"jsonrpc": "2.0", "method": 5},
            {"method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": None, "method": "ping"},
            {"jsonrpc": "2.0", "id": True, "method": "ping"},
            {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
            {"jsonrpc": "2.0", "id": [], "method": "ping"},
            {"jsonrpc": "2.0", "id": {}, "method": "ping"},
        ],
        ids=json.dumps,
    )
    def test_an_invalid_request_is_refused_without_an_id(self, lasting, message):
        reply = only_reply(lasting, json.dumps(message).encode() + b"\n")
        assert (reply["id"], reply["error"]["code"]) == (None, -32600)

    @pytest.mark.parametrize(
        "message",
        [
            {"id": 7, "method": "ping"},
            {"jsonrpc": "1.0", "id": 7, "method": "ping"},
            {"jsonrpc": 2.0, "id": 7, "method": "ping"},
            {"jsonrpc": "2.0", "id": 7},
            {"jsonrpc": "2.0", "id": 7, "method": None},
            {"jsonrpc": "2.0", "id": 7, "method": ["ping"], "result": {}},
        ],
        ids=json.dumps,
    )
    def test_an_invalid_request_is_refused_with_its_id_if_that_is_valid(self, lasting, message):
        reply = only_reply(lasting, json.dumps(message).encode() + b"\n")
        assert (reply["id"], reply["error"]["code"]) == (7, -32600)

    @pytest.mark.parametrize(
        "line",
        [
            b"",
            b"\r",
            b" \t ",
            b'{"jsonrpc":"2.0","id":1,"result":{}}',
            b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}',
        ],
    )
    def test_blank_lines_and_unexpected_responses_are_ignored(self, lasting, line):
        assert replies(lasting, line + b"\n") == []


class TestSize:
    def test_a_line_over_the_limit_is_refused_and_the_next_one_answered(self, lasting):
        padding = b" " * json_rpc.MAX_LINE
        reply = only_reply(lasting, b'{"jsonrpc":"2.0","id":1,"method":"ping"' + padding + b"}\n")
        assert (reply["id"], reply["error"]["code"]) == (None, -32600)
        assert str(json_rpc.MAX_LINE) in reply["error"]["message"]

    def test_a_line_of_exactly_the_limit_is_answered(self, lasting):
        start, end = b'{"jsonrpc":"2.0","id":1,"method":"ping"', b"}"
        line = start + b" " * (json_rpc.MAX_LINE - len(start) - len(end)) + end
        assert only_reply(lasting, line + b"\n") == {"jsonrpc": "2.0", "id": 1, "result": {}}

    def test_each_line_over_the_limit_gets_one_reply(self, lasting):
        data = b"".join(
            b"x" * size + b"\n"
            for size in (3 * json_rpc.MAX_LINE, json_rpc.MAX_LINE + 1, 2 * json_rpc.MAX_LINE)
        )
        assert [reply["error"]["code"] for reply in replies(lasting, data)] == [-32600] * 3

    @given(
        pieces=st.lists(st.integers(0, 40).map(lambda size: b"x" * size), max_size=8),
        ended=st.booleans(),
        limit=st.integers(1, 30),
    )
    def test_lines_are_split_at_any_size_and_limit(self, pieces, ended, limit):
        source, sink = os.pipe()
        os.write(sink, b"\n".join(pieces) + (b"\n" if ended else b""))
        os.close(sink)
        try:
            found = list(json_rpc.read_lines(source, limit))
        finally:
            os.close(source)
        whole = pieces if ended and pieces else pieces[:-1] if pieces[-1:] == [b""] else pieces
        if ended and not pieces:
            whole = [b""]
        assert found == [piece if len(piece) <= limit else None for piece in whole]


class TestLines:
    def test_windows_line_ends_are_read(self, lasting):
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode() + b"\r\n"
        assert only_reply(lasting, line)["result"] == {}

    def test_messages_arrive_in_pieces_and_several_at_once(self, lasting):
        first, second = (json.dumps({**PING, "id": number}).encode() + b"\n" for number in (1, 2))
        lasting.write(first[:10])
        found = replies(lasting, first[10:] + second)
        assert [message["id"] for message in found] == [1, 2]

    def test_line_separators_inside_strings_do_not_break_a_message(self, legacy):
        text = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\rh\ni"
        message = {
            "jsonrpc": "2.0",
            "id": 9,
            "method": "tools/call",
            "params": {"name": "echo", "arguments": {"text": text}},
        }
        legacy.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
        line = legacy.raw()
        assert len(line.decode("utf-8").splitlines()) == 1
        assert json.loads(line)["result"]["structuredContent"] == {"text": text}

    def test_half_a_surrogate_pair_still_makes_a_valid_message(self, legacy):
        arguments = b'{"text":"\\ud83d!"}'
        legacy.write(
            b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","arguments":%s}}\n'
            % arguments
        )
        assert json.loads(legacy.raw().decode("utf-8"))["result"]["structuredContent"] == {"text": "?!"}

    @pytest.mark.parametrize("request_id", [0, -1, 2**53 + 1, 10**40, "", "7", "naïve 記憶", "a\u2028b"])
    def test_an_id_is_returned_unchanged(self, client, request_id):
        reply = client.request("tools/list", request_id=request_id)
        assert type(reply["id"]) is type(request_id)
        assert "result" in reply

    def test_numbers_and_strings_are_different_ids(self, legacy):
        assert legacy.request("ping", request_id=1)["id"] == 1
        assert legacy.request("ping", request_id="1")["id"] == "1"

    def test_each_reply_is_one_compact_line(self, legacy):
        legacy.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        assert legacy.raw() == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
methods = st.sampled_from(
    [
        "initialize",
        "ping",
        "tools/list",
        "tools/call",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "prompts/list",
        "server/discover",
        "logging/setLevel",
        "notifications/cancelled",
        "notifications/initialized",
    ]
)
params = values | st.fixed_dictionaries(
    {},
    optional={
        "name": values | st.just("echo"),
        "arguments": values,
        "uri": values | st.just("echo://x"),
        "protocolVersion": values,
        "cursor": values,
        "requestId": values,
        "_meta": values
        | st.dictionaries(
            st.sampled_from(
                [
                    f"io.modelcontextprotocol/{key}"
                    for key in ("protocolVersion", "clientCapabilities", "clientInfo")
                ]
            ),
            values | st.just("2026-07-28") | st.just({}),
        ),
    },
)
almost_messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | values,
        "id": st.integers() | st.text(max_size=5) | values,
        "method": methods | values,
        "params": params,
    },
)


class TestAnything:
    @settings(max_examples=200)
    @given(line=st.binary(max_size=200).map(lambda data: data.replace(b"\n", b"")))
    def test_any_bytes_get_at_most_one_reply_and_the_next_request_its_answer(self, lasting, line):
        assert len(replies(lasting, line + b"\n")) <= 1

    @settings(max_examples=300)
    @given(message=almost_messages)
    def test_any_message_gets_at_most_one_reply_to_its_own_id(self, lasting, message):
        found = replies(lasting, json.dumps(message).encode() + b"\n")
        assert len(found) <= 1
        for reply in found:
            assert reply["id"] is None or reply["id"] == message["id"]
            assert ("result" in reply) != ("error" in reply)

    @settings(max_examples=50)
    @given(garbage=st.lists(st.binary(max_size=60), max_size=6))
    def test_valid_requests_among_garbage_are_all_answered(self, lasting, garbage):
        data, wanted = b"", []
        for number, junk in enumerate(garbage):
            data += junk + b"\n" + json.dumps({**PING, "id": f"ask-{number}"}).encode() + b"\n"
            wanted.append(f"ask-{number}")
        found = [reply["id"] for reply in replies(lasting, data) if "result" in reply]
        assert [reply for reply in found if reply in wanted] == wanted

    @given(value=values)
    def test_an_encoded_message_is_one_line_of_utf8(self, value):
        try:
            data = json_rpc.encode({"jsonrpc": "2.0", "id": 1, "result": {"value": value}})
        except ValueError:
            return
        text = data.decode("utf-8")
        assert text.endswith("\n")
        assert len(text.splitlines()) == 1
        assert json.loads(text)["result"] == {"value": value}
