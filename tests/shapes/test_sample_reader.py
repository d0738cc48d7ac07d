"""Replies on one sample: each rule alone, verdicts, flags, methods, blind judges and notes."""

from __future__ import annotations

import itertools
import json
from typing import Any

import msgspec
import pytest

from valid_replies import DRIFT_SAMPLE, JUDGE, QUOTES, SAMPLE, Change, as_json, changed, sample_reply
from venire.domain.flag import Flag, Severity
from venire.domain.judge import JudgeIdentity
from venire.domain.judgement import EvidenceLevel, Judgement, Method, Status
from venire.domain.sample import Sample
from venire.shapes.check import Checker

CHECKER = Checker(DRIFT_SAMPLE)
BLIND = Checker(DRIFT_SAMPLE, blind=True)

UNPARSABLE = Flag.UNPARSABLE_OUTPUT
VIOLATION = Flag.PROTOCOL_VIOLATION
COVERAGE = Flag.INCOMPLETE_COVERAGE
REFUSAL = Flag.JUDGE_REFUSAL_OR_EVASION
CONTRADICTION = Flag.INTERNAL_INCONSISTENCY


def check(reply: bytes | dict[str, Any], sample: Sample | None = SAMPLE, **options: Any) -> Judgement:
    raw = reply if isinstance(reply, bytes) else as_json(reply)
    return CHECKER.check(raw, sample, **{"judge": JUDGE, **options})


def rules(judgement: Judgement) -> list[str]:
    return [finding.rule for finding in judgement.all_findings]


def put(*path: Any) -> Change:
    """Return a change that puts the last of the arguments at the path before it."""
    *parents, key, value = path

    def change(reply: Any) -> None:
        for parent in parents:
            reply = reply[parent]
        reply[key] = value

    return change


def drop(*path: Any) -> Change:
    *parents, key = path

    def change(reply: Any) -> None:
        for parent in parents:
            reply = reply[parent]
        del reply[key]

    return change


