"""Reads a table of scores that a user brings into the evidence of a report."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from venire.domain.canonical import sha256_hex
from venire.domain.judge import JudgeIdentity
from venire.domain.judgement import Method
from venire.domain.label import Label
from venire.errors import InputError, UsageError
from venire.inputs.tables.record import fold_column
from venire.inputs.tables.rows import TABLE_ENDINGS, read_rows
from venire.reports.evidence import ReportEvidence
from venire.reports.recorded.outputs_read import ShownPair
from venire.reports.report import Choices, Origin
from venire.stats.ratings.columns import NAMES, NUMBERS, WHOLE_NUMBERS
from venire.stats.ratings.derived_overall import OVERALL_RULES, gives_overall
from venire.stats.ratings.table import RatingsTable
from venire.workflows.evidence.primary_ratings import choose_primary
from venire.workflows.evidence.table_names import add_missing_names, can_name_outputs
from venire.workflows.evidence.table_verdicts import (
    LABEL_NAMES,
    ORDER_NAMES,
    PAIR_NAMES,
    VERDICT_NAMES,
    are_words,
    compared_outputs,
    winner,
)

_OTHER_NAMES = {
    "unit": ("output_id", "sample", "sample_id", "item", "inference_id", "id", "编号", "样本编号", "样本"),
    "rater": ("judge", "judge_model", "judge_name", "annotator", "voter_id", "评审", "评委", "标注者"),
    "score": ("rating", "value", "vote", "overall_score", "分数", "得分", "评分", "总分"),
    "target_model": ("model", "system", "模型", "被评模型"),
    "question_id": ("question", "prompt_id", "题目", "题号", "问题"),
    "prompt_variant": ("variant", "version", "变体", "提示词变体"),
    "rater_version": ("judge_version", "version_of_the_judge", "annotator_version", "judge_digest"),
    "prompt_version": ("judge_prompt_version", "judge_prompt", "judge_prompt_digest"),
    "protocol": ("protocol_version", "protocol_digest", "rubric_version", "rubric"),
    "dimension": ("维度",),
}
"""Under which other names columns are recognised, if no column has the field's own; spelling does not matter."""

_WIDE = "dimensions"
"""What --column calls the columns of a table that has one for each dimension."""
_CALLED = {"unit": "output_id", "rater": "judge"}
"""What users know fields as that have another name here."""

_NO_COLUMN = "COLUMN"
"""What a hint says where no column of the table could hold a field."""

_ROWS_AT_ONCE = 4096
_TEXTS = {str, type(None)}
_REQUIRED = ("unit", "rater")
_FURTHER = ("verdict", "overall", "minimum", "maximum", "weight", "repeat", "status")

_ASKING = ("unit", "rater", "rater_version", "prompt_version", "protocol", "profile", "repeat")
_FIELDS = (*NAMES, *NUMBERS, *WHOLE_NUMBERS, "judgement")


def is_table(source: str | Path) -> bool:
    """Tell whether a source is a table of scores by its ending."""
    return str(source).lower().endswith(TABLE_ENDINGS)


