"""The adaptive jury of a run: whom it asked in which round, and what it estimates or decides."""

from __future__ import annotations

import msgspec


class JuryRound(msgspec.Struct, frozen=True, kw_only=True):
    """One round of an adaptive jury."""

    sequence: int
    """The number of its entry."""
    number: int
    """The number of the round, from 0."""
    rule: str
    """Why asks were chosen."""
    possible: int
    """How many asks might have been chosen."""
    chosen: int
    """How many were."""
    lowest: float
    """The lowest probability among them."""
    highest: float
    """The highest probability among them."""


class JuryMean(msgspec.Struct, frozen=True, kw_only=True):
    """What a jury estimates of one model."""

    model: str
    """The target model."""
    value: float | None
    """The mean score of the whole jury; None if it is not known yet."""
    half_width: float | None
    """Half the width of its interval; 0 if the whole jury was asked."""
    asked: int
    """How many asks beyond the first ones were chosen."""
    whole: int
    """How many the whole jury would have been asked."""


class JuryStage(msgspec.Struct, frozen=True, kw_only=True):
    """What one stage of a cascade decided."""

    judges: tuple[str, ...]
    """Who was asked at this stage."""
    reached: int
    """How many outputs came to it."""
    labelled: int
    """How many of its labelled outputs are at least so sure as the threshold, or as the first one that was tested."""
    agreeing: int
    """With how many of these verdicts people agree."""
    threshold: float | None
    """The confidence from which on it decides; None if no threshold holds."""
    decided: dict[str, int]
    """How many outputs got each verdict."""
    sequence: int
    """The number of the entry that says so."""


class JuryRead(msgspec.Struct, frozen=True, kw_only=True):
    """The adaptive jury of the last run, as far as it has come."""

    start: tuple[str, ...]
    """The judges that were asked about every output."""
    then: tuple[str, ...]
    """The judges that were asked where it matters."""
    outputs: int
    """How many outputs there are."""
    asked: int
    """How many asks were chosen in all."""
    whole: int
    """How many the whole jury would have been asked."""
    finished: bool
    """Whether it was asked enough; if not, it goes on when it is run again."""
    scale: tuple[float, float]
    """The lowest and the highest score."""
    level: float
    """The coverage of the interval, or the share of verdicts that people agree with."""
    half_width: float | None
    """How wide an interval was asked for; None if the jury decides."""
    delta: float | None
    """How likely the jury may miss the level; None if it estimates."""
    rounds: tuple[JuryRound, ...]
    """The rounds."""
    means: tuple[JuryMean, ...] = ()
    """What it estimates."""
    stages: tuple[JuryStage, ...] = ()
    """What its stages decided."""
    open: tuple[str, ...] = ()
    """The outputs that it left to people, by their output_id."""
    selected: tuple[str, ...] = ()
    """The judges who saw some outputs only, so that plain means leave them out."""
    labels: dict[str, str] = {}
    """What people said of outputs, by their output_id, where thresholds were found by it."""