# A change to the valid reply, the one rule that it breaks, where, and the flag that it raises.
ONE_RULE: list[tuple[Change, str, str, Flag]] = [
    (drop("meta"), "contract.missing-field", "/meta", UNPARSABLE),
    (drop("meta", "judge_model"), "contract.missing-field", "/meta/judge_model", UNPARSABLE),
    (drop("meta", "method"), "contract.missing-field", "/meta/method", UNPARSABLE),
    (drop("meta", "timestamp"), "contract.missing-field", "/meta/timestamp", UNPARSABLE),
    (drop("verdict"), "contract.missing-field", "/verdict", UNPARSABLE),
    (drop("flags"), "contract.missing-field", "/flags", UNPARSABLE),
    (drop("evidence"), "contract.missing-field", "/evidence", UNPARSABLE),
    (drop("scores", "overall_score"), "contract.missing-field", "/scores/overall_score", UNPARSABLE),
    (drop("evidence", 1, "reason"), "contract.missing-field", "/evidence/1/reason", UNPARSABLE),
    (drop("meta", "target_model"), "contract.missing-identifier", "/meta/target_model", COVERAGE),
    (drop("meta", "question_id"), "contract.missing-identifier", "/meta/question_id", COVERAGE),
    (drop("meta", "prompt_variant"), "contract.missing-identifier", "/meta/prompt_variant", COVERAGE),
    (drop("meta", "output_id"), "contract.missing-identifier", "/meta/output_id", COVERAGE),
    (put("meta", "output_id", ""), "contract.missing-identifier", "/meta/output_id", COVERAGE),
    (put("meta", []), "contract.wrong-type", "/meta", UNPARSABLE),
    (put("meta", "question_id", 3), "contract.wrong-type", "/meta/question_id", UNPARSABLE),
    (put("flags", None), "contract.wrong-type", "/flags", UNPARSABLE),
    (put("notes", {}), "contract.wrong-type", "/notes", UNPARSABLE),
    (put("verdict", True), "contract.wrong-type", "/verdict", UNPARSABLE),
    (put("evidence", 0, "reason", None), "contract.wrong-type", "/evidence/0/reason", UNPARSABLE),
    (put("scores", "COMPLETENESS", "1"), "contract.wrong-type", "/scores/COMPLETENESS", UNPARSABLE),
    (put("scores", "COMPLETENESS", True), "contract.wrong-type", "/scores/COMPLETENESS", UNPARSABLE),
    (put("scores", "overall_score", "6"), "contract.wrong-type", "/scores/overall_score", UNPARSABLE),
    (put("extra", 1), "contract.unknown-field", "/extra", VIOLATION),
    (put("a/b~c", 1), "contract.unknown-field", "/a~1b~0c", VIOLATION),
    (put("meta", "temperature", 0), "contract.unknown-field", "/meta/temperature", VIOLATION),
    (put("evidence", 0, "page", 1), "contract.unknown-field", "/evidence/0/page", VIOLATION),
    (put("verdict", "OK"), "contract.unknown-value", "/verdict", VIOLATION),
    (put("meta", "method", "peer"), "contract.unknown-value", "/meta/method", VIOLATION),
    (put("flags", ["LAZY"]), "contract.unknown-value", "/flags/0", VIOLATION),
    (drop("scores", "COMPLETENESS"), "score.missing", "/scores/COMPLETENESS", UNPARSABLE),
    (put("scores", "STYLE", 2), "score.unknown-dimension", "/scores/STYLE", VIOLATION),
    (put("scores", "COMPLETENESS", 3), "score.out-of-scale", "/scores/COMPLETENESS", VIOLATION),
    (put("scores", "COMPLETENESS", -1), "score.out-of-scale", "/scores/COMPLETENESS", VIOLATION),
    (put("scores", "COMPLETENESS", 1.5), "score.out-of-scale", "/scores/COMPLETENESS", VIOLATION),
    (put("scores", "overall_score", 5), "overall.mismatch", "/scores/overall_score", CONTRADICTION),
    (put("verdict", "PASS"), "verdict.mismatch", "/verdict", CONTRADICTION),
    (put("verdict", "FAIL"), "verdict.mismatch", "/verdict", CONTRADICTION),
    (put("meta", "method", "self_judge"), "method.mismatch", "/meta/method", CONTRADICTION),
    (drop("evidence", 2), "evidence.missing", "/evidence", VIOLATION),
    (put("evidence", 2, "quote", ""), "evidence.missing", "/evidence", VIOLATION),
    (put("evidence", 2, "quote", " \n"), "evidence.missing", "/evidence", VIOLATION),
    (put("evidence", 2, "quote", "\u200b\u2060 \ufeff"), "evidence.missing", "/evidence", VIOLATION),
    (put("evidence", 2, "quote", "gathers the facts"), "evidence.not-verbatim", "/evidence/2/quote", VIOLATION),
    (put("meta", "output_id", "q4-a.txt"), "coverage.identity", "/meta/output_id", COVERAGE),
    (put("meta", "question_id", "Q4"), "coverage.identity", "/meta/question_id", COVERAGE),
    (put("meta", "prompt_variant", "B"), "coverage.identity", "/meta/prompt_variant", COVERAGE),
    (put("meta", "target_model", "qwen"), "coverage.identity", "/meta/target_model", COVERAGE),
]


@pytest.mark.parametrize(("change", "rule", "pointer", "flag"), ONE_RULE)
def test_a_valid_reply_changed_in_one_rule_breaks_exactly_that_rule(
    change: Change, rule: str, pointer: str, flag: Flag
) -> None:
    judgement = check(changed(sample_reply(), change))
    assert [(finding.rule, finding.pointer) for finding in judgement.findings] == [(rule, pointer)]
    assert judgement.status is Status.INVALID
    assert judgement.flags == (flag,)


# The few changes that break two rules at once, because each of the two is broken.
TWO_RULES: list[tuple[Change, set[str]]] = [
    (drop("scores"), {"contract.missing-field", "judge.no-scores"}),
    (put("scores", {"overall_score": 6}), {"score.missing", "judge.no-scores"}),
    (put("evidence", 2, "dimension", "STYLE"), {"contract.unknown-value", "evidence.missing"}),
    (drop("evidence", 2, "quote"), {"contract.missing-field", "evidence.missing"}),
    (put("scores", "COMPLETENESS", 2), {"overall.mismatch", "verdict.mismatch"}),
]


