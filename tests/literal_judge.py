"""A judge that does what a prompt says, item by item, and takes every liberty that the prompt does not forbid.

It knows nothing but the two messages: which fields there are, what may stand in them and what has to be quoted it reads
there, in either language. What a prompt forgets to say, this judge gets wrong.
"""

from __future__ import annotations

import copy
import datetime
import json
import random
import re
from typing import Any

EN, ZH = 0, 1
HEADINGS = (("\nFields:\n", "\nExample:\n"), ("\n字段要求：\n", "\n示例：\n"))
SAYS: dict[str, tuple[str, str]] = {
    "bare JSON": (r"exactly one JSON object and nothing else: no Markdown", r"只能是一个 JSON 对象：不要 Markdown"),
    "placeholders": (
        r"In the example, (.+) are placeholders: replace every one of them with your own",
        r"示例中的(.+)都是占位，必须全部换成你自己的",
    ),
    "fence": (r"between two identical lines that read (\S+);", r"夹在两行相同的标记 (\S+) 之间"),
    "only the output": (r"only the output is judged|The output is what is judged", r"待评测的只有输出|待评测的是输出"),
    "numbers": (
        r"with (?:an (integer)|a number) from (\S+) to ([\d.]+)",
        r"分数为 (?=.*?(整数)?：)(\S+) 到 (\S+) 的",
    ),
    "dimension": (r"(?m)^- (\w+) — [^:\n]*?(?: \((\d+)%\))?: ", r"(?m)^- (\w+) — [^：\n]*?(?:（(\d+)%）)?："),
    "copied": (r"copy (.+?) from the example without any change", r"原样照抄示例中的 (.+?)[，。]"),
    "date": (r"`timestamp` is today's date, written YYYY-MM-DD", r"`timestamp` 写今天的日期，格式为 YYYY-MM-DD"),
    "every dimension": (r"one score for each dimension above", r"上述每个维度一个分数"),
    "sum": (
        r"`(\w+)`(?:, which is|:) the sum of (?:these|the) scores",
        r"`(\w+)`(?: 为这些分数之和|：(?:该文件)?各维度分数之和)",
    ),
    "gate": (
        r"If `(\w+)` is (\d+), all scores beside it are \2 too",
        r"若 `(\w+)` 为 (\d+) 分，则其余维度也必须为 \2 分",
    ),
    "verdict": (
        r"FAIL if `\w+` is at most (\S+), PASS if it is at least (\S+), PARTIAL otherwise",
        r"`\w+` 不超过 (\S+) 为 FAIL，不低于 (\S+) 为 PASS，其余为 PARTIAL",
    ),
    "no flags": (r"keep the empty array `\[\]`", r"保持空数组 `\[\]`"),
    "quote every score": (
        r"at least one entry for each dimension, whatever its score",
        r"每个维度至少一项，无论分数高低",
    ),
    "quote as string": (r"score above \S+ one quote, as a string", r"维度一条引文，写成字符串"),
    "character by character": (r"copy a short passage character by character", r"逐字照抄一小段"),
    "where from": (r"from the output, not from the task|from the same file", r"只取自输出，不取自任务|从该文件中"),
    "no translation": (r"Keep its language: do not translate", r"保持原文语言，不翻译"),
    "no joining": (r"Change no word and do not join passages", r"不改字，不拼接"),
    "same ellipsis": (r"Neither add nor remove an ellipsis", r"不增删省略号"),
    "no ellipsis": (r"without any ellipsis \((.+?)\)", r"不含省略号（(.+?)）"),
    "what is missing": (
        r"something is missing, quote the words next to where it should stand, or else the first words",
        r"内容缺失而扣分，引用最能说明缺失的相邻文字；没有相邻文字时，引用\w+开头的文字",
    ),
    "justified": (
        r"an object with `score`, .+, and `justification`, one or two sentences",
        r"写一个对象，其中 `score` 为 .+，`justification` 用一两句话",
    ),
    "weighted": (
        r"the mean of the scores, weighted by the percentages shown .*rounded to two decimals",
        r"分数按所示百分比加权的平均值，保留两位小数",
    ),
    "phrases": (r"arrays of short phrases, as strings", r"由简短词句（字符串）组成的数组"),
    "in words": (
        r"one or two sentences about|a remark,|a remark on",
        r"用一两句话评价|备注，写成字符串|写成一个字符串",
    ),
    "count": (r"exactly (\d+) entries, one for each file", r"必须恰好包含 (\d+) 项，每份文件一项"),
    "file name": (r"the name of the file, as in its title", r"文件名，与标题中的写法相同"),
    "title": (r"^File (.+):$", r"^文件 (.+)：$"),
    "means": (
        r"two decimals. `avg_total` is the mean of all files; in (.+), `avg_total` is the mean of the files whose name",
        r"均值至少保留两位小数。`avg_total` 是全部文件的均值；(.+) 中的 `avg_total` 是文件名含有该组名称的文件的均值",
    ),
    "no other fields": (r"Add no other fields", r"不要增加其他字段"),
}
"""What the judge understands, in English and Chinese."""


