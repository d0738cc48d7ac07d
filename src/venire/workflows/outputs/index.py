"""The index that lists of outputs are answered from: a SQLite file beside the ledger, or one in memory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import RLock
from typing import Any, NamedTuple

import apsw

from venire.domain.canonical import sha256_hex
from venire.domain.sample import Sample
from venire.reports.outputs.verdict_order import good_share
from venire.stats.ratings.repeats import REASK
from venire.version import __version__

BEGINNING = 160
"""How many characters of an output lists show."""
MOST_FACTORS, LONGEST_LEVEL = 4, 24
"""How many factors of an output lists show, and how long their values may be."""
LONGEST_NOTE = 200
"""How long a note on an output may be that one can filter by."""
_BUSY_MILLISECONDS = 60_000
_SEARCHED = 2_000_000
_FIRST = "0"


class IndexedJudgement(NamedTuple):
    """A judgement as the index keeps it."""

    key: str
    """What it is found by; an entry of a bundle has its place behind it."""
    sequence: int
    """Its entry, or its place in a file."""
    judge: str
    """Who judged."""
    version: str
    """The judge as an instrument, and its prompt."""
    repeat: str
    """Which asking it was."""
    status: str
    """Whether it is valid."""
    method: str = ""
    """Whether the judge judged itself."""
    verdict: str = ""
    """The verdict; empty without one."""
    score: float | None = None
    """The overall score, brought to 0-10."""
    task: str = ""
    """The task that it answers."""
    run: str = ""
    """The run that judged."""
    rival: str = ""
    """Of a judged pair, the place and the digest of the other output."""
    record: bytes | None = None
    """The judgement itself, of sources that are not ledgers."""


class OutputIndex:
    """An open index. Its methods may be called from any thread; one works at a time."""

    def __init__(self, beside: Path | None = None) -> None:
        """Open or make the index of a ledger file; a temporary one where none can be written, or without a file."""
        self._lock = RLock()
        self._folder: TemporaryDirectory[str] | None = None
        path = None if beside is None else beside.with_name(beside.name + ".outputs")
        connection = None if path is None else _opened(path)
        if connection is None:
            self._folder = TemporaryDirectory(prefix="venire-outputs-")
            connection = _opened(Path(self._folder.name) / "index.outputs")
        if connection is None:
            raise OSError(28, "no room for an index", self._folder.name if self._folder else "")
        self._connection = connection
        self.path = path if self._folder is None else None

    def close(self) -> None:
        """Let go of the file; a temporary one is deleted."""
        with self._lock:
            self._connection.close()
        if self._folder is not None:
            self._folder.cleanup()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Make all changes of the block at once, or none; others who fill the same index wait."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def rows(self, query: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
        """Return what a query finds."""
        with self._lock:
            return self._connection.execute(query, values).fetchall()

    def one(self, query: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> Any:
        """Return the first value that a query finds; None if there is none."""
        found = self.rows(query, values)
        return found[0][0] if found else None

    def position(self) -> tuple[int, str]:
        """Return up to which entry the source was read, and that entry's hash."""
        found = dict(self.rows("SELECT name, value FROM state WHERE name IN ('sequence', 'hash')"))
        return int(found.get("sequence", 0)), found.get("hash", "")

    def set_position(self, sequence: int, entry_hash: str) -> None:
        """Keep up to where the source was read."""
        values = [("sequence", str(sequence)), ("hash", entry_hash)]
        self._connection.executemany("INSERT OR REPLACE INTO state VALUES (?, ?)", values)

    def clear(self) -> None:
        """Forget everything: the source is another one than before."""
        with self.writing():
            for (name,) in self.rows("SELECT name FROM sqlite_schema WHERE type = 'table'"):
                self._connection.execute(f'DELETE FROM "{name}"')  # noqa: S608 - the names are those of schema.sql

    def execute(self, statement: str, values: Iterable[Any] = ()) -> None:
        """Change something; only inside of `writing`."""
        self._connection.execute(statement, tuple(values))

    def put_output(self, sample: Sample, subject: str, digest: str, *, has_text: bool = True) -> None:
        """Take up an output that nobody has judged yet; one that is known stays as it is."""
        if self.one("SELECT 1 FROM output WHERE digest = ? LIMIT 1", (digest,)):
            return
        task = f"task:{sha256_hex(sample.task.encode('utf-8', 'surrogatepass'))}" if sample.task else ""
        key = digest if has_text else sha256_hex(digest.encode())  # The unit of a table may be called anything.
        row = (
            key, digest, subject, "", sample.output_id, sample.question_id, sample.prompt_variant, sample.target_model,
            sample.question_id or task, len(sample.text) if has_text else None, beginning_of(sample.text),
            levels_of(sample.factors),
        )  # fmt: skip
        self.execute(
            "INSERT INTO output (key, digest, subject, protocol, output_id, question, variant, model, same, characters,"
            " beginning, levels) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            row,
        )
        number = self._connection.last_insert_rowid()
        self.execute("INSERT INTO text VALUES (?, ?)", (number, sample.text[:_SEARCHED].casefold()))
        notes = {name: value for name, value in sample.notes.items() if len(value) <= LONGEST_NOTE}
        said = [(name, value, number, name not in sample.factors) for name, value in (notes | sample.factors).items()]
        self._connection.executemany("INSERT OR IGNORE INTO factor VALUES (?, ?, ?, ?)", said)

    def put_judgement(self, digest: str, protocol: str, judgement: IndexedJudgement) -> int | None:
        """Take up a judgement on an output; return the output's number, None if the output is not known."""
        output = self._judged_output(digest, protocol)
        if output is None:
            return None
        self.execute(
            "INSERT INTO judgement (output, key, sequence, judge, version, repeat, status, method, verdict, score,"
            " task, run, rival, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (output, *judgement),
        )
        return output

    def _judged_output(self, digest: str, protocol: str) -> int | None:
        """Return the row of an output under a protocol; the second protocol of an output gets a row of its own."""
        rows = self.rows("SELECT id, protocol FROM output WHERE digest = ?", (digest,))
        for number, known in rows:
            if known == protocol:
                return int(number)
        if not rows:
            return None
        first, known = rows[0]
        if not known:
            self.execute("UPDATE output SET protocol = ? WHERE id = ?", (protocol, first))
            return int(first)
        copied = "digest, subject, output_id, question, variant, model, same, characters, beginning, levels, voted"
        self.execute(
            f"INSERT INTO output (key, protocol, {copied})"  # noqa: S608 - names of columns
            f" SELECT digest || '.' || ?, ?, {copied} FROM output WHERE id = ?",
            (protocol[:12], protocol, first),
        )
        number = self._connection.last_insert_rowid()
        self.execute("INSERT INTO text SELECT ?, folded FROM text WHERE output = ?", (number, first))
        self.execute("INSERT INTO factor SELECT name, value, ?, is_note FROM factor WHERE output = ?", (number, first))
        return number

    def score_again(self, outputs: Iterable[int], weights: Mapping[str, float]) -> None:
        """Compute the scores of outputs whose judgements, or whose judges' weights, have changed."""
        for output in outputs:
            found = self.rows(
                "SELECT rowid, judge, version, repeat, status, method, verdict, score, rival FROM judgement"
                " WHERE output = ? ORDER BY sequence",
                (output,),
            )
            counted = _counted(found)
            self.execute("UPDATE judgement SET counted = 0 WHERE output = ? AND counted", (output,))
            marks = [(row[0],) for row in counted]
            self._connection.executemany("UPDATE judgement SET counted = 1 WHERE rowid = ?", marks)
            scores = {row[1]: row[7] for row in counted if row[7] is not None}
            score = panel_score(scores, weights)
            apart = max(scores.values()) - min(scores.values()) if len(scores) > 1 else None
            given = [row[6] for row in counted if row[6]]
            invalid = sum(row[4] == "invalid" for row in found)
            self.execute(
                "UPDATE output SET score = ?, apart = ?, good = ?, verdicts = ?, judgements = ?, invalid = ?"
                " WHERE id = ?",
                (score, apart, good_share(given), len({*given}), len(found), invalid, output),
            )