@pytest.mark.parametrize(("change", "broken"), TWO_RULES)
def test_some_changes_break_two_rules(change: Change, broken: set[str]) -> None:
    assert set(rules(check(changed(sample_reply(), change)))) == broken


def valid_text() -> str:
    return as_json(sample_reply()).decode()


SPOILT = [
    (valid_text().encode("utf-16"), "json.encoding", UNPARSABLE),
    (valid_text()[:-1].encode(), "json.syntax", UNPARSABLE),
    (f"[{valid_text()}]".encode(), "json.not-an-object", VIOLATION),
    (f"```json\n{valid_text()}\n```".encode(), "json.surrounding-text", VIOLATION),
    (f"Here you are: {valid_text()}".encode(), "json.surrounding-text", VIOLATION),
    (valid_text().replace('"notes": ""', '"notes": "", "notes": ""').encode(), "json.duplicate-key", UNPARSABLE),
    (valid_text().replace('"overall_score": 6', '"overall_score": NaN').encode(), "json.not-finite", UNPARSABLE),
    (valid_text().replace('"overall_score": 6', '"overall_score": 1e999').encode(), "json.not-finite", UNPARSABLE),
    (valid_text().replace('"notes": ""', '"notes": "\\ud800"').encode(), "json.encoding", UNPARSABLE),
    (b" " * (8 * 1024 * 1024) + valid_text().encode(), "json.too-large", UNPARSABLE),
    (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "json.too-deep", UNPARSABLE),
]


@pytest.mark.parametrize(("raw", "rule", "flag"), SPOILT, ids=[rule for _, rule, _ in SPOILT])
def test_a_valid_reply_spoilt_as_json_breaks_exactly_that_rule(raw: bytes, rule: str, flag: Flag) -> None:
    judgement = check(raw)
    assert rules(judgement) == [rule]
    assert judgement.flags == (flag,)


def test_two_different_scores_for_one_dimension_are_a_contradiction() -> None:
    raw = valid_text().replace('"COMPLETENESS": 1', '"COMPLETENESS": 0, "COMPLETENESS": 1').encode()
    judgement = check(raw)
    assert rules(judgement) == ["json.duplicate-key", "score.contradictory"]
    assert {finding.pointer for finding in judgement.findings} == {"/scores/COMPLETENESS"}


def test_a_dimension_named_twice_elsewhere_is_no_contradictory_score() -> None:
    raw = as_json(sample_reply()).replace(b'"notes": ""', b'"notes": {"COMPLETENESS": 1, "COMPLETENESS": 2}')
    assert rules(check(raw)) == ["json.duplicate-key", "contract.wrong-type"]


@pytest.mark.parametrize("raw", [b"", b" \n"])
def test_an_empty_reply_is_unparsable_and_a_refusal(raw: bytes) -> None:
    judgement = check(raw)
    assert rules(judgement) == ["json.empty", "judge.no-scores"]
    assert set(judgement.flags) == {UNPARSABLE, Flag.JUDGE_REFUSAL_OR_EVASION}


@pytest.mark.parametrize("stated", ["YYYY-MM-DD", "today", "2026-02-30", "31.01.2026", ""])
def test_a_timestamp_that_is_no_time_is_remarked_on(stated: str) -> None:
    judgement = check(changed(sample_reply(), put("meta", "timestamp", stated)))
    assert rules(judgement) == ["meta.timestamp"]
    assert (judgement.status, judgement.findings[0].pointer) == (Status.VALID, "/meta/timestamp")


@pytest.mark.parametrize("stated", ["2026-01-31", "2026-01-31T10:00:00Z", "2026-01-31 10:00+08:00"])
def test_a_timestamp_of_a_day_or_a_moment_is_a_time(stated: str) -> None:
    assert check(changed(sample_reply(), put("meta", "timestamp", stated))).findings == ()


def test_words_without_json_are_unparsable_and_a_refusal() -> None:
    judgement = check("抱歉，我无法评测这份输出。".encode())
    assert judgement.flags == (UNPARSABLE, REFUSAL)


