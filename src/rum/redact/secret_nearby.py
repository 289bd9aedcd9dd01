"""Find secrets near a word about them, whatever stands between: in any language, program or file."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cache, lru_cache

from rum.redact.secret_plausibility import (
    LINE,
    MARK,
    Budget,
    as_words,
    compiled,
    is_chosen,
    is_code,
    is_generated,
    is_hash,
    is_plausible,
    is_random,
    is_strong,
    looking,
)
from rum.text.lexicon import word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Words for a password in lower-case text; those in `_WHOLE` only where no letter touches them.
_PASSWORDS = (
    *("passw", "passph", "passcode", "pwd", "kennwort", "psk", "passord", "credential", "geheimnis"),
    *("mot de passe", "contrase", "senha", "wachtwoord", "adgangskode", "salasana", "parola", "heslo"),
    *(
        "lozinka",
        "geslo",
        "parool",
        "kata sandi",
        "zugangsdaten",
        "identifiant",
        "masterkey",
        "userpass",
        "rootpw",
    ),
    *("pass", "pw", "mdp", "clave", "creds", "pin", "shared-key", "preshared", "key-string", "authtok"),
    *(
        "isakmp key",
        "server key",
        "wifi key",
        "wlan key",
        "wlan-schl",
        "network key",
        "haslo",
        "sifre",
        "parole",
    ),
    *("identified by", "basic_auth", "http_auth", "wi-fi", "wifi", "keymaterial", "master=", "community"),
)
_WHOLE = word_set("pass pw mdp clave creds pin parole haslo sifre community")
_FOREIGN = (
    *(
        "hasło",
        "hasła",
        "lösenord",
        "jelszó",
        "jelszav",
        "şifre",
        "slaptažodis",
        "mật khẩu",
        "парол",
        "гасло",
    ),
    *(
        "κωδικ",
        "密码",
        "密碼",
        "口令",
        "パスワード",
        "暗証",
        "비밀번호",
        "암호",
        "รหัสผ่าน",
        "पासवर्ड",
        "كلمة",
        "סיסמ",
    ),
    *("contraseña", "clé", "ключ", "пароль"),
)
# Words for a key or a token, which may be chosen by a person.
_KEYS = (
    *(
        "token",
        "secret",
        "key",
        "auth",
        "login",
        "salt",
        "pepper",
        "crypt",
        "jwt",
        "cipher",
        "unlock",
    ),
    *("cookie", "hmac", "sign", "basic", "sessid", "csrf", "xsrf", "bind", "sas ", "hash::make", "obscure"),
    *("schlüssel", "jeton", "токен", "ключ", "令牌", "密钥", "トークン", "토큰"),
)
# Words near which a pair of a name and a password stands.
_PEOPLE = (
    *("user", "account", "connect", "nutzer", "zugang", "anmeld", "einlogg", "logging in", "logged in"),
    *("log in", "log on", "sign in", "session", "usuario", "utilisateur", "admin", "root"),
)
# Words for a secret that a program made; services that give them out.
_GENERATED = (
    *(
        "seed",
        "session=",
        "_session",
        "licen",
        "serial",
        "webhook",
        "sid=",
        "remember",
        "secure",
        "bearer",
        "fernet",
        "access",
        " pat ",
        "wif ",
        "wif:",
        "wallet",
    ),
    *("dsn", "api", "master", "join", "invite", "totp", "mfa", "2fa", "otp"),
)
_SERVICES = word_set(
    """
    adafruit adyen airtable akeyless algolia alibaba alpaca alchemy amplitude apify asana assemblyai auth0
    azure backblaze beamer binance bitbucket bitwarden braintree browserstack bugsnag buildkite cerebras
    circleci clickup cloudflare cloudinary codecov cohere coinbase confluent contentful cosmos coveralls
    crates databento databricks datadog deepgram deepl deepseek digitalocean discord doppler dropbox
    dynatrace easypost elevenlabs etherscan eventbrite evernote expo fastly figma finnhub firebase
    firecrawl fireworks flutterwave frameio freshdesk gemini ghost gitea github gitlab gitter gocardless
    grafana groq harbor heroku hetzner hubspot huggingface infisical infracost infura intercom jenkins
    jfrog jira jina klaviyo kraken kucoin langfuse langsmith launchdarkly linear linode lob mailchimp
    mailgun mandrill mapbox mattermost messagebird minio miro mistral mixpanel mollie neon neptune netlify
    newrelic ngrok notion npm nuget okta onesignal openai opsgenie ovh packagist pagerduty paypal paystack
    pinecone pipedrive plaid planetscale plivo polygon posthog postmark postman prefect prismic pulumi
    pushbullet pushover pypi quay quicknode railway razorpay replicate resend rollbar rubygems salesforce
    sambanova sanity saucelabs scaleway scalingo segment sendbird sendgrid sentry shippo shodan shopify
    slack snowflake snyk sonarcloud sonarqube sparkpost spotify square stability statuspage storyblok
    strava stripe sumologic supabase tailscale tavily telegram telnyx tencent tiingo todoist trello
    turborepo twilio twitch twitter typeform unsplash vault vercel virustotal vonage voyage vultr wakatime
    wandb wasabi yandex zapier zendesk zoho zoom 1password
    """
)
# From the word to a hash or a UUID, which many texts contain: nothing else may stand between.
_TO_HASH = (
    r"([A-Za-z]+)[\w.\]-]{0,20}(?: (?:\w{1,12} )?(?:key|token|secret))?"
    r"(?: (?:mismatch|expected|got|received|invalid):?){0,3}"
    r"(?: [0-9]{1,2})?[\"'`*]{0,3}\s{0,3}"
    r"(?:[:=]>?|->|is:?|was|,|\()?\s{0,3}(?:[\w.:\[\]]{1,24}\()?b?[\"'`]?"
)
# Words that make a name one of something else: `next_page_token`, `cache_key`, `keyboard`.
_NOT_ABOUT = word_set(
    """
    public cache primary foreign partition sort next page cursor first last prev previous row tokenizer
    tokenize tokenized tokens tokenization keyword keywords keyboard keydown keyup keypress keyframes
    author authors authored authority monkey turkey hockey keys idempotency design designed signal signals
    assign assigned assignment significant unsigned bypass compass encompass passed passing passes passive
    passenger passage
    """
)
_NAME = "abcdefghijklmnopqrstuvwxyz_-"
_HARMLESS = (
    r"commit|\bsha|md5|hash|digest|\brev\b|revision|etag|checksum|fingerprint|uuid|guid|integrity|\bid\b|_id\b|"
    r"public|blob|\btree\b|request|trace|span|https?:|resolved|version"
)

# From the word to the next line, if the line says nothing else.
_TO_NEXT_LINE = (
    r"[\w \t-]{0,48}[\"'*`_)\]]{0,3}[ \t]{0,3}(?:is|are|below|here)?[ \t]{0,3}[:=]?[\"'*`_ \t(>|+-]{0,6}"
    r"(?:(?:\r?\n|\\n)[ \t>*#]{0,24}){1,2}+(?:[Nn]ew |)(?:[Vv]alue: ?|(?<=\n)[a-z]{2,12}: |)(?:\S{0,12}=> ?|)"
    r"(?=[\"'`]?[^\s|:=,]{6,200}[\"'`]?,?[ \t]*(?:\r?\n|\\n|\Z))"
)
_CANDIDATE = (
    r"(?P<quote>\\?[\"'`])(?P<quoted>[^\"'`\s\\]{6,8000}+)(?P=quote)"
    r"|(?<![^\s:=(>\"'`|,&?是为は→：])(?P<bare>(?:[!#-%*+./0-9:?-Z^_a-z~-]|&(?!\w+=)){6,200}+={0,2})(?=[^!-~]|[\"'`,;)|<\\}\]&]|\Z)"
)
_REST = r"(?:[!#-%*+./0-9:?-Z^_a-z~-]|&(?!\w+=)){0,8000}+={0,2}"  # Of a value that begins within reach
# User and password, or a prefix that says how the password is kept.
_PAIR = r"(?:(?:[A-Z]?[a-z][a-z0-9_.@+-]{1,40}|[A-Z]{2,20})[:/%]|\{\w{2,10}\})([^/]{6,64})"
# Four or more groups of characters: the password of an application, the key of a licence, a one-time secret.
_GROUPED = (
    r"[^\n\"'=:]{0,24}(?:[:=]|is|-| ){0,2}[ \"'`]{0,3}"
    r"(?<![A-Za-z0-9-])(?P<groups>(?=[a-z0-9]|[A-Za-z]{0,3}[0-9A-Z])(?:[a-z0-9]{4}(?: [a-z0-9]{4}){3}"
    r"|[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){5}"
    r"|[A-Z0-9]{4}(?: [A-Z0-9]{4}){3,15}|[A-Z0-9]{4,7}(?:-[A-Z0-9]{4,7}){3,8}))(?![\w ][\w-]{2})"
)
_PERSON = "person"  # What is found near words for people is a password
_STRONG = r".*[0-9].*[!@#$%^&*?+=].*|.*[!@#$%^&*?+=].*[0-9].*|(?=.*[a-z])(?=.*[A-Z]).*[0-9].*"

# The secret before the word: `use X as the password`, `X is the private key of`.
_LINKS = word_set("as is was being for = als ist comme est como es jako jest com è é som är")
_SAID = (
    rf" (?:{'|'.join(sorted(_LINKS))}) "
    r"(?:(?!not|no)[a-z]{1,12} ){0,3}[\w-]{0,12}\Z"
)
# `use X when it asks for the password`
_USED = r"(?i)\b(?:use|try|enter|type|with) [\"'`]?([^\s\"'`]{6,64})[\"'`]?[?,]? [\w' ,-]{0,40}\Z"
_QUALIFIED = r"(?:private|secret|api|access|signing|encryption|license|licence)[ -]\Z"


# From a digit, a mark or a capital after a small letter within what may be a secret: six or more characters,
# none of them a space or a quote. Most letters of most texts are small, so this is fast.
_SUSPECT = (
    r"[0-9!#$%^&*@?~+A-Z](?:(?<![A-Z])|(?<=[a-z].)(?=[A-Za-z0-9]{0,40}[-_.]|[^\s\"'`\\]{9}))"
    r"(?:(?=[^\s\"'`\\]{3})|(?<=[^\s\"'`\\]{4}))[^\s\"'`\\]*+"
)
_FOURS = r"(?<![\w-])[a-z0-9]{4}(?: [a-z0-9]{4}){3}(?!\w)"  # The password of an application
_REACH = 120  # Characters from the word to the end of the value


class _Suspects:
    """Where in a text something like a secret stands: words far from all of these need no look."""

    def __init__(self, text: str) -> None:
        spans = [match.span() for match in compiled(_SUSPECT).finditer(text)]
        if "assw" in text:
            spans += [match.span() for match in compiled(_FOURS).finditer(text)]
            spans.sort()
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]

    def between(self, start: int, end: int) -> bool:
        """Whether one of them overlaps this part of the text."""
        first = bisect_right(self._ends, start)
        return first < len(self._ends) and self._starts[first] < end

    def words_around(self, lower: str) -> str:
        """All words around them, each once."""
        words: set[str] = set()
        done = 0
        for start, end in zip(self._starts, self._ends, strict=True):
            if end + _REACH > done:
                words.update(lower[max(done - 20, start - 3 * _REACH, 0) : end + 2 * _REACH].split())
                done = end + 2 * _REACH
        return " ".join(words)


def find_nearby(text: str, lower: str, words: frozenset[bytes]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, kind) of every secret near a word about it; `words` are those of the text."""
    judged, looked = Budget(text), looking(text)
    if not _GROUPS.isdisjoint(words):
        yield from _in_groups(text, lower, words, looked, judged)
    suspects = _Suspects(text)
    around = suspects.words_around(lower)
    if not around:
        return

    def hits_of(some: Iterable[str]) -> list[tuple[int, int]]:
        return _hits(lower, suspects, [word for word in some if _longest(word) in around], looked)

    passwords = hits_of(_PASSWORDS if lower.isascii() else _PASSWORDS + _FOREIGN)
    yield from _after(text, suspects, passwords, judged, "password")
    if "\n" in text:
        yield from _in_columns(text, passwords, judged)
    keys = hits_of(_KEYS)
    yield from _before(text, lower, suspects, passwords + keys, judged)
    yield from _after(text, suspects, keys, judged, "secret")
    yield from _after(text, suspects, hits_of(_PEOPLE), judged, _PERSON)
    services = [word.decode() for word in _services() & words]
    yield from _after(text, suspects, hits_of([*_GENERATED, *services]), judged, "token")


