"""Passwords in lists of logins: ``netflix: ana@example.org / ...``, ``10.1.2.3 root ...``, ``admin/...``."""

from __future__ import annotations

from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rows import Row, RowRules
from nanobot_memory_plugins.redaction.values.password_marks import is_marked
from nanobot_memory_plugins.redaction.values.value_shapes import has_password_marks, is_placeholder

_LABEL = (
    r"(?m:^)[ \t>*•-]{0,4}+(?:[a-z\u4e00-\u9fff][a-z0-9+&'\u4e00-\u9fff]{0,19}+[ ]?){1,3}?(?:[:：][ ]?|-[ ]|(?<=[ ]))"
)
_BETWEEN = r"[ ]{1,2}[/:|-][ ]{1,2}"
_ENDS = r"(?P<secret>[!-~]{6,64}+)(?=[ \t]*(?:\r?\n|\Z))"
_USERS = r"(?:admin|administrator|root|user|guest|pi|ubuntu|operator|sa|postgres|test|support|manager|service)"
_FILE = lazy_re(r".*\.[a-z]{2,4}|/.*|.*://.*")


def _is_password(found: str) -> bool:
    return is_marked(found) and not _FILE.fullmatch(found) and "/" not in found


def _is_behind_mail(found: str) -> bool:
    return has_password_marks(found) and not is_placeholder(found) and not _FILE.fullmatch(found)


LOGINS = RowRules(
    "login_password",
    (
        Row(
            ("@",),
            rf"(?<![a-z0-9.@])[a-z0-9][a-z0-9._+-]{{0,40}}+@[a-z0-9-]{{1,40}}+(?:\.[a-z0-9-]{{1,30}}+){{1,4}}+"
            rf"(?:{_BETWEEN}|,[ ]){_ENDS}",
            "netflix: joe@localhost.localdomain.lan / «hunter-7-moon»",
            "from joe@localhost.localdomain.lan - see docs/a.md",
            _is_behind_mail,
        ),
        Row(
            (" / ", " : ", " | ", " - "),
            rf"{_LABEL}(?=[a-z][\w.+-]{{0,40}}+{_BETWEEN})(?=[a-z]{{1,40}}[0-9._])[a-z][\w.+-]{{2,40}}+{_BETWEEN}{_ENDS}",
            "steam: crowbar_joe : «xen_lambda_1998»",
            "release: build_42 / test-7-linux",
            _is_password,
        ),
        Row(
            ("/",),
            rf"(?<![a-z0-9/._~-]){_USERS}[ ]?/[ ]?(?P<secret>[!-~]{{6,64}}+)(?=[\s,，。;)]|\Z)",
            "the router's page is 192.168.1.1, admin/«V3lcro-Otter»",
            "see admin/v2-dashboard.html and root/etc",
            _is_password,
        ),
    ),
)
