"""Protocol files: every mistake is refused with the file, the line and a way out; extending changes what it names."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from venire.domain.protocol import EvalProtocol
from venire.errors import ProtocolError
from venire.protocols.catalogue import bundled_ids, bundled_text, find_protocol
from venire.protocols.load import load_protocol, parse_protocol

FILE = "mine.yaml"


def parse(text: str | bytes) -> EvalProtocol:
    return parse_protocol(text if isinstance(text, bytes) else text.encode(), FILE, bundled_text)


def bundled(protocol_id: str, change: Callable[[dict[str, Any]], None]) -> str:
    """Return the text of a bundled protocol after a change."""
    value = copy.deepcopy(yaml.safe_load(bundled_text(protocol_id)))
    change(value)
    return yaml.safe_dump(value, allow_unicode=True, sort_keys=False)


def refused(text: str | bytes) -> ProtocolError:
    """Return the error, which must tell where and what to do."""
    with pytest.raises(ProtocolError) as caught:
        parse(text)
    file, _, line = caught.value.where.rpartition(":")
    assert file == FILE
    assert int(line) >= 1
    assert caught.value.hint
    return caught.value


def line_of(text: str, words: str) -> str:
    """Return the place of the only line that has these words."""
    (number,) = [number for number, line in enumerate(text.splitlines(), 1) if words in line]
    return f"{FILE}:{number}"


def put(*path: Any) -> Callable[[dict[str, Any]], None]:
    *parents, key, value = path

    def change(protocol: Any) -> None:
        for parent in parents:
            protocol = protocol[parent]
        protocol[key] = value

    return change


def drop(*path: Any) -> Callable[[dict[str, Any]], None]:
    *parents, key = path

    def change(protocol: Any) -> None:
        for parent in parents:
            protocol = protocol[parent]
        del protocol[key]

    return change


# The protocol, a change that spoils it, and what the error says.
MISTAKES: list[tuple[str, Callable[[dict[str, Any]], None], str]] = [
    ("drift-sample", put("colour", "red"), "unknown key 'colour'"),
    ("drift-sample", put("dimensions", 1, "weight", 2), "unknown key 'weight', at dimensions.1.weight"),
    ("drift-sample", put("overall", "round", 1), "unknown key 'round'"),
    ("drift-sample", drop("scales"), "the key 'scales' is missing"),
    ("drift-sample", drop("dimensions", 0, "asks"), "the key 'asks' is missing"),
    ("drift-sample", put("version", 1), "expected text, found a whole number"),
    ("drift-sample", put("shape", "circle"), "there is no shape 'circle'"),
    ("drift-sample", put("scales", []), "at least one scale"),
    ("drift-sample", put("dimensions", []), "at least one dimension"),
    ("drift-sample", put("scales", 0, "levels", {}), "scale '0-2' has no levels"),
    ("drift-sample", put("scales", 0, "levels", "3", {"en": "x", "zh": "x"}), "level '3' is not on scale"),
    ("drift-sample", put("scales", 0, "levels", "high", {"en": "x", "zh": "x"}), "level 'high' is not on scale"),
    ("drift-sample", put("scales", 0, "minimum", 2), "goes from 2 to 2"),
    ("drift-sample", put("scales", 0, "maximum", float("inf")), "numbers must be finite"),
    ("drift-sample", put("scales", 0, "minimum", float("nan")), "numbers must be finite"),
    ("drift-sample", put("dimensions", 1, "id", "FORMAT_COMPLIANCE"), "duplicate id 'FORMAT_COMPLIANCE' in dimensions"),
    ("quality", put("scales", 1, "id", "1-5"), "duplicate id '1-5' in scales"),
    ("quality", put("categories", 1, "id", "qa_simple"), "duplicate id 'qa_simple' in categories"),
    ("drift-sample", drop("dimensions", 2, "asks", "zh"), "there is no 'zh' text at dimensions.2.asks"),
    ("drift-sample", put("dimensions", 2, "name", "en", "  "), "there is no 'en' text at dimensions.2.name"),
    ("drift-sample", put("title", {}), "the title is empty"),
    ("drift-sample", put("verdict", {"fail_at_most": 7, "pass_at_least": 7}), "fail_at_most must be below"),
    ("drift-bundle", put("gates", 0, "dimension", "F_style"), "unknown dimension 'F_style'"),
    ("quality", put("categories", 0, "weights", {"style": 1.0}), "weighs the unknown dimension 'style'"),
    ("quality", put("categories", 0, "weights", "clarity", 0.31), "sum to 1.01, not to 1"),
    ("quality", put("categories", 0, "weights", {"accuracy": 1.5, "clarity": -0.5}), "a weight that is not above 0"),
    ("quality", put("overall", "rule", "sum"), "a weighted overall score needs categories"),
    ("quality", drop("categories"), "a weighted overall score needs categories"),
    ("quality", put("dimensions", 0, "levels", "11", {"en": "x", "zh": "x"}), "is on none of the scales"),
    ("drift-sample", put("overall", "field", "COMPLETENESS"), "the name of a dimension"),
    ("drift-bundle", put("design", "file_pattern", "{question} {version}.pdf"), "the factors are"),
    ("drift-bundle", put("design", "file_pattern", "{question} {version} {trigger} {x}"), "the factors are"),
    ("drift-bundle", put("design", "file_pattern", "{question} {version} {trigger} {"), "the factors are"),
    ("drift-bundle", put("design", "file_pattern", "{question!r} {version} {trigger}"), "the factors are"),
    ("drift-bundle", put("design", "factors", "trigger", []), "no files, or two whose names differ only"),
    ("drift-bundle", put("design", "factors", "trigger", ["x y", "X_Y"]), "no files, or two whose names differ only"),
    ("drift-bundle", put("design", "variant_factor", "colour"), "unknown factor 'colour'"),
    ("drift-bundle", put("design", "summaries", "by_colour", "colour"), "unknown factor 'colour'"),
    ("drift-bundle", drop("design"), "`bundle` and `design:` go together"),
    ("drift-bundle", put("shape", "sample"), "`bundle` and `design:` go together"),
    ("drift-bundle", put("verdict", {"fail_at_most": 3, "pass_at_least": 7}), "`verdict:` has no effect"),
    ("drift-bundle", put("salvage", True), "`salvage:` has no effect"),
    ("drift-bundle", put("materials", {"shown": ["document"]}), "`materials:` has no effect"),
    ("drift-sample", put("materials", {"shown": []}), "no kind of material is shown"),
    ("drift-sample", put("materials", {"shown": ["turn"], "quoted": ["document"]}), "`quoted:` names 'document'"),
    ("drift-sample", put("materials", {"shown": ["turn"], "must_have": ["document"]}), "`must_have:` names 'document'"),
    ("drift-sample", put("materials", {"shown": ["turn"], "must_quote": ["turn"]}), "`must_quote:` names 'turn'"),
    ("drift-sample", put("materials", {"shown": ["page"]}), "'page' is not"),
    ("quality", put("materials", {"shown": ["turn"], "quoted": ["turn"]}), "hold no quotes"),
    ("quality", put("gates", [{"dimension": "accuracy"}]), "`gates:` has no effect"),
    ("drift-sample", put("id", " "), "the id of the protocol is empty"),
    ("drift-sample", put("dimensions", 0, "id", ""), "an id in dimensions is empty"),
    ("drift-sample", put("overall", "tolerance", -0.1), "a tolerance cannot be below 0"),
    ("drift-bundle", put("design", "aggregate_tolerance", -0.005), "a tolerance cannot be below 0"),
    ("drift-sample", put("verdict", "pass_at_least", 9), "pass_at_least is 9, but the highest sum is 8"),
    ("drift-sample", put("scales", 0, "maximum", 2.5), "of integers goes from 0 to 2.5"),
    ("drift-sample", put("scales", 0, "maximum", 1e9), "of integers goes from 0 to 1000000000"),
    ("drift-bundle", put("design", "factors", "trigger", [f"t{n}" for n in range(2_000)]), "has 16,000 files"),
]


@pytest.mark.parametrize(("protocol_id", "change", "message"), MISTAKES)
def test_a_mistake_is_refused_with_a_place_and_a_way_out(
    protocol_id: str, change: Callable[[dict[str, Any]], None], message: str
) -> None:
    assert message in refused(bundled(protocol_id, change)).message


def test_everything_wrong_is_told_at_once_in_the_order_of_the_lines() -> None:
    text = (
        "id: a\nextends: drift-sample\nverdic: {}\nversion: 2\n"
        "scales:\n- id: 0-2\n  integr: true\ndimensions:\n- id: NEW\n"
    )
    error = refused(text)
    told = [(each.where.rpartition(":")[2], str(each.message), str(each.hint)) for each in (error, *error.further)]
    assert [line for line, *_ in told] == ["3", "4", "7", "9", "9"]
    assert told[0][1:] == ("unknown key 'verdic', at verdic", told[0][2])
    assert "Did you mean `verdict:`?" in told[0][2]
    assert told[1][2] == 'For example: `version: "…"`'
    assert "Did you mean `integer:`?" in told[2][2]
    assert told[3][1] == "the key 'name' is missing, at dimensions.4"
    assert told[3][2] == 'For example: `name: {en: "…"}`'


def test_the_line_of_a_mistake_is_the_line_it_stands_on() -> None:
    text = bundled("drift-sample", put("dimensions", 2, "weight", 7))
    assert refused(text).where == line_of(text, "weight: 7")
    text = bundled("quality", put("categories", 3, "weights", {"clarity": 0.75}))
    assert refused(text).where == line_of(text, "clarity: 0.75")


BROKEN_FILES = {
    "empty": ("", "the file is empty", 1),
    "only a comment": ("# later\n", "the file is empty", 1),
    "a list": ("- a\n- b\n", "expected a mapping", 1),
    "words": ("just words", "expected a mapping", 1),
    "a duplicate key": ("id: a\nversion: '1'\nid: b\n", "duplicate key 'id'", 3),
    "a duplicate key within": ("title:\n  en: a\n  en: b\n", "duplicate key 'en'", 3),
    "an alias of a mapping": ("title: &t\n  en: a\nsource: *t\n", "aliases are not allowed", 1),
    "an alias of a word": ("id: &t a\nversion: *t\n", "aliases are not allowed", 1),
    "not YAML": ("id: a\ntitle: {en: 'x'\nshape: [\n", "not YAML", 3),
    "a tab": ("id: a\n\tversion: 1\n", "not YAML", 2),
    "two documents": ("id: a\n---\nid: b\n", "not YAML", 2),
    "a tag": ("id: a\nversion: !!python/object:os.system x\n", "not YAML", 2),
    "a date in month 13": ("id: a\nversion: 2026-13-01\n", "not a value", 2),
    "a key that is a list": ("? [a, b]\n: c\n", "a key must be plain text", 1),
    "an unknown anchor": ("id: *nothing\n", "not YAML", 1),
}


@pytest.mark.parametrize(("text", "message", "line"), BROKEN_FILES.values(), ids=BROKEN_FILES.keys())
def test_a_broken_file_is_refused_at_its_line(text: str, message: str, line: int) -> None:
    error = refused(text)
    assert message in error.message
    assert error.where == f"{FILE}:{line}"


def test_bytes_that_are_no_text_are_refused() -> None:
    assert "not YAML" in refused(b"id: \xff\xfe\x00").message
    assert "not YAML" in refused(b"id: a\x00b").message


def test_nesting_without_end_is_refused() -> None:
    assert "nested too deeply" in refused("[" * 20_000).message


def test_a_file_that_cannot_be_read_is_refused_with_its_path(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.yaml", tmp_path):
        with pytest.raises(ProtocolError, match="cannot be read") as caught:
            load_protocol(path, bundled_text)
        assert caught.value.where == str(path)
        assert caught.value.hint


def test_a_protocol_file_of_ones_own_loads_like_a_bundled_one(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(bundled_text("quality"))
    assert find_protocol(str(path)).digest == find_protocol("quality").digest


def test_the_words_and_the_order_of_keys_in_a_file_make_no_other_protocol() -> None:
    value = yaml.safe_load(bundled_text("drift-sample"))
    text = yaml.safe_dump(dict(reversed(value.items())), allow_unicode=True, sort_keys=False)
    assert parse(text).digest == find_protocol("drift-sample").digest


def test_an_unknown_id_suggests_the_one_that_was_meant() -> None:
    with pytest.raises(ProtocolError, match="there is no protocol 'drift-smaple'") as caught:
        find_protocol("drift-smaple")
    assert "Did you mean 'drift-sample'?" in caught.value.hint


# ---- extending


def test_extending_changes_the_thresholds_and_nothing_else() -> None:
    base = find_protocol("drift-sample")
    mine = parse("extends: drift-sample\nid: strict\nverdict: {pass_at_least: 8}\n")
    assert mine.verdict is not None
    assert base.verdict is not None
    assert (mine.verdict.fail_at_most, mine.verdict.pass_at_least) == (base.verdict.fail_at_most, 8)
    assert mine.dimensions == base.dimensions
    assert mine.instructions == base.instructions
    assert mine.digest != base.digest


def test_extending_changes_one_text_of_one_dimension() -> None:
    base = find_protocol("drift-sample")
    mine = parse("extends: drift-sample\nid: other\ndimensions:\n- id: COMPLETENESS\n  asks: {en: Is all there}\n")
    assert mine.dimension_ids == base.dimension_ids
    assert mine.dimensions[:3] == base.dimensions[:3]
    assert mine.dimensions[3].asks == {"en": "Is all there", "zh": base.dimensions[3].asks["zh"]}
    assert mine.digest != base.digest


def test_only_another_id_makes_another_digest() -> None:
    assert parse("extends: drift-sample\nid: copy\n").digest != find_protocol("drift-sample").digest


def test_extending_may_add_a_dimension_and_take_a_part_away() -> None:
    mine = parse(
        "extends: drift-sample\nid: more\nverdict: null\ndimensions:\n"
        "- id: STYLE\n  name: {en: Style, zh: 文风}\n  asks: {en: Is it well put, zh: 文笔如何}\n"
    )
    assert mine.dimension_ids[-1] == "STYLE"
    assert mine.verdict is None


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("extends: drift-sample\n", "has the other's id", 1),
        ("extends: drift-sample\nid: drift-sample\n", "has the other's id", 1),
        ("id: a\nextends: nothing\n", "there is no protocol 'nothing'", 2),
        ("id: a\nextends: [x]\n", "there is no protocol", 2),
        ("id: a\nextends: drift-sample\nverdict:\n  pass: 8\n", "unknown key 'pass'", 4),
        ("id: a\nextends: quality\ndimensions:\n- id: clarity\n  weight: 2\n", "unknown key 'weight'", 5),
        ("id: a\nextends: quality\ndimensions:\n- id: clarity\n  asks:\n    zh: ''\n", "there is no 'zh' text", 6),
        ("id: a\nextends: quality\ncategories:\n- id: multi_turn\n  weights:\n    relevance: 0.5\n", "sum to 1.2", 6),
        ("id: a\nextends: quality\ndimensions:\n- id: [x]\n", "at dimensions", 4),
        ("id: a\nextends: quality\ndimensions:\n- id: clarity\n- id: clarity\n", "duplicate id 'clarity'", 5),
        ("id: a\nextends: drift-sample\ndimensions:\n- id: NEW\n  name: {en: x, zh: x}\n", "is missing", 4),
        ("id: a\nextends: drift-sample\nscales: 5\n", "expected a list", 3),
    ],
)
def test_a_mistake_in_an_extension_is_found_at_its_own_line(text: str, message: str, line: int) -> None:
    error = refused(text)
    assert message in error.message
    assert error.where == f"{FILE}:{line}"


@pytest.mark.parametrize("protocol_id", bundled_ids())
def test_every_bundled_protocol_speaks_both_languages(protocol_id: str) -> None:
    assert sorted(find_protocol(protocol_id).title) == ["en", "zh"]


def test_a_file_cannot_be_extended_and_the_error_says_so() -> None:
    with pytest.raises(ProtocolError, match=r"(?s)no protocol './mine.yaml'.*Only bundled protocols can be extended"):
        parse("id: a\nextends: ./mine.yaml\n")


def test_a_file_without_keys_of_later_versions_keeps_the_digest_it_always_had():
    text = """
