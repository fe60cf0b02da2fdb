"""What a clause says on nobody's account, or on somebody else's: reports, guesses and suppositions.

Patterns see what those of `questions` see.
"""

from nanobot_memory_plugins.core.text.imagined import PAST
from nanobot_memory_plugins.core.text.words import Word, Words

_TEXTS = (
    r"(?:e-?mails?|mails?|messages?|letters?|articles?|(?:web)?pages?|web ?sites?|sites?|logs?|output|documents?"
    r"|docs|(?<=\w )(?<!my )(?<!our )(?<!and )(?<!but )(?<!so )doc"
    r"|papers?|reviews?|transcripts?|posts?|comments?|tweets?|threads?|texts?|files?|results?|tools?|search|notes?|news"
    r"|summary|internet|web|screenshot|pdf|inbox|report|blog|wiki|readme|manual|forum)"
)
_PEOPLE = (
    r"(?:friend|buddy|pal|\w*mate|cousin|brother|sister|bro|sis|mum|mom|mam|dad|mother|father|aunt|auntie|uncle"
    r"|gran|nan|grandma|grandpa|granny|neighbou?r|colleague|coworker|ex|\w+-in-law|boyfriend|girlfriend|bf|gf|husband"
    r"|wife|partner|kid|son|daughter|nephew|niece)"
)
_OTHERS = (
    r"(?:bot|assistant|model|chatgpt|memory|profile|it|he|she"
    r"|they|you|that|this|which|who|someone|somebody|people|everyone|everybody)"
)
_SAYS = (
    r"(?:says?|said|claims?|claimed|writes?|wrote|states?|stated|mentions?|mentioned|asserts?|asserted|suggests?"
    r"|suggested"
    r"|shows?|showed|told me|tells me|thinks?|believes?|insists?|alleges?)\b(?! (?:yes|no|hi|hello|goodbye)\b)"
)
_SOURCES_ZH = (
    "(?:网页|页面|网站|文章|邮件|来信|消息|短信|信息|日志|输出|文档|文件|新闻|评论|帖子|工具|结果|截图|(?<!体检)(?<!化验)(?<!检查)报告|网上|(?<![约同单])[上里]面|书上"
    "|有人|对方|卖家|中介|客服|别人|人家|人地|人哋|(?<![跟和对向给同])(?:他们?|她们?|佢哋?|你)|助手|机器人|[小老阿][\u4e00-\u9fff]"
    "|(?<![跟和对向给同])(?:朋友|同事|同学|老板|主管|经理|客户|室友|邻居|网友))"
)
_PEOPLE_ZH = (
    "婆婆|公公|岳父|岳母|丈母娘|老丈人|妈妈?|爸爸?|爷爷?|奶奶?|外公|外婆|姥姥|姥爷|哥哥?|弟弟?|姐姐?|妹妹?|表[哥弟姐妹]|堂[哥弟姐妹]|嫂子?|老公|老婆"
    "|先生|太太|媳妇|男友|女友|男朋友|女朋友|对象|儿子|女儿|闺女|孩子|娃|[叔伯姑姨舅婶]\\w?|同桌|舍友|闺蜜|哥们|邻居|前任"
)
REPORTS = Words(
    (
        Word(
            r"(?<!when )(?<!whenever )(?<!if )(?<!before )(?<!after )(?<!time )(?<!once )(?<!until )"
            rf"(?<!can )(?<!could )(?<!would )(?<!will )(?<!help )(?<!cn )"
            rf"\b(?:{_TEXTS}|{_OTHERS})\b(?:'s)?(?: (?:from|by|of|on|in|about|(?<!you )to) [\w' ]{{1,30}}?)?(?: (?:also"
            rf"|just|even|really|actually|then|once))? {_SAYS}",
            "the page says it is late",
            "the page is late",
        ),
        Word(
            rf"\b(?:my|our|his|her|their|the) (?:\w+ )?{_PEOPLE}(?: \w+)? (?:just |also |always |still )?"
            r"(?:says?|said)\b(?! (?:yes|no|hi|hello|goodbye)\b)",
            "my labmate says it is late",
            "my labmate is late",
        ),
        Word(r"\b(?:\w+ )(?<!i )(?<!we )(?:reckons|figures|swears|bets)\b", "he reckons it is late", "i reckon"),
        Word(
            r"\bmy [\w ]{1,20}? (?:wrote|writes|texted|e-?mailed|messaged|posted|claims|claimed)\b",
            "my colleague wrote that it is late",
            "my colleague is late",
        ),
        Word(
            r"\bthe (?!doctor|nurse|dentist|vet\b|therapist|pharmacist|physician|midwife|surgeon"
            r"|clinic)[\w-]+ (?:says|said|claims|claimed|states (?:that|the|a)|shows)\b",
            "the label says 20 mg",
            "the doctor said 20 mg",
        ),
        Word(
            r"\b(?:it|that|this)(?:'s| is| was) (?:said|claimed|alleged|written|rumou?red|not true|untrue|false"
            r"|wrong)\b",
            "it is said to be late",
            "it is late",
        ),
        Word(r"\b(?:according to|apparently|allegedly|supposedly|reportedly)\b", "apparently it is late", "appearance"),
        Word(
            r"\bi(?:'ve| have)? (?:just )?(?:read|saw|see|heard|was told|found) (?:[\w']+ ){0,5}that\b",
            "i read on a page that it is late",
            "i read a lot",
        ),
        Word(
            rf"{_SOURCES_ZH}[^，。,.！!？?]{{0,6}}(?:说|写|声称|提到|显示|认为|讲|称|(?<=[佢哋人])话)(?!服(?!务)|明书"
            rf"|过分|的[\u4e00-\u9fff])(?<!你之前写)(?<!你写)(?<!要写)(?<!我写)",
            "网页上说很晚",
            "我跟你说很晚",
        ),
        Word(
            "^说(?!是|实话|不定|明|起|到|白|来|好|真的?|不|服|一下|说)[\u4e00-\u9fff]{2}", "说头发会变多", "说实话很晚"
        ),
        Word(r"^(?:and )?(?:says|saying) (?:it|that|he|she|they|you|i|we|the)\b", "says it is late", "it is late"),
        Word(
            f"我(?:们|家)?的?(?:{_PEOPLE_ZH})[^,。.!?我]{{0,4}}?(?:说|讲|觉得|认为|话)(?!服(?!务)|明|话|过分|得|好)",
            "我婆婆说很晚",
            "我婆婆很晚",
        ),
        Word("[\u4e00-\u9fff]{1,6}(?<![早晚约同单])[上里](?:写着|说|显示|印着|标着)", "标签上写着20", "早上说话"),
        Word(
            "^(?!我|咱|你|医生|护士|大夫|牙医|老实|听我|不|没|要|应该|可|虽|据|按|一般|比如|例如|也就|总的?来?|换句|简单|直接|具体|严格|坦白|[再先就][跟和对向给同]|跟|和|对|向)"
            "[\u4e00-\u9fff]{2,4}(?<!医生)(?<!医师)(?<!大夫)(?<!护士)(?<!药师)(?<!养师)(?<!疗师)(?<!体检)(?<!检查)(?<!化验)(?<!不用)(?<!不必)(?<![别不没])"
            "(?:今天|昨天|刚才|刚|又|还|也|都)?说(?!服(?!务)|明|话|法|英语|中文|日语|汉语|粤语|德语|不定|得|来|起|过)",
            "安娜说很晚",
            "老实说很晚",
        ),
        Word(
            "据说|听说|听讲|据称|据.{1,10}(?:报道|报导|所说|称)|根据.{1,12}(?:网页|文章|邮件|页面)",
            "听说很晚",
            "证据很多",
        ),
    )
)
NAMED = Word(
    r"(?<!Dr )(?<!Dr\. )(?<!Doctor )\b(?!I\b|My\b|We\b|Our\b|Dr\b|Yes\b|No\b|Nobody\b"
    r"|Who\b)[A-Z][\w'’.-]+ (?:just |also )?(?:says|said|claims|claimed|writes|wrote|texted|e-?mailed|told me"
    r"|tells me|thinks|believes|insists|mentioned|suggested|reckons|figures|swears|bets|guesses)\b"
    r"(?! (?:yes|no|hi|hello|goodbye)\b)",
    "Bob said it is late",
    "I said it is late",
)
"""Somebody with a name said it: the one that looks at capital letters."""

