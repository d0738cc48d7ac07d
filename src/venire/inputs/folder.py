"""Find the files of a folder, in a fixed order, without ever leaving the folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from venire.errors import InputError
from venire.inputs.problems import unreadable


def walk_files(root: Path, endings: Collection[str], *, recursive: bool = True) -> Iterator[Path | InputError]:
    """Yield the regular files with these endings, sorted by name, those of a folder before those of its sub-folders.

    Hidden files and folders are left out. What cannot be taken is yielded as a problem in its place: a folder that
    cannot be read, a link that leads out of the root, a name that is not UTF-8.
    """
    try:
        entries = sorted(root.iterdir(), key=lambda path: path.name)
    except OSError as error:
        yield unreadable(error, str(root))
        return
    yield from _walk(entries, root.resolve(), endings, recursive=recursive)


def ending_of(path: Path) -> str:
    """Return a file's ending in lower case with its dot, such as `.pdf`; empty if it has none."""
    return path.suffix.lower()


def relative_name(path: Path, root: Path) -> str:
    """Return the path inside its root with forward slashes on every system."""
    return path.relative_to(root).as_posix()


def _walk(
    entries: list[Path], resolved_root: Path, endings: Collection[str], *, recursive: bool
) -> Iterator[Path | InputError]:
    folders: list[Path] = []
    for entry in entries:
        if entry.name.startswith("."):
            continue
        try:
            if entry.is_dir() and not entry.is_symlink():
                folders.append(entry)
                continue
            found = _admit(entry, resolved_root, endings)
        except OSError as error:
            found = unreadable(error, str(entry))
        if found is not None:
            yield found
    if not recursive:
        return
    for folder in folders:
        try:
            inside = sorted(folder.iterdir(), key=lambda path: path.name)
        except OSError as error:
            yield unreadable(error, str(folder))
            continue
        yield from _walk(inside, resolved_root, endings, recursive=True)


def _admit(entry: Path, resolved_root: Path, endings: Collection[str]) -> Path | InputError | None:
    """Return the entry if it is a file to be taken, a problem if it may not be, None if it is not wanted."""
    is_link = entry.is_symlink()
    if ending_of(entry) not in endings and not (is_link and entry.is_dir()):
        return None
    try:
        os.fsencode(entry.name).decode("utf-8")
    except UnicodeDecodeError:
        shown = os.fsencode(entry).decode("utf-8", "backslashreplace")
        return InputError("error.folder.name_not_utf8", where=shown)
    try:
        target = entry.resolve(strict=True)
        mode = target.stat().st_mode
    except RuntimeError:
        return InputError("error.folder.link_loop", where=str(entry))
    if is_link and not target.is_relative_to(resolved_root):
        return InputError("error.folder.link_out", where=str(entry))
    return entry if stat.S_ISREG(mode) else None
