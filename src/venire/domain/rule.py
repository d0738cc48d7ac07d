"""The catalogue of rules: every reason for which a reply is rejected or remarked on, with its source.

Sections are those of the source documents: "sample" is the single-sample judge protocol, "bundle" the protocol for
bundles of files, "quality" the multi-judge quality system.
"""

from __future__ import annotations

import msgspec

from venire.domain.flag import Finding, Flag, Severity


class Rule(msgspec.Struct, frozen=True):
    """One reason to reject a reply or to remark on it."""

    id: str
    """The stable name of the rule."""
    flag: Flag | None
    """The flag that a violation raises; None for rules that only give notes."""
    en: str
    """What the rule says, in English."""
    zh: str
    """What the rule says, in Chinese."""
    source: str
    """The section of the source document that it comes from."""
    severity: Severity = Severity.VIOLATION
    """Whether breaking it makes a judgement invalid."""

    def finding(self, pointer: str, expected: str, found: str) -> Finding:
        """Make a finding of this rule at a place in a reply."""
        return Finding(self.id, pointer, expected, found, self.flag, self.severity)

    def note(self, pointer: str, expected: str, found: str) -> Finding:
        """Make a finding that is only a note, for protocols and profiles that do not forbid it."""
        return Finding(self.id, pointer, expected, found, self.flag, Severity.NOTE)


RULES: dict[str, Rule] = {}
"""All rules by id."""

_UNPARSABLE = Flag.UNPARSABLE_OUTPUT
_VIOLATION = Flag.PROTOCOL_VIOLATION
_COVERAGE = Flag.INCOMPLETE_COVERAGE
_REFUSAL = Flag.JUDGE_REFUSAL_OR_EVASION
_CONTRADICTION = Flag.INTERNAL_INCONSISTENCY


def _rule(rule_id: str, flag: Flag | None, en: str, zh: str, source: str) -> Rule:
    severity = Severity.NOTE if flag is None else Severity.VIOLATION
    rule = RULES[rule_id] = Rule(rule_id, flag, en, zh, source, severity)
    return rule


