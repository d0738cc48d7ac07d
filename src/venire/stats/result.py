"""The records that statistics return: a number, how sure it is, and how it was made."""

from __future__ import annotations

import math

import msgspec


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """One number with its interval, or the reason why it is not known.

    `method` and `reason` are texts in English that `venire.words` can say in another language. To write an estimate
    with msgspec, pass `enc_hook=venire.words.said.as_text`.

    >>> Estimate(value=0.5, method="percent agreement", n={"units": 4}).known
    True
    >>> Estimate.unknown("krippendorff alpha, interval", "no variation", n={"units": 4}).value is None
    True
    """

    value: float | None
    """The estimate; None means "not known", and then `reason` says why. It is never NaN or infinite."""
    low: float | None = None
    """The lower end of the interval; None if no interval was asked for or none can be given."""
    high: float | None = None
    """The upper end of the interval; None exactly where `low` is."""
    level: float | None = None
    """The coverage that the interval was made for, such as 0.95; None without an interval."""
    standard_error: float | None = None
    """The standard error of the estimate on its own scale; None if the method gives none."""
    method: str
    """The method and its variant, such as `krippendorff alpha, interval; unit bootstrap, percentile, B=1000`."""
    n: dict[str, int] = {}
    """What the estimate rests on, counted by name, such as `{"units": 40, "raters": 3, "ratings": 118}`."""
    seed: int | None = None
    """The seed of the random numbers behind the interval; None if none were drawn or a generator was passed in."""
    reason: str = ""
    """Why the value, or an interval that was asked for, is not known; empty if nothing is missing."""
    note: str = ""
    """What to keep in mind about the interval, such as that it is rough for so few units; empty if nothing."""

    @classmethod
    def unknown(cls, method: str, reason: str, *, n: dict[str, int] | None = None, seed: int | None = None) -> Estimate:
        """Make an estimate that is not known, with the reason."""
        return cls(value=None, method=method, n=n or {}, seed=seed, reason=reason)

    @property
    def known(self) -> bool:
        """Whether there is a value."""
        return self.value is not None

    def __post_init__(self) -> None:
        for name in ("value", "low", "high", "standard_error"):
            number = getattr(self, name)
            if number is not None and not math.isfinite(number):
                raise ValueError(f"{self.method}: {name} is {number}; a number that is not known is None with a reason")
        if self.value is None and not self.reason:
            raise ValueError(f"{self.method}: a value that is not known needs a reason")
