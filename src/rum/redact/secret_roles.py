"""What the words around a value say about it: that it is a password, a key, or something harmless."""

from __future__ import annotations

from functools import cache, lru_cache

from rum.redact.secret_names import SERVICES, STEMS, is_vague, kind_of_name
from rum.redact.secret_plausibility import compiled, words_of
from rum.redact.secret_tools import POSITIONAL
from rum.text.lexicon import word_set

# VAGUE: `pass`, `key`; ABOUT: a name with a word about secrets in it, as in `PasswordField`; AUTH: people and
# connections; TOOL: a command that takes a password; SERVICE: who gives out keys; HARMLESS: the name of
# something that is no secret; LINK: a word between a name and its value.
PASSWORD, KEY, VAGUE, ABOUT, AUTH, TOOL, SERVICE, HARMLESS, LINK = range(1, 10)

# Parts of words for a password, and for a key, in many languages.
_FOREIGN = word_set(
    """
    adgangskode contrasinal cyfrinair fjalëkalim laluan lykilorð nenosiri pasahitz pasfhocal assword
    contrase contrasenya credenc from-literal geslo gjendur haslo hasła hasłe hasło hesla heslem heslo
    identifiants jelszav jelszó kennwort khẩu kodeord losenord losungswort lozink lösenord parola parool
    passcode passord passphr passw paswoord pwd salasana sandi senha slaptažod wachtwoord zugangscode
    zugangsdaten şifre κωδικ συνθηματικ гасл лозинк парол құпиясөз գաղտնաբառ პაროლ шифр סיסמ گذرواژه رمز
    المرور كلمة पासवर्ड পাসওয়ার্ড கடவுச்சொல் รหัสผ่าน パスワード 口令 密码 密碼 暗証 비밀번호 암호
    """
)
_FOREIGN_KEYS = word_set(
    """
    anahtar avain chave chiave chìa clave clé geheim jeton klucz klíč kulcs llave nyckel nøkkel
    schlüssel secreto segreto sekret sleutel ключ секрет токен
    מפתח مفتاح कुंजी キー シークレット トークン 令牌 密鑰 密钥
    秘密 토큰
    """
)
_KEY_WORDS = word_set(
    """
    auth authtok basic bearer cipher cred credential credentials creds crypt decrypt encrypt encryption
    hmac jwt key keyring keys lpass mnemonic oauth pass passphrase passwd password passwords pepper
    phrase psk pw pwd salt sas secret secrets seed signature signing token tokens wallet webhook
    """
)
_KEY_PARTS = ("crypt", "cipher", "secret", "token", "credential", "oauth", "keystore", "wallet", "hashpw")
_PASSWORD_ENDINGS = ("passwort", "kennwort", "password", "passwd", "wachtwoord", "passphrase")
_AS_PASSWORD = ("password", "credential", "basic-auth")
_VAGUE = ("pin", "pat", "community")
_MAKES = word_set("add change create mod new reset set update")
_NOT_ABOUT = word_set(
    """
    author authored authority authors cache cursor dict first foreign hot idempotency keyboard keydown
    keyframes keypress keyup keyword keywords last lookup next page partition prev previous primary
    public row shortcut sort tokenization tokenize tokenized tokenizer
    """
)
_AUTH = word_set(
    """
    2fa account accounts admin administrator anmelden anmeldung benutzer bgp chap connect connection
    cookie csrf database dsn eap expect ftp hdiutil hotspot identify imap isakmp jdbc jsessionid ldap log
    logged logging login logon magic mail mfa minioadmin mqtt mysqli nickserv nutzer odbc ospf otp pdo
    phpsessid pop3 ppp radius rdp root send sendkeys sendline sess sessid session setcookie sftp signin
    sip smtp snmp sql ssh su sudo tacacs totp user userid username users usuario utente utilisateur vnc
    vpn wordpress xauth xmpp xsrf zugang
    """
)
_HARMLESS = word_set(
    """
    align alt anchor arch author background bg border branch build bytes checksum class classname color
    colour commit count created css date desc description digest dir directory display email encoding
    etag expires ext file filename filepath fingerprint folder font format guid hash height host
    hostname href html icon id ids image img index integrity ip label lang language length level license
    line locale md5 message method mime mode model module name namespace number package path pattern
    permalink port position public query range ref regex region release repo repository request resolved
    rev revision role sha sha1 sha256 sha512 size slug span src style subject svg tag time timestamp
    timezone title trace tree type uid unit updated uri url urls uuid version viewbox width xmlns zone
    """
)
_LINK = word_set(
    """
    a actual again ahora als also am an and as at auf b be being but by byte bytes c'est char chars com
    echo printf which
    con const current currently da das data default del della den der di die do dos du e el encode es
    est este et expected export final for from fur für getbytes got heißt here het i im in invalid is
    ist it it's its jako je jest jetzt just la lautet le let literal maintenant me mismatch mit my n na
    new now nun od of og olan olarak on only or ora our par para per po pour private public på r
    readonly ready received sa set should so som some static still str string sur text that the their
    then this til to try u un una und use used uses using utf8 val value values van var varchar via voor
    w was we will with y you your z zum zur är è é для и к на от у это が の は は、 为 改成了 是
    """
)


