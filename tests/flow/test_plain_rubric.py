"""A rubric of three lines: from the configuration to judges, ledger, report, gate and the forms of people."""

from __future__ import annotations

import json

import msgspec
import pytest

from experiment import make_samples, served_judge, serving, venire, write_config, write_samples
from literal_judge import LiteralJudge
from making_courts import open_bar
from venire.server.court.vote_views import Docket
from venire.server.pages.reply_form import compose_reply, questions

ENGLISH = {
    "ask": "You judge an answer of our support bot.",
    "score": {"helpful": "Does it answer the question?", "polite": "Is it friendly?"},
    "scale": "1-5",
}
CHINESE = {"score": {"有帮助": "是否回答了问题？", "有礼貌": "语气是否友好？"}, "scale": "通过/不通过"}
NAMED = {"score": {"clear": "Is it clear?"}, "scale": {"bad": "Nobody gets it.", "fair": "Some do.", "good": "All do."}}


def reply_literally(seen):
    system, user = (message["content"] for message in seen["messages"])
    return LiteralJudge(system, user, "highest").reply()


def judged(folder, rubric):
    """Judge with a judge asked in English and one asked in Chinese; return what they were sent."""
    write_samples(folder, make_samples(8))
    with serving(reply_for=reply_literally) as server:
        judges = {
            "oak": served_judge(server.base_url, language="en"),
            "elm": served_judge(server.base_url, language="zh", model="elm-small"),
        }
        config = write_config(folder, judges, protocol=rubric)
        assert venire("judge", config, "--quiet") == 0
    return config, [request["body"]["messages"][1]["content"] for request in server.requests]


@pytest.mark.parametrize("rubric", [ENGLISH, CHINESE, NAMED], ids=["english", "chinese", "named"])
def test_a_rubric_in_one_language_is_judged_in_both_and_reported(tmp_path, capsys, rubric):
    config, prompts = judged(tmp_path, rubric)
    assert len(prompts) == 16
    assert all(question in prompt for prompt in prompts for question in rubric["score"].values())
    assert sum("Example:" in prompt for prompt in prompts) == sum("示例：" in prompt for prompt in prompts) == 8

    assert venire("report", config, "--lang", "zh") == 0
    printed = capsys.readouterr().out
    assert all(name.capitalize() in printed for name in rubric["score"])
    assert "100.0%" in printed.replace(" %", "%")

    (tmp_path / "gate.yaml").write_text("rules:\n- {check: minimum_score, at_least: 9}\n")
    assert venire("gate", tmp_path / "gate.yaml", config) == 0


def test_people_judge_by_the_same_rubric(tmp_path):
    judged(tmp_path, NAMED)
    with open_bar(tmp_path, samples=0, vote_scale="protocol") as bar:
        ballot = msgspec.convert(bar.ask("juror", "GET", "/api/v1/docket").json(), Docket).ballot
        (question,) = questions(ballot)
        assert question.levels[0] == (2, {"en": "good: All do."})
        page = bar.ask("juror", "GET", "/vote?lang=zh").text
        assert "Is it clear?" in page
        assert "bad: Nobody gets it." in page
        form = {"score.clear": "2", "quote.clear": "says one thing", "reason.clear": "It does."}
        reply = {"item": ballot.item, "reply": compose_reply(ballot, form)}
        answer = bar.ask("juror", "POST", "/api/v1/votes/judgement", json=reply).json()
    assert (answer["status"], answer["verdict"]) == ("valid", "PASS")


def test_a_rubric_in_a_file_gives_the_same_tasks_as_one_in_the_configuration(tmp_path, capsys):
    _, prompts = judged(tmp_path, {**ENGLISH, "id": "support"})
    (tmp_path / "support.yaml").write_text(json.dumps(ENGLISH))
    config, again = judged(tmp_path, "support.yaml")
    assert (len(prompts), again) == (16, [])
    assert venire("protocol", "show", config) == 0
    assert "verdict: FAIL up to 4, PASS from 8, else PARTIAL" in capsys.readouterr().out


def test_what_is_wrong_with_a_rubric_is_told_at_the_lines_of_the_configuration(tmp_path, capsys):
    (tmp_path / "outputs.jsonl").write_text("")
    config = tmp_path / "venire.yaml"
    config.write_text(
        "samples: outputs.jsonl\nprotocol:\n  asks: Judge it.\n  score:\n    helpful:\n  scale: high\n"
        "judges: {house: {type: rules}}\n"
    )
    assert venire("plan", config) == 2
    told = capsys.readouterr().err
    for line, problem in ((3, "unknown key 'asks'"), (5, "'helpful' has no question"), (6, "'high' is not a scale")):
        assert f"venire.yaml:{line}: {problem}" in told or f"venire.yaml:{line}: dimension {problem}" in told
