"""What a court keeps from its jurors: without its secret, nothing that they see can be traced to a sample."""

from __future__ import annotations

from hashlib import blake2b


class CourtSecret:
    """The secret under which a court names and orders what jurors see.

    Whatever follows from the ledger and a pseudonym alone, a juror could compute too; so each of these is a keyed hash.
    The secret lies with the keys of people, never in the ledger.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def item_name(self, sample_digest: str) -> str:
        """Return the name under which jurors know a sample."""
        return f"item-{self._keyed(b'item', sample_digest).hex()[:16]}"

    def order_key(self, juror: str) -> bytes:
        """Return what a juror's order of samples is made from."""
        return self._keyed(b"order", juror)

    def is_swapped(self, juror: str, item: str) -> bool:
        """Tell whether a juror sees the two outputs of a pair the other way round: a fair coin for each of both."""
        return bool(self._keyed(b"sides", f"{juror}\0{item}")[0] & 1)

    def receipt_key(self, vote_key: str) -> str:
        """Return what a juror gets in the place of a vote's key, which would confirm a guessed output."""
        return self._keyed(b"receipt", vote_key).hex() if vote_key else ""

    def _keyed(self, purpose: bytes, text: str) -> bytes:
        return blake2b(text.encode("utf-8", "surrogatepass"), key=self._secret, person=purpose, digest_size=32).digest()
