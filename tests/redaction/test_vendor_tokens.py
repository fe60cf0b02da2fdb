import json
from random import Random

from nanobot_memory_plugins.core.redaction import redact_text
from tests.redaction.shapes import VENDOR_TOKENS
from tests.support.each import each

CONTEXTS = {
    "header": "curl https://api.example.com/v1 -H 'Authorization: Bearer {}' | jq .data",
    "log": "[2026-03-01 10:11:12] DEBUG using credential {} for host db-4",
    "json": '{{"ok": true, "auth": {{"value": "{}"}}, "region": "eu-1"}}',
    "environment": 'export SERVICE="{}"\nexport REGION=us-west-2\n',
    "chinese": "我把它贴给你:{},请部署到测试环境",
    "between chinese": "密钥是{}请保存好",
    "alone": "{}",
}
KEPT = {
    "header": "jq .data",
    "log": "for host db-4",
    "json": "eu-1",
    "environment": "REGION=us-west-2",
    "chinese": "请部署",
}


@each("vendor", VENDOR_TOKENS)
def test_a_vendors_token_is_hidden_wherever_it_stands(vendor):
    random = Random(vendor)
    for name, context in CONTEXTS.items():
        token = VENDOR_TOKENS[vendor](random)
        text = redact_text(context.format(token))
        assert token not in text, name
        assert token[-12:] not in text, name
        assert KEPT.get(name, "") in text, name


def test_a_token_is_named_as_one():
    token = VENDOR_TOKENS["github"](Random(1))
    assert redact_text(f"it was {token}, I think") == "it was [API_KEY], I think"


def test_a_token_glued_to_a_word_by_a_careless_cut_is_found():
    token = VENDOR_TOKENS["github app"](Random(2))
    assert redact_text(f"log line with ordinar{token} done") == "log line with ordinar[API_KEY] done"


@each("vendor", ["github", "slack bot", "anthropic", "jwt", "aws", "stripe"])
def test_a_token_is_found_through_disguise(vendor):
    token = VENDOR_TOKENS[vendor](Random(vendor))
    half = len(token) // 2
    full_width = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in token)
    for disguised in (
        token[:half] + "\u200b" + token[half:],
        token[:half] + "\x1b[1m" + token[half:] + "\x1b[0m",
        full_width,
        "".join(f"\\u{ord(c):04x}" for c in token),
    ):
        text = redact_text(f"use {disguised} now")
        assert disguised[half : half + 8] not in text
        assert text.startswith("use [")
        assert text.endswith(" now")


def test_a_token_inside_json_inside_json_is_found():
    token = VENDOR_TOKENS["gitlab"](Random(3))
    text = json.dumps({"body": json.dumps({"x": json.dumps({"note": f"a {token}\nb"})}), "n": 1})
    assert token not in redact_text(text)
    assert json.loads(redact_text(text))["n"] == 1


@each(
    "text",
    [
        "ghp_" + "x" * 36,
        "sk-" + "your-api-key-here",
        "xoxb-" + "your-token",
        "export OPENAI_API_KEY=sk-" + "x" * 20,
        "task-management-system-of-the-company",
        "risk-assessment-and-mitigation-plan-for-2026",
        "npm_config_registry and npm_lifecycle_event",
        "hf_hub_download(repo_id, filename)",
        "pypi-publish-action-for-the-release-of-packages",
        "re_search_pattern_for_identifiers",
        "eyJust a word, eyJoined. another.",
        "st.session_state.current_conversation_identifier",
        "s.replace_all_the_old_names_with_new_ones(a, b)",
    ],
)
def test_what_only_begins_like_a_token_stays(text):
    assert redact_text(text) == text