def test_scores_that_are_all_off_the_scale_are_not_a_refusal() -> None:
    reply = sample_reply()
    reply["scores"] = {**dict.fromkeys(DRIFT_SAMPLE.dimension_ids, 8), "overall_score": 32}
    judgement = check(reply)
    assert rules(judgement) == ["score.out-of-scale"] * 4
    assert judgement.scores == {}
    assert judgement.overall is None


def test_the_valid_reply_is_valid_and_carries_everything_it_says() -> None:
    judgement = check(sample_reply())
    assert judgement.valid
    assert judgement.findings == ()
    assert judgement.scores == dict(zip(DRIFT_SAMPLE.dimension_ids, (2, 1, 2, 1), strict=True))
    assert (judgement.overall, judgement.stated_overall) == (6, 6)
    assert (judgement.verdict, judgement.stated_verdict) == ("PARTIAL", "PARTIAL")
    assert (judgement.method, judgement.sample, judgement.scale) == (Method.CROSS_JUDGE, "q3-a.txt", "0-2")
    assert [item.quote for item in judgement.evidence] == list(QUOTES)
    assert all(SAMPLE.text[item.start : item.end] == item.quote for item in judgement.evidence)
    assert {item.level for item in judgement.evidence} == {EvidenceLevel.EXACT}


@pytest.mark.parametrize("scores", list(itertools.product((0, 1, 2), repeat=4)))
def test_the_verdict_follows_from_the_sum_and_fail_is_tested_first(scores: tuple[int, int, int, int]) -> None:
    total = sum(scores)
    verdict = "FAIL" if total in (0, 1, 2, 3) else "PASS" if total in (7, 8) else "PARTIAL"
    judgement = check(sample_reply(scores, verdict))
    assert judgement.valid
    assert (judgement.overall, judgement.verdict) == (total, verdict)


def test_a_fail_is_a_valid_judgement() -> None:
    judgement = check(sample_reply((0, 0, 0, 0), "FAIL"))
    assert (judgement.status, judgement.verdict, judgement.overall) == (Status.VALID, "FAIL", 0)


def test_the_computed_verdict_stands_beside_the_stated_one() -> None:
    judgement = check(sample_reply((2, 2, 2, 1), "PARTIAL"))
    assert (judgement.verdict, judgement.stated_verdict) == ("PASS", "PARTIAL")


def test_a_wrong_sum_is_kept_beside_the_computed_one() -> None:
    judgement = check(changed(sample_reply(), put("scores", "overall_score", 8)))
    assert (judgement.overall, judgement.stated_overall) == (6, 8)


def test_flags_that_the_judge_states_have_no_effect() -> None:
    judgement = check(changed(sample_reply(), put("flags", [flag.value for flag in Flag])))
    assert judgement.valid
    assert judgement.flags == ()


def test_several_broken_rules_are_all_reported_with_all_their_flags() -> None:
    def change(reply: dict[str, Any]) -> None:
        del reply["meta"]["output_id"]
        del reply["notes"]
        del reply["flags"]
        reply["scores"]["overall_score"] = 1
        reply["evidence"][0]["quote"] = "not there"

    judgement = check(changed(sample_reply(), change))
    assert judgement.flags == (VIOLATION, UNPARSABLE, COVERAGE, CONTRADICTION)
    assert len(judgement.findings) == 4


def test_missing_notes_are_nothing_to_remark_on() -> None:
    assert check(changed(sample_reply(), drop("notes"))).findings == ()


def test_the_seed_profile_lets_further_fields_pass_but_no_further_dimension() -> None:
    seed = Checker(DRIFT_SAMPLE, profile="seed")
    assert seed.check(changed(sample_reply(), put("extra", 1)), SAMPLE, judge=JUDGE).valid
    judgement = seed.check(changed(sample_reply(), put("scores", "STYLE", 1)), SAMPLE, judge=JUDGE)
    assert rules(judgement) == ["score.unknown-dimension"]
    assert judgement.profile == "seed"


def test_findings_come_in_the_order_of_the_reply_whatever_the_hash_seed() -> None:
    names = [f"extra_{number}" for number in range(40)]
    judgement = check({**sample_reply(), **dict.fromkeys(names, 1)})
    assert [finding.pointer for finding in judgement.findings] == [f"/{name}" for name in names]


