"""Token shapes of clusters, smaller services, and of issuers that nobody has listed yet."""

from __future__ import annotations

import re

from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import API_KEY, Rule
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.values.notation import is_issued, pattern, prefixed, shaped
from nanobot_memory_plugins.redaction.values.value_shapes import entropy, is_hash_like

START = "<start>"
_UUID = r"<H>{8}-<H>{4}-<H>{4}-<H>{4}-<H>{12}"
_DIGITS_OF_RANDOM_TEXT = 4
_SPEAKING = lazy_re(r"[A-Za-z]{9,}")
_PUBLISHABLE = ("pk_test_", "pk_live_")  # made to stand in web pages
# What services put before their tokens to say what they are; "test" and "prod" alone would be names of branches.
_SAYING = tuple(
    sorted(
        words(
            "live test prod sandbox sk pat pk rk sec key api apikey secret token tok svc oauth auth access refresh bot"
            " admin"
        )
    )
)


def is_random_tail(token: str) -> bool:
    """Tell whether what follows the last prefix of ``token`` is random: no checksum, no words with a number."""
    tail = re.split(r"[_-]", token)[-1]
    if token.startswith(_PUBLISHABLE) or is_hash_like(tail) or not is_issued(token) or entropy(tail) < 3.2:
        return False
    digits = sum(char.isdigit() for char in tail)
    if digits == 0 or len(_SPEAKING.findall(tail)) > 1:
        return False
    mixed = any(char.isupper() for char in tail) and any(char.islower() for char in tail)
    return digits >= _DIGITS_OF_RANDOM_TEXT or (mixed and digits >= 2)


FURTHER_RULES: tuple[Rule, ...] = (
    # Model providers
    shaped("siliconflow_key", r"<word>sk-[a-z]{44,52}<end>", "sk-"),
    prefixed("together_key", "tgp_v1_", r"<W>{36,60}"),
    prefixed("llama_cloud_key", "llx-", r"<A>{40,60}"),
    prefixed("browser_key", "bb_live_ bb_test_", r"<W>{20,40}"),
    prefixed("deepgram_or_lab_key", "LLM- LA- lmnt_", r"<A>{32,64}<end>", border=START),
    # Clusters and registries
    prefixed("swarm_token", "SWMTKN-1- SWMKEY-1-", r"[A-Za-z0-9+/=-]{30,120}"),
    shaped("nats_seed", r"<start>S[ACNOUX][A-Z2-7]{56}<end>", "SA", "SC", "SN", "SO", "SU", "SX", mixed=True),
    shaped(
        "azure_marked_key",
        r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{38,48}\+(?:ACR|AEh|AHs|ASb|ARm|ABa)[A-Za-z0-9+/]{4,12}={0,2}"
        r"(?![A-Za-z0-9+/=])",
        "+ACR",
        "+AEh",
        "+AHs",
        "+ASb",
        "+ARm",
        "+ABa",
        loose=True,
    ),
    shaped("appsync_key", r"<start>da2-[a-z0-9]{26}<end>", "da2-"),
    prefixed("bitbucket_token", "BBDC-", r"[A-Za-z0-9+/=]{36,60}"),
    prefixed("cosmo_key", "cosmo_", r"<H>{32}<end>"),
    prefixed("teleport_token", "tbot- tpt_", r"<A>{30,60}"),
    prefixed("garage_key", "GK", r"[0-9a-f]{24}<end>", border=START),
    # Services
    prefixed("wakatime_key", "waka_ waka_tok_ waka_sec_", _UUID),
    prefixed("riot_key", "RGAPI-", _UUID),
    shaped("newrelic_key", r"<start>(?:eu01xx)?<H>{30,36}(?:NRAL|FFFFNRAL)<end>", "NRAL", loose=True),
    prefixed("picatic_key", "sk_live_ sk_test_", r"<H>{32}"),
    prefixed(
        "paseto", "v1.local. v2.local. v3.local. v4.local. v1.public. v2.public. v3.public. v4.public.", "<D>{40,}+"
    ),
    shaped(
        "paserk",
        r"k[1-4]\.(?:local|secret|local-wrap\.pie|secret-wrap\.pie|seal|local-pw|secret-pw)\.<W>{40,400}",
        "k1.",
        "k2.",
        "k3.",
        "k4.",
    ),
    # Nobody's in particular: "acme_live_...", "acme-api-...", with a random tail
    Rule(
        "prefixed_token",
        API_KEY,
        pattern(
            r"<word>(?:[a-z][a-z0-9]{1,11}[_-]){0,2}(?:" + "|".join(_SAYING) + r")(?:[_-][a-z0-9]{1,8})?[_-]"
            r"<A>{20,400}(?![A-Za-z0-9_-])"
        ),
        is_random_tail,
        tuple(f"{word}{mark}" for word in _SAYING for mark in "_-"),
    ),
)
"""Every further shape."""