def read_table(path: Path, choices: Choices) -> tuple[ReportEvidence, Origin]:
    """Read a table with a row for each unit, judge and, where there are several, dimension.

    Columns that are no field of a rating are factors if they were asked for, else notes. Raises `InputError` for a
    table without scores, or whose outputs or judges cannot be told.
    """
    text = _one_row_a_dimension(_read_columns(path), choices.columns.get(_WIDE, ""), str(path))
    import polars as pl

    present = list(text)
    columns = _columns(text, choices, str(path))
    assumed_judge = add_missing_names(text, columns, str(path))
    if columns.get("verdict") == "score":  # words where numbers are expected
        text["verdict"] = text.pop(columns.pop("verdict"))
    if columns.get("score") == "overall":  # not a second number beside the score
        text["score"] = text.pop(columns.pop("score"))
    outputs: dict[str, str] = {}
    pairs: tuple[ShownPair, ...] = ()
    sides: dict[str, tuple[str, str]] = {}
    if {*ORDER_NAMES} <= {*columns} and {"verdict"} & {*columns, *text}:
        labels = text.get(columns.get("label", ""))
        compared = compared_outputs(text, columns)
        if labels is not None:
            order = zip(text[columns["first"]], text[columns["second"]], strict=True)
            text[columns["label"]] = [winner(label, *pair) for label, pair in zip(labels, order, strict=True)]
        columns.pop("unit", None)  # it may be the question's column too, which stays as it is
        text["unit"] = compared.units
        text[columns.get("verdict", "verdict")] = compared.winners
        outputs, pairs, sides = compared.outputs, compared.pairs, compared.sides
    used = {*columns.values(), *_FIELDS}
    others = [name for name in present if name not in used]
    factors = [name for name in others if name in choices.factors]
    notes = [name for name in others if name not in factors]
    low, high = choices.scale or (None, None)
    _keep_models_apart(text, columns)
    if "method" not in columns and "method" not in text:
        text["method"] = _methods(text, columns)
    if "judgement" not in columns and "judgement" not in text:
        text["judgement"] = _judgement_keys(text, columns)
    frame = pl.DataFrame(text, schema=dict.fromkeys(text, pl.String))
    try:
        table = RatingsTable.from_frame(
            frame,
            columns=columns,
            factors=factors,
            notes=notes,
            sliced_by=choices.sliced_by,
            minimum=low,
            maximum=high,
            overall=choices.overall,
        )
    except InputError as error:
        hint = "error.table.are_votes.hint" if {"vote", "voter_id", "vote_time"} <= set(present) else error.hint
        raise InputError(error.message, where=str(path), hint=hint) from None
    chosen, primary, rescaled = choose_primary(table, choices)
    outputs = outputs or {unit: unit for unit in table.frame["unit"].unique(maintain_order=True).cast(str)}
    given = not ({"dimension"} & {*columns, *text}) or {"overall"} & {*columns, *text} or gives_overall(table.frame)
    evidence = ReportEvidence(
        table=chosen,
        primary=primary,
        choices=choices,
        is_table=True,
        outputs=outputs,
        pairs=pairs,
        sides=sides,
        labels=_labels_in(text, columns, outputs),
        derived_overall="" if given else choices.overall or OVERALL_RULES[0],
        assumed_judge=assumed_judge,
        rescaled=rescaled,
    )
    return evidence, Origin(kind="table", name=path.name, digest=sha256_hex(path.read_bytes()))


def _read_columns(path: Path) -> dict[str, Sequence[str | None]]:
    """Read a table column by column; a text that stands in many rows is held once."""
    columns: dict[str, list[str | None]] = {}
    held: dict[str | None, str | None] = {None: None, "": None}
    count, rows = 0, read_rows(path)
    while some := [row.values for row in itertools.islice(rows, _ROWS_AT_ONCE)]:
        names = [*columns] if count else [*some[0]]
        if any([*values] != names for values in some):  # Rows of JSON may have columns of their own.
            names = [*dict.fromkeys(itertools.chain(names, *some))]
            some = [{name: values.get(name) for name in names} for values in some]
        for name, found in zip(names, zip(*(values.values() for values in some), strict=True), strict=True):
            column = columns.setdefault(name, [None] * count)
            are_texts = {*map(type, found)} <= _TEXTS
            texts = found if are_texts else [value if value is None else str(value) for value in found]
            column.extend(map(held.setdefault, texts, texts))
        count += len(some)
    if not count:
        raise InputError("error.table.no_rows", where=str(path))
    return dict(columns)


def _labels_in(
    text: Mapping[str, Sequence[str | None]], columns: Mapping[str, str], outputs: Mapping[str, str]
) -> tuple[Label, ...]:
    """Return people's verdicts that stand beside the judges'; the same one on many rows is one label."""
    if "label" not in columns:
        return ()
    rows = zip(text[columns.get("unit", "unit")], text[columns["label"]], strict=True)
    said = dict.fromkeys((outputs.get(unit or "", unit or ""), label) for unit, label in rows if unit and label)
    return tuple(Label(output_id=output, verdict=label) for output, label in said)


