"""Secrets told in Japanese, Korean and European sentences: ``パスワードは...``, ``mot de passe : ...``."""

from __future__ import annotations

from collections.abc import Iterator

from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.prefilter import matches
from nanobot_memory_plugins.redaction.rules.rule import Span
from nanobot_memory_plugins.redaction.values.sentence_values import Q, is_technical, is_told, told_span
from nanobot_memory_plugins.redaction.values.value_shapes import LONGEST_JUDGED, is_placeholder
from nanobot_memory_plugins.redaction.values.values_in_text import value_at

_STEMS = (
    "パスワード|パスフレーズ|暗証番号|トークン|秘密鍵|シークレット|apiキー|비밀번호|패스워드|암호|비번|토큰|비밀키|"
    "mot de passe|mdp|jeton|clé secrète|passwort|kennwort|contraseña|contrasena|clave|senha|palavra-passe|"
    "parola d.ordine|пароль|токен|ключ|hasło|hasla|heslo|şifre|parola|wachtwoord|lösenord|adgangskode|passord|"
    "salasana|mật khẩu|jelszó|κωδικός"
)
_CUES = KeywordIndex(stem.replace("parola d.ordine", "parola d") for stem in _STEMS.split("|"))
_TOLD = lazy_re(
    rf"""(?xi)
    (?<![A-Za-z]) (?P<stem> {_STEMS.replace(" ", "[ ]")} ) [{Q})*]{{0,3}}
    (?: [ ](?:nova|novo|nueva|nuevo|neue[sr]?|nouveau|nouvelle|actual|atual|aktuelle[sr]?|meiner|meines
      |meine|mia|новый) )?
    (?: [ ](?:de|du|der|del|da|do|für|para|pour|per|для|от)[ ][^\s:=]{{1,30}} (?:[ ][^\s:=]{{1,30}}){{0,2}}? )?
    (?: \s{{0,3}}[:=]\s{{0,3}} | \s{{0,2}}(?:は|を|는|은|이|가|를|을|로)\s{{0,2}} | (?=[{Q}])
      | \s{{1,3}}(?:ist|lautet|auf|a|em|su|in|en|à|pour|für|es|est|c'est|sei|é|è|is|to|jest|je|är|er|on|это|—|-)
          \s{{1,3}}:?\s{{0,2}}
      | [ \t\x0b]{{1,3}} )
    [*]{{0,2}} (?=[!-~{Q}])
    """
)


def find_told_in_other_languages(text: str, lower: Lowered) -> Iterator[Span]:
    """Find secrets that sentences of the folded ``text`` tell; ``lower`` is the same in lower case."""
    if not _CUES.meets(lower):
        return
    for match in matches(_TOLD, text, lower):
        value = value_at(text, match.end())
        if value is None:
            continue
        found = text[value.start : min(value.end, value.start + LONGEST_JUDGED)]
        if is_told(found) and not is_technical(found) and not is_placeholder(found):
            yield told_span(value.start, value.end)
