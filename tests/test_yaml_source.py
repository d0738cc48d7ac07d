"""YAML files are read strictly, and a file that cannot be a configuration is refused before it is read."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import pytest

from venire.config import load_settings
from venire.errors import ConfigError, InputError, ProtocolError
from venire.protocols.catalogue import find_protocol
from venire.words.language import Words
from venire.yaml_source import LARGEST_BYTES, locate_error, read_yaml, read_yaml_file


def test_a_file_too_long_for_a_configuration_is_refused_by_its_size(tmp_path):
    path = tmp_path / "venire.yaml"
    with path.open("wb") as file:
        file.truncate(1 << 34)  # 16 GiB of nothing: reading it would fill the memory.

    with pytest.raises(InputError, match="at most 1024 KiB") as refused:
        read_yaml_file(path)
    assert refused.value.where == str(path)
    with pytest.raises(ConfigError, match="at most 1024 KiB"):
        load_settings(path)
    with pytest.raises(ProtocolError, match="at most 1024 KiB"):
        find_protocol(str(path))


def test_the_longest_file_is_still_read():
    head = "value: |\n  "
    source = read_yaml(head + "a" * (LARGEST_BYTES - len(head)), "x.yaml")

    assert len(source.value["value"]) == LARGEST_BYTES - len(head)


class _Settings(msgspec.Struct, forbid_unknown_fields=True):
    port: Annotated[int, msgspec.Meta(ge=1)]
    kind: Literal["a", "b"] = "a"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"port": "x"}, "应为整数，实为文本"),
        ({"port": 0}, "应为 >= 1 的整数"),
        ({}, "缺少键 'port'"),
        ({"port": 1, "kind": "c"}, "'c' 不是这里可用的取值"),
        ({"port": 1, "prot": 2}, "未知的键 'prot'"),
    ],
)
def test_what_does_not_fit_a_setting_is_said_in_the_readers_language(value, said):
    with pytest.raises(msgspec.ValidationError) as wrong:
        msgspec.convert(value, _Settings)

    assert Words("zh").of(locate_error(wrong.value)[1]) == said


def test_a_key_that_belongs_into_a_section_is_sent_there():
    from venire.config.file import VenireConfig
    from venire.yaml_source import find_problems_of_kind

    (problem,) = find_problems_of_kind({"judges": {}, "category": "qa_simple"}, VenireConfig)
    assert str(problem.hint) == "`category:` belongs under `samples:`."


class _Named(msgspec.Struct):
    name: str
    weight: float


class _Kinds(msgspec.Struct):
    is_on: bool
    count: int
    weight: float
    words: list[str]
    titles: dict[str, str]
    named: _Named
    several: list[Literal["last", "all"]]
    counted: Annotated[int, msgspec.Meta(ge=1)]
    one: Literal["last", "all"]


def test_a_value_of_the_wrong_kind_is_answered_with_a_line_that_can_be_pasted():
    from venire.yaml_source import find_problems_of_kind

    wrong = {"is_on": "x", "count": "x", "weight": "x", "words": 1, "titles": 1, "named": 1}
    wrong |= {"several": 1, "counted": "x", "one": 1}
    hints = [str(problem.hint) for problem in find_problems_of_kind(wrong, _Kinds)]
    assert hints == [
        "For example: `is_on: true`",
        "For example: `count: 1`",
        "For example: `weight: 1`",
        'For example: `words: ["…"]`',
        'For example: `titles: {en: "…"}`',
        'For example: `named: {name: "…", weight: 1}`',
        "For example: `several: [last]`",
        "For example: `counted: 1`",
        "One of: last, all.",
    ]
