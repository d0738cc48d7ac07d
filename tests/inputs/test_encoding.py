"""Tables in other encodings are read where that is said, and else named for what they look like."""

from __future__ import annotations

import pytest

from venire.errors import TableError, UsageError
from venire.inputs.reader import read_samples
from venire.inputs.sample_index import SampleIndex

CHINESE = "编号,正文\n" + "".join(f"{number},这是第{number}个写得很好的回答，内容完整。\n" for number in range(30))


TRADITIONAL = "編號,正文\n" + "".join(f"{number},這是第{number}個寫得很好的回答，內容完整。\n" for number in range(30))


JAPANESE = "番号,本文\n" + "".join(f"{number},これは{number}番目のとても良い回答です。\n" for number in range(30))


COLUMNS = {"output_id": "编号", "text": "正文"}


@pytest.mark.parametrize(
    ("text", "encoding", "named"),
    [
        (CHINESE, "gb18030", "gb18030"),
        (CHINESE, "gbk", "gb18030"),
        (TRADITIONAL, "big5", "big5"),
        (JAPANESE, "shift_jis", "shift_jis"),
        (CHINESE, "utf-16-le", "utf-16-le"),
    ],
)
@pytest.mark.parametrize("name", ["table.csv", "table.jsonl"])
def test_another_encoding_is_named_in_one_error_and_nothing_is_read(tmp_path, name, text, encoding, named):
    path = tmp_path / name
    lines = text if name.endswith("csv") else "".join(f'{{"id": "x", "text": "{line}"}}\n' for line in text.split())
    path.write_bytes(lines.encode(encoding))
    told = []
    with pytest.raises(TableError, match="this looks like") as caught:
        list(read_samples(path, on_problem=told.append))
    assert f"`encoding: {named}`" in caught.value.hint
    assert told == []


@pytest.mark.parametrize("encoding", ["gb18030", "big5", "utf-16-le"])
def test_a_table_is_read_in_the_encoding_that_is_named(tmp_path, encoding):
    path = tmp_path / "table.csv"
    path.write_bytes("id,text\n1,一個好的回答\n".encode(encoding))
    assert [sample.text for sample in read_samples(path, encoding=encoding)] == ["一個好的回答"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
@pytest.mark.parametrize(
    ("name", "text"), [("t.csv", "编号,正文\n1,一个好的回答\n"), ("t.json", '[{"编号": 1, "正文": "一个好的回答"}]'),
                       ("t.jsonl", '{"编号": 1, "正文": "一个好的回答"}\n')],
)  # fmt: skip
def test_a_table_with_the_mark_of_another_encoding_is_read(tmp_path, name, text, encoding):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    (sample,) = read_samples(path, columns=COLUMNS)
    assert (sample.output_id, sample.text) == ("1", "一个好的回答")
    assert SampleIndex.open(path, columns=COLUMNS).find("1").text == "一个好的回答"


def test_a_single_bad_byte_in_a_table_of_utf8_costs_its_row_only(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(CHINESE.encode() + b"99,\xb0\xa1\n")
    told = []
    samples = list(read_samples(path, columns=COLUMNS, on_problem=told.append))
    assert (len(samples), len(told)) == (30, 1)


def test_text_that_is_not_in_the_named_encoding_is_an_error_and_so_is_an_unknown_name(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"id,text\n1,\xff\xff\xff\n")
    with pytest.raises(TableError, match="is not BIG5 text"):
        list(read_samples(path, encoding="big5"))
    with pytest.raises(UsageError, match="found 'klingon'"):
        list(read_samples(path, encoding="klingon"))
