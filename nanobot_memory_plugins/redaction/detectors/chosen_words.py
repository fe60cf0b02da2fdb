"""Passwords that somebody chose: a word, a few words, or words that dashes join, behind a word for a password.

Nothing in them looks like a secret: the name of what they open, the mark that links them, and the end of the clause
tell them. What opens a wireless network is mostly called its key.
"""

from __future__ import annotations

from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rows import Row, RowRules
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.values.value_shapes import is_placeholder

_Q = "[\"'`\ue0f1-\ue0f9*]{0,2}"
NAME = r"(?:[ ](?:for|of|to|at|in|on)(?:[ ][A-Za-z0-9'’-]{1,16}){1,5}?)?"
"""Of what it is one: "the password for the gate"."""
LINK = (
    r"(?:[ ](?:is|was|will[ ]be|has[ ]changed[ ]to|changed[ ]to|is[ ]now|=)[ ](?:now[ ]"
    r"|still[ ])?|[ ]?[:=,—-][ ]?|['’]s[ ])"
)
"""What links a name to its value."""
_END = r"(?=[ \t]*(?:[.,;!)|\n，。]|\Z))"
_FOR_ONE = r"(?:pass[ -]?word|pass[ -]?phrase|passcode|pw|pwd)"
_WORD = r"[A-Za-z]{5,20}"
_JOINED = r"[A-Za-z][A-Za-z0-9]{1,19}(?:-[A-Za-z0-9]{1,19}){1,6}"
_WORDS = r"[a-z]{3,12}(?:[ ][a-z]{3,12}){2,9}"
_NETWORK = r"(?:(?<![a-z])(?:wi-?fi|wlan|ssid|hotspot)(?![a-z])|无线|热点)"
_OF_NETWORK = rf"(?:(?<![a-z])(?:{_FOR_ONE}|key|psk|passwort|schlüssel)(?![a-z])|密[码钥]|钥匙|口令)"
# Its name, and a mark behind that.
_NAMED_NETWORK = (
    rf"{_NETWORK}(?:[ ](?:network|name|is)|[ ]?[名叫是])?[ ]?[:=]?[ ]?{_Q}[A-Za-z0-9_.-]{{2,40}}{_Q}"
    r"(?:[ ]?[,;/&(，；]|[ ]and|(?=[ ]密))[ ]?(?:the[ ])?"
)
_LINK_OF_KEY = r"(?:[ ](?:is|was|ist|lautet)[ ]|[ ]?(?:[:=→|是为]|->)[ ]?)"
_NETWORK_CUES = ("wifi", "wi-fi", "wlan", "ssid", "hotspot", "无线", "热点")
# None of them stands in a phrase that somebody chose; the rest of a sentence nearly always holds one.
_SENTENCE = words(
    "is are was were be been being am the a an and or but not no nor of to in on at for from with by as it its"
    " that this"
    " these those there here my your our his her their i you he she we they me him them us so too very also only just"
    " still always never ever yet when where while if then than because which who what how why will would can could"
    " should may might must do does did done has have had get got gets into out up down over under about after before"
    " again please anymore any some all each every more most less least same wrong incorrect invalid valid required"
    " optional missing empty blank expired weak strong short long longer shorter case sensitive secret safe secure"
    " different stored saved kept hashed encrypted plain text reset changed working visible hidden"
)
_JOINING = "and"
_POINTING = words(
    "see ask check use look enter choose type read call try find give tell send contact take company several"
    " asked printed"
)
# A way to encrypt, no key.
_STANDARD = lazy_re(r"(?i)(?:wpa|wep|aes|tkip|psk|802)")
_ADJECTIVE = lazy_re(r"[a-z]{2}(?:ed|ing|able|ible|ive|ous|ful|less|ant|ent|ory|ly|ish)$")
# What is said of a password without telling it.
_SAID_OF_ONE = _SENTENCE | words(
    "fine okay ok good bad great easy hard simple complex complicated random unknown known public private personal"
    " temporary default new old current initial unique common obvious important necessary useful useless broken gone"
    " lost stolen set unset null none true false yes maybe correct right ready active inactive available outdated"
    " pending exposed leaked numeric alphanumeric readable disabled enabled written typed mine yours theirs ours"
    " something nothing anything everything somewhere nowhere elsewhere below above inside attached online"
    " offline local"
    " global shared static dynamic mandatory sufficient insufficient identical similar bcrypt argon sha plaintext"
    " cleartext base numbers letters characters digits symbols passwords password username email needed accepted"
    " rejected"
    " provided generated rotated compromised denied checked verified confirmed synced cached printed logged sent"
    " forgotten correctly twice once today tomorrow yesterday soon later now due free full ambiguous"
)


def is_phrase(found: str) -> bool:
    """Tell whether ``found`` is words that somebody strung together, and not the rest of a sentence."""
    parts = found.lower().split()
    return len(set(parts)) > 2 and not any(
        part in _SENTENCE or _ADJECTIVE.search(part) for part in parts if part != _JOINING
    )


def _is_phrase_of_three(found: str) -> bool:
    """Tell whether ``found`` is three words that somebody strung together, and does not say what one is or where."""
    first, *others = found.split()
    return is_phrase(found) and first not in _POINTING and not _SAID_OF_ONE.intersection(others)


def is_chosen_word(found: str) -> bool:
    """Tell whether ``found`` is a word that somebody chose, and nothing that is said of a password."""
    word = found.lower()
    return word not in _SAID_OF_ONE and (found[:1].isupper() or not _ADJECTIVE.search(word))


