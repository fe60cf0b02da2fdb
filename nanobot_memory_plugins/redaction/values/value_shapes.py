"""Judging whether a value is a secret, or a reference to one, a placeholder, a mask, a type, a word."""

import math
import re
from collections import Counter
from functools import lru_cache
from itertools import pairwise

from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.rules.keyword_index import words
from nanobot_memory_plugins.redaction.rules.rule import PLACEHOLDER
from nanobot_memory_plugins.redaction.values.key_names import Sensitivity

LONGEST_JUDGED = 256
"""Characters by which a value is judged; the rest of a longer value is treated like its beginning."""

_NOT_SECRETS = words(
    """
    amd64 i386 arm64 armhf x86_64 aarch64 noarch
    none null nil undefined true false yes no on off empty unset default required optional mandatory missing
    invalid valid
    expired changed enabled disabled incorrect correct wrong unknown redacted removed hidden masked censored scrubbed
    omitted filtered protected private public secret password passwd pwd passphrase token key apikey credential
    credentials
    string str int integer float bool boolean bytes object any text number char varchar uuid date datetime list dict
    optional secretstr json array void self this cls value values val data input output result args kwargs param params
    todo tbd fixme xxx changeme change-me change_me replaceme placeholder example sample dummy fake foo bar baz
    foobar test
    n/a na nan is was are be not the a an and or for of to from in at by with your my our must should can will
    here there it that which what when where how why if else return print import pass hash hashed plain encrypted
    encoded base64 bearer basic digest oauth oauth2 jwt md5 sha1 sha256 sha512 bcrypt argon2 scrypt pbkdf2 aes rsa hmac
    ed25519 hs256 rs256 es256 utf8 utf-8 ascii hex hexadecimal random generated based authentication authorization
    auth login access refresh session only required. file env environment variable prompt stdin config vault keyring
    keychain await async new lambda requires option flag argument parameter instead using
    write read raise throw break continue assert exit die
    username user email host hostname port name type label field header body query cookie string. select null.
    """
)
_PLACEHOLDER_HINT = lazy_re(
    r"""(?ix)
    \b(?:your|insert|enter|replace|paste)[-_ ]?(?:own|real|actual|the|a|an|my|in|with|me|this|here)?[-_ ]?
      (?:api|app|auth|access|secret|client|key|token|pass|pwd|cred|user|value|service|account|database|db|here|bot
        |openai|github|slack|aws|stripe|private|org)
    | ^(?:put|use|add|fill|set|provide|some|any)[-_ ]?(?:own|real|actual|the|a|an|my|in|with|this)?[-_ ]?
      (?:api|app|auth|access|secret|client|key|token|pass|pwd|cred|value)[a-z_ -]*$
    | (?<![a-z0-9])(?:change|replace)[-_ ]?(?:me|this|it)(?![a-z0-9])
    | [-_ ]here\b | placeholder | redacted | <[^<>]*> | \[[a-z _-]+\] | \.\.\.\s*$ | ^\.\.\. | \u2026
      | example(?:[-_]?key)?$
    | ^(?:my|the|a|an|some|test|fake|dummy|sample|example|demo|mock|default|super|very)?[-_ ]?(?:super|very)?[-_ ]?
      (?:secret|api|access|auth|private|client|app|db|user|admin)?[-_ ]?(?:key|token|password|passwd|pwd|secret
        |passphrase|credential)s?(?:[-_ ]?(?:value|string|name|goes[-_ ]?here))?$
    | ^[a-z]+(?:[-_][a-z]+){0,6}[-_](?:api[-_]?)?(?:key|token|secret|password|pat)s?$
      | \\[wdsWDSbB](?![a-z0-9]{3}) | \[\^ | \(\?[:=!<P] | \[[^\]\s]+\][+*{]
    | ^(?:example|dummy|fake|sample|mock|todo|tbd|fixme|xxx+)(?:[-_ ].*)?$
    """
)
# Every hint contains one of these.
_HINT_CUES = lazy_re(
    r"your|insert|enter|replace|paste|put|use|add|fill|set|provide|some|any|change|here|placeholder|redacted|example|key"
    r"|token|pass|pwd|secret|cred|pat|dummy|fake|sample|mock|todo|tbd|fixme|xxx|[<\[\u2026\\]|\.\.\.|\(\?"
)
_MASK = lazy_re(r"[*\u2022\u25cf\u00b7\u2217#xX.\-_?=~+]{2,}|[xX0]{4,}(?:[-_ .:][xX0]{2,})*|(?:[-_.:]|[xX]{3,}+)++")
_MASKED_PART = lazy_re(r"\*{3,}|[\u2022\u25cf]{3,}|[xX]{6,}|\.{3,}|(?:<|&lt;)[a-z_ -]+(?:>|&gt;)", re.IGNORECASE)
_MASK_CUES = ("***", "\u2022", "\u25cf", "xxxxxx", "...", "<", "&lt;")
_REFERENCE = lazy_re(
    r"""(?x)
      \$\{.* | \$\(.* | \$[A-Z_][A-Z0-9_]*[,;)\]}]* | \$[a-z_]+(?:->\w+)*[,;)\]}]* | \$env:\w+ | \$secrets?\..*
        | \$\{\{.*
    | \{\{.* | \{[A-Za-z_][\w.\[\]'"!:]*\} | \{\}
      | %[A-Z_][A-Z0-9_]*% | %env\(.* | &(?:mut[ ])?\[.* | %\(\w+\)[a-z] | %[sdr] | \#\{.* | <.*
      | @@?\w+@@? | :[a-z_]+ | (?:Read|Get|New|Import|ConvertTo|ConvertFrom)-[A-Z][A-Za-z]+ | [a-z][a-z-]{1,20}="[^"]*"?
    | (?:arn:aws|vault:|secret://|op://|ref\+|projects/|file://|env:|env\.|secretsmanager:|ssm:|keyvault|keyring:
      |aws-sm:|gcp-sm:|kms:).*
    | !(?:Ref|Sub|GetAtt|ImportValue|env|ENV|vault|secret)(?![A-Za-z]).*
    | v[0-9]{1,3}(?:\.[0-9]{1,6}){2}(?:[-+][0-9A-Za-z.-]{1,60})? | ENC\[.*
    | /(?:run|var|etc|home|root|Users|srv|usr|opt|mnt|tmp
      |path)/[\w./-]* | \.{1,2}/[\w./-]+ | ~/[\w./-]+
    | /(?:[\w.-]+/)*[\w.-]+\.(?:json|pem|key|crt|cer|p12|pfx|ya?ml|txt|env|toml|ini|jks) | Ag[A-Za-z0-9+/]{100,}={0,2}
    | \[[A-Z][A-Z0-9_]{1,39}\].* | \#[0-9a-fA-F]{3,8} | :?[a-z]+:`.* | \*\S*\* | --?[a-z][a-z-]*=? | \[[^\]]*\]\(.*
    """
)
# A Chinese, Japanese or Korean label, possibly with English words: "显示 API 密钥".
_EASTERN = r"\u2e80-\u9fff\uac00-\ud7a3"
_LABEL = lazy_re(rf"(?=[^{_EASTERN}]*+[{_EASTERN}])(?:[^\W\d_]|[\s·:,.])*+(?:[{_EASTERN}](?:[^\W\d_]|[\s·:,.])*+)?")
_MINIFIED = lazy_re(r"===|=>|\|\||&&|\?\?|\(\)|\}=|\(!|==null|[;,]\}|\{type")
_TITLE = lazy_re(r"[A-Z][a-z]+")
_NAME_IN_FOLDER = lazy_re(r"[a-z0-9_-]{2,40}(?:/[A-Za-z0-9_.-]{2,60}){1,4}")
_SCHEME_AND_TOKEN = lazy_re(r"(?i)(?:bearer|basic|token|bot|key) \S+")
_SECRET_NAME = lazy_re(
    r"__\w+__|[,;]\s?[\w\"']+\s?[:=]|[a-z]\w*(?:\.[A-Za-z_]+)+(?:[Pp]assword|[Tt]oken|[Ss]ecret|[Kk]ey)"
    r"|[a-z]+(?:[A-Z][a-z]+)*(?:Password|Passwd|Token|Secret|Key|Credentials?)"
)
_ALGORITHM = lazy_re(
    r"(?i)(?:scram-|hmac-|pbkdf2[-_:])?(?:sha|md|ripemd)-?[0-9]{1,3}(?:[-_/][0-9]{3})?|base-?(?:16|32|58"
    r"|64)(?:url)?|aes-?(?:128|192|256)(?:-[a-z]{3})?|rsa-?[0-9]{4}"
    r"|[hrep]s(?:256|384|512)|oauth-?[12](?:\.0)?|argon2(?:id|i|d)?|pbkdf2|x\.?509|pkcs-?#?[0-9]{1,2}"
    r"|utf-?(?:8|16)|tls-?v?1\.[0-3]|http/?[123](?:\.[01])?|ipv[46]"
)
_CALL = lazy_re(
    r"(?:new |await |not |lambda |&|\*|!|-)?\(?[A-Za-z_$][A-Za-z0-9_$]*(?:(?:\.|->|::"
    r"|\?\.)[A-Za-z_$][A-Za-z0-9_$]*)*\s*[(\[].*",
    re.DOTALL,
)
_DOTTED = lazy_re(r"[A-Za-z_$][A-Za-z0-9_$]{0,40}(?:(?:\.|->|::|\?\.)[A-Za-z_$][A-Za-z0-9_$]{0,40})+[!,;:)\]}]*")
_IDENTIFIER = lazy_re(r"[A-Za-z_$][A-Za-z0-9_$]*")
_PLAIN_WORD = lazy_re(r"[A-Za-z]+(?:[-_'][A-Za-z]+)*[.,;:!?]?")
_NAME_STEMS = words("password passwd pwd secret token apikey api_key credential _key passphrase getpass")
_TYPE_NAME = lazy_re(r"(?:[A-Z]{1,5}[0-9]{0,2}[a-z]{2,}+){1,6}(?:\[.*|\?|\|.*|<.*)?")
_TYPE_WORDS = words(
    "str string int integer bool boolean bytes float any text char varchar object number none null undefined"
)
_NUMBER = lazy_re(r"[+-]?[0-9][0-9_,.]*[a-zA-Z%]{0,2}")
_UUID = lazy_re(r"(?:urn:uuid:)?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_HEX = lazy_re(r"(?:0x)?[0-9a-fA-F]{7,}")
_DATE = lazy_re(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T_ -].*)?")
_URL = lazy_re(r"[a-z][a-z0-9+.-]{1,20}://.*|www\..*|mailto:.*|data:.*", re.IGNORECASE)
_TOKEN_CHARS = lazy_re(r"[A-Za-z0-9+/=_.~!@#$%^&*:|?-]+")
_PARTS = lazy_re(r"[-_./:+=~]")
_PLAIN_PART = lazy_re(r"[A-Za-z]?[a-z]*[0-9]{0,4}|[A-Z]{1,12}[0-9]{0,4}|[0-9]+|[vV]?[0-9]{1,4}[a-z]{0,3}")
# A password with a dot in it reads like an attribute: "GcvOf4.IxJwSvuF".
_PARTS_OF_DOTTED_PASSWORD = 2
_LONGEST_DOTTED_PASSWORD = 18
_NUMBERS = lazy_re(r"[0-9]+")
_SYMBOLS = frozenset("!@#$%^&*?~+=|")
_CAMEL_CASE = lazy_re(r"[a-z]*+(?:[A-Z]{1,6}+[0-9]{0,2}+[a-z]*+){1,12}+[0-9]{0,3}")


