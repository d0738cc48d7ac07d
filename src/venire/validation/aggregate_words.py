"""The words in which judges name what a number is: groups, quantities and what joins them, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

import msgspec

from venire.domain.design import BundleDesign
from venire.domain.judge import fold_name
from venire.words.said import say

Kind = Literal["group", "dimension", "quantity", "subject", "entries", "total", "minus", "all", "plain", "unknown"]

_KNOWN: dict[tuple[Kind, str], str] = {
    ("quantity", "mean"): "avg average averages averaged mean means 平均 平均分 平均值 平均总分 平均得分 均值 均分 均",
    ("quantity", "count"): "count counts n num number 数量 个数 份数 总数 数",
    ("quantity", "minimum"): "min minimum lowest worst 最低 最低分 最小 最小值",
    ("quantity", "maximum"): "max maximum highest best 最高 最高分 最大 最大值",
    ("quantity", "difference"): "gap gaps difference differences diff delta 差 差值 差距 差异",
    ("quantity", "sum"): "sum sums 总和 合计 之和",
    ("subject", "perfect"): "perfect full 满分",
    ("subject", "zero"): "zero zeros zeroes 零分",
    ("entries", ""): "file files sample samples entry entries item items output outputs 文件 文件数 样本 样本数 份 个",
    ("total", ""): "total totals score scores points 总分 得分 分数",
    ("minus", ""): "minus less 减 减去",
    ("all", ""): "all overall whole bundle 总体 全部 整体 总 所有",
    ("plain", ""): (
        "a an the of in on for by per at to is are was were has have with its their ones one and vs versus between "
        "from each dimension dimensions level levels group groups grouped summary summaries statistics stats aggregate "
        "aggregates value values 维度 "
        "breakdown type types name label cell cells x 的 为 是 有 在 共 各 按 与 和 及 之 间 了 分 组 级 汇总 统计 分组"
    ),
}
# The usual Chinese names of values that a design spells in English.
_CHINESE_NAMES = {
    "implicit": "隐式 隐性 隐含 隐式触发",
    "explicit": "显式 显性 明确 显式触发",
    "baseline": "基线 基准",
    "long": "长 长版 长文",
    "weak": "弱 弱化",
    "conflict": "冲突 矛盾",
    "question": "题 题目 问题",
    "version": "版本",
    "trigger": "触发 触发类型 触发方式",
}
_NUMBERED_QUESTION = re.compile(
    r"(?:第|问题|题目|题|\bquestion[ _-]?)\s*([0-9]+)(?![0-9]|\.[0-9])(?:\s*题)?", re.IGNORECASE
)
_ZERO_POINTS = re.compile(r"(?<![0-9.])0\s*分")
_CAMEL_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"[A-Za-z]+[0-9]*|[0-9]+|[\u3400-\u9fff]+|[^\W_]+|[^\s_]")
_JOINING = frozenset(":：=()（）[]【】\"'“”‘’,，、.-–—/|*•")
_LONGEST_PHRASE = 4
_LONGEST_KEY = 300


class Meaning(msgspec.Struct, frozen=True):
    """What one word says."""

    kind: Kind
    """The kind of thing that it names."""
    name: str = ""
    """Which one: a quantity, a dimension, the value of a factor, or the unknown word itself."""
    factor: str = ""
    """For a group, the factor of the design."""


class Vocabulary:
    """All words that are understood about one bundle."""

    def __init__(self, design: BundleDesign, dimensions: tuple[str, ...]) -> None:
        known = {word: Meaning(kind, name) for (kind, name), words in _KNOWN.items() for word in words.split()}
        for factor, values in design.factors.items():
            known |= dict.fromkeys(_names(factor), Meaning("plain"))
            known |= dict.fromkeys([f"{name}s" for name in _names(factor)], Meaning("plain"))
            for value in values:
                group = Meaning("group", value, factor)
                known |= dict.fromkeys(_names(value), group)
                if number := re.search(r"[0-9]+$", value):
                    known[fold_name(factor + number[0])] = group
        known |= {fold_name(dimension): Meaning("dimension", dimension) for dimension in dimensions}
        self._known = known
        self._question = design.question_factor
        self.read = lru_cache(maxsize=1024)(self._read)

    def _read(self, words: str, joining: str = "") -> tuple[Meaning, ...]:
        """Return what the words of a key or sentence say, one after the other; `joining` are further signs to pass."""
        if len(words) > _LONGEST_KEY:
            return (Meaning("unknown", say("finding.long_text")),)
        return tuple(self._meanings(self.spell_out(_CAMEL_CASE.sub(" ", words)), joining))

    def spell_out(self, words: str) -> str:
        """Write questions that are named by number as one word, so that their number is not taken for a claim."""
        return _ZERO_POINTS.sub("零分", _NUMBERED_QUESTION.sub(rf" {self._question}\1 ", words))

    def _meanings(self, words: str, joining: str) -> Iterator[Meaning]:
        tokens = [token for word in _WORD.findall(words) for token in self._split(word)]
        position = 0
        while position < len(tokens):
            for length in range(min(_LONGEST_PHRASE, len(tokens) - position), 0, -1):
                meaning = self._known.get("".join(tokens[position : position + length]).casefold())
                if meaning:
                    yield meaning
                    break
            else:
                length = 1
                if tokens[position] not in _JOINING and tokens[position] not in joining:
                    yield Meaning("unknown", tokens[position])
            position += length

    def _split(self, word: str) -> Iterator[str]:
        """Cut a run of Chinese into known words, the longest first; what remains is one unknown word each."""
        if not "\u3400" <= word[0] <= "\u9fff":
            yield word
            return
        position = 0
        while position < len(word):
            lengths = range(min(6, len(word) - position), 1, -1)
            length = next((n for n in lengths if word[position : position + n] in self._known), 1)
            yield word[position : position + length]
            position += length


def _names(name: str) -> list[str]:
    return [fold_name(name), *_CHINESE_NAMES.get(fold_name(name), "").split()]
