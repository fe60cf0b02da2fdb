"""What constrains an answer and shares no word with the request: diets and food, injuries and sport, remedies, travel.

A request for a recipe does not name the allergy that it must heed. So the request is known by its topic, and what the
user told of it is looked for by the words of that topic. Only what can do harm has a topic here.
"""

from dataclasses import dataclass

from nanobot_memory_plugins.core.text.acts import Act
from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.inventions import asks_to_invent
from nanobot_memory_plugins.core.text.reading import message_reading
from nanobot_memory_plugins.core.text.wishes import wants_advice
from nanobot_memory_plugins.core.text.words import LazyPattern, Word, Words

# A longer request is read so far; a longer statement is a document.
_LOOKED_THROUGH = 600


@dataclass(frozen=True, slots=True)
class ConstraintTopic:
    """A topic of advice: words of a request, words of what constrains it, and those by which that is looked for."""

    name: str
    sought: Words
    told: Words
    query: str


FOOD = ConstraintTopic(
    "food",
    Words(
        (
            Word(
                r"\b(?:eat|food|meals?|dinner|lunch(?:es)?|lunchbox|breakfast|supper|brunch|snacks?|nibbles"
                r"|recipes?|cook(?:ing)?"
                r"|bak(?:e|ing)|desserts?|menus?|restaurants?|dish(?:es)?|biscuits?|cookies?|cakes?|pudding"
                r"|treats?|barbecue|bbq"
                r"|picnic|take-?away|takeout|curry|pasta|soup|stew|salad|sandwich(?:es)?|groceries|smoothies?"
                r"|hungry|potluck|buffet|(?:plate|portion|bowl|glass|cup|slice) of)\b",
                "an idea for dinner",
                "an eatery opened",
            ),
            Word(
                "吃|喝|酒(?!店)|菜(?!鸟)|饭|餐|甜[品点]|蛋糕|点心|零食|便当|火锅|食谱|下厨|馆子|外卖|[夜宵]宵"
                "|早点(?!睡|回|来"
                "|去|休)|小吃|烧烤|烘焙|汤(?![姆家先])",
                "晚上吃什么",
                "早点睡",
            ),
        )
    ),
    Words(
        (
            Word(
                r"\ballerg(?:y|ies|ic)\b|\bintoleran(?:t|ce)\b|\b(?:vegan|vegetarian|pescatarian|halal|kosher"
                r"|co?eliac|diabet\w+"
                r"|lactose|gluten|gout|pregnant|anaphyla\w+)\b"
                r"|\b(?:can ?not|can'?t|don'?t|do not|won'?t|must ?n'?t|no longer|never"
                r"|not allowed to) (?:\w+ )?(?:eat|digest|touch)\b"
                r"|\b(?:given up|gave up|stopped|quit) (?:eating|drinking)\b"
                r"|\b(?:no|without an?|have ?n'?t (?:got )?an?|do ?n'?t have an?)"
                r" (?:oven|stove|cooker|hob|fridge|freezer|microwave)\b"
                r"|\b(?:quit|given up|gave up|off|avoid(?:ing)?|cut out) (?:\w+ )?(?:sugar|meat|dairy|alcohol"
                r"|coffee|caffeine"
                r"|pork|beef|fish|salt|carbs|wheat|milk)\b|\blow-(?:salt|sodium|carb|sugar|fat)\b",
                "i'm allergic to peanuts",
                "an allegory",
            ),
            Word(
                "过敏|不耐受?|忌口|吃素|[蛋奶]素|素食|吃斋|清真|糖尿病|血糖|痛风|怀孕|孕期|尿酸|[吃喝]不[了得]"
                "|[少低控](?:盐|糖|油|钾|磷|脂|嘌呤)|没有?(?:烤箱|明火|燃气|冰箱|微波炉)|(?:烤箱|冰箱|微波炉)(?:也|都)?(?:没有|坏)|只[有配][^,。]{0,4}(?:电磁炉|微波炉)"
                "|(?:不|不能|不敢|不可以|不让我?|少|别|戒)(?:再)?(?:吃|喝|碰)|戒(?:了)?(?:酒|糖|咖啡|肉|奶)",
                "我对花生过敏",
                "他过得敏感",
            ),
        )
    ),
    "allergic allergy intolerant vegan vegetarian gluten lactose diabetic halal kosher"
    " 过敏 不耐 忌口 吃素 素食 清真 痛风 不能吃 不吃 吃不了 低盐 烤箱 oven stove",
)
EXERTION = ConstraintTopic(
    "exertion",
    Words(
        (
            Word(
                r"\b(?:work-?outs?|exercises?|training|train|jog(?:ging)?|go for a run|running|hik(?:e|es|ing)|gym"
                r"|yoga|squats?"
                r"|stretch(?:es|ing)?|cardio|marathon|fitness|swim(?:ming)?|climb(?:ing)?|cycl(?:e|ing)|ski(?:ing)?)\b",
                "a training plan",
                "the trainee",
            ),
            Word("运动|锻炼|健身|跑步|爬山|登山|徒步|游泳|瑜伽|训练|骑车|打球|滑雪", "安排这周的运动", "运气真好"),
        )
    ),
    Words(
        (
            Word(
                r"\b(?:injur(?:y|ed|ies)|sprain(?:ed)?|broke(?:n)?|fractur\w+|torn|tore|hurt|surgery|operation"
                r"|pregnant|asthma\w*"
                r"|slipped dis[ck]|hernia)\b|\bbad (?:knees?|back|hips?|shoulders?|heart)\b"
                r"|\bno (?:running|riding|lifting|sport|exercise|climbing|jumping)\b",
                "i hurt my knee",
                "the injunction",
            ),
            Word(
                "受伤|扭[伤到]|骨折|拉伤|韧带|手术|怀孕|哮喘|膝盖|腰椎|不能(?:跑|跳|爬|走|运动|提重|剧烈)|(?:不让"
                "|不许)我?(?:跑|跳|爬|运动)",
                "膝盖受伤了",
                "受益匪浅",
            ),
        )
    ),
    "injured injury knee broke sprained surgery doctor pregnant asthma 受伤 膝盖 骨折 扭伤 手术 医生 不能跑",
)
REMEDY = ConstraintTopic(
    "remedy",
    Words(
        (
            Word(
                r"\b(?:pain-?killers?|ibuprofen|paracetamol|aspirin|antibiotics?|medicines?|medication|remed(?:y"
                r"|ies)|tablets?"
                r"|(?:for|against|have|got) (?:a |an |my )?(?:\w+ )?(?:head-?ache|tooth-?ache|fever|cold|flu|cough"
                r"|migraine"
                r"|sore throat))\b",
                "what can i take for a headache",
                "the flue",
            ),
            Word(
                "吃什么药|止痛药|感冒药|退烧药|布洛芬|抗生素|消炎药|打针|开药|(?:头|牙|胃|嗓子)[疼痛]|发烧|感冒",
                "头疼吃什么药",
                "药店",
            ),
        )
    ),
    Words(
        (
            Word(
                r"\ballerg(?:y|ies|ic)\b|\b(?:pregnant|breast-?feeding|warfarin|apixaban|blood thinners?|asthma\w*"
                r"|ulcer)\b"
                r"|\b(?:take|taking|took|put|prescribed|started)(?: \w+){0,3} (?:pills?|tablets?|medication|mg"
                r"|statins?|insulin)\b",
                "i'm allergic to penicillin",
                "an allegory",
            ),
            Word(
                "过敏|怀孕|孕期|哺乳|哮喘|溃疡|抗凝|华法林|降压药|在吃[^,。]{0,6}药|医生给[^,。]{0,4}[加开]了",
                "老伴对青霉素过敏",
                "过目不忘",
            ),
        )
    ),
    "allergic allergy pregnant medication tablets warfarin asthma 过敏 怀孕 哮喘 降压药 在吃药 青霉素",
)
TRAVEL = ConstraintTopic(
    "travel",
    Words(
        (
            Word(
                r"\b(?:fly|flying|flights?|(?:aero|air)?planes?|airlines?|ferry|ferries|cruises?|boats?|sail(?:ing)?|crossing"
                r"|drive|driving"
                r"|road ?trip|(?:hire|rent)(?: a|ing a)? (?:car|van)|coach|trips?|travel(?:ling|ing)?|holidays?"
                r"|getaway|voyage"
                r"|cable cars?|funicular)\b",
                "a weekend trip",
                "the triple",
            ),
            Word(
                "飞机|航班|班机|机票|邮轮|游轮|轮船|渡轮|[坐乘]船|船票|开车|自驾|租车|包车|旅[行游]|出国|高铁|火车|度假|蜜月|缆车|索道",
                "蜜月坐邮轮好不好",
                "飞快",
            ),
        )
    ),
    Words(
        (
            Word(
                r"\b(?:afraid|scared|terrified|frightened|fear|phobia|panic\w*)\b[^.!?]{0,40}"
                r"\b(?:fly\w*|(?:aero|air)?planes?|flights?|heights?|boats?|water|lifts?|tunnels?|driv\w+)\b"
                r"|\b(?:fly\w*|(?:aero|air)?planes?|flights?|heights?|boats?|lifts?|tunnels?)\b[^.!?]{0,40}"
                r"\b(?:afraid|scared|terrif\w+|frighten\w*|phobia|panic\w*)\b"
                r"|\b(?:sea|car|travel|motion|bus)[ -]?sick\w*\b"
                r"|\b(?:won'?t|wont|can'?t|cant|can ?not|don'?t|dont|do not|never|refuse to|not allowed to|not fit to)"
                r" (?:[\w']+ ){0,4}(?:fly|drive|(?:aero|air)?planes?|boats?|ferry|sail)\b"
                r"|\b(?:lost|no|without|have ?n'?t got|don'?t have) (?:\w+ ){0,3}(?:licen[cs]e|car|passport|visa)\b"
                r"|\b(?:licen[cs]e|passport)\b (?:\w+ ){0,3}(?:expired|revoked|suspended|taken|runs? out)\b"
                r"|\b(?:driving ban|wheelchair|crutches)\b",
                "i'm scared of flying",
                "the plane was late",
            ),
            Word(
                "怕[坐搭乘]?(?:飞机|船|高|电梯|缆车)|恐[飞高]|晕[船车机]|不(?:敢|能|会|肯)(?:再)?[坐搭乘开](?:飞机|船|车|电梯)"
                "|没有?(?:驾照|护照|车(?!票|位|次|站))"
                "|驾照[^,。]{0,3}(?:没|被|过期|吊销)|护照[^,。]{0,3}(?:过期|丢|到期)|轮椅|拐杖",
                "我晕船晕得厉害",
                "我订了机票",
            ),
        )
    ),
    "afraid scared flying seasick carsick licence passport wheelchair drive 怕飞机 晕船 晕车 恐高 驾照 不会开车 轮椅",
)
TOPICS = (REMEDY, FOOD, EXERTION, TRAVEL)
_SEEKS = Words(
    (
        Word(
            r"\b(?:plan|draft|propose|inspire|hungry|order"
            r"|(?:what|which)(?:'s| is| are)? (?:\w+ ){0,2}(?:can|could|should|shall|would|might|may|to|for)\b"
            r"|where (?:can|could|should|shall)|(?:i|we) (?:need|want|would like|feel like)"
            r"|i'd (?:like|love)|give me|find me|make me|cook me|help me|is (?:it|that|this) all ?right"
            r"|(?:i'm|we're) (?:thinking of|making|cooking|baking|planning))\b",
            "i need a quick dinner",
            "an orderly",
        ),
        Word(
            "安排|想想|帮我|给我|[做吃喝买订送煮]啥|怎么(?:做|排|练)|什么好|啥好|能(?:吃|喝|做|跑|去)|可以(?:吃|喝|做|跑|去)"
            "|想(?:吃|喝|做点|去)|有什么|计划",
            "帮我想想中午订什么便当",
            "他建议了两次",
        ),
    )
)
"""With which a request asks for something beside `wants_advice`."""
_NOT_FOR_ME = Words(
    (
        Word(
            r"^\W*(?:why|who|when|how (?:long|much|many|is|are|do|does|to)|what (?:is|are|does|was)|define|explain"
            r"|convert|name"
            r"|list|translate|calculate)\b",
            "why does bread rise",
            "any ideas why",
        ),
        Word("^(?:为什么|为何|谁|什么是|解释|翻译|计算|多久|多少)|热量|卡路里|怎么读", "为什么面包会发", "推荐一家店"),
    )
)
"""With which a question is about the world."""
_LOOKS_BACK = LazyPattern(
    r"\b(?:did|had) (?:i|we|you|he|she|they)\b|\bhave (?:i|we|you) (?!to\b)|\b(?:what|which|where|when) (?:did|was"
    r"|were)\b"
    r"|\byou (?:recommended|suggested|told|said)\b|\b(?:remind me|last time|summar\w+)\b"
    "|上次|之前|以前|[过了](?:吗|的|什么|啥|哪|多少|几)|说过|总结"
)
_OWN = LazyPattern(
    r"\b(?:i|i'm|i've|i'd|me|we|we're|we've|us)\b(?![^.!?]{0,40}\b(?:friend|colleague|boss|neighbou?r|guests?"
    r"|customers?|client)\b)"
    r"|\bmy (?:\w+ )?(?:wife|husband|partner|boyfriend|girlfriend|son|daughter|kids?|child(?:ren)?|toddler|baby"
    r"|knees?|back"
    r"|wrist|ankle|shoulder|doctor|gp)\b"
    "|(?:我|我们|咱们?|我家)(?!妈|爸|爹|娘|哥|姐|弟|妹|奶奶|爷爷|外公|外婆|朋友|同事|同学|老板|主管|邻居|姑|舅|叔|婶)"
)
_OTHERS = LazyPattern(
    r"\bmy (?:\w+ )?(?:friend|colleague|boss|neighbou?r|student|guest|mother|mum|mom|father|dad|sister|brother)\b"
)