def beginning_of(text: str) -> str:
    """Return the first words of a text on one line."""
    return " ".join(text[: 2 * BEGINNING].split())[:BEGINNING]


def levels_of(factors: Mapping[str, str]) -> str:
    """Return the values of factors for a list: the first few, if they are short."""
    return " · ".join([value for value in factors.values() if value and len(value) <= LONGEST_LEVEL][:MOST_FACTORS])


def panel_score(scores: Mapping[str, float], weights: Mapping[str, float]) -> float | None:
    """Combine the judges' scores by weight, as the leaderboard does; judges without weights count equally."""
    shares = (
        {judge: weights.get(judge, 0.0) for judge in scores} if any(weights.values()) else dict.fromkeys(scores, 1.0)
    )
    total = sum(shares.values())
    return sum(scores[judge] * share for judge, share in shares.items()) / total if total > 0 else None


def _counted(found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return of each judge the one judgement that counts: valid, not on itself, and by the judge's latest version.

    Of judged pairs each counts. Of several repeats the first reply counts or, where that was invalid, the first valid
    one after it.
    """
    latest = {row[1]: row[2] for row in found}
    best: dict[tuple[str, str], tuple[int, tuple[Any, ...]]] = {}
    for row in found:
        _, judge, version, repeat, status, method, _, _, rival = row
        number = repeat_number(repeat)
        if status != "valid" or method == "self_judge" or version != latest[judge] or number is None:
            continue
        if (judge, rival) not in best or number < best[judge, rival][0]:
            best[judge, rival] = (number, row)
    return [row for _, row in best.values()]


def repeat_number(repeat: str) -> int | None:
    """Return 0 for the first asking, and 1, 2… for those after an invalid reply; None for a consistency check."""
    if repeat == _FIRST:
        return 0
    number = repeat.removeprefix(REASK)
    return int(number) if number != repeat and number.isdigit() else None


def _opened(path: Path) -> apsw.Connection | None:
    """Open an index, made anew if it is of another version or damaged; None where none can be written."""
    script = files("venire.workflows.outputs").joinpath("schema.sql").read_text("utf-8")
    version = int(hashlib.sha256(f"{__version__}\n{script}".encode()).hexdigest()[:7], 16)
    for _ in range(2):
        try:
            with suppress(FileExistsError):  # Only the owner may read it: it holds what the ledger holds.
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            connection = apsw.Connection(str(path))
        except (OSError, apsw.Error):
            return None
        try:
            connection.set_busy_timeout(_BUSY_MILLISECONDS)
            connection.pragma("journal_mode", "wal")
            connection.pragma("synchronous", "normal")
            connection.pragma("trusted_schema", False)
            connection.pragma("temp_store", "memory")
            connection.execute("BEGIN IMMEDIATE")
            if connection.pragma("user_version") == version:
                connection.execute("COMMIT")
                return connection
            if not connection.execute("SELECT count(*) FROM sqlite_schema").get:
                connection.execute(script)
                connection.pragma("user_version", version)
                connection.execute("COMMIT")
                return connection
        except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.FullError):
            connection.close(force=True)
            return None
        except (apsw.NotADBError, apsw.CorruptError):
            pass
        connection.close(force=True)
        if not _discard(path):
            return None
    return None


def _discard(path: Path) -> bool:
    try:
        for name in (path.name, path.name + "-wal", path.name + "-shm"):
            with suppress(FileNotFoundError):
                path.with_name(name).unlink()
    except OSError:
        return False
    return True