@lru_cache(maxsize=256)
def is_placeholder(value: str) -> bool:
    """Return whether ``value`` stands for a secret without being one: a mask, a variable, ``<your-key>``, ``None``."""
    text = value.strip().strip("\"'`")
    low = text.lower()
    return bool(
        not text
        or low in _NOT_SECRETS
        or low.rstrip(".,;:!?)]}") in _NOT_SECRETS
        or PLACEHOLDER.match(text)
        or any(shape.fullmatch(text) for shape in (_ALGORITHM, _SECRET_NAME, _REFERENCE, _MASK))
        or (not text.isascii() and _LABEL.fullmatch(text))
        or (len(set(low)) <= 2 and len(low) >= 4 and not low.isdigit())
        or (any(map(low.__contains__, _MASK_CUES)) and _MASKED_PART.search(text))
        or (len(text) <= 80 and _HINT_CUES.search(low) and _PLACEHOLDER_HINT.search(text))
    )


def is_code(value: str, key: str) -> bool:
    """Return whether an unquoted ``value`` is program text: a call, an attribute, a variable, a type."""
    text = value.strip()
    if _MINIFIED.search(text) or (_CALL.fullmatch(text) and not _looks_like_password(text)):
        return True
    if _DOTTED.fullmatch(text):
        parts = text.split(".")
        is_short = len(parts) == _PARTS_OF_DOTTED_PASSWORD and len(text) <= _LONGEST_DOTTED_PASSWORD
        if is_short and looks_random("".join(parts), minimum=12):
            return False
        return not any(len(part) > 20 and looks_random(part, allow_hex=True) for part in parts)
    bare = text.rstrip(",;:)]}")
    if _IDENTIFIER.fullmatch(bare):
        low = bare.lower()
        if low == key.lower() or low in _TYPE_WORDS:
            return True
        return any(stem in low for stem in _NAME_STEMS) and not any(char.isdigit() for char in low)
    return False


