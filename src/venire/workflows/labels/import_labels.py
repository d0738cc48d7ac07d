"""Bring people's labels into a ledger, where report, compare and gate find them."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec.structs import replace

from venire.domain.label import Label, LabelMaker, part_of
from venire.errors import InputError, UsageError
from venire.ledger.entry import Draft, Kind
from venire.ledger.labels import label_draft
from venire.reports.evidence import ReportEvidence
from venire.reports.human_labels import split_names, units_by_name
from venire.reports.report import Choices
from venire.workflows.evidence.from_ledger import read_ledger
from venire.workflows.evidence.label_file import located_labels
from venire.workflows.ledgers import opened_ledger, require_ledger


class LabelImport(msgspec.Struct, frozen=True, kw_only=True):
    """What an import of labels did."""

    added: int
    """How many labels are new entries."""
    known: int
    """How many the ledger had already, just the same."""
    changed: int
    """How many of the new ones take the place of an earlier label of the same rater."""
    by_models: int
    """How many of all labels in the file were made by models."""
    unmatched: tuple[str, ...]
    """The outputs that labels name and that the ledger has no judgement of, or has more than once."""


def import_labels(path: Path, location: str, *, protocol: str = "", by_model: str = "") -> LabelImport:
    """Record the labels of a file in a ledger; importing a file twice adds nothing the second time.

    `by_model` names the model that made all of them. Raises `InputError` for a score off the protocol's scale or on a
    dimension that it does not have; nothing is recorded then.
    """
    require_ledger(location)
    found = located_labels(path, may_be_empty=True)
    with opened_ledger(location) as ledger:
        evidence, _ = read_ledger(ledger, Choices(protocol=protocol), Path(location).name)
        if evidence.protocol is None:
            raise UsageError("error.labels.no_protocol", where=location)
        named, asked, seen = units_by_name(evidence), split_names(evidence), set[str]()
        drafts: dict[str, Draft] = {}
        unmatched: list[str] = []
        known = changed = by_models = 0
        for given, where in found:
            label = given
            if by_model:
                label = replace(given, made_by=LabelMaker.MODEL, rater=given.rater or by_model)
            by_models += label.made_by is LabelMaker.MODEL
            units = named.get(label.output_id, [])
            if len(units) != 1:
                unmatched.append(label.output_id)
                continue
            _require_on_scale(label, evidence, where)
            recorded = replace(label, unit=units[0], part=part_of(asked[units[0]]))
            draft = label_draft(recorded, evidence.protocol.digest)
            if draft.key in seen:
                raise InputError("error.labels.twice", where=where, output=label.output_id, rater=label.rater or "–")
            seen.add(draft.key)
            earlier = ledger.find(Kind.LABEL, draft.key)
            if earlier is not None and earlier.payload == draft.payload_bytes:
                known += 1
                continue
            changed += earlier is not None
            drafts[draft.key] = draft
        if drafts:
            ledger.append(list(drafts.values()))
    return LabelImport(added=len(drafts), known=known, changed=changed, by_models=by_models, unmatched=tuple(unmatched))


def _require_on_scale(label: Label, evidence: ReportEvidence, where: str) -> None:
    if label.dimension and label.dimension not in evidence.dimensions:
        known = tuple(evidence.dimensions)
        raise InputError("error.labels.no_dimension", where=where, found=label.dimension, known=known)
    scale = evidence.scale(label.dimension or None)
    if label.score is not None and scale is not None and not scale[0] <= label.score <= scale[1]:
        low, high = (f"{end:g}" for end in scale)
        raise InputError("error.labels.off_scale", where=where, found=f"{label.score:g}", low=low, high=high)
