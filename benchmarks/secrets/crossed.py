"""Cross names, ways to write a value, values and places, so that whole classes of secrets are tried.

    python -m benchmarks.secrets.crossed [--number N] [--seed N] [--misses]

Nothing here is an example that somebody found: every name is tried in every syntax and in every place, a
seeded choice of all combinations at a time.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator

from benchmarks.secrets.__main__ import Case, leaks
from benchmarks.secrets.values import fill
from rum.redact.redactor import Redactor

# Names of passwords, and of what a program made.
_PASSWORDS = """
password PASSWORD passwd pwd DB_PASSWORD db_password dbPassword db-password db.password userPass SMTP_PASS
root_pw ADMIN_PW passphrase Passphrase keyPassphrase ssl.keystore.password spring.datasource.password
LDAP_BIND_PASSWORD ansible_become_password mysqlRootPassword POSTGRES_PASSWORD redis-password wifiPassword
masterPassword initial_admin_password ftpPasswd proxyPassword user.password passcode kennwort passwort senha
contrasena wachtwoord loginPassword SSH_PASSWORD secretPassword psk mail_password PGPASSWORD rdpPassword
"""
_TOKENS = """
token TOKEN api_key API_KEY apiKey api-key apikey secret SECRET_KEY secretKey client_secret clientSecret
CLIENT_SECRET access_token accessToken ACCESS_TOKEN auth_token authToken refresh_token bearer_token
x-api-key X-Auth-Token private_token GITHUB_TOKEN NPM_TOKEN session_secret signing_key signingKey
encryption_key ENCRYPTION_KEY jwt_secret JWT_SECRET webhook_secret app_secret consumer_secret deploy_token
service_account_key stripe.api.key openai_api_key AZURE_STORAGE_KEY aws_secret_access_key csrf_token
"""
# `§` is the value, `¤` the name.
_SYNTAXES = """
¤=§
¤ = §
¤: §
¤:§
"¤": "§"
"¤":"§",
'¤': '§',
¤ = "§"
¤ = '§';
¤: "§",
¤: '§'
export ¤=§
export ¤="§"
set ¤=§
setx ¤ "§"
$env:¤ = "§"
ENV ¤=§
ENV ¤ §
- ¤=§
-e ¤=§
--¤ §
--¤=§
--¤ '§'
--¤="§"
-¤ §
/¤:§
-D¤=§
<¤>§</¤>
<add key="¤" value="§" />
<property name="¤" value="§"/>
<property name="¤">§</property>
<key>¤</key><string>§</string>
<item ¤="§" other="1"/>
<input name="¤" value="§">
¤ => "§",
:¤ => '§'
¤ := "§"
¤ <- "§"
let ¤ = "§";
const ¤: string = "§";
var ¤ = `§`;
private static final String ¤ = "§";
char *¤ = "§";
#define ¤ "§"
val ¤: String = "§"
¤: str = "§"
("¤", "§")
["¤", "§"]
put("¤", "§")
.set("¤", "§")
config["¤"] = "§"
config['¤'] = '§'
process.env.¤ = "§"
os.environ["¤"] = "§"
setenv("¤", "§", 1)
obj.¤ = "§"
self.¤ = '§'
connect(¤="§")
f(user="bob", ¤='§', port=5432)
{"name": "¤", "value": "§"}
{"key": "¤", "value": "§"}
- name: ¤¶  value: §
- name: ¤¶  value: "§"
¤:¶  §
¤: |¶  §
¤: >-¶  §
?user=bob&¤=§
https://x.example.com/cb?¤=§&page=2
curl -d "user=bob&¤=§" https://x.example.com
curl -d '{"¤":"§"}' https://x.example.com
curl -H "¤: §" https://x.example.com
Server=db;¤=§;Encrypt=true
host=db ¤=§ dbname=app
{¤=§, user=bob}
Config(user='bob', ¤='§')
map[¤:§ user:bob]
#<struct ¤="§">
the ¤ is §
The ¤ for staging is §.
my ¤ is "§"
use ¤ §
with ¤ `§`
¤ -> §
¤ → §
| ¤ | § |
**¤:** §
**¤**: `§`
* ¤: `§`
user bob, ¤ §
user: bob / ¤: §
new ¤: §
¤ (staging): §
Your ¤ has been set to §
I changed the ¤ to §
use § as the ¤
§ is the ¤
(§ is my ¤)
set ¤ "§"
(def ¤ "§")
(setq ¤ "§")
¤ § # staging
local ¤="§"
readonly ¤='§'
if [ "$¤" = "§" ]; then
if ¤ == "§":
assert ¤ == "§"
¤ ||= "§"
¤ or "§"
${¤:-§}
@¤ = "§"
$¤ = '§';
define('¤', '§');
'¤' => env('X', '§'),
variable "¤" {¶  default = "§"¶}
¤ = <<EOT¶§¶EOT
output ¤ = §
user,¤¶bob,§
| user | ¤ |¶|---|---|¶| bob | § |
echo $¤¶§
$ echo $¤¶§
$ cat /run/secrets/¤¶§
Enter ¤: §
"¤\\": \\"§\\"
"""


def _quoted(text: str) -> str:
    return json.dumps({"tool": "Bash", "output": text}, ensure_ascii=False)


def _each(prefix: str) -> Callable[[str], str]:
    return lambda text: prefix + text.replace("\n", "\n" + prefix)


_PLACES: dict[str, Callable[[str], str]] = {
    "alone": str,
    "among": lambda text: f"some words before\n{text}\nand some after it",
    "indented": _each("    "),
    "tabbed": _each("\t"),
    "added": _each("+"),
    "removed": _each("-  "),
    "hash": _each("# "),
    "slashes": _each("// "),
    "dashes": _each("-- "),
    "star": _each(" * "),
    "quoted mail": _each("> "),
    "bullet": lambda text: f"- {text}",
    "log": lambda text: f"2025-03-04 10:11:12,345 DEBUG app.main: {text}",
    "bracketed log": lambda text: f"[2025-03-04T10:11:12Z] INFO {text}",
    "chat": lambda text: f"[10:42] eve: {text}",
    "line number": lambda text: f"src/app.py:12:{text}",
    "numbered": lambda text: f"    12\t{text}",
    "json": _quoted,
    "html": lambda text: text.replace("&", "&amp;").replace('"', "&quot;"),
    "colour": lambda text: f"\x1b[32m{text}\x1b[0m",
    "windows": lambda text: text.replace("\n", "\r\n") + "\r\n",
    "sentence": lambda text: f"It works now: {text}",
    "fence": lambda text: f"```\n{text}\n```",
}
_VALUES = {
    "password": ("{W}", "{W}", "{R}", "{A14}", "{A20}"),
    "token": ("{A32}", "{A40}", "{H40}", "{S43}", "{B44}"),
}


def crossed(number: int, seed: int) -> Iterator[tuple[str, str, Case]]:
    """A seeded choice of combinations: the syntax, the place, and the case."""
    rng = random.Random(seed)
    names = {"password": _PASSWORDS.split(), "token": _TOKENS.split()}
    syntaxes = [line.replace("¶", "\n") for line in _SYNTAXES.strip().splitlines()]
    for at in range(number):
        kind = rng.choice(("password", "token"))
        syntax, place = rng.choice(syntaxes), rng.choice(sorted(_PLACES))
        template = syntax.replace("¤", rng.choice(names[kind])).replace("§", rng.choice(_VALUES[kind]))
        text, secrets = fill(template, f"{seed}:{at}")
        yield syntax, place, Case(kind, _PLACES[place](text), secrets)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", action="store_true", help="print the texts in which a secret is left")
    options = parser.parse_args()
    redactor = Redactor()
    missed = Counter[str]()
    for syntax, place, case in crossed(options.number, options.seed):
        redacted = redactor.redact(case.text)
        if any(leaks(redacted, secret) for secret in case.secrets):
            missed[f"in {syntax!r}"] += 1
            missed[f"place {place}"] += 1
            if options.misses:
                print(f"missed in {place}: {case.text!r}")
    wrong = sum(count for what, count in missed.items() if what.startswith("place"))
    share = 100 - 100 * wrong / options.number
    print(f"crossed: {options.number - wrong} of {options.number} cut ({share:.1f} %)")
    for what, count in missed.most_common():
        print(f"  {count} {what}")


if __name__ == "__main__":
    main()
