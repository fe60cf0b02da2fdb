"""The words by which people say that something is not as it was, in English and Chinese."""

import re

from nanobot_memory_plugins.redaction.script.chinese_script import simplified

_ENDS = re.compile(
    r"\bno longer\b|(?:\bnot\b|n['’]t\b).*\bany ?more\b|\binstead\b|\bfrom now on\b|\bmoved\b|\bswitched\b|\bchanged\b"
    r"|\breplaced\b|\brenamed\b|\brewr(?:ote|itten)\b|\breinstalled\b|\bquit\b|\bleft\b|\bg[ai]ve[n]? up\b"
    r"|\bstopped\b|\bsold\b|\bdropped\b|\bcancell?ed\b|\bthrew\b|\bretired\b|\bused to\b"
    r"|不再|不[^，。,.]{0,12}了|改|换|搬|辞职|戒|放弃|退休|离职|卖[了掉]|退了|转到",
    re.IGNORECASE | re.DOTALL,
)
_NOW = re.compile(
    r"\bnow\b|\bthese days\b|\bagain\b|\bgot\b|\bbought\b|\bborn\b|\bnew\b|\bback (?:to|at|in|on)\b|\bturns? out\b"
    r"|\bover to\b|\braised\b|\bjoined\b|\bslip(?:s|ped)?\b|\bpostponed\b|\bdelayed\b|\bsince\b"
    r"|\bwent (?:up|down)\b|现在|以后|今后|如今|又|新|其实|恢复|推迟|延期|提前|毕业|结婚|离婚|出生|提高|降低|涨",
    re.IGNORECASE,
)


def announces_a_change(statement: str) -> bool:
    """Return whether a statement tells that something is not as it was."""
    statement = simplified(statement)
    return (_ENDS.search(statement) or _NOW.search(statement)) is not None


def ends_something(statement: str) -> bool:
    """Return whether a statement tells that something is over."""
    return _ENDS.search(simplified(statement)) is not None
