"""The adaptive jury in `venire.yaml`: who is asked first, who then, until when, and how often at most."""

from __future__ import annotations

from typing import Annotated

import msgspec

from venire.runner.options import Positive

Inner = Annotated[float, msgspec.Meta(gt=0, lt=1)]
"""A number between 0 and 1."""


class AgreeConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """With how many verdicts people are to agree."""

    labels: str
    """The table of people's labels: `output_id`, and `verdict` or `score`."""
    level: Inner = 0.85
    """The share of the decided verdicts that people agree with."""
    delta: Inner = 0.1
    """How likely the jury may miss that share."""


class UntilConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When a jury has been asked enough; one of the two."""

    half_width: Positive | None = None
    """To estimate: how wide the interval of each target model's mean score may be at most, to either side."""
    agree_with_people: AgreeConfig | None = None
    """To decide: verdicts that people would agree with; what stays open waits for people."""


class JuryConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An adaptive jury: not every judge is asked about every output."""

    start: tuple[str, ...]
    """The judges that are asked about every output."""
    until: UntilConfig
    """When it has been asked enough."""
    then: tuple[str, ...] = ()
    """The judges that are asked where it matters; the first ones again if there are none."""
    most: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """How often the jury is asked about one output at most; once for each judge if it is left out. With more, the
    later judges are asked again in turn."""
