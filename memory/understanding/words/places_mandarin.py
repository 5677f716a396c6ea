"""Cities and countries that people ask about, in Mandarin: LAC joins some of them to the words beside them."""

from __future__ import annotations

import re

_CHINA = (
    "北京 上海 天津 重庆 广州 深圳 杭州 南京 苏州 成都 武汉 西安 长沙 郑州 青岛 济南 大连 沈阳 哈尔滨 长春 "
    "厦门 福州 宁波 无锡 合肥 昆明"
    " 贵阳 南宁 海口 三亚 兰州 西宁 银川 乌鲁木齐 拉萨 呼和浩特 太原 石家庄 南昌 温州 珠海 佛山 东莞 常州 扬州 "
    "绍兴 嘉兴 徐州 烟台"
    " 威海 洛阳 桂林 丽江 大理 香港 澳门 台北 高雄 台中 广东 广西 浙江 江苏 四川 云南 湖南 湖北 河南 河北 山东 "
    "山西 陕西 福建 安徽 江西 海南"
)
_WORLD = (
    "东京 大阪 京都 首尔 釜山 新加坡 曼谷 清迈 吉隆坡 雅加达 马尼拉 河内 胡志明市 新德里 孟买 迪拜 伊斯坦布尔 "
    "莫斯科 伦敦 巴黎 柏林 慕尼黑 汉堡 法兰克福"
    " 科隆 斯图加特 莱比锡 德累斯顿 杜塞尔多夫 维也纳 苏黎世 日内瓦 罗马 米兰 威尼斯 佛罗伦萨 那不勒斯 马德里 "
    "巴塞罗那 里斯本 阿姆斯特丹 布鲁塞尔 哥本哈根"
    " 斯德哥尔摩 奥斯陆 赫尔辛基 华沙 布拉格 布达佩斯 雅典 都柏林 爱丁堡 曼彻斯特 里昂 尼斯 纽约 洛杉矶 旧金山 "
    "西雅图 芝加哥 波士顿 华盛顿 迈阿密 拉斯维加斯"
    " 多伦多 温哥华 蒙特利尔 墨西哥城 圣保罗 里约热内卢 布宜诺斯艾利斯 悉尼 墨尔本 奥克兰 开罗 开普敦 内罗毕 "
    "德国 法国 英国 美国 日本 韩国 意大利 西班牙 奥地利 瑞士"
)
PLACE_ZH = re.compile("|".join(sorted(f"{_CHINA} {_WORLD}".split(), key=len, reverse=True)))
"""Pattern of a place that is known by name."""
_NOT_A_PLACE = {"汉堡": re.compile(r"(?:吃|[个份只]|点|买|做)(?:了|一?个|一?份)*$")}


def is_place(text: str, start: int, end: int) -> bool:
    """Whether a match of :data:`PLACE_ZH` means the place: not the 汉堡 one eats, not part of 北京大学 or 上海人."""
    eaten = _NOT_A_PLACE.get(text[start:end])
    if eaten and eaten.search(text[max(0, start - 4) : start]):
        return False
    return not re.match(r"大学|银行|医院|公司|饭店|菜|话|语|文(?!化)", text[end:])