@pytest.mark.parametrize("target", ["glm", "GLM-4.7", "glm 4_7", "chat-glm", "GLM4.7"])
def test_a_judge_of_the_same_model_judges_itself_aliases_and_spelling_counted(target: str) -> None:
    sample = msgspec.structs.replace(SAMPLE, target_model=target)
    reply = sample_reply()
    reply["meta"] |= {"target_model": target, "method": "self_judge"}
    judgement = check(reply, sample)
    assert judgement.valid
    assert judgement.method is Method.SELF_JUDGE


def test_a_self_judge_that_calls_itself_a_cross_judge_contradicts_itself() -> None:
    sample = msgspec.structs.replace(SAMPLE, target_model="ChatGLM")
    reply = sample_reply()
    reply["meta"]["target_model"] = "ChatGLM"
    judgement = check(reply, sample)
    assert rules(judgement) == ["method.mismatch"]
    assert judgement.method is Method.SELF_JUDGE


@pytest.mark.parametrize(
    ("judge", "target", "method"),
    [("GLM-4.7", "glm 4.7", Method.SELF_JUDGE), ("GLM-4.7", "GLM-4.6", Method.CROSS_JUDGE)],
)
def test_without_a_known_judge_the_names_in_the_reply_tell_the_method(judge: str, target: str, method: Method) -> None:
    reply = sample_reply()
    reply["meta"] |= {"judge_model": judge, "target_model": target, "method": method.value}
    judgement = check(reply, None, judge=None)
    assert judgement.method is method
    assert rules(judgement) == ["evidence.unchecked"]


def test_names_without_letters_or_digits_tell_no_method() -> None:
    reply = sample_reply()
    reply["meta"] |= {"judge_model": "?", "target_model": "!"}
    assert check(reply, None, judge=None).method is None


@pytest.mark.parametrize("sample", [SAMPLE, None], ids=["known", "not at hand"])
@pytest.mark.parametrize("name", ["question_id", "prompt_variant", "target_model", "output_id"])
def test_an_identifier_of_white_space_is_missing(name: str, sample: Sample | None) -> None:
    reply = sample_reply()
    reply["meta"][name] = " \u3000"
    judgement = CHECKER.check(as_json(reply), sample)
    (violation,) = [finding for finding in judgement.findings if finding.flag]
    assert (violation.rule, violation.pointer) == ("contract.missing-identifier", f"/meta/{name}")


@pytest.mark.parametrize(
    ("name", "stated"), [("question_id", "q3"), ("output_id", "Q3 a.txt"), ("target_model", "DeepSeek V3")]
)
def test_an_identifier_spelt_otherwise_is_a_note(name: str, stated: str) -> None:
    judgement = check(changed(sample_reply(), put("meta", name, stated)))
    assert judgement.valid
    assert [(finding.rule, finding.severity) for finding in judgement.findings] == [("coverage.label", Severity.NOTE)]


def test_identifiers_with_the_same_letters_in_another_place_are_two_samples() -> None:
    sample = msgspec.structs.replace(SAMPLE, output_id="q1-11")
    judgement = check(changed(sample_reply(), put("meta", "output_id", "q11-1")), sample)
    assert rules(judgement) == ["coverage.identity"]


def test_without_a_text_quotes_are_kept_unchecked_and_that_is_a_note() -> None:
    judgement = check(sample_reply(), None)
    assert judgement.valid
    assert [(finding.rule, finding.severity) for finding in judgement.findings] == [
        ("evidence.unchecked", Severity.NOTE)
    ]
    assert judgement.evidence_level is EvidenceLevel.OFF
    assert (judgement.evidence[0].level, judgement.evidence[0].start) == (None, None)
    assert judgement.sample == "q3-a.txt"


def test_with_evidence_off_a_paraphrase_passes_and_a_note_says_that_it_was_not_compared() -> None:
    checker = Checker(DRIFT_SAMPLE, evidence=EvidenceLevel.OFF)
    judgement = checker.check(changed(sample_reply(), put("evidence", 0, "quote", "not there")), SAMPLE, judge=JUDGE)
    assert judgement.valid
    assert [(finding.rule, finding.found) for finding in judgement.findings] == [("evidence.unchecked", "evidence off")]
    assert judgement.evidence_level is EvidenceLevel.OFF