def _looks_like_password(text: str) -> bool:
    # A call closes its bracket; "Ember(k9!" does not. Digits before the bracket are rare in names, not in passwords.
    head = re.split(r"[(\[]", text, maxsplit=1)[0]
    return not re.search(r"[)\]._]", text) and any(c.isdigit() for c in head)


def is_type_name(value: str) -> bool:
    """Return whether ``value`` reads like a type in an annotation: ``str``, ``SecretStr``, ``Optional[str]``."""
    bare = value.strip().rstrip(",;)=!").lstrip("&*")
    return bare.lower() in _TYPE_WORDS or bool(_TYPE_NAME.fullmatch(bare))


def is_word(value: str) -> bool:
    """Return whether ``value`` consists of letters only, like an ordinary word or a few joined ones."""
    return bool(_PLAIN_WORD.fullmatch(value.strip()))


def is_scrambled(value: str) -> bool:
    """Return whether ``value`` consists of letters whose case changes unlike in words and CamelCase names."""
    if len(value) < 12 or not value.isalpha() or not value.isascii() or is_ordinary(value):
        return False
    return sum(left.islower() != right.islower() for left, right in pairwise(value)) >= len(value) // 4


def is_hash_like(value: str) -> bool:
    """Return whether ``value`` is bare hexadecimal or a UUID, as identifiers and checksums are."""
    text = value.strip()
    return bool(_UUID.fullmatch(text) or _HEX.fullmatch(text))