@cache
def _bytes() -> tuple[frozenset[bytes], tuple[bytes, ...], tuple[bytes, ...]]:
    """Whole words, and parts of words without and with letters beyond ASCII, that say something."""
    parts = {
        *STEMS,
        *_KEY_WORDS,
        *_KEY_PARTS,
        *_AUTH,
        *_FOREIGN,
        *_FOREIGN_KEYS,
        *_VAGUE,
        *("aes", "clave", "code", "derive", "mdp", "pbkdf", "wif"),
    }
    plain = [part.encode() for part in parts if part.isascii() and (len(part) > 2 or part == "pw")]
    other = [part.encode() for part in parts if not part.isascii()]
    return frozenset(word.encode() for word in SERVICES | POSITIONAL), tuple(plain), tuple(other)


def cues_in(words: frozenset[bytes]) -> list[str]:
    """Which words, or parts of words, that say something about secrets are among these."""
    whole, plain, other = _bytes()
    joined = b"\0".join(words)  # searched as one: a hook has no time to search every word for every part
    found = [part for part in (plain if joined.isascii() else plain + other) if part in joined]
    least = [part for part in found if not any(one in part for one in found if one != part)]
    return [word.decode() for word in (*least, *(words & whole))]


@lru_cache(maxsize=4096)
def role_of(token: str) -> tuple[int, str]:
    """What a word near a value says about it, and the kind of secret that it announces."""
    name = token.removeprefix("-D").strip("-./")
    lower = name.lower()
    if lower in _LINK:
        return LINK, ""
    kind = kind_of_name(name)
    if kind:
        return (VAGUE if is_vague(name) else PASSWORD if kind in _AS_PASSWORD else KEY), kind
    words = {*words_of(name), *compiled(r"[^\W_]+").findall(lower)}
    last = words_of(name)[-1:]
    if (last and last[0] in _HARMLESS) or lower in _HARMLESS:
        return HARMLESS, ""
    if "basic" in words and ("http" in words or "auth" in words):
        return PASSWORD, "password"
    if any(stem in lower for stem in _FOREIGN):
        if not _MAKES.isdisjoint(words):
            return TOOL, "password"
        about = ("passw" in lower or "pwd" in lower) and not lower.endswith(_PASSWORD_ENDINGS)
        return (ABOUT if about else PASSWORD), "password"
    if any(stem in lower for stem in _FOREIGN_KEYS):
        return KEY, "secret"
    if not _NOT_ABOUT.isdisjoint(words):
        return 0, ""
    if lower in ("key", "keys", "code", "codes"):
        return VAGUE, "api-key"
    if lower.endswith("auth") or (name.isupper() and last == ["key"]):
        return KEY, "secret"
    if not _KEY_WORDS.isdisjoint(words) or any(part in lower for part in _KEY_PARTS):
        if not SERVICES.isdisjoint(words):
            return KEY, "secret"
        return ABOUT, "secret"
    if lower in _VAGUE or lower.endswith("community"):
        return VAGUE, "password"
    if not POSITIONAL.isdisjoint(words) or ("user" in words and not _MAKES.isdisjoint(words)):
        return TOOL, "password"
    if not _AUTH.isdisjoint(words):
        return AUTH, "password"
    if "authent" in lower:
        return AUTH, "password"
    return (SERVICE, "token") if not SERVICES.isdisjoint(words) else (0, "")
