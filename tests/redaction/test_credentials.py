import base64
import urllib.parse
from random import Random

import pytest

from nanobot_memory_plugins.core.redaction import redact_text
from tests.redaction.shapes import ALNUM, HEX, PASSWORDS, pick
from tests.support.each import each

PLACES = {
    "database url": ("postgresql://app:{}@db.internal:5432/main", ["db.internal:5432/main", "app"]),
    "url without user": ("redis://:{}@cache:6379/0", ["cache:6379/0"]),
    "web url": ("git clone https://bob:{}@git.example/r.git", ["bob", "git.example/r.git"]),
    "bearer": ("Authorization: Bearer {}\nAccept: x", ["Accept: x"]),
    "token scheme": ('{{"Authorization": "token {}", "a": 1}}', ['"a": 1']),
    "cookie": ("Cookie: lang=en; sessionid={}; theme=dark", ["lang=en", "theme=dark"]),
    "set-cookie": ("Set-Cookie: sid={}; Path=/; HttpOnly", ["Path=/; HttpOnly"]),
    "curl user": ("curl -u admin:{} https://a.example/x", ["admin", "https://a.example/x"]),
    "netrc": ("machine h.example\n  login bob\n  password {}\n", ["h.example", "bob"]),
    "pgpass": ("db.internal:5432:main:app:{}\n", ["db.internal:5432:main:app"]),
    "sshpass": ("sshpass -p '{}' ssh root@h1", ["ssh root@h1"]),
    "mysql": ("mysql -u root -p'{}' app", ["-u root", "app"]),
    "docker login": ("docker login -u bob -p {} registry.example", ["bob", "registry.example"]),
    "environment of a command": ("PGPASSWORD='{}' psql -h db1", ["psql -h db1"]),
    "sql": ("CREATE USER bob IDENTIFIED BY '{}';", ["CREATE USER bob"]),
    "role": ("ALTER ROLE app WITH PASSWORD '{}';", ["ALTER ROLE app"]),
    "openssl": ("openssl rsa -in k.pem -passin pass:{} -out o.pem", ["-out o.pem"]),
    "redis": ("redis-cli -h h -a {} ping", ["ping"]),
    "directive": ("bind 0.0.0.0\nrequirepass {}\nport 6379", ["port 6379"]),
    "secure string": ('ConvertTo-SecureString "{}" -AsPlainText', ["-AsPlainText"]),
    "english": ("The database password is {}, please keep it.", ["please keep it."]),
    "english change": ("I changed the admin password to {} yesterday.", ["yesterday."]),
    "english aside": ("Login with user bob and password {} on the box", ["bob", "on the box"]),
    "english reversed": ("Use {} as the root password for now.", ["as the root password for now."]),
    "english for": ("API key for staging: {} (rotate soon)", ["(rotate soon)"]),
}


@each("place", PLACES)
def test_a_credential_in_its_place_is_hidden(place):
    template, kept = PLACES[place]
    random = Random(place)
    for shape in ("symbols", "words and digits", "letters and digits", "base64"):
        value = PASSWORDS[shape](random)
        if "url" in place or place in ("cookie", "set-cookie", "pgpass", "curl user"):
            value = urllib.parse.quote(value, safe="")
        text = redact_text(template.format(value))
        assert value not in text, shape
        for part in kept:
            assert part in text, (shape, text)


@pytest.mark.parametrize("value", ["Zephyr&7M7iV1nSUx", "Pep*er$DS4kpD4O!", "with@at9Sign", "with/slash9#x"])
def test_an_unescaped_password_in_a_url_is_hidden(value):
    text = redact_text(f"DATABASE_URL=postgresql://app:{value}@db.internal:5432/main\nPORT=1")
    assert value not in text
    assert "db.internal:5432/main\nPORT=1" in text


def test_basic_credentials_are_hidden():
    for raw in (b"bob:hunter2", Random(1).randbytes(20)):
        value = base64.b64encode(raw).decode()
        assert (
            redact_text(f"Authorization: Basic {value}\nAccept: */*") == "Authorization: Basic [REDACTED]\nAccept: */*"
        )


def test_signed_requests_lose_their_signature():
    signature = pick(Random(2), HEX, 64)
    text = redact_text(
        "Authorization: AWS4-HMAC-SHA256 Credential=AKIA" + "IOSF0DNN7Q2X4M6P/20260101/eu-west-1/s3/aws4_request, "
        f"SignedHeaders=host;x-amz-date, Signature={signature}"
    )
    assert signature not in text
    assert "SignedHeaders=host;x-amz-date" in text
    url = redact_text(f"https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature={signature}&x=1")
    assert signature not in url
    assert "X-Amz-Expires=60" in url


@each(
    "url",
    [
        "https://hooks.slack.com/services/T{up9}/B{up9}/{mixed24}",
        "https://discord.com/api/webhooks/123456789012345678/{mixed68}",
        "https://open.feishu.cn/open-apis/bot/v2/hook/{uuid}",
        "https://oapi.dingtalk.com/robot/send?access_token={hex64}",
        "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={uuid}",
        "https://api.telegram.org/bot1234567890:AA{mixed33}/sendMessage",
    ],
)
def test_the_secret_of_a_webhook_is_hidden(url):
    random = Random(url)
    parts = {
        "up9": pick(random, "ABCDEFGHJK0123456789", 9),
        "mixed24": pick(random, ALNUM, 24),
        "mixed33": pick(random, ALNUM, 33),
        "mixed68": pick(random, ALNUM, 68),
        "hex64": pick(random, HEX, 64),
        "uuid": "3f2b8c1e-9d47-4a6b-8e15-c07d9a5b3e21",
    }
    whole = url.format(**parts)
    text = redact_text(f"POST {whole} 200")
    secret = max((value for name, value in parts.items() if "{" + name + "}" in url), key=len)
    assert secret not in text
    assert text.endswith("200")


def test_the_data_of_a_kubernetes_secret_is_hidden():
    value = base64.b64encode(b"swordfish").decode()
    text = redact_text(
        f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ndata:\n  greeting: {value}\ntype: Opaque\n"
    )
    assert value not in text
    assert "name: app" in text
    assert "type: Opaque" in text
