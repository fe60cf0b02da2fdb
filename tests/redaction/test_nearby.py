"""A random value or a strong password is found beside a word for a secret, in whatever sentence and language."""

import random
import string

from nanobot_memory_plugins.core.redaction import redact_text
from tests.support.each import each

_RANDOM = random.Random(20261)
KEY = "".join(_RANDOM.choices(string.ascii_letters + string.digits, k=36)) + "9x"
HEX = "".join(_RANDOM.choices("0123456789abcdef", k=40))
STRONG = "Veil7*lampRow"


@each("secret", [KEY, HEX])
@each(
    "text",
    [
        "Hier ist mein Twilio-Geheimschlüssel: {} – bitte nicht weitergeben!",
        "La clave secreta de Codecov es {}, guárdala",
        "Heroku のAPI キーは {} です。よろしくお願いします。",
        "Infura 시크릿는 {} 입니다.",
        "Your new API key (shown only once): {}\nStore it somewhere safe.",
        "the Datadog API key you need:\n> {}\n> don't share it",
        "The key I was given for Brave Search. The right API key: `{}`",
        "OpenWeather 的密钥换了，新的是「{}」，旧的已经作废",
        "TODO: rotate deploy token ({})",
        "$ pass show work/token\n{}",
    ],
)
def test_a_random_value_behind_a_word_for_a_key_is_hidden(text, secret):
    assert secret not in redact_text(text.format(secret))


@each(
    "text",
    [
        "\"{}\" — that's my laptop login password, don't tell",
        "It's {} (the database password, I mean)",
        "ok, I've reset the grafana password; it's now {}",
        "keep this private - {} - it unlocks the password manager",
        "Secret! The admin login is {}, delete this message after reading",
        "La password del router è {}",
        "새 암호를 {} 로 바꿨어요",
        "给新同事：初始密码统一{}",
        "DB 密码 changed to {} , please update",
        "$ kubectl get secret pg -o jsonpath='{{.data.password}}' | base64 -d\n{}",
        "Password:\n\n    {}\n\nService: invoices",
        "log in to gitlab.example.io with ci-bot / {}",
        "the router is at 192.168.1.1, admin / {}",
        "密码已经从 Amber3!lake 改为 {} 了，注意",
    ],
)
def test_a_strong_password_beside_a_word_for_one_is_hidden(text):
    assert STRONG not in redact_text(text.format(STRONG))


def test_the_rest_of_a_wrapped_token_is_hidden_with_it():
    text = redact_text(f"api_key: >-\n    {KEY}\n    {KEY[::-1]}\n  timeout: 30")
    assert KEY not in text
    assert KEY[::-1] not in text
    assert "timeout: 30" in text


@each(
    "text",
    [
        f"The token was rotated in commit {HEX}.",
        f"the API key id is {HEX}",
        f"token check of request {HEX} took 3 ms",
        f"密钥的指纹 {HEX}",
        "Please use 1Password for the password of build07.example.lan.",
        "服务器 build07.example.lan 的密码我忘了",
        "The password policy follows RFC 7617#section-2 and Windows11 rules.",
        "Reset your password on Web-Server-01 before 2026-11-22T10:00:00Z.",
        "The key idea of section 3.2 is a token budget of 4096 tokens per request.",
        "请把密码放到 1Password 里，不要写在代码里",
        "NO_PUBKEY 1A2B3C4D5E6F7081",
        "arn:aws:secretsmanager:eu-west-1:412398765012:secret:prod/orders-db-Xk3LpQ",
        "aws secretsmanager rotate-secret --secret-id prod/orders",
        '"passwort_vergessen": "Passwort vergessen?"',
        "apiKey: process.env.STRIPE_SECRET_KEY!,",
        'char *pw = getpass("Passphrase: ");',
    ],
)
def test_what_only_looks_like_one_stays(text):
    assert redact_text(text) == text


def test_what_stands_around_a_password_in_a_url_stays():
    text = redact_text("mongodb://admin:Veil7lampRow@nas.home.arpa:27017/?authSource=admin")
    assert text == "mongodb://admin:[REDACTED]@nas.home.arpa:27017/?authSource=admin"


def test_where_a_command_logs_in_is_no_address_of_a_person():
    assert redact_text("ssh deploy@mail.example.org uptime") == "ssh deploy@mail.example.org uptime"
    assert redact_text("write to deploy@mail.example.org") == "write to [EMAIL]"


def test_a_comma_of_full_width_ends_a_value():
    assert redact_text("secret：Veil7lampRow93，bucket 不变") == "secret：[REDACTED]，bucket 不变"
