"""Which column of a table is which field of a vote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from venire.errors import InputError, UsageError
from venire.inputs.tables.columns import assign_fields
from venire.words.said import say

SYNONYMS: dict[str, tuple[str, ...]] = {
    "inference_id": (
        "inference",
        "output_id",
        "item_id",
        "item",
        "sample_id",
        "response_id",
        "unit",
        "输出编号",
        "样本编号",
    ),
    "vote": ("score", "rating", "value", "label", "judgement", "judgment", "投票"),
    "voter_id": (
        "voter",
        "user_id",
        "user",
        "juror_id",
        "juror",
        "annotator_id",
        "annotator",
        "worker_id",
        "rater",
        "投票者",
        "投票人",
    ),
    "vote_time": ("time", "timestamp", "voted_at", "created_at", "datetime", "date_time", "投票时间", "时间"),
    "voter_prompt_id": ("voter_prompt", "prompt_id", "rubric_id", "rubric"),
    "reputation": ("voter_reputation", "weight", "voter_weight"),
    "voter_kind": (),
}
"""The fields of a vote, and the names under which other tools export them."""

REQUIRED = ("inference_id", "vote", "voter_id", "vote_time")
"""The fields without which there is no vote."""


def assign_columns(
    names: Iterable[str], mapping: Mapping[str, str] | None, where: str, required: Iterable[str] = REQUIRED
) -> dict[str, str]:
    """Return the column of each field that a table has.

    A field that the mapping leaves out is looked for under its own name, then under its synonyms; case, blanks and
    hyphens do not matter. Raises `UsageError` for a mapping to nowhere and `InputError` if a required field has no
    column, or several.
    """
    columns = list(names)
    fields = dict(mapping or {})
    _check_mapping(fields, columns, where)
    fields = assign_fields(columns, SYNONYMS, fields, "error.votes.several_columns", where)
    missing = [field for field in required if field not in fields]
    if missing:
        raise InputError(
            "error.votes.no_column",
            where=where,
            fields=tuple(missing),
            columns=tuple(map(repr, columns)) or say("problem.none"),
            first=missing[0],
        )
    return fields


def known_names(mapping: Mapping[str, str] | None) -> list[str]:
    """Return every column name that may hold a field of a vote."""
    names = [*(mapping or {}).values()]
    for field, synonyms in SYNONYMS.items():
        names += [field, *synonyms]
    return list(dict.fromkeys(names))


def _check_mapping(fields: Mapping[str, str], columns: list[str], where: str) -> None:
    unknown = sorted(set(fields) - set(SYNONYMS))
    if unknown:
        raise UsageError("error.votes.no_field", names=tuple(map(repr, unknown)), fields=tuple(SYNONYMS))
    absent = sorted(name for name in fields.values() if name not in columns)
    if absent:
        raise UsageError(
            "error.votes.absent_columns",
            where=where,
            expected=tuple(map(repr, absent)),
            found=tuple(map(repr, columns)) or say("problem.none"),
        )
