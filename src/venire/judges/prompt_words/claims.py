"""The short texts of prompts that ask for claims, or for the numbers of sentences, in every language of prompts.

They stand apart from the others, so that prompts that ask for neither do not change with them.
"""

from __future__ import annotations

CLAIM_WORDS: dict[str, dict[str, str]] = {
    "en": {
        "claims": (
            "- `claims`: one entry for each claim, in the order of the output. `words` are its words in the output; "
            "`finding` is one of {findings}. For `supported` and `contradicted`, `source` is the id of the document "
            "and `passage` the words there that show it; for `absent`, leave both out. For `contradicted`, `reason` "
            "says in one sentence what differs; elsewhere leave it out."
        ),
        "claim_quotes": (
            "- `words` and `passage`: copy them character by character, `words` from the output and `passage` from the "
            "document that `source` names. Keep their language: do not translate. Change no word and do not join "
            "passages. {ellipsis}"
        ),
        "nothing_to_check": (
            "- `nothing_to_check`: the sentences of the output that state nothing to be checked, copied character by "
            "character; it may be empty, `[]`."
        ),
        "passage": "words copied from the document",
        "document_id": "id of the document",
        "differs": "one sentence that says what differs",
        "cited_claims": (
            "- `claims`: one entry for each claim, in the order of the output. `sentence` is the number of the "
            "sentence of the output that states it; `finding` is one of {findings}. For `supported` and "
            "`contradicted`, `source` is the id of the document and `passage` the number of the sentence there that "
            "shows it; for `absent`, leave both out."
        ),
        "cited_nothing": (
            "- `nothing_to_check`: the numbers of the sentences of the output that state nothing to be checked; it may "
            "be empty, `[]`."
        ),
        "cited_evidence": (
            "- `evidence`: at least one entry for each dimension, whatever its score. `dimension` is the name of the "
            "dimension as in the list above, `sentence` the number of a sentence that supports the score, and `reason` "
            "one or two sentences that say why. If a score is low because something is missing, give the sentence next "
            "to where it should stand."
        ),
        "cited_evidence_nonzero": (
            "- `evidence`: at least one entry for each dimension with a score above {low}. `dimension` is the name of "
            "the dimension as in the list above, `sentence` the number of a sentence that supports the score, and "
            "`reason` one or two sentences that say why."
        ),
        "cited_evidence_none": "- `evidence`: leave it out.",
        "cited_source": (
            "- `source`: the text whose sentence is meant: `output`, or the id in the title of one of these: {kinds}."
        ),
        "numbered": (
            "Every sentence begins with its number, written as in [s3]; each text is numbered by itself. The numbers "
            "are no part of the texts."
        ),
    },
    "zh": {
        "claims": (
            "- `claims`：每条论断一项，按输出中的先后排列。`words` 是它在输出中的原文；`finding` 取 {findings} 之一。"
            "`supported` 和 `contradicted` 还要写 `source`（文档编号）和 `passage`（该文档中足以说明的原文）；`a"
            "bsent` 不写这两项。"
            "`contradicted` 用 `reason` 以一句话说明哪里不符，其他情况不写 `reason`。"
        ),
        "claim_quotes": (
            "- `words` 和 `passage`：逐字照抄，`words` 取自输出，`passage` 取自 `source` 所指的文档。"
            "保持原文语言，不翻译。不改字，不拼接。{ellipsis}"
        ),
        "nothing_to_check": ("- `nothing_to_check`：输出中没有可核对内容的句子，逐字照抄；没有就写空数组 `[]`。"),
        "passage": "从该文档中逐字摘录的文字",
        "document_id": "文档编号",
        "differs": "用一句话说明哪里不符",
        "cited_claims": (
            "- `claims`：每条论断一项，按输出中的先后排列。`sentence` 是它在输出中所在句子的序号；`finding` 取 {"
            "findings} 之一。"
            "`supported` 和 `contradicted` 还要写 `source`（文档编号）和 `passage`（该文档中足以说明的句子的序号"
            "）；`absent` 不写这两项。"
        ),
        "cited_nothing": "- `nothing_to_check`：输出中没有可核对内容的句子的序号；没有就写空数组 `[]`。",
        "cited_evidence": (
            "- `evidence`：每个维度至少一项，无论分数高低。`dimension` 写上面列出的维度编号，`sentence` 写足以支"
            "持这个分数的句子的序号，"
            "`reason` 用一两句话说明理由。若因内容缺失而扣分，写最能说明缺失的相邻句子的序号。"
        ),
        "cited_evidence_nonzero": (
            "- `evidence`：每个高于 {low} 分的维度至少一项。`dimension` 写上面列出的维度编号，"
            "`sentence` 写足以支持这个分数的句子的序号，`reason` 用一两句话说明理由。"
        ),
        "cited_evidence_none": "- `evidence`：不要写这一项。",
        "cited_source": "- `source`：句子出自哪段文字：取自输出写 `output`，取自下列材料写其标题中的编号：{kinds}。",
        "numbered": "每句开头都标有序号，形如 [s3]；每段文字各自从 1 编起。序号不是原文的一部分。",
    },
}
"""All texts by language and name."""
