from __future__ import annotations

import json

from venire.domain.sample import Sample
from venire.protocols.catalogue import find_protocol
from venire.server.pages.reply_form import WHOLE, findings_by_dimension
from venire.server.pages.words import PageWords
from venire.shapes.check import Checker

PROTOCOL = find_protocol("drift-sample")


def said(reply: object, language: str = "en") -> dict[str, tuple[str, ...]]:
    judgement = Checker(PROTOCOL, blind=True).check(json.dumps(reply), Sample("o", "Plain words."), handle="item-1")
    return dict(findings_by_dimension(judgement, PROTOCOL.dimension_ids, PageWords(language)))


def reply(quotes: dict[str, str]) -> dict[str, object]:
    return {
        "meta": {"output_id": "item-1"},
        "scores": dict.fromkeys(PROTOCOL.dimension_ids, 2) | {"overall_score": 8},
        "verdict": "PASS",
        "flags": [],
        "evidence": [{"dimension": name, "quote": quote, "reason": "so"} for name, quote in quotes.items()],
    }


def test_each_finding_stands_by_its_dimension() -> None:
    quotes = dict.fromkeys(PROTOCOL.dimension_ids, "Plain words.")
    del quotes["COMPLETENESS"]
    found = said(reply({**quotes, "SEMANTIC_FIDELITY": "Other words."}))
    assert set(found) == {"COMPLETENESS", "SEMANTIC_FIDELITY"}
    assert "at least one quote" in found["COMPLETENESS"][0]
    assert "word for word" in found["SEMANTIC_FIDELITY"][0]


def test_a_missing_score_stands_by_its_dimension_in_the_jurors_language() -> None:
    given = reply(dict.fromkeys(PROTOCOL.dimension_ids, "Plain words."))
    given["scores"] = dict.fromkeys(PROTOCOL.dimension_ids[1:], 2) | {"overall_score": 6}
    given["verdict"] = "PARTIAL"
    assert said(given, "zh") == {"FORMAT_COMPLIANCE": ("每个维度都必须有分数。",)}


def test_what_is_about_no_dimension_stands_before_all() -> None:
    given = reply(dict.fromkeys(PROTOCOL.dimension_ids, "Plain words."))
    given["verdict"] = "FAIL"
    assert list(said(given)) == [WHOLE]


def test_a_valid_judgement_has_nothing_said_of_it() -> None:
    assert said(reply(dict.fromkeys(PROTOCOL.dimension_ids, "Plain words."))) == {}
