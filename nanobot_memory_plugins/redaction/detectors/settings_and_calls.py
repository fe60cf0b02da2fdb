"""More of what chats, tools and settings tell: combinations, phrases, answers kept for a bank, keys in calls."""

from __future__ import annotations

from nanobot_memory_plugins.redaction.detectors.chosen_words import is_phrase
from nanobot_memory_plugins.redaction.rules.rows import Row, RowRules
from nanobot_memory_plugins.redaction.values.value_shapes import has_password_marks, is_placeholder, looks_random

_VALUE = r"(?P<secret>[!-~]{6,128}+)"
_TURN = r"(?:left|right|l|r)[ ]?[0-9]{1,2}"


def _is_marked(found: str) -> bool:
    return not is_placeholder(found) and (has_password_marks(found) or looks_random(found, allow_hex=True))


def _is_passphrase_with_number(found: str) -> bool:
    return is_phrase(" ".join(part for part in found.split() if part.isalpha()))


def _is_passphrase(found: str) -> bool:
    return is_phrase(found.rstrip("0123456789 "))


FURTHER_TOLD = RowRules(
    "told_secret",
    (
        Row(
            ("password is generated", "password was generated", "password for"),
            rf"(?:temporary|initial|generated|root|admin)[ ]password[^\n:]{{0,60}}:[ ]{_VALUE}(?=[ \t]*(?:\n|\Z))",
            "[Note] A temporary password is generated for root@localhost: «GL=l6MGtyjAf»",
            "temporary password for guests: required",
            _is_marked,
        ),
        Row(
            ("requirepass", "masterauth"),
            r"\"(?:requirepass|masterauth)\"\s{1,4}2\)[ ]\"(?P<secret>[^\"\n]{4,400})\"",
            '1) "requirepass"\n2) "«7991de1aad9f35d16ff7007f»"',
            '1) "requirepass"\n2) ""',
        ),
        Row(
            ("api_hash", "from_key(", "privatekeytoaccount("),
            r"(?:api_hash[\"']?[ ]?[:=][ ]?[\"']?|(?:from_key|privateKeyToAccount)\([\"'])(?:0x)?(?P<secret>"
            r"[0-9a-f]{32,64})"
            r"(?![0-9a-z])",
            "TelegramClient('s', api_hash='«67d166427867891eeced3075e8b45a7b»')",
            "TelegramClient('s', api_hash=settings.api_hash)",
        ),
        Row(
            ("keepass", "bitwarden", "1password", "luks", "bitlocker", "lastpass", "veracrypt", "vault"),
            r"(?:keepass(?:xc)?|bitwarden|1password|luks|bitlocker|lastpass|veracrypt|vault)(?:[ ]master)?(?:[ ]"
            r"(?:password"
            rf"|pw|key))?[ ]?(?:→|->|=>|:|=)[ ]{_VALUE}",
            "KeePass master → «Seven!Herons-cross_the_Elbe» (for Paul)",
            "KeePass master → Settings",
            _is_marked,
        ),
        Row(
            ("licen", "product key", "windows", "office", "serial", "cd key", "cd-key"),
            r"(?:licen[cs]e|product[ ]key|windows|office|serial|cd[ -]key)[^\n]{0,50}?(?<![A-Za-z0-9-])"
            r"(?-i:(?P<secret>[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){3,6}))(?![A-Za-z0-9-])",
            "Windows licence of the old desktop: «BXXV3-V96F2-89X7Q-VJ2WV-2VPYR» (Pro)",
            "Windows licence of the old desktop: none",
            lambda found: sum(map(str.isdigit, found)) > 2 and any(map(str.isalpha, found)),
        ),
        Row(
            ("security question", "secret question", "安全问题", "密保"),
            r"(?:(?:security|secret)[ ]question[^\n]{0,80}?(?<![a-z])answer[ ]?[:=][ ]?(?=[^\s]{3,40}[ \t.]*(?:\n"
            r"|\Z))"
            r"|(?:安全问题|密保)[^\n]{0,40}?答案[ ]?[:：是]?[ ]?)(?P<secret>[^\s,，。.()（）]{2,40})",
            "Security question at the bank: first pet. Answer: «Schnurzel-1987»",
            "The security question needs an answer soon",
        ),
        Row(
            ("combination", "safe", "dial"),
            rf"(?:combination|safe|dial)(?![a-z])[^\n]{{0,30}}?(?<![a-z])(?P<secret>{_TURN}(?:"
            rf"[ ,;/-]{{1,3}}{_TURN}){{2,4}})(?![0-9a-z])",
            "safe combination: «left 34, right 12, left 71». Passports are inside",
            "the safe is left of the right door",
        ),
        Row(
            ("passphrase", "pass phrase"),
            r"pass[ ]?phrase[^\n:]{2,60}:[ ](?P<secret>[a-z]{3,12}(?:[ ][a-z]{3,12}){3,7}[ ][0-9]{1,4})(?="
            r"[ \t.]*(?:\n|\Z))",
            "passphrase for the disk: «tundra velvet kazoo orbit mildew 47»",
            "passphrase for the disk: choose at least words 47",
            _is_passphrase,
        ),
        Row(
            ("wpa_passphrase",),
            r"wpa_passphrase[ ][^\s]{1,40}[ ](?P<secret>[^\s]{6,63})",
            "$ wpa_passphrase Attic «brick-oven-55»",
            "run wpa_passphrase twice",
        ),
        Row(
            ("digits are", "digits is"),
            r"(?:three|3|last[ ]three|four|4)[ ]digits[ ](?:are|is)[ ](?P<secret>[0-9]{3,4})(?![0-9])",
            "expiry 09/28, the three digits are «882»",
            "four digits are enough",
        ),
        # What stands in two columns: Password     correct velvet 9 trombone
        Row(
            ("password ", "passphrase ", "password\t", "passphrase\t"),
            r"(?m:^)[ \t]*(?:[a-z]{2,10}[ ])?pass(?:word|phrase)(?:[ ]{2,20}"
            r"|\t+)(?-i:(?P<secret>[a-z0-9]{1,14}(?:[ -][a-z0-9]{1,14}){2,7}))"
            r"[ \t]*(?m:$)",
            "Secret Key   see below\nPassword     «correct velvet 9 trombone»",
            "Password     is required to log in",
            _is_passphrase_with_number,
        ),
        Row(
            ("login code", "sign-in code", "verification code"),
            r"(?:login|sign-in|verification)[ ]code[ ]is[ ](?-i:(?P<secret>[a-z]{3,12}(?:-[a-z]{3,12}){2,5}))(?!"
            r"[a-z-])",
            "Your temporary login code is «minty-gondola-arches-plum»",
            "Your login code is case-sensitive",
        ),
        Row(
            ("write these down", "offline", "ledger", "trezor", "metamask"),
            r"(?m:^)(?P<secret>(?-i:[a-z]{3,8}(?:[ ][a-z]{3,8}){11,23}))[ \t]*(?m:$)",
            "Write these down:\n«glass client grape neck embody tired symbol design evoke cable paddle style»",
            "ledger\nthis line has many words and none of them are secret for anybody\n",
            lambda found: len(found.split()) % 3 == 0 and not {"the", "and", "are", "for", "with"} & set(found.split()),
        ),
    ),
)
