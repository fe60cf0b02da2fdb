"""Values of sensitive names: assignments, JSON, YAML, XML, headers, queries, flags, declarations, forms.

Every ``name separator`` in the text is checked once, and its value is read only if the name is sensitive, so that plain
text costs little.
"""

import re
from collections.abc import Iterator
from string import ascii_letters, digits

from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.rules.keyword_index import (
    CueIndex,
    KeywordIndex,
    LowercaseText,
    matches_near,
    places_of,
    words,
)
from nanobot_memory_plugins.redaction.rules.rule import RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.redaction.script.folding import QUOTES
from nanobot_memory_plugins.redaction.values.key_names import NAME_CUES, Sensitivity, sensitivity, split_name
from nanobot_memory_plugins.redaction.values.value_shapes import (
    has_password_marks,
    is_scrambled,
    is_secret_value,
    is_surely_secret,
    is_type_name,
)
from nanobot_memory_plugins.redaction.values.values_in_text import (
    Value,
    end_of_block,
    line_before,
    value_at,
)

_Q = "\"'`\ue0f1-\ue0f9"
# A longer bare value is judged once: names inside it do not begin pairs.
_LONG_VALUE = 400
_NAME = r"(?P<name>[A-Za-z_$][A-Za-z0-9_.$-]{0,79}+)"
_PAIR = lazy_re(
    rf"""(?x)
    (?<![A-Za-z0-9_]) {_NAME} (?P<close>[{_Q}\])*]{{0,4}}) [ \t]{{0,12}} (?=[:?+=|~,.<设改换更等是为的填-])
    (?P<sep> :=|\?=|\+=|=>|\|\|=|\?\?=|==?=?|::?|->|~> | (?<=[{_Q}])[ \t]?, | \.{{3,60}}(?=[ ])
      | (?:的值)?(?:设置?[为成]|[改换][为成]|更新为|等于|填|是|为):? | </t[dh]>\s{{0,4}}<td[^<>]{{0,60}}> )
    (?:[*_]{{1,3}}(?=[ \t]?`))? [ \t\x0b]{{0,12}}
    (?:<(?:b|strong|code|kbd|em|i|tt|span)(?:[ ][^<>]{{0,60}})?>[ ]?){{0,2}}
    """
)


