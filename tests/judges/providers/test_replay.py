import asyncio

import pytest

from venire.domain.sample import Bundle, Sample
from venire.errors import ConfigError, InputError
from venire.judges.provider import Decoding, Request
from venire.judges.registry import create_provider


def ask(options, task_id="", output_id="o-1"):
    request = Request("m", "", "", Decoding(), {}, task_id=task_id, subject=Sample(output_id, "text"))
    return asyncio.run(create_provider("replay", options).ask(request))


def write(tmp_path, *lines):
    path = tmp_path / "replies.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def test_a_task_id_comes_before_an_output_id():
    replies = {"t-1": "by task", "o-1": "by sample"}
    assert ask({"replies": replies}, task_id="t-1").text == "by task"
    assert ask({"replies": replies}, task_id="t-2").text == "by sample"


@pytest.mark.parametrize("field", ["output_id", "bundle"])
def test_a_bundle_is_found_by_its_name(tmp_path, field):
    path = write(
        tmp_path, f'{{"{field}": "alder-1", "text": "on alder"}}', f'{{"{field}": "birch-2", "text": "on birch"}}'
    )
    bundle = Bundle("birch-2", (Sample("q3 baseline.pdf", "text"),), "birch-2")
    request = Request("m", "", "", Decoding(), {}, task_id="t", subject=bundle)
    assert asyncio.run(create_provider("replay", {"path": path}).ask(request)).text == "on birch"


def test_a_task_without_a_record_is_a_reply_with_an_error():
    reply = ask({"replies": {}}, task_id="t-9")
    assert (reply.text, reply.error_kind) == (None, "bad_request")
    assert "t-9" in reply.error


def test_a_file_with_several_judges_is_read_for_one(tmp_path):
    path = write(
        tmp_path,
        '{"output_id": "o-1", "judge": "a", "text": "from a"}',
        "",
        '{"output_id": "o-1", "judge": "b", "text": "from b 好"}',
    )
    assert ask({"path": path, "judge": "b"}).text == "from b 好"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "replies.jsonl:2"),
        ('{"task_id": "t"}', "`text`"),
        ('{"text": "x"}', "neither task_id nor output_id nor bundle"),
        ('{"task_id": "t-1", "text": "other"}', "second, different reply for 't-1'"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, line, words):
    path = write(tmp_path, '{"task_id": "t-1", "text": "one"}', line)
    with pytest.raises(InputError) as raised:
        create_provider("replay", {"path": path})
    assert words in str(raised.value)


@pytest.mark.parametrize("options", [{}, {"path": "x", "replies": {}}, {"ledger": "x", "replies": {}}])
def test_exactly_one_source_is_needed(options):
    with pytest.raises(ConfigError, match="either path, ledger or replies"):
        create_provider("replay", options)


def test_a_recorded_cut_stays_known(tmp_path):
    path = write(tmp_path, '{"output_id": "o-1", "text": "{", "finish_reason": "cut", "model": "oak"}')
    reply = ask({"path": path})
    assert (reply.finish_reason, reply.model) == ("cut", "oak")
