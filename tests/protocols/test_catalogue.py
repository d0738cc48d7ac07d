"""The bundled protocols are frozen: what is asked of a judge does not change unnoticed."""

from __future__ import annotations

import pytest

from venire.protocols.catalogue import bundled_ids, find_protocol

# A change here makes another protocol: judgements made under the old one are never pooled with new ones.
FROZEN = {
    "drift-sample": "60412af280a66e0b305318f33772d27e732ac610749083cf92383080729f5040",
    "drift-bundle": "d50a4c7b3c00f25589de3e66663e45059a667a5d79e7c243fe63d0e1ef222735",
    "quality": "e76ad65c653f5dfe64559e96e1f0d8c73d0b809e569e507a0ccd504607381163",
    "preference": "28ddfaa822249b0190e89279e24f4d998a80cc5a9110a3a4fc09bc25b22ed7a1",
    "grounded": "ed42d39aba0b499c3d42a8b406d09c6606aa5701cfc9277a092dd50b89bcb979",
    "answer": "3c87dadf80a630564727f3029acf53681a4b3f565209697593d39d21b3b4306a",
    "conversation": "8fa13645f13ec53e812d751c01123c0aef00c6c15ab067b9c9563449d3c87b82",
    "agent": "e1a4b562268a715bf15e08de7239c750e576de944d4df754a63dd9ae7f130b0a",
}


@pytest.mark.parametrize("protocol_id", bundled_ids())
def test_a_bundled_protocol_has_the_digest_it_was_published_with(protocol_id: str) -> None:
    assert find_protocol(protocol_id).digest == FROZEN[protocol_id]


def test_a_bundled_protocol_is_read_once() -> None:
    assert find_protocol("quality") is find_protocol("quality")


def test_the_sample_protocol_has_the_dimensions_and_thresholds_of_its_source() -> None:
    protocol = find_protocol("drift-sample")
    assert protocol.dimension_ids == (
        "FORMAT_COMPLIANCE",
        "INSTRUCTION_COMPLIANCE",
        "SEMANTIC_FIDELITY",
        "COMPLETENESS",
    )
    assert protocol.verdict is not None
    assert (protocol.verdict.fail_at_most, protocol.verdict.pass_at_least) == (3, 7)
    scale = protocol.scale()
    assert (scale.minimum, scale.maximum, scale.integer) == (0, 2, True)
    assert (protocol.overall.field, protocol.evidence.required) == ("overall_score", "every_dimension")


def test_the_bundle_protocol_has_the_dimensions_and_the_sixteen_files_of_its_source() -> None:
    protocol = find_protocol("drift-bundle")
    assert protocol.dimension_ids == (
        "A_structure",
        "B_snapshot_constraint",
        "C_actionability",
        "D_completeness",
        "E_drift_failure",
    )
    assert protocol.design is not None
    labels = [cell.label for cell in protocol.design.cells]
    assert len(set(labels)) == 16
    assert {"q3 baseline explicit.pdf", "q4 conflict implicit.pdf"} <= set(labels)
    assert protocol.design.aggregate_tolerance == 0.005
    assert [gate.dimension for gate in protocol.gates] == ["A_structure"]
    assert not protocol.evidence.allow_ellipsis
    for section in ("[事实快照]", "[ChatGPT 联网搜索指令]", "[Gemini 深度挖掘指令]"):
        assert all(section in words for words in protocol.instructions.values())
