"""Secrets that are typed: arguments of tools, logins of protocols, fields of forms, what a tool prints alone."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator

from nanobot_memory_plugins.redaction.detectors.credentials import is_basic
from nanobot_memory_plugins.redaction.detectors.printed_secrets import PRINTED
from nanobot_memory_plugins.redaction.rules.keyword_index import ByCue, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.prefilter import matches
from nanobot_memory_plugins.redaction.rules.rule import RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.redaction.values.value_shapes import has_password_marks, is_placeholder, looks_random

_WORD = r"[\"']?(?P<secret>[^\s\"'|;<>()]{4,400})"
_FIELD = r"[\"'][^\"'\n]{0,30}(?:password|passwd|passphrase|secret|api[-_]?key|token|otp)[^\"'\n]{0,12}[\"']"


def _any(found: str) -> bool:
    return not is_placeholder(found) and not found.startswith(("-", "$", "{", "/"))


def _is_private_block(found: str) -> bool:
    """Tell whether ``found`` is the Base64 of a block of key material that is no public key and no certificate."""
    return b"PRIVATE KEY" in base64.b64decode(found[:80])


def _is_login(found: str) -> bool:
    """Tell whether ``found`` is the Base64 of a user and a password."""
    return is_basic(found) and _marked(base64.b64decode(found + "=" * (-len(found) % 4)).decode().partition(":")[2])


def _marked(found: str) -> bool:
    return _any(found) and (has_password_marks(found) or looks_random(found, allow_hex=True))


_SHAPES: ByCue[tuple[re.Pattern[str], Callable[[str], bool]]] = ByCue(
    (cues, (lazy_re(shape), check))
    for cues, shape, check in (
        # Arguments of tools
        (("htpasswd",), rf"htpasswd[ ]-[a-zA-Z]{{0,4}}n[a-zA-Z]{{0,4}}[ ]\S{{1,60}}[ ]{_WORD}", _any),
        (("http-basic",), rf"http-basic\.\S{{1,60}}[ ]\S{{1,60}}[ ]{_WORD}", _any),
        (("private-key",), rf"private-key[ ]<\((?:echo|printf)[ ](?:-n[ ])?{_WORD}", _any),
        (("snmp",), rf"snmp[a-z]{{2,10}}[ ][^\n|;&]{{0,200}}?[ ]-A[ ]{_WORD}", _any),
        (("snmp",), rf"snmp[a-z]{{2,10}}[ ][^\n|;&]{{0,200}}?[ ]-X[ ]{_WORD}", _any),
        (("snmp",), rf"snmp[a-z]{{2,10}}[ ][^\n|;&]{{0,200}}?[ ]-c[ ]{_WORD}", _marked),
        (("openssl",), rf"openssl[ ][^\n|;&]{{0,200}}?[ ]-[kK][ ]{_WORD}", _any),
        (("rar ",), rf"(?<![A-Za-z])(?:un)?rar[ ][^\n|;&]{{0,100}}?-hp{_WORD}", _any),
        (("net use",), rf"(?i)net[ ]use[ ][^\n]{{1,160}}?/user:\S{{1,64}}[ ]{_WORD}", _any),
        (("-encrypt",), rf"(?:consul|nomad|serf)[ ][^\n|;&]{{0,120}}?-encrypt[ =]{_WORD}", _marked),
        (
            ("kubeseal", "| vault ", "docker secret"),
            rf"(?:echo|printf)[ ](?:-n[ ])?{_WORD}[\"']?[ ]?\|[ ]?(?:kubeseal|vault[ ]|docker[ ]secret)",
            _any,
        ),
        (("oathtool", "totp"), rf"(?:oathtool[ ][^\n|;&]{{0,60}}?(?:-b|--base32)|TOTP\(|HOTP\()[ ]?{_WORD}", _marked),
        (("isakmp", "crypto"), rf"(?i)crypto[ ]isakmp[ ]key[ ](?:[06][ ])?{_WORD}", _any),
        (("community",), rf"(?i)snmp-server[ ]community[ ]{_WORD}", _any),
        # Community (rw): ..., read-only community ..., and a community below a title that says SNMP
        (
            ("community", "团体", "共同体"),
            r"(?i)(?:community(?:[ _-]?(?:string|name))?[ ]?\((?:rw|ro|r/w|r/o|read|write|read[ -]?only"
            r"|read[ -]?write)\)"
            r"|(?:rw|ro|r/w|r/o|read|write|read[ -]?only|read[ -]?write|trap|private|snmp(?:v[123]c?)?)[ _-]community"
            r"(?:[ _-]?(?:string|name))?|community[ _-]?string|团体[名字]|共同体名?"
            r"|snmp(?>[^\ue000]{0,200}?(?<![a-z])community(?=[ ]?[:=])))"
            rf"[\"']?(?:[ ]?[:=是为]|[ ]is)?[ ]{{0,3}}{_WORD}",
            _marked,
        ),
        (("link_secret",), rf"secure_link_secret[ ]+{_WORD}", _any),
        (
            (" ~", "+@", " >"),
            rf"(?m)(?:^|[ ])user[ ]\S{{1,40}}[ ](?:on|off|reset)[^\n]{{0,40}}?[ ]>{_WORD}(?=[ ]|$)",
            _any,
        ),
        (("setuser",), rf"(?i)acl[ ]setuser[ ]\S{{1,40}}[ ][^\n]{{0,40}}?>{_WORD}", _any),
        (("auth-pass",), rf"sentinel[ ]auth-pass[ ]\S{{1,40}}[ ]{_WORD}", _any),
        (("requirepass",), rf"(?i)config[ ]set[ ](?:requirepass|masterauth)[ ]{_WORD}", _any),
        (
            ("xfreerdp", "mstsc", "rdesktop"),
            rf"(?:xfreerdp3?|rdesktop|wlfreerdp)[ ][^\n|;&]{{0,200}}?[ ](?:/p:|-p[ ]?){_WORD}",
            _any,
        ),
        (("ldappasswd",), rf"ldappasswd[ ][^\n|;&]{{0,240}}?[ ]-[sa][ ]{_WORD}", _any),
        (("securestring",), rf"--type[ ]SecureString[ ][^\n|;&]{{0,120}}?--value[ =]{_WORD}", _any),
        (
            ("securestring",),
            r"--value[ =][\"']?(?P<secret>[^\s\"'|;<>()]{4,400}+)[^\n|;&]{0,120}?--type[ ]SecureString",
            _any,
        ),
        (("stats auth", "auth_basic"), rf"stats[ ]auth[ ]\S{{1,60}}?:{_WORD}", _any),
        (
            ("chap-secrets", "pap-secrets"),
            r"(?m)^[\"']?[\w.@-]{1,60}[\"']?[ \t]+\S{1,40}[ \t]+[\"'](?P<secret>[^\"'\n]{3,100})[\"']",
            _any,
        ),
        ((": psk", "psk "), r"(?m)(?:^|[ ]):[ ]PSK[ ][\"'](?P<secret>[^\"'\n]{3,200})", _any),
        (("sasl_passwd", "]:"), rf"(?m)^\[?[\w.-]{{3,100}}\]?:[0-9]{{2,5}}[ \t]+[^\s:]{{1,80}}:{_WORD}[ \t]*$", _any),
        (("key content",), rf"Key[ ]Content[ ]*:[ ]{_WORD}", _any),
        (("service install", "tunnel run"), rf"cloudflared[ ][^\n|;&]{{0,60}}?(?:install|--token)[ ]{_WORD}", _marked),
        (("chpasswd",), r"(?m)^[ \t]{2,12}[a-z_][a-z0-9_-]{0,30}:(?P<secret>[^\s:]{4,128})[ \t]*$", _marked),
        (
            ("alias set", "config host add"),
            rf"mc[ ](?:alias[ ]set|config[ ]host[ ]add)[ ]\S{{1,40}}[ ]\S{{1,120}}[ ]\S{{1,80}}[ ]{_WORD}",
            _any,
        ),
        (
            ("password(",),
            r"(?i)(?:set[ ]password|update[ ]|alter[ ]user)[^\n;]{0,160}?(?<![a-z])password\('"
            r"(?P<secret>[^'\n]{3,100})'",
            _any,
        ),
        (
            ("mysql", "mariadb", "sshpass", "7z"),
            r"[\"'](?:mysql\w*|mariadb[\w-]*|sshpass|7z)[\"'],[^\]\n]{0,160}?[\"']-p"
            r"(?P<secret>[^\"'\s-][^\"'\s]{2,100})[\"']",
            _any,
        ),
        (
            ("\ttrue\t", "\tfalse\t"),
            r"(?im)^[\w.#-]{3,100}\t(?:TRUE|FALSE)\t[^\t\n]{1,200}\t(?:TRUE"
            r"|FALSE)\t[0-9]{1,20}\t[^\t\n]{1,100}\t(?P<secret>[^\s]{6,4000})",
            _marked,
        ),
        (("pass show",), rf"(?m)^[^\n]{{0,12}}pass[ ]show[ ]\S{{1,80}}[ ]*\n{_WORD}[ ]*$", _any),
        (
            ("base64 -d", "base64 --d"),
            rf"(?:echo|printf)[ ](?:-n[ ])?{_WORD}[ ]?\|[ ]?base64[ ]-",
            _is_login,
        ),
        (
            (".dockerconfigjson",),
            r"\.dockerconfigjson[\"']?:[ ]?[\"']?(?P<secret>[A-Za-z0-9+/_-]{16,100000}={0,2})",
            _any,
        ),
        (
            ("setup key", "secret key", "manual entry"),
            r"(?i)(?:mfa|2fa|totp|authenticator)[^\n]{0,24}?(?:setup|secret|manual|entry)[ ]"
            r"(?:key|code)[ ]?[:=][ ]?(?P<secret>(?:[A-Z2-7]{4}[ -]){3,15}[A-Z2-7]{2,4})(?![A-Za-z0-9])",
            _any,
        ),
        (("password-command",), rf"--password-command[= ][\"']?(?:echo|printf)[ ]{_WORD}", _any),
        (
            ("高德", "百度地图", "腾讯位置", "天地图", "和风", "心知", "聚合数据"),
            r"(?:高德|百度地图|腾讯位置|天地图|和风|心知|聚合数据)[^\n]{0,24}?"
            r"(?<![A-Za-z])(?i:key|ak|appkey)[ ]?[:=是为][ ]?(?P<secret>"
            r"[A-Za-z0-9-]{16,64})",
            _marked,
        ),
        (("lftp",), rf"lftp[ ][^\n|;&]{{0,120}}?-u[ ]\S{{1,60}}?,{_WORD}", _any),
        (("> user ",), rf"(?m)^(?:l?s?ftp)>[ ]user[ ]\S{{1,60}}[ ]{_WORD}", _any),
        (
            ("snmp-server user",),
            rf"snmp-server[ ]user[ ][^\n]{{1,120}}?[ ]auth[ ](?:md5|sha)[0-9-]{{0,5}}[ ]{_WORD}",
            _any,
        ),
        (
            ("snmp-server user",),
            rf"snmp-server[ ]user[ ][^\n]{{1,160}}?[ ]priv[ ](?:des|aes)(?:[ ][0-9]{{2,3}})?[ ]{_WORD}",
            _any,
        ),
        (("/rp ",), rf"(?i)schtasks[ ][^\n]{{1,240}}?/rp[ ]{_WORD}", _any),
        (("slmgr", "/ipk"), rf"(?i)/ipk[ ]{_WORD}", _any),
        (("operator unseal",), rf"operator[ ]unseal[ ](?:-[a-z-]{{1,30}}(?:=\S{{1,60}})?[ ]){{0,3}}{_WORD}", _marked),
        (("qshell",), rf"qshell[ ]account[ ]\S{{1,80}}[ ]{_WORD}", _marked),
        (("api-key store",), rf"api-key[ ]store[ ]\S{{1,80}}[ ]{_WORD}", _marked),
        (
            ("obsutil", "ossutil", "coscmd", "bcecmd"),
            rf"(?:obsutil|ossutil|coscmd|bcecmd)[ ]config[ ][^\n]{{0,240}}?"
            rf"[ ]-[ks][= ]{_WORD}",
            _marked,
        ),
        (("wandb login",), rf"wandb[ ]login[ ](?:--?[a-z-]{{1,20}}(?:=\S{{1,60}})?[ ]){{0,3}}{_WORD}", _marked),
        (("secret '",), r"(?i)[(,][ ]{0,3}secret[ ]'(?P<secret>[^'\n]{4,400})'", _any),
        (
            ("genkey", "genpsk"),
            rf"(?m)^[^\n]{{0,12}}(?:wg[ ]gen(?:key|psk)"
            rf")[ ]*\n{_WORD}[ ]*$",
            _marked,
        ),
        (("<auth-user-pass>",), r"<auth-user-pass>\s{0,4}[^\s<>]{1,80}\s{1,4}(?P<secret>[^\s<>]{4,200})", _any),
        (("ls0tls1crudjti",), r"(?P<secret>LS0tLS1CRUdJTi[A-Za-z0-9+/_-]{40,100000}={0,2})", _is_private_block),
        # Logins of protocols
        (
            ("auth ",),
            rf"(?m)^(?:[A-Z]:[ ]?|\S{{0,60}}>[ ]?)?AUTH[ ](?!PLAIN|LOGIN|CRAM|XOAUTH|TLS|SSL|GSSAPI)"
            rf"(?:\S{{1,40}}[ ])?{_WORD}\r?$",
            _marked,
        ),
        (("auth plain",), rf"AUTH[ ](?:PLAIN|XOAUTH2|CRAM-MD5)[ ]{_WORD}", _any),
        (("ugfzc3dvcmq6",), rf"334[ ]UGFzc3dvcmQ6\s{{1,4}}(?:[A-Z]:[ ]?|>[ ]?)?{_WORD}", _any),
        (
            (" login ",),
            rf"(?m)^(?:[A-Z]:[ ]?|>[ ]?)?[A-Za-z]{{1,4}}[0-9]{{1,5}}[ ]LOGIN[ ]\S{{1,80}}[ ]{_WORD}\r?$",
            _any,
        ),
        (("pass ",), rf"(?m)^(?:[A-Z]:[ ]?|>[ ]?|--->[ ]?)?PASS[ ]{_WORD}\r?$", _any),
        # Fields of forms and screens
        (
            (".send_keys(", ".sendkeys(", ".type(", ".fill(", ".setvalue(", ".val(", ".send("),
            rf"(?i){_FIELD}\]?\)?[^\n\"']{{0,20}}\.(?:send_?keys|type|fill|setValue|val)\([ ]?[\"']"
            rf"(?P<secret>[^\"'\n]{{4,200}})",
            _any,
        ),
        ((".fill(", ".type("), rf"(?i)\.(?:fill|type)\({_FIELD},[ ]?[\"'](?P<secret>[^\"'\n]{{4,200}})", _any),
        (
            ('"text"', '"value"', "\ue0f1"),
            r"(?i)[\"\ue0f1-\ue0f3](?:selector|field|element|locator|name|id|ref"
            r"|label)[\"\ue0f1-\ue0f3][ ]?:[ ]?[\"\ue0f1-\ue0f3]"
            r"[^\"\ue0f1-\ue0f3\n]{0,40}(?:password|passwd|passphrase"
            r"|密码)[^\"\ue0f1-\ue0f3\n]{0,20}[\"\ue0f1-\ue0f3][ ]?,[ ]?"
            r"[\"\ue0f1-\ue0f3](?:text|value|input|keys)[\"\ue0f1-\ue0f3][ ]?:[ ]?[\"\ue0f1-\ue0f3]"
            r"(?P<secret>[^\"\ue0f1-\ue0f3\n]{4,200})",
            _any,
        ),
        # Constructors and calls
        (
            ("wifi.begin(",),
            r"WiFi(?:Multi)?\.(?:begin|addAP)\([^,()\n]{1,80},[ ]?[\"'](?P<secret>[^\"'\n]{4,100})",
            _any,
        ),
        (
            ("real_connect(",),
            r"mysql_real_connect\((?:[^,()\n]{1,80},[ ]?){3}[\"'](?P<secret>[^\"'\n]{3,100})",
            _any,
        ),
        (("userpwd",), r"CURLOPT_(?:PROXY)?USERPWD,[ ]?[\"'][^:\"'\n]{1,60}:(?P<secret>[^\"'\n]{3,100})", _any),
        (
            ("login(", "set_sk(", "dropbox(", "set_secret"),
            rf"(?:wandb\.login|\.set_sk|\.set_secret(?:_key|_access_key)?|[Dd]ropbox)\((?:[a-z_]{{1,20}}=)?{_WORD}",
            _marked,
        ),
        (
            ("algoliasearch(", "searchclient("),
            rf"(?:algoliasearch|[Ss]earch[Cc]lient(?:\.create)?)\([\"'][^\"'\n]{{4,40}}[\"'],[ ]?{_WORD}",
            _marked,
        ),
        (("stsauth(",), rf"StsAuth\([\"'][^\"'\n]{{4,80}}[\"'],[ ]?{_WORD}", _marked),
        (
            ("stsauth(",),
            rf"StsAuth\((?:[\"'][^\"'\n]{{4,80}}[\"']|\[[A-Z_]+\]),[ ]?"
            rf"[\"'][^\"'\n]{{4,120}}[\"'],[ ]?{_WORD}",
            _marked,
        ),
        (("fernet(", "wallet("), rf"(?:Fernet|Wallet)\([ ]?b?{_WORD}", _marked),
        # What a tool prints
        (
            ("random_password",),
            r"random_password[^\n]{0,300}?\"result\":[ ]?\"(?P<secret>[^\"\n]{4,200})",
            _any,
        ),
        (("new value:", "generated password", "initial password"), rf"(?i)New[ ]value:[ ]?{_WORD}", _marked),
        (("auth-user-pass",), rf"auth-user-pass[^\n]{{0,80}}\n\S{{1,60}}\n{_WORD}[ \t]*(?:\n|$)", _any),
        (("settingssecurity",), r"<settingsSecurity>\s{0,20}<master>\{?(?P<secret>[^<>{}\s]{8,200})", _any),
    )
)


def find_typed(text: str, lower: Lowered) -> Iterator[Span]:
    """Find secrets that somebody typed, or a tool printed, in the folded ``text``; ``lower`` is it in lower case."""
    yield from PRINTED.find(text, lower)
    for shape, check in _SHAPES.met(lower):
        for match in matches(shape, text, lower):
            found = match["secret"].rstrip(",;")
            if check(found):
                start = match.start("secret")
                yield Span(start, start + len(found), "typed_secret", REDACTED, RANK_KEYED)
