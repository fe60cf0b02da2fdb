"""The shapes of tokens whose issuer gave them a recognisable prefix or structure.

Lengths are minima a little under the documented ones, so that a token that was cut, or a newer and longer one, is still
found. Shapes with an unmistakable prefix need no border on their left: a token that was glued to a word by a careless
cut is a token all the same.
"""

from __future__ import annotations

import base64
import binascii
import re

from nanobot_memory_plugins.core.redaction.rules import API_KEY, RANK_VENDOR, REDACTED, Rule
from nanobot_memory_plugins.core.redaction.value_shapes import entropy

_FAKE_BODY = re.compile(
    r"(?i)x{6,}|\*{3,}|\.{3,}|your[-_]|[-_]your|placeholder|redacted|[-_]here\b|example(?:key)?$|<|insert[-_]|replace[-_]|dummy|changeme"
)
_WORDS_ONLY = re.compile(r"(?:[a-z]{1,20}[-_.])*[a-z]{1,20}")


def is_issued(token: str) -> bool:
    """Tell whether ``token`` was really issued: not ``ghp_xxxx``, not ``sk-your-key-here``, not words."""
    if _FAKE_BODY.search(token) or _WORDS_ONLY.fullmatch(token):
        return False
    body = token[-24:]
    return len(set(body)) >= 6


def is_mixed(token: str) -> bool:
    """As :func:`is_issued`, with digits among the letters: for shapes that words could have too."""
    body = re.split(r"[-_.]", token, maxsplit=1)[-1]
    return is_issued(token) and any(c.isdigit() for c in body) and any(c.isalpha() for c in body) and entropy(body) >= 2.8


def _opens_json_object(token: str) -> bool:
    head = token.split(".", 1)[0]
    try:
        return base64.urlsafe_b64decode(head[:8] + "==")[:1] == b"{"
    except (binascii.Error, ValueError):
        return False


_NO_ALNUM = r"(?<![A-Za-z0-9])"
_NO_WORD = r"(?<![A-Za-z0-9_-])"
_END = r"(?![A-Za-z0-9])"
_W = "[A-Za-z0-9_-]"
_D = "[A-Za-z0-9_.=-]"
_A = "[A-Za-z0-9]"
_H = "[0-9a-fA-F]"


def _prefixed(kind: str, prefixes: str, body: str, *, border: str = "") -> Rule:
    """Make a rule for tokens that are one of ``prefixes`` followed by ``body``."""
    literals = tuple(prefixes.split())
    heads = "|".join(re.escape(p) for p in literals)
    return Rule(kind, API_KEY, re.compile(f"{border}(?:{heads}){body}"), is_issued, literals, anchored=True)


def _shaped(
    kind: str, pattern: str, *literals: str, mixed: bool = False, loose: bool = False, placeholder: str = API_KEY
) -> Rule:
    """Make a rule for another shape; ``loose`` when its literals stand elsewhere than at its beginning."""
    check = is_mixed if mixed else is_issued
    return Rule(kind, placeholder, re.compile(pattern), check, literals, anchored=bool(literals) and not loose)


