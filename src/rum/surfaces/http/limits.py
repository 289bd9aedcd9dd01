"""What a server allows at most; everything that a client can make large or slow has a bound."""

from __future__ import annotations

from rum.surfaces.mcp.json_rpc import MAX_LINE

MAX_BODY = MAX_LINE  # Bytes of a request
MAX_UNSIGNED_BODY = 4 * 1024  # Bytes of a request to the page by somebody who has not signed in
MAX_HEADERS = 16 * 1024  # Bytes of a request's headers
MAX_ANSWER = 4 * 1024 * 1024  # Bytes of an answer; those to `rum sync` bound themselves

HEADERS_WITHIN = 10.0  # Seconds in which the headers of a request must arrive
BODY_WITHIN = 20.0  # Seconds in which its body must arrive
CALL_WITHIN = 60.0  # Seconds after which the client gets an error, and a call goes on without it
SHUTDOWN_WITHIN = 10  # Seconds that running calls have when the server ends

MAX_CONNECTIONS = 500
MAX_WAITING = 200  # Requests that wait for a thread or run
MAX_WAITING_EACH = 100  # Of these, requests to one project
THREADS = 8
AT_ONCE = 2  # Calls of one project at a time; they take turns anyway, except while a language model works

MAX_ENDED = 10_000  # Sessions that clients ended and that are not to be used again

MAX_STREAMS = 300
MAX_STREAMS_EACH = 20  # Streams of one token
PING = 15.0  # Seconds between two signs of life on an open stream

MAX_PROJECTS = 64  # Projects that are open at a time
PROJECT_IDLE = 600.0  # Seconds after which an unused project is closed
MAX_RATES = 20_000  # Tokens whose calls of the last minute are counted
MAX_CALLERS = 200  # Sessions of a project whose agent and working entries are remembered
