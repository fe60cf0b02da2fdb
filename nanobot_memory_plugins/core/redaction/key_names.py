"""How sensitive is what a name names: ``DB_PASSWORD`` very much, ``token_count`` not at all.

A name is split into words (snake_case, kebab-case, camelCase and run-together ones); the words before and after the
telling one decide whether it names the secret itself or something about it.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

from nanobot_memory_plugins.core.redaction.vendor_names import VENDOR_NAMES


class Sensitivity(IntEnum):
    """How little it takes for the value under a name to count as a secret."""

    NONE = 0
    WEAK = 1
    """Only when the value looks random (``key``, ``session_id``)."""
    VENDOR = 2
    """As WEAK, but a bare hexadecimal value or a UUID counts (``heroku_api``)."""
    TOKEN = 3
    """Unless the value reads like an ordinary word (``token``, ``secret``)."""
    CODE = 4
    """Digits alone count (``pin``, ``cvv``, ``otp``)."""
    COMPOUND = 5
    """Unless the value is a reference or a placeholder (``client_secret``, ``api_key``)."""
    PASSWORD = 6
    """The same, and ordinary words and short numbers count too."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PASSWORD = _words(
    "password passwd passwrd passwort pwd pswd psw passphrase passcode pass pw passw userpass mima kennwort senha contrasena"
)
_PASSWORD_ENDS = ("password", "passwd", "pwd", "passphrase", "passwort")
_TOKEN = _words(
    "secret token jwt bearer credential credentials creds authorization authtoken accesstoken refreshtoken"
    " privkey passkey authkey xsrf csrf secrets"
)
_COMPOUND = _words(
    "apikey appkey accesskey secretkey privatekey secretaccesskey clientsecret authkey authtoken accesstoken apitoken"
    " signingkey encryptionkey masterkey appsecret accountkey sharedkey sharedaccesskey licensekey apisecret"
    " refreshtoken bottoken secretid idtoken sessiontoken presharedkey psk storagekey servicekey deploykey"
)
_COMPOUND_ENDS = ("secret", "token", "apikey", "accesskey", "secretkey", "privatekey", "credential")
_CODE = _words("pin cvv cvc cvv2 cvc2 csc otp totp mfa 2fa smscode")
_CODE_BEFORE = _words("verification security sms auth verify access recovery backup otp mfa")
_WEAK = _words(
    "key keys session sessionid sid phpsessid jsessionid signature sig salt pepper nonce hmac private tokens passwords"
    " cookie cookies access asp webhook license licence auth cred oauth pat"
)
_KEY_BEFORE = _words(
    "api app access secret private priv auth encryption encrypt encrypted decryption decrypt signing sign signature"
    " master service account shared storage client license licence subscription admin server deploy deployment"
    " consumer hmac aes des rsa ssh ssl tls webhook integration ingest ingestion write read"
    " personal developer dev prod production live test gpg pgp root wallet jwt bot merchant pay payment"
    " sdk rest function fernet crypto cipher recovery backup security activation vendor partner preshared psk cloud"
    " publishable restricted registration management rpc"
)
_SECRET_BEFORE = _words(
    "client app application access api auth oauth oauth2 refresh id bearer session user bot webhook shared signing"
    " consumer personal private deploy deployment service account jwt csrf xsrf security registration access-token"
    " github gitlab slack npm pypi hf device push admin server account tenant channel corp my db the aws gh ci"
)
_KEY_NOT_BEFORE = _words(
    "public pub primary foreign partition sort cache index hash map dict object row i18n translation shortcut hot arrow"
    " unique composite natural candidate group order sorting lookup idempotency routing registry event field column"
    " config setting settings json yaml dedup dedupe sharding shard lock redis no any each every same parent child"
    " metric label header query param parameter env-var feature flag item entry dictionary storage-class message topic"
    " issue jira ticket product range bucket s3 prefix kv left right up down enter escape tab space home end"
    " return delete backspace ctrl alt shift meta the surrogate schema context session content blob file job record"
    " artifact image asset doc document chunk segment trace span run task queue stream entity project org organization"
    " user instance agent environment env node thread conversation channel sort partition cluster tenant workspace first second third last new old"
)
_TOKEN_NOT_BEFORE = _words(
    "max min num n count total prompt completion input output cached reasoning next page continuation cursor sync pad eos"
    " bos unk sep cls mask special stop vocab first last current peek lexer parser word sub image audio thinking"
    " context unused used remaining estimated avg average per tool"
)
_SWITCH = _words(
    "is has have had no needs need require requires required show hide use uses using enable enabled enables disable"
    " disabled allow allows allowed forgot forget reset change changed update validate valid invalid check checks verify"
    " with without can should must ask asks remember prompt generate generated missing get set fetch load parse print"
    " log mask hash compare confirm create delete remove rotate revoke wrong incorrect bad weak strong supports support"
)
_ABOUT_AFTER = _words(
    "count counts length len size limit limits max min name names label file files filename path paths dir directory type"
    " types kind policy policies expiry expires expire expiration expired exp ttl age url uri urls endpoint host field"
    " fields column columns id ids idx index version versions ver strength rule rules hint reset required attempts"
    " attempt retries retry usage used budget algorithm algo alg format provider manager store vault service class"
    " error errors status state validator validation validators regex pattern prompt title description desc text-field"
    " placeholder input page form help encoding encoder decoder info issuer audience scope scopes cost costs price rate"
    " per window callback handler generator generation rotation confirm-label changed change updated at date time"
    " timestamp since last ref refs reference selector arn location source backend engine enabled disabled"
    " mode method methods header headers prefix suffix separator delimiter typ bytes-len bits area board dao util utils"
    " helper helpers test-name check checker checks estimate estimation estimator count-total position positions offset"
    " lifetime duration days hours minutes seconds dict map list set word words stats metrics distance probability"
    " logprob logprobs embeddings embedding embed budget-tokens sum chunk chunks stream getter setter func function"
    " flow protocol param params parameter parameters option options config configuration settings setting template"
    " example examples docs doc documentation tutorial guide migration table tables row rows exchange response request"
    " mask masked fingerprint thumbprint alias aliases press down up code-challenge event events code frame board pair"
    " round encryption mgr manager dialog window screen widget group groups tag tags tree node nodes ring bindings binding binder"
)
_ABOUT_AFTER_OK = _words("id code")  # kept for names that need them below
_NEUTRAL_AFTER = _words(
    "value values val string str text txt plain plaintext plaintextvalue raw b64 base64 encoded encrypted enc hash hashed"
    " prod production staging stage stg dev develop development test testing live sandbox qa uat old new current default"
    " primary secondary backup main root admin user local remote master base here now data env key secret token password"
    " auth basic again confirm confirmation repeat verify bytes hex pem a b c x y i ro rw readonly"
)
_SPLIT = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