id: short
version: "1"
title: {en: Short}
source: {en: Written for this test}
shape: sample
instructions: {en: Judge the output.}
scales:
  - {id: 0-2, minimum: 0, maximum: 2, integer: true, levels: {"2": {en: good}, "1": {en: fair}, "0": {en: bad}}}
dimensions:
  - {id: CLARITY, name: {en: Clarity}, asks: {en: "Is it clear?"}}
overall: {field: overall_score, rule: sum}
evidence: {required: none}
"""
    assert parse(text).digest == "58fea45622591f24a7b95a805bf62247bee366496d1beb604905a54a2dc95171"


def test_bands_that_leave_out_the_lowest_scores_are_refused():
    def without_the_lowest(value: dict[str, Any]) -> None:
        del value["scales"][1]["levels"]["0"]

    assert "no band of scale '0-10' begins at its minimum, 0" in refused(bundled("quality", without_the_lowest)).message


def eight(change: Callable[[dict[str, Any]], None] = lambda _: None) -> str:
    """Return a protocol of eight dimensions that are mapped onto four, two for each, after a change."""

    def refine(value: dict[str, Any]) -> None:
        four = value["dimensions"]
        value["id"] = "drift-eight"
        del value["verdict"]
        value["dimensions"] = [
            {**copy.deepcopy(each), "id": f"{each['id']}_{number}"} for each in four for number in (1, 2)
        ]
        table = {each["id"]: [f"{each['id']}_1", f"{each['id']}_2"] for each in four}
        value["mapping"] = {"onto": "drift-sample", "dimensions": table}
        change(value)

    return bundled("drift-sample", refine)


def test_a_finer_rubric_is_mapped_onto_a_coarser_one_under_its_own_digest() -> None:
    protocol, other = parse(eight()), parse(eight(lambda value: value["mapping"].update(rule="mean")))
    assert protocol.mapping is not None
    assert (protocol.mapping.onto.id, protocol.mapping.rule) == ("drift-sample", "lowest")
    assert protocol.mapping.onto.digest == find_protocol("drift-sample").digest
    assert len({protocol.digest, other.digest, find_protocol("drift-sample").digest}) == 3


def _use_twice(value: dict[str, Any]) -> None:
    value["mapping"]["dimensions"]["COMPLETENESS"].append("FORMAT_COMPLIANCE_1")


MAPPING_MISTAKES: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda value: value["mapping"].update(onto="drift-simple"), "there is no protocol 'drift-simple'"),
    (lambda value: value["mapping"].update(onto="quality"), "'quality' weighs its dimensions by category"),
    (lambda value: value["mapping"]["dimensions"].pop("COMPLETENESS"), "the mapping gives FORMAT_COMPLIANCE, "),
    (lambda value: value["mapping"]["dimensions"].update(COMPLETENESS=[]), "the mapping uses FORMAT_COMPLIANCE_1, "),
    (_use_twice, "the mapping uses FORMAT_COMPLIANCE_1, "),
    (lambda value: value["scales"][0].update(maximum=3), "scale '0-2' goes from 0 to 3"),
]


@pytest.mark.parametrize(("change", "message"), MAPPING_MISTAKES)
def test_a_mapping_that_does_not_fit_is_refused(change: Callable[[dict[str, Any]], Any], message: str) -> None:
    assert refused(eight(change)).message.startswith(message)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda value: value["dimensions"].append({**copy.deepcopy(value["dimensions"][0]), "id": "b"}),
            "2 dimensions",
        ),
        (lambda value: value["scales"][0].update(integer=True), "whole numbers"),
        (lambda value: value.pop("materials"), "materials"),
        (lambda value: value["evidence"].update(required="none"), "quotes"),
    ],
)
def test_a_protocol_of_claims_needs_what_makes_the_share_a_score(change, words) -> None:
    assert words in refused(bundled("grounded", change)).message


def test_sentences_can_only_be_cited_in_replies_that_have_quotes() -> None:
    assert "cite" in refused(bundled("quality", lambda value: value["evidence"].update(cite="sentences"))).message
    cited = parse("extends: grounded\nid: mine\nevidence: {cite: sentences}\n")
    assert cited.evidence.cite == "sentences"
    assert cited.digest != find_protocol("grounded").digest
