"""Cases in a ledger: as they went in, with the text of each material stored once."""

import pytest

from venire.domain.material import Material, MaterialKind
from venire.domain.output import Case
from venire.ledger.cases import case_drafts, case_of
from venire.ledger.entry import Kind
from venire.ledger.memory import MemoryLedger

DOCUMENT = Material("d1", MaterialKind.DOCUMENT, "A shared document, 共享文档。")


@pytest.mark.parametrize("materials", [(), (DOCUMENT,)])
def test_a_case_comes_out_of_the_ledger_as_it_went_in_and_its_texts_come_before_it(materials):
    case, ledger = Case("q1", materials=materials), MemoryLedger()
    drafts = case_drafts(case)
    assert [each.kind for each in drafts] == [*([Kind.MATERIAL] * len(materials)), Kind.CASE]
    ledger.append(drafts)
    entry = ledger.find(Kind.CASE, case.digest)
    assert (list(entry.content), case_of(entry, ledger)) == (["case"], case)
    assert DOCUMENT.text.encode() not in entry.payload