# Other shapes that end where a value begins, by the strings of which one must occur in the text.
_NAME_SHAPES, _CUE_SHAPES, _OTHER_SHAPES = (
    CueIndex((cues.split(), lazy_re(shape)) for cues, shape in shapes.items())
    for shapes in (
        {  # shapes that begin with the name
            # process.env.API_KEY || "...", ENV["API_KEY"] or '...'
            "|| ?? or ?:": rf"(?<![A-Za-z0-9_]){_NAME}[\"')\]]{{0,3}}[ \t]{{0,3}}(?:\|\||\?\?|\bor\b|\?:)["
            rf" \t]{{0,3}}(?=[\"'`])",
            # const clientSecret string = "...", const API_KEY: &'static str = "...", static const char token[] = "..."
            "=": rf"(?<![A-Za-z0-9_]){_NAME}(?:\[[0-9A-Za-z_]{{0,20}}\]|:[ \t]{{0,2}}&?(?:'[a-z]+[ ])?[A-Za-z]{{1,20}}"
            r"|[ \t]{1,3}[*&]?[A-Za-z][A-Za-z0-9.]{1,20})[ \t]{0,3}:?=[ \t]{0,3}(?=[\"'`])",
            # a wrapper around the value: SecretStr("..."), b64decode("...")
            "(": rf"(?<![A-Za-z0-9_]){_NAME}[\"']?[ \t]{{0,3}}[:=]{{1,2}}["
            rf" \t]{{0,3}}(?:[A-Za-z_][A-Za-z0-9_]{{0,20}}(?:\.|::))?"
            r"(?:fromhex|b64decode|unhexlify|SecretStr|from|new|decode|atob|String|str|bytes|Some|Secret|\[\]byte"
            r"|Buffer\.from)"
            r"\([ \t]{0,2}(?=[br]?[\"'])",
            # "db_password": {"sensitive": true, "type": "string", "value": "..."
            "alue efault": rf"(?<=[{_Q}]){_NAME}[{_Q}][ ]?:[ ]?\{{\s{{0,12}}(?:[{_Q}][A-Za-z_]{{2,20}}[{_Q}][ ]?:[ ]?"
            rf"(?:[{_Q}][^\n{_Q}{{}}]{{0,80}}[{_Q}]|true|false|null|[0-9]{{1,10}})\s{{0,2}},\s{{0,16}}){{0,5}}"
            rf"[{_Q}](?:value|default)[{_Q}][ ]?:[ ]?(?=[{_Q}])",
            # public string ApiKey { get; set; } = "..."
            "get;": rf"{_NAME}[ ]?\{{[ ]?get;[^{{}}]{{0,20}}\}}[ ]?=[ ]?(?=\")",
        },
        {  # shapes that begin with one of the strings
            # variable "db_password" { default = "..." }
            "variable": rf"variable[ \t]{{1,4}}\"{_NAME}\"[ \t]{{0,4}}\{{[^{{}}]{{0,300}}?default[ \t]{{0,20}}=["
            rf" \t]{{0,4}}(?=\")",
            "<key>": r"<key>(?P<name>[A-Za-z][A-Za-z0-9_. -]{1,79})</key>\s{0,20}<string>",
            # <entry key="db.password">...</entry>, <meta-data android:name="API_KEY" android:value="..."/>
            "name= key= id=": r"(?:name|key|id)=[\"'\ue0f1-\ue0f9](?P<name>[A-Za-z_][A-Za-z0-9_.:-]{1,79})"
            r"[\"'\ue0f1-\ue0f9]"
            r"(?:\s{1,8}(?:[a-z]{1,20}:)?(?:value|content)=(?=[\"'])|[^<>]{0,80}>(?:<!\[CDATA\[)?)",
            # Content-Disposition: form-data; name="password", an empty line, the value
            "form-data": r"form-data;[ \t]{0,4}name=[\"\ue0f1-\ue0f9]?(?P<name>[A-Za-z_][A-Za-z0-9_.-]{1,79})"
            r"[\"\ue0f1-\ue0f9]?"
            r"[ \t]{0,4}\r?[\n\x0b](?:[^\n\x0b]{0,200}[\n\x0b])?\r?[\n\x0b]",
            # {"name": "DB_PASSWORD", "value": "..."}, name: DB_PASSWORD and value: ... on the next line
            "name key field parameterkey id var envvar property": rf"""(?xi)
        (?<![A-Za-z0-9_]) (?:name|key|field|parameterkey|id|var|variable|envvar|property) [{_Q}]? \s{{0,4}} [:=]
        \s{{0,4}}
        [{_Q}]? {_NAME} [{_Q}]? [\s,;]{{1,40}}+
        (?: [{_Q}] (?:path|domain|expires|httpOnly|secure) [{_Q}] \s? : \s? [^\s,]{{1,80}} [\s,;]{{1,40}}+ ){{0,4}}
        (?: type [{_Q}]? \s{{0,3}} [:=] \s{{0,3}} [{_Q}]? [A-Za-z]{{1,20}} [{_Q}]? [\s,;]{{1,40}}+ )?
        [{_Q}]? (?:value|default|parametervalue|val) [{_Q}]? \s{{0,4}} [:=] [ \t]{{0,4}}""",
            # Separated by a blank: ENV DB_PASSWORD ..., #define WIFI_PASS "...", storePassword '...'
            "env arg set header proxy_set_header add_header #define config secret variable": r"(?<![A-Za-z0-9_-])"
            r"(?:ENV|ARG|setenv|setx|proxy_set_header|add_header|[Hh]eader[ ]set|set[ ]-[a-zA-Z]{1,3}|\#define"
            r"|(?:configure|config|secrets?|env|variable)[ ]"
            rf"(?:set|add|put))[ \t]{{1,8}}{_NAME}[ \t]{{1,12}}",
        },
        {  # shapes that are searched everywhere
            # <password>...</password>, <token><value>...</value>, <key>Password</key><string>...</string>
            "</": r"<(?P<name>[A-Za-z_][A-Za-z0-9_.:-]{1,60}+)(?:\s[^<>]{0,200})?>\s{0,20}(?:<(?:[Vv]alue|string"
            r"|[Pp]lainText)>"
            r"|<!\[CDATA\[)?(?=[^<>\s])",
            "pass token secret": r"(?<![A-Za-z0-9_.])(?P<name>[a-z]{2,20}[A-Z_][A-Za-z_]{2,30})[ ](?=[\"'])",
        },
    )
)
# A value of several words that fills its line: psk=three plain words
_WORDS_TO_END = lazy_re(r"[a-z0-9]+(?:[ ][a-z0-9]+){2,7}(?=\n|\Z)")
_FLAG = lazy_re(
    r"(?<![A-Za-z0-9_=/-])(?:--?|/)(?P<name>[A-Za-z][A-Za-z0-9_-]{1,60}+)(?P<sep>[ \t]{1,4}|=|:)(?![-\s|>&])"
)
_NOT_FLAG_STARTS, _NOT_FLAG_ENDS = ("no-", "export-", "list-", "delete-", "import-"), ("-stdin", "-hash")
_IDENTIFIER = lazy_re(r"[A-Za-z_$][A-Za-z_$]*")
# Calls that take a name and its value as two strings.
_SETTERS = ("define(", "etenv(", "putenv(", "SetEnvironmentVariable(", "setProperty(", "etItem(", "environ.setdefault(")
_LONGEST_PAIR, _LONGEST_NAME = 200, 79
_NAME_CHARACTERS = f"{ascii_letters}{digits}_.$-"
_NAME_START = lazy_re(r"(?<![A-Za-z0-9_])[A-Za-z_$]")
_QUERY_KEYS = words("ticket key sig signature code auth session sid k")
PAIR_CUES = NAME_CUES | KeywordIndex(("appid", "ticket", "?k=", "&k=", "_k=", "-k="))
"""Every name of a secret contains one of these words."""


