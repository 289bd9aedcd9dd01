"""The loop of `rum mcp`: one thread reads messages, the main thread answers them in order."""

from __future__ import annotations

import gc
import signal
import sys
from queue import Empty, SimpleQueue
from threading import Condition, Thread
from time import monotonic

from rum.surfaces.mcp import json_rpc
from rum.surfaces.mcp.json_rpc import Notification, Request, RpcError
from rum.surfaces.mcp.protocol import Dispatcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from rum.surfaces.mcp.json_rpc import RequestId
    from rum.surfaces.mcp.protocol import Application, Listing


# Bytes of messages that wait for their turn; beyond that nothing is read, so that the client has to wait. A
# message counts as a kilobyte at least, as its parsed form is larger than its text.
MAX_WAITING = 8 * 1024 * 1024
_MIN_SIZE = 1024

PAUSE = 0.02  # Seconds without a message after which the application does what could wait
MAX_UNSETTLED = 1.0  # Seconds after which it does so although messages are waiting


def serve(listing: Listing, open_application: Callable[[], Application]) -> None:
    """Serve MCP over the standard streams until the client closes them or a signal ends the process."""
    incoming, outgoing = json_rpc.claim_streams()
    server = Server(Dispatcher(listing, open_application, notifies=True), incoming, outgoing)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _frame: server.stop(number))
    server.run()


class Server:
    """One client's connection, with its queue of messages and its unanswered requests."""

    def __init__(self, dispatcher: Dispatcher, incoming: int, outgoing: int) -> None:
        self._dispatcher = dispatcher
        self._incoming = incoming
        self._outgoing = outgoing
        # None ends the loop; a RpcError is a line that could not be parsed, answered in order like a request.
        self._inbox: SimpleQueue[tuple[Request | RpcError | None, int]] = SimpleQueue()
        self._waiting = 0  # Bytes of the messages in the inbox
        self._has_room = Condition()
        # Includes open streams. Both threads change it, but each with one dictionary operation: no lock.
        self._unanswered: dict[RequestId, Request] = {}
        self._stopping = False
        self._settled = monotonic()

    def run(self) -> None:
        """Answer all requests until the input ends or `stop` is called."""
        # A daemon, so that the process can end while the thread waits for input.
        Thread(target=self._read_messages, name="rum-mcp-reader", daemon=True).start()
        try:
            while not self._stopping:
                message, size = self._next()
                if message is None or self._stopping:
                    break
                self._handle(message)
                with self._has_room:
                    self._waiting -= size
                    self._has_room.notify()
            for request in tuple(self._unanswered.values()):
                if request.is_deferred:
                    json_rpc.send(self._outgoing, json_rpc.encode(self._dispatcher.end_of_stream(request)))
        except OSError:
            pass  # the client has closed its end, so nothing can be sent
        finally:
            if self._dispatcher.application:
                self._dispatcher.application.close()

    def _next(self) -> tuple[Request | RpcError | None, int]:
        """The next message; in a pause the application does what could wait, in a long one its idle work."""
        application = self._dispatcher.application
        if application is None:
            return self._inbox.get()
        # While messages follow each other, none should wait for the work of the one before, except rarely.
        if monotonic() - self._settled >= MAX_UNSETTLED:
            _run_after_answer(self._settle)
        for timeout, step in ((PAUSE, self._settle), (application.idle_after(), application.idle)):
            if timeout is not None:
                try:
                    return self._inbox.get(timeout=timeout)
                except Empty:
                    _run_after_answer(step)
        return self._inbox.get()

    def _settle(self) -> None:
        self._settled = monotonic()
        if not gc.isenabled():  # since the first call
            gc.freeze()
            gc.enable()
        if self._dispatcher.application:
            self._dispatcher.application.settle()
            for message in self._dispatcher.updates():
                json_rpc.send(self._outgoing, json_rpc.encode(message))

    def stop(self, number: int) -> None:
        """End after the current request; a second signal of the same kind ends at once."""
        signal.signal(number, signal.SIG_DFL)
        self._stopping = True
        self._inbox.put((None, 0))

    def _put(self, message: Request | RpcError, size: int) -> None:
        """Add a message to the inbox, as soon as there is room for it."""
        with self._has_room:
            self._has_room.wait_for(lambda: not self._waiting or self._waiting + size <= MAX_WAITING)
            self._waiting += size
        self._inbox.put((message, size))

    def _read_messages(self) -> None:
        try:
            for line in json_rpc.read_lines(self._incoming):
                size = max(_MIN_SIZE, len(line or b""))
                try:
                    message = json_rpc.parse(line)
                except RpcError as error:
                    self._put(error, size)
                    continue
                if isinstance(message, Request):
                    self._unanswered[message.id] = message
                    self._put(message, size)
                elif message is not None:
                    self._handle_notification(message)
        finally:
            self._inbox.put((None, 0))

    def _handle_notification(self, notification: Notification) -> None:
        """Cancellation is the only notification with an effect, and it must not wait in the queue."""
        if notification.method != "notifications/cancelled" or not json_rpc.is_object(notification.params):
            return
        target = notification.params.get("requestId")
        request = self._unanswered.pop(target, None) if json_rpc.is_request_id(target) else None
        if request is not None:
            request.cancelled = True

    def _handle(self, item: Request | RpcError) -> None:
        if isinstance(item, RpcError):
            json_rpc.send(self._outgoing, json_rpc.encode(item.reply()))
            return
        if item.cancelled:
            return
        data = self._answer(item)
        # Removed before the answer is sent, as the client may reuse its id from then on.
        if not item.is_deferred and self._unanswered.get(item.id) is item:
            self._unanswered.pop(item.id, None)
        if not item.cancelled:
            json_rpc.send(self._outgoing, data)

    def _answer(self, request: Request) -> bytes:
        try:
            return json_rpc.encode(self._dispatcher.reply(request))
        except Exception as error:  # noqa: BLE001 - the outer edge: a defect must not end the session
            _report(error)
            message = f"Internal error ({type(error).__name__}); see the server's stderr."
            return json_rpc.encode(RpcError(json_rpc.INTERNAL_ERROR, message, request_id=request.id).reply())


def _run_after_answer(step: Callable[[], None]) -> None:
    try:
        step()
    except Exception as error:  # noqa: BLE001 - the client already has its answer
        _report(error)


def _report(error: Exception) -> None:
    sys.excepthook(type(error), error, error.__traceback__)