def _keep_models_apart(text: dict[str, Sequence[str | None]], columns: Mapping[str, str]) -> None:
    """Put the model before names of outputs that several models share, such as `q3 baseline.pdf` in many folders."""
    unit, model = columns.get("unit", "unit"), columns.get("target_model", "target_model")
    pairs = list(zip(text[unit], text.get(model, [None] * len(text[unit])), strict=True))
    if len(set(pairs)) > len({name for name, _ in pairs}):
        text[unit] = [f"{owner}/{name}" if name and owner else name for name, owner in pairs]


def _methods(text: Mapping[str, Sequence[str | None]], columns: Mapping[str, str]) -> list[str | None]:
    """Mark the rows in which a judge judges itself, by its own name or its model's; of others it is not known."""
    raters = text[columns.get("rater", "rater")]
    nothing = [None] * len(raters)
    models = text.get("judge_model", nothing)
    targets = text.get(columns.get("target_model", "target_model"), nothing)

    @cache
    def method(rater: str | None, model: str | None, target: str | None) -> str | None:
        own = JudgeIdentity(rater or "", model or "").is_judging_itself(target or "")
        return Method.SELF_JUDGE.value if own else None

    return [method(*row) for row in zip(raters, models, targets, strict=True)]


def _one_row_a_dimension(
    text: dict[str, Sequence[str | None]], wide: str, where: str
) -> dict[str, Sequence[str | None]]:
    """Turn a table with a column for each dimension into one with a row for each."""
    dimensions = [name.strip() for name in wide.split(",") if name.strip()]
    if not dimensions:
        return text
    if missing := [name for name in dimensions if name not in text]:
        raise InputError("error.table.no_such_column", where=where, column=missing[0], columns=tuple(map(repr, text)))
    if taken := {"dimension", "score"} & {*text}:
        column = min(taken)
        raise InputError("error.table.not_wide", where=where, column=column)
    rows = range(len(text[dimensions[0]]))
    others = {
        name: [column[row] for row in rows for _ in dimensions]
        for name, column in text.items()
        if name not in dimensions
    }
    scores = [text[name][row] for row in rows for name in dimensions]
    return {**others, "dimension": dimensions * len(rows), "score": scores}


def _judgement_keys(text: Mapping[str, Sequence[str | None]], columns: Mapping[str, str]) -> list[str]:
    """Name each judgement after its first row, so that its dimensions stay together and it is found again."""
    named = [columns.get(field, field) for field in _ASKING]
    parts = [text[name] for name in named if name in text]
    first: dict[tuple[str | None, ...], str] = {}
    return [first.setdefault(key, f"row {place}") for place, key in enumerate(zip(*parts, strict=True), start=1)]


