"""Words of standing instructions, in English and Chinese: how long one holds, who is told, and what it is about."""

from nanobot_memory_plugins.core.text import FULL_WEEKDAY, VERB, LazyPattern, Word, Words

_MORE_VERBS = (
    r"push|merge|commit|force-push|ask|assume|begin|capitali[sz]e|cite|comment|disclose|greet|guess|mention|quote"
    r"|rebase"
    r"|refer|reformat|return|run|round|spend|swear|touch|modify|work|drop|delete|overwrite|install|deploy|be|do|consult"
    r"|double-check|end|address|lose|ditch|limit|leave|stay|finish|sign|correct|warn|point|cut|include|state"
    r"|phrase|act|pretend|apologi[sz]e|hedge|flatter"
    r"|lecture|ramble|waffle|spoil|default|round|greet|favou?r|behave|adopt|drop|rank|mirror|match|sugar-?coat"
    r"|patroni[sz]e|wrap|open|speak"
)
DO = rf"(?:{VERB}|{_MORE_VERBS})\b"
SAYS = (
    r"(?:say|ask|mention|sound|seem|type|forget|swear|start|talk|complain|write|paste|send|share|post|give you"
    r"|message|speak"
    r"|request|want|need|tell|show|use|do|bring(?: up)?|discuss|chat|upload|quote|make|get)"
)
_ANSWERS = (
    r"(?:answers?|repl(?:y|ies)|responses?|e-?mails?|messages?|recipes?|drafts?|summar(?:y|ies)|lists?|scripts?"
    r"|commits?"
    r"|chats?|conversations?|texts?|reviews?|explanations?|suggestions?|code|translations?|letters?|posts?|sessions?)"
)
LASTING = Words(
    (
        Word(
            rf"(?:(?<!to )|(?<=you to ))(?:always|never|(?:do not|don'?t|not) ever) (?:{DO}|(?:want|need|prefer"
            rf"|expect|like|be)\b)|\balways\W*$",
            "never push to main",
            "never heard of it",
        ),
        Word(
            r"(?:do not|don'?t|never|no|not|stop|quit|without)\b.*\b(?:again|any ?more|ever)\b|\b(?:ever|never)$"
            r"|rather you (?:never|always|didn't)\b",
            "don't do that again",
            "try it again",
        ),
        Word(
            r"(?:from today(?: on)?|from (?:now|here|this (?:point|day)) (?:on(?:wards?)?|forward|in|out)(?: (?:in"
            r"|out))?"
            r"|from this day on"
            r"|in (?:the )?future(?! (?:tense|versions?|of|i|we|there)\b)|going forward|henceforth|hereafter"
            r"|(?:in|for|to) all future \w+|only ever|starting (?:now|today))\b",
            "from now on",
            "in the future tense",
        ),
        Word(
            r"(?:by default|in general|generally|as (?:a (?:general )?rule|standard)|at all times|all the time"
            r"|every (?:single )?time"
            r"|each time|any ?time|for good|permanently|across the board|forever|without exception|no matter what"
            r"|once and for all)\b",
            "by default",
            "defaults",
        ),
        Word(
            r"(?:until (?:further notice|told otherwise|i (?:say|tell|ask|change|decide)\b)|unless (?:i (?:ask|say"
            r"|tell|request|want|specify"
            r"|explicitly|specifically)|told|asked|otherwise))",
            "until further notice",
            "until friday",
        ),
        Word(
            rf"(?:in|for|of|at) (?:all|every(?:thing)?|each|any(?:thing)?)(?: (?:one )?of)?(?: (?:our|your"
            rf"|my))?(?: (?:{_ANSWERS}|we do|we talk about|(?:that )?you"
            rf" (?:write|send|give|make|say|do|tell)|i (?:ask|write)))\b|in your (?:answers|replies|responses"
            rf"|e-?mails|messages|drafts|summaries|texts)\b|every (?:single )?{_ANSWERS}\b(?! (?:on|in"
            rf"|from|of|at|about) (?:the|this|that|our)\b)"
            rf"|each of (?:our|your|my)\b|on (?:weekends|weekdays|(?:{FULL_WEEKDAY})s)\b",
            "in all our chats",
            "in all our years",
        ),
        Word(
            r"(?:whenever|any ?time|every time|each time) (?!(?:you|u) (?:need|want|like|feel|can)\b)"
            r"|when you (?:answer|reply|respond|write|explain|talk|speak|translate|summari[sz]e)\b(?! (?:this|that"
            r"|the)\b)",
            "whenever money comes up",
            "whenever you need help",
        ),
        Word(
            "以后|今后|往后|日后|之后|下[次回]开始|(?:从|打|打从)(?:下次|今|现在|这(?:次|回|一刻|会儿|以后)(?:起|开始|之后|往后))|一律|始终|永远|每[次回]|次次|回回|凡"
            "|只要(?=我|你|是|涉及|聊|提|碰|遇|谈|说)|不管|无论|默认|一直"
            "|长期|固定|平时|平常|平日|再也|不许再|不准再|统统|所有(?:的)?[^,]{1,6}[都要按用]|任何时候"
            "|动不动|常年|(?:聊|提|谈|说|讲|碰|遇)[到起][^,]{0,10}(?:时|就|的话|[请,])|(?:聊|写|翻译"
            "|回[答复])[^,]{0,8}的时候?|除非"
            "|没(?:特别)?说"
            "|统一|都这样|都(?:系|是)咁|往后都是|全用|(?:定|立)(?:个|下|条)?(?:死)?规矩|我.{0,3}(?:问|说|发|写|打|聊|提|让|叫|骂|要).{0,14}(?:的话|的?时候|时)",
            "以后都用中文",
            "用中文",
        ),
    )
)
"""That it holds beyond this message."""

