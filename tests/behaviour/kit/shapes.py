"""Secrets of many shapes, made when the tests run: none stands in the repository."""

import base64
import json
import string
from collections.abc import Callable
from random import Random

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
BASE32 = string.ascii_uppercase + "234567"
WORDS = ["amber", "birch", "cobalt", "dune", "ember", "fjord", "garnet", "harbor", "indigo", "jasper", "kelp"]
WORDS += ["lotus", "maple", "nectar", "onyx", "quartz"]

Maker = Callable[[Random], str]


def pick(random: Random, alphabet: str, size: int) -> str:
    return "".join(random.choices(alphabet, k=size))


def uuid(random: Random) -> str:
    return "-".join(pick(random, HEX, size) for size in (8, 4, 4, 4, 12))


def jwt(random: Random) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    body = part({"sub": pick(random, string.digits, 10), "name": random.choice(WORDS)})
    return f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{body}.{pick(random, ALNUM + '-_', 43)}"


def after(prefix: str, alphabet: str, size: int, suffix: str = "") -> Maker:
    return lambda random: prefix + pick(random, alphabet, size) + suffix


W = ALNUM + "_-"
VENDOR_TOKENS: dict[str, Maker] = {
    "openai": after("sk-", ALNUM, 48),
    "openai project": lambda r: f"sk-proj-{pick(r, W, 74)}T3BlbkFJ{pick(r, W, 74)}",
    "anthropic": after("sk-ant-api03-", W, 93, "AA"),
    "openrouter": after("sk-or-v1-", HEX, 64),
    "deepseek": after("sk-", HEX, 32),
    "groq": after("gsk_", ALNUM, 52),
    "xai": after("xai-", ALNUM, 80),
    "perplexity": after("pplx-", ALNUM, 48),
    "huggingface": after("hf_", string.ascii_letters, 34),
    "replicate": after("r8_", ALNUM, 37),
    "nvidia": after("nvapi-", W, 64),
    "zhipu": lambda r: f"{pick(r, HEX, 32)}.{pick(r, ALNUM, 16)}",
    "aws": after("AKIA", BASE32, 16),
    "aws session": after("ASIA", BASE32, 16),
    "google": after("AIza", W, 35),
    "google oauth secret": after("GOCSPX-", W, 28),
    "google oauth token": after("ya29.", W, 120),
    "azure client secret": lambda r: f"{pick(r, ALNUM, 3)}8Q~{pick(r, ALNUM + '~._', 34)}",
    "azure devops": lambda r: f"{pick(r, ALNUM, 76)}AZDO{pick(r, ALNUM, 4)}",
    "github": after("ghp_", ALNUM, 36),
    "github app": after("ghs_", ALNUM, 36),
    "github fine-grained": lambda r: f"github_pat_{pick(r, ALNUM, 22)}_{pick(r, ALNUM, 59)}",
    "gitlab": after("glpat-", ALNUM, 20),
    "gitlab runner": after("glrt-", ALNUM, 20),
    "npm": after("npm_", ALNUM, 36),
    "pypi": after("pypi-AgEIcHlwaS5vcmc", W, 120),
    "rubygems": after("rubygems_", HEX, 48),
    "docker": after("dckr_pat_", W, 27),
    "bitbucket": after("ATBB", ALNUM, 32),
    "atlassian": after("ATATT3", W, 186),
    "artifactory": after("AKCp", ALNUM, 69),
    "terraform": lambda r: f"{pick(r, ALNUM, 14)}.atlasv1.{pick(r, W, 64)}",
    "vault": after("hvs.", W, 95),
    "vault old": after("s.", ALNUM, 24),
    "doppler": after("dp.pt.", ALNUM, 43),
    "1password": lambda r: (
        f"A3-{pick(r, UPPER, 6)}-{pick(r, UPPER, 11)}-{pick(r, UPPER, 5)}-{pick(r, UPPER, 5)}-{pick(r, UPPER, 5)}"
    ),
    "pulumi": after("pul-", HEX, 40),
    "postman": lambda r: f"PMAK-{pick(r, HEX, 24)}-{pick(r, HEX, 34)}",
    "digitalocean": after("dop_v1_", HEX, 64),
    "heroku": after("HRKU-AA", W, 58),
    "fly": after("fm2_", ALNUM + "+/", 140),
    "supabase": after("sbp_", HEX, 40),
    "planetscale": after("pscale_tkn_", W, 43),
    "databricks": after("dapi", HEX, 32),
    "tailscale": lambda r: f"tskey-auth-{pick(r, ALNUM, 12)}-{pick(r, ALNUM, 24)}",
    "age": after("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "aliyun": after("LTAI", ALNUM, 20),
    "tencent": after("AKID", ALNUM, 32),
    "dingtalk": after("SEC", HEX, 64),
    "feishu": lambda r: f"t-{pick(r, 'g' + string.digits, 7)}{pick(r, UPPER, 32)}",
    "slack bot": lambda r: f"xoxb-{pick(r, string.digits, 12)}-{pick(r, string.digits, 12)}-{pick(r, ALNUM, 24)}",
    "slack app": lambda r: f"xapp-1-A{pick(r, UPPER, 10)}-{pick(r, string.digits, 13)}-{pick(r, HEX, 64)}",
    "discord": lambda r: f"MT{pick(r, ALNUM, 22)}.{pick(r, ALNUM, 6)}.{pick(r, ALNUM, 38)}",
    "telegram": lambda r: f"{pick(r, '123456789', 10)}:AA{pick(r, W, 33)}",
    "sendgrid": lambda r: f"SG.{pick(r, W, 22)}.{pick(r, W, 43)}",
    "mailgun": after("key-", HEX, 32),
    "mailchimp": lambda r: f"{pick(r, HEX, 32)}-us{r.randint(1, 21)}",
    "brevo": lambda r: f"xkeysib-{pick(r, HEX, 64)}-{pick(r, ALNUM, 16)}",
    "twilio": after("SK", HEX, 32),
    "stripe": after("sk_live_", ALNUM, 24),
    "stripe restricted": after("rk_test_", ALNUM, 99),
    "webhook secret": after("whsec_", ALNUM, 32),
    "square": after("sq0atp-", W, 22),
    "shopify": after("shpat_", HEX, 32),
    "razorpay": after("rzp_live_", ALNUM, 14),
    "easypost": after("EZAK", ALNUM, 54),
    "airtable": lambda r: f"pat{pick(r, ALNUM, 14)}.{pick(r, HEX, 64)}",
    "linear": after("lin_api_", ALNUM, 40),
    "notion": after("ntn_", ALNUM, 46),
    "figma": after("figd_", W, 40),
    "hubspot": lambda r: f"pat-na1-{uuid(r)}",
    "grafana": lambda r: f"glsa_{pick(r, ALNUM, 32)}_{pick(r, HEX, 8)}",
    "new relic": after("NRAK-", UPPER, 27),
    "sentry": after("sntryu_", HEX, 64),
    "dynatrace": lambda r: f"dt0c01.{pick(r, UPPER, 24)}.{pick(r, UPPER, 64)}",
    "posthog": after("phc_", ALNUM, 43),
    "databricks secret": after("dapi", HEX, 32, "-2"),
    "password hash": lambda r: f"$2b$12${pick(r, ALNUM + './', 53)}",
    "jwt": jwt,
}

PASSWORDS: dict[str, Maker] = {
    "words and digits": lambda r: r.choice(WORDS) + r.choice(WORDS) + str(r.randint(10, 999)),
    "words and a dash": lambda r: f"{r.choice(WORDS)}-{r.choice(WORDS)}{r.randint(1, 99)}",
    "symbols": lambda r: r.choice(WORDS).title() + r.choice("!*&%#$@") + pick(r, ALNUM, 8) + r.choice("!*?#"),
    "letters and digits": lambda r: pick(r, ALNUM, 31) + "7",
    "hexadecimal": lambda r: pick(r, HEX, 40),
    "uuid": uuid,
    "base64": lambda r: base64.b64encode(r.randbytes(30)).decode(),
}


def luhn(body: str) -> str:
    total = 0
    for place, char in enumerate(reversed(body)):
        number = int(char) * (1 if place % 2 else 2)
        total += number - 9 if number > 9 else number
    return body + str(-total % 10)


def cn_id(random: Random) -> str:
    body = f"110105{random.randint(1950, 2005)}{random.randint(1, 12):02}{random.randint(1, 28):02}"
    body += pick(random, string.digits, 3)
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return body + "10X98765432"[sum(int(c) * w for c, w in zip(body, weights, strict=True)) % 11]


def iban(random: Random, country: str = "DE", size: int = 18) -> str:
    body = pick(random, string.digits, size)
    digits = "".join(str(int(char, 36)) for char in body + country + "00")
    return f"{country}{98 - int(digits) % 97:02}{body}"


def key_block(random: Random, kind: str = "RSA PRIVATE KEY") -> tuple[str, list[str]]:
    """A PEM block and its lines."""
    lines = [pick(random, ALNUM + "+/", 64) for _ in range(12)] + [pick(random, ALNUM + "+/", 30) + "=="]
    return "\n".join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----"]), lines
