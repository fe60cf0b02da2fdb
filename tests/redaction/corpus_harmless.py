"""Texts that look like secrets but contain none: redaction must not change them."""

import base64
import string
from collections.abc import Callable
from random import Random

from tests.behaviour.kit.shapes import ALNUM, HEX, UPPER, WORDS, W, pick, uuid

D = string.digits
B64 = ALNUM + "+/"


def _w(r: Random) -> str:
    return r.choice(WORDS)


def _v(r: Random) -> str:
    return f"{r.randint(0, 30)}.{r.randint(0, 30)}.{r.randint(0, 30)}"


HAZARDS: dict[str, tuple[Callable[[Random], str], ...]] = {
    "aligned text": (
        lambda r: f"  token      Manage tokens\n  password   Set it again\n  publish    Send {_w(r)}",
        lambda r: f"password   varchar(64)  not null\nnickname   varchar(80)  default '{_w(r)}'",
        lambda r: f"type Login struct {{\n\tPassword  string\n\tNickname  {_w(r).title()}\n}}",
    ),
    "name beside a password": (
        lambda r: f'Connect to "Office-{r.randint(2, 9)}G" with the password that you were given',
        lambda r: f"join Fritz-{pick(r, D, 4)}x and the password field takes it",
    ),
    "number of something": (
        lambda r: f"{r.randint(100, 599)} is the error code, {pick(r, D, 5)} the postal code",
        lambda r: f"{r.randint(1000, 9999)} is the year that her code was written, {_w(r)}",
        lambda r: f"the show opens with {r.randint(3000, 9000)} guests",
        lambda r: f"Fixed: login codes were refused after {r.randint(2, 90)} seconds (#{pick(r, D, 5)})",
        lambda r: f"修复：动态验证码被拒绝（#{pick(r, D, 5)}）；重置链接可以重复使用",
    ),
    "git commit": (
        lambda r: f"commit {pick(r, HEX, 40)}\nAuthor: {_w(r)}",
        lambda r: f"{pick(r, HEX, 7)} Fix the {_w(r)}",
        lambda r: f"index {pick(r, HEX, 7)}..{pick(r, HEX, 7)} 100644",
        lambda r: f"git checkout {pick(r, HEX, 40)}",
    ),
    "checksum": (
        lambda r: f"sha256:{pick(r, HEX, 64)}",
        lambda r: f"{pick(r, HEX, 32)}  {_w(r)}.tar.gz",
        lambda r: f"checksum: {pick(r, HEX, 64)}",
        lambda r: f'"sha1": "{pick(r, HEX, 40)}"',
    ),
    "integrity": (
        lambda r: f'"integrity": "sha512-{base64.b64encode(r.randbytes(64)).decode()}"',
        lambda r: f"h1:{base64.b64encode(r.randbytes(32)).decode()}",
        lambda r: f"--hash=sha256:{pick(r, HEX, 64)}",
        lambda r: f'<script integrity="sha384-{base64.b64encode(r.randbytes(48)).decode()}">',
    ),
    "uuid": (
        lambda r: f"request_id={uuid(r)} took 4ms",
        lambda r: f'{{"id": "{uuid(r)}"}}',
        lambda r: f"会话 {uuid(r)} 已结束",
        lambda r: f"trace_id: {uuid(r)}",
    ),
    "trace": (
        lambda r: f"traceparent: 00-{pick(r, HEX, 32)}-{pick(r, HEX, 16)}-01",
        lambda r: f"X-Request-Id: {pick(r, HEX, 32)}",
        lambda r: f"X-Amzn-Trace-Id: Root=1-{pick(r, HEX, 8)}-{pick(r, HEX, 24)}",
        lambda r: f"span_id={pick(r, HEX, 16)}",
    ),
    "etag": (lambda r: f'ETag: "{pick(r, HEX, 32)}"', lambda r: f'If-None-Match: W/"{pick(r, HEX, 20)}"'),
    "image": (
        lambda r: f"![a](data:image/png;base64,iVBORw0KGgo{pick(r, B64, 300)}=)",
        lambda r: f"url(data:font/woff2;base64,d09GMgAB{pick(r, B64, 200)})",
        lambda r: f'src="data:image/jpeg;base64,/9j/4AAQSkZJRg{pick(r, B64, 200)}"',
    ),
    "public key": (
        lambda r: f"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{pick(r, B64, 200)} me@host",
        lambda r: (
            "-----BEGIN PUBLIC KEY-----\n"
            + "\n".join(pick(r, B64, 64) for _ in range(3))
            + "\n-----END PUBLIC KEY-----"
        ),
        lambda r: (
            "-----BEGIN CERTIFICATE-----\n"
            + "\n".join(pick(r, B64, 64) for _ in range(5))
            + "\n-----END CERTIFICATE-----"
        ),
        lambda r: f"ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAI{pick(r, B64, 80)}= a",
    ),
    "fingerprint": (
        lambda r: f"SHA256:{pick(r, B64, 43)} me@host (ED25519)",
        lambda r: "MD5:" + ":".join(pick(r, HEX, 2) for _ in range(16)),
        lambda r: f"gpg: key {pick(r, '0123456789ABCDEF', 16)}: public key imported",
        lambda r: "Fingerprint: " + " ".join(pick(r, "0123456789ABCDEF", 4) for _ in range(10)),
    ),
    "container": (
        lambda r: f"nginx@sha256:{pick(r, HEX, 64)}",
        lambda r: f"{pick(r, HEX, 12)}   {_w(r)}:latest   Up 3 hours",
        lambda r: f"pod/{_w(r)}-{pick(r, HEX, 9)}-{pick(r, 'bcdfghjklmnpqrstvwxz2456789', 5)} Running",
        lambda r: f"Successfully built {pick(r, HEX, 12)}",
    ),
    "cloud identifier": (
        lambda r: f"arn:aws:iam::{pick(r, D, 12)}:role/{_w(r)}",
        lambda r: f"i-{pick(r, HEX, 17)} vpc-{pick(r, HEX, 17)} subnet-{pick(r, HEX, 17)}",
        lambda r: f"arn:aws:secretsmanager:us-east-1:{pick(r, D, 12)}:secret:{_w(r)}/db-AbCdEf",
        lambda r: f"{_w(r)}-{pick(r, D, 6)}.iam.gserviceaccount.com",
    ),
    "numbers": (
        lambda r: f"ts={r.randint(10**12, 2 * 10**12)} n={r.randint(1, 9)}",
        lambda r: f"1751{pick(r, D, 6)}.{pick(r, D, 6)}",
        lambda r: f"pi 3.14159265358979 and {r.random()}",
        lambda r: f"订单号 {r.randint(10**17, 10**18)}，共 3 件",
    ),
    "versions": (
        lambda r: f"{_w(r)}@{_v(r)} and @types/node@{_v(r)}",
        lambda r: f"{_w(r)}=={_v(r)}.post1",
        lambda r: f"v{_v(r)}-rc.1+build.{pick(r, D, 5)}",
        lambda r: f"Chrome/{_v(r)}.{pick(r, D, 3)} Safari/537.36",
    ),
    "address": (
        lambda r: f"10.{r.randint(0, 255)}.3.4:8080 fe80::{pick(r, HEX, 4)}:{pick(r, HEX, 4)}:abcd:1",
        lambda r: f"http://127.0.0.1:{r.randint(1024, 9999)}/{_w(r)}",
        lambda r: f"git@github.com:{_w(r)}/{_w(r)}.git",
        lambda r: f"scp a.txt root@10.0.0.{r.randint(1, 99)}:/srv/a.txt",
    ),
    "path": (
        lambda r: f"/usr/lib/python3.12/site-packages/{_w(r)}/{_w(r)}_token.py",
        lambda r: f"src/{_w(r)}/PasswordResetController.java:{r.randint(1, 99)}",
        lambda r: f"password_file: /run/secrets/{_w(r)}",
        lambda r: f"dist/assets/index-{pick(r, ALNUM, 8)}.js  {r.randint(1, 99)} kB",
    ),
    "url": (
        lambda r: f"https://github.com/{_w(r)}/{_w(r)}/commit/{pick(r, HEX, 40)}",
        lambda r: f"https://{_w(r)}.com/a?page=2&sort=key&q=password+reset",
        lambda r: f"https://docs.google.com/document/d/{pick(r, W, 44)}/edit",
        lambda r: f"https://arxiv.org/abs/24{pick(r, D, 2)}.{pick(r, D, 5)}",
    ),
    "reference": (
        lambda r: "password = os.environ['DB_PASSWORD']",
        lambda r: "password: ${DB_PASSWORD}",
        lambda r: "password=$(cat /run/secrets/db)",
        lambda r: "password = getpass.getpass()",
        lambda r: 'psql "postgres://app:${PGPASS}@db/app"',
        lambda r: "token = self._settings.token",
        lambda r: "valueFrom: {secretKeyRef: {name: db, key: password}}",
        lambda r: "$password = $_POST['password'];",
        lambda r: "secretKey: Deno.env.get('SECRET_KEY')",
    ),
    "placeholder": (
        lambda r: "OPENAI_API_KEY=sk-...",
        lambda r: "api_key = 'YOUR_API_KEY'",
        lambda r: "DB_PASSWORD=changeme",
        lambda r: "postgres://user:password@localhost/db",
        lambda r: "sk-xxxxxxxxxxxxxxxxxxxxxxxx",
        lambda r: "password: [REDACTED]",
        lambda r: "API密钥：请填写你的密钥",
        lambda r: "密钥是 xxx",
        lambda r: "secret = None",
    ),
    "type": (
        lambda r: "def login(user: str, password: str) -> Token:",
        lambda r: "interface A { token: string; apiKey?: string }",
        lambda r: 'type Config struct { Password string `json:"password"` }',
        lambda r: "token: Annotated[str, Depends(oauth2_scheme)]",
        lambda r: "api_key: SecretStr = Field(..., min_length=8)",
        lambda r: "public string Password { get; set; }",
        lambda r: "password = models.CharField(max_length=128)",
    ),
    "counts": (
        lambda r: f"prompt_tokens={r.randint(1, 9999)} completion_tokens: {r.randint(1, 999)}",
        lambda r: f"used {r.randint(1, 99)}k tokens of 200k",
        lambda r: f"token_expiry: {r.randint(60, 3600)}",
        lambda r: f"password_length: {r.randint(8, 64)}\npassword_policy: strong\npassword_url: https://a.org/{_w(r)}",
        lambda r: f"session_timeout={r.randint(60, 3600)}",
    ),
    "key names": (
        lambda r: f"sort_key: created_at_{_w(r)}",
        lambda r: f"cache_key = user:{r.randint(1, 99)}:{_w(r)}",
        lambda r: f'"key": "{_w(r)}.{_w(r)}"',
        lambda r: f"s3 key: backups/2026/{_w(r)}.tar.gz",
        lambda r: f"partitionKey={_w(r)}-{r.randint(1, 9)}",
        lambda r: f"i18n key: login.password.{_w(r)}",
        lambda r: f"JIRA key: PROJ-{r.randint(1, 9999)}",
    ),
    "prose": (
        lambda r: f"Never write a password into a log; the {_w(r)} did.",
        lambda r: "password must be at least 8 characters",
        lambda r: "I forgot the password for the staging server.",
        lambda r: "Authentication failed: invalid password for user root",
        lambda r: "The password policy says 90 days.",
        lambda r: "Enter PIN: (4 digits)",
        lambda r: "token is invalid or expired (401)",
    ),
    "chinese prose": (
        lambda r: "密码是用来保护账号的，不要告诉别人。",
        lambda r: "密码长度至少8位，包含大小写字母和数字",
        lambda r: "口令是接头的暗号，古人常用",
        lambda r: "我们用 JWT 做令牌，密钥放在环境变量 JWT_SECRET 里",
        lambda r: "密码字段是 password，类型是 VARCHAR(255)",
        lambda r: "账号密码登录和短信登录都支持",
        lambda r: "关键是要早点开始",
        lambda r: "令牌桶算法每秒放入100个令牌",
        lambda r: "密码框的 placeholder 是“请输入密码”",
    ),
    "minified": (
        lambda r: f"!function(e,t){{var n=e.key,r=t.token;return n===r?e:t}}(window,{{a:{r.randint(1, 9)}}});",
        lambda r: 'var a={key:"ArrowUp",token:null,password:void 0},b=function(t){return t.token||a.key};',
        lambda r: f"//# sourceMappingURL=main.{pick(r, HEX, 8)}.js.map",
        lambda r: 'e.exports={"auth.password":"Password","auth.token":"Token"}',
    ),
    "code": (
        lambda r: "if token == 'EOF': break",
        lambda r: "password_hash = bcrypt.hashpw(password, salt)",
        lambda r: "pass  # nothing",
        lambda r: '<input type="password" name="password" placeholder="Password">',
        lambda r: "import { getToken } from './auth/token'",
        lambda r: "x-api-key: ${apiKey}",
        lambda r: 'map.put("token", token);',
        lambda r: "pwd = password.encode('latin-1')",
        lambda r: "page.login(user, password)",
        lambda r: "the exit code is 137, the pass is over",
    ),
    "identifiers": (
        lambda r: f"user_id={pick(r, HEX, 24)}",
        lambda r: f"chatcmpl-{pick(r, ALNUM, 29)}",
        lambda r: f"price_{pick(r, ALNUM, 24)} cus_{pick(r, ALNUM, 14)}",
        lambda r: f"DOI 10.{pick(r, D, 4)}/{_w(r)}.{pick(r, D, 5)}",
        lambda r: f"toolu_{pick(r, ALNUM, 24)}",
        lambda r: f"ULID 01J{pick(r, UPPER, 23)}",
        lambda r: f"Message-Ref: {pick(r, D, 8)}-{pick(r, HEX, 8)}",
    ),
    "certificates": (
        lambda r: f"Serial Number: {':'.join(pick(r, HEX, 2) for _ in range(16))}",
        lambda r: f"subject=CN = {_w(r)}.com, O = {_w(r)}",
        lambda r: "ssl_certificate_key /etc/ssl/private/site.key;",
        lambda r: "IdentityFile ~/.ssh/id_ed25519",
    ),
    "hexdump": (
        lambda r: "00000010: " + " ".join(pick(r, HEX, 4) for _ in range(8)) + "  ................",
        lambda r: f"0x{pick(r, HEX, 16)} in main () at a.c:{r.randint(1, 99)}",
        lambda r: f"#{pick(r, HEX, 6)} #{pick(r, HEX, 6)}",
        lambda r: f"0x{pick(r, HEX, 40)}",
    ),
    "mail look-alike": (
        lambda r: f"pip install {_w(r)}@git+https://github.com/a/{_w(r)}",
        lambda r: "@pytest.fixture\n@app.route('/')",
        lambda r: f"{_w(r)}@localhost $ ls",
        lambda r: f"uses: actions/checkout@v{r.randint(1, 5)}",
    ),
}
"""The generators of such texts, by category."""
