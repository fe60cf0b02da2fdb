"""The sensitivity of the value under a name: high for ``DB_PASSWORD``, none for ``token_count``.

A name is split into words (snake_case, kebab-case and camelCase; joined words are recognised). The words before and
after the word for a secret decide whether the name is that of the secret itself or of something about it.
"""

import re
from enum import IntEnum
from functools import lru_cache

from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, words

_PASSWORD = words(
    "password pasword passwrod passowrd kouling passwd passwrd passwort pwd pswd psw passphrase passcode pass pw psk"
    " passw userpass mima "
    "kennwort senha contrasena storepass keypass sshpass dbpass rootpass adminpass ftppass mailpass smtppass masterauth"
    " requirepass keystorepass truststorepass"
)
_PASSWORD_ENDS = ("password", "passwd", "pwd", "passphrase", "passwort", "storepass", "keypass", "authtok")
_TOKEN = words(
    "passwords secret token jwt bearer credential credentials creds authorization authtoken accesstoken refreshtoken"
    " privkey passkey authkey xsrf csrf secrets"
)
_COMPOUND = words(
    "apikey appkey accesskey secretkey privatekey secretaccesskey clientsecret authkey authtoken accesstoken apitoken"
    " signingkey encryptionkey masterkey appsecret accountkey sharedkey sharedaccesskey licensekey apisecret"
    " refreshtoken bottoken secretid idtoken sessiontoken presharedkey storagekey servicekey deploykey"
    " codeverifier sessdata miyao samlresponse samlrequest samlassertion authenticationstring rediscliauth unsealkey"
)
_COMPOUND_ENDS = ("secret", "token", "apikey", "accesskey", "secretkey", "privatekey", "credential")
_CODE = words("pin cvv cvc cvv2 cvc2 csc otp totp mfa 2fa smscode")
_CODE_BEFORE = words("door gate alarm lock safe verification security sms auth verify access recovery backup otp mfa")
_WEAK = words(
    "key keys session sessionid sid phpsessid jsessionid signature sig salt pepper hmac private tokens"
    " cookie cookies access asp webhook license licence auth cred oauth pat"
)
_KEY_BEFORE = words(
    "api app access secret private priv auth encryption encrypt encrypted decryption decrypt signing sign signature"
    " master service account shared storage client license licence subscription admin server deploy deployment"
    " consumer hmac aes des rsa ssh ssl tls webhook integration ingest ingestion write read"
    " personal developer dev prod production live test gpg pgp root wallet jwt bot merchant pay payment"
    " sdk rest function fernet crypto cipher recovery backup security activation vendor partner preshared psk cloud"
    " publishable restricted registration management rpc"
)
_KEY_NOT_BEFORE = words(
    "site public pub primary foreign partition sort cache index hash map dict object row i18n translation"
    " shortcut hot arrow"
    " unique composite natural candidate group order sorting lookup idempotency routing registry event field column"
    " config setting settings json yaml dedup dedupe sharding shard lock redis no any each every same parent child"
    " metric label header query param parameter env-var feature flag item entry dictionary storage-class message topic"
    " issue jira ticket product range bucket s3 prefix kv left right up down enter escape tab space home end"
    " return delete backspace ctrl alt shift meta the surrogate schema context session content blob file job record"
    " artifact image asset doc document chunk segment trace span run task queue stream entity project org organization"
    " user instance agent environment env node thread conversation channel sort partition cluster tenant "
    "workspace first second third last new old"
)
_KEY_ENDS_NOT = words("site mon tur hot don hoc whis joc lac mic low on get set has no del")
"""Beginnings with which ``...key`` is an ordinary word, such as "monkey"."""
_TOKEN_NOT_BEFORE = words(
    "max min num n count total prompt completion input output cached reasoning next page continuation "
    "cursor sync pad eos"
    " bos unk sep cls mask special stop vocab first last current peek lexer parser word sub image audio thinking"
    " context unused used remaining estimated avg average per tool"
)
# After the word for a secret they name an attribute of it that may look like a secret: its place, its owner.
_ABOUT_AFTER = words(
    "id ids url uri urls endpoint arn class sha fingerprint thumbprint path paths file filename name names prefix"
    " suffix challenge issuer audience scope scopes ref reference version versions board"
)
_NEUTRAL_AFTER = words(
    "value values val string str text txt plain plaintext plaintextvalue raw b64 base64 encoded encrypted "
    "enc hash hashed"
    " prod production staging stage stg dev develop development test testing live sandbox qa uat old new "
    "current default"
    " primary secondary backup main root admin user local remote master base here now data env key secret "
    "token password auth basic again confirm confirmation repeat verify bytes hex pem a b c x y i ro rw readonly"
)