def _columns(text: Mapping[str, Sequence[str | None]], choices: Choices, where: str) -> dict[str, str]:
    """Return the column of each field that is not called as the field; raises `InputError` for one that is missing."""
    columns, found = tuple(map(repr, text)), {}
    for named, column in choices.columns.items():
        if named == _WIDE:
            continue
        field = next((field for field, others in _OTHER_NAMES.items() if fold_column(named) in others), named)
        if field not in (*_FIELDS, *ORDER_NAMES, "label"):
            fields = tuple(_CALLED.get(name, name) for name in (*_OTHER_NAMES, *_FURTHER))
            raise UsageError("error.table.no_rating_field", name=named, fields=fields)
        if column not in text:
            raise InputError("error.table.no_such_column", where=where, column=column, columns=columns)
        found[field] = column
    folded = {fold_column(name): name for name in reversed(list(text)) if name not in found.values()}
    for field in _FIELDS:
        if field not in found and field not in text:
            candidates = [folded[name] for name in (field, *_OTHER_NAMES.get(field, ())) if name in folded]
            if candidates:
                found[field] = candidates[0]
    if not {"score", "dimension"} & {*found, *text} and "overall" in {*found, *text}:
        found["score"] = found.pop("overall", "overall")  # Without dimensions, a score is the overall score.
    _find_verdicts(found, folded, text)
    absent = [field for field in _REQUIRED if field not in found and field not in text]
    absent += [] if {"score", "verdict"} & {*found, *text} else ["score"]
    if {*ORDER_NAMES} <= {*found} and "rater" in absent and "score" not in absent:
        raise InputError("error.table.pairs_no_judge", where=where, table=Path(where).name)
    if {*absent} <= _nameable(found, text):
        return found
    if absent:
        names = {field: _CALLED.get(field, field) for field in absent}
        used = {*found.values(), *_FIELDS}
        options = [f"--column {names[field]}={_candidate(field, text, used)}" for field in absent]
        wide = [name for name in text if name not in found.values() and _is_numeric(text[name])]
        may_be_wide = "score" in absent and wide[1:]
        raise InputError(
            f"error.table.no_column_{len(absent)}",
            where=where,
            hint="error.table.no_column_wide.hint" if may_be_wide else "error.table.no_column.hint",
            **dict(zip(("first", "second", "third"), names.values(), strict=False)),
            columns=columns,
            example=" ".join(options),
            wide=f"--column {_WIDE}={','.join(wide[:3])}",
        )
    return found


def _nameable(found: Mapping[str, str], text: Mapping[str, Sequence[str | None]]) -> set[str]:
    """Return which of outputs and judges need no column: outputs that question and model name, and one judge alone."""
    nameable = {"unit"} if can_name_outputs(found, text) else set()
    if _candidate("rater", text, {*found.values(), *_FIELDS}) == _NO_COLUMN:
        nameable.add("rater")
    return nameable


def _find_verdicts(found: dict[str, str], folded: Mapping[str, str], text: Mapping[str, Sequence[str | None]]) -> None:
    """Add the columns of verdicts, of two compared outputs and of people's verdicts to those that were found."""
    score = found.get("score", "score")
    if "verdict" not in found and "verdict" not in text:
        if score in text and are_words(text[score]):
            found["verdict"] = score
        elif score not in text:
            column = next((folded[name] for name in VERDICT_NAMES if name in folded), None)
            found |= {"verdict": column} if column else {}
    if score in text and found.get("verdict", "verdict") == score:
        found.pop("score", None)
    for field, names in (*ORDER_NAMES.items(), ("label", LABEL_NAMES)):
        known = (folded[name] for name in (field, *names) if name in folded)
        if field not in found and (column := next(known, None)):
            found[field] = column
    pair = next((folded[name] for name in PAIR_NAMES if name in folded), found.get("question_id", "question_id"))
    if {*ORDER_NAMES} <= {*found} and "unit" not in found and "unit" not in text and pair in text:
        found["unit"] = pair


def _candidate(field: str, text: Mapping[str, Sequence[str | None]], used: set[str]) -> str:
    """Choose a column that could hold a field, to be named in a hint, and count it as used."""
    free = [name for name in text if name not in used]
    fitting = [name for name in free if _is_numeric(text[name]) == (field == "score")]
    if field == "rater":
        fitting, free = [name for name in fitting if _names_repeat(text[name])], []
    chosen = next(iter(fitting or free), _NO_COLUMN)
    used.add(chosen)
    return chosen


def _names_repeat(column: Sequence[str | None]) -> bool:
    """Tell whether a column may name judges: few short names on many rows, and not a text of each row's own."""
    given = [value for value in column if value is not None]
    return 2 * len(set(given)) <= len(given) and max(map(len, given), default=0) <= 60


def _is_numeric(column: Sequence[str | None]) -> bool:
    try:
        return bool([float(value) for value in column if value is not None])
    except ValueError:
        return False
