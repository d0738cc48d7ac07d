"""Addresses are shown without their passwords."""

import pytest

from venire.errors import LedgerError
from venire.ledger.postgres.address import is_postgres, shown_address


def test_password_and_options_are_left_out():
    assert (
        shown_address("postgresql://ann:secret@db.example/evals?sslmode=require") == "postgresql://ann@db.example/evals"
    )
    assert shown_address("postgres://db.example/evals?password=secret") == "postgres://db.example/evals"
    assert not is_postgres("ledger.sqlite")


@pytest.mark.parametrize("url", ["postgresql://ann:se/cret@db/evals", "postgresql://ann:se@cret@db/evals"])
def test_an_address_whose_password_may_be_part_of_the_host_is_refused_without_it(url):
    with pytest.raises(LedgerError, match="it is unclear where the password") as raised:
        shown_address(url)
    assert "cret" not in str(raised.value)