def find_pairs(text: str, lower: LowercaseText) -> Iterator[Span]:
    """Find the values of sensitive names in the folded ``text``; ``lower`` is the same text in lower case."""
    places = [at for at, _, _ in PAIR_CUES.find(lower)]
    done = 0
    judged: dict[Sensitivity, int] = {}
    for match in matches_near(_PAIR, text, places, (2, 0, _LONGEST_PAIR)):
        # A pair inside a value that is already hidden is skipped.
        span = _judge_pair(text, match, judged) if match.start() >= done else None
        if span is not None:
            done = span.end
            yield span
    names = {_start_of_name(text, at) if text[at - 1 : at] in _NAME_CHARACTERS else at for at in places}
    for match in _find_shapes(text, lower, sorted(names)):
        yield from _find_value(text, match, match["name"].rsplit(":", 1)[-1].replace(" ", "_"))
    for match in _FLAG.finditer(text) if "-" in text or "/" in text else ():
        name = match["name"]
        is_other = name in ("p", "P") or name.startswith(_NOT_FLAG_STARTS) or name.endswith(_NOT_FLAG_ENDS)
        if not is_other and (match["sep"] == ":" or text[match.start()] != "/"):
            yield from _find_value(text, match, name)


def _start_of_name(text: str, at: int) -> int:
    """Return the start of the name that contains the word at ``at``."""
    head = text[max(0, at - _LONGEST_NAME) : at]
    name = _NAME_START.search(text, at - len(head) + len(head.rstrip(_NAME_CHARACTERS)), at + 1)
    return name.start() if name else at


def _find_shapes(text: str, lower: LowercaseText, names: list[int]) -> Iterator[re.Match[str]]:
    """Yield the matches of the other shapes; ``names`` are the starts of names that may be sensitive."""
    for shape, _words in _NAME_SHAPES.find(lower):
        yield from filter(None, (shape.match(text, at) for at in names))
    for shape, words_found in _CUE_SHAPES.find(lower):
        yield from filter(None, (shape.match(text, at) for word in words_found for at in places_of(word, lower)))
    for shape, _words in _OTHER_SHAPES.find(lower):
        yield from shape.finditer(text)


def _span(start: int, end: int) -> Span:
    return Span(start, end, "keyed_value", REDACTED, RANK_KEYED)


def _find_value(text: str, match: re.Match[str], name: str) -> Iterator[Span]:
    """Yield the value after ``match`` if it is a secret under ``name``."""
    level = sensitivity(name)
    value = value_at(text, match.end()) if level > Sensitivity.NONE else None
    if value is None:
        return
    found = text[value.start : value.end]
    is_usage = found.isupper() and found.replace("_", "").isalpha()  # --password PASSWORD
    if not is_usage and is_secret_value(found, level, key=name, quoted=value.quoted, running_text=value.running_text):
        yield _span(value.start, value.end)


