"""Samples and bundles that are read once and kept in a temporary file, for all judges that read them after that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from tempfile import SpooledTemporaryFile
from threading import Lock
from typing import Any, Self

import msgspec

from venire.domain.sample import Bundle, Pair, Sample

MOST_KEPT_BYTES = 2**28
"""How much is kept at most; more than that is read again from where it came from."""
_IN_MEMORY_BYTES = 2**20
_BLOCK_BYTES = 2**16

_encode = msgspec.msgpack.Encoder().encode
_decoders: dict[str, msgspec.msgpack.Decoder[Any]] = {
    each.kind: msgspec.msgpack.Decoder(each) for each in (Sample, Bundle, Pair)
}


class _KeptSubject(msgspec.Struct, array_like=True):
    """A subject as the file holds it."""

    kind: str
    digest: str
    content: msgspec.Raw


_decode_block = msgspec.msgpack.Decoder(list[_KeptSubject]).decode


class KeptSubjects:
    """Reads subjects from where they come from, and keeps them meanwhile; whoever reads them after that gets the same.

    What was not read to its end, cannot be written or is too much is read anew each time. Several threads may read.
    """

    def __init__(self, read: Callable[[], Iterator[Sample | Bundle]], most_bytes: int = MOST_KEPT_BYTES) -> None:
        self._read = read
        self._most_bytes = most_bytes
        self._file = SpooledTemporaryFile(_IN_MEMORY_BYTES)  # noqa: SIM115 - closed on leaving the block
        self._lock = Lock()
        self._blocks: list[tuple[int, int]] | None = None
        self._is_keeping = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._file.close()

    def subjects(self) -> Iterator[Sample | Bundle]:
        """Begin to read the subjects."""
        if self._blocks is not None:
            return self._again(self._blocks)
        return self._read() if self._is_keeping else self._reading_first()

    def _reading_first(self) -> Iterator[Sample | Bundle]:
        self._is_keeping = True  # Nobody else keeps them meanwhile.
        kept = _Blocks(self._file, self._most_bytes)
        for subject in self._read():
            kept.add(subject)
            yield subject
        self._blocks = kept.finish()

    def _again(self, blocks: list[tuple[int, int]]) -> Iterator[Sample | Bundle]:
        for start, length in blocks:
            with self._lock:
                self._file.seek(start)
                block = self._file.read(length)
            for kept in _decode_block(block):
                subject = _decoders[kept.kind].decode(kept.content)
                subject.__dict__["digest"] = kept.digest
                yield subject


class _Blocks:
    """Writes subjects to a file, many at a time."""

    def __init__(self, file: SpooledTemporaryFile[bytes], most_bytes: int) -> None:
        self._file = file
        self._left = most_bytes
        self._blocks: list[tuple[int, int]] = []
        self._waiting: list[_KeptSubject] = []
        self._waiting_bytes = 0

    def add(self, subject: Sample | Bundle) -> None:
        """Keep a subject, unless it cannot be, or is too much."""
        if self._left < 0:
            return
        try:
            content = _encode(subject)
        except UnicodeEncodeError:  # Names of files may hold what UTF-8 cannot say.
            self._left = -1
            return
        self._waiting.append(_KeptSubject(subject.kind, subject.digest, msgspec.Raw(content)))
        self._waiting_bytes += len(content)
        self._left -= len(content)
        if self._waiting_bytes >= _BLOCK_BYTES:
            self._write()

    def finish(self) -> list[tuple[int, int]] | None:
        """Return where the blocks are; None if not all subjects are in them."""
        if self._left >= 0:
            self._write()
            return self._blocks
        self._file.truncate(0)
        return None

    def _write(self) -> None:
        if self._left < 0:
            return
        block = _encode(self._waiting)
        self._blocks.append((self._file.tell(), self._file.write(block)))
        self._waiting, self._waiting_bytes = [], 0
