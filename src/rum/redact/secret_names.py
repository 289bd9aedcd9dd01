"""Which names announce a secret: `DB_PASSWORD`, `clientSecret`, `x-api-key`, but not `max_tokens`."""

from __future__ import annotations

from functools import lru_cache

from rum.redact.secret_plausibility import MARK, words_of
from rum.text.lexicon import word_set

# Every name that announces a secret contains one of these, in lower case.
STEMS = (
    *("pass", "pw", "secret", "token", "key", "auth", "cred", "mnemonic", "phrase"),
    *("psk", "bearer", "salt", "_pat", "psw"),
)

_PASSWORDS = word_set(
    """
    authtok clave contrasena contrasenia contraseña haslo kennwort mdp parole passcode passe passphrase
    passwd password passwort psk psw pswd pwd pword senha sifre wachtwoord
    """
)

# Words after the noun that do not change its meaning: SECRET_KEY_BASE, password_confirmation, API_KEY_PROD.
_SUFFIXES = word_set(
    """
    again base confirm confirmation dev live local plain plaintext prod production raw repeat staging
    string test v value
    """
)

# First words that make the name a flag, a count, a function or a message about a secret.
_PREFIXES = word_set(
    """
    allow ask bad change check count disable empty enable expired forgot forgotten generate get has hash
    hide if invalid is max min missing n need needs no not num prompt require required requires reset
    show skip total update use validate verify with without wrong
    """
)

# A short `pass` or `pw` is a password only after one of these words.
_PASS_OF = word_set(
    """
    account admin api app auth basic bind bot bucket cache cert ci client database db default deststore
    docker email encryption ftp gpg grafana host http imap jenkins kafka key keychain keystore ks ldap
    login mail master mongo mongodb mq mssql my mysql nexus p12 pfx pg pgp pkcs postgres proxy rabbitmq
    rdp redis registry require root sa server service sftp smtp sonar srckey srcstore ssh stdin store
    sudo superuser svn system tomcat truststore unlock user vault vnc web webdav wifi zip
    """
)
# Passes that are no passwords: of compilers, renderers, trains.
_PASS_NOT_OF = word_set(
    """
    all backward board boarding build by com compiler count day depth dest did each fail final first
    forward full geometry ifpass last ma main many module multi next num one opt optimization or over
    parser post pre previous quick re render second shadow single skip sur test tests then third to
    total trace tres two under
    """
)

# Tokens of parsers, models, paging and concurrency.
_TOKEN_NOT_OF = word_set(
    """
    bos cancel cancellation cls continuation current cursor delimiter design end eos first identifier
    keyword last lexer lookahead mask next operator pad page pagination peek prev previous punctuation
    sep special start stop string sync syntax unk word
    """
)

_KEY_OF = word_set(
    """
    access account activation admin aes airtable algolia alpaca anthropic api app application auth aws
    azure binance bot client cloudflare cohere coinbase consumer cookie dashscope datadog dd deepl
    deepseek deploy director elastic encrypt encryption etherscan etsy fcm finnhub firebase fireworks
    functions gcp gemini giphy github gitlab google groq heroku hmac huggingface infura integration jwt
    kraken license linear logged machine mailgun mapbox maps master minio mistral mongo nasa newrelic
    newsapi nonce notion omdb openai openrouter openweather pagerduty paypal pinecone plaid polygon
    postmark preshared private product project psk pusher rapidapi recaptcha replicate resend rollbar
    rsa sas secret segment sendgrid sentry serp serpapi server service session shared shodan sign
    signing slack snyk sonar spotify square ssh static storage stripe subscription supabase symmetric
    telegram tmdb together twilio unsplash vapid vault voyage weather webhook wireguard wp write xai
    zendesk
    """
)