def _judge_pair(text: str, match: re.Match[str], judged: dict[Sensitivity, int]) -> Span | None:
    """Return the value of a pair if it is secret; ``judged`` has the end of the last long value by sensitivity."""
    name, sep, at = match["name"].strip(".-$"), match["sep"], match.end()
    if (
        (text.startswith("?", at) and text.endswith("${", 0, match.start("name")))  # ${API_KEY:?must be set}
        # "mongodb://...", "https://oauth2:...": the password of a URL is found by another detector
        or text.startswith("//", match.end("sep"))
        or text.startswith("://", match.start("name") - 3)
    ):
        return None
    before = line_before(text, match.start("name"), 80)
    level, in_query = _sensitivity_in_place(text, match, name, before)
    if (
        level is Sensitivity.NONE
        or (at < judged.get(level, 0) and text[at] not in QUOTES)
        or (text[at : at + 1] in ("'", '"') and _closes_quote(text, at))  # getpass("Passphrase: ")
    ):
        return None
    value = value_at(text, at, in_query=in_query)
    if name.islower() and not before and match["sep"] == "=" and (words := _WORDS_TO_END.match(text, at)):
        value = Value(*words.span(), True)
    if value is None or (sep.strip() == "," and not value.quoted):
        return None
    if not value.quoted and value.end - value.start > _LONG_VALUE:
        judged[level] = value.end
    is_quoted_name = match["close"][:1] in tuple(_Q)
    is_compared = sep.startswith("==") or (sep == "=" and before.rstrip().endswith(("!", "<", ">")))
    is_type = sep == ":" and not is_quoted_name and is_type_name(text[value.start : value.end])  # password: SecretStr
    if not value.quoted and (is_compared or is_type):
        return None
    return _accepted_span(text, value, level, match, running=value.running_text and sep != "=" and not is_compared)


def _sensitivity_in_place(text: str, match: re.Match[str], name: str, before: str) -> tuple[Sensitivity, bool]:
    """Return the sensitivity of a name at its place, and whether it is in a query."""
    level = sensitivity(name)
    if match["sep"] == "=" and not match["close"]:
        if name == "code" and not before.strip() and "&" in text[match.end() : match.end() + 200].split("\n")[0]:
            return Sensitivity.HEX, True  # the body of a form
        if before[-1:] in ("?", "&"):
            last = split_name(name)[-1:]
            is_key = (last and last[0] in _QUERY_KEYS) or name == "appid"
            return (max(level, Sensitivity.HEX) if is_key else level), True
    return level, False


def _closes_quote(text: str, at: int) -> bool:
    after = text[at + 1 : at + 2]
    return (not after or after in "),;] \n") and line_before(text, at).count(text[at]) % 2 == 1


def _accepted_span(text: str, value: Value, level: Sensitivity, match: re.Match[str], *, running: bool) -> Span | None:
    found = text[value.start : value.end]
    if match["sep"].strip() == "," and not text.endswith(_SETTERS, 0, match.start("name") - 1):
        return _span(value.start, value.end) if is_surely_secret(found, level) else None
    if not value.quoted and _is_code_assignment(text, match, value):
        return None
    end = end_of_block(text, value) if value.quoted else value.end
    if end > value.end:
        lines = text[value.start : end].split()
        # Judge one line that is enough, or all lines joined: the token may be wrapped.
        found = found if has_password_marks(found) or " " in found else "".join(lines)
    if not is_secret_value(found, level, key=match["name"], quoted=value.quoted, running_text=running):
        return None
    return _span(value.start, end)


def _is_code_assignment(text: str, match: re.Match[str], value: Value) -> bool:
    """Return whether the value is an identifier in program text: ``password = value``, ``f(password=value, n=2)``."""
    found = text[value.start : value.end]
    after = text[value.end : value.end + 1]
    # A list in a log line or a sentence, not the arguments of a call.
    is_listed = after in (",", ")") and match["sep"] == "=" and "(" not in line_before(text, match.start())
    if is_listed or not _IDENTIFIER.fullmatch(found) or is_scrambled(found):
        return False
    if after in (",", ")", ";"):
        # A keyword argument or a statement; in a connection string ("...;Pwd=letmein;") the next pair follows at once.
        return not (after == ";" and "=" in text[value.end : value.end + 40]) or "_" in found
    spaced = text[match.start("sep") - 1 : match.start("sep")] == " " and match["sep"] in ("=", ":=")
    return spaced and ("_" in found or not (found.islower() or found.isupper()))