def entropy(value: str) -> float:
    """Return the Shannon entropy of ``value`` in bits per character."""
    shares = [count / len(value) for count in Counter(value).values()]
    return -sum(share * math.log2(share) for share in shares)


@lru_cache(maxsize=256)
def looks_random(value: str, *, allow_hex: bool = False, minimum: int = 16) -> bool:
    """Return whether ``value`` looks machine-made: long, mixed, and not built from words, numbers or dates."""
    text = value.strip()
    if len(text) < minimum or not _TOKEN_CHARS.fullmatch(text):
        return False
    if is_hash_like(text):
        return allow_hex and entropy(text) >= 2.5 and not text.isdigit()
    digits, uppers, lowers = (sum(map(kind, text)) for kind in (str.isdigit, str.isupper, str.islower))
    return not (
        _URL.fullmatch(text)
        or _DATE.fullmatch(text)
        or _NUMBER.fullmatch(text)
        or (digits == 0 and (uppers < 3 or lowers < 3 or len(text) < 20))
        or uppers + lowers == 0
        or (all(map(is_ordinary, _PARTS.split(text))) and not _has_alternation(text))
        or entropy(text[:256]) < 2.9
    )


def is_ordinary(part: str) -> bool:
    """Return whether ``part`` is a word, a number, an abbreviation, a version, or a name in CamelCase."""
    # In CamelCase at most one letter in three is a capital, and there is at most one number.
    return bool(
        _PLAIN_PART.fullmatch(part)
        or (
            _CAMEL_CASE.fullmatch(part)
            and 3 * sum(map(str.isupper, part)) <= len(part)
            and len(_NUMBERS.findall(part)) <= 1
        )
    )


