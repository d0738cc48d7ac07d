"""The digest of a model's file: read whole once, and remembered for as long as the file is not touched."""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path

from venire.domain.canonical import sha256_hex
from venire.errors import ConfigError, os_reason
from venire.judges.local_models import MODELS, models_directory


def own_model_digest(model: str, directory: Path | None = None) -> str | None:
    """Return the SHA-256 of a user's own model file; None for a model that its name pins, and for a missing file.

    Digests are kept in a folder beside the fetched models. Raises `ConfigError` if the file cannot be read.
    """
    path = Path(model).expanduser()
    if model in MODELS or not path.is_file():
        return None
    try:
        remembered = (directory or models_directory().parent / "digests") / _standing(path)
        if digest := _recall(remembered):
            return digest
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if remembered.name == _standing(path):  # If not, somebody wrote to it meanwhile.
            _remember(remembered, digest)
    except OSError as error:
        raise ConfigError("error.judge.model_unreadable", path=path, reason=os_reason(error)) from None
    return digest


def _standing(path: Path) -> str:
    """Return a name for where a file is and when it was last touched, which nobody sets back by accident."""
    found = path.stat()
    touched = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return sha256_hex(os.fsencode(path.resolve()) + repr(touched).encode())


def _recall(place: Path) -> str | None:
    try:
        text = place.read_text("ascii")
    except (OSError, UnicodeDecodeError):
        return None
    return text if re.fullmatch("[0-9a-f]{64}", text) else None


def _remember(place: Path, digest: str) -> None:
    written = place.with_name(f"{place.name}.{os.getpid()}")
    with suppress(OSError):  # Then it is read again next time.
        place.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(digest, "ascii")
        written.replace(place)
