"""What looks like a secret and is none must come out as it went in."""

import base64
import hashlib
from random import Random

import pytest

from nanobot_memory_plugins.core.redaction import redact_text
from tests.redaction.shapes import ALNUM, HEX, pick, uuid

RANDOM = Random(11)
SHA1, SHA256, MD5 = pick(RANDOM, HEX, 40), pick(RANDOM, HEX, 64), pick(RANDOM, HEX, 32)
SHA512_BASE64 = base64.b64encode(hashlib.sha512(b"x").digest()).decode()
IMAGE = "iVBORw0KGgo" + pick(RANDOM, ALNUM + "+/", 400)

LOOK_ALIKES = [
    # Hashes, identifiers, versions, numbers
    f"commit {SHA1}\nMerge: 4a1a246 c451bc9\n\n    fix parser",
    f"{SHA256}  dist/app-4.whl",
    f"sha256:{SHA256}",
    f"image: registry.example/app@sha256:{SHA256}",
    f'"integrity": "sha512-{SHA512_BASE64}"',
    f"golang.org/x/text v0.3.7 h1:{base64.b64encode(bytes(range(32))).decode()}",
    f"request_id={uuid(RANDOM)} status=200",
    f"session_id={uuid(RANDOM)}",
    f"cache_key={MD5}",
    f'ETag: "{MD5}"',
    f"traceparent: 00-{MD5}-{MD5[:16]}-01",
    f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{pick(RANDOM, ALNUM, 43)} build-host",
    f"256 SHA256:{pick(RANDOM, ALNUM + '+/', 43)} build-host (ED25519)",
    f'<img src="data:image/png;base64,{IMAGE}">',
    "order_id=82804971593551215909 qty=3",
    "order 4539578763621486 shipped",
    "订单号：13912345678，已发货",
    "ts=1785773798361 took 978ms",
    "2026-01-02T10:11:12.123456Z started in 1.234s",
    "192.168.10.21:8080 -> 10.0.0.255:443",
    "version 3.11.7, build 20260102.4, v1.2.3-beta.4",
    "int: 17179869184, float: 3.141592653589793, 0xdeadbeefcafe",
    "@@ -415,555 +2671,12 @@ def main():",
    "200 300 4000\n212 555 1234",
    "ISBN 978-3-16-148410-0",
    '{"usage": {"prompt_tokens": 8892, "completion_tokens": 569, "total_tokens": 9461}}',
    "max_tokens=4096 token_count=12 tokens: 300",
    "session_key=telegram:1234567890123 channel=telegram",
    'await memory.message_received(session_key="cli:direct", text=text)',
    # References, placeholders, masks
    'password = os.environ["DB_PASSWORD"]\nconnect(password=password, retries=2)',
    "api_key: ${API_KEY}\nreplicas: 8",
    "password=******** user=app36",
    "password: <your-password>",
    "api_key = 'YOUR_API_KEY'",
    "OPENAI_API_KEY=your-openai-key-here",
    "token: {{ .Values.token }}",
    "secret: !vault |",
    "DB_PASSWORD=$DB_PASSWORD ./run.sh",
    "password=$(cat /run/secrets/db)",
    "password_file: /run/secrets/db_password",
    'password: "changeme"',
    "password=None, token=None",
    "secretName: app-tls",
    "token = get_token(user)",
    "token = response.json()['token']",
    "self.password = password",
    "const token = process.env.API_TOKEN;",
    "api_key=settings.api_key, secret=config.get('secret')",
    "password = getpass.getpass('Password: ')",
    "secret = secrets.token_hex(16)",
    "postgresql://user:password@localhost:5432/db",
    "postgresql://localhost:5432/db",
    "https://${USER}:${PASS}@example.com/",
    "curl -u user:$PASSWORD https://a.example",
    # Program text and documentation
    "def login(user: str, password: str, n: int = 2) -> Token:",
    "password: Optional[SecretStr] = None",
    "interface Login { user: string; password: string; token?: string }",
    "public void setPassword(String password) { this.password = password; }",
    "if password == confirmation: return",
    "tokens = tokenizer.encode(text)",
    "for key, value in mapping.items():",
    "sorted(rows, key=lambda row: row.total)",
    "primary_key=True, foreign_key='users.id'",
    "usage: login [--password PASSWORD] [--token TOKEN]",
    "--password TEXT  The password to use.",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "Bearer authentication is required.",
    "The password is required and must have at least 8 characters.",
    "The secret to a good soup is patience; token gestures do not help.",
    "Password policy: minimum length 12, expires after 90 days.",
    "I forgot my password and reset it.",
    "The token is invalid or has expired.",
    'password authentication failed for user "app"',
    "The key is to keep it simple. Key: value pairs are fine.",
    "Press any key to continue, key=enter",
    "本次会话 token 数量:4044,密码学课程第11讲。",
    "密码至少8位，需要包含字母和数字",
    "密码是必填项，请输入密码",
    "令牌已过期，请重新登录",
    "密钥长度为256位，使用AES加密",
    "密码是 base64 编码的字符串",
    # Addresses that are no mail addresses
    "git clone git@github.com:fjord/xenon.git",
    "added react@18.6.0 and @types/node@20.1.9",
    "scp build.tar deploy@build.example.com:/srv/app",
    "https://unpkg.com/react@18.2.0/umd/react.js",
    "https://medium.com/@writer/a-post",
    "@app.route('/login')",
    "logo@2x.png",
    "Cookie: lang=en; theme=dark",
    "Set-Cookie: lang=en; Path=/; Max-Age=3600; HttpOnly",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----",
    'BEGIN = "-----BEGIN PRIVATE KEY-----"\nEND = "-----END PRIVATE KEY-----"',
    "GB82 is not an account, nor is DE44 5001 0517 5407 3249 32",
    "drwxr-xr-x 2 root root 4096 Jan  2 10:11 secrets",
    "npm WARN deprecated har-validator@5.1.5: this library is no longer supported",
    'HTTP/1.1 401 Unauthorized\nWWW-Authenticate: Basic realm="files"',
]


@pytest.mark.parametrize("text", LOOK_ALIKES, ids=lambda text: text[:40].replace("\n", " "))
def test_a_look_alike_stays(text):
    assert redact_text(text) == text