@cache
def _longest(phrase: str) -> str:
    """The longest word of a phrase."""
    return max(phrase.split(), key=len)


@cache
def _services() -> frozenset[bytes]:
    return frozenset(word.encode() for word in _SERVICES)


def _hits(lower: str, suspects: _Suspects, words: list[str], looked: Budget) -> list[tuple[int, int]]:
    """Where the words begin and end, if something like a secret is around."""
    hits: list[tuple[int, int]] = []
    for word in words:
        at = lower.find(word)
        while at >= 0:
            end = at + len(word)
            looked.spend(at)
            if suspects.between(at - _REACH, end + 3 * _REACH) and _is_cue(lower, at, end, word):
                hits.append((at, end))
            at = lower.find(word, end)
    hits.sort()
    return hits


def _is_cue(lower: str, at: int, end: int, word: str) -> bool:
    """Whether the word at this place is about a secret, and no part of another word or of a mark."""
    if word in _WHOLE and (lower[at - 1 : at].isalpha() or lower[end : end + 1].isalpha()):
        return False
    head, tail = lower[max(0, at - 24) : at], lower[end : end + 16]
    if head[-len(MARK) - 12 :].rfind(_MARK) >= 0:
        return False
    return _is_about(head[len(head.rstrip(_NAME)) :] + word + tail[: len(tail) - len(tail.lstrip(_NAME))])


