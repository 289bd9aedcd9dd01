"""Generate secrets of every kind at run time, so that the repository contains none."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable
from urllib.parse import quote

from rum.redact.redactor import Redactor

_REDACTOR = Redactor()
redact = _REDACTOR.redact
redact_tree = _REDACTOR.redact_tree
find_secrets = _REDACTOR.find

# The expected kind, a text with the secret, the secret (of a token: the part after its prefix).
Planted = tuple[str, str, str]

HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
URLSAFE, BASE64 = ALNUM + "-_", ALNUM + "+/"

# kind, prefixes, alphabet of the body, length of the body
TOKENS = (
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", ALNUM, 36),
    ("github-token", "github_pat_", ALNUM, 82),
    ("gitlab-token", "glpat- gldt- glrt- glsoat- GR1348941", URLSAFE, 20),
    ("gitlab-token", "glptt-", HEX, 40),
    ("atlassian-token", "ATATT3 ATCTT3", URLSAFE, 180),
    ("atlassian-token", "ATBB", ALNUM, 32),
    ("aws-key", "AKIA ASIA", UPPER, 16),
    ("google-key", "AIza", URLSAFE, 35),
    ("google-token", "ya29. 1//0", URLSAFE, 60),
    ("google-token", "GOCSPX-", URLSAFE, 28),
    ("digitalocean-token", "dop_v1_ doo_v1_", HEX, 64),
    ("alibaba-key", "LTAI", ALNUM, 20),
    ("slack-token", "xapp-1-", UPPER, 40),
    ("stripe-key", "sk_live_ rk_live_ sk_test_", ALNUM, 24),
    ("webhook-secret", "whsec_", ALNUM, 32),
    ("api-key", "sk-", ALNUM, 48),
    ("api-key", "sk-or-v1-", HEX, 64),
    ("openai-key", "sk-proj- sk-svcacct-", URLSAFE, 120),
    ("anthropic-key", "sk-ant-api03- sk-ant-admin01-", URLSAFE, 95),
    ("hugging-face-token", "hf_", string.ascii_letters, 34),
    ("npm-token", "npm_", ALNUM, 36),
    ("pypi-token", "pypi-AgEI", URLSAFE, 140),
    ("docker-token", "dckr_pat_", URLSAFE, 27),
    ("mailgun-key", "key-", HEX, 32),
    ("twilio-key", "SK", HEX, 32),
    ("shopify-token", "shpat_ shpss_", HEX, 32),
    ("square-token", "sq0atp-", URLSAFE, 22),
    ("square-token", "sq0csp-", URLSAFE, 43),
    ("facebook-token", "EAA", ALNUM, 120),
    ("databricks-token", "dapi", HEX, 32),
    ("linear-key", "lin_api_", ALNUM, 40),
    ("notion-token", "ntn_", ALNUM, 46),
    ("notion-token", "secret_", ALNUM, 43),
    ("figma-token", "figd_", URLSAFE, 40),
    ("grafana-token", "glc_", ALNUM, 80),
    ("vault-token", "hvs.", URLSAFE, 95),
    ("vault-token", "hvb.", URLSAFE, 140),
    ("doppler-token", "dp.pt. dp.st.prod.", ALNUM, 43),
    ("sentry-token", "sntryu_", HEX, 64),
    ("new-relic-key", "NRAK-", UPPER, 27),
    ("planetscale-token", "pscale_tkn_ pscale_pw_", URLSAFE, 43),
    ("supabase-key", "sbp_", HEX, 40),
    ("supabase-key", "sb_secret_", URLSAFE, 31),
    ("groq-key", "gsk_", ALNUM, 52),
    ("replicate-token", "r8_", ALNUM, 37),
    ("xai-key", "xai-", ALNUM, 80),
    ("perplexity-key", "pplx-", ALNUM, 48),
    ("nvidia-key", "nvapi-", URLSAFE, 64),
    ("pinecone-key", "pcsk_", URLSAFE, 70),
    ("age-key", "AGE-SECRET-KEY-1", UPPER, 58),
    ("rubygems-key", "rubygems_", HEX, 48),
    ("pulumi-token", "pul-", HEX, 40),
    ("fly-token", "fm2_", ALNUM, 120),
    ("heroku-key", "HRKU-AA", URLSAFE, 58),
    ("netlify-token", "nfp_", ALNUM, 36),
    ("prefect-key", "pnu_", ALNUM, 36),
    ("brevo-key", "xkeysib-", HEX, 64),
    ("sonar-token", "squ_", HEX, 40),
    ("buildkite-token", "bkua_", HEX, 40),
    ("artifactory-key", "AKCp", ALNUM, 69),
    ("posthog-key", "phx_", ALNUM, 43),
)


def planted_secrets(seed: int) -> list[Planted]:
    """Texts with one secret each, over all kinds; the same seed makes the same secrets."""
    source = random.Random(seed)
    made: list[Planted] = []
    for kind, prefixes, alphabet, length in TOKENS:
        for prefix in prefixes.split():
            for place in source.sample(_PLACES, 2):
                body = _body(source, alphabet, length)
                made.append((kind, place(prefix + body), body))
    for maker in (_composed, _in_urls, _in_headers, _in_assignments, _in_commands, _private_keys):
        made += maker(source)
    return made


def _body(source: random.Random, alphabet: str, length: int) -> str:
    """A random body with a digit in it where the alphabet has digits, and no separator at its ends."""
    while True:
        body = "".join(source.choices(alphabet, k=length))
        if body[0] in "-_" or body[-1] in "-_":
            continue
        if "0" not in alphabet or any(char.isdigit() for char in body):
            return body


def _password(source: random.Random) -> str:
    """A password as generators make it: letters, digits, one symbol inside."""
    body = _body(source, ALNUM, 14)
    return body[:7] + source.choice("!#%*+=^~") + body[7:]


_PLACES: tuple[Callable[[str], str], ...] = (
    lambda secret: f"The call worked only after I pasted {secret} into the form.",
    lambda secret: f"It answered 401 for {secret}, then 200.",
    lambda secret: f'client = Client("{secret}", timeout=30)\nclient.ping()',
    lambda secret: json.dumps({"tool": "Bash", "output": f"line one\n{secret}\nline three"}),
    lambda secret: f"service:\n  region: eu-central-1\n  access: {secret}\n  retries: 3\n",
    lambda secret: f"https://api.example.com/v1/items?limit=10&access={secret}&page=2",
    lambda secret: f"\x1b[32m{secret}\x1b[0m",
    lambda secret: f"export SOMETHING={secret}; make deploy",
    lambda secret: f"- `{secret}` was in the log (line 12)",
)


def _composed(source: random.Random) -> list[Planted]:
    """Tokens of several parts."""

    def part(alphabet: str, length: int) -> str:
        return _body(source, alphabet, length)

    header = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    claims = base64.urlsafe_b64encode(json.dumps({"sub": part(HEX, 16)}).encode()).decode().rstrip("=")
    uuid = "-".join(part(HEX, length) for length in (8, 4, 4, 4, 12))
    secrets = [
        ("jwt", f"{header}.{claims}.{part(URLSAFE, 43)}"),
        ("slack-token", f"xoxb-{part(string.digits, 12)}-{part(string.digits, 13)}-{part(ALNUM, 24)}"),
        ("slack-token", f"xoxp-{part(string.digits, 12)}-{part(string.digits, 12)}-{part(HEX, 32)}"),
        ("sendgrid-key", f"SG.{part(URLSAFE, 22)}.{part(URLSAFE, 43)}"),
        ("grafana-token", f"glsa_{part(ALNUM, 32)}_{part(HEX, 8)}"),
        ("terraform-token", f"{part(ALNUM, 14)}.atlasv1.{part(ALNUM, 67)}"),
        ("telegram-token", f"{part(string.digits, 10)}:AA{part(URLSAFE, 33)}"),
        ("discord-token", f"M{part(ALNUM, 25)}.{part(ALNUM, 6)}.{part(ALNUM, 38)}"),
        ("azure-secret", f"{part(ALNUM, 3)}8Q~{part(ALNUM, 34)}"),
        ("postman-key", f"PMAK-{part(HEX, 24)}-{part(HEX, 34)}"),
        ("dynatrace-token", f"dt0c01.{part(UPPER, 24)}.{part(UPPER, 64)}"),
        ("langsmith-key", f"lsv2_pt_{part(HEX, 32)}_{part(HEX, 10)}"),
        ("resend-key", f"re_{part(ALNUM, 8)}_{part(ALNUM, 24)}"),
        ("launchdarkly-key", f"sdk-{uuid}"),
        ("plaid-token", f"access-production-{uuid}"),
        ("tailscale-key", f"tskey-auth-{part(ALNUM, 12)}CNTRL-{part(ALNUM, 32)}"),
        ("twilio-key", f"AC{part(HEX, 32)}:{part(HEX, 32)}"),
        ("zoho-token", f"1000.{part(HEX, 32)}.{part(HEX, 32)}"),
    ]
    return [(kind, place(secret), secret) for kind, secret in secrets for place in source.sample(_PLACES, 2)]


def _in_urls(source: random.Random) -> list[Planted]:
    raw = [_password(source) for _ in range(8)]
    escaped = quote(_password(source), safe="") + "%40"
    hook = "/".join((_body(source, UPPER, 9), _body(source, UPPER, 11), _body(source, ALNUM, 24)))
    channel, bot = _body(source, string.digits, 18), _body(source, URLSAFE, 68)
    signature = _body(source, ALNUM, 43) + "%3D"
    return [
        ("url-password", f"DATABASE_URL=postgres://app:{raw[0]}@db.internal:5432/app", raw[0]),
        ("url-password", f"it dials redis://:{raw[1]}@cache:6379/0 at start", raw[1]),
        ("url-password", f'engine = create_engine("mysql+pymysql://root:{raw[2]}@localhost/shop")', raw[2]),
        ("url-password", f"git clone https://deploy:{raw[3]}@git.example.com/team/repo.git", raw[3]),
        ("url-password", json.dumps({"broker": f"amqp://guest:{raw[4]}@mq//"}), raw[4]),
        ("url-password", f"uri: mongodb+srv://admin:{raw[5]}@cluster0.example.net/prod", raw[5]),
        ("url-password", f"proxy is http://jo%40example.com:{escaped}@proxy:3128", escaped),
        ("url-password", f"postgres://app:{raw[6]}/{raw[7]}@db/app", f"{raw[6]}/{raw[7]}"),
        ("webhook-url", f"curl -d @x https://hooks.slack.com/services/{hook}", hook),
        ("url-signature", f"https://x.blob.core.windows.net/c?sv=2022-11-02&sig={signature}&sp=r", signature),
        ("webhook-url", f"POST https://discord.com/api/webhooks/{channel}/{bot}", bot),
    ]


def _in_headers(source: random.Random) -> list[Planted]:
    tokens = [_body(source, ALNUM, 32) for _ in range(6)]
    basic = base64.b64encode(f"admin:{_password(source)}".encode()).decode()
    return [
        ("authorization", f"Authorization: Bearer {tokens[0]}", tokens[0]),
        ("authorization", f"curl -H 'authorization: token {tokens[1]}' https://api", tokens[1]),
        ("authorization", json.dumps({"headers": {"Authorization": f"Bearer {tokens[2]}"}}), tokens[2]),
        ("bearer-token", f"the header was Bearer {tokens[3]}, which had expired", tokens[3]),
        ("basic-auth", f"Authorization: Basic {basic}", basic),
        ("api-key", f"X-Api-Key: {tokens[4]}", tokens[4]),
        ("cookie", f"Cookie: theme=dark; sessionid={tokens[5]}; lang=en", tokens[5]),
    ]


def _in_assignments(source: random.Random) -> list[Planted]:
    """The same random values under many names, in many languages and formats."""
    made: list[Planted] = []
    for kind, text in _ASSIGNMENTS:
        value = _body(source, BASE64, 40) if kind in ("aws-key", "azure-key") else _password(source)
        if kind in ("token", "api-key", "credential"):
            value = _body(source, ALNUM, 28)
        elif kind == "basic-auth":
            value = base64.b64encode(f"deploy:{_password(source)}".encode()).decode()
        made.append((kind.replace("azure-key", "api-key"), text.replace("@@", value), value))
    return made


_ASSIGNMENTS = (
    ("password", "DB_PASSWORD=@@"),
    ("password", "export PGPASSWORD=@@ && psql -h db"),
    ("password", "PGPASSWORD=@@ psql -h db -c 'select 1'"),
    ("password", "database:\n  user: app\n  password: @@\n"),
    ("password", '{"user": "app", "password": "@@"}'),
    ("password", '{"output": "{\\"password\\": \\"@@\\"}"}'),
    ("password", 'password = "@@"'),
    ("password", "const dbPassword = '@@';"),
    ("password", 'var adminPasswd string = "@@"'),
    ("password", 'password: str = "@@"'),
    ("password", "connect(host='db', password='@@')"),
    ("password", "spring.datasource.password=@@"),
    ("password", "Server=db;Database=app;User Id=sa;Password=@@;Encrypt=true"),
    ("password", "<password>@@</password>"),
    ("password", '<add key="SmtpPassword" value="@@"/>'),
    ("password", "- name: DB_PASSWORD\n  value: @@\n"),
    ("password", '{"name": "DB_PASSWORD", "value": "@@"}'),
    ("password", "tool login --password @@ --quiet"),
    ("password", "POST /login user=jo&password=@@&next=/"),
    ("password", "CREATE USER app WITH PASSWORD '@@';"),
    ("password", "ALTER USER app IDENTIFIED BY '@@';"),
    ("password", "machine git.example.com login jo password @@"),
    ("password", "'password' => '@@',"),
    ("password", 'if password == "@@": grant()'),
    ("password", "$env:SMTP_PASSWORD = '@@'"),
    ("password", 'os.environ["DB_PASSWORD"] = "@@"'),
    ("password", "my @config = (passwd => '@@');"),
    ("secret", "client_secret: @@"),
    ("secret", '"clientSecret": "@@"'),
    ("secret", 'webhook_secret := "@@"'),
    ("token", "AUTH_TOKEN=@@"),
    ("token", 'access_token = "@@"'),
    ("token", "//registry.example.com/:_authToken=@@"),
    ("token", "refreshToken: '@@',"),
    ("token", "tool deploy --token @@"),
    ("token", "https://api.example.com/me?access_token=@@"),
    ("token", "X-Auth-Token: @@"),
    ("api-key", "api_key=@@"),
    ("api-key", "DATADOG_API_KEY: @@"),
    ("api-key", 'apiKey: "@@"'),
    ("secret", "SECRET_KEY_BASE=@@"),
    ("api-key", "let encryption_key = `@@`;"),
    ("aws-key", "aws_secret_access_key = @@"),
    ("aws-key", "AWS_SECRET_ACCESS_KEY=@@"),
    ("aws-key", '"awsSecretAccessKey": "@@"'),
    ("azure-key", "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=@@;EndpointSuffix=core"),
    ("azure-key", "Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey=@@"),
    ("credential", 'credentials = "@@"'),
    ("basic-auth", '{"auths": {"registry.example.com": {"auth": "@@"}}}'),
)


_COMMANDS = (
    "mysql -u root -p@@ shop",
    "mysqldump -h db -u root -p'@@' shop > dump.sql",
    "sshpass -p @@ ssh root@host",
    "redis-cli -h cache -a @@ ping",
    "docker login -u jo -p @@ registry.example.com",
    "curl -u jo:@@ https://api.example.com/",
    "curl -s --user 'jo:@@' https://api.example.com/",
    "openssl rsa -in key.pem -passin pass:@@",
    "kubectl create secret generic db --from-literal=value=@@",
    "ldapsearch -x -D cn=admin -w @@ uid=jo",
)


def _in_commands(source: random.Random) -> list[Planted]:
    passwords = [(command, _password(source)) for command in _COMMANDS]
    return [("password", command.replace("@@", secret), secret) for command, secret in passwords]


def _private_keys(source: random.Random) -> list[Planted]:
    made: list[Planted] = []
    for label in ("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "):
        lines = [_body(source, BASE64, 64) for _ in range(6)] + [_body(source, ALNUM, 30) + "=="]
        secret = "\n".join(lines)
        begin, end = f"-----BEGIN {label}PRIVATE KEY-----", f"-----END {label}PRIVATE KEY-----"
        block = f"{begin}\n{secret}\n{end}"
        made.append(("private-key", f"here it is:\n{block}\nthat was it", secret))
        made.append(
            (
                "private-key",
                json.dumps({"type": "service_account", "private_key": block}),
                json.dumps(secret)[1:-1],
            )
        )
        made.append(("private-key", f"it was cut off:\n{begin}\n{secret[:300]}", secret[:300]))
    body = "\n".join(_body(source, BASE64, 64) for _ in range(8))
    label = "PGP PRIVATE KEY BLOCK-----"
    pgp = f"-----BEGIN {label}\nVersion: 2\n\n{body}\n=aB3d\n-----END {label}"
    return [*made, ("private-key", pgp, body)]