VENDOR_RULES: tuple[Rule, ...] = (
    # Model providers
    _prefixed("anthropic_key", "sk-ant-", f"{_W}{{20,300}}"),
    _prefixed("openai_key", "sk-proj- sk-svcacct- sk-admin- sk-None-", f"{_W}{{20,300}}"),
    _prefixed("openrouter_key", "sk-or-v1- sk-or-", f"{_W}{{20,120}}"),
    _prefixed("langfuse_key", "sk-lf- pk-lf-", f"{_H}{{8}}-{_W}{{8,60}}"),
    _shaped("openai_key", f"{_NO_ALNUM}sk-{_W}{{20,300}}", "sk-", mixed=True),
    _shaped("openai_key", f"sk-(?:{_A}{{48}}|{_A}{{20}}T3BlbkFJ{_A}{{20}}){_END}", "sk-", mixed=True),
    _shaped("openai_session", f"{_NO_ALNUM}sess-{_A}{{40,60}}", "sess-"),
    _prefixed("groq_key", "gsk_", f"{_A}{{40,80}}"),
    _prefixed("xai_key", "xai-", f"{_W}{{40,120}}", border=_NO_ALNUM),
    _prefixed("perplexity_key", "pplx-", f"{_A}{{32,80}}"),
    _prefixed("huggingface_token", "hf_ api_org_", f"{_A}{{28,60}}"),
    _prefixed("replicate_token", "r8_", f"{_A}{{32,60}}", border=_NO_ALNUM),
    _prefixed("nvidia_key", "nvapi-", f"{_W}{{40,100}}"),
    _prefixed("fireworks_key", "fw_", f"{_A}{{20,60}}", border=_NO_ALNUM),
    _prefixed("langsmith_key", "lsv2_pt_ lsv2_sk_ ls__", f"{_W}{{24,80}}"),
    _prefixed("tavily_key", "tvly-", f"{_W}{{16,60}}"),
    _prefixed("search_key", "fc-", f"{_H}{{32}}{_END}", border=_NO_ALNUM),
    _prefixed("voyage_key", "pa-", f"{_W}{{40,60}}", border=_NO_ALNUM),
    _prefixed("cerebras_key", "csk-", f"{_A}{{30,60}}", border=_NO_ALNUM),
    _prefixed("pinecone_key", "pcsk_", f"{_W}{{30,100}}"),
    _prefixed("wandb_key", "wandb_v1_", f"{_W}{{30,100}}"),
    _prefixed("jina_key", "jina_", f"{_W}{{40,90}}"),
    _prefixed("e2b_key", "e2b_", f"{_H}{{32,60}}"),
    _prefixed("composio_key", "ak_ comp_ sk_ai_", f"{_W}{{20,60}}", border=_NO_ALNUM),
    _shaped("coze_token", f"{_NO_ALNUM}(?:pat|sat)_{_A}{{40,80}}", "pat_", "sat_"),
    # Amazon, Google, Microsoft
    _shaped("aws_access_key", f"(?<![A-Z0-9])(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AROA|AIDA|AGPA|ANPA)[A-Z0-9]{{16}}{_END}",
            "A3T", "AKIA", "ASIA", "ABIA", "ACCA", "AROA", "AIDA", "AGPA", "ANPA"),
    _prefixed("bedrock_key", "ABSK bedrock-api-key-", "[A-Za-z0-9+/=]{60,2000}"),
    _shaped("aws_mws_token", f"amzn\\.mws\\.{_H}{{8}}-[0-9a-fA-F-]{{27}}", "amzn.mws."),
    _shaped("aws_session_token", "(?:FwoG|IQoJb3JpZ2lu)[A-Za-z0-9+/=]{100,2000}", "FwoG", "IQoJb3JpZ2lu"),
    _shaped("google_api_key", f"(?<![A-Za-z0-9+/=_-])AIza{_W}{{30,60}}|AIza{_W}{{35}}(?![A-Za-z0-9_-])", "AIza"),
    _prefixed("google_oauth_secret", "GOCSPX-", f"{_W}{{20,60}}"),
    _prefixed("google_oauth_token", "ya29.", f"{_D}{{20,600}}"),
    _shaped("google_refresh_token", f"{_NO_WORD}1//0{_W}{{30,200}}", "1//0"),
    _shaped("gcp_service_key", f"{_NO_ALNUM}GOOG[A-Za-z0-9]{{16,58}}{_END}", "GOOG", mixed=True),
    _shaped("azure_client_secret", f"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{{3}}[0-9]Q~[A-Za-z0-9_~.-]{{31,40}}", "Q~", loose=True),
    _shaped("azure_storage_key", r"(?<![A-Za-z0-9+/=:-])[A-Za-z0-9+/]{86}==(?![A-Za-z0-9+/=])", "==", mixed=True, loose=True),
    _shaped("azure_marked_key", "(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{30,84}(?:JQQJ99|\\+ASt|\\+AMC|AzFu|AzSe|AIoT|APIM|ACDb)[A-Za-z0-9+/]{4,40}={0,2}(?![A-Za-z0-9+/=])",
            "JQQJ99", "+ASt", "+AMC", "AzFu", "AzSe", "AIoT", "APIM", "ACDb", mixed=True, loose=True),
    _shaped("azure_devops_token", f"{_NO_ALNUM}{_A}{{60,80}}AZDO{_A}{{4}}", "AZDO", loose=True),
    # Code hosts, registries, build services
    _prefixed("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", f"{_A}{{20,255}}"),
    _prefixed("github_token", "github_pat_", "[A-Za-z0-9_]{30,255}"),
    _prefixed("gitlab_token", "glpat- gldt- glptt- glrt- glrtr- glft- glffct- glimt- glagent- gloas- glsoat- glcbt-", f"{_D}{{16,300}}"),
    _prefixed("gitlab_runner_token", "GR1348941", f"{_W}{{16,60}}"),
    _shaped("gitlab_session", "_gitlab_session=(?P<secret>[0-9a-z]{32})", "_gitlab_session="),
    _prefixed("bitbucket_token", "ATBB ATCTT3xFfG ATATT3", "[A-Za-z0-9_=-]{24,300}", border=_NO_ALNUM),
    _prefixed("npm_token", "npm_", f"{_A}{{30,60}}"),
    _prefixed("pypi_token", "pypi-", f"{_W}{{40,1000}}"),
    _prefixed("rubygems_token", "rubygems_", f"{_H}{{40,60}}"),
    _prefixed("crates_token", "cio", f"{_A}{{32}}{_END}", border=_NO_ALNUM),
    _prefixed("nuget_key", "oy2", f"[a-z0-9]{{43}}{_END}", border=_NO_ALNUM),
    _prefixed("clojars_token", "CLOJARS_", f"{_A}{{50,70}}"),
    _prefixed("docker_token", "dckr_pat_ dckr_oat_", f"{_W}{{20,60}}"),
    _prefixed("artifactory_key", "AKCp", f"{_A}{{60,80}}", border=_NO_ALNUM),
    _prefixed("artifactory_token", "cmVmd", f"{_A}{{55,65}}{_END}", border=_NO_ALNUM),
    _prefixed("buildkite_token", "bkua_ bkaj_ bkct_ bkpt_", f"{_A}{{32,60}}"),
    _prefixed("circleci_token", "CCIPAT_ CCIPRJ_", f"{_W}{{30,100}}"),
    _prefixed("sonar_token", "squ_ sqp_ sqa_", f"{_H}{{36,44}}"),
    _prefixed("sourcegraph_token", "sgp_ slk_", f"{_W}{{36,100}}"),
    _prefixed("postman_key", "PMAK-", f"{_H}{{20,30}}-{_H}{{30,40}}"),
    _prefixed("pulumi_token", "pul-", f"{_H}{{36,44}}", border=_NO_ALNUM),
    _shaped("terraform_token", f"{_NO_ALNUM}{_A}{{14}}\\.atlasv1\\.[A-Za-z0-9_=-]{{50,80}}", ".atlasv1.", loose=True),
    _prefixed("prefect_key", "pnu_ pnb_", f"{_A}{{30,40}}"),
    _prefixed("infracost_key", "ico-", f"{_A}{{32}}{_END}", border=_NO_ALNUM),
    _prefixed("snyk_token", "snyk_uat. snyk_sat.", f"{_D}{{20,200}}"),
    _prefixed("octopus_key", "API-", f"[A-Z0-9]{{25,36}}{_END}", border=_NO_ALNUM),
    _prefixed("vercel_token", "vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_", f"{_W}{{20,80}}"),
    _prefixed("netlify_token", "nfp_ nfc_ nfo_ nfu_ nfb_", f"{_A}{{30,60}}"),
    _prefixed("render_key", "rnd_", f"{_A}{{20,60}}", border=_NO_ALNUM),
    _prefixed("depot_token", "depot_project_ depot_org_", f"{_A}{{40,90}}"),
    _prefixed("vault_token", "hvs. hvb. hvr.", f"{_W}{{20,300}}"),
    _shaped("vault_token", f"{_NO_WORD}[sb]\\.{_A}{{24}}(?:\\.{_A}{{5}})?(?![A-Za-z0-9_])", "s.", "b.", mixed=True),
    _prefixed("doppler_token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", f"{_D}{{36,100}}"),
    _prefixed("infisical_token", "st.", f"{_H}{{24}}\\.{_H}{{32}}\\.{_H}{{32}}", border=_NO_ALNUM),
    _shaped("onepassword_key", "A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}", "A3-"),
    _prefixed("onepassword_token", "ops_eyJ", "[A-Za-z0-9+/=_-]{40,2000}"),
    _shaped("harness_key", f"(?:pat|sat)\\.{_W}{{22}}\\.{_A}{{24}}\\.{_A}{{20}}", "pat.", "sat."),
    # Hosting, data, networks
    _prefixed("digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", f"{_H}{{48,80}}"),
    _shaped("digitalocean_key", f"{_NO_ALNUM}DO(?:00|80){_A}{{16}}{_END}", "DO00", "DO80"),
    _shaped("heroku_key", f"HRKU-(?:AA{_W}{{40,70}}|{_H}{{8}}-[0-9a-fA-F-]{{27}})", "HRKU-"),
    _shaped("fly_token", f"(?:fo1_{_W}{{36,60}}|fm[12][ar]?_[A-Za-z0-9+/=,_]{{80,4000}})", "fo1_", "fm1", "fm2"),
    _prefixed("cloudflare_origin_key", "v1.0-", f"{_H}{{24}}-{_H}{{100,160}}"),
    _prefixed("cloudflare_token", "cfut_ cfat_ cfk_", f"{_W}{{30,80}}"),
    _prefixed("supabase_token", "sbp_ sb_secret_ sb_publishable_", f"{_W}{{20,80}}"),
    _prefixed("planetscale_token", "pscale_tkn_ pscale_oauth_ pscale_pw_", "[A-Za-z0-9_=.-]{28,80}"),
    _prefixed("databricks_token", "dapi dose", f"{_H}{{32}}(?:-[0-9]{{1,2}})?{_END}"),
    _prefixed("clickhouse_key", "4b1d", f"{_A}{{38}}{_END}", border=_NO_ALNUM),
    _prefixed("mongodb_secret", "mdb_sa_sk_", f"{_W}{{30,60}}"),
    _prefixed("aiven_token", "AVNS_", f"{_W}{{16,60}}"),
    _prefixed("neon_key", "napi_", f"{_A}{{40,80}}"),
    _prefixed("confluent_secret", "cflt", "[A-Za-z0-9+/]{50,70}", border=_NO_ALNUM),
    _prefixed("algolia_admin_key", "algolia_", f"{_H}{{32}}"),
    _prefixed("tailscale_key", "tskey-", f"{_W}{{16,100}}"),
    _prefixed("ngrok_key", "ak_ cr_", f"2{_A}{{26}}{_END}", border=_NO_ALNUM),
    _prefixed("openshift_token", "sha256~", f"{_W}{{40,50}}"),
    _shaped("kubernetes_bootstrap", "(?:token|join)[^\\n]{0,40}?(?<![a-z0-9])(?P<secret>[a-z0-9]{6}\\.[a-z0-9]{16})(?![a-z0-9])", "token", "join"),
    _prefixed("scaleway_key", "SCW", f"[A-Z0-9]{{17}}{_END}", border=_NO_ALNUM),
    _prefixed("linode_token", "lin_", f"{_H}{{40,80}}", border=_NO_ALNUM),
    _prefixed("yandex_key", "AQVN t1.9eu YCAJE YCN YCM YCO YCP", "[A-Za-z0-9_=.-]{30,300}", border=_NO_ALNUM),
    _prefixed("age_secret_key", "AGE-SECRET-KEY-1 AGE-PLUGIN-", "[A-Z0-9-]{40,200}"),
    # Chinese services
    _prefixed("aliyun_key", "LTAI", f"{_A}{{12,30}}{_END}", border="(?<![A-Z0-9])"),
    _prefixed("tencent_key", "AKID", f"{_A}{{28,60}}", border="(?<![A-Z0-9])"),
    _prefixed("volcengine_key", "AKLT", f"{_A}{{30,80}}={{0,2}}", border="(?<![A-Z0-9])"),
    _prefixed("baidu_key", "bce-v3/ALTAK- ALTAK", "[A-Za-z0-9/-]{16,120}"),
    _prefixed("jdcloud_key", "JDC_", f"[A-Z0-9]{{24,40}}"),
    _prefixed("huawei_key", "HPUA", f"[A-Z0-9]{{16}}{_END}", border=_NO_ALNUM),
    _shaped("feishu_token", f"{_NO_ALNUM}(?:t-g|u-|p-|t-|a-){_A}{{5,10}}[A-Z0-9]{{25,60}}{_END}", "t-", "u-", "p-", "a-", mixed=True),
    _shaped("feishu_app_secret", f"cli_[a-z0-9]{{16,20}}[^A-Za-z0-9\\n]{{1,20}}(?:[A-Za-z_ ]{{0,20}}[^A-Za-z0-9\\n]{{1,6}})?(?P<secret>{_A}{{32}}){_END}", "cli_"),
    _shaped("dingtalk_secret", f"{_NO_ALNUM}SEC[0-9a-f]{{60,64}}{_END}", "SEC"),
    # Messages and mail
    _shaped("slack_token", r"xox[abceoprsd](?:\.xox[a-z])?-[A-Za-z0-9-]{10,300}", "xox"),
    _shaped("slack_app_token", r"xapp-[0-9]-[A-Za-z0-9-]{10,200}", "xapp-"),
    _shaped("slack_webhook", r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9+/_-]{20,120})", "hooks.slack"),
    _shaped("discord_webhook", r"discord(?:app)?\.com/api(?:/v[0-9]{1,2})?/webhooks/(?P<secret>[0-9]{15,22}/[A-Za-z0-9_-]{20,100})", "/webhooks/", loose=True),
    _shaped("discord_token", f"{_NO_WORD}(?:[MNO][A-Za-z0-9_-]{{22,28}}\\.[A-Za-z0-9_-]{{6,7}}\\.[A-Za-z0-9_-]{{27,45}}|mfa\\.[A-Za-z0-9_-]{{60,90}})(?![A-Za-z0-9_-])", mixed=True),
    _shaped("telegram_token", r"(?<![0-9])[0-9]{7,12}:A{1,2}[A-Za-z0-9_-]{32,36}(?![A-Za-z0-9_-])", ":A", loose=True),
    _shaped("teams_webhook", r"office\.com/webhook(?:b2)?/(?P<secret>[A-Za-z0-9@/-]{40,300})", "office.com/webhook"),
    _shaped("feishu_webhook", r"/open-apis/bot/(?:v2/)?hook/(?P<secret>[A-Za-z0-9-]{16,60})", "/open-apis/bot/"),
    _shaped("dingtalk_webhook", r"(?:robot/send\?access_token=)(?P<secret>[0-9a-f]{32,64})", "robot/send"),
    _shaped("wecom_webhook", r"cgi-bin/webhook/send\?key=(?P<secret>[0-9a-fA-F-]{32,40})", "cgi-bin/webhook/send"),
    _shaped("zapier_webhook", r"hooks\.zapier\.com/hooks/catch/(?P<secret>[0-9]{3,12}/[A-Za-z0-9]{4,20})", "hooks.zapier.com"),
    _shaped("ifttt_webhook", r"maker\.ifttt\.com/trigger/[^\s/]{1,60}/(?:json/)?with/key/(?P<secret>[A-Za-z0-9_-]{16,60})", "maker.ifttt.com"),
    _shaped("logic_app_url", r"logic\.azure\.com[^\s\"']{0,200}?[?&]sig=(?P<secret>[A-Za-z0-9_%-]{30,80})", "logic.azure.com"),
    _shaped("sendgrid_key", f"{_NO_ALNUM}SG\\.[A-Za-z0-9_=-]{{16,32}}\\.[A-Za-z0-9_=.-]{{30,64}}", "SG."),
    _shaped("mailgun_key", f"{_NO_ALNUM}(?:key|pubkey)-[0-9a-f]{{32}}{_END}", "key-", "pubkey-"),
    # Mailchimp, Mailgun, Zhipu: 32 hexadecimal digits and a tail.
    _shaped("tailed_hex_key", rf"{_NO_ALNUM}[0-9a-f]{{32}}(?:-us[0-9]{{1,2}}|-[0-9a-f]{{8}}-[0-9a-f]{{8}}|\.{_A}{{16}}){_END}"),
    _shaped("brevo_key", f"(?:xkeysib|xsmtpsib)-[0-9a-f]{{40,80}}-{_A}{{10,24}}", "xkeysib-", "xsmtpsib-"),
    _shaped("twilio_key", f"{_NO_ALNUM}(?:SK|AC){_H}{{32}}{_END}", "SK", "AC"),
    _prefixed("resend_key", "re_", f"{_A}{{6,12}}_{_A}{{18,40}}", border=_NO_ALNUM),
    _prefixed("knock_key", "whsec_ ntfysec_", "[A-Za-z0-9+/=_-]{20,80}"),
    _prefixed("courier_key", "pk_prod_ dk_prod_ pk_test_courier_", f"[A-Z0-9]{{20,40}}"),
    _prefixed("nylas_key", "nyk_v0_", f"{_A}{{40,80}}"),
    # Payment, shops, business
    _prefixed("stripe_key", "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_ pk_live_ sk_org_live_ ak_live_ ak_test_", f"{_A}{{10,250}}"),
    _prefixed("square_token", "sq0atp- sq0csp- sq0idp- EAAA", f"{_W}{{20,80}}", border=_NO_ALNUM),
    _shaped("shopify_token", f"shp(?:at|ca|pa|ss|ua|tka)_{_H}{{28,40}}", "shp"),
    _shaped("paypal_token", f"access_token\\$(?:production|sandbox)\\$[a-z0-9]{{16}}\\${_H}{{32}}", "access_token$"),
    _prefixed("razorpay_key", "rzp_live_ rzp_test_", f"{_A}{{10,40}}"),
    _shaped("flutterwave_key", f"FLW(?:SECK|PUBK)(?:_TEST)?-{_A}{{12,60}}(?:-X)?", "FLWSECK", "FLWPUBK"),
    _shaped("plaid_token", f"(?:access|public|link)-(?:sandbox|development|production)-{_H}{{8}}-[0-9a-fA-F-]{{27}}", "-sandbox-", "-development-", "-production-", loose=True),
    _shaped("gocardless_token", f"{_NO_ALNUM}(?:live|sandbox)_{_W}{{36,60}}", "live_", "sandbox_", mixed=True),
    _shaped("lob_key", f"{_NO_ALNUM}(?:live|test)_(?:pub_)?[0-9a-f]{{31,35}}{_END}", "live_", "test_"),
    _prefixed("duffel_token", "duffel_live_ duffel_test_", "[A-Za-z0-9_=-]{36,60}"),
    _prefixed("easypost_key", "EZAK EZTK", f"{_A}{{50,60}}"),
    _prefixed("shippo_token", "shippo_live_ shippo_test_", f"{_H}{{36,44}}"),
    _prefixed("adobe_secret", "p8e- p8-", f"{_W}{{32}}", border=_NO_ALNUM),
    _shaped("airtable_token", f"{_NO_ALNUM}pat{_A}{{14}}\\.{_H}{{60,68}}", "pat"),
    _prefixed("asana_token", "0/ 1/", f"[0-9a-f]{{32}}{_END}", border="(?<![A-Za-z0-9/])"),
    _shaped("asana_token", f"{_NO_ALNUM}[12]/[0-9]{{14,18}}(?:/[0-9]{{14,18}})?:[0-9a-f]{{32}}{_END}", "1/", "2/"),
    _prefixed("linear_key", "lin_api_ lin_oauth_ lin_wh_", f"{_A}{{30,80}}"),
    _prefixed("notion_token", "ntn_ secret_", f"{_A}{{40,60}}", border=_NO_ALNUM),
    _prefixed("figma_token", "figd_ figo_ figu_ figor_ figoh_", f"{_W}{{36,80}}"),
    _prefixed("typeform_token", "tfp_", f"{_D}{{36,80}}"),
    _prefixed("hubspot_key", "pat-na1- pat-eu1- pat-na2-", f"{_H}{{8}}-[0-9a-fA-F-]{{27}}"),
    _shaped("salesforce_token", f"{_NO_ALNUM}00D{_A}{{12,15}}![A-Za-z0-9._]{{40,200}}", "00D"),
    _shaped("zoho_token", f"{_NO_ALNUM}1000\\.[0-9a-f]{{32}}\\.[0-9a-f]{{32}}", "1000."),
    _prefixed("intra42_secret", "s-s4t2ud- s-s4t2af-", f"{_H}{{60,68}}"),
    _prefixed("frameio_token", "fio-u-", f"{_D}{{50,80}}"),
    _prefixed("contentful_token", "CFPAT-", f"{_W}{{30,60}}"),
    _prefixed("storyblok_token", "dskey_", f"{_W}{{20,60}}"),
    _prefixed("readme_key", "rdme_", f"{_A}{{60,80}}"),
    _prefixed("scalingo_token", "tk-us-", f"{_W}{{40,60}}"),
    _prefixed("settlemint_token", "sm_aat_ sm_pat_ sm_sat_", f"{_A}{{16,40}}"),
    _prefixed("apify_token", "apify_api_", f"{_A}{{30,50}}"),
    _prefixed("calcom_key", "cal_live_ cal_test_", f"{_H}{{28,40}}"),
    _prefixed("clickup_token", "pk_", f"[0-9]{{5,12}}_[A-Z0-9]{{28,44}}", border=_NO_ALNUM),
    _shaped("maxmind_key", f"{_NO_ALNUM}{_A}{{6}}_{_A}{{29}}_mmk", "_mmk", loose=True),
    _prefixed("mapbox_token", "pk.eyJ sk.eyJ tk.eyJ", f"{_W}{{20,200}}\\.{_W}{{16,40}}", border=_NO_ALNUM),
    # Watching and logging
    _prefixed("grafana_token", "glc_ glsa_", "[A-Za-z0-9+/=_]{30,400}"),
    _prefixed("grafana_key", "eyJrIjoi", "[A-Za-z0-9]{50,400}={0,3}"),
    _prefixed("newrelic_key", "NRAK- NRII- NRIQ- NRRA- NRJS- NRAA- NRBR- NRSP-", f"{_W}{{16,50}}"),
    _prefixed("sentry_token", "sntrys_ sntryu_ sntrya_ sntryi_", "[A-Za-z0-9+/=_]{40,500}"),
    _prefixed("dynatrace_token", "dt0c01. dt0s01. dt0s16.", f"{_D}{{40,110}}"),
    _prefixed("posthog_key", "phc_ phx_ phs_ phr_ pha_", f"{_A}{{32,60}}"),
    _prefixed("datadog_key", "ddapp_ ddapi_ pub_dd_", f"{_A}{{30,60}}"),
    _prefixed("launchdarkly_key", "sdk- mob- api- rel-", f"{_H}{{8}}-[0-9a-f]{{4}}-4[0-9a-f]{{3}}-[0-9a-f]{{4}}-[0-9a-f]{{12}}", border=_NO_ALNUM),
    _prefixed("honeycomb_key", "hcaik_ hcbik_ hcxik_ hcamk_", f"{_A}{{30,80}}"),
    _prefixed("pagerduty_key", "pdus+_0XBPWQ_ pdeu+_0XBPWQ_ u+", f"{_W}{{18,40}}", border=_NO_ALNUM),
    _prefixed("facebook_token", "EAAC EAAM EAAB EAAG EAAJ EAAD EAAF EAAH", f"{_A}{{60,400}}", border=_NO_ALNUM),
    _shaped("facebook_app_token", r"(?<![0-9])[0-9]{15,16}\|[A-Za-z0-9_-]{27,40}", "|", loose=True),
    _shaped("twitter_bearer", "(?<![A-Za-z0-9+/=])A{20,22}(?!A)[A-Za-z0-9%]{50,120}(?![A-Za-z0-9+/=])", "AAAAAAAAAAAAAAAAAAAA"),
    _prefixed("dropbox_token", "sl.", f"{_W}{{100,200}}", border=_NO_ALNUM),
    _prefixed("authress_key", "sc_ ext_ scauth_ authress_", f"{_A}{{5,30}}\\.{_A}{{4,6}}\\.acc[_-][a-z0-9-]{{10,32}}\\.[A-Za-z0-9+/_=-]{{30,120}}", border=_NO_ALNUM),
    _prefixed("defined_token", "dnkey-", f"{_W}{{26}}-{_W}{{40,60}}"),
    _prefixed("clerk_key", "ins_ clerk_", f"{_A}{{40,80}}", border=_NO_ALNUM),
    _prefixed("workos_key", "sk_test_a2V5 sk_live_a2V5", f"{_A}{{20,120}}"),
    _prefixed("inngest_key", "signkey-prod- signkey-test- signkey-branch-", f"{_H}{{24,80}}"),
    _prefixed("trigger_key", "tr_dev_ tr_prod_ tr_pat_ tr_stg_", f"{_A}{{16,60}}"),
    _prefixed("unkey_key", "unkey_", f"{_A}{{16,60}}"),
    _prefixed("dotenv_key", "dotenv://:key_", f"{_H}{{48,72}}"),
    _prefixed("elevenlabs_key", "sk_", f"{_H}{{48}}{_END}", border=_NO_ALNUM),
    _prefixed("ionic_token", "ion_", f"{_A}{{36,50}}", border=_NO_ALNUM),
    _prefixed("dependency_track_key", "odt_", f"{_A}{{30,60}}", border=_NO_ALNUM),
    _prefixed("teamwork_token", "tkn.v1_", "[A-Za-z0-9+/=_-]{40,100}"),
    _prefixed("adafruit_key", "aio_", f"{_A}{{28}}{_END}", border=_NO_ALNUM),
    _prefixed("anypoint_token", "oaat_ oart_", f"{_A}{{20,80}}"),
    # Structures without a vendor
    _shaped("password_hash", r"\$(?:2[abxy]?|1|5|6|7|8|9|y|gy|apr1|sha1|md5|argon2(?:id|i|d)|pbkdf2(?:-sha\d{1,3})?|scrypt|krb5\w{2,12})\$[A-Za-z0-9./$=,+*@-]{20,1000}", "$", placeholder=REDACTED),
    _shaped("password_hash", r"pbkdf2_sha(?:1|256|512)\$[0-9]{3,8}\$[A-Za-z0-9+/=.$_-]{20,200}", "pbkdf2_sha", placeholder=REDACTED),
    _shaped("ldap_hash", r"\{S?(?:SHA|MD5|CRYPT)[0-9]{0,3}\}[A-Za-z0-9+/=$.]{16,200}", "{SHA", "{SSHA", "{MD5", "{SMD5", "{CRYPT", "{SCRYPT", placeholder=REDACTED),
    _shaped("private_wallet_key", r"(?<![A-Za-z0-9])(?:[xyz]prv|[tuv]prv)[1-9A-HJ-NP-Za-km-z]{90,120}", "xprv", "yprv", "zprv", "tprv", "uprv", "vprv"),
)
"""Every built-in vendor shape; all are hidden at :data:`RANK_VENDOR`."""

_JWT_PART = "[A-Za-z0-9_-]"
JWT_RULES: tuple[Rule, ...] = (
    Rule(
        "jwt",
        API_KEY,
        re.compile(
            rf"(?:(?<![A-Za-z0-9_-])ey[A-Za-z0-9]|eyJ(?=hbGciOi|0eXAiOi|raWQiOi)){_JWT_PART}{{8,500}}+\.{_JWT_PART}{{8,8000}}+(?:\.{_JWT_PART}{{0,4000}}+){{0,3}}"
        ),
        _opens_json_object,
        ("ey",),
        anchored=True,
    ),
    Rule("jwt", API_KEY, re.compile(rf"(?<![A-Za-z0-9_+/-])ZXlK[A-Za-z0-9_+/-]{{60,8000}}={{0,2}}"), is_issued, ("ZXlK",), anchored=True),
    # A token that was cut before its first dot.
    Rule("jwt", API_KEY, re.compile(rf"(?<![A-Za-z0-9_-])eyJ(?:hbGciOi|0eXAiOi|raWQiOi){_JWT_PART}{{12,4000}}"), is_issued, ("eyJ",), anchored=True),
)
RANK = RANK_VENDOR
