"""Samples and bundles in a ledger: each is stored once, and so is the text of each material, however many share it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from venire.domain.canonical import sha256_hex
from venire.domain.sample import Bundle, Sample
from venire.errors import TamperedError
from venire.ledger.entry import Draft, Kind
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Container

    from venire.ledger.entry import Entry
    from venire.ledger.store import Ledger

_TEXT, _REFERENCE = "text", "text_sha256"
"""In place of its text, a stored sample's material has the key of the entry that holds it."""


def subject_drafts(subject: Sample | Bundle, stored: Container[str] = ()) -> list[Draft]:
    """Record a sample, or a bundle with its samples, under its digest, behind the texts of a sample's materials.

    The texts whose keys are among those `stored` are left out.
    """
    if subject.kind == "bundle" or not any(sample.materials for sample in subject.samples):
        return [Draft(Kind.SAMPLE, {subject.kind: subject}, subject.digest)]
    content = msgspec.to_builtins(subject)
    return [*split_materials(content, stored), Draft(Kind.SAMPLE, {subject.kind: content}, subject.digest)]


def split_materials(content: dict[str, Any], stored: Container[str] = ()) -> list[Draft]:
    """Put keys in the place of the texts of materials, and record the texts but for those that are `stored`."""
    texts = {}
    for material in content["materials"]:
        text = material.pop(_TEXT).encode()
        key = material[_REFERENCE] = sha256_hex(text)
        if key not in stored:
            texts[key] = text
    return [Draft(Kind.MATERIAL, {"bytes": len(text)}, key, text) for key, text in texts.items()]


def subject_of(entry: Entry, ledger: Ledger) -> Sample | Bundle:
    """Return the sample or bundle that an entry holds, with its materials.

    Raises `TamperedError` if the text of a material is missing or another.
    """
    content = entry.content
    if "bundle" in content:
        return msgspec.convert(content["bundle"], Bundle)
    return msgspec.convert(fill_in(content["sample"], entry, ledger), Sample)


def outline_of(entry: Entry) -> Sample | Bundle:
    """Return the sample or bundle that an entry holds, a sample without its materials but with its digest."""
    content = entry.content
    if "bundle" in content:
        return msgspec.convert(content["bundle"], Bundle)
    has_materials = bool(content["sample"].pop("materials", None))
    sample = msgspec.convert(content["sample"], Sample)
    if has_materials:
        sample.__dict__["digest"] = entry.key  # As it was computed of the whole sample when it was stored.
    return sample


def find_material_problem(entry: Entry, ledger: Ledger) -> str:
    """Say what is wrong with the text of a material, or with a sample that refers to some; empty if nothing is."""
    if entry.kind is Kind.MATERIAL and sha256_hex(entry.blob) != entry.key:
        return say("error.ledger.other_material", sequence=entry.sequence, key=entry.key)
    if entry.kind is not Kind.SAMPLE or _REFERENCE.encode() not in entry.payload:
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
