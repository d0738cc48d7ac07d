"""Appends to a ledger in PostgreSQL and prints each key once it is acknowledged; for ever, or so many times."""

from __future__ import annotations

import os
import sys
from itertools import count, islice

from venire.ledger.entry import Draft, Kind
from venire.ledger.postgres.ledger import PostgresLedger


def main(url: str, name: str, times: int | None) -> None:
    ledger = PostgresLedger(url)
    for number in islice(count(), times):
        key = f"{name}-{number}"
        ledger.append(
            [
                Draft(Kind.ATTEMPT, {"of": key}, key, b"body" * 100),
                Draft(Kind.REPLY, {}, key),
                Draft(Kind.SAMPLE, {"by": name}, f"shared-{number}"),
            ]
        )
        os.write(1, f"{key}\n".encode())
    ledger.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else None)
