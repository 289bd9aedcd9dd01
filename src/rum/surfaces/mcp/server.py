"""The loop of `rum mcp`: one thread takes messages in, the main thread answers them in order."""

from __future__ import annotations

import signal
import sys
from queue import Empty, SimpleQueue
from threading import Thread

from rum.surfaces.mcp import json_rpc
from rum.surfaces.mcp.json_rpc import Notice, Request, RpcError
from rum.surfaces.mcp.protocol import Dispatcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from rum.surfaces.mcp.application import Door, Listing
    from rum.surfaces.mcp.json_rpc import RequestId


def serve(listing: Listing, open_door: Callable[[], Door]) -> None:
    """Speak MCP over the standard streams until the client closes them or a signal asks to end."""
    incoming, outgoing = json_rpc.claim_streams()
    server = Server(Dispatcher(listing, open_door), incoming, outgoing)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _frame: server.stop(number))
    server.run()


class Server:
    """One client's connection: what has arrived and what is still unanswered."""

    def __init__(self, dispatcher: Dispatcher, incoming: int, outgoing: int) -> None:
        self._dispatcher = dispatcher
        self._incoming = incoming
        self._outgoing = outgoing
        # None ends the loop; a RpcError is a line that could not be read, answered in its turn.
        self._inbox: SimpleQueue[Request | RpcError | None] = SimpleQueue()
        # Open streams stay in here. Both threads write it, each step one dictionary operation: no lock.
        self._unanswered: dict[RequestId, Request] = {}
        self._stopping = False

    def run(self) -> None:
        """Answer until the input ends, and everything that came before its end; or until told to stop."""
        Thread(target=self._take_in, name="rum-mcp-reader", daemon=True).start()
        try:
            while (item := self._next()) is not None and not self._stopping:
                self._handle(item)
            self._end_streams()
        except OSError:
            pass  # the client has stopped listening, so there is nobody left to tell
        finally:
            self._dispatcher.close()

    def _next(self) -> Request | RpcError | None:
        """What arrives next; if nothing does for a while, the application is told once."""
        patience = self._dispatcher.idle_after()
        if patience is not None:
            try:
                return self._inbox.get(timeout=patience)
            except Empty:
                self._afterwards(self._dispatcher.idle)
        return self._inbox.get()

    def stop(self, number: int) -> None:
        """End after the request being worked on; the same signal once more ends at once."""
        signal.signal(number, signal.SIG_DFL)
        self._stopping = True
        self._inbox.put(None)

    def _take_in(self) -> None:
        try:
            for line in json_rpc.lines(self._incoming):
                self._receive(line)
        finally:
            self._inbox.put(None)

    def _receive(self, line: bytes | None) -> None:
        try:
            message = json_rpc.parse(line)
        except RpcError as error:
            self._inbox.put(error)
            return
        if isinstance(message, Request):
            self._unanswered[message.id] = message
            self._inbox.put(message)
        elif message is not None:
            self._heed(message)

    def _heed(self, notice: Notice) -> None:
        """Cancellation is the one notification that changes anything, and it must not wait its turn."""
        if notice.method != "notifications/cancelled" or not json_rpc.is_object(notice.params):
            return
        target = notice.params.get("requestId")
        request = self._unanswered.pop(target, None) if json_rpc.is_id(target) else None
        if request is not None:
            request.cancelled = True

    def _handle(self, item: Request | RpcError) -> None:
        if isinstance(item, RpcError):
            json_rpc.send(self._outgoing, json_rpc.encode(item.reply()))
            return
        if item.cancelled:
            return
        data = self._worked_out(item)
        # Struck off before the answer leaves, as the client may use its id again from then on.
        if not item.stays_open and self._unanswered.get(item.id) is item:
            self._unanswered.pop(item.id, None)
        if not item.cancelled:
            json_rpc.send(self._outgoing, data)
        self._afterwards(self._dispatcher.settle)

    def _worked_out(self, request: Request) -> bytes:
        try:
            return json_rpc.encode(self._dispatcher.reply(request))
        except Exception as problem:  # noqa: BLE001 - the outer edge: a defect must not end the session
            _report(problem)
            message = f"Internal error ({type(problem).__name__}); the server's stderr says more."
            return json_rpc.encode(RpcError(json_rpc.INTERNAL_ERROR, message, request_id=request.id).reply())

    def _afterwards(self, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception as problem:  # noqa: BLE001 - the client already has its answer
            _report(problem)

    def _end_streams(self) -> None:
        for request in tuple(self._unanswered.values()):
            if request.stays_open:
                json_rpc.send(self._outgoing, json_rpc.encode(self._dispatcher.farewell(request)))


def _report(problem: Exception) -> None:
    sys.excepthook(type(problem), problem, problem.__traceback__)
