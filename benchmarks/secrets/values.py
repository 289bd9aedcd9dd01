"""Fill the placeholders of a template with made-up secrets, so that the repository contains none."""

from __future__ import annotations

import base64
import random
import re
import string

ALNUM = string.ascii_letters + string.digits
ALPHABETS = {
    "A": ALNUM,
    "H": "0123456789abcdef",
    "U": string.ascii_uppercase + string.digits,
    "L": string.ascii_lowercase + string.digits,
    "S": ALNUM + "-_",
    "B": ALNUM + "+/",
    "D": string.digits,
}
# Passwords as people choose them.
_WEAK = """
summer2024 hunter2! Tr0ub4dor letmein99 Winter#2023 correcthorse7 blue-Falcon7 qwerty!23 s3cr3tSauce
MyDog-Rex P@ssw0rd1 dragon_88 Sunshine!9 monkey1234 welcome2Acme trustno1! Liverpool08 coffee&Cake2
starwars77 zaq1XSW2 N0rthwind! berlin-1989 Pa55phrase iloveTea33 changeMe!42 hello.World1 ninja4life
Gr33nApple t3mpPass! football_9
"""
WEAK = _WEAK.split()
_WORDS = """
abandon ability able about above absent absorb abstract absurd abuse access accident account accuse
achieve acid acoustic acquire across act action actor actress actual adapt add addict address adjust admit
adult advance advice cabbage cabin cable cactus cage cake call calm camera camp canal cancel candy cannon
canoe canvas canyon capable daughter dawn deal debate debris decade december decide decline decorate
decrease deer defense define defy degree lava law lawn lawsuit layer lazy leader leaf learn leave lecture
left legal legend leisure lemon length lens leopard oak obey object oblige obscure observe obtain obvious
occur ocean october odor offer office often oil okay olive tornado tortoise toss total tourist toward
tower town track trade traffic tragic train transfer trap trash travel
"""
WORDS = _WORDS.split()
_PLACEHOLDER = re.compile(r"\{(W|R|P|X|J|K|([AHULSBD])(\d+)|M(\d+))\}")


def fill(template: str, seed: str) -> tuple[str, list[str]]:
    """The text with made-up values, and these values; the same seed makes the same text."""
    rng = random.Random(seed)
    secrets: list[str] = []

    def value(match: re.Match[str]) -> str:
        made = _make(match, rng)
        if match[2] != "D":  # numbers are public parts: an account, a channel
            secrets.extend(part for part in made.split("\n") if part)
        return made

    return _PLACEHOLDER.sub(value, template), secrets


def _make(match: re.Match[str], rng: random.Random) -> str:
    kind = match[1]
    if match[2]:
        return "".join(rng.choices(ALPHABETS[match[2]], k=int(match[3])))
    if match[4]:  # words of a recovery phrase
        return " ".join(rng.choices(WORDS, k=int(match[4])))
    if kind == "W":
        return rng.choice(WEAK)
    if kind == "R":  # a generated password
        return "".join(rng.choices(ALNUM, k=9)) + rng.choice("!#%*+-_") + "".join(rng.choices(ALNUM, k=6))
    if kind == "P":  # several lines of base64, as in a key file
        return "\n".join("".join(rng.choices(ALPHABETS["B"], k=64)) for _ in range(4))
    if kind == "X":  # user:password in base64
        return base64.b64encode(f"deploy:{rng.choice(WEAK)}{rng.randrange(100)}".encode()).decode()
    if kind == "K":  # a PEM key in base64, as in a kubeconfig
        body = "-----BEGIN RSA PRIVATE KEY-----\n" + "".join(rng.choices(ALPHABETS["B"], k=200))
        return base64.b64encode(body.encode()).decode()
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = (
        base64.urlsafe_b64encode(b'{"sub":"%d","iat":1700000000}' % rng.randrange(10**9)).decode().rstrip("=")
    )
    return f"{head}.{body}." + "".join(rng.choices(ALPHABETS["S"], k=43))
