"""An honest judge that does what the prompt says, and no more, is valid; and every rule of the prompt is needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from experiment import make_judge
from literal_judge import HEADINGS, LiteralJudge
from valid_replies import DRIFT_BUNDLE, DRIFT_SAMPLE, QUALITY
from venire.domain.judgement import Judgement, Status
from venire.domain.protocol import EvalProtocol, OverallRule
from venire.domain.sample import Bundle, Sample
from venire.judges.prompt import template_digest
from venire.protocols.catalogue import bundled_text
from venire.protocols.load import parse_protocol
from venire.runner.request import PreparedRequest, RequestBuilder
from venire.runner.task import make_task

TEXT = "# 计划 Plan\nFirst collect the data......\n第二步：分析……报告。\nwait。。。 what…\nThe last step is a review."
SAMPLE = Sample("q3-a.txt", TEXT, "Q3", "A", "alder-1", task="Write a plan. 写一份计划。")
BUNDLE = Bundle(
    "outputs",
    tuple(
        Sample(cell.label, f"[事实快照] {cell.label}\n{TEXT}", target_model="alder-1")
        for cell in DRIFT_BUNDLE.design.cells
    ),
    target_model="alder-1",
)
SUMMED = msgspec.structs.replace(
    QUALITY,
    id="summed-criteria",
    dimensions=QUALITY.dimensions[:3],
    categories=(),
    overall=OverallRule("overall_score", "sum"),
)
PLAIN = [
    parse_protocol(text.encode(), "plain.yaml", bundled_text)
    for text in (
        "score: {helpful: 'Does it answer the question?', polite: 'Is it friendly?'}\nscale: 1-5\n",
        "ask: 评测客服的回答。\nscore: {有帮助: '是否回答了问题？'}\nscale: 通过/不通过\n",
        "score: {tone of voice: 'Is it ours?'}\nscale: {bad: It is not., good: It is.}\nverdict: no\n",
    )
]
CASES = [
    *((protocol, protocol.scales[0].id, SAMPLE) for protocol in PLAIN),
    (DRIFT_SAMPLE, "0-2", SAMPLE),
    (DRIFT_SAMPLE, "0-2", Sample("only-an-id", TEXT)),
    (DRIFT_BUNDLE, "0-2", BUNDLE),
    *(
        (QUALITY, scale, msgspec.structs.replace(SAMPLE, factors={"category": category.id}))
        for scale in ("1-5", "0-10")
        for category in QUALITY.categories
    ),
    (SUMMED, "1-5", SAMPLE),
]
NAMES = [
    f"{protocol.id}-{scale}-{getattr(subject, 'factors', {}).get('category', '')}" for protocol, scale, subject in CASES
]
TENDENCIES = ("lowest", "highest", "mixed")


class Asked:
    """One question, and what becomes of a literal judge's reply to it."""

    def __init__(self, case: tuple[EvalProtocol, str, Sample | Bundle], language: str, *, blind: bool) -> None:
        protocol, scale, subject = case
        self._judge = make_judge(scale=scale, language=language, blind=blind)
        digests = (self._judge.digest, protocol.digest, template_digest(language), subject.digest)
        self.builder = RequestBuilder(self._judge, protocol, seed=1)
        self.question: PreparedRequest = self.builder.build(make_task(self._judge.name, *digests), subject)
        self.user = self.question.request.user

    def judgement(self, tendency: str, seed: int = 0, user: str = "", system: str = "") -> Judgement:
        request = self.question.request
        reply = LiteralJudge(system or request.system, user or self.user, tendency, seed).reply()
        return self.builder.checker.check(
            reply, self.question.subject, judge=self._judge.identity, handle=request.handle
        )


def is_spotless(judgement: Judgement) -> bool:
    return judgement.status is Status.VALID and not judgement.findings and all(map(is_spotless, judgement.entries))


@pytest.mark.parametrize("blind", [True, False], ids=["blind", "open"])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_a_judge_that_does_literally_what_the_prompt_says_is_valid(case, language, blind):
    asked = Asked(case, language, blind=blind)
    for tendency in TENDENCIES:
        for seed in range(3):
            judgement = asked.judgement(tendency, seed)
            assert is_spotless(judgement), (judgement.findings, [entry.findings for entry in judgement.entries])


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("case", [CASES[0], CASES[2], CASES[3]], ids=["drift-sample", "drift-bundle", "quality"])
def test_without_any_one_of_its_rules_the_same_judge_is_invalid(case, language):
    asked = Asked(case, language, blind=False)
    heading, example = HEADINGS[language == "zh"]
    before, _, rest = asked.user.rpartition(heading)
    rules, _, shown = rest.rpartition(example)
    for rule in rules.splitlines():
        fewer = "\n".join(line for line in rules.splitlines() if line != rule)
        user = f"{before}{heading}{fewer}{example}{shown}"
        assert not all(is_spotless(asked.judgement(tendency, user=user)) for tendency in TENDENCIES), rule


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("case", [CASES[0], CASES[2], CASES[3]], ids=["drift-sample", "drift-bundle", "quality"])
def test_without_a_word_on_what_to_replace_the_example_is_kept_and_invalid(case, language):
    asked = Asked(case, language, blind=True)
    sentence = ". In the example" if language == "en" else "。示例中的"
    kept = asked.user[: asked.user.rindex(sentence)] + asked.user[asked.user.rindex(HEADINGS[language == "zh"][0]) :]
    assert not is_spotless(asked.judgement("highest", user=kept))


def test_a_judge_that_is_not_told_to_reply_in_bare_json_does_not():
    assert not is_spotless(Asked(CASES[0], "en", blind=True).judgement("mixed", system="You are a judge."))


@pytest.mark.parametrize("blind", [True, False], ids=["blind", "open"])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_the_prompt_has_a_rule_for_every_field_of_the_contract(case, language, blind):
    asked = Asked(case, language, blind=blind)
    heading, example = HEADINGS[language == "zh"]
    rules = asked.user.rpartition(heading)[2].rpartition(example)[0]
    listed = {line.split(" — ")[0] for line in asked.user.splitlines() if " — " in line}
    fields = set(fields_of(asked.question.request.reply_schema))
    groups = {group for values in case[0].design.factors.values() for group in values} if case[0].design else set()
    unruled = {name for name in fields - groups if f"`{name}`" not in rules and f"- {name}" not in listed}
    assert unruled == set()


def fields_of(schema: dict[str, Any]) -> Iterator[str]:
    """Yield the names of all fields of a reply but those that may hold anything."""
    for name, node in schema.get("properties", {}).items():
        if node:
            yield name
        yield from fields_of(node)
    if "items" in schema:
        yield from fields_of(schema["items"])