@lru_cache(maxsize=4096)
def split_name(name: str) -> tuple[str, ...]:
    """Split a name into lower-case words: ``dbPassword_2`` gives ``("db", "password", "2")``."""
    return tuple(word.lower() for word in _SPLIT.findall(name))


@lru_cache(maxsize=4096)
def sensitivity(name: str) -> Sensitivity:
    """Tell how sensitive the value under ``name`` is."""
    words = split_name(name)
    if not words or len(words) > 12:
        return Sensitivity.NONE
    joined = "".join(words)
    if joined in _COMPOUND:
        return Sensitivity.COMPOUND
    if joined in ("jsessionid", "phpsessid", "sessionid", "sessid"):
        return Sensitivity.WEAK
    found = _telling_word(words)
    if found is None:
        return _vendor(words)
    at, level = found
    before, after = words[:at], words[at + 1 :]
    if before and before[0] in _SWITCH and level is not Sensitivity.COMPOUND:
        return Sensitivity.NONE
    if words[0] in ("public", "pub") or (before and before[-1] in ("public", "pub")):
        return Sensitivity.NONE
    if level is Sensitivity.PASSWORD and words[at] in ("pass", "pw") and before and before[-1] in ("by", "one", "first", "single", "multi", "two"):
        return Sensitivity.NONE
    after = tuple(word for word in after if not word.isdigit() and word not in _NEUTRAL_AFTER)
    if after:
        if after == ("id",) and words[at] == "secret":
            return Sensitivity.VENDOR  # the secret_id of an AppRole is a UUID
        if any(word in _ABOUT_AFTER for word in after):
            return Sensitivity.NONE
        return Sensitivity.TOKEN if level >= Sensitivity.COMPOUND else min(level, Sensitivity.WEAK)
    if level <= Sensitivity.VENDOR:
        return max(level, _vendor(words))
    return level


def _telling_word(words: tuple[str, ...]) -> tuple[int, Sensitivity] | None:
    """Find the last word that names a secret, and how sensitive it is with the word before it."""
    for at in range(len(words) - 1, -1, -1):
        word = words[at]
        before = words[at - 1] if at else ""
        if word in _PASSWORD or word.endswith(_PASSWORD_ENDS):
            return at, Sensitivity.PASSWORD
        if word in _CODE:
            return at, Sensitivity.CODE
        if word == "code" and before in _CODE_BEFORE:
            return at, Sensitivity.CODE
        if word in _COMPOUND or (word == "pat" and (before in VENDOR_NAMES or before == "gh")):
            return at, Sensitivity.COMPOUND
        if word in _TOKEN:
            if word == "token" and before in _TOKEN_NOT_BEFORE:
                return None
            if before in _SECRET_BEFORE or before in VENDOR_NAMES or (at and word in ("secret",)):
                return at, Sensitivity.COMPOUND
            if at and words[at - 1] in _TOKEN and word in ("token", "secret"):
                return at, Sensitivity.COMPOUND
            return at, Sensitivity.TOKEN
        if word.endswith(_COMPOUND_ENDS):
            return at, Sensitivity.COMPOUND
        if word == "key" or (word == "keys" and before in ("api", "secret", "private", "access")):
            if before in _KEY_NOT_BEFORE:
                return None
            if before in _KEY_BEFORE or before in _TOKEN or before in VENDOR_NAMES:
                return at, Sensitivity.COMPOUND
            return at, Sensitivity.VENDOR if before else Sensitivity.WEAK
        if word in _WEAK:
            return at, Sensitivity.WEAK
    return None


def _vendor(words: tuple[str, ...]) -> Sensitivity:
    if not any(word in VENDOR_NAMES for word in words) and "".join(words) not in VENDOR_NAMES:
        return Sensitivity.NONE
    if any(word in _ABOUT_AFTER for word in words):
        return Sensitivity.NONE
    return Sensitivity.VENDOR