GUESSES = Words(
    (
        Word(
            r"\b(?:maybe|perhaps|might|(?:user|i|we|he|she|they) may|may (?:have|be|get|need|also|not)|probably"
            r"|possibly|presumably"
            r"|i guess|i suppose|i think|i assume|not sure|unsure)\b|^(?:for example|e\.g\.)",
            "maybe it is late",
            "mighty late",
        ),
        Word("也许|(?<!尽)可能|大概|或许|我猜|估计|好像|似乎|不确定|不一定|说不定|比如说", "可能很晚", "尽可能早"),
    )
)
SUPPOSES = Words(
    (
        Word(
            r"^(?:suppose|supposing|imagine|assume|assuming|hypothetically|let's (?:say|assume|suppose))\b",
            "suppose it is late",
            "i suppose it is late",
        ),
        Word(
            rf"\bif (?:i|we|he|she|it|they|you) (?:were|{PAST})\b.*(?:\b(?:would|could)\b|'d\b)",
            "if i were late i would run",
            "if i was late i ran",
        ),
        Word("^(?:假如|假设|假使|倘若|设想|试想)", "假如很晚", "不是假如"),
    )
)
CONDITIONS = Words(
    (
        Word(
            r"(?:if|when|whenever|unless|in case|once|until|before|after|while|next time|assuming)\b",
            "if it is late",
            "ifs and buts",
        ),
        Word(
            "如果|要是|假如|倘若|一旦|只要|除非|万一|当(?!然|时|地|天|初)|.{1,20}(?:的话|的时候|时)$",
            "如果很晚",
            "当然很晚",
        ),
    )
)
"""What begins a clause on which the one behind it depends: "If I take it, is it dangerous?" states nothing."""