class LiteralJudge:
    """Reads one prompt and replies to it; `tendency` is how it scores: `lowest`, `highest` or `mixed`."""

    def __init__(self, system: str, user: str, tendency: str, seed: int = 0) -> None:
        self._language = ZH if HEADINGS[ZH][0] in user else EN
        fields, example = HEADINGS[self._language]
        head, _, shown = user.rpartition(example)
        self._system, (self._head, _, rules) = system, head.rpartition(fields)
        self._rules = [line.removeprefix("- ") for line in rules.splitlines()]
        self._example: dict[str, Any] = json.loads(shown)
        self._tendency = tendency
        self._random = random.Random(f"{seed}{tendency}")
        self._dimensions = {
            found[1]: int(found[2] or 0) / 100 for found in re.finditer(SAYS["dimension"][self._language], self._head)
        }
        self._texts = self._read_material()

    def reply(self) -> str:
        """Write the reply."""
        told = self._told("placeholders", self._head)
        self._replaced = told[1] if told else ""
        reply = copy.deepcopy(self._example)
        if "per_file_scores" in reply:
            self._fill_bundle(reply)
        else:
            self._fill_sample(reply)
        for name in ("notes", "final_notes", "reasoning"):
            if name in reply or (name == "notes" and "per_file_scores" not in reply and "meta" in reply):
                reply[name] = self._remark(name)
        if not self._told("no other fields"):
            reply["confidence"] = 0.9
        text = json.dumps(reply, ensure_ascii=False)
        return text if self._told("bare JSON", self._system) else f"```json\n{text}\n```"

    def _told(self, what: str, where: str | None = None) -> re.Match[str] | None:
        return re.search(SAYS[what][self._language], where if where is not None else "\n".join(self._rules))

    def _rule(self, field: str) -> str:
        """Return the rule that begins with a field's name; several fields may share one."""
        return next((rule for rule in self._rules if f"`{field}`" in re.split("[:：]", rule)[0]), "")

    def _read_material(self) -> list[tuple[str, str]]:
        """Return the fenced texts with the titles above them."""
        fence = self._told("fence", self._head)
        if not fence:
            return [("", self._head)]
        parts = self._head.split(f"\n{fence[1]}\n")
        titles = [part.splitlines()[-1] for part in parts[:-1:2]]
        return list(zip(titles, parts[1::2], strict=True))

    def _score(self) -> float:
        numbers = self._told("numbers", self._head)
        if not numbers:
            return 7
        low, high = float(numbers[2]), float(numbers[3])
        chosen = {"lowest": low, "highest": high}.get(self._tendency, self._random.uniform(low, high))
        return round(chosen) if numbers[1] else round(chosen, 1)

    def _scores(self) -> dict[str, float]:
        scores = {name: self._score() for name in self._dimensions}
        gate = self._told("gate")
        if gate and scores[gate[1]] == float(gate[2]):
            return dict.fromkeys(scores, int(gate[2]))
        return scores

    def _overall(self, field: str, scores: dict[str, float]) -> Any:
        """Return the overall score by its rule; without a rule, an impression, or the example's if that may stay."""
        if f"`{field}`" not in self._replaced:
            return 0
        told = self._told("sum")
        if told and told[1] == field:
            return sum(scores.values())
        if self._told("weighted", self._rule(field)):
            return round(sum(self._dimensions[name] * score for name, score in scores.items()), 2)
        return 99

    def _fill_sample(self, reply: dict[str, Any]) -> None:
        scores = self._scores()
        if "meta" in reply:
            self._copy_meta(reply["meta"])
            overall = next(name for name in reply["scores"] if name not in self._dimensions)
            given = scores if self._told("every dimension") else {}
            reply["scores"] = {**given, overall: self._overall(overall, scores)}
            self._decide(reply, sum(scores.values()))
            reply["flags"] = [] if self._told("no flags", self._rule("flags")) else ["a problem of form"]
            quoted = scores if self._told("quote every score") else {name: s for name, s in scores.items() if s > 0}
            reason = "It shows why." if "`reason`" in self._rule("evidence") else None
            reply["evidence"] = [
                {"dimension": name, "quote": self._quote(self._texts[-1][1], score), "reason": reason}
                for name, score in quoted.items()
            ]
            return
        is_told = self._told("justified", self._rule("scores"))
        reply["scores"] = {
            name: {"score": score, "justification": "It says so."} if is_told else score
            for name, score in scores.items()
        }
        overall = next(name for name in reply if name.startswith("overall"))
        reply[overall] = self._overall(overall, scores)
        for name in ("strengths", "weaknesses"):
            reply[name] = ["short", "clear"] if self._told("phrases", self._rule(name)) else "short, clear"

    def _decide(self, reply: dict[str, Any], total: float) -> None:
        told = self._told("verdict", self._rule("verdict"))
        if told and "`verdict`" in self._replaced:
            fail, passing = float(told[1]), float(told[2])
            reply["verdict"] = "FAIL" if total <= fail else "PASS" if total >= passing else "PARTIAL"

    def _copy_meta(self, meta: dict[str, Any]) -> None:
        rule = self._rule("meta") or self._rule("bundle_meta")
        told = self._told("copied", rule)
        for name in meta:
            if name == "timestamp":
                meta[name] = datetime.date(2026, 1, 31).isoformat() if self._told("date", rule) else "today"
            elif not told or f"`{name}`" not in told[1]:
                meta[name] = "as I would call it"

    def _fill_bundle(self, reply: dict[str, Any]) -> None:
        self._copy_meta(reply["bundle_meta"])
        count = self._told("count", self._rule("per_file_scores"))
        shown = reply["per_file_scores"][0]
        overall = next(name for name in shown if name not in ("file", "scores", "evidence", "notes"))
        files = self._texts[: int(count[1]) if count else 1]
        reply["per_file_scores"] = entries = [self._entry(title, text, overall) for title, text in files]
        means = self._told("means", self._rule("aggregates"))
        if "avg_total" not in self._replaced or not means:
            return
        totals = {entry["file"]: entry[overall] for entry in entries}
        reply["aggregates"]["avg_total"] = _mean(list(totals.values()))
        for summary in re.findall(r"`(\w+)`", means[1]):
            for group, claimed in reply["aggregates"][summary].items():
                claimed["avg_total"] = _mean([total for name, total in totals.items() if group in name])
                claimed["notes"] = self._remark("notes")

    def _entry(self, title: str, text: str, overall: str) -> dict[str, Any]:
        scores = self._scores()
        named = self._told("title", title)
        plain = self._told("quote as string", self._rule("evidence"))
        quotes = {name: self._quote(text, score) for name, score in scores.items()}
        return {
            "file": named[1] if named and self._told("file name", self._rule("file")) else "the first file",
            "scores": scores if self._told("every dimension", self._rule("scores")) else {},
            overall: self._overall(overall, scores),
            "evidence": quotes if plain else {name: [quote] for name, quote in quotes.items()},
            "notes": self._remark("notes"),
        }

    def _remark(self, field: str) -> Any:
        return "A remark." if self._told("in words", self._rule(field)) else ["a remark", "another"]

    def _quote(self, text: str, score: float) -> str:
        """Quote from a text; every freedom that no rule takes away is used."""
        if score <= 0 and not self._told("what is missing"):
            return "(nothing to quote)"
        source = text if self._told("where from") else self._texts[0][1]
        lines = [line.strip() for line in source.splitlines() if line.strip()]
        barred = self._told("no ellipsis")
        if barred:
            marks = re.findall("“(.+?)”", barred[1])
            lines = [line for line in lines if not any(mark in line for mark in marks)]
        line = self._random.choice(lines) if score > 0 else lines[0]
        if not self._told("character by character"):
            return f"it says that {line}"
        if not self._told("no translation"):
            return f"翻译：{line}" if self._language == ZH else f"in English: {line}"
        if not self._told("no joining") and len(lines) > 1:
            return f"{lines[0]} {lines[-1]}"
        if not barred and not self._told("same ellipsis"):
            return re.sub(r"\.{3,}|…+", "", line) + "…"
        return line


def _mean(totals: list[float]) -> float:
    return round(sum(totals) / len(totals), 2) if totals else 0.0