JSON_EMPTY = _rule(
    "json.empty", _UNPARSABLE,
    "The reply must not be empty.", "回复不得为空。", "sample §6; bundle §4",
)  # fmt: skip
JSON_ENCODING = _rule(
    "json.encoding", _UNPARSABLE,
    "The reply must be UTF-8 text without lone surrogates.", "回复必须是 UTF-8 文本，不含孤立代理项。", "RFC 8259 §8.1",
)  # fmt: skip
JSON_BYTE_ORDER_MARK = _rule(
    "json.byte-order-mark", None,
    "A byte order mark before the JSON is ignored and remarked on.", "JSON 前的字节顺序标记会被忽略并记录。",
    "RFC 8259 §8.1",
)  # fmt: skip
JSON_SYNTAX = _rule(
    "json.syntax", _UNPARSABLE,
    "The reply must be JSON without syntax errors.", "回复必须是没有语法错误的 JSON。", "sample §6; bundle §4",
)  # fmt: skip
JSON_DUPLICATE_KEY = _rule(
    "json.duplicate-key", _UNPARSABLE,
    "No key may stand twice in one object: it could not be told which value counts.",
    "同一对象中不得出现重复的键：无法判断以哪个值为准。", "RFC 8259 §4",
)  # fmt: skip
JSON_NOT_FINITE = _rule(
    "json.not-finite", _UNPARSABLE,
    "Numbers must be finite: no NaN, no Infinity, nothing beyond the range of a double.",
    "数值必须有限：不得为 NaN、Infinity 或超出双精度范围。", "RFC 8259 §6",
)  # fmt: skip
JSON_TOO_DEEP = _rule(
    "json.too-deep", _UNPARSABLE,
    "Objects and arrays may be nested at most 64 deep.", "对象和数组的嵌套不得超过 64 层。", "Venire's limits",
)  # fmt: skip
JSON_TOO_LARGE = _rule(
    "json.too-large", _UNPARSABLE,
    "A reply may be at most 8 MiB.", "回复不得超过 8 MiB。", "Venire's limits",
)  # fmt: skip
JSON_SURROUNDING_TEXT = _rule(
    "json.surrounding-text", _VIOLATION,
    "The reply must be exactly one JSON object: no Markdown, no explanation, nothing before or after.",
    "回复只能是一个 JSON 对象：不得有 Markdown、解释性文字或前后缀。", "sample §5; bundle §4",
)  # fmt: skip
JSON_NOT_AN_OBJECT = _rule(
    "json.not-an-object", _VIOLATION,
    "The reply must be one JSON object, not another kind of value.", "回复必须是一个 JSON 对象，而不是其他类型的值。",
    "sample §5; bundle §2",
)  # fmt: skip
REPLY_OTHER_PROTOCOL = _rule(
    "reply.other-protocol", _VIOLATION,
    "The reply must be one to this protocol; this one has the form of another. Check it under that one.",
    "回复必须符合本协议；这条回复是另一种协议的形式，请按那种协议核查。", "sample §5; bundle §2",
)  # fmt: skip
CONTRACT_MISSING_FIELD = _rule(
    "contract.missing-field", _UNPARSABLE,
    "Every field of the contract must be there.", "契约规定的字段必须齐全。", "sample §5–6; bundle §4",
)  # fmt: skip
CONTRACT_MISSING_IDENTIFIER = _rule(
    "contract.missing-identifier", _COVERAGE,
    "The identifiers of the sample must be there and not be empty.", "样本的标识字段必须存在且不为空。", "sample §6",
)  # fmt: skip
CONTRACT_WRONG_TYPE = _rule(
    "contract.wrong-type", _UNPARSABLE,
    "Every field must have the type that the contract gives it.", "每个字段的类型必须与契约一致。",
    "sample §6; bundle §4",
)  # fmt: skip
CONTRACT_UNKNOWN_FIELD = _rule(
    "contract.unknown-field", _VIOLATION,
    "Only fields of the contract may be there.", "不得出现契约之外的字段。", "sample §5; bundle §2",
)  # fmt: skip
CONTRACT_UNKNOWN_VALUE = _rule(
    "contract.unknown-value", _VIOLATION,
    "A field with a closed list of values must have one of them.", "取值封闭的字段只能取列表中的值。", "sample §5",
)  # fmt: skip
SCORE_MISSING = _rule(
    "score.missing", _UNPARSABLE,
    "Every dimension must have a score.", "每个维度都必须有分数。", "sample §5; bundle §4; quality, anomaly detection",
)  # fmt: skip
SCORE_UNKNOWN_DIMENSION = _rule(
    "score.unknown-dimension", _VIOLATION,
    "Only the protocol's dimensions may be scored.", "只能对协议规定的维度打分。", "sample §6",
)  # fmt: skip
SCORE_OUT_OF_SCALE = _rule(
    "score.out-of-scale", _VIOLATION,
    "A score must lie on the protocol's scale; it is never clamped.", "分数必须落在协议标尺上，绝不截断。",
    "sample §3, §5; bundle §4; quality, anomaly detection",
)  # fmt: skip
SCORE_CONTRADICTORY = _rule(
    "score.contradictory", _CONTRADICTION,
    "One dimension must not be given two different scores.", "同一维度不得给出矛盾的分数。", "sample §6",
)  # fmt: skip
SCORE_GATE = _rule(
    "score.gate", _CONTRADICTION,
    "If the gate dimension has the lowest score, all other dimensions must have it too.",
    "门槛维度为最低分时，其余维度也必须为最低分。", "bundle §4",
)  # fmt: skip
OVERALL_MISMATCH = _rule(
    "overall.mismatch", _CONTRADICTION,
    "The stated overall score must follow from the scores of the dimensions. Under `quality` a difference above 0.05 "
    "is a note: the overall score computed from the criteria counts, the judgement stays valid, and reports count "
    "such replies for each judge.",
    "所述总分必须与各维度分数相符。在 `quality` 下，相差超过 0.05 只作提醒：以按维度算出的总分为准，评判仍然有效，"
    "报告按评审统计这类回复。",
    "sample §5–6; bundle §4; quality, anomaly detection",
)  # fmt: skip
VERDICT_MISMATCH = _rule(
    "verdict.mismatch", _CONTRADICTION,
    "The stated verdict must follow from the overall score by the protocol's thresholds.",
    "所述结论必须按协议阈值由总分得出。", "sample §3",
)  # fmt: skip
META_TIMESTAMP = _rule(
    "meta.timestamp", None,
    "The timestamp should be a date or a time as ISO 8601 writes it; other words do not tell when it was judged.",
    "时间戳应为 ISO 8601 格式的日期或时间；其他文字看不出是何时评测的。", "sample §5",
)  # fmt: skip
METHOD_MISMATCH = _rule(
    "method.mismatch", _CONTRADICTION,
    "`self_judge` stands for a judge and a target that are the same model, `cross_judge` for different ones.",
    "`self_judge` 表示评测者与被评模型相同，`cross_judge` 表示不同。", "sample §1",
)  # fmt: skip
EVIDENCE_MISSING = _rule(
    "evidence.missing", _VIOLATION,
    "Every dimension that needs evidence must have at least one quote.", "需要证据的维度至少要有一条引文。",
    "sample §4; bundle §4",
)  # fmt: skip
EVIDENCE_NOT_VERBATIM = _rule(
    "evidence.not-verbatim", _VIOLATION,
    "A quote must stand word for word in the judged text; a paraphrase is not a quote.",
    "引文必须逐字出现在被评文本中；转述不是引文。", "sample §4; bundle §4",
)  # fmt: skip
EVIDENCE_ELLIPSIS = _rule(
    "evidence.ellipsis", _VIOLATION,
    "A quote must not contain an ellipsis, even one that stands in the source.",
    "引文不得包含省略号，即使原文中有省略号。", "bundle §4",
)  # fmt: skip
EVIDENCE_UNCHECKED = _rule(
    "evidence.unchecked", None,
    "Quotes not compared: there is no judged text at hand, or it was not to be looked at.",
    "引文未比对：没有被评文本，或未要求比对。", "sample §4",
)  # fmt: skip
EVIDENCE_NO_SOURCE = _rule(
    "evidence.no-source", _COVERAGE,
    "Where the judged texts are given, the text that a reply quotes from must be among them and readable.",
    "给出被评文本时，其中必须有回复所引的文本，并且可以读取。", "sample §4; bundle §4",
)  # fmt: skip
COVERAGE_IDENTITY = _rule(
    "coverage.identity", _COVERAGE,
    "The identifiers in the reply must be those of the judged sample.", "回复中的标识必须与被评样本一致。", "sample §6",
)  # fmt: skip
COVERAGE_MISSING = _rule(
    "coverage.missing", _COVERAGE,
    "Every planned sample must be judged.", "计划内的每个样本都必须被评测。", "sample §6–7; bundle §4",
)  # fmt: skip
COVERAGE_UNPLANNED = _rule(
    "coverage.unplanned", _COVERAGE,
    "Only planned samples may be judged.", "不得评测计划外的样本。", "sample §6–7; bundle §4",
)  # fmt: skip
COVERAGE_REPEATED = _rule(
    "coverage.repeated", _COVERAGE,
    "No sample may be judged twice in one reply.", "同一回复中不得重复评测同一样本。", "bundle §4",
)  # fmt: skip
COVERAGE_LABEL = _rule(
    "coverage.label", None,
    "A label is spelt otherwise than in the design; it is matched all the same.", "标签写法与设计不同，但仍可匹配。",
    "bundle §1.2",
)  # fmt: skip
COVERAGE_CATEGORY = _rule(
    "coverage.category", _COVERAGE,
    "The sample must have one of the protocol's categories, or its scores cannot be weighed.",
    "样本必须属于协议规定的类别，否则无法加权。", "quality, categories",
)  # fmt: skip
AGGREGATE_MISMATCH = _rule(
    "aggregate.mismatch", _CONTRADICTION,
    "Stated aggregates must be those recomputed from the scores.", "所述汇总数值必须能由分数重新计算得出。",
    "bundle §4",
)  # fmt: skip
AGGREGATE_NOT_CHECKED = _rule(
    "aggregate.not-checked", None,
    "A number whose group or quantity is not understood is not checked.", "无法识别其分组或统计量的数值不作核对。",
    "bundle §4",
)  # fmt: skip
AGGREGATE_NO_NUMBER = _rule(
    "aggregate.no-number", _CONTRADICTION,
    "A summary without any number cannot be recomputed.", "没有数值的汇总无法重新计算。", "bundle §4",
)  # fmt: skip
NO_SCORES = _rule(
    "judge.no-scores", _REFUSAL,
    "A judge must give scores: a refusal, an empty reply or one off the task has none.",
    "评审必须给分：拒评、空回复或离题的回复没有分数。",
    "sample §6",
)  # fmt: skip
JUDGE_OTHER_MODEL = _rule(
    "judge.other-model", None,
    "The server says that another model has answered than the one that was asked.",
    "服务器声明作答的模型与所请求的模型不同。", "Venire's records",
)  # fmt: skip
JUDGE_REPLY_CUT = _rule(
    "judge.reply-cut", _UNPARSABLE,
    "A reply must not exceed the run's size limit; a longer one is cut there and kept as it is.",
    "回复不得超过运行设定的大小上限；更长的回复在上限处截断并原样保存。", "Venire's limits",
)  # fmt: skip
JUDGE_CUT_OFF = _rule(
    "judge.cut-off", _UNPARSABLE,
    "A reply must end by itself; one that reached the limit of tokens was cut off. Raise `max_tokens`.",
    "回复必须自行结束；达到 token 上限的回复已被截断。请提高 `max_tokens`。", "Venire's records",
)  # fmt: skip
FINDINGS_LEFT_OUT = _rule(
    "reply.findings-left-out", None,
    "Of a great many findings only the first are kept; the rest are counted.",
    "问题过多时只保留最先发现的，其余仅计数。", "Venire's limits",
)  # fmt: skip
