"""Judges' replies as they are found in the wild: one in a file, or one on each line."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec

from venire.domain.canonical import sha256_hex
from venire.domain.judge import JudgeIdentity
from venire.errors import InputError
from venire.inputs.artifacts.file_name import ArtifactName
from venire.inputs.artifacts.wrapped_reply import WrappedReply, unwrap, unwrap_answer
from venire.inputs.folder import ending_of, relative_name, walk_files
from venire.inputs.problems import unreadable
from venire.inputs.tables.jsonl import Line, read_lines, too_long
from venire.inputs.tables.rows import JSON_LINES_ENDINGS
from venire.words.said import say

ARTIFACT_ENDINGS = (".json", ".jsonl", ".md", ".ndjson", ".txt")
"""The endings of files that are taken for replies in a folder."""

_NO_REPLIES = {"manifest.json", "protocol.json", "readme.md", "readme.txt"}
"""Files that archives of evaluations hold beside the replies."""

MAX_REPLY_BYTES = 8 * 2**20
"""The largest reply that is loaded: 8 MiB."""

_CHUNK_BYTES = 2**20

_OTHER_NAME = re.compile(
    r"(.*[_\-. ])?prompts?([_\-. ]?v?\d+)?|prompts?[_\-. ].*|run[_\-. ]?(meta(data)?|log|config|info)|meta(data)?"
    r"|config(uration)?|settings|schema|licen[cs]e|changelog|run|.*提示词|运行(日志|信息)|说明",
    re.IGNORECASE,
)
"""The names, without ending, of files that are kept beside replies: prompts, and what tells of a run."""
_SIGNS_OF_A_REPLY = (b'"scores"', b'"per_file_scores"', b'"verdict"')


class Artifact(msgspec.Struct, frozen=True):
    """One reply as it was found, or the reason why it could not be read."""

    name: str
    """The path inside the folder, with `:` and the line number for a line of JSON Lines."""
    raw: bytes | None
    """The reply, byte for byte; None if it could not be read."""
    sha256: str
    """The digest of the reply's bytes; empty if they could not be read."""
    size: int
    """How many bytes the reply has."""
    judge: str = ""
    """The judge, by the file name or the line around the reply; empty if neither says."""
    target: str = ""
    """The judged model, by the file name or the line around the reply; empty if neither says."""
    self_judged: bool | None = None
    """Whether the judge judged its own outputs; None if neither the file name nor the line around the reply says."""
    output_id: str = ""
    """The judged sample, by the line around the reply; empty if there is none."""
    problem: str = ""
    """Why the reply could not be read, and what to do; empty if it was read."""
    finish_reason: str = ""
    """Why the model stopped, in its server's word; empty if what surrounds the reply does not say."""
    output_tokens: int | None = None
    """How many tokens the reply has, if what surrounds it says."""
    is_reply: bool = True
    """Whether it is taken for a reply; not so a prompt or a run's log that lies in a folder of replies."""
    judge_version: str = ""
    """The version of the judge or its prompt, by the file name or the line around the reply; empty if neither says."""


def read_artifacts(
    paths: Sequence[Path], *, max_bytes: int = MAX_REPLY_BYTES, on_progress: Callable[[int], None] | None = None
) -> Iterator[Artifact]:
    """Yield every reply of these files and folders, in a fixed order; nothing is dropped in silence.

    Of a folder, files with the `ARTIFACT_ENDINGS` are taken, without hidden files and without what archives hold beside
    replies: README, manifest, protocol and sidecar records. Each line of a JSON Lines file is a reply, or a wrapper
    with a reply inside. A file of a folder whose name says that it is a prompt or tells of a run, and that holds no
    scores, is yielded as what is no reply. If several paths are given, names begin with the path. `on_progress` is told
    how many bytes were passed since the last call.

    Raises `InputError` for a path that does not exist and for a folder without any artifact.
    """
    for path in paths:
        found_any = False
        for file, name in _files_of(path, with_root=len(paths) > 1):
            found_any = True
            if isinstance(file, InputError):
                yield _unread(name, file)
            elif file is not path and _is_no_reply(file):
                yield Artifact(name, None, "", 0, is_reply=False)
            else:
                yield from _read_file(file, name, max_bytes, on_progress or _ignore)
        if not found_any:
            raise InputError("error.artifact.none", where=str(path), endings=" ".join(ARTIFACT_ENDINGS))


def count_bytes(paths: Sequence[Path]) -> int:
    """Return how many bytes `read_artifacts` will pass; what cannot be read counts nothing."""
    total = 0
    for path in paths:
        for file, _ in _files_of(path, with_root=False):
            if isinstance(file, Path):
                try:
                    total += file.stat().st_size
                except OSError:
                    continue
    return total


