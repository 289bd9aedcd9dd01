"""Subscriptions are acknowledged, stay open, and can be ended by either side."""

import pytest

SERVER_INFO = "io.modelcontextprotocol/serverInfo"
SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"
OURS = {"name": "echo", "version": "1.2.3"}
NEWS = {"notifications": {"toolsListChanged": True, "resourceSubscriptions": ["echo://all"]}}


class TestSubscriptions:
    def test_a_stream_is_acknowledged_without_notifications(self, modern):
        modern.ask("subscriptions/listen", NEWS, "stream-1")
        message = modern.receive()
        assert message["method"] == "notifications/subscriptions/acknowledged"
        assert message["params"] == {"notifications": {}, "_meta": {SUBSCRIPTION_ID: "stream-1"}}

    def test_a_stream_stays_open_until_the_server_ends(self, modern):
        modern.ask("subscriptions/listen", NEWS, 0)
        modern.receive()
        modern.call("echo")
        assert modern.finish() == [
            {
                "jsonrpc": "2.0",
                "id": 0,
                "result": {"resultType": "complete", "_meta": {SERVER_INFO: OURS, SUBSCRIPTION_ID: 0}},
            }
        ]

    def test_a_cancelled_stream_gets_no_response(self, modern):
        kept, cancelled = "kept", "cancelled"
        for name in (kept, cancelled):
            modern.ask("subscriptions/listen", NEWS, name)
            modern.receive()
        modern.cancel(cancelled)
        modern.call("echo")
        assert [message["id"] for message in modern.finish()] == [kept]

    @pytest.mark.parametrize("params", [{}, {"notifications": None}, {"notifications": ["toolsListChanged"]}])
    def test_a_stream_without_a_filter_is_refused(self, modern, params):
        assert modern.error("subscriptions/listen", params)["code"] == -32602
        assert modern.finish() == []
