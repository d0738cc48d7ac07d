"""What went wrong, for programs."""

from __future__ import annotations

import msgspec

LINK_IN_USE = "urn:venire:link-in-use"
"""The type of the problem that an invitation was opened in another browser."""


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """What went wrong, as RFC 9457 §3.1 writes it."""

    title: str
    """What kind of problem it is, in few words."""
    status: int
    """The HTTP status."""
    detail: str = ""
    """What was expected and what was found."""
    type: str = "about:blank"
    """A name for the kind of problem; `about:blank` where the status says it all."""
    hint: str = ""
    """What to do next."""
    where: str = ""
    """A place that a person can go to."""
    errors: list[dict[str, str]] = []
    """For requests that are not what was expected: the places and what is wrong there."""
