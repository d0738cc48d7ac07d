"""The short texts of prompts that put two outputs side by side, in every language that prompts exist in.

They stand apart from the others, so that prompts about one output do not change with them.
"""

from __future__ import annotations

PAIR_WORDS: dict[str, dict[str, str]] = {
    "en": {
        "blind_pair": (
            "The two outputs are called `first` and `second`; together they are {handle}. You are not told which "
            "models wrote them: do not guess, and judge only what stands in them. Which of them comes first says "
            "nothing about them, and neither does their length."
        ),
        "open_pair": (
            "The first and the second output were written by {model}, in this order, for question {question} under "
            "prompt variant {variant}. You are {judge}; the method is {method}."
        ),
        "output_first": "The first output, `first`:",
        "output_second": "The second output, `second`:",
        "judged_pair": "The two outputs are compared with each other.",
        "judged_pair_with_task": (
            "The task only tells what the outputs have to meet; the two outputs are compared with each other."
        ),
        "judged_pair_with_materials": (
            "The two outputs are compared with each other; everything else is there to judge them by."
        ),
        "winner": "- `winner`: `first` or `second`, whichever is better, or `tie` if neither is.",
        "winner_without_tie": (
            "- `winner`: `first` or `second`, whichever is better. You have to choose one, however close they are."
        ),
        "strength": (
            "- `{field}`: by how much the winner is better, {numbers}. It is {low} for a tie, and above {low} "
            "otherwise."
        ),
        "strength_without_tie": "- `{field}`: by how much the winner is better, {numbers}, and above {low}.",
        "pair_reasons": (
            "- `reasons`: for each dimension above one or two sentences that say which output does better there, and "
            "why."
        ),
        "pair_reason": "- `reason`: one or two sentences that say why.",
        "pair_quotes": (
            "- `quotes`: at least one from each of the two outputs, those that decided it. `output` is `first` or "
            "`second`; `quote` is a short passage, copied character by character from that output, not from the task. "
            "Keep its language: do not translate. Change no word and do not join passages. {ellipsis} If an output is "
            "worse because something is missing, quote the words next to where it should stand, or else its first "
            "words."
        ),
        "quote_first": "words copied from the first output",
        "quote_second": "words copied from the second output",
        "compared_by": "Compare the two outputs in each of these dimensions, then as a whole:",
    },
    "zh": {
        "blind_pair": (
            "两份输出分别称为 `first` 和 `second`，合起来编号为 {handle}。你不知道它们由哪个模型生成：请勿猜测，"
            "只依据其中的内容评测。哪一份排在前面、哪一份更长，都不代表好坏。"
        ),
        "open_pair": (
            "第一份和第二份输出依次由 {model} 针对题目 {question}、在提示词变体 {variant} 下生成。"
            "你是 {judge}，评测方法为 {method}。"
        ),
        "output_first": "第一份输出（`first`）：",
        "output_second": "第二份输出（`second`）：",
        "judged_pair": "请把两份输出相互比较。",
        "judged_pair_with_task": "任务原文只用来判断输出应满足的要求；相互比较的是两份输出。",
        "judged_pair_with_materials": "相互比较的是两份输出；其余内容只作为评测的依据。",
        "winner": "- `winner`：哪一份更好就写 `first` 或 `second`；不分高下写 `tie`。",
        "winner_without_tie": "- `winner`：哪一份更好就写 `first` 或 `second`。再接近也必须选一份。",
        "strength": "- `{field}`：胜出的一份好多少，为 {numbers}。平局为 {low}，否则必须大于 {low}。",
        "strength_without_tie": "- `{field}`：胜出的一份好多少，为 {numbers}，必须大于 {low}。",
        "pair_reasons": "- `reasons`：上述每个维度用一两句话说明哪一份更好，以及为什么。",
        "pair_reason": "- `reason`：用一两句话说明理由。",
        "pair_quotes": (
            "- `quotes`：两份输出各至少一条，选取决定结果的文字。`output` 写 `first` 或 `second`；"
            "`quote` 从该份输出中逐字照抄一小段，不取自任务。保持原文语言，不翻译。不改字，不拼接。{ellipsis}"
            "若某份输出因内容缺失而较差，引用最能说明缺失的相邻文字；没有相邻文字时，引用该份输出开头的文字。"
        ),
        "quote_first": "从第一份输出中逐字摘录的文字",
        "quote_second": "从第二份输出中逐字摘录的文字",
        "compared_by": "请先按以下每个维度比较两份输出，再作整体判断：",
    },
}
"""All texts by language and name."""
