"""Finds protocols: those that come with Venire by id, and a user's own by path."""

from __future__ import annotations

import difflib
from functools import cache
from importlib.resources import files
from pathlib import Path

from venire.domain.protocol import EvalProtocol
from venire.errors import ProtocolError
from venire.protocols.load import (
    full_text,
    is_full_text,
    is_protocol_path,
    load_protocol,
    parse_protocol,
    read_protocol_text,
)
from venire.words.said import say


def bundled_ids() -> tuple[str, ...]:
    """Return the ids of the protocols that come with Venire."""
    return ("drift-sample", "drift-bundle", "quality", "grounded", "answer", "conversation", "agent", "preference")


def bundled_text(protocol_id: str) -> bytes:
    """Return the YAML text of a bundled protocol; raises `ProtocolError` for an unknown id."""
    if protocol_id not in bundled_ids():
        near = difflib.get_close_matches(str(protocol_id), bundled_ids(), n=1)
        hint = say("error.protocol.misspelt", near=near[0], known=bundled_ids()) if near else ""
        raise ProtocolError("error.protocol.unknown", hint=hint, id=protocol_id, known=bundled_ids())
    return files("venire.protocols").joinpath("bundled", f"{protocol_id}.yaml").read_bytes()


def find_protocol(name: str) -> EvalProtocol:
    """Return the protocol with this id, or the one in the file at this path.

    >>> find_protocol("drift-sample").dimension_ids[0]
    'FORMAT_COMPLIANCE'
    """
    return load_protocol(Path(name), bundled_text) if is_protocol_path(name) else _bundled(name)


def protocol_text(name: str) -> bytes:
    """Return the YAML text of a full protocol: as it stands, or for a rubric in plain words what it stands for."""
    if not is_protocol_path(name):
        return bundled_text(name)
    text = read_protocol_text(Path(name))
    return text if is_full_text(text) else full_text(load_protocol(Path(name), bundled_text))


@cache
def _bundled(protocol_id: str) -> EvalProtocol:
    return parse_protocol(bundled_text(protocol_id), f"{protocol_id}.yaml", bundled_text)