_MARK = MARK.lower()


@lru_cache(maxsize=1024)
def _is_about(name: str) -> bool:
    return _NOT_ABOUT.isdisjoint(compiled("[a-z]+").findall(name))


def _after(
    text: str, suspects: _Suspects, hits: list[tuple[int, int]], judged: Budget, kind: str
) -> Iterator[tuple[int, int, str]]:
    """Values between a word and the end of its line, or alone on the next line."""
    done = 0
    for begin, end in hits:
        if end < done:
            continue
        stop = text.find("\n", end, end + _REACH)
        stop = done = stop if stop >= 0 else min(end + _REACH, len(text))
        if kind in ("password", "token") and _may_have_groups(text[end : end + _REACH]):
            grouped = compiled(_GROUPED).match(text, end, end + 2 * _REACH)
            if grouped and compiled("[0-9]|password").search(text, begin, grouped.end()):
                yield *grouped.span("groups"), kind
        escaped = text.find("\\n", end, stop)
        line = escaped if escaped >= 0 else stop
        if line < end + 60 and suspects.between(line, line + 2 * _REACH):
            next_line = compiled(_TO_NEXT_LINE).match(text, end)
            if next_line:
                stop = done = min(next_line.end() + _REACH, len(text))
                following = text.find("\n", next_line.end(), stop)
                stop = following if following >= 0 else stop
        if not suspects.between(end, stop + _REACH):
            continue
        for match in compiled(_CANDIDATE).finditer(text, end, stop):
            group = "quoted" if match["quoted"] else "bare"
            rest = compiled(_REST).match(text, stop) if match.end() == stop else None
            done = max(done, rest.end() if rest else 0)
            value = text[match.start(group) : rest.end() if rest and rest[0] else match.end(group)]
            value = value.rstrip("" if match["quoted"] else ".:,?")
            if value.isalpha() and (value.islower() or len(value) < 16):
                continue
            judged.spend(match.start())
            at, last = match.start(group), match.start(group) + len(value)
            pair = compiled(_PAIR).fullmatch(value) if kind != "token" else None
            if pair and (is_chosen(pair[1]) or is_generated(pair[1])):
                at += pair.start(1)
            elif not _is_secret(text, hits[bisect_left(hits, (at, 0)) - 1][0], at, value, kind):
                continue
            yield at, last, "password" if kind is _PERSON else kind


