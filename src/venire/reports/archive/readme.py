"""The pages of an archive: what each of its folders holds, for a reader who has nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from venire.domain.protocol import EvalProtocol

_PAGES: dict[str, dict[str, str]] = {
    "en": {
        "archive": """# Evaluations under {protocol}

{evaluations} evaluations: {valid} valid, {others} not valid. {quotes}

| file or folder | what it holds |
|---|---|
| `{valid_folder}/`, `{invalid_folder}/` | each reply byte for byte, and beside it its record (`.record.json`) |
| `run.json` | the run log: judges and their versions, decoding, tools, times, counts, digests, software, seed |
| `prompts/` | what judges were sent, as far as it is known |
| `protocol.json` | the rubric, scales, evidence policy and reply contract |
| `manifest.json` | the SHA-256 of every file |

A record names question, variant, model, judge and time, also where the judge was blind, and gives scores, verdict,
quotes and findings.

Check all of it again: `venire check FOLDER --sources OUTPUTS`.
""",
        "valid": """# Valid evaluations

{valid} replies that follow the protocol {protocol}. {quotes}
Valid does not mean a high score: a FAIL is a valid judgement.

Each reply lies here byte for byte as it came; `.record.json` beside it holds what was found in it.
""",
        "invalid": """# Evaluations that are not valid

{others} replies that break a rule of the protocol {protocol}. They are kept and never counted; not valid does not
mean a low score.

Each reply lies here byte for byte as it came; `.record.json` beside it names every rule, the place, what was expected
and what was found.
""",
        "prompts": """# Prompts

What judges were sent: the system message, an empty line, and the user message, which holds the judged output. A
record's `prompt` names its file, and `request_sha256` is the digest of that file. `template-*.txt` are the templates
that prompts were made from.
""",
        "compared": "All quotes were compared with the judged texts.",
        "not compared": "Quotes not compared: those of {count} evaluations were not held against the judged texts.",
        "none": "The protocol asks for no quotes, or there are none.",
    },
    "zh": {
        "archive": """# {protocol} 评测归档

共 {evaluations} 条评判：有效 {valid} 条，其余 {others} 条。{quotes}

| 文件或文件夹 | 内容 |
|---|---|
| `{valid_folder}/`、`{invalid_folder}/` | 每条回复的原始字节，旁边是它的记录（`.record.json`） |
| `run.json` | 运行日志：评审及其版本、解码参数、工具、时间、计数、哈希值、软件、随机种子 |
| `prompts/` | 发给评审的提示词（已知的部分） |
| `protocol.json` | 评分标准、标尺、证据要求与回复契约 |
| `manifest.json` | 每个文件的 SHA-256 |

记录写明题目、提示词变体、被评模型、评审和时间（盲评也写明），并给出分数、结论、引文和违规项。

重新验证全部内容：`venire check 文件夹 --sources 被评文本`。
""",
        "valid": """# 有效评测

符合协议 {protocol} 的回复 {valid} 条。有效不等于高分：FAIL 也是有效评判。{quotes}

每条回复按原始字节保存；旁边的 `.record.json` 记录核查结果。
""",
        "invalid": """# 无效评测

违反协议 {protocol} 的回复 {others} 条。它们原样保存，但不计入统计；无效不等于低分。

每条回复按原始字节保存；旁边的 `.record.json` 写明违反的规则、位置、应为与实为。
""",
        "prompts": """# 提示词

发给评审的内容：系统消息、一个空行、用户消息（其中含被评输出）。
记录中的 `prompt` 指向对应文件，`request_sha256` 是该文件的哈希值。`template-*.txt` 是生成提示词所用的模板。
""",
        "compared": "所有引文都已与被评文本比对。",
        "not compared": "引文未比对：有 {count} 条评判的引文没有与被评文本比对。",
        "none": "协议不要求引文，或没有引文。",
    },
}


def readme(
    page: str, language: str, protocol: EvalProtocol, counts: Mapping[str, Any], folders: tuple[str, str]
) -> str:
    """Return the page of a folder: `archive`, `valid`, `invalid` or `prompts`."""
    texts = _PAGES[language]
    valid = counts["by_status"].get("valid", 0)
    quotes = counts["quotes"]
    state = next((state for state in ("not compared", "compared") if quotes.get(state)), "none")
    return texts[page].format(
        protocol=f"{protocol.id} {protocol.digest[:12]}",
        evaluations=counts["evaluations"],
        valid=valid,
        others=counts["evaluations"] - valid,
        quotes=texts[state].format(count=quotes.get(state, 0)),
        valid_folder=folders[0],
        invalid_folder=folders[1],
    )
