"""Cases in a ledger: each is stored once, and so is the text of each of its materials."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from venire.domain.output import Case
from venire.ledger.entry import Draft, Kind
from venire.ledger.subjects import fill_in, split_materials

if TYPE_CHECKING:
    from venire.ledger.entry import Entry
    from venire.ledger.store import Ledger


def case_drafts(case: Case) -> list[Draft]:
    """Record a case under its digest, behind the texts of its materials."""
    if not case.materials:
        return [Draft(Kind.CASE, {"case": case}, case.digest)]
    content = msgspec.to_builtins(case)
    return [*split_materials(content), Draft(Kind.CASE, {"case": content}, case.digest)]


def case_of(entry: Entry, ledger: Ledger) -> Case:
    """Return the case that an entry holds; raises `TamperedError` if the text of a material is missing or another."""
    return msgspec.convert(fill_in(entry.content["case"], entry, ledger), Case)