def _may_have_groups(following: str) -> bool:
    """Whether four groups of characters may follow, as `_GROUPED` says."""
    run = 0
    for word in following.split():
        group = word.strip("\"'`.,;:=)").rpartition("=")[2].rpartition(":")[2]
        run = run + 1 if len(group) == 4 and group.isalnum() else 0
        if run == 4 or (group.count("-") > 2 and group.isupper()):
            return True
    return False


def _is_secret(text: str, begin: int, at: int, value: str, kind: str) -> bool:
    if kind is _PERSON:
        if compiled(r"[\"'], ?[\"']\Z").search(text, max(0, at - 4), at) and is_chosen(value):
            return True  # the next argument of a call
        if compiled(_AFTER_ADMIN).fullmatch(text, begin, at) and is_chosen(value):
            return True
        return (
            is_strong(value)
            and text[at - 1] in " \"'`"
            and compiled(r".*[!#%^*?].*").fullmatch(value) is not None
        )
    if is_hash(value):
        if kind == "password" and compiled(r"[^\n]*:\s*\n\s*").fullmatch(text, begin, at):
            return True
        named = compiled(_TO_HASH).fullmatch(text, begin, at)
        if not named or ("-" in value and named[1] == "key" and kind == "secret"):
            return False
        return not compiled(_HARMLESS).search(text[max(0, begin - 24) : at].lower())
    if "\n" in text[begin:at] and not compiled(r"[:=]|\bis\b").search(text, begin, at):
        return (is_generated(value) or kind == "password") and compiled(_STRONG).fullmatch(value) is not None
    if is_generated(value):
        return not compiled(r"sha[0-9]{1,3}[-:]|h1:|data:|AAAA[BCE]3Nza").search(
            text, max(0, at - 8), at + 12
        )
    if not is_chosen(value):
        return False
    if kind == "password" or (kind == "secret" and text[at - 1] in "\"'`"):
        return True
    if kind != "secret":
        return False
    line = text[max(text.rfind("\n", max(0, begin - _REACH), begin) + 1, begin - _REACH, 0) : at]
    if compiled(_AS_CODE).search(line):
        return is_strong(value) and compiled(r".*[!@#%^*?].*|.*[0-9].*[0-9].*").fullmatch(value) is not None
    return is_strong(value) or compiled(_WITH).search(line) is not None


