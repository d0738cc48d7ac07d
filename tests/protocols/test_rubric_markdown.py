"""A rubric as Markdown can be read back and is the same protocol; what the page cannot hold is named."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.domain.protocol import EvalProtocol
from venire.protocols.catalogue import bundled_text, find_protocol
from venire.protocols.load import build_protocol, full_text, parse_protocol
from venire.protocols.rubric_file import read_rubric
from venire.protocols.rubric_markdown import left_out, markdown_text
from venire.yaml_source import YamlSource, yaml_text


def read_back(folder, protocol: EvalProtocol, language: str) -> EvalProtocol:
    page = folder / "page.md"
    page.write_text(markdown_text(protocol, language), encoding="utf-8")
    rubric = yaml_text(read_rubric(page).value)  # as `protocol new --from` writes it
    return parse_protocol(rubric, "other.yaml", bundled_text)


@pytest.mark.parametrize(
    "rubric",
    [
        {"score": {"helpful": "Does it help?"}},
        {"score": {"有帮助": "是否回答了问题？"}, "scale": "pass/fail", "ask": "评测它。\n\n要严格。"},
        {"score": {"a": {"ask": "A?", "levels": {"1": "no", "5": "yes | no\nor <br> \\ both"}}, "b": "B?"}},
        {"score": {"a": {"name": "Alpha", "ask": "A?"}}, "scale": {"bad": "It is.", "fair": "", "good": "Is it!"}},
        {"score": {"a": "A?"}, "evidence": {"required": "nonzero_scores", "allow_ellipsis": False}, "version": "2"},
        {
            "score": {"a": "A?"},
            "verdict": False,
            "evidence": False,
            "title": "T",
            "ask": "# x\n- a: b\n| c |\n\\d\n* e",
        },
        {"score": {"a": "A?", "b": "B?"}, "verdict": {"fail_at_most": 2.5, "pass_at_least": 7.25}, "scale": "0-10"},
    ],
)
def test_a_rubric_is_the_same_protocol_after_a_round_trip(tmp_path, rubric):
    protocol = build_protocol(YamlSource("r.yaml", rubric, {(): 1}), "mine", bundled_text).protocol
    assert read_back(tmp_path, protocol, next(iter(protocol.title))).digest == protocol.digest
    assert left_out(protocol) == ()


WORDS = st.text(st.sampled_from("ab |\\<br>\n#-*`_:\"'?{}评"), min_size=1, max_size=20).filter(str.strip)


@given(ask=WORDS, question=WORDS, low=WORDS, high=WORDS)
def test_no_text_is_changed_by_a_round_trip(tmp_path_factory, ask, question, low, high):
    rubric = {"ask": ask, "score": {"a": {"ask": question, "levels": {"1": low, "5": high}}}}
    protocol = build_protocol(YamlSource("r.yaml", rubric, {(): 1}), "mine", bundled_text).protocol
    folder = tmp_path_factory.getbasetemp()
    back = read_back(folder, protocol, next(iter(protocol.title)))
    assert (back.instructions, back.dimensions) == (protocol.instructions, protocol.dimensions)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_bundled_protocol_keeps_its_rubric_in_one_language(tmp_path, language):
    protocol = find_protocol("drift-sample")
    back = read_back(tmp_path, protocol, language)
    assert back.dimension_ids == protocol.dimension_ids
    assert (back.verdict, back.evidence, back.overall) == (protocol.verdict, protocol.evidence, protocol.overall)
    for mine, theirs in zip(back.dimensions, protocol.dimensions, strict=True):
        assert mine.asks == {language: theirs.asks[language]}
        assert mine.name == {language: theirs.name[language]}
    assert back.scales[0].levels == {
        score: {language: text[language]} for score, text in protocol.scales[0].levels.items()
    }
    assert left_out(protocol) == ()


def test_what_a_page_cannot_hold_is_named():
    assert left_out(find_protocol("quality")) == ("scales", "shape", "overall", "categories", "salvage")
    assert left_out(find_protocol("drift-bundle")) == ("shape", "gates", "design")


@pytest.mark.parametrize("protocol_id", ["drift-sample", "drift-bundle", "quality"])
def test_a_protocol_written_in_full_is_the_same_protocol(protocol_id):
    protocol = find_protocol(protocol_id)
    assert parse_protocol(full_text(protocol), "x.yaml", bundled_text).digest == protocol.digest


def test_citing_by_number_survives_the_way_to_markdown_and_back(tmp_path):
    found = find_protocol("drift-sample")
    protocol = msgspec.structs.replace(found, evidence=msgspec.structs.replace(found.evidence, cite="sentences"))
    assert read_back(tmp_path, protocol, "en").evidence == protocol.evidence
