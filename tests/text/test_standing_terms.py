"""Durations that are a rule are no date, and those of a plan are: in both languages and scripts."""

import re
from datetime import UTC, date, datetime

import pytest

from nanobot_memory_plugins.consolidation.extraction.answer import Candidate
from nanobot_memory_plugins.consolidation.extraction.dates import expiry_of
from nanobot_memory_plugins.core.text import days_ahead
from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.relative_dates import standing_terms
from nanobot_memory_plugins.core.text.words import Word, Words
from tests.support.chinese import in_both_scripts, turned
from tests.support.each import each

pytestmark = pytest.mark.leaving

MONDAY = date(2026, 3, 2)
WORDS = [word for words in vars(standing_terms).values() if isinstance(words, Words) for word in words]
ENGLISH_RULES = [
    "Acme pays within 14 days",
    "Acme pays in 14 days",
    "the warranty claim must be filed in 30 days of purchase",
    "the deposit must be paid within 10 days after signing",
    "refunds take 5 days",
    "Invoices are due within 30 days",
    "invoices are paid in 30 days",
    "you can return it within 30 days",
    "our supplier delivers within two weeks",
    "the bank usually answers in three days",
    "customers pay in 14 days",
    "we answer tickets within 2 days",
    "Passwords expire in 90 days",
    "Payment is due within 14 days",
    "claims must be reported within a week",
    "DHL delivers in two days",
    "returns are accepted within 30 days",
    "each ticket is answered in two days",
    "A complaint must be made within two months",
    "in two weeks from delivery the guarantee begins",
    "The landlord has to return the deposit within six months of moving out",
    "Orders ship in 2 days",
    "The insurer replies within 10 days, if at all",
    "The caterer wants the money within 10 days of the event",
    "Our policy: replies within 2 days",
    "the warranty can be claimed within two years of purchase",
    "Vodafone answers complaints in five days",
    "Staff must give notice within one month",
    "The library lets you renew within three weeks",
    "Sourdough is best eaten within two days",
    "Logs get deleted in 30 days",
    "we ship in two days",
    "Support replies within 1 day on weekdays",
    "The cheese must be eaten within a week of opening",
    "Any appeal must be lodged in 14 days",
    "A tenant has to be informed within 14 days",
    "Prime orders arrive in 2 days on average",
    "Ms Lee invoices within 3 days",
    "The contract can be cancelled within 14 days",
]
CHINESE_RULES = [
    "客户十四天内付款",
    "30天内可以退货",
    "收到货后7天内无理由退换",
    "付款三天后发货",
    "一般三天后发货",
    "自签收之日起30天内可申请保修",
    "员工须在三十天内提交报销单",
    "手术一周后拆线",
    "下单两天后到货",
    "供应商一个月内结算",
    "退款五天内到账",
    "我们公司十四天内付款",
    "优惠券三个月内有效",
    "入职三个月后转正",
    "客户三十天后付款",
    "订单七天后自动确认收货",
    "收到发票后三十天内付款",
    "过去三天内没有报警",
    "顾客七天内可以无理由退货",
    "合同规定十五天内验收",
    "房东一般一个月内退押金",
    "我司三十天内付款",
    "包裹通常五天后到",
    "验收合格后三十天内付尾款",
    "产后一个月内不能提重物",
    "任何投诉两天内回复",
    "保修期两年内免费维修",
    "开封后三天内喝完",
    "供应商两周内发货",
    "接种两周后产生抗体",
    "会员三个月内有效",
]
ENGLISH_PLANS = [
    "I'll pay in 14 days",
    "I have to answer the court within 14 days",
    "my flight leaves in three days",
    "The lease ends in two weeks",
    "Remind me in two weeks to renew the certificate",
    "pay the rent within three days",
    "the dentist appointment is in 3 weeks",
    "We are moving in two months",
    "The report has to be done within three days",
    "Anna arrives in 5 days",
    "my passport expires in six months",
    "renew the passport within two months",
    "the exam is in two weeks' time",
    "He will pay me within a week",
    "Guests are coming in two days",
    "Prices will go up in 30 days",
    "Acme pays me in 3 days",
    "We need to ship the order within two days",
    "the parcel comes in 3 days",
    "Exams start in three weeks",
    "We're flying to Lisbon in two weeks",
    "I need to return the shoes within 30 days",
    "My trial ends in 14 days",
    "The plumber is coming in three days",
    "Call the landlord within two days",
    "Mum visits in two weeks",
    "The insurance expires in three months",
    "We have to leave the flat within a month",
    "my contract runs out in half a year",
    "She gets married in two months",
    "The server moves in a week",
    "Our anniversary is in 5 days",
    "Submit the visa application within 10 days",
    "The new office opens in a month",
    "I promised to reply within two days",
    "they should fix the boiler within a week",
    "the baby is due in six weeks",
    "the train leaves in an hour or in two days",
]
CHINESE_PLANS = [
    "我三天后出差",
    "我要在十四天内付款",
    "两周后提醒我续证书",
    "会议三天后举行",
    "签证三个月后到期",
    "妈妈五天后来看我",
    "我们一个月内搬家",
    "三天内要把报告交上去",
    "两周内续护照",
    "接下来三天内完成测试",
    "我打算半年内换工作",
    "张三必须在两天内给答复",
    "再过三天后我就放假",
    "三天后客户来访",
    "一个月内还清信用卡",
    "考试两周后开始",
    "我两周内要交论文",
    "爸爸一个月后退休",
    "房租三天后到期",
    "这批货十天后到港",
    "三天内给小王回电话",
    "我们争取一个月内上线",
    "老板让我两天内改完方案",
    "提醒我一周后复查",
    "半年后我们搬去成都",
    "比赛两周后开始",
    "这份合同必须三天内签完",
    "我答应两天内回复客户",
    "妹妹三个月后结婚",
]


@each("text", in_both_scripts(ENGLISH_RULES + CHINESE_RULES))
def test_a_duration_that_is_a_rule_is_no_date(text: str):
    assert days_ahead(text, MONDAY) == ()


@each("text", in_both_scripts(ENGLISH_PLANS + CHINESE_PLANS))
def test_the_duration_of_a_plan_is_a_date(text: str):
    assert days_ahead(text, MONDAY)


@each("word", WORDS)
def test_each_word_decides_in_its_example_alone(word: Word):
    for example, counter_example in (word[1:], turned(tuple(word[1:]))):
        assert re.search(word.pattern, fold(example))
        assert not re.search(word.pattern, fold(counter_example))


@pytest.mark.parametrize(("said", "ends"), [("Acme pays within 14 days.", False), ("The fair ends in 14 days.", True)])
def test_a_day_that_a_model_makes_of_a_rule_is_not_believed(said: str, ends: bool):
    candidate = Candidate.model_validate({"content": said, "category": "fact", "expires_at": "2026-03-16"})
    assert (expiry_of(candidate, said, datetime(2026, 3, 2, 9, tzinfo=UTC)) is not None) is ends