_AFTER_ADMIN = r"(?i)(?:admin(?:istrator)?|root)(?: / | \| | and |, )[\"'`]?"
_AS_CODE = r"[(){};=]"
# Words right before a value.
_WITH = (
    r"(?i)\b(?:with|using|by|mit|avec|con|com|med|z|key|secret|token|string|community)"
    r"(?: [0-9])?(?: md5| text)? [\"'`]?\Z"
)


def _before(
    text: str, lower: str, suspects: _Suspects, hits: list[tuple[int, int]], judged: Budget
) -> Iterator[tuple[int, int, str]]:
    for begin, _ in hits:
        if text[begin - 1 : begin] not in (" ", "-") or not suspects.between(begin - _REACH, begin):
            continue
        if lower.startswith("key", begin) and not compiled(_QUALIFIED).search(
            lower, max(0, begin - 12), begin
        ):
            continue
        linked = not _LINKS.isdisjoint(lower[max(0, begin - 60) : begin].split())
        said = compiled(_SAID).search(lower, max(0, begin - 60), begin) if linked else None
        if said:
            judged.spend(begin)
            head = text[max(0, said.start() - 80) : said.start()].rstrip("\"'`),")
            at = said.start() - len(text[max(0, said.start() - 80) : said.start()]) + len(head)
            value = compiled(r"[^\s\"'`(),;]*\Z").search(head)
            if value and len(value[0]) >= 6 and (is_generated(value[0]) or is_chosen(value[0])):
                yield at - len(value[0]), at, "password"
        used = (
            compiled(_USED).search(text, max(0, begin - _REACH), begin)
            if lower.startswith("pass", begin)
            else None
        )
        if used and is_chosen(used[1].rstrip("?,.")):
            yield used.start(1), used.start(1) + len(used[1].rstrip("?,.")), "password"


# The first line of a table: names of columns, without empty ones between them.
_COLUMNS = r"[|]?[ ]?[A-Za-z][\w .-]{0,30}(?:(?:[ ]?[|]|\t|,|;)[ ]?[A-Za-z][\w .-]{0,30}){1,12}[ |]*"


