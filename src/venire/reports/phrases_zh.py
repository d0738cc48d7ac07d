"""Chinese for what records say in English: what findings expect and have found, and why a run or an archive failed.

Records keep their English words, so that they are the same bytes for every reader; only what is shown is translated.
In a phrase `<n>` stands for a number, `<q>` for a quotation, `<w>` for words of the data, `<l>` for a list of
such words, and `<p>` for another phrase.
"""

from __future__ import annotations

import re
from functools import cache

_PLACES = {
    "<n>": r"([-+]?\d[\d.,]*(?:e[-+]?\d+)?…?)",
    "<q>": r"(['\"].*)",
    "<w>": r"(.+?)",
    "<p>": r"(?P<phrase{}>.+?)",
    "<l>": r"(?P<list{}>.+)",
}
_PLACE = re.compile("|".join(_PLACES))

PHRASES: dict[str, str] = {
    "a string": "字符串",
    "a string that is not empty": "非空字符串",
    "a string that is not blank": "非空白字符串",
    "a number": "数值",
    "a finite number": "有限数值",
    "an integer from <n> to <n>": "{0} 到 {1} 的整数",
    "a number from <n> to <n>": "{0} 到 {1} 的数值",
    "a date such as <w>": "日期，如 {0}",
    "an array": "数组",
    "an array of <n> items": "含 {0} 项的数组",
    "an object": "对象",
    "any value": "任意值",
    "one of <l>": "{0} 之一",
    "only <n>, because <w> is <n>": "只能为 {0}，因为 {1} 为 {2}",
    "only <l>": "仅限 {0}",
    "nothing": "缺失",
    "none": "无",
    "at most <n> <p>": "至多 {0} {1}",
    "bytes": "字节",
    "levels": "层",
    "findings": "处",
    "quotes": "条引文",
    "numbers": "个数值",
    "more than that": "超出此数",
    "<n> bytes": "{0} 字节",
    "<n> levels": "{0} 层",
    "UTF-8 text": "UTF-8 文本",
    "text without lone surrogates": "不含孤立代理项的文本",
    "a lone surrogate in a string": "字符串中有孤立代理项",
    "no byte order mark": "没有字节顺序标记",
    "a UTF-8 byte order mark": "UTF-8 字节顺序标记",
    "a NUL character": "NUL 字符",
    "byte <w> at offset <n>": "偏移 {1} 处的字节 {0}",
    "<p>; it looks like UTF-16: save it as UTF-8": "{0}；像是 UTF-16，请存为 UTF-8",
    "an empty reply": "空回复",
    "one JSON object": "一个 JSON 对象",
    "nothing but one JSON object": "只有一个 JSON 对象",
    "scores in one JSON object": "一个 JSON 对象中的分数",
    "a JSON string": "JSON 字符串",
    "a JSON boolean": "JSON 布尔值",
    "a JSON number": "JSON 数值",
    "a JSON array": "JSON 数组",
    "a JSON null": "JSON null",
    "<q> before it": "其前有 {0}",
    "<q> after it": "其后有 {0}",
    "<q> before it and <q> after it": "其前有 {0}，其后有 {1}",
    "<p> at line <n>, column <n>": "第 {1} 行第 {2} 列{0}",
    "Expecting value": "缺少值",
    "Expecting property name enclosed in double quotes": "缺少双引号括起的键",
    "Expecting ',' delimiter": "缺少逗号",
    "Expecting ':' delimiter": "缺少冒号",
    "Illegal trailing comma before end of object": "的对象末尾有多余逗号",
    "Illegal trailing comma before end of array": "的数组末尾有多余逗号",
    "Unterminated string starting": "开始的字符串没有结束",
    "Invalid control character": "有非法控制字符",
    "Invalid \\escape": "有非法转义",
    "Invalid \\escape: <q>": "有非法转义 {0}",
    "Invalid \\uXXXX escape": "有非法 \\uXXXX 转义",
    "Extra data": "有多余内容",
    "each key once": "每个键一次",
    "the key <q> more than once": "键 {0} 多次出现",
    "<w> and <n> more digits": "{0} 之后还有 {1} 位数字",
    "a score for each dimension": "每个维度的分数",
    "a score for each criterion": "每项标准的分数",
    "scores for each file": "每份文件的分数",
    "no per_file_scores": "没有 per_file_scores",
    "one score": "一个分数",
    "two that differ": "两个不同的分数",
    "<n> (computed from the scores)": "{0}（由各分数算得）",
    "<w> for <n>": "总分 {1} 却判 {0}",
    "<w> for judge <q> and target <q>": "{0}，而评审为 {1}、目标为 {2}",
    "words that stand in <q> (<w>)": "{0} 中的原文（{1}）",
    "<q> (ellipsis_join: verbatim but for the ellipsis)": "{0}（ellipsis_join：除省略号外与原文一致）",
    "<q> (ellipsis_in_source: it stands in the source too)": "{0}（ellipsis_in_source：原文中也有省略号）",
    "<q> (misplaced: it stands in <q>)": "{0}（misplaced：出自 {1}）",
    "a quote without an ellipsis": "不含省略号的引文",
    "at least one quote for <w>": "{0} 至少一条引文",
    "words of the file for a score of <n>": "支持 {0} 分的文件原文",
    "no quote": "没有引文",
    "<n> quotes, of which <n> were not looked up": "{0} 条引文，其中 {1} 条未查找",
    "the judged text": "被评文本",
    "the judged texts": "被评文本",
    "the text of <q>": "{0} 的文本",
    "evidence off": "未要求比对（evidence off）",
    "no text that could be read": "没有可读取的文本",
    "only <l>, and <n> more": "仅有 {0}，另有 {1} 份",
    "a file name that does not tell the target": "文件名没有说明被评模型",
    "no folder named like <q>": "没有名为 {0} 的文件夹",
    "no folder named like <q>, only <l>": "没有名为 {0} 的文件夹，只有 {1}",
    "no folder named like <q>, only <l>; did you mean <w>?": "没有名为 {0} 的文件夹，只有 {1}；是否应为 {2}？",
    "no sample that <q> names": "没有 {0} 所指的样本",
    "no source for this sample": "该样本没有来源",
    "no source for this bundle": "该组文件没有来源",
    "a sample of the sources": "来源中的样本",
    "a file of the design, such as <q>": "设计中的文件，例如 {0}",
    "the name of a file": "文件名",
    "each file once": "每份文件一次",
    "<q> again": "{0} 重复出现",
    "<n> entries": "{0} 个条目",
    "<n> entries, of which <n> were not read": "{0} 个条目，其中 {1} 个未读取",
    "an entry for <q>": "{0} 的条目",
    "none in <n> entries": "{0} 个条目中没有",
    "no category": "没有类别",
    "at least one number": "至少一个数值",
    "the mean of each group": "各组均值",
    "a number that follows from the scores": "可由分数算得的数值",
    "numbers that follow from the scores": "可由分数算得的数值",
    "no entries in this group": "该组没有条目",
    "<n> or <p>": "{0} 或 {1}",
    "<n> in <q>": "{1} 中的 {0}",
    "<n> more of the same rules": "相同规则另有 {0} 处",
    "a reply within the run's size limit": "不超过运行大小上限的回复",
    "a longer reply, cut after <n> bytes": "更长的回复，在 {0} 字节处截断",
    "a reply that ends by itself": "自行结束的回复",
    "the reply was cut off at <n> tokens": "回复在 {0} 个 token 处被截断",
    "the reply was cut off at its limit of tokens, the number is not known": "回复达到 token 上限被截断，token 数未知",
    "a reply on a whole bundle": "对整组文件的回复",
    "a reply on one sample": "对单个样本的回复",
    "a reply by criteria": "按维度逐项评分的回复",
    "contradicts itself: it places the sample in two ways": "自相矛盾：样本所属的题目、变体或模型前后不一",
    "names a prompt that is not the one that was sent": "所指提示词不是当时发送的那份",
    "does not agree with the records: <l> differ": "与各条记录不符：{0} 不同",
    "is named twice in the manifest": "在清单中出现两次",
    "is not named in the manifest": "不在清单中",
    "is missing or cannot be read": "缺失或无法读取",
    "was changed: expected SHA-256 <w>, found <w>": "已被改动：SHA-256 应为 {0}，实为 {1}",
    "is not the record of a judgement: <w>": "不是评判记录：{0}",
    "does not agree with the manifest: <l> differ": "与清单不符：{0} 不同",
    "contradicts itself: status, flags and findings do not go together": "自相矛盾：状态、标志与发现不一致",
    "names the scale <q>, which the protocol does not have": "所称标尺 {0} 不在协议中",
    "does not follow from its reply: <l> differ": "不能由回复推得：{0} 不同",
    "the file has <n> bytes, at most <n> are read as one reply": "文件有 {0} 字节，单条回复至多读取 {1} 字节",
    "the line has <n> bytes, at most <n> are read": "该行有 {0} 字节，至多读取 {1} 字节",
    "<p>\n  <p>": "{0}。{1}",
    "Shorten it, or check that each record stands on its own line.": "请缩短，或确认每条记录独占一行。",
    "there is no such file or folder": "没有此文件或文件夹",
    "Check the path for typing errors.": "请检查路径是否有误。",
    "may not be read by this user": "当前用户无权读取",
    "Change its permissions, e.g. chmod u+r.": "请修改权限，例如 chmod u+r。",
    "a known group and quantity": "可识别的分组与统计量",
    "<w> (not checked: <p>)": "{0}（未核查：{1}）",
    "<q> is not a known word": "无法识别 {0}",
    "it is named under both <q> and <q>": "同时归在 {0} 和 {1} 之下",
    "it names several dimensions": "涉及多个维度",
    "it is not clear what differs from what": "不清楚是谁与谁之差",
    "it names several groups": "涉及多个分组",
    "it names several quantities": "涉及多个统计量",
    "it names several quantities: <l>": "涉及多个统计量：{0}",
    "it does not say which quantity it is": "没有说明是什么统计量",
    "it does not say which files it is about": "没有说明涉及哪些文件",
    "it is longer than <n> characters": "超过 {0} 个字符",
    "its sentence does not give one number to each group": "句中没有为每个分组各给一个数值",
    "interrupted": "被中断",
    "another run has taken over while the database was away: <w>": "数据库中断期间，另一次运行已接手：{0}",
    "an error has ended the run": "因错误终止",
    "judge <w> was paused: <n> of <n> replies are invalid": "评审 {0} 已暂停：{2} 条回复中有 {1} 条无效",
    "<n> of <n> replies are invalid": "{1} 条回复中有 {0} 条无效",
    "the budget of <n> <p> is reached: <n> spent": "已达预算上限 {0}（{1}），已用 {2}",
    "money": "金额",
    "tokens": "token",
    "calls": "请求数",
    "the process that keeps the limits of the run was lost": "掌管运行限额的进程已丢失",
    "the command that leads the run is gone": "主导运行的命令已退出",
}
"""Phrases in English, and the same in Chinese with what stands in their places in braces."""


