"""Words around an order, in English and Chinese: what leads to one, what it points to, and what closes it."""

BY_THE_WAY = (
    r"please|pls|plz|hey|hi|hello|ok|okay|oh|so|and|but|also|now|just|kindly|btw|by the way|well|alright|right|yes"
    r"|no|yeah"
    r"|one more thing|quick (?:thing|one|note|favou?r)|one thing|fyi|actually|important|thanks|thank you|thx|great|cool"
    r"|perfect|sorry|um+|hmm+|anyways?|yo|oi|dude|mate|nanobot|bot|assistant|claude|chatgpt|请|麻烦|帮我|对了|顺便"
)
POLITE = (
    r"(?:(?:请|唔该|麻烦|拜托|劳烦|劳驾|烦请|有劳|求)(?:你|您)?(?!可以|能(?!不能|否)|要|得)|(?:你们?|您)?(?:帮|给"
    r"|替)(?:我|俺|忙|手|咱)|可以|可否|能不能|能否"
    r"|可不可以|能"
    r"|(?:你|您)(?=能不能|能否|可不可以|可否|[帮替]|给我|替我|一定|务必|千万|以后|今后|要|得|可以|可得|能|最好"
    r"|需要|必须|先|记[住牢下着一个])"
    r"|要|得|可得|最好|需要|必须|务必|一定要?|千万(?!别)|记得(?=[帮给替]我)|please|pls|hey|ok)"
)
LEAD = (
    rf"(?P<lead>(?>{POLITE}|好的?(?!记)|那么?|对了|顺便|另外|还有|嗯|哦|喂|哎|诶|欸|啊|呃|谢谢|以后|今后"
    r"|下次|现在|顺手|随手|先|再|也|都|就|来|btw|nanobot|[\s,!、~.])*)"
)
FORGET = r"(?:忘掉|忘记掉|忘了|忘记|不要再记得?|别再记得?)"
POINTS = (
    r"(?:这个|那个|这点|那点|这一点|那一点|这件事情?|那件事情?|这事儿|这些|那些|这条|那条|这句话?|那句话?|这事"
    r"|那事|这段话?|它|佢|我?刚(?:才|刚)?说的(?:[一几两三]?[个件条点句些])?|以上(?:内容)?"
    r"|[这那](?:[个条件点些句段串组批份]?(?:小)?(?:信息|资讯|事|事情|偏好|习惯|日期|地址|要求|内容|数据|号码?|话|情况|字|词|名字?|读音|叫法|型号|称呼)"
    r"|[串组批份])|刚才(?:的|说的)?(?:那?个|话|事|内容)?|刚刚说的话?"
    r"|(?:我|咱们)?(?:刚才|刚刚|上面|之前)(?:跟你|和你|对你)?说的(?:话|事|内容|那个|这个|那些)?|我说的(?:话|这个"
    r"|那个|这些)?)"
)
ENDS = (
    r"[\s,!~\u2600-\u27bf\U0001f300-\U0001faff]*(?:吗|吧|哦|啊|呀|哈|嘛|呗|噢|哟|咯|哒|嗷|昂|了哦|了|好吗|好不好|好么|可以吗|可以不|行吗|行不|行不行"
    r"|谢谢(?:你|您|啦|了)?|拜托了?|麻烦了|辛苦了|谢啦|多谢"
    r"|就好|就行|即可"
    r"|啦|喔|下次用|以后用|以后有用|备用|[\s,!~\u2600-\u27bf\U0001f300-\U0001faff]+|thanks?|thx|please|pls)*\s*"
)