class Sensitivity(IntEnum):
    """How readily the value under a name counts as a secret."""

    NONE = 0
    WEAK = 1
    """Only when the value looks random (``key``, ``session_id``)."""
    HEX = 2
    """Like WEAK, but a bare hexadecimal value or a UUID also counts (``heroku_key``)."""
    TOKEN = 3
    """Unless the value reads like an ordinary word (``token``, ``secret``)."""
    CODE = 4
    """Digits alone count (``pin``, ``cvv``, ``otp``)."""
    COMPOUND = 5
    """Unless the value is a reference or a placeholder (``client_secret``, ``api_key``)."""
    PASSWORD = 6
    """Like COMPOUND, but ordinary words and short numbers also count."""


# The ends of Chinese names.
_CHINESE_ENDS = {
    **dict.fromkeys(("密码", "口令"), Sensitivity.PASSWORD),
    **dict.fromkeys(("密钥", "秘钥", "私钥", "令牌", "凭证", "凭据", "授权码"), Sensitivity.COMPOUND),
    "验证码": Sensitivity.CODE,
}
# Names compared after joining their words, such as "PassWord".
_JOINED_NAMES = {
    **dict.fromkeys(_WEAK, Sensitivity.WEAK),
    **dict.fromkeys(("password", "passphrase", "passcode"), Sensitivity.PASSWORD),
    **dict.fromkeys(_COMPOUND, Sensitivity.COMPOUND),
}
NAME_CUES = KeywordIndex(
    set(_CHINESE_ENDS)
    | _PASSWORD
    | _TOKEN
    | _CODE
    | _COMPOUND
    | _WEAK
    | {*_PASSWORD_ENDS, *_COMPOUND_ENDS}
    | {"code", "sess", "saml", "sk", "yao", "hook", "s_id", "s-id"}
)
"""Every sensitive name contains one of these words."""

_SPLIT = lazy_re(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


@lru_cache(maxsize=4096)
def split_name(name: str) -> tuple[str, ...]:
    """Split a name into lower-case words: ``dbPassword_2`` gives ``("db", "password", "2")``."""
    return tuple(word.lower() for word in _SPLIT.findall(name))


@lru_cache(maxsize=4096)
def sensitivity(name: str) -> Sensitivity:
    """Return how sensitive the value under ``name`` is."""
    if not name.isascii():
        label = re.split(r"[(（:：]", name, maxsplit=1)[0].rstrip()
        for word, level in _CHINESE_ENDS.items():
            if label.endswith(word):
                return level
    parts = split_name(name)
    joined = "".join(parts)
    if not parts or len(parts) > 12 or parts[0] in ("public", "pub"):
        return Sensitivity.NONE
    if joined in _JOINED_NAMES:
        return _JOINED_NAMES[joined]
    found = _find_secret_word(parts)
    if found is None:
        return Sensitivity.NONE
    at, level = found
    before = parts[:at]
    if before and before[-1] in ("public", "pub"):
        return Sensitivity.NONE
    after = tuple(word for word in parts[at + 1 :] if not word.isdigit() and word not in _NEUTRAL_AFTER)
    if not after:
        return level
    if after == ("id",) and parts[at] == "secret":
        return Sensitivity.HEX  # the secret_id of an AppRole is a UUID
    if not _ABOUT_AFTER.isdisjoint(after):
        return Sensitivity.NONE
    return Sensitivity.TOKEN if level >= Sensitivity.COMPOUND else min(level, Sensitivity.WEAK)


def _find_secret_word(parts: tuple[str, ...]) -> tuple[int, Sensitivity] | None:
    """Return the index of the last word for a secret, and its sensitivity after the word before it."""
    for at in range(len(parts) - 1, -1, -1):
        word = parts[at]
        before = parts[at - 1] if at else ""
        if word in _PASSWORD or word.endswith(_PASSWORD_ENDS):
            return at, Sensitivity.PASSWORD
        if word in _CODE or (word == "code" and before in _CODE_BEFORE):
            return at, Sensitivity.CODE
        if word in _COMPOUND or (word == "secret" and before):
            return at, Sensitivity.COMPOUND
        if word == "token" and before in _TOKEN_NOT_BEFORE:
            return None
        if word in _TOKEN:
            return at, Sensitivity.COMPOUND if before in _KEY_BEFORE else Sensitivity.TOKEN
        if word.endswith(_COMPOUND_ENDS):
            return at, Sensitivity.COMPOUND
        if word == "key" or (word == "keys" and before in ("api", "secret", "private", "access")):
            if before in _KEY_NOT_BEFORE:
                return None
            if before in _KEY_BEFORE or before in _TOKEN:
                return at, Sensitivity.COMPOUND
            return at, Sensitivity.HEX if before else Sensitivity.WEAK
        if (word.endswith("key") and word[:-3] not in _KEY_NOT_BEFORE | _KEY_ENDS_NOT) or (word == "sk" and before):
            return at, Sensitivity.HEX
        if word in _WEAK:
            return at, Sensitivity.WEAK
    return None