_WISH = (
    r"i(?:'d| would|'m going to)?(?: (?:really|much|always|also|very much|never|don'?t|do not|no longer|ever|only"
    r"|just|still))*"
    r" (?:want|need|prefer|expect|like|love|appreciate|rather|hate|insist|require|ask)(?! to (?!see|hear|read|get"
    r"|have|be (?:called|addressed))\w)\b"
)
TOLD = Words(
    (
        Word(
            rf"(?:{DO}|don'?t|do not|only (?:ever )?{DO}|stop\b|quit\b|spare\b|(?:never|always) {DO}|let's\b)",
            "use tabs",
            "i use tabs",
        ),
        Word(
            rf"(?:you|y'all|u)(?:'d| would|'ll| (?:can|may|should|must|shall|might|could|will|need(?:n't)?|have|are"
            rf"|had|ought|don't|do not|always|never|better|just|then))*"
            rf"(?: (?:to|not|also|then|ever|please))* (?:{DO}|don't)",
            "you should show it",
            "you are tall",
        ),
        Word(rf"(?:{_WISH})", "i want short answers", "i want to go"),
        Word(
            r"(?:(?:it|that)(?:'d| would|'s| is| will) (?:be|help)\b|i(?:'d| would) be \w+)(?: \w+){0,4} (?:if you"
            r"|for you to)\b",
            "it'd be lovely if you ended",
            "it'd be lovely weather",
        ),
        Word(
            rf"(?:can|could|will|would) (?:you|u)\b(?: \w+){{0,3}}? {DO}", "could you always reply", "could you see it"
        ),
    )
)
"""How a clause begins that tells the assistant what to do."""

