"""Find secrets by their own form: tokens of vendors, keys, JWTs, private key blocks."""

from __future__ import annotations

import codecs
from functools import cache

from rum.redact.secret_plausibility import (
    LINE,
    Budget,
    as_words,
    compiled,
    is_code,
    is_filler,
    is_plausible,
    is_random,
    limited,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


_HEX = "[0-9a-fA-F]"
_ALNUM = "[A-Za-z0-9]"
_URLSAFE = "[A-Za-z0-9_-]"
_UUID = f"{_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}"

# Kind, what must follow the prefix, prefixes. Every prefix ends in a separator and is followed by 16 or more
# URL-safe characters: the search looks for these first, so that a new token does not slow down ordinary text.
_PREFIXED = r"""
github-token <A>{20} ghp_ gho_ ghu_ ghs_ ghr_ github_pat_
gitlab-token <U>{16} glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glimt- glagent- gloas-
gitlab-token <U>{16} glffct- glwt-
slack-token <U>{16} xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxc- xoxd- xapp-
stripe-key <A>{16} sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_
webhook-secret <B>{20,}+ whsec_
anthropic-key <U>{16} sk-ant-
openai-key <U>{16} sk-proj- sk-svcacct- sk-admin-
api-key (?!(?:ant|proj|svcacct|admin)-)<U>{0,24}?<A>{16} sk-
hugging-face-token <A>{30} hf_ api_org_
npm-token <A>{30} npm_
pypi-token AgE<U>{30} pypi-
docker-token <U>{20} dckr_pat_ dckr_oat_
sendgrid-key <U>{16,32}+\.<U>{16} SG.
mailgun-key <H>{32}(?!<A>) key-
shopify-token <H>{32} shpat_ shpca_ shppa_ shpss_
square-token <U>{20} sq0atp- sq0csp-
linear-key <A>{30} lin_api_ lin_oauth_
notion-token <A>{40} ntn_ secret_
figma-token <U>{30} figd_
grafana-token <A>{20,}+_<H>{8} glsa_
grafana-token <B>{32,}+ glc_
rum-token <H>{64}(?!<A>) rum_
vault-token <U>{20} hvs. hvb. hvr.
digitalocean-token <H>{40} dop_v1_ doo_v1_ dor_v1_
dynatrace-token <A>{20,32}+\.<A>{40} dt0c01. dt0s01. dt0s16.
doppler-token <A>{40} dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.
sentry-token <B>{40,}+ sntrys_ sntryu_
new-relic-key <A>{16} NRAK- NRJS- NRII- NRAA-
planetscale-token <U>{30} pscale_tkn_ pscale_pw_ pscale_oauth_
supabase-key <H>{30} sbp_
supabase-key <U>{20} sb_secret_
groq-key <A>{40} gsk_
replicate-token <A>{30} r8_
xai-key <A>{40} xai-
perplexity-key <A>{40} pplx-
nvidia-key <U>{50} nvapi-
pinecone-key <U>{40} pcsk_
service-key <U>{20} tvly- vercel_blob_rw_ vcp_ vca_ sk-helicone- pk-helicone-
langsmith-key <H>{30,}+_<H>{8} lsv2_pt_ lsv2_sk_
resend-key <A>{8}_<A>{24}(?!<A>) re_
age-key 1[A-Z0-9]{50} AGE-SECRET-KEY-
google-token <U>{20} GOCSPX- ya29.
postman-key <H>{20,}+-<H>{20} PMAK-
rubygems-key <H>{40} rubygems_
pulumi-token <H>{40} pul-
fly-token <B>{40,}+ fo1_ fm1a_ fm1r_ fm2_
heroku-key <U>{40} HRKU-
netlify-token <A>{30} nfp_
service-key <A>{28} rnd_ aio_
service-key <A>{40} napi_ jina_ csk-
service-key <A>{50} CLOJARS_ cmVmdGtuOj
prefect-key <A>{30} pnu_ pnb_
service-key <U>{40} CFPAT- cfut_ cfat_ cfk_ duffel_live_ duffel_test_ tfp_ CCIPAT_ sha256~
service-key <U>{40} tgp_v1_ pa-
service-key <H>{24}-<H>{100} v1.0-
brevo-key <H>{60} xkeysib- xsmtpsib-
service-key <H>{40} shippo_live_ shippo_test_ packagist_uut_ packagist_ack_ depot_project_
service-key <H>{40} depot_org_ depot_user_
service-key <A>{16} FLWSECK- FLWSECK_TEST-
service-key <A>{32} p8e- ico-
service-key [A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3} A3-
service-key eyJ<B>{100,}+ ops_
service-key <A>{60} rdme_
sonar-token <H>{40} squ_ sqp_ sqa_
service-key (?:<A>{5,16}_)?<H>{40} sgp_
buildkite-token <H>{40} bkua_
launchdarkly-key UUID sdk- api- mob-
plaid-token UUID access-sandbox- access-development- access-production-
posthog-key <A>{40} phx_
tailscale-key <A>{8,}+(?:CNTRL)?-<A>{16} tskey-auth- tskey-api- tskey-client-
service-key eyJ<U>{16,}+\.<U>{16} sk.
service-key [0-9]{6,10}_[A-Z0-9]{30} pk_
service-key <H>{34}(?!<A>) pk_
service-key <H>{48}(?!<A>) sk_
service-key (?=[A-Za-z]{0,20}[0-9])<A>{24,80}+ live_ test_
service-key <A>{14} rzp_live_ rzp_test_
service-key <U>{26}-<U>{52} dnkey-
service-key <U>{60} fio-u- sl. sl.u. mux_
service-key UUID pat-na1- pat-na2- pat-eu1- pat-ap1- pat-na3- sk-lf- waka_ waka_tok_ waka_sec_
service-key UUID ovsxp_ ovsxat_
new-relic-key <U>{32} NRIQ- NRBR- NRSP-
service-key <U>{48} tk-us-
slack-token [0-9]-[A-Za-z0-9+/=]{100,}+ xoxe- xoxe.xoxp- xoxe.xoxb-
service-key <U>{40,}+ y0_ t1.
service-key <A>{30} apify_api_ ak_live_ ak_test_ BBFF- BBUS- polar_oat_ polar_pat_
service-key <A>{30} polar_whs_ ddp_ ddo_ ddw_
service-key <H>{32} fc-
service-key <A>{22} fw_
service-key <A>{26} esecret_
service-key <H>{20,}+\.<H>{20,}+\.<H>{20} st.
service-key <A>{22}(?!<A>) md-
service-key <A>{29}(?!<A>) db-
service-key <A>{80} os_v2_app_ os_v2_org_
service-key <H>{8}:<H>{8} gems.contribsys.com=
service-key <U>{16,}+\.<A>{20,}+\.<A>{16} pat. sat.
service-key <U>{30} secret-test- secret-live- xau_ e2b_ dtn_ ctx7sk- bb_live_ pk_prod_
service-key <A>{20} tr_dev_ tr_prod_ tr_stg_ tr_pat_
service-key <A>{16}\.<A>{6} WPL_AP1.
zoho-token <H>{32}\.<H>{32} 1000.
"""
_CLASSES = {"<A>": _ALNUM, "<H>": _HEX, "<U>": _URLSAFE, "<B>": "[A-Za-z0-9+/=_-]", "UUID": _UUID}

_KEY_LINES = r"[A-Za-z0-9+/\\\s=_-]{30,4000}+"

# Tokens with no separator in their prefix. All start with a capital, which keeps the search for them fast.
_CAPITAL_PREFIXES = {
    **dict.fromkeys(("AKIA", "ASIA", "ABIA", "ACCA"), ("aws-key", f"[A-Z0-9]{{16,20}}+(?!{_ALNUM})")),
    "AIza": ("google-key", f"{_URLSAFE}{{30,}}+"),
    "AKID": ("tencent-key", f"{_ALNUM}{{32}}(?!{_ALNUM})"),
    "AQVN": ("yandex-key", f"{_URLSAFE}{{34,40}}+"),
    "AQE": ("adyen-key", f"{_ALNUM}{{80,}}+"),
    "K00": ("backblaze-key", "[0-9][A-Za-z0-9+/]{27}(?![A-Za-z0-9+/=])"),
    "KEY0": ("telnyx-key", f"[A-Z0-9]{{32}}_{_ALNUM}{{20,24}}+"),
    "K10": ("rancher-token", f"{_HEX}{{64}}::[\\w-]{{1,40}}:{_HEX}{{32}}"),
    "MC5": ("prismic-token", f"{_URLSAFE}{{16,40}}+\\.[A-Za-z0-9_%~-]{{40,}}+"),
    **dict.fromkeys(("ATATT3", "ATCTT3", "ATBB"), ("atlassian-token", "[A-Za-z0-9_=-]{20,}+")),
    "AC": ("twilio-key", "[0-9a-f]{32}:[0-9a-f]{32}"),
    "SK": ("twilio-key", f"[0-9a-f]{{32}}(?!{_ALNUM})"),
    "AKCp": ("artifactory-key", f"{_ALNUM}{{60,}}+"),
    "ABSK": ("bedrock-key", "[A-Za-z0-9+/]{100,}+={0,2}"),
    # Of base64 of binary data, EAA is a common beginning; it has no digit soon, or many As.
    "EAA": ("facebook-token", f"(?!{_URLSAFE}{{0,40}}AA{_URLSAFE}{{0,40}}AA){_URLSAFE}{{55,}}+"),
    **dict.fromkeys(("EZAK", "EZTK"), ("easypost-key", f"{_ALNUM}{{50,}}+")),
    "GR1348941": ("gitlab-token", f"{_URLSAFE}{{20,}}+"),
    # Private keys in base64 without their first and last lines: PKCS#1 and PKCS#8, SEC 1.
    "MII": ("private-key", rf"[A-Za-z0-9+/]{{3}}IBA(?:DANBgkqhkiG|AK[BC]){_KEY_LINES}"),
    **dict.fromkeys(("MHcCAQEE", "MIGHAgEAMB", "MC4CAQAwBQYDK2V"), ("private-key", _KEY_LINES)),
    "LTAI": ("alibaba-key", f"{_ALNUM}{{16,26}}+(?!{_ALNUM})"),
}

# A string that must be in the text, kind, pattern (group 1, if there is one, is the secret).
# Patterns start with fixed characters where possible: those are found faster.
_CONTAINING = (
    (
        "eyJ",
        "jwt",
        rf"eyJ(?:(?<!{_URLSAFE}eyJ)|(?<=\\[nrt]eyJ)|(?<=[\[;0-9][0-9]meyJ)){_URLSAFE}{{6,8192}}+\."
        rf"(?:eyJ{_URLSAFE}{{6,}}+(?:\.{_URLSAFE}*+)?|{_URLSAFE}*+(?>(?:\.{_URLSAFE}{{8,}}+){{2,3}})|{_URLSAFE}{{16,}}+\.{_URLSAFE}{{16,}}+)",
    ),
    ("b3BlbnNzaC1rZXktdjE", "private-key", r"b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/\\\s=_-]{30,4000}+"),
    ("TlRMTVNTUAAD", "ntlm-hash", r"TlRMTVNTUAAD[A-Za-z0-9+/]{60,}+={0,2}"),
    ("eyJhdXRocyI6", "docker-config", r"eyJhdXRocyI6[A-Za-z0-9+/]{20,8000}+={0,2}"),
    ("00D", "salesforce-token", rf"00D{_ALNUM}{{12,15}}![A-Za-z0-9_.]{{60,}}+"),
    ("eyJrIjoi", "grafana-token", r"eyJrIjoi[A-Za-z0-9+/=]{40,}+"),
    ("prv", "wallet-key", rf"[xyztuv]prv{_ALNUM}{{100,120}}+"),
    ("dapi", "databricks-token", rf"dapi{_HEX}{{32}}(?:-[0-9])?"),
    ("Q~", "azure-secret", r"[\w~.-]{3}[0-9]Q~[\w~.-]{31,}+"),
    ("dp.st.", "doppler-token", rf"dp\.st\.[a-z0-9_-]{{2,35}}+\.{_ALNUM}{{40,}}+"),
    ("1//0", "google-token", rf"1//0{_URLSAFE}{{30,}}+"),
    ("AC", "twilio-key", r"AC[0-9a-f]{32}[\"'\s,:;]{1,8}([0-9a-f]{32})(?![0-9a-f])"),
    (
        "$",
        "password-hash",
        r"\$(?:2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{53}|(?:[156y7]|apr1|gy|md5|sha1|P|S|H)\$(?:rounds=[0-9]+\$|j[./A-Za-z0-9]{1,4}\$)?[./A-Za-z0-9+=-]{0,64}\$[./A-Za-z0-9+=]{20,90}|argon2(?:id|i|d)\$[^\s\"']{20,200})",
    ),
    (
        "key=",
        "api-key",
        rf"key=(?<=[?&]key=)((?=[^&\s]{{0,24}}[0-9])(?:{_HEX}{{32,}}+|(?=[^&\s]{{0,24}}[A-Z]){_URLSAFE}{{24,}}+))",
    ),
    (
        "code=",
        "token",
        rf"code=(?<=[?&]code=)((?=[^&\s]{{0,24}}[0-9])(?=[^&\s]{{0,24}}[A-Z]){_URLSAFE}{{24,}}+)",
    ),
    ("sig=", "url-signature", r"sig=(?<=[?&;]sig=)([A-Za-z0-9%+/=_-]{30,}+)"),
    ("-Signature=", "url-signature", r"-Signature=([A-Za-z0-9%+/=_-]{30,}+)"),
    ("WIFI:", "password", r"WIFI:(?:[TSH]:[^;\s]{0,60};){0,3}P:([^;\s]{6,64})"),
    ("NRAL", "new-relic-key", r"(?:[a-z]{2}[0-9]{2}xx)?[0-9a-f]{28,40}NRAL"),
    (":::", "password-hash", r":[0-9]{3,7}:([0-9a-fA-F]{32}:[0-9a-fA-F]{32}):::"),
)

# Forty characters of base64, and no hash, right after an access key id.
_AFTER_AWS_ID = r"(?<![A-Za-z0-9/+=])(?=[A-Za-z0-9/+]{0,38}[G-Zg-z/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])"

# Words of which one must be in the text, kind, pattern as above.
_WITH_WORDS = (
    (
        "pbkdf scrypt bcrypt argon crypt",
        "password-hash",
        r"(?:pbkdf2[:_]sha[0-9]+|scrypt|bcrypt_sha256|argon2|sha256_crypt)(?::[0-9]+){0,4}\$[^\s\"'$]{1,60}\$[^\s\"']{20,200}",
    ),
    ("appid", "api-key", rf"appid=({_HEX}{{32}})(?!{_ALNUM})"),
    ("ifttt", "webhook-url", r"/with/key/([\w-]{20,}+)"),
    ("nsec", "nostr-key", r"nsec1[0-9a-z]{58}"),
    ("scram", "password-hash", r"SCRAM-SHA-[0-9]+\$[0-9]+:[^\s\"']{20,300}+"),
    ("crypt", "password-hash", r"\{CRYPT\}[^\s\"']{10,120}+"),
    ("sha ssha", "password-hash", r"\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{24,}+={0,2}"),
    ("rsakeyvalue", "private-key", r"<(?:P|Q|D|DP|DQ|InverseQ)>([A-Za-z0-9+/=]{40,2000}+)</"),
    ("asana", "asana-token", r"[0-9]/[0-9]{12,20}(?:/[0-9]{12,20})?:([0-9a-f]{32})"),
    ("twitch oauth", "twitch-token", r"oauth:[a-z0-9]{30}(?![a-z0-9])"),
    ("mailchimp us", "mailchimp-key", r"[0-9a-f]{32}-us[0-9]{1,2}(?![0-9a-z])"),
    ("special", "password", r"\"result\":\s{0,3}\"([^\"\s]{8,200})\",\s{0,20}\"special\""),
    (
        "sensitive",
        "secret",
        r"\"value\":\s{0,3}\"([^\"\s]{8,400})\",\s{0,20}(?:\"type\":\s{0,3}\"string\",\s{0,20})?\"sensitive\":\s{0,3}true",
    ),
    (
        "sensitive",
        "secret",
        r"\"sensitive\":\s{0,3}true,\s{0,20}(?:\"type\":\s{0,3}\"string\",\s{0,20})?\"value\":\s{0,3}\"([^\"\s]{8,400})\"",
    ),
    ("sensitive", "secret", r"\"sensitive_content\":\s{0,3}\"([^\"\n]{8,4000})\""),
    (
        "minio s3 s3cmd s3fs mc rclone bucket alias",
        "aws-secret",
        rf"(?<![A-Za-z0-9])[A-Z0-9]{{20}}[ :,\t\"']{{1,4}}({_AFTER_AWS_ID})",
    ),
    ("backblaze b2", "b2-key", rf"K00[0-9]{_ALNUM}{{27}}(?!{_ALNUM})"),
    ("airtable", "airtable-key", rf"key{_ALNUM}{{14}}(?!{_ALNUM})"),
    ("facebook fb graph", "facebook-token", rf"[0-9]{{15,16}}\|{_URLSAFE}{{27}}(?!{_URLSAFE})"),
    ("nats nkey nkeys nk stellar", "seed", r"S[A-Z2-7]{55,57}(?![A-Z0-9])"),
    ("rzp", "razorpay-key", rf"rzp_(?:live|test)_{_ALNUM}{{14,}}+"),
    (
        "devtoken",
        "evernote-token",
        r"S=s[0-9]+:U=[0-9a-f]+:E=[0-9a-f]+:C=[0-9a-f]+:P=[0-9a-f]+:A=[\w-]+:V=2:H=[0-9a-f]{32}",
    ),
    (
        "production sandbox",
        "braintree-token",
        r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",
    ),
    (
        "contribsys",
        "sidekiq-key",
        r"CONTRIBSYS__COM=([0-9a-f]{8}:[0-9a-f]{8})|//([0-9a-f]{8}:[0-9a-f]{8})@\w+\.contribsys",
    ),
    (
        "v http https",
        "url-key",
        rf"://[\w.-]+/(?:[\w.-]{{1,20}}/){{0,3}}(?:v[0-9]/)?((?={_ALNUM}{{0,12}}[0-9])(?=[a-z0-9_-]{{0,16}}[A-Z]|{_HEX}{{32}}(?:[/\"'\s]|\Z)){_URLSAFE}{{30,64}}+)(?=[/\"'\s?]|\Z)",
    ),
    (
        "openvpn static tls",
        "private-key",
        r"(?:BEGIN OpenVPN Static key V1-----|<tls-(?:auth|crypt)>)((?:\s+[0-9a-f]{32}){1,16})",
    ),
    ("ssh", "private-key", r"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\s+([A-Za-z0-9+/=\s]{40,4000})"),
    ("deepl fx", "deepl-key", rf"{_UUID}:fx"),
    ("rtmp rtmps", "stream-key", r"rtmps?://[^\s\"'<>]{4,200}/([\w-]{12,80}+)(?=[\s\"'?]|\Z)"),
    ("contribsys", "sidekiq-key", r"contribsys\.com[\"']? [\"']?([0-9a-f]{8}:[0-9a-f]{8})"),
    ("ghost", "ghost-key", r"[0-9a-f]{24}:[0-9a-f]{64}"),
    ("apa", "firebase-key", rf"AAAA{_URLSAFE}{{7}}:APA91b{_URLSAFE}{{100,}}+"),
)

# Addresses that whoever knows them can post to; the first pattern says whether a text may have one.
_WEBHOOK = r"hooks?[./]\S{0,60}[0-9]"
_WEBHOOKS = (
    r"hook(?:s\.slack(?:-gov)?\.com/[a-z]{5,12}/|s/[0-9]{10,}+/|\.office\.com/webhookb2/)([\w+/@-]{30,}+)",
    r"hook(?:s?(?:\.[\w.-]{4,40})?/(?:\w{1,12}/){0,3}|/send\?key=)((?=[^\s/]{0,40}[0-9])[A-Za-z0-9_@-]{20,90}+(?:/[A-Za-z0-9_@-]{8,90}+){0,4})",
    r"hooks/catch/[0-9]+/([A-Za-z0-9]{5,40}+)",
)

# Tokens with text before the separator: kind, a string and its distance from the end of the separator, the
# pattern that ends there, the pattern that follows.
_TEXT_BEFORE = (
    ("discord-token", ".", 8, rf"[MNO]{_URLSAFE}{{23,27}}+\.{_URLSAFE}{{6}}\.\Z", f"{_URLSAFE}{{27}}"),
    ("terraform-token", ".atlasv1.", 9, rf"{_ALNUM}{{14}}\.atlasv1\.\Z", "[A-Za-z0-9_=-]{40}"),
    ("airtable-key", ".", 1, rf"(?<!\w)pat{_ALNUM}{{14}}\.\Z", "[0-9a-f]{64}"),
    ("telegram-token", ":", 1, r"[0-9]{7,12}+:\Z", f"AA{_URLSAFE}{{30}}"),
    (
        "token",
        ".",
        1,
        r"(?:token|kubeadm)[^\n]{0,60}?[ =:\"]([a-z0-9]{6}\.)\Z",
        "[a-z0-9]{16}(?![a-z0-9])",
    ),
)


_SEPARATOR = r"[_.~:-](?<=[A-Za-z0-9].)(?=[A-Za-z0-9_+/-]{16})"
_REST = r"[A-Za-z0-9_-]*+(?>(?:\.[A-Za-z0-9_-]{16,}+)*)"
_ESCAPE_BEFORE = r"(?:\\[abfnrtv0]|%[0-9A-Fa-f]{2}|\\[ux][0-9A-Fa-f]{2,4}|\x1b\[[0-9;]*m)\Z"

_KEY_BEGIN = r"-----BEGIN [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----"
_KEY_END = r"-----END [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----"
_KEY_BODY = (
    r"(?>(?:(?>(?:\\+[nrt]|[\s\"'>|#*,\\])*)"
    r"(?:(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash): ?[^\n\\\"]{0,120}+"
    r"|[A-Za-z0-9+/]{16,}+={0,2}))*)"
    r"(?>(?:(?>(?:\\+[nrt]|\s)*)[A-Za-z0-9+/]{1,15}+={0,2}(?=\s*-----|\s*\Z|={1,2}))?)"
)
_MAX_KEY = 20_000

_PUTTY = (
    r"Private-Lines: ?[0-9]{1,3}(?:\r?\n|\\r?\\n|\\n)"
    r"((?:[A-Za-z0-9+/=]{1,76}(?:\r?\n|\\r\\n|\\n|\Z)){1,60}(?:Private-MAC: ?[0-9a-f]{40,64})?)"
)
_JWK = r"\"(?:d|p|q|dp|dq|qi|k)\"\s{0,4}:\s{0,4}\"([A-Za-z0-9_-]{20,800}+)\""

# Records of a password file: host:port:database:user:password, and lists of proxies.
_RECORD = r":(?:[0-9]{2,5}|\*):[\w.*-]{1,63}:(?:[\w.@*-]{1,63}:)?([^\s:\"'`,;<>]{5,100}+)(?=[\s\"'\\]|\Z)"


@cache
def _by_tail() -> dict[str, list[tuple[str, str, str]]]:
    """Index the prefixes by their last three characters, longest prefix first."""
    index: dict[str, list[tuple[str, str, str]]] = {}
    for line in _PREFIXED.strip().splitlines():
        kind, body, *prefixes = line.split()
        for name, characters in _CLASSES.items():
            body = body.replace(name, characters)
        for prefix in prefixes:
            index.setdefault(prefix[-3:], []).append((prefix, kind, body))
    for rules in index.values():
        rules.sort(key=lambda rule: -len(rule[0]))
    return index


def find_by_pattern(text: str, _lower: str, words: frozenset[bytes]) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of every secret that its own form shows; `words` are those of the text."""
    if b"begin" in words:
        yield from _find_private_keys(text)
    if "LS0tLS1CRUdJTi" in text:
        yield from _find_encoded_keys(text)
    if "Private-Lines" in text:
        for match in limited(compiled(_PUTTY).finditer(text)):
            yield *match.span(1), "private-key"
    if b"kty" in words:
        for match in limited(compiled(_JWK).finditer(text)):
            yield *match.span(1), "private-key"
    yield from _find_in_records(text)
    yield from _find_prefixed(text)
    yield from _find_capital_prefixes(text)
    rules = [(kind, source) for mark, kind, source in _CONTAINING if mark in text]
    rules += [(kind, source) for some, kind, source in _WITH_WORDS if not as_words(some).isdisjoint(words)]
    if "hook" in text and compiled(_WEBHOOK).search(text):
        rules += [("webhook-url", source) for source in _WEBHOOKS]
    for kind, source in rules:
        for match in limited(compiled(source).finditer(text)):
            if match.lastindex or _begins_token(text, match.start()):
                yield *match.span(match.lastindex or 0), kind


def _find_encoded_keys(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield private keys whose whole block is in base64, as in a kubeconfig."""
    for match in limited(compiled(r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{20,20000}+={0,2}").finditer(text)):
        digits = match[0].rstrip("=")[:80]
        whole = digits[: len(digits) // 4 * 4]  # other lengths can't be decoded
        if b"PRIVATE" in codecs.decode(whole.encode("ascii"), "base64"):
            yield *match.span(), "private-key"


def _find_in_records(text: str) -> Iterator[tuple[int, int, str]]:
    if ":*:" not in text and not any(f":{digit}" in text for digit in "0123456789"):
        return
    for match in limited(compiled(_RECORD).finditer(text)):
        before = compiled(r"(?:^|[\s\"'>])([\w.*-]{1,100})\Z").search(
            text, max(0, match.start() - 102), match.start()
        )
        four = match[0].count(":") == 3 and not compiled(r"[0-9]+(?:\.[0-9]+){3}|[*]").fullmatch(
            before[1] if before else ""
        )
        if before and not four and is_plausible("password", match[1], LINE) and not is_code(match[1]):
            yield *match.span(1), "password"


def _find_prefixed(text: str) -> Iterator[tuple[int, int, str]]:
    done = 0
    tails, judged = _by_tail(), Budget(text)
    for hit in compiled(_SEPARATOR).finditer(text):
        after = hit.end()
        rules = tails.get(text[after - 3 : after])
        if after <= done or not (rules or hit[0] in ".:"):
            continue
        found = _with_text_before(text, after)
        for prefix, kind, body in rules or ():
            start = after - len(prefix)
            if start >= 0 and text.startswith(prefix, start) and _begins_token(text, start):
                judged.spend(start)
                match = compiled(body).match(text, after)
                if match and _is_body(text[after : max(match.end(), after + 64)]):
                    found = start, _end_of_token(text, match.end()), kind
                    break
        if found:
            yield found
            done = found[1]


def _with_text_before(text: str, after: int) -> tuple[int, int, str] | None:
    for kind, sign, distance, behind, body in _TEXT_BEFORE:
        if text.startswith(sign, after - distance) and after > distance:
            match = compiled(body).match(text, after)
            begin = compiled(behind).search(text, max(0, after - 80), after) if match else None
            if begin and match:
                return begin.start(begin.lastindex or 0), _end_of_token(text, match.end()), kind
    return None


def _find_capital_prefixes(text: str) -> Iterator[tuple[int, int, str]]:
    if not any(prefix in text for prefix in _CAPITAL_PREFIXES):
        return
    first = "".join(sorted({prefix[0] for prefix in _CAPITAL_PREFIXES}))
    rest = "|".join(sorted({prefix[1:] for prefix in _CAPITAL_PREFIXES}, key=len, reverse=True))
    done = 0
    for hit in compiled(f"[{first}](?:{rest})").finditer(text):
        rule = _CAPITAL_PREFIXES.get(hit.group())
        if rule and hit.start() >= done and _begins_token(text, hit.start()):
            match = compiled(rule[1]).match(text, hit.end())
            if match and not is_filler(match.group()):
                done = match.end()
                yield hit.start(), done, rule[0]
                secret = (
                    compiled(_AFTER_AWS_ID).search(text, done, done + 100) if rule[0] == "aws-key" else None
                )
                if secret:
                    yield *secret.span(), "aws-key"


def _end_of_token(text: str, at: int) -> int:
    rest = compiled(_REST).match(text, at)
    return rest.end() if rest else at


def _begins_token(text: str, start: int) -> bool:
    """Whether a token can begin here: at a boundary, or right after an escape sequence."""
    if start == 0 or not text[start - 1].isalnum():
        return True
    return compiled(_ESCAPE_BEFORE).search(text, max(0, start - 12), start) is not None


def _is_body(following: str) -> bool:
    """Whether the text after a prefix is more than filler or words (`glpat-your-token-goes-here`)."""
    run = compiled(f"{_URLSAFE}+").match(following)
    body = run.group() if run else following
    if is_filler(body):
        return False
    return bool(compiled("[0-9]|^[A-Za-z]+$").search(body)) or is_random(body, 16)


def _find_private_keys(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield whole blocks; of an incomplete one, the lines that are there."""
    at = 0
    while begin := compiled(_KEY_BEGIN).search(text, at):
        at = begin.end()
        following = text.find("-----BEGIN", at, at + _MAX_KEY)
        end = compiled(_KEY_END).search(text, at, following if following >= 0 else at + _MAX_KEY)
        if end:
            if compiled(f"{_ALNUM}{{16}}").search(text, at, end.start()):
                yield begin.start(), end.end(), "private-key"
            at = end.end()
            continue
        body = compiled(_KEY_BODY).match(text, at)
        if body and compiled(f"{_ALNUM}{{16}}").search(text, at, body.end()):
            yield begin.start(), body.end(), "private-key"
            at = body.end()
