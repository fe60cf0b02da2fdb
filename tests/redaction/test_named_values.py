import json
import urllib.parse
from random import Random

import pytest

from nanobot_memory_plugins.core.redaction import redact_text
from tests.redaction.shapes import PASSWORDS
from tests.support.each import each

NAMES = ["password", "DB_PASSWORD", "api_key", "clientSecret", "accessToken", "JWT_SECRET", "smtp_pass", "x-api-key"]


def quoted(value: str) -> str:
    return urllib.parse.quote(value, safe="")


SYNTAXES = {
    "environment": (lambda k, v: f"HOST=db1\n{k}={v}\nPORT=8080\n", ["HOST=db1", "PORT=8080"]),
    "export": (lambda k, v: f'export {k}="{v}"\nexport REGION=eu', ["REGION=eu"]),
    "json": (lambda k, v: json.dumps({"host": "db1", k: v, "port": 5432}), ['"port": 5432', '"host": "db1"']),
    "compact json": (lambda k, v: json.dumps({"host": "db1", k: v, "port": 1}, separators=(",", ":")), ['"port":1']),
    "nested json": (lambda k, v: json.dumps({"a": json.dumps({"u": "bob", k: v}), "s": 200}), ["bob", '"s": 200']),
    "json in json in json": (
        lambda k, v: json.dumps({"a": json.dumps({"b": json.dumps({"u": "bob", k: v})}), "s": 200}),
        ["bob", '"s": 200'],
    ),
    "escaped lines": (lambda k, v: json.dumps({"content": f"HOST=a\n{k}={v}\nPORT=80"}), ["HOST=a", "PORT=80"]),
    "repr": (lambda k, v: repr({"user": "svc", k: v, "tls": True}), ["'user': 'svc'", "True"]),
    "yaml": (lambda k, v: f"db:\n  host: h\n  {k}: {v}\n  pool: 5\n", ["host: h", "pool: 5"]),
    "named value": (lambda k, v: f"env:\n  - name: {k}\n    value: {v}\n  - name: MODE\n    value: fast\n", ["fast"]),
    "toml": (lambda k, v: f'[db]\nhost = "x"\n{k} = "{v}"\nport = 1\n', ['host = "x"', "port = 1"]),
    "ini": (lambda k, v: f"[db]\nhost = x\n{k} = {v}\nport = 1\n", ["host = x", "port = 1"]),
    "xml": (lambda k, v: f"<c><host>h1</host><{k}>{v}</{k}><n>3</n></c>", ["<host>h1</host>", "<n>3</n>"]),
    "xml attribute": (lambda k, v: f'<add key="{k}" value="{v}" /><add key="Mode" value="fast"/>', ["fast"]),
    "header": (lambda k, v: f"GET / HTTP/1.1\nHost: a.example\n{k}: {v}\nAccept: */*\n", ["a.example", "Accept: */*"]),
    "query": (lambda k, v: f"https://a.example/v1?user=bob&{k}={quoted(v)}&page=2 200", ["user=bob", "page=2 200"]),
    "form": (lambda k, v: f'curl -d "user=bob&{k}={quoted(v)}&page=2" a.example', ["user=bob", "page=2"]),
    "flag": (lambda k, v: f"deploy --{k} {v} --dry-run", ["deploy", "--dry-run"]),
    "flag with =": (lambda k, v: f"deploy --{k}={v} --dry-run", ["--dry-run"]),
    "flag in a list": (lambda k, v: json.dumps(["run", f"--{k}", v, "--dry"]), ["--dry"]),
    "keyword argument": (lambda k, v: f'connect(host="x", {k}="{v}", n=2)', ['host="x"', "n=2"]),
    "annotated": (lambda k, v: f'{k}: str = "{v}"\nx = 1', ["x = 1"]),
    "go": (lambda k, v: f'{k} := "{v}"\nn := 2', ["n := 2"]),
    "php": (lambda k, v: f"'{k}' => '{v}', 'n' => 2", ["'n' => 2"]),
    "item": (lambda k, v: f"os.environ['{k}'] = '{v}'\nrun()", ["run()"]),
    "log": (lambda k, v: f"2026-01-02 10:11:12 INFO connecting {k}={v} host=db1 retries=3", ["host=db1", "retries=3"]),
    "container": (lambda k, v: f"docker run -e {k}={v} -p 80:80 nginx", ["-p 80:80 nginx"]),
    "connection string": (lambda k, v: f"Server=db1;User Id=sa;{k}={v};Encrypt=true", ["Server=db1", "Encrypt=true"]),
    "terminal colours": (lambda k, v: f"\x1b[32m{k}\x1b[0m=\x1b[1m{v}\x1b[0m done", ["done"]),
    "markdown": (lambda k, v: f"- **{k}**: `{v}`\n- host: a", ["host: a"]),
    "table": (lambda k, v: f"| {k} | {v} |\n| host | a |", ["| host | a |"]),
}


@each("syntax", SYNTAXES)
def test_a_named_secret_is_hidden_and_its_neighbours_stay(syntax):
    write, kept = SYNTAXES[syntax]
    random = Random(syntax)
    for name in NAMES:
        for shape, make in PASSWORDS.items():
            value = make(random)
            original = write(name, value)
            text = redact_text(original)
            for form in {value, quoted(value)}:
                assert form not in text, (name, shape)
            for part in kept:
                assert part in text, (name, shape, text)


@each("value", ["qU8\"kz'1pL", "qU8\\kz1pL", "tab\there77", "snow☃man99", "a,b;c&d#9Q"])
def test_a_password_with_quotes_and_escapes_is_hidden_whole(value):
    for original in (
        json.dumps({"password": value, "port": 1}),
        json.dumps({"body": json.dumps({"password": value, "port": 1})}),
        repr({"password": value, "port": 1}),
    ):
        text = redact_text(original)
        assert value[-4:] not in text
        assert "port" in text
        assert "[REDACTED]" in text


def test_weak_passwords_are_hidden_where_a_name_says_what_they_are():
    for line in ("password=letmein", "DB_PASSWORD=qwerty", 'password: "x7"', "password: 123456", 'pwd = "swordfish"'):
        assert "[REDACTED]" in redact_text(f"user=bob\n{line}\nport=1\n"), line


@pytest.mark.parametrize(
    "text",
    [
        "HEROKU_APP_KEY={uuid}",
        "datadog: {hex32}",
        "algolia_admin = {hex32}",
        "cloudflare = {mixed40}",
    ],
)
def test_beside_a_vendors_name_a_bare_random_value_counts(text):
    values = {
        "uuid": "3f2b8c1e-9d47-4a6b-8e15-" + "c07d9a5b3e21",
        "hex32": "9f86d081884c7d65" + "9a2feaa0c55ad015",
        "mixed40": "aB3dE5gH7jK9mN1pQ3sT" + "5vW7yZ9bC1dE3fG5hJ7k",
    }
    text = text.format(**values)
    assert "[REDACTED]" in redact_text(text)