# Services that give out keys and tokens.
SERVICES = word_set(
    """
    1password access adafruit adyen airtable akeyless alchemy algolia algoliasearch alibaba alpaca
    amplitude anthropic api apify appcenter artifactory asana assemblyai auth0 azure backblaze beamer
    binance bitbucket bitwarden braintree browserstack bugsnag buildkite bybit cerebras circleci clickup
    cloudflare cloudflared cloudinary codecov cohere coinbase coingecko confluent contentful convertkit
    cosmos coveralls crates databento databricks datadog datocms deepgram deepl deepseek digitalocean
    discord doppler drone dropbox dsn dynatrace easypost elastic elevenlabs etherscan eventbrite
    evernote expo fastly fernet figma finicity finnhub firebase firecrawl fireworks flickr flutterwave
    frameio freshbooks freshdesk gemini ghost gitea github gitlab gitter gocardless grafana groq gumroad
    harbor hardhat heroku hetzner honeycomb hubspot huggingface infisical infracost infura intercom
    ipinfo ipstack jenkins jfrog jina jira kaggle klaviyo kraken kubeadm kucoin langfuse langsmith
    launchdarkly licence license linear linode lob loggly logz mailchimp mailgun mailjet mandrill mapbox
    master mattermost messagebird metamask minio minisign miro mistral mixpanel mollie monday mullvad
    neon neptune netlify newrelic newsapi ngrok notion npm nuget nylas okta onesignal openai openrouter
    openweather opsgenie ovh packagist pagerduty papertrail paypal paystack percy pinecone pipedrive
    plaid planetscale plivo polygon posthog postman postmark prefect prismic pulumi pushbullet pusher
    pushover pypi qdrant quay quicknode railway rancher rapidapi razorpay remember replicate resend
    roboflow rollbar rubygems runpod salesforce sambanova sanity saucelabs scaleway scalingo segment
    semaphore sendbird sendgrid sendinblue sentry serial serpapi shippo shodan shopify slack snowflake
    snyk sonarcloud sonarqube sparkpost splunk spotify square stability statuspage storyblok strava
    stripe sumologic supabase tailscale tavily telegram telnyx tencent tiingo tmdb todoist trello
    turborepo twilio twitch twitter typeform unsplash upstash vault vercel virustotal vonage voyage
    vultr wakatime wandb wasabi weaviate webex webhook workos yandex zapier zendesk zerotier zoho zoom
    """
)

_CODE_OF = word_set(
    "backup recovery fa 2fa scratch emergency security unlock pairing access invite otp login"
)

_COMPOUNDS = (
    ("password", ("password", "passwd", "passphrase", "pwd")),
    ("secret", ("secret",)),
    ("token", ("token",)),
    (
        "api-key",
        tuple(
            f"{of}key" for of in ("api", "secret", "access", "private", "auth", "account", "master", "shared")
        ),
    ),
    ("api-key", tuple(f"{of}key" for of in ("signing", "encryption", "subscription", "license", "priv"))),
)


@lru_cache(maxsize=2048)
def kind_of_name(name: str) -> str | None:
    """The kind of secret that this name announces, if any."""
    if len(name) > 100 or MARK in name:
        return None
    words = [word for word in words_of(name) if not word.isdigit()]
    while len(words) > 1 and words[-1] in _SUFFIXES:
        words.pop()
    if not words or (len(words) > 1 and words[0] in _PREFIXES):
        return None
    return _kind_of_noun(words[-1], words[-2] if len(words) > 1 else "", words)


def _kind_of_noun(noun: str, of: str, words: list[str]) -> str | None:
    if noun in _PASSWORDS or (noun in ("pass", "pw") and of not in _PASS_NOT_OF):
        return "password"
    if noun == "data" and of == "key":
        noun, of = "key", words[-3] if len(words) > 2 else ""
    if noun in ("key", "keys"):
        if of == "secret":
            return "secret"
        return ("aws-key" if "aws" in words else "api-key") if of in _KEY_OF or of in SERVICES else None
    if noun in ("code", "codes") and of in _CODE_OF:
        return "secret"
    if noun == "token":
        return None if of in _TOKEN_NOT_OF else "token"
    if noun == "secret" or (noun == "id" and of == "secret"):
        return "secret"
    if noun == "bearer" or (noun == "pat" and of):
        return "token"
    if (noun == "salt" and of) or noun in ("pepper", "wif"):
        return "secret"
    if noun in ("credential", "credentials", "creds"):
        return "credential"
    if noun == "auth":
        return "basic-auth"
    if noun == "authorization":
        return "authorization"
    if noun == "mnemonic" or (
        noun == "phrase" and of in ("seed", "recovery", "pass", "secret", "backup", "wallet", "mnemonic")
    ):
        return "seed-phrase"
    return _kind_of_compound(noun)


@lru_cache(maxsize=512)
def is_vague(name: str) -> bool:
    """Whether the name ends in `pass` or `pw` but does not say of what, so that it may be no password's."""
    words = [word for word in words_of(name) if not word.isdigit()]
    while len(words) > 1 and words[-1] in _SUFFIXES:
        words.pop()
    return bool(words) and words[-1] == "pass" and (len(words) < 2 or words[-2] not in _PASS_OF)


def _kind_of_compound(noun: str) -> str | None:
    for kind, endings in _COMPOUNDS:
        if noun.endswith(endings):
            return kind
    if noun.endswith(("pass", "pw")):
        return "password" if noun.removesuffix("pass").removesuffix("pw") in _PASS_OF else None
    return None
