"""What a judge is shown beside an output: documents, references, turns of a conversation, calls of tools."""

from __future__ import annotations

from enum import StrEnum

import msgspec

OUTPUT = "output"
"""What a quote names as its source if it stands in the output itself; no material has this id."""


class MaterialKind(StrEnum):
    """What a material is to the output."""

    DOCUMENT = "document"
    """A text that the output should rest on, such as a retrieved passage."""
    REFERENCE = "reference"
    """An expected answer."""
    TURN = "turn"
    """One message of the conversation that the output belongs to."""
    TOOL_CALL = "tool_call"
    """A call of a tool that the model made."""
    TOOL_RESULT = "tool_result"
    """What a tool gave back."""


class Material(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One text beside the output, with an id by which quotes say where they stand."""

    id: str
    """Its name within the sample, such as `document-1`; no two materials of a sample share one."""
    kind: MaterialKind
    """What it is to the output."""
    text: str
    """Its words."""
    role: str = ""
    """For a turn, who speaks: `system`, `user` or `assistant`; for a tool's call or result, the tool's name."""
