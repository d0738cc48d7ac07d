"""When a judge is paused: nearly all of its replies are invalid, and more of them would only cost more."""

from __future__ import annotations

import math

from venire.runner.events import JudgeCounts

FIRST_REPLIES = 20
"""After how many replies of a run it is first looked whether they are worth their money."""
_Z = 1.959963984540054  # of a two-sided interval at 95 %


def reason_to_pause(counts: JudgeCounts) -> str:
    """Say why a judge is paused; empty while it is not. Only replies that this run asked for count.

    It is paused if the lower end of Wilson's interval of the invalid share (Wilson 1927, J. Am. Stat. Assoc. 22, 209)
    is above one half: from 15 of 20 on.
    """
    replies, invalid = counts.done - counts.was_done, counts.invalid_now
    if replies < FIRST_REPLIES or lower_bound(invalid, replies) <= 0.5:
        return ""
    return f"{invalid} of {replies} replies are invalid"


def lower_bound(hits: int, trials: int) -> float:
    """Return the lower end of Wilson's 95 % interval of a share.

    >>> round(lower_bound(14, 20), 3), round(lower_bound(15, 20), 3)
    (0.481, 0.531)
    """
    share, weight = hits / trials, _Z**2 / trials
    spread = _Z * math.sqrt(share * (1 - share) / trials + weight / (4 * trials))
    return (share + weight / 2 - spread) / (1 + weight)