def topic_of(text: str) -> ConstraintTopic | None:
    """Return the topic on which a message asks for advice, or None."""
    folded = fold(text[:_LOOKED_THROUGH])
    topic = next((one for one in TOPICS if one.sought.search(folded)), None)
    if topic is None or _NOT_FOR_ME.search(folded) is not None:
        return None
    if _SEEKS.search(folded) is None and not wants_advice(text):
        return None
    return topic if _LOOKS_BACK.search(folded) is None and not asks_to_invent(text) else None


def tells_constraint(text: str, topic: ConstraintTopic) -> bool:
    """Return whether a text of the user's tells what constrains an answer on a topic, whoever it is about."""
    return any(topic.told.search(clause) for clause in _told(text))


def is_own_constraint(text: str, topic: ConstraintTopic) -> bool:
    """Return whether it is about the user, or about whom they live with."""
    return any(
        topic.told.search(clause) and _OWN.search(clause) and not _OTHERS.search(clause) for clause in _told(text)
    )


def _told(text: str) -> list[str]:
    """Return the clauses of a text, folded, that neither ask nor suppose, without what is quoted."""
    clauses = message_reading(text[:_LOOKED_THROUGH]).clauses
    return [fold(one.text) for one in clauses if one.act not in (Act.ASKS, Act.SUPPOSES)]
