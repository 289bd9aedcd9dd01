"""EchoApplication: a fake application, with which the protocol is tested alone.

Run as a program it is a complete MCP server. ECHO_LOG names a file that logs when the application is opened,
settled and closed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

from rum.surfaces.mcp.protocol import Caller, Listing
from rum.surfaces.mcp.server import serve

TOOLS = ("echo", "whoami", "refuse", "crash", "not_json", "chatter", "wait", "promise")
PROMISED = {"type": "object", "properties": {"kept": {"type": "boolean"}}, "required": ["kept"]}
SECRET = "the-words-of-an-exception"


def main() -> None:
    serve(listing(), EchoApplication)


def listing() -> Listing:
    return Listing(
        name="echo",
        version="1.2.3",
        instructions="Use echo to hear yourself.",
        tools=[
            {
                "name": name,
                "inputSchema": {"type": "object"},
                **({"outputSchema": PROMISED} if name == "promise" else {}),
            }
            for name in TOOLS
        ],
        resources=[{"uri": "echo://all", "name": "all"}],
        templates=[{"uriTemplate": "echo://one/{id}", "name": "one"}],
    )


def log(word: str) -> None:
    if path := os.environ.get("ECHO_LOG"):
        with open(path, "a", encoding="utf-8") as file:
            file.write(word + "\n")


class EchoApplication:
    def __init__(self) -> None:
        log("opened")

    def call(self, name: str, arguments: dict, caller: Caller) -> tuple[dict, bool]:
        log(f"called {name}")
        if name == "whoami":
            return {"client": caller.client, "session": caller.session}, False
        return getattr(self, name)(arguments)

    def read(self, uri: str, caller: Caller) -> dict | None:
        return {"uri": uri, "mimeType": "text/plain", "text": "hé"} if uri.startswith("echo://") else None

    def settle(self) -> None:
        log("settled")

    def version(self, uri: str) -> object:
        """Nothing changes here."""

    def idle_after(self) -> float | None:
        return float(os.environ.get("ECHO_IDLE_AFTER", "0")) or None

    def idle(self) -> None:
        log("idle")
        if "ECHO_IDLE_CRASHES" in os.environ:
            raise KeyError(SECRET)

    def close(self) -> None:
        log("closed")

    def echo(self, arguments: dict) -> tuple[dict, bool]:
        return arguments, False

    def refuse(self, arguments: dict) -> tuple[dict, bool]:
        return {"code": "NOT_FOUND", "message": "There is none."}, True

    def promise(self, arguments: dict) -> tuple[dict, bool]:
        return ({"kept": True}, False) if arguments.get("keep") else self.refuse(arguments)

    def crash(self, arguments: dict) -> tuple[dict, bool]:
        raise KeyError(SECRET)

    def not_json(self, arguments: dict) -> tuple[dict, bool]:
        return {"value": float("nan")}, False

    def chatter(self, arguments: dict) -> tuple[dict, bool]:
        """Every way of writing to standard output by mistake."""
        print("stray original print", file=sys.__stdout__, flush=True)
        print("stray print")
        os.write(1, b"stray descriptor write\n")
        subprocess.run([sys.executable, "-c", "print('stray child')"], check=True)
        child_input = subprocess.run(
            [sys.executable, "-c", "import sys; sys.exit(len(sys.stdin.read()))"], check=False
        )
        return {"child_read": child_input.returncode}, False

    def wait(self, arguments: dict) -> tuple[dict, bool]:
        """Signal that the tool has started, and wait for a file to continue."""
        open(arguments["started"], "w").close()
        while not os.path.exists(arguments["go"]):
            time.sleep(0.005)
        return {}, False


if __name__ == "__main__":
    main()
