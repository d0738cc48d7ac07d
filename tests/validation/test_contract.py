"""The JSON Schema of every reply contract: valid itself, and of one mind with the checks."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from valid_replies import BUNDLE, DRIFT_BUNDLE, DRIFT_SAMPLE, QUALITY, bundle_reply, quality_reply, sample_reply
from venire.domain.protocol import EvalProtocol
from venire.shapes.check import Checker

VARIANTS = {
    f"{protocol.id} {profile} {scale.id}{' blind' if blind else ''} {category or ''}".strip(): (
        Checker(protocol, profile=profile, scale=scale.id, blind=blind),  # type: ignore[arg-type]
        category,
    )
    for protocol in (DRIFT_SAMPLE, DRIFT_BUNDLE, QUALITY)
    for profile, scale, blind in itertools.product(("contract", "seed"), protocol.scales, (False, True))
    for category in (None, *(each.id for each in protocol.categories))
}


def validator(protocol: EvalProtocol, category: str | None = None, **options: Any) -> Draft202012Validator:
    return Draft202012Validator(Checker(protocol, **options).schema(category))


@pytest.mark.parametrize(("checker", "category"), VARIANTS.values(), ids=VARIANTS.keys())
def test_every_schema_is_a_valid_schema_that_names_its_protocol(checker: Checker, category: str | None) -> None:
    schema = checker.schema(category)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert checker.terms.protocol.digest in schema["$id"]
    assert schema["type"] == "object"


REPLIES = {
    "drift-sample": (DRIFT_SAMPLE, None, sample_reply()),
    "drift-bundle": (DRIFT_BUNDLE, None, bundle_reply()),
    "quality": (QUALITY, "qa_simple", quality_reply()),
}


@pytest.mark.parametrize(("protocol", "category", "reply"), REPLIES.values(), ids=REPLIES.keys())
@pytest.mark.parametrize("profile", ["contract", "seed"])
def test_the_schema_accepts_the_valid_reply(
    protocol: EvalProtocol, category: str | None, reply: dict[str, Any], profile: str
) -> None:
    assert list(validator(protocol, category, profile=profile).iter_errors(reply)) == []


def places(value: Any) -> list[tuple[Any, ...]]:
    """Return the path of every field in a reply."""
    if isinstance(value, dict):
        return [path for key, item in value.items() for path in [(key,), *((key, *rest) for rest in places(item))]]
    return [(0, *rest) for rest in places(value[0])] if isinstance(value, list) and value else []


def holder(reply: Any, path: tuple[Any, ...]) -> Any:
    for key in path[:-1]:
        reply = reply[key]
    return reply


OPTIONAL = {("notes",), ("strengths",), ("weaknesses",)}
MUTATIONS = [
    pytest.param(protocol, category, reply, path, id=f"{name} {'/'.join(map(str, path))}")
    for name, (protocol, category, reply) in REPLIES.items()
    for path in places(reply)
]


@pytest.mark.parametrize(("protocol", "category", "reply", "path"), MUTATIONS)
def test_the_schema_and_the_checks_agree_on_every_field(
    protocol: EvalProtocol, category: str | None, reply: dict[str, Any], path: tuple[Any, ...]
) -> None:
    schema = validator(protocol, category)
    dropped, mistyped, extended = copy.deepcopy(reply), copy.deepcopy(reply), copy.deepcopy(reply)
    del holder(dropped, path)[path[-1]]
    holder(mistyped, path)[path[-1]] = {"not": ["this"]}
    holder(extended, path)["surprise"] = 1
    assert schema.is_valid(dropped) == (path in OPTIONAL)
    assert not schema.is_valid(mistyped)
    assert not schema.is_valid(extended)


def test_the_seed_schema_lets_further_fields_pass() -> None:
    for protocol, category, reply in REPLIES.values():
        assert validator(protocol, category, profile="seed").is_valid({**reply, "surprise": 1})


@pytest.mark.parametrize("score", [3, -1, 1.5, "2", None, True])
def test_the_schema_refuses_scores_off_the_scale(score: Any) -> None:
    reply = sample_reply()
    reply["scores"]["COMPLETENESS"] = score
    assert not validator(DRIFT_SAMPLE).is_valid(reply)


@pytest.mark.parametrize("count", [0, 15, 17])
def test_the_schema_of_a_bundle_wants_one_entry_for_each_file(count: int) -> None:
    reply = bundle_reply()
    reply["per_file_scores"] = (reply["per_file_scores"] * 2)[:count]
    assert not validator(DRIFT_BUNDLE).is_valid(reply)
    assert len(BUNDLE.samples) == 16


@pytest.mark.parametrize(("scale", "score", "accepted"), [("1-5", 5.5, False), ("0-10", 5.5, True), ("1-5", 0, False)])
def test_the_schema_follows_the_judges_own_scale(scale: str, score: float, accepted: bool) -> None:
    assert validator(QUALITY, "qa_simple", scale=scale).is_valid(quality_reply(score, 4, 4)) == accepted


def test_an_overall_alone_follows_the_schema_of_the_ten_point_scale_only() -> None:
    reply = {"overall_score": 4.5, "reasoning": "Good."}
    assert validator(QUALITY, "qa_simple", scale="0-10").is_valid(reply)
    assert not validator(QUALITY, "qa_simple", scale="1-5").is_valid(reply)


def test_a_blind_judge_needs_only_the_handle_by_the_schema_too() -> None:
    reply = {**sample_reply(), "meta": {"output_id": "s-1"}}
    assert validator(DRIFT_SAMPLE, blind=True).is_valid(reply)
    assert not validator(DRIFT_SAMPLE).is_valid(reply)


def test_identifiers_must_not_be_empty_in_the_schema_either() -> None:
    schema = Checker(DRIFT_SAMPLE).schema()
    meta = schema["properties"]["meta"]["properties"]
    assert meta["output_id"] == {"type": "string", "minLength": 1}
    assert meta["judge_model"] == {"type": "string"}
    reply = sample_reply()
    reply["meta"]["output_id"] = ""
    assert not Draft202012Validator(schema).is_valid(reply)
