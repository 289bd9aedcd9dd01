"""Secrets are removed from text and JSON; similar-looking text stays."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

from rum.redact.redactor import Redactor
from support.secrets import find_secrets, planted_secrets, redact, redact_tree

MARK = re.compile(r"\[REDACTED:[a-z]+(?:-[a-z]+)*\]")

PLANTED: dict[str, list[tuple[str, str]]] = defaultdict(list)
for planted_kind, planted_text, planted_secret in planted_secrets(seed=20):
    PLANTED[planted_kind].append((planted_text, planted_secret))


def windows(secret: str, width: int = 8) -> set[str]:
    return {secret[at : at + width] for at in range(max(1, len(secret) - width + 1))}


def test_there_are_enough_planted_secrets():
    assert len({secret for plants in PLANTED.values() for _, secret in plants}) >= 200
    assert len(PLANTED) >= 60


@pytest.mark.parametrize("kind", sorted(PLANTED))
def test_planted_secrets_are_removed_completely(kind: str):
    for text, secret in PLANTED[kind]:
        clean = redact(text)
        assert not {window for window in windows(secret) if window in clean}, (text, clean)
        assert f"[REDACTED:{kind}]" in clean, (text, clean)


@pytest.mark.parametrize("kind", sorted(PLANTED))
def test_text_around_a_secret_is_unchanged(kind: str):
    for text, secret in PLANTED[kind]:
        clean = redact(text)
        first, last = MARK.split(clean)[0], MARK.split(clean)[-1]
        assert text.startswith(first)
        assert text.endswith(last)
        assert len(text) - len(first) - len(last) <= len(secret) + 100


def test_the_beginning_of_an_encoded_block_is_read_whatever_its_length():
    for length in range(20, 90):
        text = "LS0tLS1CRUdJTi" + "A" * length
        assert redact(text) == text


# A secret of people rather than of generators: `§` stands for it.
WEAK = [
    "DB_PASSWORD=§",
    "export ADMIN_PASSWORD='§'",
    "DB_PASS=§",
    "MYSQL_PWD=§ mysql",
    "ENV DB_PASSWORD §",
    "password: §",
    "config:\n  password: §  # only here\n",
    "password: |\n  §\n",
    "-DB_PASSWORD=§\n+DB_PASSWORD=\n",
    "+  password: §\n",
    'DB_PASSWORD="two§ (words)"',
    "db.password=§",
    "password=§, user=jo",
    '{"password":"§"}',
    '{"password": "§',
    "{'password': '§'}",
    'log: {\\"password\\": \\"§\\"}',
    'the log says "DB_PASSWORD=§\\nDB_USER=jo"',
    'password = "§"',
    'password: str = "§"',
    'if password == "§":',
    'self.passwd = "§"',
    'user.setPassword("§")',
    'String password = "§";',
    "pwd := `§`",
    "the password is '§' for now",
    "<password>§</password>",
    '<property name="password" value="§"/>',
    "- name: DB_PASSWORD\n  value: §",
    "Server=db;User=sa;Pwd=§;Encrypt=true",
    "?user=jo&password=§&next=1",
    "tool --password §",
    "tool --db-password=§",
    "mysql -uroot -p§ shop",
    "curl -u admin:§ https://example.com",
    "curl -H 'x: y' \\\n  -u admin:§ https://example.com",
    "PGPASSWORD=§ psql",
    "sshpass -p '§' ssh host",
    "redis-cli -a § ping",
    "docker login -u jo -p §",
    "openssl enc -pass pass:§",
    "kubectl create secret generic x --from-literal=password=§",
    "machine example.com\n  login jo\n  password §",
    "ALTER USER jo IDENTIFIED BY '§'",
    "CREATE ROLE jo WITH LOGIN PASSWORD '§'",
    "postgres://jo:§@db/app",
    "redis://:§@cache:6379",
    "DB_PW=§2",
    "MQ_PASS='§2'",
    "pw: §!x",
    "SESSION_SECRET=§ab",
    "db.example.com:5432:app:app_user:§2",
    "jdbc:oracle:thin:scott/§@//db:1521/ORCL",
    "sqlplus scott/§@orcl",
    "root:§x@tcp(127.0.0.1:3306)/app",
    "az login -u me@corp.com -p §",
    "sqlcmd -S . -U sa -P § -Q 'select 1'",
    "keytool -list -keystore k.jks -storepass §!",
    "plink -ssh user@host -pw §9 ls",
    "zip -P § out.zip a.txt",
    "7z a -p§ out.7z dir",
    "htpasswd -b .htpasswd admin §2",
    "openssl enc -aes-256-cbc -k § -in a -out b",
    "smbclient //h/s -U bob%§2",
    "unknown-tool -u jo -p §!x",
    "echo § | docker login -u u --password-stdin",
    "echo '§' | sudo -S apt update",
    "docker login --password-stdin <<< '§'",
    "$ cat /run/secrets/db_password\n§\n$ ls",
    "$ echo $DB_PASSWORD\n§x",
    "the passphrase for the backup is: §xy",
    "log in as admin with password §x",
    "Credentials: admin / §!x",
    "creds are admin:§!x",
    "Das Passwort ist §!x",
    "密码是§!x",
    'expect "Password:"\nsend "§\\r"',
    "child.expect('Password:'); child.sendline('§')",
    'requests.get(url, auth=("admin", "§!x"))',
    'new mysqli("localhost", "root", "§!x", "app")',
    'process.env.DB_PASSWORD || "§"',
    "password: ${DB_PASSWORD:-§}",
    "<key>password</key>\n<string>§</string>",
    'variable "db_password" {\n  default = "§"\n}',
    "await page.fill('#password', '§!x')",
    "**Password:** §xy",
    "requirepass §xy",
    "Das Kennwort lautet §!x",
    "mật khẩu: §!x",
    "use §!x as the password",
    "password text := '§!x';",
    'Dim password As String = "§!x"',
    "password:\n  §!x\n",
    "user,password\njo,§!x\n",
    "| user | password |\n|---|---|\n| jo | §!x |\n",
    "users:\n  jo: §!x\n",
    "jo@example.com:§!x",
    "{&quot;password&quot;:&quot;§!x&quot;}",
    '["mysql", "-u", "root", "-p§x"]',
    "- --db-password\n- §!x\n",
    "passwd jo <<EOF\n§!x\n§!x\nEOF",
    "printf '§!x\\n§!x\\n' | smbpasswd -s -a jo",
    "radius-server host 10.0.0.1 key §!X",
]


@pytest.mark.parametrize("form", WEAK)
def test_a_weak_password_is_found_by_its_place(form: str):
    clean = redact(form.replace("§", "hunter2"))
    assert "hunter2" not in clean
    assert MARK.search(clean)
    assert redact(clean) == clean


UNTOUCHED = Path(__file__).with_name("no_secrets.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("line", UNTOUCHED)
def test_text_without_secrets_is_unchanged(line: str):
    for text in (line, f"before\n  {line}\nafter", f"It said: {line} and went on."):
        assert redact(text) == text


def test_a_mark_is_never_redacted_again():
    for text in (
        "password=[REDACTED:password]",
        '{"token": "[REDACTED:token]"}',
        "a://b:[REDACTED:url-password]@c",
    ):
        assert redact(text) == text


def test_a_mark_announces_no_secret():
    text = "[REDACTED:password]: hunter2abc9"
    assert redact(text) == text


def test_finds_are_sorted_and_name_their_kind():
    text = "first DB_PASSWORD=hunter2 and then redis://:hunter3@cache"
    found = find_secrets(text)
    assert [(text[start:end], kind) for start, end, kind in found] == [
        ("hunter2", "password"),
        ("hunter3", "url-password"),
    ]


def test_overlapping_finds_are_joined():
    token = planted_secrets(seed=5)[0][2]
    text = f'api_token = "ghp_{token}"'
    assert redact(text) == 'api_token = "[REDACTED:github-token]"'


def test_a_character_that_grows_in_lower_case_shifts_no_offset():
    assert redact("İİİ DB_PASSWORD=hunter2 İ") == "İİİ DB_PASSWORD=[REDACTED:password] İ"


def test_an_access_key_is_followed_by_its_secret():
    made = [secret for kind, _, secret in planted_secrets(seed=6) if kind == "aws-key"]
    access, secret = made[0], made[-1]
    assert len(secret) == 40
    assert secret not in redact(f"AKIA{access},{secret}")
    assert "3f786850e387550fdab836ed7e6dc881de23001b" in redact(
        f"AKIA{access} 3f786850e387550fdab836ed7e6dc881de23001b"
    )


@pytest.mark.parametrize(
    "text",
    [
        "encryption_key = bytes.fromhex('§')",
        "const secret = Buffer.from('§', 'hex')",
        "token: **§**",
        "curl -b 'sid=§' https://example.com",
        ".example.com\tTRUE\t/\tTRUE\t1700000000\tsid\t§",
        "ASP.NET_SessionId=§",
        '{"db_url": {"value": "§", "type": "string", "sensitive": true}}',
        '"override_special": null, "result": "§", "special": true',
        "mc alias set store https://minio.example.com Q3AM3UQ867SPQQA43P2F §",
        "npm recovery codes\n§\n§",
    ],
)
def test_a_generated_value_is_found_by_what_it_is_used_for(text: str):
    secret = "9f3b1c77e05d4a2886bc41d9720fae3518c6d02b"
    if "minio" in text:
        secret = "zuf+tfteSlswRu7BJ86wekitnifILbZam1KYY3TG"
    assert secret not in redact(text.replace("§", secret))


_GROUPS = "q7vme2xk9t4ubw8zr3nahd6f"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('harborToken = "ht_w4k9q.eu1.srv_c8mtz2.§"', _GROUPS),
        ("[DEBUG] Using Key=§", _GROUPS),
        ("vendorToken = live_q7vme2x-§", _GROUPS),
        ("vendorToken = §=k_5a1f09c3", _GROUPS),
        ("<vendorToken>\n    §=k_5a1f09c3\n</vendorToken>", _GROUPS),
        ('VENDOR_TOKEN ::= "§"', "61c0f9ae:b27d4e83"),
        ('vendorToken="§"', "71930458260917345826"),
        ('$vendorToken .= "§";', _GROUPS),
        ("X_KEY=§:7:40916273", "5b0e7d94c2a861f3097be4d15c8a263f"),
        ('vendor_secret: "§"', "g@T5XwR)k>3m(Bz^(qvZ<h="),
        ('"vendor_secret": "§ "', "mW4kRt^Zp9@QxLs$"),
        ('"Secret": "§"', "kwjfd£7719043£%%Pqxzb"),
        ("?access_token=281744390652118|§", "3.7ktmXQZnRaVu5hG__.3600.1577"),
        ('config.setJwtSecretKey("§");', "RqvbxTasKRkkzw"),
        ("data:\n\textra: §\nkind: secret", "cm9vdDpoNGxpYnV0MQ=="),
        ("nk: §", "SUAKX7DQ2WN5VJ3TGZ6RHMB4YLCEOFPISUAKX7DQ2WN5VJ3TGZ6RHMB4YL"),
        ("graph: 481920573361842|§", "xTq4LmZ0vNc81RkPy5WdHsJb2Ga"),
        ('key := "eyJhbGciOiJIUzI1NiJ9.§"', "hdMLjiIayyb5cgbcVtj.fmnUM4cjvbe1JMFDuBSwW"),
        ("\x1b[38;5;12mtoken\x1b[0m=\x1b[33m§\x1b[0m", _GROUPS),
    ],
)
def test_a_generated_value_is_found_however_it_is_written(text: str, secret: str):
    clean = redact(text.replace("§", secret))
    assert secret not in clean
    assert secret[len(secret) // 2 :] not in clean


def test_a_generated_secret_is_found_wherever_it_is_repeated():
    assert redact(f"ran with {_GROUPS} and got") == f"ran with {_GROUPS} and got"
    assert _GROUPS not in redact(f"API_TOKEN={_GROUPS}\nran with {_GROUPS} and got")


@pytest.mark.parametrize("code", ["k3f9a-7mq2x", "a1b2c3d4e5"])
def test_a_single_recovery_code_is_found(code: str):
    assert code not in redact(f"my 2fa backup code is {code}.")


@pytest.mark.parametrize("key", ["a1" * 40 + "!", "a1" * 2000, "a1b2-" * 400 + "!", "a1b2 " * 400 + "!"])
def test_a_long_key_for_recovery_takes_linear_time(key: str):
    assert redact(f"recovery key: {key}").startswith("recovery key:")


def test_numbers_of_sessions_are_no_cookies():
    line = "session_id=550e8400-e29b-41d4-a716-446655440000"
    assert redact(line) == line


def test_extra_patterns_are_redacted():
    redactor = Redactor(extra=[r"EMP-\d{6}", r"badge (\w+)"])
    assert redactor.redact("EMP-123456 has badge blue") == "[REDACTED:custom] has badge [REDACTED:custom]"
    assert redact("EMP-123456 has badge blue") == "EMP-123456 has badge blue"


def test_an_extra_pattern_may_match_nothing_or_a_mark():
    redactor = Redactor(extra=["x*", "REDACTED", "password"])
    assert redactor.redact("password=hunter2") == "[REDACTED:custom]=[REDACTED:password]"


def test_the_allow_list_keeps_exact_values():
    redactor = Redactor(allow=["hunter2", "(no pattern"])
    assert redactor.redact("DB_PASSWORD=hunter2") == "DB_PASSWORD=hunter2"
    assert redactor.redact("DB_PASSWORD=hunter22") == "DB_PASSWORD=[REDACTED:password]"
    assert redactor.redact_tree({"password": "hunter2"}) == {"password": "hunter2"}


def test_an_invalid_pattern_is_named():
    with pytest.raises(ValueError, match=re.escape("'(unclosed'")):
        Redactor(extra=["fine", "(unclosed"])


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "DB_PASSWORD",
        "dbPassword",
        "api_key",
        "client_secret",
        "aws_secret_access_key",
        "auth_token",
    ],
)
def test_a_value_in_a_tree_is_judged_by_its_name(name: str):
    clean = redact_tree({"outer": [{name: "aB3dE5gH7jK9mN1pQ3"}]})
    assert "aB3dE5gH" not in json.dumps(clean)
    assert MARK.search(json.dumps(clean))


def test_other_values_of_a_tree_are_unchanged():
    tree: dict[str, object] = {
        "max_tokens": 4096,
        "token": None,
        "password": True,
        "secret": "changeme",
        "list": [1, 2.5, "the token expired", {"key": "src/a.py"}],
        "tuple": ("a", "b"),
    }
    assert redact_tree(tree) == tree


def test_a_tree_of_settings_is_judged_by_its_name_field():
    tree = [{"name": "DB_PASSWORD", "value": "hunter2"}, {"key": "PORT", "value": "hunter2"}]
    assert redact_tree(tree) == [
        {"name": "DB_PASSWORD", "value": "[REDACTED:password]"},
        {"key": "PORT", "value": "hunter2"},
    ]


def test_arguments_in_a_list_are_judged_by_the_option_before():
    assert redact_tree(["tool", "--password", "hunter2", "jo"]) == [
        "tool",
        "--password",
        "[REDACTED:password]",
        "jo",
    ]


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (["mysql", "-u", "root", "-phunter2"], 3),
        (["curl", "-u", "jo:hunter2", "https://example.com"], 2),
        (["sqlcmd", "-U", "sa", "-P", "hunter2"], 4),
        (["htpasswd", "-b", ".htpasswd", "jo", "hunter2x"], 4),
    ],
)
def test_arguments_in_a_list_are_judged_as_a_command_line(arguments: list[str], place: int):
    clean = redact_tree({"argv": arguments})
    assert "hunter2" not in json.dumps(clean)
    left = [*arguments[:place], *arguments[place + 1 :]]
    assert isinstance(clean, dict)
    assert [item for item in clean["argv"] if not MARK.search(item)] == left


def test_a_recovery_phrase_is_found_by_what_is_said_about_it():
    words = "lemon canyon toss leopard cabin advice obscure obtain canyon traffic oak transfer"
    for text in (
        f"seed phrase: {words}",
        f'MNEMONIC="{words}"',
        f"Secret recovery phrase (12 words):\n{words}",
    ):
        assert "lemon canyon" not in redact(text)
        assert "[REDACTED:seed-phrase]" in redact(text)
    assert redact(f"some words: {words}") == f"some words: {words}"


def test_the_rest_of_a_text_with_too_many_places_is_cut_out_unread():
    text = "password=[x] " * 20_000 + "and the end"
    clean = redact(text)
    assert clean.startswith("password=[x] " * 1_900)
    assert clean.endswith("[REDACTED:unsearched]")
    assert redact(clean) == clean
    assert redact(text + "[REDACTED:password]") == clean


def test_a_text_beyond_the_bound_is_cut_before_it_is_read():
    clean = redact("a line of words\n" * 300_000)
    assert len(clean) == 4_000_000 + len("[REDACTED:unsearched]")
    assert clean.endswith("[REDACTED:unsearched]")
    assert redact(clean) == clean


class CountingRedactor(Redactor):
    """Counts the rounds of a redaction."""

    rounds = 0

    def find(self, text: str) -> list[tuple[int, int, str]]:
        self.rounds += 1
        return super().find(text)


@pytest.mark.parametrize(
    "unit", ["mysql -u root -phunter2x app", "7z a -phunter2x out.7z dir", "unzip -P hunter2! x.zip"]
)
def test_a_text_that_shows_its_secrets_one_by_one_is_cut_after_a_few_rounds(unit: str):
    redactor = CountingRedactor()
    clean = redactor.redact(unit * 2_000)
    assert redactor.rounds < 10
    assert redact(clean) == clean


def test_headers_in_a_tree_are_redacted():
    token = next(secret for kind, _, secret in planted_secrets(seed=7) if kind == "authorization")
    headers = {"Authorization": token, "Cookie": f"theme=dark; sessionid={token}"}
    assert redact_tree(headers) == {
        "Authorization": "[REDACTED:authorization]",
        "Cookie": "theme=dark; sessionid=[REDACTED:cookie]",
    }


def test_secrets_in_keys_are_redacted_and_no_entry_is_lost():
    tokens = [secret for kind, _, secret in planted_secrets(seed=8) if kind == "npm-token"]
    tree = {f"npm_{token}": number for number, token in enumerate(tokens)}
    clean = redact_tree(tree)
    assert isinstance(clean, dict)
    assert list(clean.values()) == list(tree.values())
    assert not [token for token in tokens if token in json.dumps(clean)]
    assert redact_tree(clean) == clean


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("The password is openSesame1.", "openSesame1"),
        ("login with user bob and password pepper_mill3", "pepper_mill3"),
        ('smtp.login("me@example.org", "winter.is.here1")', "winter.is.here1"),
        ("sqlcmd -S db -U sa -P moonbeam#7", "moonbeam#7"),
        ('passwords = {"bob": "MyDog-Rex", "eve": "trustno1!"}', "trustno1!"),
        ("AES.new(b'0lGuIm21h8ebWAX57ZjG54jYiXSGGjpm', AES.MODE_CBC)", "0lGuIm21h8ebWAX57ZjG54jYiXSGGjpm"),
        ('bob : EAP "monkey1234"', "monkey1234"),
        ("u: bob p: dragon_88", "dragon_88"),
        ("cvs -d :pserver:bob:berlin-1989@host:/cvs login", "berlin-1989"),
        ("رمز عبور: Sunshine!9", "Sunshine!9"),
    ],
)
def test_a_password_of_plain_words_is_found_where_the_text_calls_it_one(text: str, secret: str):
    assert secret not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "password = openSesame1",  # a variable
        "The password column is called user_name2",
        "[`d0d7ebc2a6`](https://github.com/nodejs/n/commit/d0d7ebc2a6)] - **src**: move code (himself65)",
    ],
)
def test_a_name_with_a_number_is_no_password(text: str):
    assert redact(text) == text