def _has_alternation(text: str) -> bool:
    # Letters and digits that alternate often: "k9f2m1", but not "service2024".
    kinds = ["d" if c.isdigit() else "a" for c in text if c.isalnum()]
    changes = sum(1 for left, right in pairwise(kinds) if left != right)
    return changes >= max(5, len(kinds) // 5)


@lru_cache(maxsize=256)
def has_password_marks(value: str) -> bool:
    """Return whether a bare word in running text has the signs of a password: digits with letters, or symbols."""
    text = value.strip().rstrip(".,;:)")
    if len(text) < 4 or _DATE.fullmatch(text) or _URL.fullmatch(text):
        return False
    letters, digits = any(map(str.isalpha, text)), any(map(str.isdigit, text))
    symbols = not _SYMBOLS.isdisjoint(text.rstrip("?!"))  # they may also end a sentence
    is_marked = digits and symbols if len(text) < 6 else digits or symbols
    return (letters and is_marked) or is_scrambled(text)


def is_secret_value(value: str, level: Sensitivity, *, key: str, quoted: bool, running_text: bool) -> bool:
    """Return whether ``value`` under a name ``key`` of sensitivity ``level`` is a secret.

    ``quoted`` says that the value was in quotes, ``running_text`` that words follow it on its line, so that the name
    may be a word of a sentence.
    """
    text = value[:LONGEST_JUDGED].strip()
    if is_placeholder(text) or (not quoted and is_code(text, key)):
        return False
    if level is Sensitivity.CODE:
        return (text.isdigit() and 3 <= len(text) <= 10) or looks_random(text, minimum=8)
    if level is Sensitivity.WEAK:
        # Salts contain every kind of character.
        return looks_random(text) or (quoted and len(text) >= 40 and " " not in text and entropy(text) >= 4.2)
    if level is Sensitivity.HEX:
        return looks_random(text, allow_hex=True, minimum=14)
    if text.startswith(('{"', "{'")) or (_URL.fullmatch(text) and "@" not in text):
        return False
    if level is Sensitivity.TOKEN:
        if text.isdigit():
            return len(text) >= 6 and not running_text
        if is_word(text) and not is_scrambled(text):
            return quoted and len(text) >= 24 and text.lower() != text
        is_secret = has_password_marks(text) or looks_random(text, allow_hex=True, minimum=12)
        return is_secret and not (_NUMBER.fullmatch(text) or len(text) < 5 or " " in text)
    if running_text and not quoted:
        return has_password_marks(text) or (text.isdigit() and len(text) >= 6 and level is Sensitivity.PASSWORD)
    if level is Sensitivity.COMPOUND:
        if _NUMBER.fullmatch(text):
            return text.isdigit() and len(text) >= 6
        return (
            len(text) >= 5
            and (" " not in text or bool(_SCHEME_AND_TOKEN.fullmatch(text)))
            and (not _NAME_IN_FOLDER.fullmatch(text) or looks_random(text))
            and not _TITLE.fullmatch(text)
        )
    if " " in text and not any(char.isdigit() for char in text):
        return text.islower() and text.isascii() and text.count(" ") < 6  # a passphrase, not the label of a field
    return len(text) >= (2 if quoted else 3) and text.count(" ") < 6


def is_surely_secret(value: str, level: Sensitivity) -> bool:
    """Return whether ``value``, which is only near a name of sensitivity ``level``, looks secret by itself."""
    if (
        level < Sensitivity.TOKEN
        or is_placeholder(value)
        or " " in value
        or (value.isalpha() and not is_scrambled(value))
    ):
        return False
    return looks_random(value, minimum=10, allow_hex=True) or (
        level >= Sensitivity.COMPOUND and has_password_marks(value)
    )
