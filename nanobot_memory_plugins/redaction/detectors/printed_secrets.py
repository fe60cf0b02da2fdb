"""Secrets that commands print: alone on the line below the command, or in a row of a known order."""

from __future__ import annotations

from nanobot_memory_plugins.redaction.rules.rows import Row, RowRules
from nanobot_memory_plugins.redaction.values.value_shapes import has_password_marks, is_placeholder, looks_random

# The rest of the command's line, and the next one, which is nothing else.
_ALONE = r"[^\n]{0,200}+\n(?:[ \t]*+\n)?[ \t]*+[\"']?(?P<secret>(?![$#%>])[!-~]{5,4096}+)(?=[ \t]*+(?:\r?\n|\Z))"
_NAMED = r"(?=[^\n]{0,60}?(?:pass|pwd|secret|token|key|cred))"


def _is_printed(found: str) -> bool:
    """Tell whether ``found`` is a secret rather than the name of a thing, a path or a message."""
    if is_placeholder(found) or found[0] in "{[<(/-" or "://" in found or found.endswith((":", "...")):
        return False
    return has_password_marks(found) or looks_random(found, allow_hex=True)


def _is_key(found: str) -> bool:
    return not is_placeholder(found) and any(map(str.isdigit, found)) and any(map(str.isupper, found))


PRINTED = RowRules(
    "printed_secret",
    (
        Row(
            ("jsonpath", "go-template", "custom-columns"),
            r"(?<![a-z])(?:kubectl|oc|k)[ ](?>(?:[^\n]{1,80}?[ ])?(?:get|extract)[ ]secrets?[ /])"
            rf"(?>[^\n]{{1,160}}?(?:jsonpath|go-template|custom-columns)){_ALONE}",
            'kubectl -n ops get secret admin -o jsonpath="{.data.password}" | base64 -d; echo\n«Wc41nPqRz8TfLmXa»\nok',
            'kubectl -n ops get secret admin -o jsonpath="{.type}"\nOpaque\nok',
            _is_printed,
        ),
        Row(
            ("vault ", "bao "),
            r"(?<![a-z])(?:vault|bao)[ ](?:kv[ ]get|read|print|token[ ]create)[ ]"
            rf"(?>[^\n]{{0,120}}?(?:field|format=raw|token)){_ALONE}",
            "vault kv get -field=hash_salt secret/crm\n«Wc41nPqRz8TfLmXa»",
            "vault kv get -field=owner secret/crm\nplatform-team",
            _is_printed,
        ),
        Row(
            ("get-secret-value", "get-parameter", "secrets versions access", "keyvault secret show", "login-password"),
            rf"(?:get-secret-value|get-parameters?[ ](?>[^\n]{{0,120}}?--with-decryption)|secrets[ ]versions[ ]access"
            rf"|keyvault[ ]secret[ ]show|get-login-password){_ALONE}",
            "aws secretsmanager get-secret-value --secret-id x --query SecretString --output text\n«Wc41nPqRz8TfLmXa»",
            "gcloud secrets versions access latest --secret=motd\nhello",
            _is_printed,
        ),
        Row(
            ("print-access-token", "print-identity-token", "get-access-token", "auth token", "create token"),
            rf"(?:print-access-token|print-identity-token|get-access-token|(?:gh|glab)[ ]auth[ ]token"
            rf"|create[ ]token){_ALONE}",
            "gh auth token\n«Wc41nPqRz8TfLmXaWc41nPqR»",
            "kubectl create token --help\nUsage:",
            _is_printed,
        ),
        Row(
            (
                "op read",
                "op item get",
                "bw get",
                "gopass show",
                "find-generic-password",
                "find-internet-password",
                "secret-tool lookup",
                "lpass show",
                "keepassxc-cli",
                "credstash get",
                "chamber read",
                "secrets get",
            ),
            r"(?:op[ ]read|op[ ]item[ ]get|bw[ ]get[ ](?:password|totp|notes)|gopass[ ]show|find-(?:generic"
            r"|internet)-password|secret-tool[ ]lookup|lpass[ ]show|keepassxc-cli[ ]show|credstash[ ]get|chamber[ ]read"
            rf"|secrets[ ]get[ ]){_ALONE}",
            "op read op://Ops/db/field\n«Wc41nPqRz8TfLmXa»",
            "bw get password --help\nUsage:",
            _is_printed,
        ),
        Row(
            ("output -raw", "config get", "config:get", "printenv", "echo $", 'echo "$', "cat "),
            r"(?<![a-z])(?:echo[ ][\"']?\$|printenv[ ]|output[ ]-raw[ ]|config[ ]get[ ]|config:get[ ]"
            rf"|cat[ ](?!/etc/(?:passwd|group)|[^\n]{{1,80}}\.pub)){_NAMED}{_ALONE}",
            "$ cat /run/secrets/db\n«Wc41nPqRz8TfLmXa»\n$ exit",
            "$ cat docs/secrets.md\nRotation\n",
            _is_printed,
        ),
        Row(
            ("pwgen", "openssl rand", "apg ", "xkcdpass", "diceware", "generate", "/dev/urandom", "makepasswd"),
            r"(?m:^)[^\n]{0,24}?(?<![a-z])(?:pwgen|openssl[ ]rand|apg|xkcdpass|diceware|makepasswd|(?:bw|op|pass"
            r"|gopass)[ ]generate"
            rf"|(?>[^\n]{{1,40}}?/dev/urandom)){_ALONE}",
            "$ pwgen -s 20 1\n«t4bKICEw9IbKNV1ThyxY»\n$ echo done",
            "$ pwgen --help\nUsage:",
            _is_printed,
        ),
        # aws sts assume-role and iam create-access-key, as text
        Row(
            ("akia", "asia"),
            r"(?-i:(?<![A-Z0-9])A[KS]IA[A-Z0-9]{16})(?>[^A-Za-z0-9\n][^\n]{0,80}?"
            r"(?<![A-Za-z0-9/+=])(?=[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])))(?P<secret>[A-Za-z0-9/+]{40})",
            "ACCESSKEY\tAKIAIOSFODNN7EXAMPLE\tActive\t«aRhQ6c9pUYJietcpmZKT5SXSGevsI3M7QOpkptBu»",
            "ACCESSKEY\tAKIAIOSFODNN7EXAMPLE\tActive\t2025-04-28T06:18:43Z",
            _is_key,
        ),
    ),
)
