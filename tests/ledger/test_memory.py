"""A ledger in memory is gone when it is closed."""

import pytest

from venire.errors import LedgerError
from venire.ledger.entry import Draft, Kind
from venire.ledger.memory import MemoryLedger


def test_nothing_can_be_read_or_appended_once_it_is_closed():
    ledger = MemoryLedger()
    ledger.append([Draft(Kind.VOTE, 1)])
    ledger.close()
    for use in (ledger.head, lambda: ledger.append([]), lambda: next(ledger.read())):
        with pytest.raises(LedgerError, match="the ledger is closed"):
            use()