_STYLE = (
    r"(?:emojis?|em ?-?dashes|bullet ?(?:points?|lists?)|bullets|disclaimers?|tables|jargon|slang|small talk"
    r"|exclamation (?:marks?|points?)"
    r"|headings|headers|apologies|puns?|jokes|hedging|flattery|pleasantries|smileys|abbreviations|footnotes"
    r"|caveats|filler|fluff|waffle"
    r"|markdown|bold|preambles?|intros?|recaps?|sign-?offs?|lectures?|lecturing|moralising|sarcasm|cliches"
    r"|buzzwords|semicolons|praise"
    r"|compliments|warnings|acronyms|rhetorical questions|follow-?up questions|summaries|sugar-?coating|baby talk)"
)
_MANNER = (
    r"(?:apologi[sz]|hedg|flatter|lectur|rambl|waffl|repeat(?:ing)? yourself|sugar-?coat|patroni[sz]|gush|moralis"
    r"|spoil(?:ing|er)|joking|talking down"
    r"|asking (?:me|if)|calling|saying|starting|ending|using (?:the word|that word)|telling me|reminding me"
    r"|suggesting|recommending|being|adding|explaining"
    r"|praising|correcting|assuming|second-guessing|over-?explain)\w*"
)
HABIT = Words(
    (
        Word(
            rf"(?:you can )?(?:stop|quit|cease|cut out|cut|lay off|drop|lose|ditch|skip|enough (?:of|with)|no more"
            rf"|less of|spare me|lose|leave out)(?: it)?"
            rf"(?: with)?(?: (?:the|your|all|them|those|these|that|long|of|so many))*(?: using)? {_STYLE}\b",
            "stop using emojis",
            "stop the server",
        ),
        Word(
            rf"(?:stop|quit|cease|(?:don'?t|do not)(?: keep)?|never|enough (?:of|with)(?: the| your)?"
            rf"|no more) {_MANNER}\b(?!.*\b(?:the (?:old|new)|in (?:the|this)|switch)\b)",
            "stop apologising",
            "stop working",
        ),
        Word(
            r"(?:don'?t|do not|never) (?:call|address) me\b|(?:address|refer to|introduce) (?:me|my [\w' -]{2,30}"
            r"|us) as (?!you\b|i\b|if\b|soon\b|well\b|long\b)"
            r"|use (?:he|she|they|ze)\b.* (?:for|with|about) me\b|treat me (?:like|as) |(?:talk|speak|reply"
            r"|respond|write|answer) to me (?:in|with|as|like) "
            r"|(?:don'?t |stop |do not )?be(?:ing)? (?:so |more |less |too )?\w+ (?:with|to) me\b|keep (?:it"
            r"|your answers|answers|replies|things) \w+ (?:with|for) me\b"
            r"|(?:stop|quit) \w+ing (?:me|my|us)\b(?!.*\bfrom\b)"
            r"|\w+ \w+(?:, \w+)* (?:in|for|of) all (?:our|your|my) \w+",
            "talk to me in spanish",
            "talk to me",
        ),
        Word(
            r"(?:every|each|all|any) (?:\w+ ){1,3}you (?:give|write|send|show|make|suggest|draft|translate"
            r"|recommend|tell)s?(?: (?:me|for me|us))?"
            r" (?:has to|have to|must|should|needs? to|ought to) ",
            "every recipe you give me has to serve two",
            "every car you sell has to go",
        ),
        Word(
            "(?:请|你|就|能不能|可不可以|麻烦)*(?:别|不要|不许|不准|甭|唔好|不用)(?:再|老|总|老是|总是|动不动"
            "|回回|天天)+(?:给我|跟我|对我|和我|叫我|喊我|称呼|(?:用|说|讲|发|推|加|写|提|问我|劝)(?!了|[,!]|$)"
            "|道歉|反问|这么|那么|您|拽)"
            "|(?:请|你|就)*(?:别|不要|不许|甭|唔好)(?:叫我|给我(?:加|发|推荐|推|讲|用|写)|跟(?:我|俺)(?:说|讲|拽"
            "|用|提)|用(?:表情|英文|敬语))"
            "|(?:请)?称呼我.{0,4}(?:用|为|作|叫)|回[复答](?:我)?(?:一律|都|时都|要|请|统统)"
            "|.{0,8}(?:你每[次回]|你一直)(?:都)?(?:先|要|得|给|用|唔好|不要|别)|默认(?:单位|语言|语气|格式|称呼"
            "|货币)|(?:语气|日期|单位|格式|称呼|注释"
            "|金额|时间|温度|长度|重量|尺寸|价格|距离)(?:一律|统一|都|全)",
            "别再叫我亲",
            "别再叫他",
        ),
    )
)
"""What is a habit of answering by itself, without a word that says how long."""

STYLED = LazyPattern(
    r"(?:\d[\w'-]*|(?:one|two|three|four|five|max|maximum|short|plain|metric|imperial|british|american|us|uk|no|only"
    r"|just|less|more|more of|formal|informal|spoken|simple|dates|times|prices|code|tabs|spaces|celsius|kilomet\w+"
    rf"|english|french|german|spanish|full|lower ?case|upper ?case|lower|upper|sentence|bullets?|{_STYLE}|please)"
    r"(?:-[\w'-]+)?)(?![\w'])"
)
"""With which a norm of answering begins that has no verb: "two paragraphs max unless i ask"."""

