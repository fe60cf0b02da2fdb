"""Tokens of issuers that carry their issuer in their shape, beyond those of ``shapes``; made when the tests run."""

import base64
import hashlib
import string
from random import Random

from tests.redaction.shapes import ALNUM, BASE32, HEX, UPPER, VENDOR_TOKENS, Maker, W, after, pick, uuid

LOWER = string.ascii_lowercase + string.digits
DIGITS = string.digits
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def base64_of(prefix: bytes, size: int) -> Maker:
    return lambda r: base64.b64encode(prefix + r.randbytes(size)).decode()


def wallet_key(r: Random) -> str:
    """A private key as wallets import it: Base58 with a checksum."""
    body = b"\x80" + r.randbytes(32) + b"\x01"
    number = int.from_bytes(body + hashlib.sha256(hashlib.sha256(body).digest()).digest()[:4])
    key = ""
    while number:
        number, rest = divmod(number, 58)
        key = BASE58[rest] + key
    return key


MORE_TOKENS: dict[str, Maker] = {
    "aws bedrock": after("ABSKQmVkcm9ja0FQSUtleS", ALNUM + "+/", 110),
    "aws session token": lambda r: "IQoJb3JpZ2luX2Vj" + pick(r, ALNUM + "+/", 300),
    "aws mws": lambda r: f"amzn.mws.{uuid(r)}",
    "aws appsync": after("da2-", LOWER, 26),
    "google refresh": lambda r: "1//0" + pick(r, W, 95),
    "azure storage": lambda r: pick(r, ALNUM + "+/", 76) + "+AStg" + pick(r, ALNUM, 5) + "==",
    "azure container registry": lambda r: pick(r, ALNUM, 42) + "+ACR" + pick(r, ALNUM, 6),
    "azure openai": lambda r: pick(r, ALNUM, 52) + "JQQJ99" + "BA" + "ACAAA" + "AAAACOG" + pick(r, ALNUM, 4),
    "github oauth": after("gho_", ALNUM, 36),
    "github user": after("ghu_", ALNUM, 36),
    "github refresh": after("ghr_", ALNUM, 76),
    "gitlab deploy": after("gldt-", W, 20),
    "gitlab feed": after("glft-", W, 20),
    "gitlab ci job": lambda r: f"glcbt-{pick(r, HEX, 2)}_{pick(r, W, 20)}",
    "gitlab trigger": after("glptt-", HEX, 40),
    "gitlab oauth secret": after("gloas-", HEX, 64),
    "gitlab agent": after("glagent-", W, 50),
    "gitlab incoming mail": after("glimt-", ALNUM, 25),
    "gitlab routable": lambda r: f"glpat-{pick(r, W, 27)}.{pick(r, LOWER, 2)}.{pick(r, LOWER, 9)}",
    "bitbucket http": lambda r: "BBDC-" + base64.b64encode(r.randbytes(33)).decode(),
    "jfrog reference": lambda r: "cmVmdGtu" + pick(r, ALNUM, 56),
    "nuget": after("oy2", LOWER, 43),
    "crates": after("cio", ALNUM, 32),
    "clojars": after("CLOJARS_", HEX, 60),
    "circleci": lambda r: f"CCIPAT_{pick(r, BASE58, 22)}_{pick(r, HEX, 40)}",
    "buildkite agent": after("bkua_", HEX, 40),
    "sonarqube": after("sqp_", HEX, 40),
    "sourcegraph": lambda r: f"sgp_{pick(r, HEX, 16)}_{pick(r, HEX, 40)}",
    "docker swarm": lambda r: f"SWMTKN-1-{pick(r, LOWER, 50)}-{pick(r, LOWER, 25)}",
    "docker swarm unlock": after("SWMKEY-1-", ALNUM + "+/", 43),
    "docker organisation": after("dckr_oat_", W, 32),
    "vault batch": after("hvb.", W, 138),
    "infracost": after("ico-", ALNUM, 32),
    "prefect": after("pnu_", ALNUM, 36),
    "snyk": lambda r: f"snyk_uat.{pick(r, HEX, 8)}.{pick(r, W, 40)}",
    "octopus": after("API-", UPPER, 27),
    "flyio": after("fo1_", W, 43),
    "supabase secret": lambda r: f"sb_secret_{pick(r, W, 22)}_{pick(r, W, 8)}",
    "openshift": after("sha256~", W, 43),
    "linode": after("lin_", HEX, 60),
    "mongodb atlas": after("mdb_sa_sk_", W, 40),
    "aiven": after("AVNS_", W, 19),
    "neon": after("napi_", LOWER, 64),
    "yandex": after("AQVN", W, 36),
    "nats seed": lambda r: "SU" + pick(r, BASE32, 56),
    "baidu": lambda r: f"bce-v3/ALTAK-{pick(r, ALNUM, 21)}/{pick(r, HEX, 40)}",
    "volcengine": after("AKLT", ALNUM, 40),
    "slack user": lambda r: (
        f"xoxp-{pick(r, DIGITS, 12)}-{pick(r, DIGITS, 12)}-{pick(r, DIGITS, 12)}-{pick(r, HEX, 32)}"
    ),
    "slack configuration": lambda r: f"xoxe.xoxp-1-{pick(r, ALNUM, 163)}",
    "slack webhook": lambda r: (
        f"https://hooks.slack.com/services/T{pick(r, UPPER, 8)}/B{pick(r, UPPER, 10)}/{pick(r, ALNUM, 24)}"
    ),
    "discord webhook": lambda r: f"https://discord.com/api/webhooks/{pick(r, DIGITS, 18)}/{pick(r, W, 68)}",
    "feishu webhook": lambda r: f"https://open.feishu.cn/open-apis/bot/v2/hook/{uuid(r)}",
    "wecom webhook": lambda r: f"https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={uuid(r)}",
    "dingtalk webhook": lambda r: f"https://oapi.dingtalk.com/robot/send?access_token={pick(r, HEX, 64)}",
    "brevo smtp": lambda r: f"xsmtpsib-{pick(r, HEX, 64)}-{pick(r, ALNUM, 16)}",
    "resend": lambda r: f"re_{pick(r, ALNUM, 8)}_{pick(r, ALNUM, 24)}",
    "square secret": after("sq0csp-", W, 43),
    "stripe organisation": after("sk_org_live_", ALNUM, 50),
    "paypal braintree": lambda r: f"access_token$production${pick(r, LOWER, 16)}${pick(r, HEX, 32)}",
    "flutterwave": lambda r: f"FLWSECK-{pick(r, LOWER, 32)}-X",
    "plaid": lambda r: f"access-production-{uuid(r)}",
    "lob": after("live_", HEX, 35),
    "duffel": after("duffel_live_", W, 43),
    "shippo": after("shippo_live_", HEX, 40),
    "adobe": after("p8e-", LOWER, 32),
    "asana": lambda r: f"1/{pick(r, DIGITS, 16)}:{pick(r, HEX, 32)}",
    "notion old": after("secret_", ALNUM, 43),
    "typeform": lambda r: f"tfp_{pick(r, ALNUM, 44)}_{pick(r, ALNUM, 14)}",
    "salesforce": lambda r: f"00D{pick(r, ALNUM, 12)}!{pick(r, ALNUM + '._', 96)}",
    "contentful": after("CFPAT-", W, 43),
    "readme": after("rdme_", LOWER, 70),
    "clickup": lambda r: f"pk_{pick(r, DIGITS, 8)}_{pick(r, UPPER, 32)}",
    "maxmind": lambda r: f"{pick(r, ALNUM, 6)}_{pick(r, ALNUM, 29)}_mmk",
    "grafana cloud": lambda r: "glc_" + base64.b64encode(b'{"o":"' + r.randbytes(60)).decode(),
    "new relic user": after("NRAK-", UPPER, 27),
    "new relic browser": after("NRJS-", HEX, 19),
    "new relic licence": lambda r: pick(r, HEX, 36) + "NRAL",
    "sentry organisation": lambda r: "sntrys_eyJ" + pick(r, ALNUM, 90) + "_" + pick(r, ALNUM + "+/", 43),
    "launchdarkly": lambda r: (
        f"sdk-{pick(r, HEX, 8)}-{pick(r, HEX, 4)}-4{pick(r, HEX, 3)}-a{pick(r, HEX, 3)}-" + pick(r, HEX, 12)
    ),
    "facebook": lambda r: "EAAC" + pick(r, ALNUM, 170),
    "facebook app": lambda r: f"{pick(r, '123456789', 15)}|{pick(r, W, 27)}",
    "x bearer": lambda r: "A" * 22 + "M" + pick(r, ALNUM + "%", 85),
    "elevenlabs": after("sk_", HEX, 48),
    "tavily": after("tvly-", ALNUM, 32),
    "tavily dev": after("tvly-dev-", ALNUM, 32),
    "langsmith": lambda r: f"lsv2_pt_{pick(r, HEX, 32)}_{pick(r, HEX, 10)}",
    "langfuse": lambda r: f"sk-lf-{uuid(r)}",
    "fireworks": after("fw_", ALNUM, 24),
    "together": after("tgp_v1_", W, 43),
    "cerebras": after("csk-", LOWER, 48),
    "pinecone": lambda r: f"pcsk_{pick(r, ALNUM, 6)}_{pick(r, ALNUM, 63)}",
    "jina": lambda r: f"jina_{pick(r, HEX, 32)}{pick(r, W, 28)}",
    "voyage": after("pa-", W, 43),
    "firecrawl": after("fc-", HEX, 32),
    "exa or e2b": after("e2b_", HEX, 40),
    "llama cloud": after("llx-", ALNUM, 48),
    "openai service account": lambda r: f"sk-svcacct-{pick(r, W, 74)}T3BlbkFJ{pick(r, W, 74)}",
    "openai admin": lambda r: f"sk-admin-{pick(r, W, 74)}T3BlbkFJ{pick(r, W, 74)}",
    "anthropic admin": after("sk-ant-admin01-", W, 93, "AA"),
    "anthropic oauth": after("sk-ant-oat01-", W, 93, "AA"),
    "moonshot": after("sk-", ALNUM, 48),
    "dashscope": after("sk-", HEX, 32),
    "siliconflow": after("sk-", string.ascii_lowercase, 48),
    "stability": after("sk-", ALNUM, 48),
    "composio": after("ak_", W, 20),
    "wakatime": lambda r: f"waka_{uuid(r)}",
    "riot": lambda r: f"RGAPI-{uuid(r)}",
    "apify": after("apify_api_", ALNUM, 36),
    "browserbase": lambda r: f"bb_live_{pick(r, W, 27)}",
    "steam": lambda r: f"eyAidHlwIjogIkpXVCIs{pick(r, ALNUM, 60)}.{pick(r, W, 90)}.{pick(r, W, 86)}",
    "paseto": lambda r: f"v4.local.{pick(r, W, 160)}",
    "jwe": lambda r: (
        "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ" + "".join("." + pick(r, W, size) for size in (120, 16, 60, 22))
    ),
    "otpauth": lambda r: f"otpauth://totp/Acme:zhang?secret={pick(r, BASE32, 32)}&issuer=Acme",
    "argon2": lambda r: f"$argon2id$v=19$m=65536,t=3,p=4${pick(r, ALNUM + '+/', 22)}${pick(r, ALNUM + '+/', 43)}",
    "sha512 crypt": lambda r: f"$6${pick(r, ALNUM, 16)}${pick(r, ALNUM + './', 86)}",
    "extended private key": after("xprv", BASE58, 107),
    "wallet import format": lambda r: wallet_key(r),
    "putty ppk": lambda r: (
        "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: me\nPublic-Lines: 2\n"
        f"{pick(r, ALNUM + '+/', 64)}\n{pick(r, ALNUM + '+/', 16)}\nPrivate-Lines: 1\n{pick(r, ALNUM + '+/', 44)}\n"
        f"Private-MAC: {pick(r, HEX, 64)}"
    ),
    "wireguard": lambda r: f"[Interface]\nPrivateKey = {pick(r, ALNUM + '+/', 42)}A=\nAddress = 10.0.0.2/32",
    "figma oauth": after("figo_", W, 40),
    "rubygems": after("rubygems_", HEX, 48),
    "vercel blob": lambda r: f"vercel_blob_rw_{pick(r, ALNUM, 16)}_{pick(r, ALNUM, 30)}",
    "netlify": after("nfp_", ALNUM, 36),
    "render": after("rnd_", ALNUM, 28),
    "doppler service": lambda r: f"dp.st.prd.{pick(r, ALNUM, 43)}",
    "teleport or depot": lambda r: f"depot_project_{pick(r, HEX, 64)}",
    "hubspot europe": lambda r: f"pat-eu1-{uuid(r)}",
    "onepassword service": lambda r: "ops_eyJ" + pick(r, ALNUM, 250),
    "databricks oauth secret": after("dose", HEX, 32),
    "wundergraph": after("cosmo_", HEX, 32),
    "zapier webhook": lambda r: f"https://hooks.zapier.com/hooks/catch/{pick(r, DIGITS, 7)}/{pick(r, LOWER, 7)}/",
    "telegram url": lambda r: f"https://api.telegram.org/bot{pick(r, '123456789', 9)}:AAH{pick(r, W, 32)}/getMe",
}
"""More token shapes."""

