"""Files of other tools are recognised by what is in them; what is not known is named."""

import json

import msgspec
import pytest

from foreign_files import BY_TOOL, changed, foreign
from golden_values import assert_as_kept
from venire.errors import InputError
from venire.inputs.foreign.recognise import READERS, read_foreign


@pytest.mark.parametrize("tool", sorted(READERS))
def test_each_tool_is_recognised_and_no_other(tool, tmp_path):
    assert read_foreign(foreign(BY_TOOL[tool])).tool == tool
    copy = tmp_path / "without-a-telling-name"
    copy.write_bytes(foreign(BY_TOOL[tool]).read_bytes())
    assert read_foreign(copy).tool == tool


@pytest.mark.parametrize("content", ["", "a,b\n1,2\n", "[1, 2]", '{"a": {"b": 1}}', "[" * 100_000])
def test_a_file_of_no_known_tool_is_refused_with_those_that_are_known(tmp_path, content):
    strange = tmp_path / "strange.json"
    strange.write_text(content)
    with pytest.raises(InputError, match="deepeval, inspect, mlflow, openai-evals, promptfoo"):
        read_foreign(strange)


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path):
    with pytest.raises(InputError, match=r"nothing\.json"):
        read_foreign(tmp_path / "nothing.json")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("inspect-agent.json", lambda log: log.update(version=99)),
        ("promptfoo-museum.json", lambda export: export["results"].update(version=99)),
        ("mlflow-traces.json", lambda traces: traces[0]["info"]["trace_metadata"].update({
            "mlflow.trace_schema.version": "99"})),
    ],
)  # fmt: skip
def test_an_unknown_version_names_the_known_ones_and_is_read_only_if_somebody_takes_problems(tmp_path, name, change):
    strange = changed(name, tmp_path, change)
    with pytest.raises(InputError, match=r"in version [23], found 99"):
        list(read_foreign(strange).samples())
    told = []
    read = read_foreign(strange, on_problem=told.append)
    assert len(list(read.samples())) == len(list(read.samples())) > 0
    assert len(told) == 1


def test_a_sample_of_another_form_is_named_and_the_rest_goes_on(tmp_path):
    strange = changed("inspect-agent.json", tmp_path, lambda log: log["samples"][0].update(scores=["C"]))
    with pytest.raises(InputError, match=r"agent\.json: 1"):
        list(read_foreign(strange).samples())
    told = []
    assert [each.sample.question_id for each in read_foreign(strange, on_problem=told.append).samples()] == ["thanks"]
    assert len(told) == 1


def test_a_file_of_another_tool_than_named_is_told(tmp_path):
    with pytest.raises(InputError, match="promptfoo"):
        read_foreign(foreign("deepeval-run.json"), "promptfoo")
    broken = tmp_path / "broken.jsonl"
    broken.write_text(json.dumps({"spec": {"eval_name": "a", "completion_fns": []}}) + "\n{")
    with pytest.raises(InputError, match=r"broken\.jsonl:2"):
        list(read_foreign(broken).samples())


def test_a_json_file_too_large_to_be_held_is_refused_with_what_is_read_piece_by_piece(tmp_path, monkeypatch):
    monkeypatch.setattr("venire.inputs.foreign.file.MAX_JSON_BYTES", 40_000)
    with pytest.raises(InputError, match=r"has to be read as a whole") as raised:
        read_foreign(foreign("promptfoo-museum.json"))
    assert "results.jsonl" in raised.value.hint
    assert read_foreign(foreign("inspect-panel.eval")).tool == "inspect"


def test_a_file_of_one_value_a_line_is_never_read_as_a_whole(tmp_path, monkeypatch):
    traces = json.loads(foreign("mlflow-traces.json").read_text())
    lines = tmp_path / "traces.jsonl"
    lines.write_text("".join(json.dumps(trace) + "\n" for trace in traces))
    monkeypatch.setattr("pathlib.Path.read_bytes", lambda path: pytest.fail(f"{path} was read whole"))
    for path, count in ((lines, 2), (foreign("promptfoo-museum.jsonl"), 12), (foreign("openai-evals-fact.jsonl"), 2)):
        assert len(list(read_foreign(path).samples())) == count


@pytest.mark.parametrize(
    "name",
    [
        "deepeval-conversation.json",
        "deepeval-run.json",
        "inspect-agent.json",
        "inspect-panel.eval",
        "mlflow-traces.json",
        "openai-evals-fact.jsonl",
        "openai-evals-match.jsonl",
        "promptfoo-museum.json",
        "promptfoo-museum.jsonl",
    ],
)
def test_all_that_is_read_from_a_file_stays(name):
    read = read_foreign(foreign(name))
    told = [
        f"{read.tool} {read.version} {read.run} {read.created}",
        *(msgspec.json.format(msgspec.json.encode(each)).decode() for each in read.samples()),
    ]
    assert_as_kept(f"foreign/{name}.txt", "".join(f"{line}\n" for line in told))
