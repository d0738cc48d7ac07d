"""Samples, bundles and pairs in a ledger: each is stored once, and so are materials and outputs that many share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from venire.domain.canonical import sha256_hex, typed_json
from venire.domain.sample import Bundle, Pair, Sample
from venire.errors import TamperedError
from venire.ledger.entry import Draft, Kind, encoded_draft
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from venire.ledger.entry import Entry
    from venire.ledger.store import Ledger


class _SampleRecord(msgspec.Struct, frozen=True, gc=False):
    """A sample as the ledger holds it."""

    sample: Sample


_PAIR = Pair.kind
_TEXT, _REFERENCE = "text", "text_sha256"
"""In place of its text, a stored sample's material has the key of the entry that holds it."""
_PAIR_KEY = b'"pair":'
_REFERRING = (_REFERENCE.encode(), _PAIR_KEY)
"""What the record of a sample that refers to other entries holds."""


def subject_drafts(subject: Sample | Bundle, stored: Container[str] = ()) -> list[Draft]:
    """Record a sample, or a bundle with its samples, under its digest, behind the texts of a sample's materials.

    A pair stands behind its two samples and names them by their digests. What is among those `stored` is left out.
    """
    if subject.kind == _PAIR:
        fresh = [sample for sample in subject.samples if sample.digest not in stored]
        drafts = [draft for sample in fresh for draft in subject_drafts(sample, stored)]
        places = {"name": subject.name, "samples": [sample.digest for sample in subject.samples]}
        return [*drafts, Draft(Kind.SAMPLE, {_PAIR: places}, subject.digest)]
    if subject.kind == "bundle" or not any(sample.materials for sample in subject.samples):
        return [_whole_draft(subject)]
    content = msgspec.to_builtins(subject)
    return [*split_materials(content, stored), Draft(Kind.SAMPLE, {subject.kind: content}, subject.digest)]


def _whole_draft(subject: Sample | Bundle) -> Draft:
    """Record a subject with all that it holds: texts, and whole numbers of pages."""
    draft = Draft(Kind.SAMPLE, {subject.kind: subject}, subject.digest)
    if subject.kind != Sample.kind:
        return draft
    (sample,) = subject.samples
    keys = "".join((*sample.factors, *sample.notes))
    return encoded_draft(draft, typed_json(_SampleRecord(sample))) if keys.isascii() else draft


def split_materials(content: dict[str, Any], stored: Container[str] = ()) -> list[Draft]:
    """Put keys in the place of the texts of materials, and record the texts but for those that are `stored`."""
    texts = {}
    for material in content["materials"]:
        text = material.pop(_TEXT).encode()
        key = material[_REFERENCE] = sha256_hex(text)
        if key not in stored:
            texts[key] = text
    return [_material_draft(key, text) for key, text in texts.items()]


def _material_draft(key: str, text: bytes) -> Draft:
    """Record a text; its payload is written here, because a run with documents has more of these than of all others."""
    return encoded_draft(Draft(Kind.MATERIAL, {"bytes": len(text)}, key, text), b'{"bytes":%d}' % len(text))


def subject_of(entry: Entry, ledger: Ledger) -> Sample | Bundle:
    """Return the sample, bundle or pair that an entry holds, with its materials.

    Raises `TamperedError` if the text of a material or an output of a pair is missing or another.
    """
    content = entry.content
    if _PAIR in content:
        return _pair_of(content[_PAIR], entry, ledger, lambda sample: subject_of(sample, ledger))
    if "bundle" in content:
        return msgspec.convert(content["bundle"], Bundle)
    return msgspec.convert(fill_in(content["sample"], entry, ledger), Sample)


def names_outputs(entry: Entry) -> bool:
    """Tell whether an entry holds a pair, which names two outputs that have entries of their own."""
    return _PAIR_KEY in entry.payload and _PAIR in entry.content


def outline_of(entry: Entry, ledger: Ledger | None = None) -> Sample | Bundle:
    """Return the sample, bundle or pair that an entry holds; samples without their materials but with their digests.

    A pair needs the ledger, which holds its outputs.
    """
    content = entry.content
    if _PAIR in content and ledger is not None:
        return _pair_of(content[_PAIR], entry, ledger, lambda sample: outline_of(sample, ledger))
    if "bundle" in content:
        return msgspec.convert(content["bundle"], Bundle)
    has_materials = bool(content["sample"].pop("materials", None))
    sample = msgspec.convert(content["sample"], Sample)
    if has_materials:
        sample.__dict__["digest"] = entry.key  # As it was computed of the whole sample when it was stored.
    return sample


def _pair_of(content: dict[str, Any], entry: Entry, ledger: Ledger, read: Callable[[Entry], Sample | Bundle]) -> Pair:
    """Put the two outputs of a pair together again."""
    samples: list[Sample] = []
    for key in content["samples"]:
        found = ledger.find(Kind.SAMPLE, key)
        if found is None:
            raise TamperedError("error.ledger.no_output", sequence=entry.sequence, key=key)
        samples += read(found).samples
    return Pair(name=content["name"], samples=tuple(samples))


def find_material_problem(entry: Entry, ledger: Ledger) -> str:
    """Say what is wrong with the text of a material, or with a sample that refers to some; empty if nothing is."""
    if entry.kind is Kind.MATERIAL and sha256_hex(entry.blob) != entry.key:
        return say("error.ledger.other_material", sequence=entry.sequence, key=entry.key)
    if entry.kind is not Kind.SAMPLE or not any(part in entry.payload for part in _REFERRING):
        return ""
    try:
        true = subject_of(entry, ledger).digest
    except TamperedError as error:
        return error.message
    except (msgspec.MsgspecError, KeyError, TypeError, AttributeError, ValueError) as error:
        return say("error.ledger.not_a_sample", sequence=entry.sequence, reason=str(error))
    return "" if true == entry.key else say("error.ledger.other_sample", sequence=entry.sequence, key=entry.key)


def fill_in(sample: dict[str, Any], entry: Entry, ledger: Ledger) -> dict[str, Any]:
    """Put the texts of materials in the place of their keys; raises `TamperedError` if one is missing or another."""
    for material in sample.get("materials", ()):
        key = material.pop(_REFERENCE, None)
        if key is None:
            continue
        found = ledger.find(Kind.MATERIAL, key)
        if found is None:
            raise TamperedError("error.ledger.no_material", sequence=entry.sequence, material=material["id"], key=key)
        if sha256_hex(found.blob) != key:
            raise TamperedError("error.ledger.other_material", sequence=found.sequence, key=key)
        material[_TEXT] = found.blob.decode()
    return sample
