"""The short texts of prompts that show materials beside the output, in every language that prompts exist in.

They stand apart from the others, so that prompts without materials do not change with them.
"""

from __future__ import annotations

MATERIAL_WORDS: dict[str, dict[str, str]] = {
    "en": {
        "title_document": "Document {id}:",
        "title_reference": "Reference answer {id}:",
        "title_turn": "Turn {id} of the conversation, by {role}:",
        "title_tool_call": "Tool call {id}, of the tool {role}:",
        "title_tool_result": "Tool result {id}, of the tool {role}:",
        "kind_document": "a document",
        "kind_reference": "a reference answer",
        "kind_turn": "a turn of the conversation",
        "kind_tool_call": "a tool call",
        "kind_tool_result": "a tool result",
        "judged_with_materials": "Only the output is judged; everything else is there to judge it by.",
        "quotes_with_sources": (
            "- Quotes: copy a short passage character by character from the output or from one of these: {kinds}. Not "
            "from the task. In `source` write where it stands: `output`, or the id in the title of the material, "
            "without its quotation marks. Keep its language: do not translate. Change no word and do not join "
            "passages. {ellipsis} If a score is low because something is missing, quote the words next to where it "
            "should stand, or else the first words of the output."
        ),
        "judged_with_steps": "The output and the steps that led to it are judged together.",
        "not_given": "Not given for this output: {kinds}.",
        "must_quote": "- For each dimension that needs a quote, at least one stands in each of these: {kinds}.",
    },
    "zh": {
        "title_document": "文档 {id}：",
        "title_reference": "参考答案 {id}：",
        "title_turn": "对话轮次 {id}，发言者 {role}：",
        "title_tool_call": "工具调用 {id}，工具 {role}：",
        "title_tool_result": "工具结果 {id}，工具 {role}：",
        "kind_document": "文档",
        "kind_reference": "参考答案",
        "kind_turn": "对话轮次",
        "kind_tool_call": "工具调用",
        "kind_tool_result": "工具结果",
        "judged_with_materials": "待评测的只有输出；其余内容只作为评测的依据。",
        "quotes_with_sources": (
            "- 引文：从输出或下列材料中逐字照抄一小段：{kinds}；不取自任务。"
            "`source` 写引文的出处：取自输出写 `output`，取自材料写其标题中的编号，不带引号。"
            "保持原文语言，不翻译。不改字，不拼接。{ellipsis}"
            "若因内容缺失而扣分，引用最能说明缺失的相邻文字；没有相邻文字时，引用输出开头的文字。"
        ),
        "judged_with_steps": "评测对象是输出以及得出它的各个步骤。",
        "not_given": "这份输出没有以下材料：{kinds}。",
        "must_quote": "- 凡需要引文的维度，在下列每一类材料中都至少引用一处：{kinds}。",
    },
}
"""All texts by language and name."""
