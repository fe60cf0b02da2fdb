"""How likely a text in Chinese, Japanese or Korean is one: by how many of its characters are common there.

Bytes in one East Asian encoding are mostly valid in another, too, and come out as characters that nobody writes.
"""

from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# The characters of which most of a text consists; traditional ones are looked up as simplified.
_CHINESE = frozenset(
    "的一是不了在人有我他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而"
    "能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进"
    "把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教"
    "西再平真听世气信北少关并内加化由却代产入先山五太水万市眼体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原"
    "车白应路期叫死常提感金何更反合放做系计或利受光果亲界及今京务制解各任至清物台记边共风接它许八特觉望直服题建南度统色字"
    "请交爱让认算论百吃义科怎元社术结六功指思非流每青管连远资队跟带花快条院变联言权往展该领传近留红治决周保达办运半候七必"
    "城父强步完深区即求品转量空甚众技轻程告语英基满式息写呢识极令收脸钱未持取设始版双历越史商千片容研像找友孩站广改议形早"
    "房音火际则首单据导影失拿网专石若弟谁校读志飞观争究包组造落视喜离买卖费牛奶饭菜茶药医病密码晚午昨星妈爸哥姐妹朋吗吧啊"
    "录会计划案测试数据库服务器用户端存储备份发布项目进度讨论负责责喝酒米油肉鱼鸡蛋汤店街楼床洗衣修借还送拍照票钟零"
)
_JAPANESE = frozenset("気読対発売戦円駅図楽変実県鉄歳帰経営様応関続験仮働込払乗会議時後話読書今何方思言食飲見行来")
_KOREAN = frozenset(
    "이다는을를에의가고하은도로서지한기사시리어나자인대해있그정스수부보라일전제주아과회오동구장니게상들원물성공선데면안여요우미"
    "생만음소적경계문조국진신유개습출중세모늘후새젝트야록논획했을터베치료운영학교집화토금내무었았겠것거저때"
)
_PUNCTUATION = frozenset("，。、：；！？「」『』《》〈〉（）【】“”‘’…—·　")
_FEW = 0.5
_BARELY = 0.2


def commonness(text: str) -> float:
    """Return how common the characters beyond ASCII are in East Asian text, up to 1; what nobody writes counts less."""
    worth = [_worth(character) for character in text if not character.isascii()]
    return sum(worth) / len(worth) if worth else 0.0


def _worth(character: str) -> float:
    code = ord(character)
    if character in _PUNCTUATION or 0x3041 <= code <= 0x30FF or character in _JAPANESE or character in _KOREAN:
        return 1.0
    if 0x4E00 <= code <= 0x9FFF:
        plain = simplified(character)
        return 1.0 if plain in _CHINESE else _FEW if _is_taught(plain) else 0.0
    if 0xAC00 <= code <= 0xD7A3:
        return _BARELY
    # Half-width kana and places for private use are what bytes of another encoding come out as.
    return -1.0 if 0xFF61 <= code <= 0xFF9F or 0xE000 <= code <= 0xF8FF else 0.0


def _is_taught(character: str) -> bool:
    """Return whether it is of the first level of GB 2312, which has the characters that are in use."""
    try:
        encoded = character.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return len(encoded) == 2 and 0xB0 <= encoded[0] <= 0xD7
