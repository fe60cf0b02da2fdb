"""Phrases of days to come in Chinese, in simplified characters. What comes again and what is past means none."""

from nanobot_memory_plugins.core.text.calendar import CHINESE_WEEK, CHINESE_WEEKDAY_NAME
from nanobot_memory_plugins.core.text.relative_dates import coming_days as mean
from nanobot_memory_plugins.core.text.relative_dates.rules import Rules

_NUMBER = r"\d{1,2}|[一二三四五六七八九十]{1,3}"
_WEEK, _DAY = CHINESE_WEEK, CHINESE_WEEKDAY_NAME
_PART = "(?P<part>初|上旬|中旬?|下旬|底|末)"
_UNIT = "(?P<unit>天|日|周|星期|礼拜|月|年)"
# A number behind 周 counts something else before these, and one before 号 numbers many things.
_NO_COUNT = "(?![起直样共定些下个次场位件条])"
_NO_NUMBER = "(?![线楼房门院厅馆店机电码桌位选球路车公文字库柜台井])"

CHINESE = Rules(
    {
        "again": (
            rf"(?:每|逢|隔)[^,。;!?]{{0,8}}?(?:[周期拜][一二三四五六日天末](?:[和与、到至及]{_WEEK}?[一二三四五六日天末])*"
            rf"|月?(?:{_NUMBER})[日号]|月[底初中末]?|年[底初末]?|天|日|晚|早上?)"
            rf"|{_WEEK}{_DAY}(?:[到至和、-]?{_WEEK}{_DAY}|[到至和、-]{_DAY})+"
            rf"|{_WEEK}{_DAY}(?:[早晚]上?|[上中下]午|傍晚|夜里)?我?们?(?:都|通常|一般|固定|照例)|(?<![这本下个])周末",
            mean.nothing,
        ),
        "past": (
            rf"上+一?个?(?:{_WEEK}(?:{_DAY}|末)?|月份?(?:(?:{_NUMBER})[日号]|[底初中末])?)"
            rf"|[去前]年(?:(?:{_NUMBER})月)?(?:(?:{_NUMBER})[日号])?|昨[天日晚]|大?前天|[明后]年的?今[天日]"
            rf"|(?:{_NUMBER})个?(?:天|日|周|星期|礼拜|月|年)之?以?前",
            mean.nothing,
        ),
        "iso": (
            r"(?P<year>20\d\d) ?年 ?(?P<month>1[0-2]|0?[1-9]) ?月 ?(?P<day>3[01]|[12]\d|0?[1-9]) ?[日号]?",
            mean.day_or_month,
        ),
        "feast": (
            r"(?:(?P<year>[今明])年的?)?(?P<feast>跨年夜|跨年那?[天晚]|元旦|国庆(?:节|当天|那天)|劳动节|五一(?!路|广场)|儿童节"
            r"|平安夜|圣诞节?|情人节)",
            mean.feast,
        ),
        "last_of_year": ("(?P<which>[今明后])?年的?最后一天", mean.end_of_year),
        "last_of_month": ("(?:(?P<which>下|这|本)个?)?月的?最后一天", mean.end_of_month),
        "after_after": ("大后[天日]", mean.days_on(3)),
        "day_after": ("(?<![今以之往])后[天日](?!后)", mean.days_on(2)),
        "tomorrow": ("明[天日早晚]|(?<!说)明儿|听日", mean.days_on(1)),
        "today": ("今[天日晚早](?!算?起)|今儿", mean.days_on(0)),
        "weekend": (rf"(?:这|本|(?P<which>下下|下))一?个?{_WEEK}末", mean.week),
        "weekday": (rf"(?:(?P<which>下下|下|这|本)一?个?)?{_WEEK}(?P<name>{_DAY}){_NO_COUNT}", mean.chinese_weekday),
        "week": (rf"(?P<which>下下|下|这|本)一?个?{_WEEK}(?![围边刊])", mean.week),
        "day_of_next": (
            rf"(?P<which>下下|下|这|本|当)一?个?月份?的?(?:(?P<day>{_NUMBER})[日号]|{_PART})?(?![亮球饼经])",
            mean.of_this_month,
        ),
        "date": (
            rf"(?:(?P<year>[今明后])年的?)?(?<![\d.个])(?P<month>1[0-2]|0?[1-9]|[一二三四五六七八九十]{{1,2}}) ?月份?"
            rf"(?: ?(?P<day>{_NUMBER}) ?[日号]|{_PART})",
            mean.day_or_month,
        ),
        "month_end": (rf"(?<![个一二三四五六七八九十\d年])月{_PART}", mean.of_this_month),
        "year_end": ("(?P<which>[今明后])?年[底末]", mean.whole_year),
        "in": (
            rf"(?:再?过)?(?P<n>\d{{1,3}}|[一二两三四五六七八九十]{{1,3}}|半)个?(?P<more>半)?{_UNIT}(?:之?后|以后|以?内|之内)",
            mean.units_on,
        ),
        "day_of_month": (rf"(?<![\d.月第年号])(?P<day>3[01]|[12]\d|[1-9])号{_NO_NUMBER}", mean.of_this_month),
    }
)