def in_chinese(text: str) -> str:
    """Return a phrase in Chinese; what is not in the wording stays as it is.

    >>> in_chinese("words that stand in 'q1' (nfkc)")
    "'q1' 中的原文（nfkc）"
    >>> in_chinese("alder-1")
    'alder-1'
    """
    if text in PHRASES:
        return PHRASES[text]
    for pattern, chinese in _patterns():
        if match := pattern.fullmatch(text):
            kinds = {place: name for name, place in pattern.groupindex.items()}
            return chinese.format(
                *(_filled(each, kinds.get(place, "")) for place, each in enumerate(match.groups(), 1))
            )
    return text


def _filled(text: str, kind: str) -> str:
    if kind.startswith("phrase"):
        return in_chinese(text)
    return text.replace(", ", "、") if kind.startswith("list") else text


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    # The longest first: a short phrase may be the beginning or the end of a longer one.
    with_places = sorted(filter(_PLACE.search, PHRASES), key=len, reverse=True)
    return tuple((re.compile(_expression(phrase), re.DOTALL), PHRASES[phrase]) for phrase in with_places)


def _expression(phrase: str) -> str:
    places = iter(_PLACE.findall(phrase))
    between = map(re.escape, _PLACE.split(phrase))
    parts = [next(between)]
    for number, rest in enumerate(between):
        parts += [_PLACES[next(places)].format(number), rest]
    return "".join(parts)