ALL_TOKENS = {**VENDOR_TOKENS, **MORE_TOKENS}

IN_TEXT = (
    "we deploy with § since Monday",
    "昨天用§试了一下，可以的",
    '{"items": [1, 2], "note": "§", "ok": true}',
    "2026-03-04 10:22:01 INFO worker 7 got § from peer",
    "see `§` in the wiki.",
    "- first\n- §\n- last",
    "<td>§</td>",
    'foo("§", 3)',
    "x=§&y=2",
    "他发给我的是：§，请查收",
    "§",
    "old (§) new",
)
"""Sentences that give no hint that a secret follows: the token has to be known by its own shape."""


def secret_part(token: str) -> str:
    """The stretch of ``token`` that may not remain: for a URL or a file what is secret in it."""
    for cue in ("secret=", "PrivateKey = ", "access_token=", "?key=", "/hook/", "Private-Lines: 1\n"):
        if cue in token:
            return token.split(cue, 1)[1].split("&")[0].split("\n")[0]
    for cue in ("/services/", "/webhooks/", "/catch/"):
        if cue in token:
            return token.split(cue, 1)[1].rstrip("/")
    if "api.telegram.org/bot" in token:
        return token.split("/bot", 1)[1].removesuffix("/getMe")
    return token


def token_text(random: Random, token: str) -> str:
    """A text with ``token`` in it."""
    place = "§" if "\n" in token else random.choice(IN_TEXT)
    return place.replace("§", token)