FORCE_ZH = LazyPattern(
    "请|就|都|别|称呼|喊我|[多少](?=说|用|写|给|发)|扮演|不要|不许|不准|甭|唔好|不用|先|按|一律|始终|统统|统一|附"
    "|排除|保留|控制|限制?|保持|尽量|不超过|必须|务必|得|要|给我"
    "|叫我|跟我|帮我|你|固定|随便|随意|拿|用|全"
)
BEHAVES_ZH = LazyPattern(
    "回[答复应我话]|答|说|讲|聊|唠|写|发|推|叫|称呼|喊|提醒|翻译|译|解释|注释|语气|格式|表情|黄脸|敬语|单位|结论"
    "|链接|来源|字|繁|简|[中英法德日]文|[法德日粤俄汉]语|话|换算|列|标|附|音标"
    "|备份|测试|提交|推送|部署|发布|上线|合并|删|(?<=一律)用|(?<=都)用|(?<=统一)用|(?<=全)用|挑|查|问|劝|提|建议|方案|总结|排除|小数|份|的量|写法|换成|算|加上|保留|小时制|客套|符号|感叹号|代码|重点"
    "|自己叫|案例|复述|改|要点|步骤|直接|先说|先给|形式|表格|用词|口语|中立|角色|扮演|称|reply|keep|short|对照|劝|看"
)
OWN_HABIT_ZH = LazyPattern(
    "(?:^(?:但?是?|所以|因为)?|以后|今后|往后|从今|开始|起)(?:我们?|俺|咱们?|本人)(?!.{0,6}(?:问|发|说“|打的|打错"
    "|写错|没说|聊到|让你|要你|希望你|想让你|需要你|不喜欢你|骂|提到|要是写|写.{1,6}时|的时候,?都))"
)
"""That a clause is about the user: 我以后用苹果手机."""
NOT_STANDING_ZH = LazyPattern(
    "(?<![叫喊称])[他她它佢]|(?:帮我?|替我)(?:跟|和|对|向|给|同)(?!我|你)[^,]{1,8}?(?:说|讲|提醒)|转告|大家"
    "|老板|老师|领导|甲方|同事|朋友|我[妈爸婆公]|妈妈|爸爸|婆婆|闺女(?!.{0,4}你)"
    "|孩子(?!的话题)"
    "|员工|顾客|规定|放话|怎么|为什么|为啥|咋|吗$|是不是|合理|这[篇封题首句段件本]|这[次回](?!起|开始|之后|往后)|这条(?!长期|一直|永远|以后|规矩|规则|要求)"
    "|那[篇封题次回首句段条件本]|本次|今次|下一?[段篇封]|上面|上述|以下|帮我(?:看看|写[一个份封篇条首段])|给个"
    "|写[一个份封篇条首段]|编[一个]|出自|歌|再说(?!理由|原因|细节|过程|步骤|结论|解释)|再聊|再看|我会|我想(?!让你|要你|请你)|我要(?!你|求|是)|人类"
    "|机器人|努力|头疼|标牌|贺卡|推荐第"
)

PROVERBS = Words(
    (
        Word(
            r"\b(?:bright side|gift horse|say never|running system|(?:your |the )?chickens before"
            r"|book by its cover"
            r"|eggs in one basket|burn (?:your )?bridges|shoot the messenger|change horses|bite the hand|cry over"
            r"|spilt milk|till tomorrow what|business with pleasure|sleeping dogs|cross the bridge|the unexpected"
            r"|for granted|assume malice|interrupt (?:an|your) enemy|bring a knife|kick a man|meet your heroes"
            r"|look before|measure twice|hope for the best|the benefit of the doubt)\b",
            "look on the bright side",
            "look on the right side",
        ),
        Word(
            r"\b(?:stop|quit|give up|lose) (?:dreaming|learning|believing|exploring|trying|growing|smiling|hope|faith"
            r"|heart|loving)\b|^(?:never|don't ever|do not ever) (?:give up|give in|grow up|grow old|look back"
            r"|surrender|change|settle|stop)\W*$|\bbe (?:yourself|kind|happy|humble|grateful|positive|true|brave)\b"
            r"|\b(?:trust your (?:gut|heart)|follow your (?:heart|dreams?)|believe in (?:yourself|miracles|love)"
            r"|wear sunscreen|stay (?:humble|hungry|positive|strong|curious)|keep smiling)\b",
            "never stop learning",
            "never stop the server",
        ),
        Word(
            "不?放弃|回头看|热泪|善良|往好处想|以貌取人|留一线|初心|梦想|人生|美好的|心怀|做人|微笑面对|预则立|年轻|感恩|谦虚|勇敢"
            "|相信(?:爱|自己|未来|奇迹)",
            "再也不要回头看",
            "再也不要回复",
        ),
    )
)
"""What is said of life, and tells nobody how to answer."""