def test_a_quote_may_contain_an_ellipsis_that_stands_in_the_text() -> None:
    sample = msgspec.structs.replace(SAMPLE, text=SAMPLE.text + "\nand so on...")
    assert check(changed(sample_reply(), put("evidence", 0, "quote", "so on...")), sample).valid


def test_invisible_characters_of_the_text_are_no_evidence() -> None:
    sample = msgspec.structs.replace(SAMPLE, text=f"{SAMPLE.text}\u200b")
    reply = sample_reply()
    reply["evidence"][2]["quote"] = "\u200b"
    assert rules(CHECKER.check(as_json(reply), sample, judge=JUDGE)) == ["evidence.missing"]


def test_a_byte_order_mark_is_a_note() -> None:
    judgement = check(b"\xef\xbb\xbf" + as_json(sample_reply()))
    assert judgement.valid
    assert rules(judgement) == ["json.byte-order-mark"]


def blind_reply() -> dict[str, Any]:
    reply = sample_reply()
    reply["meta"] = {"output_id": "sample-7f3a"}
    return reply


def test_a_blind_judge_needs_to_state_only_the_handle() -> None:
    judgement = BLIND.check(as_json(blind_reply()), SAMPLE, judge=JUDGE, handle="sample-7f3a")
    assert judgement.findings == ()
    assert (judgement.sample, judgement.method) == ("q3-a.txt", Method.CROSS_JUDGE)


def test_a_blind_judge_may_write_anything_about_what_it_was_not_told() -> None:
    reply = blind_reply()
    reply["meta"] |= {"target_model": "GLM-4.7", "question_id": None, "judge_model": "GPT", "method": "self_judge"}
    judgement = BLIND.check(as_json(reply), SAMPLE, judge=JUDGE, handle="sample-7f3a")
    assert judgement.findings == ()
    assert judgement.method is Method.CROSS_JUDGE


@pytest.mark.parametrize("stated", ["sample-0000", "q3-a.txt"])
def test_a_blind_judge_that_states_another_handle_judged_another_sample(stated: str) -> None:
    reply = blind_reply()
    reply["meta"]["output_id"] = stated
    judgement = BLIND.check(as_json(reply), SAMPLE, judge=JUDGE, handle="sample-7f3a")
    assert rules(judgement) == ["coverage.identity"]


def test_a_blind_judge_that_states_no_handle_lacks_the_identifier() -> None:
    reply = blind_reply()
    reply["meta"] = {}
    judgement = BLIND.check(as_json(reply), SAMPLE, judge=JUDGE, handle="sample-7f3a")
    assert rules(judgement) == ["contract.missing-identifier"]


def test_a_judge_that_is_not_known_to_any_alias_is_another_model() -> None:
    assert check(sample_reply(), judge=JudgeIdentity("qwen")).method is Method.CROSS_JUDGE


def test_a_protocol_may_ask_for_quotes_only_above_the_lowest_score() -> None:
    policy = msgspec.structs.replace(DRIFT_SAMPLE.evidence, required="nonzero_scores")
    checker = Checker(msgspec.structs.replace(DRIFT_SAMPLE, evidence=policy))
    reply = sample_reply((0, 2, 2, 2))
    del reply["evidence"][0]
    assert checker.check(as_json(reply), SAMPLE, judge=JUDGE).valid
    del reply["evidence"][0]
    assert rules(checker.check(as_json(reply), SAMPLE, judge=JUDGE)) == ["evidence.missing"]


def test_a_protocol_may_ask_for_no_quotes() -> None:
    policy = msgspec.structs.replace(DRIFT_SAMPLE.evidence, required="none")
    checker = Checker(msgspec.structs.replace(DRIFT_SAMPLE, evidence=policy))
    assert checker.check(changed(sample_reply(), drop("evidence")), SAMPLE, judge=JUDGE).valid
    assert checker.check(as_json(sample_reply()), SAMPLE, judge=JUDGE).valid


def test_a_finding_never_repeats_a_long_value_in_full() -> None:
    judgement = check(changed(sample_reply(), put("meta", "output_id", "x" * 100_000)))
    assert len(json.dumps([finding.found for finding in judgement.findings])) < 200
