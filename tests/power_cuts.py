"""A disk that forgets what was not synced: SQLite writes through it, and the power is cut wherever one likes."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import apsw

SECTOR = 512

Write = tuple[int, bytes]
Operation = tuple[Any, ...]


class RecordedFile(apsw.VFSFile):
    """A file whose changes are put on record. Syncing is put on record too, and not done, because nobody needs it."""

    def __init__(self, name: str | apsw.URIFilename, flags: list[int], trace: list[Operation]) -> None:
        super().__init__("unix", name, flags)
        self._name = Path(name.filename() if isinstance(name, apsw.URIFilename) else name).name
        self._trace = trace

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._trace.append(("write", self._name, offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._trace.append(("truncate", self._name, newsize))
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._trace.append(("sync", self._name))


class RecordingDisk(apsw.VFS):
    """SQLite's way to all files while it is registered; `trace` is what was done, in order."""

    def __init__(self) -> None:
        self.trace: list[Operation] = []
        super().__init__("recording", "unix", makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        if name is None:
            return apsw.VFSFile("unix", name, flags)
        return RecordedFile(name, flags, self.trace)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        self.trace.append(("delete", Path(filename).name, syncdir))
        super().xDelete(filename, syncdir)


class StoredFile:
    """What a disk holds of one file for certain, and what it may or may not hold."""

    def __init__(self, content: bytes | None) -> None:
        self.synced = bytearray(content or b"")
        self.pending: list[Write | int] = []
        self.exists = content is not None
        self.is_listed = content is not None
        self.before: bytes | None = None

    def change(self, change: Write | int) -> None:
        self.exists = True
        self.pending.append(change)

    def sync(self) -> None:
        for change in self.pending:
            apply(self.synced, change)
        self.pending.clear()

    def delete(self) -> None:
        if self.is_listed:
            self.before = bytes(self.synced)
        self.synced, self.pending, self.exists, self.is_listed = bytearray(), [], False, False

    def settle(self) -> None:
        """Sync the folder's entry for this name."""
        self.before, self.is_listed = None, self.exists

    def survivor(self, chance: random.Random) -> bytes | None:
        """Return what is there after a power cut; None for no file."""
        if self.before is not None and chance.random() < 0.5:
            return self.before
        if not self.exists or (not self.is_listed and chance.random() < 0.3):
            return None
        content = bytearray(self.synced)
        for change in _surviving(self.pending, chance):
            apply(content, change)
        return bytes(content)


def apply(content: bytearray, change: Write | int) -> None:
    """Make a write, or cut a file to a length."""
    if isinstance(change, int):
        del content[change:]
        return
    offset, data = change
    content.extend(bytes(max(0, offset - len(content))))
    content[offset : offset + len(data)] = data


def _surviving(pending: list[Write | int], chance: random.Random) -> list[Write | int]:
    """Choose what reaches the disk of changes that were not synced: none, all, the first ones, or any sectors."""
    how = chance.choice(["none", "all", "first", "sectors", "noise"])
    if how == "first" and pending:
        count = chance.randrange(len(pending))
        last = pending[count]
        torn = [] if isinstance(last, int) else [(last[0], last[1][: chance.randrange(len(last[1]) + 1)])]
        return [*pending[:count], *torn]
    if how == "sectors":
        return [part for change in pending for part in _sectors(change) if chance.random() < 0.5]
    if how == "noise":
        return [_noise(part, chance) for change in pending for part in _sectors(change) if chance.random() < 0.5]
    return pending if how == "all" else []


def _sectors(change: Write | int) -> list[Write | int]:
    if isinstance(change, int):
        return [change]
    offset, data = change
    return [(offset + start, data[start : start + SECTOR]) for start in range(0, len(data), SECTOR)]


def _noise(change: Write | int, chance: random.Random) -> Write | int:
    """Return a write that the cut has hit, now and then: the sector holds anything."""
    if isinstance(change, int) or chance.random() < 0.8:
        return change
    return change[0], chance.randbytes(len(change[1]))


class ForgetfulDisk:
    """Does again what was put on record, and knows at each moment what a power cut would leave."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = {name: StoredFile(content) for name, content in files.items()}

    def do(self, operation: Operation) -> None:
        kind, name, *rest = operation
        file = self._files.setdefault(name, StoredFile(None))
        if kind == "write":
            file.change((rest[0], rest[1]))
        elif kind == "truncate":
            file.change(rest[0])
        elif kind == "sync":
            file.sync()
            if not file.is_listed:  # SQLite syncs the folder with a new log or journal.
                self._sync_folder()
        elif kind == "delete":
            file.delete()
            if rest[0]:
                self._sync_folder()

    def _sync_folder(self) -> None:
        for file in self._files.values():
            file.settle()

    def survivors(self, chance: random.Random) -> dict[str, bytes]:
        left = {name: file.survivor(chance) for name, file in self._files.items()}
        return {name: content for name, content in left.items() if content is not None}