def _is_chosen(found: str) -> bool:
    """Tell whether somebody chose ``found``: a word, words joined by dashes, or a few words."""
    if " " in found:
        return is_phrase(found)
    parts = found.split("-")
    if is_placeholder(found) or _STANDARD.match(found) or len(set(parts)) == 1 < len(parts):
        return False
    if any(part.lower() in _SENTENCE for part in parts if part != _JOINING):
        return False
    return is_chosen_word(parts[-1])


CHOSEN = RowRules(
    "access_code",
    (
        # correct horse battery staple
        Row(
            ("pass", "pw"),
            rf"(?<![a-z]){_FOR_ONE}{NAME}{LINK}{_Q}(?P<secret>[a-z]{{3,12}}(?:[ ]"
            rf"[a-z]{{3,12}}){{3,9}}){_Q}{_END}",
            "my password is «correct horse battery staple».",
            "the password is far too short for any serious use",
            is_phrase,
        ),
        # A passphrase is words by its name: three of them are enough.
        Row(
            ("passphrase", "pass phrase", "pass-phrase"),
            rf"(?<![a-z])pass[ -]?phrase{NAME}{LINK}{_Q}(?P<secret>[a-z]{{3,12}}(?:[ ][a-z]{{3,12}}){{2}}){_Q}{_END}",
            "the passphrase for the deploy key is «seven amber lanterns», write that down",
            "passphrase: see vault entry",
            _is_phrase_of_three,
        ),
        # my wifi password is tangerine
        Row(
            ("pass", "pw"),
            rf"(?<![a-z])(?:(?:my|our|his|her|their|mum's|mom's|dad's|wi-?fi|router|network|guest|netflix|laptop"
            rf"|phone|bank|email"
            rf"|mail|login|account|alarm|zip|pdf|vault|admin"
            rf"|root)[ ](?:[a-z0-9'-]{{2,12}}[ ]){{0,2}}?){_FOR_ONE}{NAME}{LINK}{_Q}"
            rf"(?P<secret>{_WORD}|{_JOINED}){_Q}{_END}",
            "my wifi password is «tangerine».",
            "my password is expired.",
            _is_chosen,
        ),
        Row(
            ("pass", "pw"),
            rf"(?<![a-z]){_FOR_ONE}[ ](?:for|of|to|on)[ ](?:(?:the|my|our|your|his|her"
            rf"|their)[ ])?(?:[A-Za-z0-9'’.-]{{2,16}}[ ])"
            rf"{{0,3}}?(?:wi-?fi|router|network|netflix|laptop|account|alarm|mail|email|e-mail|server|zip|pdf"
            rf"|vault|nas|tablet|ipad"
            rf"|phone|tv|printer|archive|site|portal|forum|bank|app){LINK}{_Q}(?P<secret>{_WORD}|{_JOINED}){_Q}"
            rf"{_END}",
            "password for the guest wifi is «sommerwind»",
            "the password for the wifi is wrong",
            _is_chosen,
        ),
        Row(
            ("password ", "pw ", "pass ", "pwd "),
            r"(?<![a-z])(?:login|log-in|user(?:name)?|account|id)[ ]?(?:is|:"
            r"|=)?[ ]{0,2}[A-Za-z0-9_.@-]{2,40}[ ]?(?:[,;/&]|[ ]and)[ ]{0,2}"
            rf"(?:the[ ])?{_FOR_ONE}[ ](?:is[ ])?{_Q}(?P<secret>{_WORD}|{_JOINED}){_Q}{_END}",
            "login is jo, password «hunter»",
            "login is fast, password required",
            _is_chosen,
        ),
        Row(
            ("pass", "pw"),
            rf"(?<![a-z]){_FOR_ONE}{NAME}{LINK}{_Q}(?P<secret>{_JOINED}){_Q}{_END}",
            "The password of the shed camera is «kitchen-table».",
            "the password is case-sensitive",
            _is_chosen,
        ),
        Row(
            _NETWORK_CUES,
            rf"{_NETWORK}[^\n.!?;。！？；]{{0,60}}?{_OF_NETWORK}(?:{NAME}{_LINK_OF_KEY}|[ ]){_Q}"
            rf"(?P<secret>{_JOINED}){_Q}{_END}",
            "Wi-Fi in the club house: network OarHouse, key «kitchen-gsdqwd-42»",
            "the Wi-Fi has a key WPA2-PSK, we think",
            _is_chosen,
        ),
        Row(
            _NETWORK_CUES,
            rf"(?:{_NETWORK}[^\n.!?;。！？；]{{0,60}}?{_OF_NETWORK}{NAME}{_LINK_OF_KEY}"
            rf"|{_NAMED_NETWORK}{_OF_NETWORK}[ ]){_Q}(?P<secret>{_WORDS}){_Q}{_END}",
            "WiFi: OarHouse, key «oars and tea»",
            "WiFi: slow, key people are told",
            is_phrase,
        ),
        Row(
            _NETWORK_CUES,
            rf"(?:(?:{_NAMED_NETWORK}|{_NETWORK}[ ]?){_OF_NETWORK}{_LINK_OF_KEY}"
            rf"|{_NAMED_NETWORK}(?:{_FOR_ONE}|密码)[ ]){_Q}(?P<secret>{_WORD}[0-9]{{0,4}}){_Q}{_END}",
            "guest wifi: OarHouse, pw «tangerine»",
            "guest wifi: OarHouse, pw unknown",
            _is_chosen,
        ),
    ),
)
"""Words that somebody chose for a password."""
