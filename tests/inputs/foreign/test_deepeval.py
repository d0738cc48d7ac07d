"""Test runs that DeepEval wrote: metrics, judges that failed, context, conversations."""

import json

from foreign_files import by_judge, foreign, samples_of
from venire.domain.material import MaterialKind
from venire.inputs.foreign.recognise import read_foreign

RUN, TALK = foreign("deepeval-run.json"), foreign("deepeval-conversation.json")


def test_a_file_that_states_no_version_gets_none():
    read = read_foreign(RUN)
    assert (read.tool, read.version, read.run) == ("deepeval", "not stated", "museum bot 2")


def test_a_metric_names_its_model_or_nobody():
    case = samples_of(RUN)["opening"]
    assert by_judge(case, "Correctness [GEval]")["made-up-judge"].scores == {"Correctness [GEval]": 0.8}
    assert by_judge(case, "Short")[""].verdict == "pass"


def test_a_judge_that_failed_is_not_a_zero():
    failed = by_judge(samples_of(RUN)["price"], "Correctness [GEval]")["made-up-judge"]
    assert (failed.not_scored, failed.scores, failed.verdict) == ("failed", {}, "")
    assert failed.detail == "RuntimeError: the judge is overloaded"


def test_context_reference_and_tools_are_materials():
    materials = samples_of(RUN)["opening"].sample.materials
    assert [each.kind for each in materials] == [
        MaterialKind.DOCUMENT,
        MaterialKind.DOCUMENT,
        MaterialKind.REFERENCE,
        MaterialKind.TOOL_CALL,
        MaterialKind.TOOL_RESULT,
    ]
    assert materials[3].text == 'lookup({"day": "Tuesday"})'


def test_of_a_conversation_the_last_turn_is_judged():
    talk = samples_of(TALK)["talk"]
    assert talk.sample.text == "Good morning! What can I do?"
    assert [(each.role, each.text) for each in talk.sample.materials if each.kind is MaterialKind.TURN] == [
        ("user", "Good morning")
    ]
    assert by_judge(talk, "Friendly")["made-up-judge"].scores == {"Friendly": 0.75}


def test_the_latest_run_in_its_own_folder_is_read_too(tmp_path):
    wrapped = tmp_path / ".latest_test_run.json"
    wrapped.write_text(json.dumps({"testRunData": json.loads(RUN.read_text())}))
    assert set(samples_of(wrapped)) == set(samples_of(RUN))
