"""Search for text on which redaction takes more than linear time.

    python -m benchmarks.secrets.hostile [--rounds N] [--size CHARACTERS] [--seed N]

Repeats of single pieces and of random combinations of pieces are redacted at a size and at a quarter of it;
what takes more than six times as long, or half a second for a megabyte, is named. Time is of the CPU.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.secrets.__main__ import FILLS, read_cases
from rum.redact.redactor import Redactor

GROWTH = 6  # times as long for four times the text; linear is 4
SLOW = 0.5  # seconds for a megabyte

# What the rules look for, and what stretches their quantifiers.
PIECES = [
    *[
        "a",
        "A",
        "0",
        ".",
        ",",
        "-",
        "_",
        "/",
        "\\",
        ";",
        ":",
        "|",
        "&",
        "=",
        "+",
        "*",
        "#",
        "@",
        "%",
        "!",
        "?",
        "$",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        "~",
        "^",
        '"',
        "'",
        "`",
    ],
    *(" ", "\n", "\t", "\r\n", "\\n", '\\"', "\\\\", '", "', "': '", "a b ", "aA0"),
    *(
        "password",
        "password=",
        "password: ",
        "password ",
        "the password is ",
        'password="',
        "PASSWORD='",
        "pass pass ",
    ),
    *(
        "token=token",
        "secret='",
        "key",
        "key=",
        "api key ",
        "API key: ",
        "key is ",
        "DB_PW=",
        "pw ",
        "auth",
        "psk=",
    ),
    *(
        "--",
        "--password ",
        "-p",
        " -p ",
        " -P ",
        "-pw ",
        "-u ",
        "-u a:",
        "/user:",
        "echo ",
        "echo a | ",
        "| sudo -S ",
    ),
    *(
        "curl ",
        "mysql ",
        "mysql -p",
        "az ",
        "zip ",
        "7z ",
        "sqlplus ",
        "htpasswd -b ",
        "openssl ",
        "keytool ",
        "cat ",
    ),
    *(
        "://",
        "://a:",
        "https://a:b",
        "postgres://a:b/",
        "@",
        "a/b@",
        "a:b@",
        "a:1:b:c:",
        "jdbc:oracle:thin:",
        "?key=",
    ),
    *(
        "Authorization: ",
        "authorization=",
        "bearer ",
        "basic ",
        "Cookie: ",
        "cookie: a=bbbbbbbb;",
        "Set-Cookie: a=",
    ),
    *(
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN ",
        "-----END ",
        "Private-Lines: 4\n",
        "LS0tLS1CRUdJTi",
        "MIIEvQIBADAN",
    ),
    *(
        "[REDACTED:",
        "[REDACTED:password]",
        "[REDACTED:password]a",
        "sk-",
        "sk-aaaaaaaaaaaaaaaa-",
        "ghp_aaa",
        "eyJ",
    ),
    *(
        "eyJaaaaaa.",
        "AKIA",
        "ATBB-",
        "EAAkey-",
        ":AA",
        "--aaa1Q~",
        "$6$a$",
        "$2y$10$",
        "{SSHA}",
        "hooks/",
        "\u0130",
    ),
    *(
        "seed phrase: ",
        "word ",
        "mnemonic ",
        "recovery phrase is ",
        "1. word ",
        "expect ",
        'expect "Password:"\nsend ',
    ),
    *(
        "machine a login ",
        "machine ",
        "login ",
        "identified by ",
        "user a password '",
        "credentials: a / ",
        " / ",
    ),
    *(
        "<password>",
        "</password>",
        '<a name="password">',
        "name: X_PASSWORD\n",
        "value: ",
        "export ",
        "set ",
        "ENV ",
    ),
    *(
        "auth=(",
        'auth=("a", "',
        'login("a", "',
        "(a, ",
        "sendline(",
        "<<< ",
        "<<EOF\n",
        "\\\n",
        "a" * 40,
        "aB3" * 20,
    ),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200, help="random combinations")
    parser.add_argument("--size", type=int, default=1_000_000, help="characters")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    redactor = Redactor()
    redactor.redact(" ".join(PIECES) * 3)  # compiles the patterns
    slowest: list[tuple[float, str]] = []
    for unit in units(options.rounds, random.Random(options.seed)):
        long = seconds(redactor, fill_to(unit, options.size))
        per_megabyte = long * 1e6 / options.size
        slowest.append((per_megabyte, unit))
        if per_megabyte > SLOW / 4:
            short = seconds(redactor, fill_to(unit, options.size // 4))
            if per_megabyte > SLOW or long > GROWTH * short:
                print(
                    f"{per_megabyte:6.2f} s/MB, {long / short:4.1f} times for 4 times as much: {unit[:120]!r}"
                )
    print("slowest:")
    for per_megabyte, unit in sorted(slowest, reverse=True)[:10]:
        print(f"{per_megabyte:6.2f} s/MB: {unit[:120]!r}")


def units(rounds: int, rng: random.Random) -> Iterator[str]:
    """Single pieces, the templates of secrets, then random combinations of both."""
    here = Path(__file__).parent
    templates = [case.text for case in read_cases(here / "seen.txt")][::FILLS]
    yield from PIECES
    yield from templates
    for _ in range(rounds):
        parts = rng.choices(PIECES, k=rng.randint(2, 5))
        if rng.random() < 0.3:
            text = rng.choice(templates)
            parts.append(text[: rng.randint(1, len(text))])
        yield "".join(rng.sample(parts, len(parts)))


def fill_to(unit: str, size: int) -> str:
    """The unit repeated up to this size."""
    return unit * (size // len(unit))


def seconds(redactor: Redactor, text: str) -> float:
    """Seconds of CPU to redact the text."""
    start = time.process_time()
    redactor.redact(text)
    return time.process_time() - start


if __name__ == "__main__":
    main()