def _in_columns(text: str, hits: list[tuple[int, int]], judged: Budget) -> Iterator[tuple[int, int, str]]:
    """Passwords in a column of a table whose first line names it."""
    done = -1
    for begin, end in hits:
        start = text.rfind("\n", max(0, begin - 200), begin) + 1
        stop = text.find("\n", end, end + 200)
        if start <= done or stop < 0 or not any(mark in text[start:stop] for mark in "|\t,;"):
            continue
        if not compiled(_COLUMNS).fullmatch(text, start, stop):
            continue
        done = start
        separator = next(mark for mark in "|\t,;" if mark in text[start:stop])
        columns, number = text.count(separator, start, stop), text.count(separator, start, begin)
        for _ in range(30):
            start, stop = stop + 1, text.find("\n", stop + 1, stop + 400)
            stop = stop if stop >= 0 else min(len(text), start + 400)
            if start >= stop or text.count(separator, start, stop) != columns:
                break
            cells = text[start:stop].split(separator)
            at = start + sum(len(cell) + 1 for cell in cells[:number])
            value = cells[number].strip()
            judged.spend(at)
            if " " not in value and is_plausible("password", value, LINE) and not is_code(value):
                at += cells[number].index(value)
                yield at, at + len(value), "password"


# A line that begins a group of secrets, and the lines in it.
_GROUP = (
    r"(?i)[ \t]{0,20}+(?:- )?+[\"']?+(?:kind[\"']?: [\"']?Secret[\"']?"
    r"|(?:[\w.-]{0,20}(?:secrets|tokens|credentials|passwords|creds)"
    r"|users|chpasswd|auth-user-pass|logins|accounts|stringData)"
    r"[\"']?(?::[ ]?[{|>-]{0,2}|[ ]?=?[ ]?\{|)[ ]*)"
)
_ENTRY = (
    r"(?m)^[ \t-]{0,24}(?:[\"']?(?!path|name|type|kind|uid|id|version|api|namespace|annot|label"
    r"|checksum|url|image)"
    r"[\w.@/-]{1,60}[\"']?[ ]?(?::|=|=>)[ ]?|(?<=\n))[\"']?([^\s\"',{}\[\]:]{6,400})[\"']?,?[ ]*$"
)
_GROUPS = as_words(
    "secret secrets tokens credentials passwords creds users chpasswd pass logins accounts stringdata"
)
_MAX_GROUP = 1200


def _in_groups(
    text: str, lower: str, words: frozenset[bytes], looked: Budget, judged: Budget
) -> Iterator[tuple[int, int, str]]:
    """Values of a group that its first line says are secrets: `users:`, `kind: Secret`."""
    done = 0
    for line in sorted(_last_words(lower, _GROUPS & words, looked)):
        begin = text.rfind("\n", max(0, line - 80), line) + 1
        group = compiled(_GROUP).fullmatch(text, begin, line) if begin >= done else None
        if not group:
            continue
        judged.spend(begin)
        done = line + _MAX_GROUP
        kept_so = "kind" in group[0].lower()
        for entry in compiled(_ENTRY).finditer(text, group.end(), group.end() + _MAX_GROUP):
            value = entry[1]
            judged.spend(entry.start())
            if is_chosen(value) or is_generated(value) or (kept_so and is_random(value, 12)):
                yield *entry.span(1), "secret"
            if compiled(r"\n(?:---|\S[^\n]*[^:\s]\n\S)").search(text, group.end(), entry.end()):
                break


def _last_words(lower: str, words: frozenset[bytes], looked: Budget) -> set[int]:
    """Where lines end of which one of these is the last word."""
    ends: set[int] = set()
    for word in words:
        name = word.decode()
        at = lower.find(name)
        while at >= 0:
            looked.spend(at)
            at += len(name)
            line = lower.find("\n", at, at + 8)
            line = line if line >= 0 or len(lower) > at + 8 else len(lower)
            if line >= 0 and not lower[at:line].strip(" \"':{|>=-\r"):
                ends.add(line)
            at = lower.find(name, at)
    return ends