def _files_of(path: Path, *, with_root: bool) -> Iterator[tuple[Path | InputError, str]]:
    try:
        path.stat()
    except OSError as error:
        raise unreadable(error, str(path)) from error
    if not path.is_dir():
        yield path, path.as_posix() if with_root else path.name
        return
    for found in walk_files(path, ARTIFACT_ENDINGS):
        if isinstance(found, InputError):
            place = Path(found.where)
            yield found, place.as_posix() if with_root or place == path else relative_name(place, path)
        elif found.name.lower() not in _NO_REPLIES and not found.name.endswith(".record.json"):
            yield found, found.as_posix() if with_root else relative_name(found, path)


def _is_no_reply(file: Path) -> bool:
    """Tell whether a file is kept beside replies: by its name, unless it holds scores all the same."""
    if not _OTHER_NAME.fullmatch(file.stem):
        return False
    try:
        with file.open("rb") as stream:
            head = stream.read(_CHUNK_BYTES)
    except OSError:
        return False  # reading it as a reply says why
    return not any(sign in head for sign in _SIGNS_OF_A_REPLY)


def _read_file(file: Path, name: str, max_bytes: int, on_progress: Callable[[int], None]) -> Iterator[Artifact]:
    named = ArtifactName.parse(file.stem)
    try:
        if ending_of(file) in JSON_LINES_ENDINGS:
            yield from _read_json_lines(file, name, named, max_bytes, on_progress)
            return
        with file.open("rb") as stream:
            artifact = _read_whole(stream, name, named, max_bytes)
    except OSError as error:
        yield _unread(name, unreadable(error, ""), named)
        return
    except InputError as problem:
        yield _unread(name, problem, named)
        return
    on_progress(artifact.size)
    yield msgspec.structs.replace(artifact, judge_version=named.version)


def _read_whole(stream: BinaryIO, name: str, named: ArtifactName, max_bytes: int) -> Artifact:
    data = stream.read(max_bytes + 1)
    if len(data) <= max_bytes:
        reply = unwrap_answer(data) or WrappedReply(data)
        return Artifact(
            name,
            reply.raw,
            sha256_hex(reply.raw),
            len(data),
            named.judge,
            named.target,
            named.self_judged,
            finish_reason=reply.finish_reason,
            output_tokens=reply.output_tokens,
        )
    hasher, size = hashlib.sha256(data), len(data)
    while chunk := stream.read(_CHUNK_BYTES):
        hasher.update(chunk)
        size += len(chunk)
    problem = say("finding.file_too_large", size=size, most=max_bytes)
    return Artifact(name, None, hasher.hexdigest(), size, named.judge, named.target, named.self_judged, problem=problem)


def _read_json_lines(
    file: Path, name: str, named: ArtifactName, max_bytes: int, on_progress: Callable[[int], None]
) -> Iterator[Artifact]:
    passed, found_any = 0, False
    for line in read_lines(file, max_line_bytes=max_bytes):
        on_progress(line.start - passed)
        passed, found_any = line.start, True
        yield _read_line(line, f"{name}:{line.number}", named, max_bytes)
    if not found_any:
        raise InputError("error.artifact.no_lines")
    on_progress(file.stat().st_size - passed)


def _read_line(line: Line, name: str, named: ArtifactName, max_bytes: int) -> Artifact:
    if line.data is None:
        problem = _told(too_long(line, "", max_bytes))
        return Artifact(
            name, None, line.oversize_sha256, line.oversize_bytes,
            named.judge, named.target, named.self_judged, problem=problem,
        )  # fmt: skip
    reply = unwrap(line.data)
    judge, target, self_judged = reply.judge or named.judge, reply.target or named.target, named.self_judged
    if reply.judge or reply.target:
        # Names that differ may still be aliases of one model, so only sameness is told.
        self_judged = JudgeIdentity(judge).is_judging_itself(target) or None
    return Artifact(
        name,
        reply.raw,
        sha256_hex(reply.raw),
        len(reply.raw),
        judge,
        target,
        self_judged,
        reply.output_id,
        finish_reason=reply.finish_reason,
        output_tokens=reply.output_tokens,
        judge_version=reply.judge_version or named.version,
    )


def _unread(name: str, problem: InputError, named: ArtifactName | None = None) -> Artifact:
    named = named or ArtifactName()
    return Artifact(name, None, "", 0, named.judge, named.target, named.self_judged, problem=_told(problem))


def _ignore(byte_count: int) -> None:
    """Take the progress that nobody asked for."""


def _told(problem: InputError) -> str:
    """Return what an error says, without its place."""
    return say("finding.unread", message=problem.message, hint=problem.hint) if problem.hint else problem.message
